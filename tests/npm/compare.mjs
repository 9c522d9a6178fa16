// Compares the npm package with the native library: every line of FOLDER/cases.txt, which `native` wrote.
//   node compare.mjs FOLDER NATIVE, in a folder where the package is installed
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as binade from "binade";

const [folder, native] = process.argv.slice(2);
const ELEMENTS = 100000, SHORT = 5000, FIRST = 3, SEED = 5;
const flagNames = ["inexact", "underflow", "overflow", "divbyzero", "invalid", "saturated", "to-zero"];

const inputs = readFileSync(join(folder, "inputs"));
const singles = new Float32Array(inputs.buffer.slice(inputs.byteOffset, inputs.byteOffset + 4 * ELEMENTS));
const doubles = new Float64Array(inputs.buffer.slice(inputs.byteOffset + 4 * ELEMENTS,
    inputs.byteOffset + 12 * ELEMENTS));

// ---- words of a line ----

const scratch = new DataView(new ArrayBuffer(8));
const hex = (text) => BigInt(`0x${text}`);

function doubleOf(text) {
    scratch.setBigUint64(0, hex(text));
    return scratch.getFloat64(0);
}

function bitsOf(x) {
    scratch.setFloat64(0, x);
    return Number.isNaN(x) ? "0" : scratch.getBigUint64(0).toString(16);
}

function ruleOf([dialect, round, overflow, nan, choices]) {
    const flushOut = (choices & 8) !== 0 ? "tiny" : (choices & 2) !== 0;
    const options = { flushIn: (choices & 1) !== 0, flushOut, tinyBefore: (choices & 4) !== 0 };
    Object.entries({ dialect, round, overflow, nan }).forEach(([name, word]) => {
        if (word !== "") {
            options[name] = word;
        }
    });
    return options;
}

function codeOf(text) {
    const at = text.indexOf(":");
    return { format: text.slice(0, at), code: hex(text.slice(at + 1)) };
}

function flagSet(flags) {
    return flags.reduce((set, name) => set | 1 << flagNames.indexOf(name), 0);
}

function digest(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    let hash = 2166136261;
    for (let i = 0; i < bytes.length; i++) {
        hash = Math.imul(hash ^ bytes[i], 16777619);
    }
    return String(hash >>> 0);
}

function resultOf(r) {
    return [r.code.toString(16), flagSet(r.flags), r.ternary, r.text, r.bits, bitsOf(r.value)].join("\t");
}

function statisticsOf(s) {
    const counts = [s.elements, s.exact, s.inexact, s.underflows, s.toZero, s.overflows, s.saturated, s.infinitiesIn, s.nansIn,
        s.nansOut, s.compared];
    const numbers = [s.largest, s.smallest, s.squaredError, s.squaredInput, s.clampedError, s.scaleSmallest, s.scaleLargest];
    return [[...counts, ...numbers.map(bitsOf)].join(","), digest(BigUint64Array.from(s.exponents, BigInt))].join("\t");
}

// ---- a line of each kind: [what to do, how many words say it] ----

