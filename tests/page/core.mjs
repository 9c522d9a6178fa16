// The command in WebAssembly as a program that runs for days: order, memory, names of files, and commands that end in the
// middle leave nothing behind. Needs no browser.
import { check, equal, finish, matches, test } from "./check.mjs";
import { openCore } from "./native.mjs";
import { hostile } from "./hostile.mjs";

const core = await openCore();
const log = { "a.csv": "step,loss\n1,3\n2,2\n", "b.csv": "step,loss\n1,3\n2,2.5\n" };

await test("a report changes no word of the commands behind it", () => {
    const words = [["range", "--bars", "-f", "e4m3", "1"], ["compare", "a.csv", "b.csv"], ["show", "0.1", "-f", "fp16"]];
    const answers = () => words.map((one) => core.run(one, { files: log }).output);
    const before = answers();
    equal(core.run(["report", "a.csv", "--json"], { files: log }).status, 0);
    equal(answers(), before);
    check(before.every((one) => one.length > 100), "answers");
});

await test("files that a command writes stay the caller's until then", () => {
    const mine = new Uint8Array(100000).fill(65);
    const { status, files } = core.run(["range", "-f", "e4m3", "--svg", "x.svg"], { files: { "x.svg": mine } });
    equal([status, mine.every((byte) => byte === 65)], [0, true]);
    matches(new TextDecoder().decode(files["x.svg"]), /^<svg|^<\?xml/);
});

await test("many commands in one memory", () => {
    const words = [["show", "465", "-f", "all", "--json"], ["report", "a.csv", "b.csv", "--json"], ["show", "zzz"], ["table", "e4m3"], ["nope"],
        ["train", "--recipe", "zz=1"], ["report", "x"], ["block", "mxfp4", "1,2,3"], ["cost", "memory"], ["help", "show"]];
    const round = (i) => words.forEach((one) => core.run(one, { files: { ...log, [`${i}.csv`]: "" } }));
    for (let i = 0; i < 5; i++) round(i);
    const size = core.exports.memory.buffer.byteLength;
    for (let i = 0; i < 25; i++) round(i);
    equal(core.exports.memory.buffer.byteLength, size);
});

await test("odd names of files", () => {
    for (const name of [...hostile, "..", "../../x", "/", "a//b", ".", "runs/"]) {
        const files = Object.create(null);
        files[name] = log["a.csv"];
        const { status, output, errors } = core.run(["report", name, "--json"], { files });
        if (status === 0) JSON.parse(output);
        else check(status <= 3 && errors !== "" && output === "", `${JSON.stringify(name).slice(0, 60)}: ${status} ${errors}`);
    }
});

await test("the message of a command that ends in the middle", async () => {
    const { status, errors } = core.run(["train", "--model", "mlp", "--recipe", "fp32", "--seeds", "100000", "--steps", "1", "--out", "runs"]);
    equal([status, /^binade: out of memory \(100000 times \d+ bytes were needed\)\n$/.test(errors)], [3, true], errors);
    await core.mended;
    const many = core.run(["train", "--seeds", "1000000", "--steps", "5"]);
    equal([many.status, many.output], [2, ""]);
    matches(many.errors, /^binade train: --seeds must be at most \d+ with 3 recipes: memory holds no more runs\n$/);
});

await test("a command that ends in the middle", async () => {
    const real = core.exports;
    core.exports = { ...real, bnd_page_run: () => real.memory.grow(0) && core.system.imports(() => real.memory).wasi_snapshot_preview1.proc_exit(3) };
    equal(core.run(["show", "1"]).status, 3);
    await core.mended;
    equal(core.run(["show", "1", "-f", "fp16"]).status, 0);
    core.exports = { ...core.exports, bnd_page_new: () => 0 };
    let message = "";
    try { core.run(["show", "1"]); } catch (error) { ({ message } = error); }
    equal(message, "out of memory");
});

await finish();
