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
const done = (page) => page.waitFor(() => document.querySelector(".scan") || document.querySelector(".content p.failure:not([hidden])"));
const answers = (page) => page.evaluate(() => [...document.querySelectorAll(".report-conclusion")].map((one) => one.textContent));
const failure = (page) => page.evaluate(() => document.querySelector(".content p.failure:not([hidden])")?.textContent ?? "");

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
    equal((await answers(page)).slice(0, 2), [lint.answer, scan.answer[0]]);
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

// The texts of a table's cells, a row each: what is in `selector`, after the head.
const cells = (page, selector) => page.evaluate((where) => [...document.querySelector(where).tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)), selector);
const quantize = (out, ...words) => json(["quantize", right, join(top, out), ...words]);
const shown = (page, selector) => page.waitFor((where) => document.querySelector(where) || document.querySelector(".content p.failure:not([hidden])"), selector);

await test("a table sorts by a column, both ways, and keeps its filter", async () => {
    const page = await opened("#checkpoint/e4m3");
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    const names = () => page.evaluate(() => [...document.querySelectorAll(".scan table")[1].tBodies[0].rows].map((row) => row.cells[0].textContent));
    const sorted = (await names()).sort();
    check(sorted.length === 2, "two matrices");
    await page.click(".scan thead th:first-child button");
    equal(await names(), sorted);
    await page.click(".scan thead th:first-child button");
    equal(await names(), [...sorted].reverse());
    await page.close();
});

await test("the plan of a checkpoint is that of quantize --dry-run", async () => {
    const core = await openCore(), files = { "model.safetensors": new Uint8Array(readFileSync(join(right, "model.safetensors"))) };
    for (const words of [["--to", "e4m3"], ["--to", "nvfp4", "--layout", "modelopt"], ["--to", "int8"]]) {
        const all = ["quantize", "model.safetensors", "--dry-run", ...words, "--json"];
        const native = run(all, { cwd: right }), here = core.run(all, { files });
        // Memory is that of the machine: its threads, and the size of its pointers.
        equal([here.status, { ...JSON.parse(here.output), memory: 0, answer: 0 }], [native.status, { ...JSON.parse(native.output), memory: 0, answer: 0 }]);
    }
    const page = await opened("#checkpoint/e4m3?to=nvfp4&layout=modelopt");
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    const plan = json(["quantize", right, "--dry-run", "--to", "nvfp4", "--layout", "modelopt"]);
    const rows = await cells(page, ".quantize table");
    equal(rows.length, plan.plan.length + 1);
    equal(rows[0].slice(0, 5), [plan.plan[0].conversion, plan.plan[0].from, plan.plan[0].to, plan.plan[0].because, String(plan.plan[0].weights)]);
    equal(await page.evaluate(() => document.querySelectorAll(".quantize table")[1].tBodies[0].rows.length), plan.tensors.length);
    await page.evaluate(() => {
        const list = document.querySelector("#checkpoint-to");
        list.value = "int8";
        list.dispatchEvent(new Event("change"));
    });
    await page.waitFor(() => /int8|refused|cannot/.test(document.querySelector(".quantize")?.textContent));
    matches(await page.evaluate(() => location.hash), /to=int8/);
    equal(page.messages, []);
    await page.close();
});

await test("two checkpoints are compared, with the figures of diff --json", async () => {
    quantize("fp8", "--to", "e4m3");
    const both = folder("both", {}), core = await openCore();
    for (const [at, from] of [["A", "fp8"], ["B", "right"]]) {
        folder(`both/${at}`, { "model.safetensors": readFileSync(join(top, from, "model.safetensors")), "config.json": JSON.parse(readFileSync(join(top, from, "config.json"), "utf8")) });
    }
    const files = Object.fromEntries(["A", "B"].flatMap((at) => ["model.safetensors", "config.json"].map((name) => [`${at}/${name}`, new Uint8Array(readFileSync(join(both, at, name)))])));
    const native = run(["diff", "A", "B", "--json"], { cwd: both }), here = core.run(["diff", "A", "B", "--json"], { files });
    equal([here.status, here.output], [native.status, native.output]);
    const diff = JSON.parse(native.output), page = await opened("#checkpoint");
    await page.drop("#checkpoint-drop", [join(both, "A"), join(both, "B")]);
    await shown(page, ".diff");
    equal([await failure(page), (await answers(page))[0]], ["", diff.answer[0]]);
    const text = await page.evaluate(() => document.querySelector(".diff").textContent);
    check(text.includes(diff.explained_by[0].text) && text.includes("explained by"), text);
    equal((await cells(page, ".diff table")).length, diff.explained_by.length);
    equal(await page.evaluate(() => document.querySelectorAll(".diff table")[1].tBodies[0].rows.length), diff.list.filter((w) => w.elements > 0).length);
    equal(page.messages, []);
    await page.close();
});

