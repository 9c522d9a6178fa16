// What speed.c measures, by the npm package: a line "name seconds" per measurement, in time of the processor. node speed.mjs
// With programs as arguments, runs each of them and this file in turn, and prints the medians: node speed.mjs 7 speed ...
import { execFileSync } from "node:child_process";
import { encode, quantize, quantizeBlock } from "binade";

const ELEMENTS = 10000000, CALLS = 1000000;

function report(name, work, count) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    console.log(`${name}\t${((user + system) / 1e6 / count).toPrecision(3)}`);
}

function measure() {
    const x = new Float32Array(ELEMENTS), values = new Float32Array(ELEMENTS);
    let state = 1;
    for (let i = 0; i < ELEMENTS; i++) {
        state = Math.imul(state, 1664525) + 1013904223 | 0;
        x[i] = state * 2 ** -29;
    }
    const outputs = { e4m3: new Uint8Array(ELEMENTS), bf16: new Uint16Array(ELEMENTS) };
    for (let run = 0; run < 2; run++) {
        for (const [format, codes] of Object.entries(outputs)) {
            report(`fp32 to ${format}, codes`, () => quantize(x, format, { codes, values: false, statistics: false }), 1);
            report(`fp32 to ${format}, all`, () => quantize(x, format, { codes, values }), 1);
        }
        report("fp32 to mxfp4, codes", () => quantizeBlock(x, "mxfp4", { values: false, statistics: false }), 1);
        report("fp32 to mxfp4, all", () => quantizeBlock(x, "mxfp4", { values }), 1);
    }
    report("encode one number, e4m3", () => { for (let i = 0; i < CALLS; i++) encode(x[i], "e4m3"); }, CALLS);
    report("parse 3.14159265358979, bf16", () => { for (let i = 0; i < CALLS; i++) encode("3.14159265358979", "bf16"); }, CALLS);
}

function compare(rounds, programs) {
    const commands = [[process.execPath, [process.argv[1]]], ...programs.map((program) => program.split(" "))
        .map(([program, ...words]) => [program, words])];
    const found = commands.map(() => new Map());
    for (let round = 0; round < rounds; round++) {
        commands.forEach(([program, words], i) => {
            const last = new Map(execFileSync(program, words, { encoding: "utf8" }).trim().split("\n").map((line) => line.split("\t")));
            last.forEach((seconds, name) => found[i].set(name, [...found[i].get(name) ?? [], Number(seconds)]));
        });
    }
    for (const name of found[0].keys()) {
        console.log([name, ...found.map((times) => times.get(name).sort((a, b) => a - b)[rounds >> 1].toPrecision(3))].join("\t"));
    }
}

if (process.argv.length > 2) {
    compare(Number(process.argv[2]), process.argv.slice(3));
} else {
    measure();
}
