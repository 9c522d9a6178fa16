// The plan of `binade quantize --json` as a page: the kinds of weights, each tensor, and the files that were written.
import { numberText } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, scrolled, tableOf } from "../sum/controls.js";
import { sized } from "./lint.js";
import { answerOf, folded, LongTable } from "./table.js";

const bits = (one) => [one.bits_per_parameter_in, one.bits_per_parameter_out].map((n) => number(numberText(n, 4)));
const sizes = (one) => [number(sized(one.bytes_in)), number(sized(one.bytes_out))];
const text = (words, title = null) => h("td", { title }, words);

function kinds(plan) {
    const row = (name, one, weights, elements, of = null) => h("tr", { class: of }, h("th", { scope: "row" }, name), text(one.from ?? ""), text(one.to ?? ""),
        text(one.because ?? ""), number(grouped(weights)), number(grouped(elements)), sizes(one), bits(one));
    const rows = plan.plan.map((one) => row(one.conversion, one, one.weights, one.elements, one.conversion === "quantized" ? "report-use" : null));
    return scrolled("The plan", tableOf("The plan", ["What", "From", "To", "Why", "Weights", "Elements", "Bytes in", "Bytes out", "Bits in", "Bits out"],
        [rows, row("all", plan, plan.tensors.length, plan.parameters)], { class: "report-table" }));
}

function files(plan) {
    const rows = plan.files.map((one) => h("tr", {}, h("th", { scope: "row" }, cut(one.file, 80)), number(grouped(one.tensors)), number(sized(one.bytes))));
    return plan.out === null ? null : [h("h3", {}, "Files that were written"), scrolled("Files that were written", tableOf("Files that were written", ["File", "Tensors", "Size"], rows, { class: "report-table" })),
        folded("other files", plan.other_files.map((name) => cut(name, 120)))];
}

export function quantizeView(plan) {
    const table = new LongTable({ label: "Tensors of the plan", id: "plan-filter", rows: plan.tensors, name: (t) => t.tensor, columns: [
        { head: "Tensor", sort: (t) => t.tensor }, { head: "Shape", sort: (t) => t.elements, down: true, cell: (t) => number(t.shape) },
        { head: "From", sort: (t) => t.from, cell: (t) => text(t.from) }, { head: "To", sort: (t) => t.to, cell: (t) => text(t.to) },
        { head: "What, and why", sort: (t) => `${t.conversion} ${t.because}`, cell: (t) => text(`${t.conversion}: ${t.because}`) },
        { head: "Bytes in", sort: (t) => t.bytes_in, down: true, cell: (t) => number(sized(t.bytes_in)) },
        { head: "Bytes out", sort: (t) => t.bytes_out, down: true, cell: (t) => number(sized(t.bytes_out)) },
        { head: "Bits", sort: (t) => t.bits_per_parameter_out, cell: (t) => number(numberText(t.bits_per_parameter_out, 4)) },
        { head: "Shares a tensor scale", sort: (t) => t.group, cell: (t) => number(t.group === null ? "" : `group ${t.group}`) }] });
    const conclusion = `${sized(plan.bytes_in)} of tensors ${plan.out === null ? "would become" : "became"} ${sized(plan.bytes_out)}: `
        + `${numberText(plan.bits_per_parameter_out, 4)} bits per parameter instead of ${numberText(plan.bits_per_parameter_in, 4)}`;
    return h("section", { class: "quantize" }, h("h2", {}, plan.out === null ? "Plan of binade quantize" : "Quantized"), answerOf(conclusion, plan.answer),
        kinds(plan), files(plan), h("h3", {}, "Tensors"), table.element);
}