await test("two loose files are two checkpoints; three folders are refused", async () => {
    const some = ["x", "y"].map((name, i) => {
        const file = join(top, `${name}.npy`);
        writeFileSync(file, npy("<f4", [8, 8], Float32Array.from(numbers(64)).fill(i + 1, 0, 3)));
        return file;
    });
    const page = await opened("#checkpoint");
    await page.setFiles("#checkpoint-files", some);
    await shown(page, ".diff");
    equal((await answers(page))[0], json(["diff", ...some]).answer[0]);
    await page.drop("#checkpoint-drop", [right, damaged, join(top, "fp8")]);
    await page.waitFor(() => /two to compare; got 3/.test(document.querySelector(".content p.failure:not([hidden])")?.textContent));
    equal(page.messages, []);
    await page.close();
});

await test("reports of diff, quantize and relayout show what --json says", async () => {
    const report = (name) => join(top, `${name}.html`);
    const plan = json(["quantize", right, join(top, "nv"), "--to", "nvfp4", "--layout", "modelopt", "--report", report("quantize")]);
    const relaid = json(["relayout", join(top, "nv"), join(top, "ct"), "--layout", "compressed-tensors", "--report", report("relayout")]);
    const diff = json(["diff", join(top, "nv"), right, "--report", report("diff")]);
    const page = await opened(report("quantize"), { offline: true });
    await shown(page, ".quantize");
    const files = await page.evaluate(() => document.querySelectorAll(".quantize table")[1].textContent);
    check(plan.files.length === 1 && files.includes(plan.files[0].file), files);
    equal(page.messages, []);
    await page.close();
    const other = await opened(report("relayout"), { offline: true });
    await shown(other, ".relayout");
    equal((await answers(other))[0], relaid.answer[0]);
    equal((await cells(other, ".relayout table")).map(([key, count]) => [key, Number(count)]), Object.entries(relaid.changes));
    equal(relaid.reciprocals.length, relaid.second_scales);
    equal(await other.evaluate(() => document.querySelectorAll(".relayout table")[1].tBodies[0].rows.length), relaid.reciprocals.length);
    equal(other.messages, []);
    await other.close();
    const third = await opened(report("diff"), { offline: true });
    await shown(third, ".diff");
    equal((await answers(third))[0], diff.answer[0]);
    await third.close();
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
    await page.waitFor(() => document.querySelector(".content p.failure:not([hidden])"));
    matches(await failure(page), /e4m9x/);
    await page.setFiles("#checkpoint-folder", [none]);
    await page.waitFor(() => /No checkpoint/.test(document.querySelector(".content p.failure:not([hidden])")?.textContent));
    equal(page.messages, []);
    await page.close();
});

await test("a scan that is begun again has its own Stop and no word of the one before; a plan waits for it", async () => {
    const page = await opened("#checkpoint/fp16,e4m3,e5m2,mxfp8,mxfp4,nvfp4,e4m3%2Frow");
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    const hidden = await page.evaluate(() => {
        const again = document.querySelector("#checkpoint-again"), to = document.querySelector("#checkpoint-to");
        again.click();
        again.click();
        to.value = "int8";
        to.dispatchEvent(new Event("change"));
        return document.querySelector("#checkpoint-stop").hidden;
    });
    equal(hidden, false);
    await page.waitFor(() => document.querySelector("#checkpoint-stop").hidden && document.querySelector(".scan"));
    equal(await failure(page), "");
    check((await answers(page)).length > 0, "a result");
    equal(page.messages, []);
    await page.close();
});

