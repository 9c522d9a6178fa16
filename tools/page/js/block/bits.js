// The bits of a code, "0 11 1" as the command writes them, each field in its colour under a ruler S EE M.
import { h } from "../dom.js";

const names = { S: "sign", E: "exponent", M: "fraction", I: "fraction" };

// Which field each group is: by their number, and for two groups by whether the first is one bit.
function letters(groups, kind) {
    if (kind === "int8") return ["I"];
    if (groups.length === 3) return ["S", "E", "M"];
    if (groups.length === 2) return groups[0].length === 1 ? ["S", "E"] : ["E", "M"];
    return ["E"];
}

export function bitsOf(bits, kind, { ruler = false } = {}) {
    const groups = bits.split(" "), which = letters(groups, kind);
    return h("span", { class: "block-bits" }, groups.map((group, i) => h("span", { class: `block-field ${names[which[i]]}` },
        ruler ? h("span", { class: "block-ruler", "aria-hidden": "true" }, which[i].repeat(group.length)) : null, group)));
}
