// The room Array: statistics are those of `binade cast --stats`, files are read as they should be or refused in words, and
// the room shows and keeps its state.
import { File } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functions } from "../../tools/page/js/array/work.js";
import { hostile, npy, numbers, safetensors, swapped } from "./array_files.mjs";
import * as link from "../../tools/page/js/link.js";
import * as state from "../../tools/page/js/array/state.js";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { examples, openCore, run } from "./native.mjs";

const folder = mkdtempSync(join(tmpdir(), "binade-array-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const saved = (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
};

const core = await openCore();
const keys = ["elements", "exact", "inexact", "underflows", "to_zero", "overflows", "saturated", "nan", "nan_in", "infinity_in", "compared", "max_abs", "mse", "sqnr_db"];
// All bits of them; only the logarithm is another C library's, and may differ in its last bit.
const only = (stats) => keys.map((key) => [key, key === "sqnr_db" && stats[key] !== null ? stats[key].toPrecision(14) : stats[key]]);

// What `binade cast --stats` says of a file.
function cast(path, options) {
    const { status, errors } = run(["cast", path, "-", "--raw", ...options, "--stats", "--json"], { encoding: "latin1" });
    if (status !== 0) throw new Error(`binade cast ${options.join(" ")}: ${errors}`);
    return JSON.parse(errors);
}

async function load(content, name, asked = "") {
    const file = new File([content], name), info = await functions.array_open(core, file, asked);
    const entry = info.kind === "npy" ? { ...info, bits: 8 * info.element_size, begin: info.header_size }
        : { ...info.tensors[0], packed: true, big_endian: false, fortran_order: false };
    return functions.array_load(core, file, entry);
}
const examine = (name, round = "rne", seed = 0, overflow = "") => functions.array_examine(core, name, { round, overflow, seed }, true);

const plain = ["fp16", "bf16", "e4m3", "e5m2", "e2m1", "e4m3fnuz", "p11emin-14emax15"];
const blocks = ["e4m3/tensor", "e4m3/row", "e4m3/row:128", "mxfp8", "mxfp8:floor", "mxfp4", "nvfp4", "mxint8", "mxfp6-e3m2"];

await test("statistics of fp32 and fp64 are those of cast --via", async () => {
    const n = 300001; // more than one piece
    for (const [descr, data] of [["<f4", new Float32Array(numbers(n, true))], ["<f8", numbers(n, true)]]) {
        const content = npy(descr, [n], data), path = saved("wide.npy", content);
        await load(content, "wide.npy");
        for (const name of plain) {
            for (const [round, seed] of [["rne", 0], ["rtz", 0], ["sr:8", 3]]) {
                const native = cast(path, ["--via", name, "--round", round, "--seed", String(seed)]);
                equal(only(examine(name, round, seed)), only(native), `${descr} ${name} ${round}`);
            }
        }
        equal(only(examine("e5m2", "rne", 0, "saturate")), only(cast(path, ["--via", "e5m2", "--overflow", "saturate"])), `${descr} saturated`);
    }
});

await test("statistics of block formats are those of cast --via", async () => {
    for (const [shape, specials] of [[[4096], false], [[37, 131], true], [[3, 16, 64], false]]) {
        const n = shape.reduce((a, b) => a * b), content = npy("<f4", shape, new Float32Array(numbers(n, specials)));
        const path = saved("blocks.npy", content);
        await load(content, "blocks.npy");
        for (const name of [...blocks, ...shape.length > 1 ? ["e4m3/tile:4x32"] : []]) {
            for (const [round, seed] of [["rne", 0], ["sr", 5]]) {
                equal(only(examine(name, round, seed)), only(cast(path, ["--via", name, "--round", round, "--seed", String(seed)])), `${shape} ${name} ${round}`);
            }
        }
    }
});

await test("statistics of codes are those of cast --to", async () => {
    const n = 70000, words = Uint16Array.from({ length: n }, (_, i) => Math.imul(i, 40503) >>> 3), codes = Uint8Array.from(words, (w) => w & 255);
    for (const [descr, data, asked] of [["<f2", words, ""], ["<V2", words, "bf16"], ["|u1", codes, "e4m3"], ["|V1", codes, "e5m2"], ["bfloat16", words, "bf16"]]) {
        const content = npy(descr, [n], data), path = saved("codes.npy", content);
        await load(content, "codes.npy", asked);
        for (const name of ["fp16", "e4m3", "e5m2", "e3m2"]) {
            equal(only(examine(name)), only(cast(path, ["--to", name, ...asked === "" ? [] : ["--dtype", asked]])), `${descr} ${asked} ${name}`);
        }
    }
});

await test("big-endian files give what little-endian files give", async () => {
    const n = 5000;
    for (const [kind, data] of [["f4", new Float32Array(numbers(n))], ["f8", numbers(n)], ["f2", Uint16Array.from({ length: n }, (_, i) => i)]]) {
        const results = [];
        for (const content of [npy(`<${kind}`, [n], data), npy(`>${kind}`, [n], swapped(data, Number(kind[1])))]) {
            await load(content, "order.npy");
            results.push(only(examine("e4m3")));
        }
        equal(results[1], results[0], kind);
    }
});

await test("every dtype of a checkpoint is read or refused in words", async () => {
    const x = new Float32Array(numbers(64)), path = saved("x.npy", npy("<f4", [64], x)), native = only(cast(path, ["--via", "e4m3"]));
    await load(safetensors([{ name: "w", dtype: "F32", shape: [8, 8], data: x }]), "a.safetensors");
    equal(only(examine("e4m3")), native);
    const bits = { F64: 64, F32: 32, F16: 16, BF16: 16, F8_E4M3: 8, F8_E5M2: 8, F8_E8M0: 8, F4: 4, F6_E2M3: 6, F6_E3M2: 6, I64: 64, I32: 32, I16: 16, I8: 8, U8: 8, BOOL: 8 };
    const tensors = Object.entries(bits).map(([dtype, b], i) => ({ name: `t${i}`, dtype, shape: [4, 8], data: Buffer.alloc(4 * b, 1) }));
    const file = new File([safetensors(tensors)], "all.safetensors"), info = await functions.array_open(core, file, "");
    equal(info.tensors.map((t) => [t.dtype, t.count, t.size]), tensors.map((t) => [t.dtype, "32", String(t.data.length)]));
    for (const t of info.tensors) {
        if (t.format === null) {
            matches(t.dtype, /^[IU]|BOOL/);
            matches(t.why, /is not a floating-point format/);
        } else {
            equal(await functions.array_load(core, file, { ...t, packed: true, big_endian: false, fortran_order: false }), { count: 32 }, t.dtype);
            equal(examine("fp16").elements, 32, t.dtype);
        }
    }
});

await test("hostile headers are refused in words", async () => {
    for (const [name, content, words] of hostile) {
        let said = "";
        try { said = JSON.stringify(await functions.array_open(core, new File([content], name), "")); } catch (error) { said = error.message; }
        matches(said, words, name);
        check(!said.includes('"tensors"') && !said.includes('"count"'), `${name} was read: ${said.slice(0, 200)}`);
    }
    const names = ["__proto__", "constructor", "<img src=x onerror=alert(1)>", "a\nb\u202e", "x".repeat(5000)];
    const file = new File([safetensors(names.map((name) => ({ name, dtype: "F32", shape: [1], data: new Float32Array(1) })))], "names.safetensors");
    equal((await functions.array_open(core, file, "")).tensors.map((t) => t.name), names);
});

await test("a header of 10 MB and a file that is not all there", async () => {
    const many = Array.from({ length: 120000 }, (_, i) => ({ name: `layer.${i}.weight.${"x".repeat(20)}`, dtype: "F32", shape: [1], data: new Float32Array(1) }));
    const content = safetensors(many);
    check(content.length > 10e6, "the header is large");
    equal((await functions.array_open(core, new File([content], "many.safetensors"), "")).tensors.length, many.length);
});

await test("of a file only the header and the tensor that is examined are read", async () => {
    const data = new Float32Array(numbers(1 << 18)), content = safetensors(["a", "b", "c"].map((name) => ({ name, dtype: "F32", shape: [1 << 18], data })));
    const ranges = [], whole = new File([content], "large.safetensors");
    const file = { name: whole.name, size: whole.size, slice: (from, to) => (ranges.push([from, to]), whole.slice(from, to)) };
    const [, b] = (await functions.array_open(core, file, "")).tensors;
    check(ranges.every(([, to]) => to <= 1 << 16), `the header took ${ranges}`);
    ranges.length = 0;
    await functions.array_load(core, file, { ...b, packed: true, big_endian: false, fortran_order: false });
    equal([Math.min(...ranges.map(([from]) => from)), Math.max(...ranges.map(([, to]) => to))], [b.begin, b.begin + 4 * (1 << 18)]);
});

await test("a checkpoint of 6 GB: a tensor behind the first 4 GB, and one that is too large", async () => {
    const big = 1.5e9, small = new Float32Array(numbers(64)), at = 4 * big;
    const text = `{"big":{"dtype":"F32","shape":[${big}],"data_offsets":[0,${at}]},"small":{"dtype":"F32","shape":[64],"data_offsets":[${at},${at + 256}]}}`;
    const start = safetensors([], { header: text }), size = start.length + at + 256;
    const slice = (from, to) => new Blob([from < start.length ? start.subarray(from, Math.min(to, start.length)) : Buffer.from(small.buffer).subarray(from - size + 256, to - size + 256),
        from < start.length && to > start.length ? new Uint8Array(to - start.length) : ""]);
    const file = { name: "6gb.safetensors", size, slice }, load_one = (t) => functions.array_load(core, file, { ...t, packed: true, big_endian: false, fortran_order: false });
    const { tensors: [first, last] } = await functions.array_open(core, file, "");
    equal([first.count, last.begin], [String(big), start.length + at]);
    equal(await load_one(last), { count: 64 });
    equal(only(examine("e4m3")), only(cast(saved("small.npy", npy("<f4", [64], small)), ["--via", "e4m3"])));
    let said = "";
    try { await load_one(first); } catch (error) { said = error.message; }
    matches(said, /more than 134217728 elements, the limit of the page/);
});

await test("where every element is lost there is no largest error", async () => {
    await load(npy("<f4", [2], Float32Array.of(1e30, NaN)), "lost.npy");
    equal(["e5m2", "e4m3fnuz", "bf16"].map((name) => /^[1-9]/.test(examine(name).worst_text)), [false, false, true]);
    equal(examine("e5m2").worst_text, "-");
});

await test("drawn arrays are the same every time, and have their distribution", () => {
    const draw = (source, seed, more) => {
        const { count } = functions.array_draw(core, { source, n: 200000, seed, scale: 1, shape: 3, outliers: 0, factor: 1, ...more });
        return new Float32Array(core.exports.memory.buffer, core.exports.bnd_page_array_floats(), count).slice();
    };
    const below = (x, limit) => x.filter((v) => v < limit).length / x.length;
    const near = (a, b, words) => check(Math.abs(a - b) < 0.005, `${words}: ${a} is not near ${b}`); // five standard errors
    const normal = draw("normal", 1);
    equal([...normal.slice(0, 50)], [...draw("normal", 1).slice(0, 50)]);
    check(normal[0] !== draw("normal", 2)[0], "another seed draws other numbers");
    near(below(normal, 1), 0.841345, "normal below 1");
    near(below(normal, -2), 0.02275, "normal below -2");
    near(below(draw("student-t", 1), 1.637744), 0.9, "Student's t of 3 degrees, 90 %");
    near(below(draw("uniform", 1), 0.5), 0.75, "uniform below 0.5");
    near(below(draw("lognormal", 1, { shape: 1.5 }), 1), 0.5, "lognormal below 1");
    near(draw("uniform", 1, { outliers: 0.1, factor: 1000 }).filter((v) => Math.abs(v) > 1).length / 200000, 0.1, "outliers");
});

await test("different arrays have different names, and a name that begins with - is a file", () => {
    const names = ["normal", "normal?n=5", "normal?seed=1", "normal?scale=2", "normal?outliers=0.1", "normal?factor=3", "lognormal", "lognormal?shape=2", "uniform"]
        .map((fragment) => state.savedName(state.parse(link.parse(`#array/${fragment.replace("?", "/e4m3?")}`))));
    equal([new Set(names).size, names[0], names[3]], [names.length, "normal-1000000-seed0.npy", "normal-1000000-seed0-scale2.npy"]);
    const line = state.command(state.parse(link.parse("#array/file/e4m3")), { name: "-dash name.npy", format: "fp32", named: false });
    equal(link.commandLine(line), "binade cast --via e4m3 --stats -- '-dash name.npy' out.npy");
});

// ---- the room ----

const settled = (page) => page.waitFor(() => document.documentElement.dataset.ready === "true" && document.querySelector(".array") && !document.querySelector("[aria-busy=true]"));
const opened = async (fragment, options) => {
    const page = await open(fragment, options);
    await settled(page);
    return page;
};
const cell = (page, name, at) => page.evaluate((n, i) => document.querySelector(`tr[data-format="${n}"]`).children[i].textContent, name, at);

await test("what is drawn can be saved, and cast says the same of it", async () => {
    const page = await opened("#array/student-t/e4m3,nvfp4,mxfp8?n=50000&seed=4&outliers=0.01&look=nvfp4");
    equal(await page.evaluate(() => document.querySelector("#command code").textContent), "binade cast student-t-50000-seed4-outliers0.01.npy out.npy --via nvfp4 --stats");
    const path = await page.download(() => page.click("#array-save"));
    check(path.endsWith("student-t-50000-seed4-outliers0.01.npy"), path);
    for (const name of ["e4m3", "nvfp4", "mxfp8"]) {
        const native = cast(path, ["--via", name]);
        equal(await cell(page, name, 2), native.sqnr_db.toFixed(2), name);
        equal((await cell(page, name, 4)).replace(/ .*|,/g, ""), String(native.to_zero), name);
    }
    matches(await page.evaluate(() => document.querySelector(".verdict").textContent), /^Recommended at up to 9 bits per element: (mxfp8|e4m3), \d/);
    equal(page.messages, []);
    await page.close();
});

await test("controls change the fragment, and a fragment sets the controls", async () => {
    const page = await opened("#array/normal/e4m3,bf16?n=1000");
    await page.choose("#array-round", "rtz");
    await page.choose("#array-sort", "worst");
    await page.fill("#array-formats", "e5m2,e4m3");
    await page.waitFor(() => document.querySelector('tr[data-format="e5m2"]'));
    await settled(page);
    const fragment = "#array/normal/e5m2,e4m3?n=1000&round=rtz&sort=worst";
    await page.waitFor((wanted) => location.hash === wanted, fragment);
    const again = await opened(fragment);
    equal(await again.evaluate(() => ["round", "sort", "formats", "n"].map((key) => document.querySelector(`#array-${key}`).value)), ["rtz", "worst", "e5m2,e4m3", "1000"]);
    equal(await cell(again, "e5m2", 2), await cell(page, "e5m2", 2));
    equal(await again.evaluate(() => [...document.querySelectorAll("tr[data-format]")].map((row) => row.dataset.format)), ["e5m2", "e4m3"]);
    await page.click('tr[data-format="e5m2"] button');
    await page.waitFor(() => location.hash.endsWith("&look=e5m2"));
    equal([...page.messages, ...again.messages], []);
    await page.close();
    await again.close();
});

await test("marks of thousands belong to whole numbers; of a mistake nothing is saved", async () => {
    const page = await opened("#array/normal/e4m3?n=1000");
    const failure = () => page.evaluate(() => document.querySelector(".array > .failure:not([hidden])")?.textContent ?? "");
    const disabled = () => page.evaluate(() => document.querySelector("#array-save").disabled);
    for (const [key, text, words] of [["scale", "0,125", /^Scale must be a number .*, not '0,125'$/], ["outliers", "0,001", /^Rate of outliers .*, not '0,001'$/], ["n", "1,5", /^Elements .*, not '1,5'$/]]) {
        await page.fill(`#array-${key}`, text);
        await settled(page);
        matches(await failure(), words);
        equal(await disabled(), true);
        await page.fill(`#array-${key}`, key === "n" ? "2,000" : "0.5");
        await settled(page);
        equal([await failure(), await disabled()], ["", false]);
    }
    equal(await page.evaluate(() => globalThis.binade.fragment), "#array/normal/e4m3?n=2000&scale=0.5&outliers=0.5");
    equal(page.messages, []);
    await page.close();
});

await test("ten million elements", async () => {
    const page = await opened("#array/normal/e4m3,bf16?n=10000000");
    matches(await page.evaluate(() => document.querySelector("#array-time").textContent), /^10,000,000 elements; \d+ ms per format/);
    matches(await cell(page, "e4m3", 2), /^\d\d\.\d\d$/);
    equal(page.messages, []);
    await page.close();
});

await test("results that come in turn move nothing on the page", async () => {
    const page = await opened("#array", { scripts: () => {
        globalThis.jumps = 0;
        new PerformanceObserver((list) => { for (const e of list.getEntries()) if (document.documentElement.dataset.ready) globalThis.jumps += e.value; })
            .observe({ type: "layout-shift", buffered: true });
    } });
    await page.waitFor(() => document.querySelector("#array-time").textContent !== "");
    const jumps = await page.evaluate(() => globalThis.jumps);
    check(jumps < 0.1, `layout shift ${jumps}`);
    await page.close();
});

await test("a dropped .npy file, and one whose codes are named", async () => {
    const x = new Float32Array(numbers(3000)), page = await opened("#array/file/e4m3,mxfp8");
    matches(await page.evaluate(() => document.querySelector(".files").textContent), /does not contain the file/);
    const path = saved("weights.npy", npy("<f4", [30, 100], x));
    await page.drop("#array-drop", [path]);
    await page.waitFor(() => document.querySelector('tr[data-format="mxfp8"]'));
    await settled(page);
    equal(await cell(page, "mxfp8", 2), cast(path, ["--via", "mxfp8"]).sqnr_db.toFixed(2));
    equal(await page.evaluate(() => document.querySelector("#command code").textContent), "binade cast weights.npy out.npy --via e4m3 --stats");
    const codes = saved("codes.npy", npy("|V1", [256], Uint8Array.from({ length: 256 }, (_, i) => i)));
    await page.setFiles("#array-file", [codes]);
    await page.waitFor(() => document.querySelector("#array-codes"));
    await settled(page);
    await page.choose("#array-codes", "e5m2");
    await page.waitFor(() => document.querySelector('tr[data-format="e4m3"]'));
    await settled(page);
    equal((await cell(page, "e4m3", 6)).replace(/ .*/, ""), String(cast(codes, ["--to", "e4m3", "--dtype", "e5m2"]).overflows));
    equal(page.messages, []);
    await page.close();
});

await test("a dropped checkpoint: a row for each tensor, on click and all in turn", async () => {
    const evil = "<img src=x onerror=globalThis.hacked=1>";
    const tensors = [{ name: "first", dtype: "F32", shape: [64], data: new Float32Array(numbers(64)) }, { name: evil, dtype: "BF16", shape: [2, 32], data: new Uint16Array(64).fill(0x3f80) },
        { name: "steps", dtype: "I64", shape: [], data: new BigInt64Array(1) }];
    const page = await opened("#array/file/e4m3,bf16,mxfp8", { width: 390, height: 800 });
    await page.drop("#array-drop", [saved("model.safetensors", safetensors(tensors, { metadata: { note: evil } }))]);
    await page.waitFor(() => document.querySelectorAll("tr[data-tensor]").length === 3);
    await settled(page);
    check(await page.evaluate(() => document.querySelector('tr[data-tensor].looked') && document.querySelector('tr[data-format="e4m3"]')), "no tensor is examined without a click");
    const row = (i) => page.evaluate((at) => [...document.querySelector(`tr[data-tensor="${at}"]`).children].map((td) => td.textContent), i);
    const at = (await Promise.all([0, 1, 2].map(row))).findIndex((r) => r[0] === evil);
    await page.click(`tr[data-tensor="${at}"] button`);
    await page.waitFor(() => document.querySelector('tr[data-format="e4m3"]'));
    await settled(page);
    equal(await cell(page, "e4m3", 2), "exact");
    await page.click("#array-all");
    await page.waitFor(() => !document.querySelector("#array-all").disabled && [...document.querySelectorAll("tr[data-tensor]")].every((r) => r.children[4].textContent !== ""));
    equal((await row(at)).slice(4, 7), ["e4m3", "exact", "1"]);
    check((await Promise.all([0, 1, 2].map(row))).some((r) => /not a floating-point format/.test(r[4])), "integers are refused in words");
    check(!await page.evaluate(() => globalThis.hacked || document.querySelector("main img")), "a name became an element");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "wider than a phone");
    equal(page.messages, []);
    await page.close();
});

