// The elements: under one rule with bits and errors, and the dequantized values under all rules side by side.
import { h } from "../dom.js";
import { bitsOf } from "./bits.js";

const marks = { saturated: "▲ saturated", zero: "▼ to zero", exact: "exact", rounded: "", nan: "NaN" };

export function elementsTable(answer, r) {
    const rows = r.elements.map((e, i) => h("tr", { class: `block-${e.outcome}` },
        h("td", { class: "number block-faint" }, String(i + 1)),
        h("th", { scope: "row", class: "number" }, answer.numbers[i].input),
        h("td", {}, h("code", {}, e.code)),
        h("td", {}, bitsOf(e.bits, answer.element, { ruler: i === 0 })),
        h("td", { class: "number" }, e.element),
        h("td", { class: "number", title: e.value }, e.shortest),
        h("td", { class: "number", title: e.error }, e.rough_error ?? "–"),
        h("td", {}, marks[e.outcome])));
    const of = answer.element, scale = r.tensor_scale ? "scale × tensor scale" : "scale";
    return h("table", { class: "block-elements" },
        h("caption", {}, `Elements under ${r.rule}: value = element × ${scale}. The error is relative to the number in fp32.`),
        h("thead", {}, h("tr", {}, ["#", "number", `${of} code`, "bits", "element", "value", "error", ""].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, rows),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 6 }, "sum of squared errors; largest error"),
            h("td", { class: "number", title: r.squared_error }, r.rough_squared_error ?? "–"),
            h("td", { class: "number", title: r.largest_error }, r.rough_largest_error ?? "–"))));
}

const symbols = { saturated: "▲", zero: "▼" };

export function sideBySide(answer) {
    return h("table", { class: "block-side" },
        h("caption", {}, "Values under each rule, and their errors. ▲ saturated, ▼ underflowed to zero."),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "number"), answer.rules.map((r) => h("th", { scope: "col" }, r.rule, r.best ? " ✓" : "")))),
        h("tbody", {}, answer.numbers.map((n, i) => h("tr", {}, h("th", { scope: "row", class: "number" }, n.input),
            answer.rules.map(({ elements: { [i]: e } }) => h("td", { class: `number block-${e.outcome}`, title: e.value },
                symbols[e.outcome] ? `${symbols[e.outcome]} ` : "", e.shortest, h("small", {}, e.rough_error ?? "")))))),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "sum of squares"),
            answer.rules.map((r) => h("td", { class: "number" }, h("strong", {}, r.rough_squared_error ?? "–"))))));
}
