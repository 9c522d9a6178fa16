// Typed arrays: numbers to codes and back, at the speed of the library's kernels. Arrays pass through the module's memory
// in pieces that stay in the processor's cache.

import { check, exported, memory, putText, refuse, take, within } from "./core.js";
import { OPTIONS, choiceOf, formatName, formatSlot, optionsOf, ruleSlot, wordOf64 } from "./choices.js";
import { result } from "./numbers.js";

const PIECE = 65536; // the library adds statistics in pieces of this size

// ---- kinds of arrays ----

/** The type of an array of codes, one in each element. */
export function codeType(width) {
    return width <= 8 ? Uint8Array : width <= 16 ? Uint16Array : width <= 32 ? Uint32Array : BigUint64Array;
}

/** The numbers as Float32Array or Float64Array: those two as they are, other arrays of numbers as doubles. */
export function numbersOf(values) {
    if (values instanceof Float32Array || values instanceof Float64Array) {
        return values;
    }
    if (Array.isArray(values) && Array.from(values).every((x) => typeof x === "number")) { // holes are undefined
        return Float64Array.from(values);
    }
    return refuse("values must be a Float32Array, a Float64Array or an array of numbers");
}

/** Where output goes: nowhere (false), into a new array (true), or into the array that is given. */
export function outputOf(wanted, name, Type, length) {
    if (wanted === false) {
        return null;
    }
    if (wanted === true) {
        return new Type(length);
    }
    if (!(wanted instanceof Type) || wanted.length !== length) {
        refuse(`${name} must be true, false or a ${Type.name} of ${length} elements`);
    }
    return wanted;
}

export function copyIn(at, array) {
    memory().bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
}

export function copyOut(array, at) {
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(memory().bytes.subarray(at, at + array.byteLength));
}

// ---- statistics ----

const COUNTS = ["elements", "exact", "inexact", "underflows", "toZero", "overflows", "saturated", "infinitiesIn", "nansIn",
    "nansOut", "compared"];
const DOUBLES = ["largest", "smallest", "squaredError", "squaredInput", "clampedError", "scaleSmallest", "scaleLargest"];
const HISTOGRAM = 64;

/** The statistics of the calls since array_rule. */
export function statisticsOf(core) {
    const at = core.statistics() >>> 0, { buffer } = memory(), found = {};
    const counts = new BigUint64Array(buffer, at, COUNTS.length);
    const doubles = new Float64Array(buffer, at + 8 * COUNTS.length, DOUBLES.length);
    const histogram = new BigUint64Array(buffer, at + 8 * (COUNTS.length + DOUBLES.length), HISTOGRAM);
    COUNTS.forEach((name, i) => { found[name] = Number(counts[i]); });
    DOUBLES.forEach((name, i) => { found[name] = doubles[i]; });
    found.exponents = Array.from(histogram, Number);
    found.meanSquaredError = core.mean_squared_error();
    found.signalToNoise = core.signal_to_noise();
    return found;
}

// ---- options ----

const ARRAY_OPTIONS = ["first", "values", "codes", "statistics", "packed"];
const QUANTIZE_OPTIONS = new Set([...[...OPTIONS].filter((name) => name !== "random" && name !== "element"), ...ARRAY_OPTIONS]);

/** Sets the rule of the array calls that follow. */
export function startArray(core, rule, options) {
    core.array_rule(rule, wordOf64(options.seed ?? 0n, "seed"), wordOf64(options.purpose ?? 0n, "purpose"),
        choiceOf(options, "packed") ? 1 : 0);
}

// ---- conversions ----

/** The bytes of n codes. A piece is a whole number of bytes, and n may be more than the module counts to. */
function sizeOf(core, slot, n) {
    return Math.floor(n / PIECE) * core.array_size(slot, PIECE) + core.array_size(slot, n % PIECE);
}

