// Sweeps: recipe by learning rate as a heat map, loss over the rate as lines, and the verdicts at the best rates.

import { heatChart, xyChart, numberText } from "../chart/chart.js";
import { h } from "../dom.js";

export function sweep(report) {
    const all = report.sweep;
    if (!all || !Array.isArray(all.recipes) || all.recipes.length === 0) {
        return null;
    }
    const rates = [...new Set(all.recipes.flatMap((row) => row.points.map((p) => p.lr)))].sort((a, b) => a - b);
    const at = (row, lr) => row.points.findIndex((p) => p.lr === lr);
    const cell = (row, lr, take) => (at(row, lr) < 0 ? null : take(row.points[at(row, lr)], row.losses?.[at(row, lr)]));
    const fails = (p) => (p.failed > 0 ? `${p.failed} of ${p.runs} failed` : null);
    const heat = heatChart({
        title: "Loss by recipe and learning rate", rowLabel: "recipe", columnLabel: "learning rate", valueLabel: "loss",
        rows: all.recipes.map((row) => row.recipe), columns: rates.map((lr) => numberText(lr, 4)),
        values: all.recipes.map((row) => rates.map((lr) => cell(row, lr, (p) => (p.failed >= p.runs ? null : p.loss ?? p.capped_loss)))),
        texts: all.recipes.map((row) => rates.map((lr) => cell(row, lr, (p, text) => (p.failed >= p.runs ? "✗ failed" : (text ?? numberText(p.loss, 4)))) ?? "-")),
        marks: all.recipes.map((row) => rates.map((lr) => (lr === row.best_lr ? "best" : cell(row, lr, fails)))),
        scale: "log", summary: all.conclusion ?? "", note: "Framed and with *: the best rate of the recipe. ✗: failed runs. Darker is a larger loss.",
    });
    const lines = xyChart({
        title: "Loss over the learning rate", x: { label: "learning rate", scale: "log", scales: ["log", "linear"] }, y: { label: "loss; failed runs count as chance level", intervals: false, scale: "linear", scales: ["linear", "log"] },
        series: all.recipes.map((row, i) => ({
            name: row.recipe, key: `s${i}`, style: i, x: row.points.map((p) => p.lr), y: row.points.map((p) => p.capped_loss),
            low: row.points.map((p) => (p.failed === 0 && p.interval !== null ? p.capped_loss - p.interval : null)), high: row.points.map((p) => (p.failed === 0 && p.interval !== null ? p.capped_loss + p.interval : null)),
        })), summary: all.conclusion ?? "",
    });
    const table = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Best rates" }, h("table", { class: "report-table" }, h("caption", {}, "At the best learning rates"),
        h("thead", {}, h("tr", {}, (all.headings ?? []).map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, all.recipes.map((row) => h("tr", {}, (row.cells ?? []).map((text, i) => (i === 0 ? h("th", { scope: "row" }, text) : h("td", {}, text))))))));
    return { element: h("div", {}, h("p", {}, all.conclusion ?? ""), heat.element, table, lines.element), show() { }, close() { heat.close(); lines.close(); } };
}
