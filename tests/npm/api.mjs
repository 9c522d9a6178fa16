// The npm package's own part: kinds of arguments, arrays that are written to, memory, errors. node api.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import { constants, deflateRawSync } from "node:zlib";
import * as binade from "binade";
import { inflate } from "./node_modules/binade/lib/inflate.js";

const { BinadeError, add, compare, convert, decode, dequantize, dequantizeBlock, describe, dot, encode, explain, formats, matmul,
    op, quantize, quantizeBlock, round, scalb, sum } = binade;

function refused(work, status, message) {
    assert.throws(work, (error) => {
        assert.ok(error instanceof BinadeError && error instanceof Error, String(error));
        assert.equal(error.status, status);
        assert.match(error.message, message);
        return true;
    });
}

const tests = {
    "what numbers may be"() {
        assert.equal(encode(465, "fp32").text, "465");
        assert.equal(encode(465n, "fp32").text, "465");
        assert.equal(encode(-(1n << 100n), "fp32").hex, "0xf1800000");
        assert.equal(encode("465", "fp32").text, "465");
        assert.equal(encode(decode(0x7e, "e4m3"), "fp32").text, "448");
        assert.equal(encode({ format: "bf16", code: 0x3f80 }, "fp32").text, "1");
        assert.equal(encode(NaN, "fp32").hex, "0x7fc00000");
        assert.ok(Object.is(decode(0x80, "e4m3").value, -0));
        assert.equal(encode("0.1", "fp64").value, 0.1);
        assert.equal(encode(`0.${"3".repeat(20000)}`, "fp64").value, 1 / 3); // needs memory of the module
    },
    "value sets round and have no codes"() {
        const r = round("1.3", "p4");
        assert.deepEqual([r.code, r.bits, r.hex, r.text], [null, null, null, "1.25"]);
        refused(() => encode(1, "p4"), "BND_BAD_ARGUMENT", /value set/);
        refused(() => decode(1, "p4"), "BND_BAD_ARGUMENT", /value set/);
        refused(() => add("p4", 1, 1), "BND_BAD_ARGUMENT", /value set/);
        refused(() => quantize(new Float32Array(1), "p4", { codes: true }), "BND_BAD_ARGUMENT", /value set/);
        const q = quantize(new Float32Array([1.3]), "p4");
        assert.deepEqual([q.codes, q.values[0]], [null, 1.25]);
        const e = explain("1.3", "p4");
        assert.deepEqual([e.code, e.bits, e.hex, e.fields, e.text, e.hexFloat], [null, null, null, null, "1.25", "0x1.4p+0"]);
        assert.deepEqual([e.below.text, e.above.text, e.below.code], ["1.25", "1.375", null]);
    },
    "more names than the module keeps, in one call with one that is known"() {
        const name = (i) => `e8m${1 + i % 22}b${100 + i}`; // bias 100 + i
        for (let round = 0; round < 3; round++) {
            for (let i = 0; i < 255; i++) {
                describe(name(300 * round + i));
                describe("bf16");
                const other = `e5m10b${10 + i + 300 * round}`; // a new name each time: some place is given away
                assert.deepEqual([...convert(Uint16Array.of(0x3f80), "bf16", other).codes], [Number(encode(1, other).code)]);
                assert.equal(add("bf16", { format: other, code: 0 }, 1).format, "bf16");
                assert.equal(encode({ format: "bf16", code: 0x3f80 }, "fp16").text, "1");
            }
        }
    },
    "what is refused, in the library's words"() {
        refused(() => encode(1, "e4m4x"), "BND_BAD_NAME", /^unknown format 'e4m4x'; did you mean e4m3/);
        refused(() => encode("12,5", "e4m3"), "BND_BAD_SYNTAX", /^column 3: unexpected ','/);
        refused(() => encode("1", "e4m3", { round: "4" }), "BND_BAD_NAME", /./);
        refused(() => encode("1", "e4m3", { dialect: "tourch" }), "BND_BAD_NAME", /did you mean torch/);
        refused(() => encode("1", "e6m9", { dialect: "torch" }), "BND_BAD_ARGUMENT", /torch has no rule for e6m9/);
        refused(() => encode("1", "fp16", { rounding: "rne" }), "BND_BAD_ARGUMENT", /unknown option 'rounding'/);
        refused(() => encode("1", "fp16", "rne"), "BND_BAD_ARGUMENT", /options must be an object/);
        refused(() => encode("1", "fp16", { random: -1 }), "BND_BAD_ARGUMENT", /random must be an integer/);
        refused(() => encode("1", "fp16", { random: 1n, seed: 1n }), "BND_BAD_ARGUMENT", /cannot be used with seed/);
        refused(() => encode(1.1, "bf16", { round: "sr:8", random: 256 }), "BND_BAD_ARGUMENT", /random must be below 2\^8, got 256/);
        refused(() => encode(1.1, "bf16", { random: 5 }), "BND_BAD_ARGUMENT", /cannot be used with deterministic rounding/);
        refused(() => encode(1.1, "bf16", { seed: -1 }), "BND_BAD_ARGUMENT", /seed must be an integer/);
        refused(() => encode({ format: "e4m3", code: null }, "fp16"), "BND_BAD_ARGUMENT", /code must be an integer .* got null/);
        for (const option of ["statistics", "packed"]) {
            refused(() => quantize(Float32Array.of(1), "fp16", { [option]: "no" }), "BND_BAD_ARGUMENT", /must be true or false/);
        }
        refused(() => compare("fp16", 1, 2, { signaling: 1 }), "BND_BAD_ARGUMENT", /signaling must be true or false/);
        refused(() => quantize([1, , 3], "fp16"), "BND_BAD_ARGUMENT", /values must be/);
        refused(() => dot(), "BND_BAD_ARGUMENT", /two Float32Arrays of the same length/);
        refused(() => matmul(new Float32Array(), new Float32Array(), [2 ** 30, 0, 2 ** 30]), "BND_BAD_ARGUMENT", /does not fit/);
        refused(() => dequantizeBlock({ block: "mxfp4" }), "BND_BAD_ARGUMENT", /typed arrays/);
        refused(() => dequantizeBlock({ block: "mxfp4", codes: new DataView(new ArrayBuffer(32)), scales: Uint8Array.of(127) }),
            "BND_BAD_ARGUMENT", /^codes and scales must be typed arrays$/);
        refused(() => dequantizeBlock({ block: "mxfp4", codes: new Uint8Array(32), scales: new DataView(new ArrayBuffer(1)) }),
            "BND_BAD_ARGUMENT", /^codes and scales must be typed arrays$/);
        refused(() => dequantizeBlock({ block: "mxfp4", codes: new Uint8Array(1), scales: new Uint8Array(1), tensorScale: "x" }),
            "BND_BAD_ARGUMENT", /tensorScale must be a number/);
        refused(() => encode(null, "fp16"), "BND_BAD_ARGUMENT", /got null/);
        refused(() => encode(1), "BND_BAD_ARGUMENT", /a format must be a name/);
        refused(() => decode(256, "e4m3"), "BND_BAD_ARGUMENT", /at most 8 bits/);
        refused(() => decode(1.5, "e4m3"), "BND_BAD_ARGUMENT", /code must be an integer/);
        refused(() => op("plus", "e4m3", 1, 1), "BND_BAD_NAME", /unknown operation/);
        refused(() => op("add", "e4m3", 1), "BND_BAD_ARGUMENT", /add must have 2 operands, got 1/);
        refused(() => op("exp", "fp32", 1), "BND_BAD_ARGUMENT", /./);
        refused(() => scalb("fp32", 1, 0.5), "BND_BAD_ARGUMENT", /exponent of scalb/);
        refused(() => quantizeBlock(new Float32Array(4), "mxfp5"), "BND_BAD_NAME", /mxfp/);
        refused(() => quantizeBlock(new Float32Array(4), "nvfp4", { scaleRule: "floor" }), "BND_BAD_ARGUMENT", /./);
        refused(() => quantizeBlock(new Float32Array(4), "mxfp4", { shape: [3] }), "BND_BAD_ARGUMENT", /shape must be/);
        refused(() => quantize(["1"], "e4m3"), "BND_BAD_ARGUMENT", /values must be/);
        refused(() => quantize(new Float32Array(2), "e4m3", { codes: new Uint8Array(3) }), "BND_BAD_ARGUMENT", /of 2 elements/);
        refused(() => dequantize(new Uint16Array(2), "e4m3"), "BND_BAD_ARGUMENT", /must be a Uint8Array/);
        refused(() => formats("fp"), "BND_BAD_ARGUMENT", /unknown group/);
        refused(() => binade.matmul(new Float32Array(2), new Float32Array(2), [0.5, 4, 0.5]), "BND_BAD_ARGUMENT", /three integers/);
        refused(() => dot(new Float32Array(2), new Float32Array(3)), "BND_BAD_ARGUMENT", /factors/);
        assert.equal(encode(1, "e4m3").text, "1"); // and goes on
    },
    "names with more behind a NUL"() {
        const values = new Float32Array(32), more = "\0more";
        for (const work of [() => op(`add${more}`, "fp16", 1, 1), () => encode(1, `fp16${more}`),
            () => encode(1, "fp16", { round: `rtz${more}` }), () => encode(1, "fp16", { dialect: `torch${more}` }),
            () => encode(1, "fp16", { overflow: `saturate${more}` }), () => encode(1, "fp16", { nan: `canonical${more}` }),
            () => quantizeBlock(values, `mxfp4${more}`), () => quantizeBlock(values, "mxfp4", { scaleRule: `floor${more}` }),
            () => binade.describeBlock(`mxfp4${more}`), () => dot(values, values, { accumulator: `fp32${more}` })]) {
            refused(work, "BND_BAD_NAME", /./);
        }
        refused(() => op(`add${more}`, "fp16", 1, 1), "BND_BAD_NAME", /^a name must not have a NUL byte$/);
        refused(() => formats(`mx${more}`), "BND_BAD_ARGUMENT", /unknown group/);
    },
    "a sum is a value: nothing is said of its roundings"() {
        for (const [values, format, text] of [[[65504, 65504], "fp16", "inf"], [[256, 1], "bf16", "256"],
            [[Infinity, -Infinity], "fp16", "nan"], [[1, 2], "fp16", "3"]]) {
            const total = sum(values, format);
            assert.equal(total.text, text);
            assert.deepEqual(Object.keys(total), ["format", "code", "value", "text", "bits", "hex", "kind"]);
            assert.equal(encode(total, "fp32").text, text); // and an operand
        }
    },
    "the scale of a whole array"() {
        const values = Float32Array.from({ length: 32 }, (_, i) => i - 1000), q = quantizeBlock(values, "nvfp4");
        assert.deepEqual(dequantizeBlock({ ...q, values: undefined }), q.values);
        for (const tensorScale of [undefined, null]) {
            refused(() => dequantizeBlock({ ...q, tensorScale }), "BND_BAD_ARGUMENT",
                /^tensorScale must be a number: the scale of the whole array, which quantizeBlock returns for nvfp4$/);
        }
        const { block, codes, scales } = quantizeBlock(values, "mxfp4");
        assert.deepEqual(dequantizeBlock({ block, codes, scales }), quantizeBlock(values, "mxfp4").values);
    },
    "arrays are written where a program says, and views work"() {
        const big = new Float32Array(200003).map((_, i) => i / 7), part = big.subarray(1, 100001);
        const values = new Float32Array(100000), codes = new Uint8Array(100000);
        const q = quantize(part, "e4m3", { values, codes, statistics: false });
        assert.ok(q.values === values && q.codes === codes && q.statistics === null);
        assert.deepEqual(quantize(part, "e4m3").codes, codes);
        assert.deepEqual(quantize(part, "e4m3", { codes: false }).values, values);
        assert.equal(quantize(part, "e4m3", { values: false }).values, null);
        assert.deepEqual(dequantize(codes, "e4m3"), values);
        quantize(values, "e2m1", { values });
        assert.equal(values[99999], 6);
        assert.deepEqual(quantize([1, 0.1], "bf16").codes, Uint16Array.of(0x3f80, 0x3dcd));
        assert.deepEqual(quantize(new Float32Array(0), "bf16").codes, new Uint16Array(0));
    },
    "packed codes, wide codes, conversions"() {
        const x = Float32Array.of(1, -0.5, 6, 3, 2);
        const { codes } = quantize(x, "e2m1", { packed: true });
        assert.deepEqual(codes, Uint8Array.of(0x92, 0x57, 0x04));
        assert.deepEqual(dequantize(codes, "e2m1", { packed: true, length: 5 }), x);
        assert.ok(quantize(x, "fp64").codes instanceof BigUint64Array && dequantize(quantize(x, "fp64").codes, "fp64") instanceof Float64Array);
        assert.deepEqual(convert(quantize(x, "fp32").codes, "fp32", "e4m3").codes, quantize(x, "e4m3").codes);
    },
    "stochastic rounding: an array has the bits of its elements, in pieces too"() {
        const x = new Float32Array(70000).fill(1.1), options = { round: "sr:8", seed: 7n };
        const whole = quantize(x, "bf16", options).codes, second = quantize(x.subarray(69990), "bf16", { ...options, first: 69990 }).codes;
        assert.deepEqual(whole.subarray(69990), second);
        for (const element of [0, 1, 65535, 65536, 69999]) {
            assert.equal(Number(encode(1.1, "bf16", { ...options, element }).code), quantize(Float32Array.of(Math.fround(1.1)), "bf16",
                { ...options, first: element }).codes[0]);
        }
    },
    "hundreds of formats and rules"() {
        for (let round_ = 0; round_ < 2; round_++) {
            for (let e = 2; e <= 11; e++) {
                for (let m = 1; m <= 40; m++) {
                    assert.equal(encode(1.5, `e${e}m${m}`, { round: m % 2 === 0 ? "rtz" : `sr:${m}`, dialect: undefined }).text, "1.5");
                }
            }
        }
        assert.equal(encode("1.25", "e4m3").bits, "0 0111 010");
    },
    "memory is given back"() {
        const x = new Float32Array(1 << 20).fill(1.3);
        for (let i = 0; i < 200; i++) {
            quantizeBlock(x, "mxfp4", { values: false, statistics: false });
            sum(x.subarray(0, 100000), "fp16");
        }
    },
    "tables"() {
        assert.ok(formats().includes("e4m3") && formats("mx").length > 0);
        for (const name of [...formats(), ...formats("p3109-all"), "p11", "e8m0"]) {
            const about = describe(name);
            assert.equal(about.name, name);
            assert.ok(about.max === null || about.max.value > 0);
        }
        assert.equal(describe("float8_e4m3fn").name, "e4m3");
        assert.equal(encode(1, describe("e4m3")).code, 0x38n);
        assert.equal(binade.about().backend, "wasm128");
        ["dialects", "roundings", "blockFormats", "scaleRules"].forEach((name) => assert.ok(binade[name]()[0].name !== ""));
        for (const name of binade.operations()) {
            const camel = name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
            assert.ok(typeof binade[{ rem: "remainder", nearby: "rint" }[camel] ?? camel] === "function", name);
        }
    },
    "explanations"() {
        const e = explain(465, "e4m3", { overflow: "saturate" });
        assert.deepEqual([e.text, e.error, e.errorDigits, e.below.text, e.above], ["448", "-17", "-17", "448", null]);
        assert.deepEqual(e.fields, { sign: "0", exponent: "1111", fraction: "110" });
        assert.equal(explain(0, "e4m3").relative, 0);
        assert.equal(explain("inf", "e4m3").error, null);
        const signaling = { format: "fp32", code: 0x7f800001n };
        for (const options of [undefined, null, {}, { round: undefined }, { flushIn: false }, { seed: 7 }]) {
            const { kind, code, flags } = explain(signaling, "fp32", options);
            assert.deepEqual([kind, code, flags], ["signaling nan", signaling.code, []]);
        }
        assert.deepEqual(explain(signaling, "fp32", { round: "rtz" }).flags, ["invalid"]);
    },
    "the module is decompressed as zlib does it"() {
        for (const n of [0, 1, 300, 100000]) {
            for (const make of [(i) => i * i >> 7 & 15, (i) => i % 3, (i) => (i * 2654435761 >>> 13) & 255]) {
                for (const options of [{ level: 9 }, { level: 1 }, { level: 0 }, { strategy: constants.Z_FIXED }]) {
                    const data = Uint8Array.from({ length: n }, (_, i) => make(i));
                    assert.deepEqual(inflate(new Uint8Array(deflateRawSync(data, options)), n), data);
                }
            }
        }
    },
    "arguments of other types are refused in words"() {
        for (const work of [() => formats(Symbol("x")), () => formats([Symbol("x")]), () => encode(1, "e4m3", { round: 1n }),
            () => binade.matmul(new Float32Array(1), new Float32Array(1)), () => binade.matmul(1, 2, null), () => binade.matmul(1, 2, "111")]) {
            assert.throws(work, BinadeError);
        }
        assert.equal(encode(448, "e4m3").code, 126n);
    },
    "the package runs where node's zlib is not"() {
        const program = 'process.getBuiltinModule = undefined; const b = await import("binade"); console.log(b.encode("0.1", "bf16").text)';
        assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }), "0.10009765625\n");
    },
    async "without blocking, and in a worker"() {
        await binade.ready();
        const worker = new Worker(`import("binade").then(async (b) => {
            await b.ready();
            require("node:worker_threads").parentPort.postMessage(b.encode("0.1", "bf16").text);
        });`, { eval: true });
        assert.equal(await new Promise((done, fail) => worker.on("message", done).on("error", fail)), "0.10009765625");
    },
};

let passed = 0, failed = 0;
for (const [name, test] of Object.entries(tests)) {
    try {
        await test();
        passed++;
    } catch (error) {
        failed++;
        console.log(`FAIL: ${name}: ${error.stack}`);
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
