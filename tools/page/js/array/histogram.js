// Exponents of the elements before and after rounding, with the range of the format.
import { xyChart } from "../chart/chart.js";
import { h } from "../dom.js";
import { grouped, plural } from "../sum/controls.js";

export class Histogram {
    constructor() {
        this.chart = xyChart({ title: "Exponents before and after", summary: () => this.counts.textContent, height: 280,
            x: { label: "exponent: floor(log2 |x|)", whole: true }, y: { label: "elements", scale: "log", scales: ["linear", "log"] }, series: [] });
        this.chart.element.hidden = true;
        this.counts = h("p", { class: "note counts" });
        this.element = h("div", {}, this.chart.element, this.counts);
    }

    clear() {
        this.counts.textContent = "";
        this.chart.update({ series: [], regions: [] });
        this.chart.element.hidden = true;
    }

    show(r) {
        const { lowest } = r, used = r.exponents.map((n, i) => n + r.exponents_out[i]);
        let first = used.findIndex((n) => n > 0), last = used.length - 1 - [...used].reverse().findIndex((n) => n > 0);
        if (first < 0) {
            [first, last] = [38, 42]; // only zeros, infinities or NaN
        }
        // The first bin is everything below `lowest`, the last everything above.
        const x = [], before = [], after = [];
        for (let i = first; i <= last; i++) {
            x.push(lowest - 1 + i);
            before.push(r.exponents[i]);
            after.push(r.exponents_out[i]);
        }
        const regions = r.shares_scale ? [] : [{ axis: "x", from: r.format_emin, to: r.format_emax + 1, text: `normal numbers of ${r.element}` },
            { axis: "x", from: r.format_least, to: r.format_emin, text: "subnormal", weak: true }]
            .map((one) => ({ ...one, from: Math.max(one.from, x[0]), to: Math.min(one.to, x[x.length - 1] + 1) })).filter((one) => one.to > one.from);
        this.chart.element.hidden = false;
        this.chart.update({ title: `Exponents before and after: ${r.name}`, regions,
            series: [{ kind: "bars", name: "before", x, y: before, width: 1 }, { kind: "bars", name: "after", x, y: after, width: 1, outline: true }] });
        const zeros = `zeros ${grouped(r.zeros_in)} before, ${grouped(r.zeros_out)} after`;
        const rest = [["infinities", r.infinity_in, r.infinity_out], ["NaN", r.nan_in, r.nan]].filter(([, a, b]) => a + b > 0)
            .map(([text, a, b]) => `${text} ${grouped(a)} before, ${grouped(b)} after`);
        const range = `largest ${r.max_abs_text}, smallest ${r.smallest_text} other than zero`;
        const worst = { "-": "no element has a finite result", 0: "0" }[r.worst_text] ?? `${r.worst_x} becomes ${r.worst_y}`;
        this.counts.textContent = `Of ${plural(r.elements, "element")}: ${[zeros, ...rest, range].join("; ")}. `
            + `Largest finite error: ${worst}.`
            + (r.shares_scale ? " A shared scale moves the range of the format for each of its blocks." : "");
    }

    close() {
        this.chart.close();
    }
}
