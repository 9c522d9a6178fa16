// The room Checkpoint: folders and files that are dropped in, what the command says of them, saved reports, hostile names.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withReport } from "../../tools/page/js/report/save.js";
import { numbers, npy, safetensors } from "./array_files.mjs";
import { open, PAGE } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";
import { json, openCore, run } from "./native.mjs";

const top = mkdtempSync(join(tmpdir(), "checkpoint-"));

// A folder with these files: { name: bytes or an object for JSON }.
function folder(name, files) {
    const path = join(top, name);
    mkdirSync(path, { recursive: true });
    for (const [file, content] of Object.entries(files)) {
        writeFileSync(join(path, file), Buffer.isBuffer(content) ? content : JSON.stringify(content));
    }
    return path;
}

// bf16 codes of numbers.
function bf16(values) {
    const words = new Uint32Array(Float32Array.from(values).buffer);
    return Uint16Array.from(words, (word) => word >>> 16);
}

const plain = (name, values, shape) => ({ name, dtype: "BF16", shape, data: bf16(values) });
const weights = [plain("model.layers.0.mlp.up_proj.weight", numbers(4096), [32, 128]), plain("model.layers.0.mlp.down_proj.weight", numbers(4096).reverse(), [128, 32]),
    plain("model.norm.weight", numbers(32), [32])];
const config = { model_type: "llama", tie_word_embeddings: false };
const right = folder("right", { "model.safetensors": safetensors(weights), "config.json": config });

// FP8 with a scale per row, as compressed-tensors has it; one scale is given.
function quantized(scale) {
    const codes = Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) % 127), scales = new Float32Array(32).fill(0.01);
    scales[5] = scale;
    const args = { num_bits: 8, type: "float", strategy: "channel", symmetric: true, dynamic: false };
    return { "model.safetensors": safetensors([{ name: "model.layers.0.mlp.up_proj.weight", dtype: "F8_E4M3", shape: [32, 128], data: codes },
        { name: "model.layers.0.mlp.up_proj.weight_scale", dtype: "F32", shape: [32, 1], data: scales }]),
    "config.json": { ...config, quantization_config: { quant_method: "compressed-tensors", format: "float-quantized", quantization_status: "compressed", ignore: ["lm_head"],
        config_groups: { group_0: { targets: ["Linear"], weights: args, input_activations: { ...args, strategy: "token", dynamic: true } } } } } };
}
const damaged = folder("damaged", quantized(NaN));

const opened = async (url, options) => {
    const page = await open(url, options);
    await page.waitFor(() => document.documentElement.dataset.ready === "true");
    return page;
};
const done = (page) => page.waitFor(() => document.querySelector(".scan") || document.querySelector("p.failure:not([hidden])"));
const answers = (page) => page.evaluate(() => [...document.querySelectorAll(".report-conclusion")].map((one) => one.textContent));
const failure = (page) => page.evaluate(() => document.querySelector("p.failure:not([hidden])")?.textContent ?? "");

await test("every figure of a scan is the native command's", async () => {
    const core = await openCore(), all = "bf16,fp16,e4m3,e5m2,e4m3/tensor,e4m3/row,e4m3/tile:16x16,mxfp8,mxfp4:floor,nvfp4,nvfp4:4/6,nvfp4:mse,int8/row";
    for (const [file, content] of [["x.npy", npy("<f4", [40, 50], Float32Array.from(numbers(2000)))], ["y.npy", npy("<f4", [64, 64], Float32Array.from(numbers(4096, true)))],
        ["z.safetensors", safetensors(weights)], ["large.safetensors", safetensors([plain("large", numbers(540 * 500), [540, 500])])]]) {
        writeFileSync(join(top, file), content);
        const native = run(["scan", file, "--json", "--vectors", "--to", all], { cwd: top }), here = core.run(["scan", file, "--json", "--vectors", "--to", all], { files: { [file]: new Uint8Array(content) } });
        equal([here.status, here.output], [native.status, native.output], file);
    }
});