await test("examining all ends where another file or source is chosen", async () => {
    const one = new Float32Array(numbers(1 << 18)), many = Array.from({ length: 30 }, (_, i) => ({ name: `t${i}`, dtype: "F32", shape: [1 << 18], data: one }));
    const large = saved("large.safetensors", safetensors(many)), small = saved("small.safetensors", safetensors([{ name: "only", dtype: "F32", shape: [64], data: new Float32Array(numbers(64)) }]));
    const page = await opened("#array/file", { scripts: () => addEventListener("DOMContentLoaded", () => {
        globalThis.texts = new Set();
        new MutationObserver(() => document.querySelectorAll("tr[data-tensor]").forEach((row) => globalThis.texts.add(row.children[4].textContent)))
            .observe(document, { childList: true, subtree: true });
    }) });
    const begin = async () => {
        await page.setFiles("#array-file", [large]);
        await page.waitFor(() => document.querySelectorAll("tr[data-tensor]").length === 30);
        await settled(page);
        await page.click("#array-all");
        await page.waitFor(() => document.querySelector("tr[data-tensor='0']").children[4].textContent !== "");
    };
    await begin();
    await page.setFiles("#array-file", [small]);
    await page.waitFor(() => document.querySelectorAll("tr[data-tensor]").length === 1);
    await settled(page);
    equal(await page.evaluate(() => [...globalThis.texts].filter((text) => /shorter/.test(text))), []);
    await begin();
    await page.choose("#array-source", "uniform");
    await page.waitFor(() => /^1,000,000/.test(document.querySelector("#array-time").textContent));
    check(await page.evaluate(() => [...document.querySelectorAll("tr[data-tensor]")].some((row) => row.children[4].textContent === "")), "every tensor was examined first");
    equal(page.messages, []);
    await page.close();
});

