// Histograms of exponents, one per role, with the range of the role's format shaded; a slider goes through the steps.

import { xyChart, numberText, powerText } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";

const BINS = [-41, 23]; /* floor(log2) of the first bin, and of the end */
const MAIN = ["param", "act", "dact", "grad", "m", "v", "master", "extra"];

function regionsOf(report, role) {
    const range = report.formats?.[role.format];
    if (!range || role.scaling) {
        return [];
    }
    return [{ axis: "x", from: range.smallest_normal, to: range.largest + 1, text: `${role.format} normal` },
        ...(range.smallest < range.smallest_normal ? [{ axis: "x", from: range.smallest, to: range.smallest_normal, text: "subnormal", weak: true }] : [])];
}

const shares = (role) => {
    const sum = role.counts.reduce((a, b) => a + b, 0) || 1;
    return role.counts.map((n) => (100 * n) / sum);
};

const bars = (role, row, outline) => ({ name: row.name, key: row.key + (outline ? "o" : ""), style: row.style, kind: "bars", outline, width: 1, x: role.counts.map((_, i) => role.from + i), y: shares(role) });

// What of a role lies outside its format: a sentence below its chart.
function noteOf(report, role) {
    const range = report.formats?.[role.format];
    if (role.scaling) {
        return `${role.format}, scaled (${role.scaling}): the range is that of the quotients`;
    }
    if (!range) {
        return role.format ?? "";
    }
    const share = (test) => role.counts.reduce((sum, n, i) => sum + (test(role.from + i) ? n : 0), 0) / (role.counts.reduce((a, b) => a + b, 0) || 1);
    const [below, weak, above] = [share((e) => e < range.smallest), share((e) => e >= range.smallest && e < range.smallest_normal), share((e) => e > range.largest)];
    const text = (part, words) => (part > 0 ? [`${numberText(100 * part, 2)} % ${words}`] : []);
    const all = [...text(below, "below the smallest subnormal"), ...text(weak, "subnormal"), ...text(above, "above the largest")];
    return all.length > 0 ? all.join(", ") : "all within the normal range";
}

class Exponents {
    constructor(report, rows) {
        this.report = report;
        this.rows = rows.filter((row) => row.histograms?.length > 0);
        this.reference = rows.find((row) => row.is_reference);
        this.row = this.rows.find((row) => row.verdict === "failed") ?? this.rows.find((row) => !row.is_reference) ?? this.rows[0];
        this.index = 0;
        this.all = false;
        this.charts = new Map();
        this.grid = h("div", { class: "report-grid" });
        this.step = h("output", {});
        this.slider = h("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Step of the histograms", oninput: () => { this.index = Number(this.slider.value); this.draw(); } });
        this.choice = h("select", { onchange: () => { this.row = this.rows[Number(this.choice.value)]; this.index = 0; this.draw(); } },
            this.rows.map((row, i) => h("option", { value: String(i), selected: row === this.row }, cut(row.name, 40))));
        const every = h("input", { type: "checkbox", onchange: () => { this.all = every.checked; this.draw(); } });
        this.element = h("div", {}, h("p", { class: "note" },
            "How many numbers had which exponent, floor(log2 |x|), before they were cast; outlined: the reference. The range of the format is shaded. Numbers left of it become zero, numbers right of it overflow."),
        h("div", { class: "report-controls" }, h("label", {}, "Recipe ", this.choice), h("label", { class: "report-slider" }, "Step ", this.slider, this.step), h("label", {}, every, " all roles")), this.grid);
        this.draw();
    }

    draw() {
        const { row } = this, steps = row.histograms;
        this.index = Math.min(this.index, steps.length - 1);
        this.slider.max = String(steps.length - 1);
        this.slider.value = String(this.index);
        this.slider.disabled = steps.length < 2;
        const at = steps[this.index];
        this.step.textContent = String(at.step);
        const other = this.reference !== row ? this.nearest(at.step) : null;
        const order = (role) => (MAIN.indexOf(role.role) + 1 || 99);
        const roles = at.roles.filter((role) => this.all || MAIN.includes(role.role)).sort((a, b) => order(a) - order(b));
        const shown = roles.length > 0 ? roles : at.roles;
        const keep = new Set();
        for (const role of shown) {
            keep.add(role.role);
            const matching = other?.roles.find((one) => one.role === role.role);
            const changes = { series: [bars(role, row, false), ...(matching ? [bars(matching, this.reference, true)] : [])], regions: regionsOf(this.report, role), note: noteOf(this.report, role) };
            if (!this.charts.has(role.role)) {
                this.charts.set(role.role, xyChart({ title: `${role.role}, exponents`, legend: false, compact: true, height: 210, ...changes,
                    x: { label: "exponent", from: BINS[0], to: BINS[1], whole: true, tick: (e) => powerText("2", e), format: (e) => powerText("2", e) },
                    y: { label: "% of values", scale: "linear", scales: ["linear", "symmetric"], from: 0, threshold: 0.01 },
                    summary: () => `${role.role}: ${noteOf(this.report, role)}` }));
            } else {
                this.charts.get(role.role).update(changes);
            }
        }
        for (const [name, chart] of this.charts) {
            if (!keep.has(name)) {
                chart.close();
                this.charts.delete(name);
            }
        }
        const wanted = shown.map((role) => this.charts.get(role.role).element);
        if (wanted.length !== this.grid.children.length || wanted.some((one, i) => this.grid.children[i] !== one)) {
            this.grid.replaceChildren(...wanted);
        }
    }

    nearest(step) {
        const all = this.reference?.histograms ?? [];
        return all.reduce((best, one) => (best === null || Math.abs(one.step - step) < Math.abs(best.step - step) ? one : best), null);
    }

    show() { /* one recipe at a time, of its own choice */ }

    close() {
        this.charts.forEach((chart) => chart.close());
    }
}

export function exponents(report, rows) {
    return rows.some((row) => row.histograms?.length > 0) ? new Exponents(report, rows) : null;
}