await test("a broken file takes the result of the one before away, and an empty segment is the default", async () => {
    const page = await opened("#checkpoint/");
    equal(await page.evaluate(() => [document.querySelector("#command code").textContent, document.querySelector("#checkpoint-formats").value]),
        ["binade scan CHECKPOINT --to fp16,e4m3,e4m3/row,e4m3/tile:128x128,mxfp8,nvfp4", "fp16,e4m3,e4m3/row,e4m3/tile:128x128,mxfp8,nvfp4"]);
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    check((await answers(page)).length > 0, "a result");
    const file = join(top, "broken.safetensors");
    writeFileSync(file, "no header");
    await page.setFiles("#checkpoint-files", [file]);
    await page.waitFor(() => document.querySelector(".content p.failure:not([hidden])"));
    equal([await answers(page), await page.evaluate(() => document.querySelectorAll("#room .report-actions button").length)], [[], 4]);
    equal(page.messages, []);
    await page.close();
});

await test("paper shows the headings and names of long tables", async () => {
    const page = await opened("#checkpoint/e4m3");
    await page.setFiles("#checkpoint-folder", [right]);
    await done(page);
    await page.media({ print: true });
    check(await page.evaluate(() => [...document.querySelectorAll(".scan table :is(thead, tbody th) button")].every((one) => one.getBoundingClientRect().height > 0)), "a heading or name is hidden");
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
    const sums = { elements: 1, equal: 0, nonfinite: 0, largest_ulps: 1, largest_error: 1, mean_error: 1, sqnr_db: 1, ulps: [0, 1], unit: names[0] };
    const how = (name) => ({ text: name, explained: false, codes: 1, codes_made: 0, scales: 1, scales_made: 0, tensor_scales: 0, tensor_scales_made: 0, tensor_scale: [name, name], scale: [name, name], quotient: [], rounding: [] });
    const kind = (name) => ({ from: name, to: name, conversion: name, because: name, weights: 1, elements: 1, bytes_in: 1, bytes_out: 1, bits_per_parameter_in: 8, bits_per_parameter_out: 8 });
    const report = { report: 1, kind: "checkpoint",
        diff: { ...sums, a: names[0], b: names[1], base: names[2], answer: names, ulps_up_to: [0, 0.5], explained_by: names.map((name) => ({ ...how(name), weights: 1, first: name })),
            list: names.flatMap((name) => ["values", "only-a", "unknown"].map((difference) => ({ ...sums, weight: name, difference, why: name, a: name, b: name, explained: how(name), elements: Number(difference === "values") }))) },
        quantize: { in: names[0], out: names[1], answer: names, bytes_in: 1, bytes_out: 1, bits_per_parameter_in: 8, bits_per_parameter_out: 8, parameters: 1, plan: names.map(kind),
            tensors: names.map((name) => ({ ...kind(name), tensor: name, shape: name, group: null })), files: names.map((file) => ({ file, tensors: 1, bytes: 1 })), other_files: names },
        relayout: { answer: names, changes: { renamed: 1, reshaped: 1, cast: 1, retyped: 1, reordered: 1, inverted: 1, unchanged: 1 },
            tensors: names.map((name) => ({ weight: name, part: name, from: name, to: `${name} `, dtype_from: name, dtype_to: `${name} `, shape_from: [1], shape_to: [], changes: [name] })),
            reciprocals: names.map((name) => ({ tensor: name, part: name, from: 1, to: 1, back: 1, ulps: 0 })), kept: names.map((key) => ({ key, bytes: 1 })) } };
    const file = join(top, "evil.html");
    writeFileSync(file, withReport(readFileSync(PAGE, "utf8"), report));
    const shows = await opened(file, { offline: true });
    await shown(shows, ".relayout");
    await shows.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    equal(await shows.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("#room img, #room script, #room iframe, #room a[href^='javascript']").length]), [0, 0]);
    equal(await shows.evaluate(() => document.querySelectorAll(".diff, .quantize, .relayout").length), 3);
    check(await shows.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a long name widens the page");
    equal(shows.messages, []);
    await shows.close();
});

await test("a phone shows it without scrolling the page sideways", async () => {
    const page = await opened("#checkpoint/fp16,e4m3,e5m2", { width: 390, height: 800 });
    await page.setFiles("#checkpoint-folder", [damaged]);
    await done(page);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "the page is wider than the screen");
    await page.close();
    for (const name of ["diff", "quantize", "relayout"]) {
        const report = await opened(join(top, `${name}.html`), { offline: true, width: 390, height: 800 });
        await shown(report, `.${name}`);
        check(await report.evaluate(() => document.documentElement.scrollWidth <= 390), `the report of ${name} is wider than the screen`);
        await report.close();
    }
});

await finish();
