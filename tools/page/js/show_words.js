// The rooms Number and Libraries: from the state of a fragment to the words of `binade show`. doc/reference/links.md has the
// grammar, tests/page/links.tsv examples. `binade show --link` goes the other way.

import { items, optionsLast } from "./link.js";

// Keys with a value, in the order in which they are written. Each is an option of the same name.
export const ruleKeys = ["round", "overflow", "nan", "flush", "tininess", "dialect", "seed", "random"];

// The state with the room's defaults where a segment is missing or empty.
export function filled({ path, query }, start) {
    return { path: start.path.map((text, i) => path[i] || text), query };
}

const DRAWN = 32; // values

// The state with the first values of a long list, which a room draws, and what it says of the others.
export function drawn({ path: [formats, values], query }) {
    const list = items(values), first = list.slice(0, DRAWN);
    return [{ path: [formats, first.join(",")], query }, first.length === list.length ? []
        : [`The first ${DRAWN} of ${list.length} values are shown. The command below prints all.`]];
}

export function showWords({ path: [formats, values], query }, { libraries = false } = {}) {
    const operands = items(values), options = ["-f", formats];
    for (const key of libraries ? [] : ruleKeys) {
        if (query[key]) {
            options.push(`--${key}`, query[key]);
        }
    }
    if (libraries) {
        options.push("--dialects");
    }
    if (query.exact === "1") {
        options.push("--exact");
    }
    return optionsLast("show", operands, options);
}