const kinds = {
    E: { words: 9, answer([, format, ...rest]) {
        const options = { ...ruleOf(rest), random: hex(rest[5]) }, text = rest[6].slice(1);
        const x = { t: () => text, d: () => doubleOf(text), c: () => codeOf(text) }[rest[6][0]]();
        return resultOf(binade.encode(x, format, options));
    } },
    O: { words: 10, answer([, format, ...rest]) {
        const options = { ...ruleOf(rest), random: hex(rest[5]) }, name = rest[6];
        const operands = rest[7].split(",").map(codeOf);
        if (name === "scalb") {
            operands[1] = BigInt.asIntN(64, operands[1].code);
        }
        return resultOf(binade.op(name, format, ...operands, options));
    } },
    C: { words: 4, answer([, a, b, signaling]) {
        const { relation, flags } = binade.compare("fp32", codeOf(a), codeOf(b), { signaling: signaling !== "0" });
        return [{ less: 1, equal: 2, greater: 4, unordered: 8 }[relation], flagSet(flags)].join("\t");
    } },
    X: { words: 3, answer([, format, text]) {
        const e = binade.explain(text, format);
        return [e.shortest, e.hexFloat, e.error ?? "", e.below?.code.toString(16) ?? "-", e.above?.code.toString(16) ?? "-"]
            .join("\t");
    } },
    R: { words: 5, answer([, seed, purpose, element, bits]) {
        return binade.randomBits(hex(seed), hex(element), parseInt(bits, 10), hex(purpose)).toString(16);
    } },
    A: { words: 9, answer([, format, ...rest]) {
        const options = { ...ruleOf(rest), seed: SEED, first: FIRST, packed: rest[6] === "1" };
        const found = binade.quantize(rest[5] === "1" ? doubles : singles, format, options);
        return [digest(found.codes), digest(found.values), statisticsOf(found.statistics)].join("\t");
    } },
    S: { words: 3, answer([, format, order]) {
        return binade.sum(doubles.subarray(1, 1 + SHORT), format, { order: ["naive", "pairwise", "kahan"][order] }).code.toString(16);
    } },
    M: { words: 2, answer([, accumulator]) {
        return digest(binade.matmul(singles.subarray(1, 7), singles.subarray(1, 10), [2, 3, 3], { accumulator, seed: 9 }));
    } },
    B: { words: 5, answer([, block, round, dimensions, axis]) {
        const shape = dimensions.split(",").map((n) => parseInt(n, 10));
        const x = singles.subarray(0, shape[0] * shape[1]), options = { shape, axis: parseInt(axis, 10) };
        const found = binade.quantizeBlock(x, block, { ...options, round, seed: SEED });
        const back = binade.dequantizeBlock(found, options);
        if (digest(back) !== digest(found.values)) {
            return "dequantizeBlock differs from the values of quantizeBlock";
        }
        return [digest(found.codes), digest(found.scales), digest(found.values),
            found.tensorScale === null ? "0" : bitsOf(found.tensorScale), statisticsOf(found.statistics)].join("\t");
    } },
};

// The first code of an array that differs.
function firstCode([, format, ...rest]) {
    execFileSync(native, [folder, format, rest[1], rest[2], rest[5]]);
    const { codes } = binade.quantize(rest[5] === "1" ? doubles : singles, format,
        { round: rest[1], overflow: rest[2], seed: SEED, first: FIRST });
    const bytes = readFileSync(join(folder, "codes")), mine = Buffer.from(codes.buffer);
    const at = bytes.findIndex((byte, i) => byte !== mine[i]);
    return at < 0 ? "no code differs" : `the first code that differs is that of element ${Math.floor(at / codes.BYTES_PER_ELEMENT)}`;
}

// ---- all lines ----

const counts = {};
let differences = 0;
for (const line of readFileSync(join(folder, "cases.txt"), "utf8").split("\n").slice(0, -1)) {
    const words = line.split("\t"), kind = kinds[words[0]];
    const asked = words.slice(0, kind.words), expected = words.slice(kind.words).join("\t");
    let found;
    try {
        found = kind.answer(asked);
    } catch (error) {
        found = `${error.name}: ${error.message}`;
    }
    counts[words[0]] = (counts[words[0]] ?? 0) + 1;
    if (found !== expected && ++differences <= 5) {
        console.log(`DIFFERENT: ${asked.join(" ").slice(0, 300)}\n  native ${expected}\n  npm    ${found}`);
        if (words[0] === "A") {
            console.log(`  ${firstCode(asked)}`);
        }
    }
}
const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
console.log(`${all} cases (${Object.entries(counts).map(([kind, n]) => `${kind} ${n}`).join(", ")}), ${differences} different`);
process.exit(differences === 0 && all > 100000 && Object.keys(counts).length === Object.keys(kinds).length ? 0 : 1);