await test("of a file that is refused there is no command, and no error of a result that is not there", async () => {
    const page = await opened("#array/file/e5m2");
    const bar = () => page.evaluate(() => !document.querySelector("#command").hidden && document.querySelector("#command code").textContent);
    await page.setFiles("#array-file", [saved("lost.npy", npy("<f4", [1], Float32Array.of(1e30)))]);
    await page.waitFor(() => /no element has a finite result/.test(document.querySelector(".counts").textContent));
    matches(await page.evaluate(() => document.querySelector(".counts").textContent), /^Of 1 element: /);
    equal([await bar(), await cell(page, "e5m2", 3)], ["binade cast lost.npy out.npy --via e5m2 --stats", "-"]);
    await page.setFiles("#array-file", [saved("cut.npy", npy("<f4", [4], new Float32Array(4)).subarray(0, 100))]);
    await page.waitFor(() => document.querySelector(".array > .failure:not([hidden])"));
    equal([await bar(), page.messages], [false, []]);
    await page.close();
});

await test("hostile files in the room", async () => {
    const page = await opened("#array/file/e4m3");
    for (const [name, content, words] of hostile.filter(([file]) => /^(overlap|dtype|evil|cut|long-header|empty)/.test(file))) {
        await page.setFiles("#array-file", [saved(name, content)]);
        await page.waitFor((file) => document.querySelector(".array > .failure:not([hidden])")?.textContent.startsWith(`${file}: `), name);
        matches(await page.evaluate(() => document.querySelector(".array > .failure").textContent), words, name);
        await settled(page);
    }
    check(!await page.evaluate(() => document.querySelector("main img")), "a name became an element");
    await page.choose("#array-source", "uniform");
    await page.waitFor(() => document.querySelector('tr[data-format="e4m3"]'));
    equal(page.messages, []);
    await page.close();
});

