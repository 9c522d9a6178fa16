// The table of rules: scale, what saturates and underflows, the error, and which rule is best. A radio button chooses the
// rule whose elements are shown.
import { h } from "../dom.js";
import { bitsOf } from "./bits.js";

const nameOf = (r) => (r.largest_maps_to ? `${r.rule} (${r.largest_maps_to})` : r.rule);

// A bar of the rule's error relative to the largest one: for the eye; the number stands next to it.
function bar(r, largest) {
    const share = largest > 0 ? Number(r.squared_error) / largest : 0;
    const fill = h("span", { class: "block-bar-fill" });
    fill.style.width = `${Math.round(100 * share)}%`;
    return h("span", { class: "block-bar", "aria-hidden": "true" }, fill);
}

function row(answer, r, shown, largest, onShow) {
    const number = (text) => h("td", { class: "number" }, text ?? "–");
    const radio = h("input", { type: "radio", name: "block-rule", value: r.rule, checked: r.rule === shown, "aria-label": `Show the elements under ${r.rule}`,
        onchange: () => onShow(r.rule) });
    return h("tr", { class: r.rule === shown ? "block-shown" : null, "data-rule": r.rule },
        h("th", { scope: "row" }, h("label", {}, radio, nameOf(r))),
        number(r.scale.brief), h("td", {}, h("code", {}, r.scale.code), " ", bitsOf(r.scale.bits, answer.scale)),
        r.tensor_scale ? number(r.tensor_scale.shortest) : null,
        number(r.amax_over_scale),
        number(answer.finite ? r.saturated : null), number(answer.finite ? r.zero : null), number(r.rough_squared_error),
        h("td", {}, r.squared_error === null ? null : bar(r, largest)),
        h("td", { class: "block-best" }, r.best ? h("strong", { class: "good" }, "✓ best") : null),
        h("td", {}, r.of));
}

export function rulesTable(answer, shown, onShow) {
    const largest = Math.max(...answer.rules.map((r) => Number(r.squared_error ?? 0)));
    const tensor = answer.rules.some((r) => r.tensor_scale);
    const head = ["rule", "scale", "code of the scale", ...(tensor ? ["tensor scale"] : []), "amax / scale", "saturated", "to zero", "sum of squared errors", "", "", "used by"];
    return h("table", { class: "block-rules" }, h("caption", { class: "offscreen" }, "Scale rules side by side"),
        h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, answer.rules.map((r) => row(answer, r, shown, largest, onShow))));
}

// What the ends of a scale format do, once per note.
export function notes(answer) {
    const seen = new Map();
    for (const r of answer.rules.filter((one) => one.note)) {
        seen.set(r.note, [...(seen.get(r.note) ?? []), r.rule]);
    }
    return [...seen].map(([note, rules]) => h("p", { class: "block-note" },
        rules.length === answer.rules.length ? note : `${rules.join(", ")}: ${note}`));
}
