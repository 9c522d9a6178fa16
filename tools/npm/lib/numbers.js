// Single numbers: rounding, encoding, decoding, and what lies around a number.

import { answer, check, exported, lines, names, putText, refuse, within } from "./core.js";
import { formatName, formatSlot, hasCodes, optionsOf, randomOf, ruleSlot, wordOf64 } from "./choices.js";

// The flags of each of the 128 sets.
let flagSets = null;

export function flagsOf(set) {
    if (flagSets === null) {
        const all = names("flags");
        flagSets = Array.from({ length: 1 << all.length }, (_, i) => Object.freeze(all.filter((_, bit) => i >> bit & 1)));
    }
    return flagSets[set];
}

/** The answer of the last call as a result. `slot`: its format. */
export function result(slot) {
    const coded = hasCodes(slot), [text, bits, hex] = lines();
    return {
        format: formatName(slot),
        code: coded ? answer.code : null,
        value: answer.value,
        text,
        bits: coded ? bits : null,
        hex: coded ? hex : null,
        kind: names("kinds")[answer.kind],
        flags: flagsOf(answer.flags),
        ternary: answer.ternary,
    };
}

// ---- the number that a call is about ----

function isCode(x) {
    return typeof x === "object" && x !== null && x.format !== undefined && x.code !== undefined;
}

function textOf(integer) {
    return integer < 0n ? `-0x${(-integer).toString(16)}` : `0x${integer.toString(16)}`;
}

/** Tells the module which number is meant. True for a code of a format. Call it within `within`. */
export function takeNumber(core, x) {
    if (typeof x === "number") {
        core.take_number(x);
    } else if (typeof x === "string" || typeof x === "bigint") {
        const text = putText(typeof x === "string" ? x : textOf(x));
        check(core.take_text(text.at, text.length));
    } else if (isCode(x)) {
        const slot = formatSlot(x.format);
        check(core.take_code(slot, wordOf64(x.code, "code")));
        return true;
    } else {
        refuse(`a number must be a number, a bigint, a string, or an object with code and format, got ${
            x === null ? "null" : typeof x}`);
    }
    return false;
}

function needCodes(slot) {
    if (!hasCodes(slot)) {
        refuse(`${formatName(slot)} is a value set: it has no codes; use round()`);
    }
}

// ---- one number, rounded ----

/** Rounds a number, once, to a value of a format or value set. */
export function round(x, format, options) {
    const slot = formatSlot(format), given = optionsOf(options), rule = ruleSlot(slot, given);
    const random = randomOf(rule, given);
    return within((core) => {
        takeNumber(core, x);
        core.round(slot, rule, random, 0);
        return result(slot);
    });
}

/** Rounds a number, once, to a code of a format. */
export function encode(x, format, options) {
    needCodes(formatSlot(format));
    return round(x, format, options);
}

/** What a code means. */
export function decode(code, format) {
    const slot = formatSlot(format);
    return within((core) => {
        check(core.take_code(slot, wordOf64(code, "code")));
        core.look(0);
        return result(slot);
    });
}

// ---- one number, with all that can be said of it ----

function neighbour(core, slot, direction) {
    return core.neighbour(slot, direction) ? result(slot) : null;
}

// The lines after those of a result: the shortest text, the hexadecimal float, the fields, the error.
function detailed(core, slot) {
    const all = lines(), plain = result(slot);
    const fields = plain.code === null ? 1 : 3;
    const [shortest, hexFloat] = all.slice(fields, fields + 2);
    const [sign, exponent, fraction] = plain.code === null ? [] : all.slice(fields + 2, fields + 5);
    const [error = null, errorDigits = null] = answer.hasError ? all.slice(-2) : [];
    const relative = answer.hasError && !Number.isNaN(answer.relative) ? answer.relative : null;
    return {
        ...plain,
        shortest,
        hexFloat,
        fields: plain.code === null ? null : { sign, exponent, fraction },
        error,
        errorDigits,
        relative,
        below: neighbour(core, slot, -1),
        above: neighbour(core, slot, 1),
    };
}

/** Rounds a number as round() does, and tells the shortest text, the fields, the error and the neighbours. A code of
 * the same format stays as it is, unless an option chooses another rule than the default. */
export function explain(x, format, options) {
    const slot = formatSlot(format), given = optionsOf(options), rule = ruleSlot(slot, given);
    const random = randomOf(rule, given);
    return within((core) => {
        const asItIs = takeNumber(core, x) && formatName(formatSlot(x.format)) === formatName(slot) && rule === ruleSlot(slot, optionsOf());
        if (asItIs) {
            core.look(1);
        } else {
            core.round(slot, rule, random, 1);
        }
        return detailed(core, slot);
    });
}

/** The nearest values of a format strictly below and above a number; null where there is none. */
export function neighbours(x, format) {
    const slot = formatSlot(format);
    return within((core) => {
        takeNumber(core, x);
        return { below: neighbour(core, slot, -1), above: neighbour(core, slot, 1) };
    });
}

/** The random bits of one stochastic rounding, as a BigInt. */
export function randomBits(seed, element, bits, purpose = 0n) {
    if (!Number.isInteger(bits) || bits < 1 || bits > 64) {
        refuse(`bits must be an integer from 1 to 64, got ${String(bits)}`);
    }
    return BigInt.asUintN(64, exported().random_bits(wordOf64(seed, "seed"), wordOf64(purpose, "purpose"),
        wordOf64(element, "element"), bits));
}