/** Rounds an array of numbers to a format. Returns { values, codes, statistics }. */
export function quantize(values, format, options) {
    const slot = formatSlot(format), given = optionsOf(options, QUANTIZE_OPTIONS), rule = ruleSlot(slot, given);
    const x = numbersOf(values), wide = x instanceof Float64Array, n = x.length;
    const first = wordOf64(given.first ?? 0n, "first"), count = choiceOf(given, "statistics", true);
    return within((core) => {
        const width = core.describe_width(slot);
        startArray(core, rule, given);
        const Type = given.packed ? Uint8Array : codeType(width);
        if (width === 0 && given.codes) {
            refuse(`${formatName(slot)} is a value set: it has no codes`);
        }
        const codes = outputOf(width === 0 ? false : given.codes ?? true, "codes", Type, sizeOf(core, slot, n) / Type.BYTES_PER_ELEMENT);
        const rounded = outputOf(given.values ?? true, "values", x.constructor, n);
        const most = Math.min(n, PIECE), xAt = take(most * x.BYTES_PER_ELEMENT), codesAt = take(codes === null ? 0 : sizeOf(core, slot, most));
        for (let i = 0; i < n; i += PIECE) {
            const end = Math.min(n, i + PIECE), length = end - i, index = BigInt.asUintN(64, first + BigInt(i));
            copyIn(xAt, x.subarray(i, end));
            if (codes === null) {
                check(core.round_array(xAt, xAt, length, wide, slot, index, count));
            } else {
                check(core.encode_array(codesAt, xAt, length, wide, slot, index, count));
                const from = sizeOf(core, slot, i) / Type.BYTES_PER_ELEMENT;
                copyOut(codes.subarray(from, from + sizeOf(core, slot, length) / Type.BYTES_PER_ELEMENT), codesAt);
                if (rounded !== null) {
                    check(core.decode_array(xAt, codesAt, length, wide, slot));
                }
            }
            if (rounded !== null) {
                copyOut(rounded.subarray(i, end), xAt);
            }
        }
        return { values: rounded, codes, statistics: count ? statisticsOf(core) : null };
    });
}

const DEQUANTIZE_OPTIONS = new Set(["type", "packed", "length"]);

/** The codes of an array, and how many there are. */
function codesOf(core, codes, slot, options) {
    const width = core.describe_width(slot), Type = options.packed ? Uint8Array : codeType(width);
    if (!(codes instanceof Type)) {
        refuse(`codes of ${formatName(slot)} must be a ${Type.name}`);
    }
    const n = options.length ?? (options.packed ? Math.floor(8 * codes.length / width) : codes.length);
    if (!Number.isSafeInteger(n) || n < 0 || sizeOf(core, slot, n) > codes.byteLength) {
        refuse(`length must be the number of codes in the array, got ${String(options.length)}`);
    }
    return { n, size: Type.BYTES_PER_ELEMENT };
}

/** The values of an array of codes: a Float32Array where fp32 has all values of the format, otherwise a Float64Array. */
export function dequantize(codes, format, options) {
    const slot = formatSlot(format), given = optionsOf(options, DEQUANTIZE_OPTIONS), type = given.type;
    if (type !== undefined && type !== "float32" && type !== "float64") {
        refuse(`type must be 'float32' or 'float64', got ${String(type)}`);
    }
    return within((core) => {
        const wide = type === undefined ? !core.fits_fp32(slot) : type === "float64";
        startArray(core, ruleSlot(slot, optionsOf()), given);
        const { n, size } = codesOf(core, codes, slot, given);
        const values = wide ? new Float64Array(n) : new Float32Array(n);
        const most = Math.min(n, PIECE), codesAt = take(sizeOf(core, slot, most));
        const valuesAt = take(most * values.BYTES_PER_ELEMENT);
        for (let i = 0; i < n; i += PIECE) {
            const length = Math.min(PIECE, n - i), from = sizeOf(core, slot, i) / size;
            copyIn(codesAt, codes.subarray(from, from + sizeOf(core, slot, length) / size));
            check(core.decode_array(valuesAt, codesAt, length, wide, slot));
            copyOut(values.subarray(i, i + length), valuesAt);
        }
        return values;
    });
}

const CONVERT_OPTIONS = new Set([...QUANTIZE_OPTIONS].filter((name) => !["values", "packed"].includes(name)));