await test("an image through every format", async () => {
    const page = await opened("#array/image/bf16,e4m3,e2m1?right=e2m1");
    await page.waitFor(() => document.querySelectorAll(".small-images button").length === 3);
    const pixels = (side) => page.evaluate((which) => {
        const canvas = document.querySelector(`.stage .${which}`);
        return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].reduce((set, v, i) => i % 4 === 3 ? set : set.add(v), new Set()).size;
    }, side);
    check(await pixels("left") > 200, "the original has many values");
    check(await pixels("right") <= 8, "e2m1 has four values from 0 to 1");
    const before = await page.evaluate(() => document.querySelector(".stage .right").style.clipPath);
    await page.type("#image-slider", "");
    await page.press("ArrowRight");
    check(before !== await page.evaluate(() => document.querySelector(".stage .right").style.clipPath), "the slider moves the border");
    await page.click("#image-gain");
    await page.click("#image-centred");
    await page.waitFor(() => location.hash === "#array/image/bf16,e4m3,e2m1?centred=1&right=e2m1&gain=8");
    await settled(page);
    const drawn = saved("dot.png", Buffer.from(await page.evaluate(() => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 2, height: 2 });
        canvas.getContext("2d").fillRect(0, 0, 1, 2);
        return canvas.toDataURL("image/png").split(",")[1];
    }), "base64"));
    await page.setFiles("#array-file", [drawn]);
    await page.waitFor(() => document.querySelector(".stage .left").width === 2);
    await settled(page);
    matches(await page.evaluate(() => document.querySelector("#array-time").textContent), /^12 elements/);
    equal(page.messages, []);
    await page.close();
});

