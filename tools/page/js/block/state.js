// The state of the room Block, #block/FORMAT/VALUES?..., and the words of `binade block` for it. doc/reference/links.md has
// the grammar.
import { optionsLast, parts } from "../link.js";
import { presets } from "./presets.js";

export const start = { path: ["mxfp4", presets[0].numbers.join(",")], query: {} };

// Keys that are options of the same name, in the order in which they are written.
const options = ["rule", "tensor-scale", "round", "seed"];

export const formatOf = (state) => state.path[0] || start.path[0];

// The numbers as they are written. The text of an empty input is empty.
export function numbersOf(state) {
    return parts(state.path[1] || start.path[1]);
}

// An empty item counts as 0, so that an input can be cleared and typed anew.
export function words(state) {
    const operands = [formatOf(state), ...numbersOf(state).map((text) => text.trim() || "0")];
    const given = options.filter((key) => state.query[key]).flatMap((key) => [`--${key}`, state.query[key]]);
    return optionsLast("block", operands, given);
}

// The state with other numbers, format or keys; keys that the room does not have are dropped. The only number, cleared, is 0:
// nothing at all would mean the numbers of the start.
export function changed(state, { format = formatOf(state), numbers = numbersOf(state), ...query }) {
    const all = { ...state.query, ...query };
    const kept = Object.fromEntries([...options, "show"].map((key) => [key, all[key]]));
    return { room: "block", path: [format, numbers.join(",") || "0"], query: kept };
}

// What a person pastes: numbers between blanks, commas, semicolons or brackets, as from a spreadsheet, Python or C.
export function pasted(text) {
    return text.replace(/[[\](){}]/g, " ").split(/[\s,;]+/).map((word) => word.replace(/(?<=\d\.?)[fF]$/, "")).filter((word) => word !== "");
}