await test("a folder gives what lint and scan answer", async () => {
    const page = await opened("#checkpoint/fp16,e4m3%2Frow,nvfp4");
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    equal(await failure(page), "");
    const lint = json(["lint", right]), scan = json(["scan", right, "--to", "fp16,e4m3/row,nvfp4"]);
    equal(await answers(page), [lint.answer, scan.answer[0]]);
    equal(await page.evaluate(() => document.querySelectorAll(".scan table")[1].tBodies[0].rows.length), 2);
    equal(await page.evaluate(() => document.querySelectorAll(".scan table")[0].tBodies[0].rows.length), 3);
    equal(await page.evaluate(() => document.querySelector("#command code").textContent), "binade scan CHECKPOINT --to fp16,e4m3/row,nvfp4");
    await page.fill("#checkpoint-filter", "down");
    await page.waitFor(() => document.querySelectorAll(".scan table")[1].tBodies[0].rows.length === 1);
    await page.click(".scan tbody button");
    await page.waitFor(() => document.querySelector(".scan figure")?.textContent.includes("down_proj"));
    equal(page.messages, []);
    await page.close();
});

await test("damage is named, with its place and what to do", async () => {
    const page = await opened("#checkpoint");
    await page.drop("#checkpoint-drop", [damaged]);
    await done(page);
    const lint = json(["lint", damaged]);
    check(lint.damage > 0, "the native command finds it");
    equal((await answers(page))[0], lint.answer);
    const text = await page.evaluate(() => document.querySelector(".finding.damage").textContent);
    matches(text, /scale-nan/);
    check(text.includes(lint.findings[0].message), text);
    equal(page.messages, []);
    await page.close();
});

await test("one file of an array, formats that do not exist, and a folder without tensors", async () => {
    const file = join(top, "weights.npy"), none = folder("none", { "config.json": config });
    writeFileSync(file, npy("<f4", [64, 32], Float32Array.from(numbers(2048))));
    const page = await opened("#checkpoint/e5m2");
    await page.setFiles("#checkpoint-files", [file]);
    await done(page);
    equal([await failure(page), await page.evaluate(() => document.querySelectorAll(".scan table")[1].tBodies[0].rows.length)], ["", 1]);
    await page.fill("#checkpoint-formats", "e4m9x");
    await page.click("#checkpoint-again");
    await page.waitFor(() => document.querySelector("p.failure:not([hidden])"));
    matches(await failure(page), /e4m9x/);
    await page.setFiles("#checkpoint-folder", [none]);
    await page.waitFor(() => /No checkpoint/.test(document.querySelector("p.failure:not([hidden])")?.textContent));
    equal(page.messages, []);
    await page.close();
});

await test("a saved report opens in this room, and says the same", async () => {
    const lint = json(["lint", damaged]), scan = json(["scan", damaged, "--to", "e4m3"]), file = join(top, "report.html");
    writeFileSync(file, withReport(readFileSync(PAGE, "utf8"), { report: 1, kind: "checkpoint", lint, scan }));
    const page = await opened(file, { offline: true });
    await done(page);
    equal(await page.evaluate(() => document.querySelector("#menu a[aria-current]").dataset.room), "checkpoint");
    equal(await answers(page), [lint.answer, scan.answer[0]]);
    equal(page.messages, []);
    await page.close();
    const other = await opened("#checkpoint");
    await other.setFiles("#checkpoint-files", [file]);
    await done(other);
    equal(await answers(other), [lint.answer, scan.answer[0]]);
    await other.close();
});

await test("hostile names of tensors, keys and values are text", async () => {
    const names = [...new Set(hostile.filter((name) => name !== "" && !/[\ud800-\udfff]/.test(name)))];
    const tensors = names.map((name) => plain(`${name}.weight`, numbers(64), [8, 8]));
    const evil = folder("evil", { "model.safetensors": safetensors(tensors, { metadata: Object.fromEntries(names.map((name, i) => [`${name}${i}`, name])) }),
        "config.json": { ...config, quantization_config: { quant_method: names[0], ignore: names, config_groups: Object.fromEntries(names.map((name, i) => [`${name}${i}`, name])) } } });
    const page = await opened("#checkpoint/e4m3");
    await page.setFiles("#checkpoint-folder", [evil]);
    await done(page);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    equal(await page.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("#room img, #room script, #room iframe, #room a[href^='javascript']").length]), [0, 0]);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a long name widens the page");
    check((await answers(page)).length > 0 || await failure(page) !== "", "an answer or a refusal");
    equal(page.messages, []);
    await page.close();
});

await test("a phone shows it without scrolling the page sideways", async () => {
    const page = await opened("#checkpoint/fp16,e4m3,e5m2", { width: 390, height: 800 });
    await page.setFiles("#checkpoint-folder", [damaged]);
    await done(page);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "the page is wider than the screen");
    await page.close();
});

await finish();