await test("pictures follow Overflow", async () => {
    const page = await opened("#array/image/e5m2b31?left=e5m2b31&overflow=saturate"); // the largest number is 0.875
    const brightest = () => page.evaluate(() => {
        const canvas = document.querySelector(".stage .left"), context = canvas.cloneNode().getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data.reduce((most, v, i) => i % 4 === 3 ? most : Math.max(most, v), 0);
    });
    equal(await brightest(), 223);
    await page.choose("#array-overflow", "as the format has it");
    await settled(page);
    equal([await brightest(), page.messages], [255, []]);
    await page.close();
});

await test("a list to begin with shows scale rules", async () => {
    const page = await opened("#array/lognormal?n=2000");
    await page.choose("#array-list", "scale rules of MX");
    await page.waitFor(() => document.querySelector('tr[data-format="mxfp4:even"]'));
    await settled(page);
    equal(await page.evaluate(() => document.querySelector('tr[data-format="mxfp8:floor"]').lastChild.textContent), "floor");
    equal(page.messages, []);
    await page.close();
});

await test("states that cannot be are explained", async () => {
    const page = await opened("#array");
    for (const [fragment, words] of [["#array/cauchy/e4m3", /unknown array 'cauchy' \(available: normal/], ["#array/normal/e4m3?n=0", /Elements must be a whole number from 1/],
        ["#array/normal/e4m3?outliers=2", /Rate of outliers must be a number from 0 to 1/]]) {
        await page.enter(fragment);
        await settled(page);
        matches(await page.evaluate(() => document.querySelector(".array > .failure:not([hidden])")?.textContent ?? ""), words, fragment);
        equal(page.messages, []);
    }
    await page.enter("#array/normal/e4m3,%3Cimg%20src%3Dx%3E,e4m3%2Ftile:2x2?n=100");
    await settled(page);
    matches(await cell(page, "<img src=x>", 1), /unknown format/);
    matches(await cell(page, "e4m3/tile:2x2", 1), /needs a matrix/);
    matches(await cell(page, "e4m3", 1), /^8$/);
    equal(page.messages, []);
    await page.close();
});

await test("the documented links keep their state, and show it", async () => {
    const links = examples("array");
    check(links.length >= 2, "links.md has examples");
    for (const fragment of links) {
        equal(link.format(state.format(state.parse(link.parse(fragment)))), fragment);
        const page = await opened(fragment);
        await page.waitFor(() => document.querySelector("tbody tr .number") && !document.querySelector("[aria-busy=true]"));
        equal(await page.evaluate(() => [location.hash, document.querySelector(".failure:not([hidden])")?.textContent ?? ""]), [fragment, ""]);
        equal(page.messages, []);
        await page.close();
    }
});

await finish();
