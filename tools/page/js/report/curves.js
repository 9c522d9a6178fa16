// Loss, gap and counts over steps.

import { xyChart, numberText } from "../chart/chart.js";
import { h } from "../dom.js";

const has = (values) => Array.isArray(values) && values.some((v) => v !== null);
const plus = (a, b, sign) => a.map((v, i) => (v === null || b?.[i] === null || b?.[i] === undefined ? null : v + sign * b[i]));

// Why a line ends before its time: from some step on it has no values.
export function endOf(steps, values) {
    let i = values.length;
    while (i > 0 && values[i - 1] === null) {
        i--;
    }
    return i < values.length ? `NaN at step ${steps[i]}` : undefined;
}

function band(row, values, interval, shown) {
    return shown && has(interval) ? { low: plus(values, interval, -1), high: plus(values, interval, 1) } : {};
}

const look = (row) => ({ name: row.name, key: row.key, style: row.style });

function meanLosses(rows, everyBand) {
    return rows.filter((row) => row.mean).map((row) => ({
        ...look(row), x: row.mean.step, y: row.mean.loss, end: endOf(row.mean.step, row.mean.loss), ...band(row, row.mean.loss, row.mean.interval, everyBand || row.is_reference),
    }));
}

// Every run: a line of its own in the look of its recipe. The first has the name.
function eachRun(rows, curve) {
    return rows.flatMap((row) => (row.runs ?? []).map((run) => run.curves?.[curve]).filter((c) => c && has(c.value))
        .map((c, i) => ({ ...look(row), x: c.step, y: c.value, unnamed: i > 0, end: curve === "loss" ? endOf(c.step, c.value) : undefined })));
}

const STEP = { label: "step", whole: true, scales: ["linear", "log"], from: null };

// A chart and a choice of what it draws.
function withChoice(chart, label, options, set) {
    const select = h("select", { onchange: () => set(select.value) }, options.map(([value, text]) => h("option", { value }, text)));
    return { element: h("div", {}, h("label", { class: "report-choice" }, `${label} `, select), chart.element), show: chart.show, close: chart.close };
}

function spanOf(series) {
    const all = series.flatMap((one) => one.y).filter((v) => v > 0);
    let low = Infinity, high = 0;
    for (const v of all) {
        low = Math.min(low, v);
        high = Math.max(high, v);
    }
    return high / low;
}

const SMOOTHED = "Means over the seeds, smoothed; losses above chance level count as chance level. The shaded area is the 95 % interval. A cross marks where a loss became NaN.";
const NOTES = { mean: SMOOTHED, bands: SMOOTHED, runs: "A line per run. A cross marks where a loss became NaN." };

export function lossChart(report, rows) {
    const chance = report.setup?.chance_loss, floor = report.setup?.floor;
    const lines = { mean: () => meanLosses(rows, false), bands: () => meanLosses(rows, true), runs: () => eachRun(rows, "loss") };
    const first = lines.mean().length > 0 ? "mean" : "runs";
    const series = lines[first]();
    if (series.length === 0) {
        return null;
    }
    const number = (v) => typeof v === "number" && Number.isFinite(v);
    const chart = xyChart({
        title: "Loss over steps", legend: false, height: 340, series,
        x: STEP, y: { label: "training loss", intervals: false, scale: spanOf(series) > 30 ? "log" : "linear", scales: ["linear", "log"], to: number(chance) && first === "mean" ? null : number(chance) ? 2 * chance : null },
        rules: [...(number(chance) ? [{ axis: "y", at: chance, text: "chance level" }] : []), ...(number(floor) && floor > 0 ? [{ axis: "y", at: floor, text: "irreducible loss" }] : [])],
        summary: `Training loss over steps of ${rows.length} recipes. ${report.conclusion ?? ""}`,
        note: NOTES[first],
    });
    return withChoice(chart, "Lines", [["mean", "mean, with the reference's interval"], ["bands", "mean, with all intervals"], ["runs", "every run, not smoothed"]]
        .filter(([name]) => lines[name]().length > 0), (name) => chart.update({ series: lines[name](), note: NOTES[name] }));
}

export function gapChart(report, rows) {
    const series = rows.filter((row) => row.gap_curve && has(row.gap_curve.gap)).map((row) => ({
        ...look(row), x: row.gap_curve.step, y: row.gap_curve.gap, end: row.verdict === "failed" ? endOf(row.gap_curve.step, row.gap_curve.gap) : undefined, ...band(row, row.gap_curve.gap, row.gap_curve.interval, true),
    }));
    if (series.length === 0) {
        return null;
    }
    const tolerances = rows.map((row) => row.tolerance).filter((t) => typeof t === "number" && t > 0), tolerance = Math.max(...tolerances);
    return xyChart({
        title: "Gap over steps", legend: false, series, x: STEP,
        y: { label: `loss minus that of ${report.reference ?? "the reference"}`, scale: "linear", scales: ["linear", "symmetric"] },
        rules: [{ axis: "y", at: 0, include: true, text: report.reference ?? "" }],
        regions: tolerances.length > 0 ? [{ axis: "y", from: -tolerance, to: tolerance, text: "tolerance" }] : [],
        summary: `The gap of each recipe to ${report.reference ?? "the reference"} over steps, with its 95 % interval.`,
        note: "Smoothed; the shaded area of a line is its 95 % interval over the seed pairs. The symmetric scale shows small and large gaps.",
    });
}

const COUNTS = [
    ["underflowed_percent", "Gradients that underflowed to zero", "% of nonzero gradients", "linear", "% of gradients"],
    ["overflows", "Overflows per step", "values", "symmetric"],
    ["lost_updates_percent", "Lost updates", "% of updates", "linear"],
    ["loss_scale", "Loss scale", "factor", "log"],
    ["skipped", "Skipped steps", "steps so far", "linear"],
    ["gradient_norm", "Gradient norm", "norm", "log"],
    ["update_ratio", "Update ratio", "norm of updates / weights", "log", "norm ratio"],
    ["validation_fp32", "Validation loss, evaluated in fp32", "loss", "linear"],
    ["lr", "Learning rate", "rate", "linear"],
];

// Is there anything to see? All values of all runs being one value is a sentence, not a chart; of one step it is neither.
function oneValue(series) {
    const all = new Set(series.flatMap((one) => one.y));
    return all.size === 1 && !all.has(null) ? [...all][0] : null;
}

export function overTime(rows) {
    const charts = [], same = [];
    for (const [key, title, label, scale, short] of COUNTS) {
        const series = eachRun(rows, key);
        const one = oneValue(series);
        if (series.every((s) => s.x.length < 2)) {
            continue;
        }
        if (one !== null) {
            same.push(`${title}: ${numberText(one)} in all runs and steps.`);
        } else {
            charts.push(xyChart({ title, legend: false, compact: true, height: 240, series, labels: false, x: { label: "step", whole: true }, y: { label, short, scale, scales: ["linear", scale === "linear" ? "symmetric" : scale] }, summary: `${title} over steps, a line per run.` }));
        }
    }
    if (charts.length + same.length === 0) {
        return null;
    }
    return { element: h("div", {}, same.length > 0 ? h("ul", { class: "note" }, same.map((text) => h("li", {}, text))) : null, h("div", { class: "report-grid" }, charts.map((c) => c.element))),
        show: (key, shown) => charts.forEach((c) => c.show(key, shown)), close: () => charts.forEach((c) => c.close()) };
}
