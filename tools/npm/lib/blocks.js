// Block formats: arrays whose elements share scales, such as mxfp8, mxfp4 and nvfp4.

import { answer, check, lines, memory, putText, refuse, take, within } from "./core.js";
import { OPTIONS, choiceOf, formatSlot, optionsOf, ruleSlot, wordOf } from "./choices.js";
import { codeType, copyIn, copyOut, numbersOf, outputOf, startArray, statisticsOf } from "./arrays.js";

const SHARING = ["block", "tile", "tensor"];

function nameBlock(core, name, options) {
    if (typeof name !== "string") {
        refuse(`a block format must be a name, got ${typeof name}`);
    }
    const text = putText(name), rule = putText(wordOf(options, "scaleRule"));
    check(core.name_block(text.at, text.length, rule.at, rule.length));
}

// The block format that was named last.
function described(core) {
    core.describe_block();
    const [name, note, element, scale, scaleRule] = lines();
    const [elementWidth, scaleWidth, sharing, along, across, tensor, integer] = Array.from({ length: 7 }, (_, i) =>
        answer.integer(i));
    return { name, element, scale, scaleRule, sharing: SHARING[sharing], along, across, tensorScale: tensor !== 0,
        integer: integer !== 0, note, elementWidth: integer !== 0 ? 8 : elementWidth, scaleWidth };
}

/** What a block format is. */
export function describeBlock(name, options) {
    return within((core) => {
        nameBlock(core, name, optionsOf(options, new Set(["scaleRule"])));
        return described(core);
    });
}

// Shape and axis: by default one row of all numbers.
function setShape(core, options, n) {
    const shape = options.shape ?? [n], axis = options.axis ?? shape.length - 1;
    const whole = Array.isArray(shape) && shape.every((length) => Number.isSafeInteger(length) && length >= 0);
    if (!whole || shape.reduce((product, length) => product * length, 1) !== n) {
        refuse(`shape must be dimensions whose product is the number of elements, ${n}`);
    }
    if (!Number.isInteger(axis) || axis < 0 || axis >= shape.length) {
        refuse(`axis must be an integer from 0 to ${shape.length - 1}, got ${String(axis)}`);
    }
    const at = take(4 * shape.length);
    shape.forEach((length, i) => memory().data.setUint32(at + 4 * i, length, true));
    check(core.block_shape(at, shape.length, axis));
}

function scaleType(width) {
    return width === 32 ? Float32Array : codeType(width);
}

const BLOCK_OPTIONS = new Set([...[...OPTIONS].filter((name) => name !== "random" && name !== "element"), "scaleRule", "shape",
    "axis", "packed", "values", "statistics"]);

/** Finds the scales of an array, and rounds its elements. Returns { block, codes, scales, tensorScale, values, statistics }.
 * Scales are codes of the scale format, or numbers where that is fp32. */
export function quantizeBlock(values, block, options) {
    const given = optionsOf(options, BLOCK_OPTIONS), numbers = numbersOf(values);
    const x = numbers instanceof Float32Array ? numbers : Float32Array.from(numbers), n = x.length;
    const count = choiceOf(given, "statistics", true), y = outputOf(given.values ?? true, "values", Float32Array, n);
    return within((core) => {
        nameBlock(core, block, given);
        const about = described(core), rule = ruleSlot(formatSlot(about.element), given);
        startArray(core, rule, given);
        setShape(core, given, n);
        const CodeType = given.packed ? Uint8Array : codeType(about.elementWidth), ScaleType = scaleType(about.scaleWidth);
        const codes = new CodeType((core.block_codes_size() >>> 0) / CodeType.BYTES_PER_ELEMENT);
        const scales = new ScaleType(core.block_scales() >>> 0);
        const xAt = take(x.byteLength), codesAt = take(codes.byteLength), scalesAt = take(scales.byteLength), tensorAt = take(4);
        copyIn(xAt, x);
        check(core.quantize_block(codesAt, scalesAt, tensorAt, xAt, count));
        copyOut(codes, codesAt);
        copyOut(scales, scalesAt);
        if (y !== null) {
            check(core.dequantize_block(xAt, codesAt, scalesAt, tensorAt));
            copyOut(y, xAt);
        }
        const tensorScale = about.tensorScale ? memory().data.getFloat32(tensorAt, true) : null;
        return { block: `${about.name}:${about.scaleRule}`, codes, scales, tensorScale, values: y,
            statistics: count ? statisticsOf(core) : null };
    });
}

const DEQUANTIZE_OPTIONS = new Set(["shape", "axis", "packed", "length"]);

/** The values of quantized elements. `quantized` is what quantizeBlock returns, or has its block, codes, scales and
 * tensorScale. */
export function dequantizeBlock(quantized, options) {
    const given = optionsOf(options, DEQUANTIZE_OPTIONS);
    const { block, codes, scales, tensorScale = null } = quantized ?? {};
    if (![codes, scales].every((array) => ArrayBuffer.isView(array) && !(array instanceof DataView))) {
        refuse("codes and scales must be typed arrays");
    }
    if (tensorScale !== null && typeof tensorScale !== "number") {
        refuse(`tensorScale must be a number or null, got ${typeof tensorScale}`);
    }
    return within((core) => {
        nameBlock(core, block, {});
        const about = described(core);
        if (about.tensorScale && tensorScale === null) {
            refuse(`tensorScale must be a number: the scale of the whole array, which quantizeBlock returns for ${about.name}`);
        }
        startArray(core, ruleSlot(formatSlot(about.element), optionsOf()), given);
        const n = given.length ?? given.shape?.reduce?.((product, length) => product * length, 1) ??
            (given.packed ? Math.floor(8 * codes.length / about.elementWidth) : codes.length);
        setShape(core, given, n);
        const CodeType = given.packed ? Uint8Array : codeType(about.elementWidth), ScaleType = scaleType(about.scaleWidth);
        if (!(codes instanceof CodeType) || codes.byteLength !== core.block_codes_size() >>> 0) {
            refuse(`codes must be a ${CodeType.name} of ${core.block_codes_size() >>> 0} bytes`);
        }
        if (!(scales instanceof ScaleType) || scales.length !== core.block_scales() >>> 0) {
            refuse(`scales must be a ${ScaleType.name} of ${core.block_scales() >>> 0} elements`);
        }
        const values = new Float32Array(n);
        const codesAt = take(codes.byteLength), scalesAt = take(scales.byteLength), tensorAt = take(4), yAt = take(4 * n);
        copyIn(codesAt, codes);
        copyIn(scalesAt, scales);
        memory().data.setFloat32(tensorAt, tensorScale ?? 1, true); // 1 where there is none
        check(core.dequantize_block(yAt, codesAt, scalesAt, tensorAt));
        copyOut(values, yAt);
        return values;
    });
}
