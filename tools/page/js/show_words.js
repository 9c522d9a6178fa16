// The rooms Number and Libraries: from the state of a fragment to the words of `binade show`. doc/reference/links.md has the
// grammar, tests/page/links.tsv examples. `binade show --link` goes the other way.

import { items } from "./link.js";

// Keys with a value, in the order in which they are written. Each is an option of the same name.
export const ruleKeys = ["round", "overflow", "nan", "flush", "tininess", "dialect", "seed", "random"];

// The state with the room's defaults where a segment is missing or empty.
export function filled({ path, query }, start) {
    return { path: start.path.map((text, i) => path[i] || text), query };
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
    // -1 is a value for the command; of -inf and others only "--" says so.
    return operands.some((value) => /^-[^0-9.]/.test(value)) ? ["show", ...options, "--", ...operands]
        : ["show", ...operands, ...options];
}