/** Rounds an array of codes of one format, once, to codes of another. Returns { codes, statistics }. */
export function convert(codes, from, to, options) {
    const source = formatSlot(from), target = formatSlot(to), given = optionsOf(options, CONVERT_OPTIONS);
    const rule = ruleSlot(target, given), first = wordOf64(given.first ?? 0n, "first");
    const count = choiceOf(given, "statistics", true);
    return within((core) => {
        startArray(core, rule, given);
        const { n } = codesOf(core, codes, source, given);
        const out = outputOf(given.codes ?? true, "codes", codeType(core.describe_width(target)), n);
        if (out === null) {
            refuse("codes must be true or an array: they are the result");
        }
        const most = Math.min(n, PIECE), inAt = take(most * codes.BYTES_PER_ELEMENT), outAt = take(most * out.BYTES_PER_ELEMENT);
        for (let i = 0; i < n; i += PIECE) {
            const length = Math.min(PIECE, n - i);
            copyIn(inAt, codes.subarray(i, i + length));
            check(core.convert_array(outAt, target, inAt, source, length, BigInt.asUintN(64, first + BigInt(i)), count));
            copyOut(out.subarray(i, i + length), outAt);
        }
        return { codes: out, statistics: count ? statisticsOf(core) : null };
    });
}

// ---- sums and products ----

const ORDERS = ["naive", "pairwise", "kahan"];
const SUM_OPTIONS = new Set([...OPTIONS, "order"].filter((name) => name !== "random" && name !== "element"));

/** The sum of numbers in a format, every operation rounded to it: a result without flags and ternary, which the library
 * does not tell of many roundings. */
export function sum(values, format, options) {
    const slot = formatSlot(format), given = optionsOf(options, SUM_OPTIONS), rule = ruleSlot(slot, given);
    const x = numbersOf(values), order = ORDERS.indexOf(given.order ?? "naive");
    if (order < 0) {
        refuse(`unknown order '${String(given.order)}' (available: ${ORDERS.join(", ")})`);
    }
    return within((core) => {
        startArray(core, rule, given);
        const at = take(x.byteLength);
        copyIn(at, x);
        check(core.sum(slot, order, at, x.length, x instanceof Float64Array));
        const { flags, ternary, ...value } = result(slot);
        return value;
    });
}

const PRODUCT_OPTIONS = new Set(["accumulator", "seed"]);

/** The matrix product of a (m x k) and b (k x n), row by row; the accumulator is an option. Returns a Float32Array. */
export function matmul(a, b, sizes, options) {
    const given = optionsOf(options, PRODUCT_OPTIONS);
    const [m, k, n] = Array.isArray(sizes) ? sizes : [];
    if (![m, k, n].every((length) => Number.isSafeInteger(length) && length >= 0)) {
        refuse("the sizes of a product must be three integers");
    }
    if (!(a instanceof Float32Array && b instanceof Float32Array) || a.length !== m * k || b.length !== k * n) {
        refuse(`the factors must be Float32Arrays of ${m} x ${k} and ${k} x ${n} elements`);
    }
    if (4 * m * n > 2 ** 32) {
        refuse(`a product of ${m} x ${n} elements does not fit into the module's memory`);
    }
    const c = new Float32Array(m * n);
    return within((core) => {
        const name = putText(String(given.accumulator ?? "fp32")), aAt = take(a.byteLength), bAt = take(b.byteLength);
        const cAt = take(c.byteLength);
        copyIn(aAt, a);
        copyIn(bAt, b);
        check(core.product(cAt, m, n, aAt, bAt, k, name.at, name.length, wordOf64(given.seed ?? 0n, "seed")));
        copyOut(c, cAt);
        return c;
    });
}

/** The sum of products of two arrays; the accumulator is an option. */
export function dot(a, b, options) {
    if (!(a instanceof Float32Array && b instanceof Float32Array) || a.length !== b.length) {
        refuse("the factors must be two Float32Arrays of the same length");
    }
    return matmul(a, b, [1, a.length, 1], options)[0];
}
