// Arithmetic in a format: the exact result of an operation on values of formats, rounded once.

import { answer, check, exported, names, putText, refuse, within } from "./core.js";
import { choiceOf, formatSlot, optionsOf, randomOf, ruleSlot } from "./choices.js";
import { flagsOf, result, takeNumber } from "./numbers.js";

const rows = new Map();

// The row of an operation in the library's table.
function rowOf(name) {
    if (typeof name !== "string") {
        refuse(`an operation must be a name, got ${typeof name}`);
    }
    let row = rows.get(name);
    if (row === undefined) {
        within((core) => {
            const text = putText(name);
            check(core.name_operation(text.at, text.length));
            row = answer.integer(0);
        });
        rows.set(name, row);
    }
    return row;
}

function keep(core, i, slot, x) {
    const asItIs = takeNumber(core, x);
    check(core.keep_operand(i, slot, asItIs ? 1 : 0));
}

function keepInteger(core, i, x) {
    const n = Number.isSafeInteger(x) ? BigInt(x) : x;
    if (typeof n !== "bigint" || BigInt.asIntN(64, n) !== n) {
        refuse(`the exponent of scalb must be an integer of 64 bits, got ${String(x)}`);
    }
    core.keep_integer(i, n);
}

/** An operation by name. Operands that are codes (results of other calls) are used as they are, each in its own format;
 * other numbers are first rounded to the format, to nearest even. The options come last. */
export function op(name, format, ...operands) {
    const row = rowOf(name), count = exported().operands(row), slot = formatSlot(format);
    if (operands.length !== count && operands.length !== count + 1) {
        refuse(`${name} must have ${count} operand${count === 1 ? "" : "s"}, got ${operands.length}`);
    }
    const given = optionsOf(operands[count]), rule = ruleSlot(slot, given), random = randomOf(rule, given);
    const isScalb = names("operations")[row] === "scalb";
    return within((core) => {
        for (let i = 0; i < count; i++) {
            if (i === 1 && isScalb) {
                keepInteger(core, i, operands[i]);
            } else {
                keep(core, i, slot, operands[i]);
            }
        }
        check(core.operate(slot, row, rule, random));
        return result(slot);
    });
}

function named(name) {
    return (format, ...operands) => op(name, format, ...operands);
}

export const add = named("add");
export const sub = named("sub");
export const mul = named("mul");
export const div = named("div");
export const fma = named("fma");
export const sqrt = named("sqrt");
export const remainder = named("rem");
export const min = named("min");
export const max = named("max");
export const minNumber = named("min_number");
export const maxNumber = named("max_number");
export const rint = named("rint");
export const scalb = named("scalb");
export const logb = named("logb");
export const nextUp = named("next_up");
export const nextDown = named("next_down");
export const ulp = named("ulp");
export const neg = named("neg");
export const abs = named("abs");
export const exp = named("exp");
export const log = named("log");
export const tanh = named("tanh");
export const sigmoid = named("sigmoid");
export const erf = named("erf");
export const gelu = named("gelu");
export const geluTanh = named("gelu_tanh");
export const rsqrt = named("rsqrt");
export const reciprocal = named("reciprocal");

const RELATIONS = { 1: "less", 2: "equal", 4: "greater", 8: "unordered" };
const COMPARE_OPTIONS = new Set(["flushIn", "signaling"]);

/** The relation of two numbers, and the flags that a comparison raises. */
export function compare(format, a, b, options) {
    const { signaling, ...rest } = optionsOf(options, COMPARE_OPTIONS), signals = choiceOf({ signaling }, "signaling");
    const slot = formatSlot(format), rule = ruleSlot(slot, rest);
    return within((core) => {
        keep(core, 0, slot, a);
        keep(core, 1, slot, b);
        const relation = core.compare(rule, signals ? 1 : 0);
        return { relation: RELATIONS[relation], flags: flagsOf(answer.flags) };
    });
}
