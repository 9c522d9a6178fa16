// What `binade scan --json` measured, as a page: the model in each format, the tensors, the worst first, and the exponents
// of the chosen one.
import { numberText, xyChart } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, plural, scrolled, tableOf } from "../sum/controls.js";
import { sized } from "./lint.js";
import { answerOf, folded, LongTable } from "./table.js";

const LOWEST = -41; // floor(log2) of the first bin: all below -40
const VERDICTS = { exact: ["=", "exact", "good"], floor: ["✓", "at the format's floor", "good"], lossy: ["▼", "lossy", ""], breaks: ["✗", "breaks", "bad"] };

// JSON has no infinity: an exact tensor and a broken one have no number.
const decibels = (loss) => loss.sqnr === null ? "" : `${loss.sqnr.toFixed(1)} dB`;

function verdict(loss, text) {
    const [sign, words, kind] = VERDICTS[loss.verdict] ?? ["", loss.verdict, ""];
    const facts = [words, `${grouped(loss.to_zero)} became zero`, `${grouped(loss.overflows)} overflowed`, loss.broken > 0 && `${grouped(loss.broken)} broke`];
    return h("td", { class: `number ${kind}`.trim(), title: facts.filter(Boolean).join(", ") },
        h("span", { class: "report-sign", "aria-hidden": "true" }, sign), text || words);
}

function totals(scan) {
    const { model } = scan;
    const head = ["Format", "Verdict", "SQNR", "Size", "of now", ...Object.values(VERDICTS).map(([, words]) => words), "Became zero", "Overflowed", "Worst tensor"];
    const rows = scan.candidates.map((c) => h("tr", { class: c.name === model.smallest ? "report-use" : null },
        h("th", { scope: "row" }, c.name), verdict(c, VERDICTS[c.verdict]?.[1]), number(decibels(c)), number(sized(c.bytes)),
        number(`${numberText(100 * c.bytes / Math.max(1, model.bytes), 3)} %`),
        Object.keys(VERDICTS).map((key) => number(grouped(c.tensors[key]))), number(grouped(c.to_zero)), number(grouped(c.overflows)),
        h("td", { title: c.worst }, cut(c.worst, 40))));
    return scrolled("The model in each format", tableOf("The model in each format", head, rows, { class: "report-table" }));
}

export class ScanView {
    constructor(scan) {
        this.scan = scan;
        this.tensors = scan.tensors.filter((t) => !t.stays);
        this.staying = scan.tensors.filter((t) => t.stays);
        const { model } = scan;
        this.chart = xyChart({ title: "Exponents", summary: () => this.facts.textContent, height: 260,
            x: { label: "exponent: floor(log2 |x|)", whole: true }, y: { label: "elements", scale: "log", scales: ["linear", "log"] }, series: [] });
        this.facts = h("p", { class: "note" });
        this.chosen = h("div", {}, this.chart.element, this.facts);
        this.table = new LongTable({ label: "Tensors", id: "checkpoint-filter", rows: this.tensors, name: (t) => t.name, choose: (t) => this.choose(t),
            columns: [{ head: "Tensor", sort: (t) => t.name }, { head: "Stored as", sort: (t) => t.stored, cell: (t) => h("td", {}, t.stored) },
                { head: "Shape", sort: (t) => t.elements, down: true, cell: (t) => number(t.shape.length === 0 ? "one number" : t.shape.join(" × ")) },
                { head: "Largest |x|", sort: (t) => t.input.largest, down: true, cell: (t) => number(numberText(t.input.largest, 4)) },
                ...scan.candidates.map((c, i) => ({ head: c.name, sort: (t) => t.candidates[i].sqnr, cell: (t) => verdict(t.candidates[i], decibels(t.candidates[i])) }))] });
        this.element = h("section", { class: "scan" }, h("h2", {}, "Scan"), answerOf(scan.answer[0], scan.answer.slice(1)),
            h("p", { class: "note" }, `${plural(model.tensors, "tensor")} with ${plural(model.elements, "element")} and ${sized(model.bytes)}. `
                + `Not scanned: ${plural(model.staying, "tensor")} (${sized(model.staying_bytes)}). ${scan.limits}`),
            totals(scan), h("h3", {}, "Tensors, the worst first"), this.table.element, this.chosen,
            folded("that stay", this.staying.map((t) => `${cut(t.name, 120)}: ${t.why}`)));
        this.chart.element.hidden = this.tensors.length === 0;
        if (this.tensors.length > 0) {
            this.table.look(this.tensors[0]);
        }
    }

    choose(t) {
        const { exponents } = t.input;
        const first = Math.max(0, exponents.findIndex((n) => n > 0)), last = Math.max(first, exponents.findLastIndex((n) => n > 0));
        const y = exponents.slice(first, last + 1), x = y.map((_, i) => LOWEST + first + i);
        this.chart.update({ title: `Exponents of ${cut(t.name, 60)}`, series: [{ kind: "bars", name: "elements", x, y, width: 1 }] });
        const rare = [["zeros", t.input.zeros], ["subnormal", t.input.subnormals], ["NaN", t.input.nans], ["infinite", t.input.infinities]]
            .filter(([, n]) => n > 0).map(([words, n]) => `${words} ${grouped(n)}`);
        this.facts.textContent = `${t.name}: ${plural(t.elements, "element")} from ${numberText(t.input.smallest, 4)} to ${numberText(t.input.largest, 4)} in magnitude`
            + `${rare.length > 0 ? `; ${rare.join(", ")}` : ""}. Smallest format that meets what was asked: ${t.smallest ?? "none"}.`;
    }

    close() {
        this.chart.close();
    }
}
