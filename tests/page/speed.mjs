// Not a test: the speed of the WebAssembly in node and of the native command, as a table of medians. `node tests/page/speed.mjs`
// with BND_BUILD set. The two take turns, so that a machine that slows down slows both.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Core } from "../../tools/page/js/core/binade.js";
import { PAGE } from "./browser.mjs";
import { json, run } from "./native.mjs";

const ROUNDS = 9, NUMBERS = 1000000;
const core = await Core.open(await WebAssembly.compile(readFileSync(join(dirname(PAGE), "bits.wasm"))));
const program = join(process.env.BND_BUILD, "tests/page/bits");
const names = json(["formats"]).formats.map(({ name }) => name);
const folder = mkdtempSync(join(tmpdir(), "binade-speed-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

function compare(what, unit, page, native, digits = 1) {
    const times = [[], []];
    page();
    for (let i = 0; i < ROUNDS; i++) {
        const began = performance.now();
        page();
        times[0].push(performance.now() - began);
        times[1].push(native(i));
    }
    const [w, n] = times.map(median);
    console.log(`| ${what} | ${n.toFixed(digits)} | ${w.toFixed(digits)} | ${(w / n).toFixed(1)} |`);
}

console.log("| what | native, ms | WebAssembly, ms | ratio |\n| --- | ---: | ---: | ---: |");
const works = ["encode", "encode, stochastic", "decode", "round", "round, stochastic", "encode one by one"];
for (const format of ["fp16", "bf16", "e4m3", "e2m1"]) {
    works.forEach((name, work) => {
        const row = names.indexOf(format);
        compare(`${format}: ${name}, 1,000,000 fp32`, "ms", () => core.exports.bits_work(work, row, NUMBERS),
            () => Number(execFileSync(program, ["speed", String(work), format, String(NUMBERS)])) / 1e6, 2);
    });
}
const timed = (words) => { const began = performance.now(); run(words); return performance.now() - began; };
compare("`show 0.1` (native: with the start of the process)", "ms", () => core.run(["show", "0.1", "--json"]), () => timed(["show", "0.1", "--json"]));
compare("`show 0.1 -f all`", "ms", () => core.run(["show", "0.1", "-f", "all", "--json"]), () => timed(["show", "0.1", "-f", "all", "--json"]));
for (const recipe of ["fp32", "bf16-pure", "mxfp8"]) {
    const words = ["train", "--model", "mlp", "--width", "16", "--steps", "50", "--recipe", recipe, "--out"];
    compare(`\`train --model mlp --width 16 --steps 50 --recipe ${recipe}\``, "ms", () => core.run([...words, "r"]),
        (i) => timed([...words, join(folder, `${recipe}-${i}`)]));
}
