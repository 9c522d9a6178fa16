// binade: numbers, arithmetic, arrays and blocks in any floating-point format, bit for bit as libbinade defines them.

export { BinadeError, ready } from "./lib/core.js";
export { decode, encode, explain, neighbours, randomBits, round } from "./lib/numbers.js";
export {
    abs, add, compare, div, erf, exp, fma, gelu, geluTanh, log, logb, max, maxNumber, min, minNumber, mul, neg, nextDown, nextUp,
    op, reciprocal, remainder, rint, rsqrt, scalb, sigmoid, sqrt, sub, tanh, ulp,
} from "./lib/operations.js";
export { convert, dequantize, dot, matmul, quantize, sum } from "./lib/arrays.js";
export { dequantizeBlock, describeBlock, quantizeBlock } from "./lib/blocks.js";
export {
    about, blockFormats, describe, dialects, formats, nans, operations, overflows, roundings, scaleRules,
} from "./lib/tables.js";
