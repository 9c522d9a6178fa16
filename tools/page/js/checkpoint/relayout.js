// What `binade relayout --json` changed, as a page: tensors, reciprocals, and what the metadata keep for the way back.
import { numberText } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, scrolled, tableOf } from "../sum/controls.js";
import { sized } from "./lint.js";
import { answerOf, folded, LongTable } from "./table.js";

const MEANINGS = { renamed: "have another name", reshaped: "have another shape", cast: "have another dtype, with the same numbers", retyped: "have another dtype, with the same bytes",
    reordered: "have their numbers in another order", inverted: "are stored as reciprocals", unchanged: "are the same" };

const shape = (sizes) => sizes.length === 0 ? "one number" : sizes.join(" × ");
const both = (a, b) => a === b ? a : `${a} → ${b}`;

export function relayoutView(relayout) {
    const { changes } = relayout;
    const counts = Object.entries(MEANINGS).map(([key, words]) => h("tr", {}, h("th", { scope: "row" }, key), number(grouped(changes[key])), h("td", {}, words)));
    const what = (t) => t.changes.join(", ");
    const table = new LongTable({ label: "Tensors of quantized weights", id: "relayout-filter", rows: relayout.tensors, name: (t) => t.from, columns: [
        { head: "Tensor", sort: (t) => t.from }, { head: "What it is", sort: (t) => t.part, cell: (t) => h("td", {}, t.part) },
        { head: "Name now", sort: (t) => t.to, cell: (t) => h("td", { title: t.to }, t.from === t.to ? "the same" : cut(t.to, 60)) },
        { head: "Shape", sort: (t) => shape(t.shape_to), cell: (t) => h("td", {}, both(shape(t.shape_from), shape(t.shape_to))) },
        { head: "Dtype", sort: (t) => t.dtype_to, cell: (t) => h("td", {}, both(t.dtype_from, t.dtype_to)) },
        { head: "Changes", sort: what, cell: (t) => h("td", {}, what(t)) }] });
    const reciprocals = relayout.reciprocals.length === 0 ? null : new LongTable({ label: "Reciprocals", id: "reciprocal-filter",
        rows: [...relayout.reciprocals].sort((a, b) => b.ulps - a.ulps), name: (r) => r.tensor, columns: [
            { head: "Tensor", sort: (r) => r.tensor }, { head: "What it is", sort: (r) => r.part, cell: (r) => h("td", {}, r.part) },
            { head: "x", sort: (r) => r.from, cell: (r) => number(numberText(r.from, 9)) }, { head: "Written: 1 / x", sort: (r) => r.to, cell: (r) => number(numberText(r.to, 9)) },
            { head: "1 / (1 / x)", sort: (r) => r.back, cell: (r) => number(numberText(r.back, 9)) },
            { head: "Moved by", sort: (r) => r.ulps, down: true, cell: (r) => h("td", { class: r.ulps > 0 ? "number bad" : "number" }, `${grouped(r.ulps)} ulp${r.ulps === 1 ? "" : "s"}`) }] });
    return h("section", { class: "relayout" }, h("h2", {}, "Another layout"), answerOf(relayout.answer[0], relayout.answer.slice(1)),
        scrolled("Changes", tableOf("Changes", ["Change", "Tensors", "What it means"], counts, { class: "report-table" })),
        reciprocals && [h("h3", {}, "Reciprocals"), h("p", { class: "note" }, "A scale that is stored as its reciprocal. The reciprocal of a reciprocal may be another number of fp32."), reciprocals.element],
        h("h3", {}, "Tensors"), table.element,
        folded("entries in the metadata for the way back", relayout.kept.map((one) => `${cut(one.key, 120)}: ${sized(one.bytes)}`)));
}
