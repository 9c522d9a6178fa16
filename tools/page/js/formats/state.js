// The state of the room Formats, #formats/VIEW/NAMES?..., and what every view asks of it. doc/reference/links.md has the
// grammar.

import { items, safely } from "../link.js";

export const start = { path: ["ranges", "fp32,fp16,bf16,e5m2,e4m3,e3m2,e2m3,e2m1,e8m0"], query: {} };

// What each view shows where its segment is empty, and the keys that it has.
export const defaults = {
    ranges: { names: start.path[1], keys: ["values"] },
    line: { names: "e3m2,e2m3", keys: ["scale"] },
    precision: { names: "fp32,fp16,bf16,e5m2,e4m3", keys: [] },
    codes: { names: "e4m3", keys: ["search", "class"] },
    design: { names: "e4m3fn", keys: [] },
    facts: { names: "e4m3", keys: [] },
};

export const viewOf = (state) => (Object.hasOwn(defaults, state.path[0]) ? state.path[0] : "ranges");
export const namesOf = (state) => state.path[1] || defaults[viewOf(state)].names;

export function command(state) {
    const view = viewOf(state), names = namesOf(state);
    if (view === "ranges") {
        return safely(["range", "--bars", "-f", names], items(state.query.values));
    }
    if (view === "line" || view === "codes") {
        return safely(["table"], [items(names)[0] ?? ""]);
    }
    return safely(["formats"], items(names));
}

// The state of another view, or with other names or keys. Keys that the view does not have are dropped.
export function changed(state, { view = viewOf(state), names = view === viewOf(state) ? namesOf(state) : "", ...query }) {
    const all = view === viewOf(state) ? { ...state.query, ...query } : query;
    return { room: "formats", path: names ? [view, names] : [view], query: Object.fromEntries(defaults[view].keys.map((key) => [key, all[key]])) };
}

// Formats without a limit of exponents have no place on an axis.
export const limited = (f) => f.log2_max !== null && f.log2_min !== null;
export function unlimited(formats) {
    const names = formats.filter((f) => !limited(f)).map((f) => f.name).join(", ");
    return names && ` Without limits, so not drawn: ${names}.`;
}

// The facts of formats, by the command; block formats have a room of their own.
export function factsOf(core, names) {
    const { formats = [], block_formats: blocks = [] } = core.json(safely(["formats"], items(names)));
    if (formats.length === 0 && blocks.length > 0) {
        throw new Error(`${blocks[0].name} is a block format: its values share a scale; the room Block shows it`);
    }
    return formats;
}
