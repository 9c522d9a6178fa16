// What `binade scan --json` measured, as a page: the model in each format, the tensors, the worst first, and the exponents
// of the chosen one.
import { numberText, xyChart } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, scrolled, tableOf } from "../sum/controls.js";
import { sized } from "./lint.js";

const SHOWN = 200; // rows of tensors at a time; the filter reaches the others
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
    return scrolled("The model in each format", tableOf(head, rows, { class: "report-table" }));
}

export class ScanView {
    constructor(scan) {
        this.scan = scan;
        this.tensors = scan.tensors.filter((t) => !t.stays);
        this.staying = scan.tensors.filter((t) => t.stays);
        const { model } = scan;
        this.filter = h("input", { type: "search", id: "checkpoint-filter", size: 24, oninput: () => this.list() });
        this.rows = h("tbody", {});
        this.more = h("p", { class: "note" });
        this.chart = xyChart({ title: "Exponents", summary: () => this.facts.textContent, height: 260,
            x: { label: "exponent: floor(log2 |x|)", whole: true }, y: { label: "elements", scale: "log", scales: ["linear", "log"] }, series: [] });
        this.facts = h("p", { class: "note" });
        this.chosen = h("div", {}, this.chart.element, this.facts);
        const head = ["Tensor", "Stored as", "Shape", "Largest |x|", ...scan.candidates.map((c) => c.name)];
        const table = h("table", { class: "report-table" }, h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))), this.rows);
        this.element = h("section", { class: "scan" }, h("h2", {}, "Scan"),
            h("p", { class: "report-conclusion" }, h("strong", {}, scan.answer[0])),
            h("ul", {}, scan.answer.slice(1).map((line) => h("li", {}, line))),
            h("p", { class: "note" }, `${grouped(model.tensors)} tensors with ${grouped(model.elements)} elements and ${sized(model.bytes)}; `
                + `${grouped(model.staying)} others (${sized(model.staying_bytes)}) stay as they are. ${scan.limits}`),
            totals(scan), h("h3", {}, "Tensors, the worst first"),
            h("div", { class: "fields no-print" }, h("label", { class: "field" }, h("span", {}, "Name contains"), this.filter)),
            scrolled("Tensors", table), this.more, this.chosen,
            this.staying.length > 0 ? h("details", {}, h("summary", {}, `${grouped(this.staying.length)} that stay`),
                h("ul", {}, this.staying.slice(0, 1000).map((t) => h("li", {}, cut(t.name, 120), `: ${t.why}`)))) : null);
        this.list();
        this.choose(this.tensors[0]);
    }

    list() {
        const wanted = this.filter.value.toLowerCase();
        const matching = this.tensors.filter((t) => t.name.toLowerCase().includes(wanted));
        this.rows.replaceChildren(...matching.slice(0, SHOWN).map((t) => this.row(t)));
        this.more.textContent = matching.length > SHOWN ? `${grouped(matching.length - SHOWN)} more match; type a part of a name to see them.` : "";
    }

    row(t) {
        const name = h("button", { type: "button", class: "plain", "aria-pressed": String(t === this.looked), title: t.name, onclick: () => this.choose(t) }, cut(t.name, 60));
        return h("tr", { class: t === this.looked ? "looked" : null }, h("th", { scope: "row" }, name), h("td", {}, t.stored),
            number(t.shape.length === 0 ? "one number" : t.shape.join(" × ")), number(numberText(t.input.largest, 4)),
            t.candidates.map((loss) => verdict(loss, decibels(loss))));
    }

    choose(t) {
        this.looked = t;
        this.chart.element.hidden = t === undefined;
        if (t === undefined) {
            return;
        }
        this.list();
        const { exponents } = t.input;
        const first = Math.max(0, exponents.findIndex((n) => n > 0)), last = Math.max(first, exponents.findLastIndex((n) => n > 0));
        const y = exponents.slice(first, last + 1), x = y.map((_, i) => LOWEST + first + i);
        this.chart.update({ title: `Exponents of ${cut(t.name, 60)}`, series: [{ kind: "bars", name: "elements", x, y, width: 1 }] });
        const rare = [["zeros", t.input.zeros], ["subnormal", t.input.subnormals], ["NaN", t.input.nans], ["infinite", t.input.infinities]]
            .filter(([, n]) => n > 0).map(([words, n]) => `${words} ${grouped(n)}`);
        this.facts.textContent = `${t.name}: ${grouped(t.elements)} elements from ${numberText(t.input.smallest, 4)} to ${numberText(t.input.largest, 4)} in magnitude`
            + `${rare.length > 0 ? `; ${rare.join(", ")}` : ""}. Smallest format that meets what was asked: ${t.smallest ?? "none"}.`;
    }

    close() {
        this.chart.close();
    }
}
