// WebAssembly = native: numbers, arrays, the command's answers and training give the same bits. Needs no browser.
// BND_TEST_SCALE=10 compares 100,000 inputs per format and mode instead of 10,000.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { tmpdir } from "node:os";
import { Core } from "../../tools/page/js/core/binade.js";
import { PAGE } from "./browser.mjs";
import { check, equal, finish, test } from "./check.mjs";
import { json, openCore, run } from "./native.mjs";

const build = resolve(process.env.BND_BUILD || join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), "../../build"));
const scale = Number(process.env.BND_TEST_SCALE) || 1;
const core = await openCore();
const modes = ["rne", "rna", "rtz", "rup", "rdn", "rto", "sr", "sra:4", "srb:6", "sr-equal"];

// ---- every format and mode: scalar calls, arrays of fp64 and fp32, both ways ----

const hashes = join(build, "tests/page/bits"), module = join(dirname(PAGE), "bits.wasm");
if (existsSync(hashes) && existsSync(module)) {
    await test("codes, flags and values of every format in every mode", async () => {
        const count = Math.max(2000, Math.round(10000 * scale));
        const lines = execFileSync(hashes, [String(count)], { encoding: "utf8", maxBuffer: 1 << 26 }).trim().split("\n");
        const { exports } = await Core.open(await WebAssembly.compile(readFileSync(module)));
        const different = [];
        check(lines.length === exports.bits_formats() * modes.length && lines.length >= 190, `${lines.length} lines`);
        lines.forEach((line, i) => {
            const hash = BigInt.asUintN(64, exports.bits_hash(Math.floor(i / modes.length), i % modes.length, count));
            if (!line.endsWith(` ${hash}`)) different.push(`${line}: ${hash}`);
        });
        equal(different, []);
        check(new Set(lines.map((line) => line.split(" ")[2])).size > lines.length / 3, "hashes of formats and modes differ");
    });
} else {
    console.log("1 skipped: bits as WebAssembly (clang with wasi-libc)");
}

// ---- what the command prints ----

await test("each command has a standard input of its own", () => {
    const shown = (input) => core.run(["show", "-", "-f", "fp16", "--csv"], { input }).output.trim().split("\n").slice(1);
    equal([shown("1 2").length, shown("3"), shown("").length], [2, ["3,fp16,0x4200,3,0,"], 0]);
    core.run(["show", "-", "-f", "fp16"], { input: `1 ${"x".repeat(20)} ${"7 ".repeat(5000)}` }); // ends at its second word
    equal(shown("4").length, 1);
});

// Numbers of all kinds, from the formats' own ends to any double; the same in each run.
let state = 1n;
function random() {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return state >> 32n;
}
const bitsToDouble = (bits) => new DataView(BigUint64Array.of(bits).buffer).getFloat64(0, true);
function anyDouble() {
    const x = bitsToDouble(random() << 32n | random());
    return Number.isFinite(x) ? `${x}` : "nan";
}
const ends = json(["formats"]).formats.flatMap(({ max, min_normal, min_subnormal }) =>
    [max, min_normal, min_subnormal].filter((text) => typeof text === "string" && /[0-9]/.test(text) && !text.includes("^")));
const specials = ["0", "-0", "inf", "-inf", "nan", "1", "-1", "5e-324", "2.4e-324", "1.7976931348623157e308", "1e400", "-1e-400",
    "0x1.fffffffffffffp-1023", "3.4028235677973366e38", "1e-45", "65519.99999", "65520", "464", "465", "0x1.0000000000000001p0", ...new Set(ends)];

for (const mode of modes) {
    await test(`show: every format, ${mode}`, () => {
        const values = [...specials, ...Array.from({ length: Math.round(25 * scale) }, anyDouble)];
        const words = ["show", "-", "-f", "all,p3109-all", "--round", mode, "--seed", "7", "--csv"], input = values.join("\n");
        const native = run(words, { input }), page = core.run(words, { input });
        equal([page.status, page.errors], [native.status, native.errors]);
        check(native.output.split("\n").length > values.length * 15, "a line per value and format");
        const lines = native.output.split("\n"), own = page.output.split("\n");
        equal(own.filter((line, i) => line !== lines[i]).slice(0, 5), lines.filter((line, i) => line !== own[i]).slice(0, 5));
    });
}

// ---- fifty steps of training under six recipes, and fp32 ----

const folder = mkdtempSync(join(tmpdir(), "binade-wasm-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const timeless = (text) => text.replace(/"time\/[a-z_]+": [-0-9.e]+/g, '"time": 0');

for (const recipe of ["bf16-pure", "bf16-sr", "fp16-amp", "fp8-current", "mxfp8", "fp16-pure"]) {
    await test(`50 steps of training, ${recipe}`, () => {
        const words = ["train", "--model", "mlp", "--width", "16", "--steps", "50", "--recipe", `fp32,${recipe}`, "--out"];
        const native = run([...words, join(folder, recipe)]), page = core.run([...words, "runs"]);
        equal([page.status, page.errors], [native.status, native.errors]);
        const text = (bytes) => timeless(Buffer.from(bytes).toString());
        let checkpoints = 0;
        for (const one of readdirSync(join(folder, recipe))) {
            const at = join(folder, recipe, one);
            const [theirs, ours] = ["checkpoint.safetensors", "metrics.jsonl"].map((name) =>
                [readFileSync(join(at, name)), Buffer.from(page.files[`runs/${one}/${name}`])]);
            check(theirs[0].equals(theirs[1]), `the weights of ${one} differ`);
            equal(text(ours[1]), text(ours[0]), `losses of ${one}`);
            const made = JSON.parse(readFileSync(join(at, "summary.json"))).ended ?? 50; // with NaN in all weights it ends
            check(theirs[0].length > 1000 && text(ours[0]).split("\n").length > made, "weights, and a line per step");
            checkpoints++;
        }
        equal(checkpoints, 2);
    });
}

await finish();
