// The first screen of a report: which recipe to use, why others failed, and the verdict of each.

import { h } from "../dom.js";
import { cut } from "../chart/text.js";
import { swatch } from "./view.js";

// A recipe's failure in a sentence or two: the autopsy knows most.
function why(row) {
    const found = row.autopsy?.words;
    return found ? `${row.name}: ${found}` : row.failure;
}

const FIRST = 3; /* failures above the table */

export function answer(report, rows) {
    const failures = rows.map((row) => ({ row, text: why(row) })).filter(({ text }) => text);
    const conclusion = String(report.conclusion ?? ""), end = conclusion.indexOf(". ") + 1;
    const [first, rest] = end > 0 ? [conclusion.slice(0, end), conclusion.slice(end)] : [conclusion, ""];
    const bySentence = report.kind === "sweep" && rest !== "" ? [h("strong", {}, rest.trim()), first] : [h("strong", {}, first), rest]; /* a sweep's first sentence says what is compared */
    const item = ({ text }) => h("li", {}, cut(text, 700));
    return h("div", { class: "report-answer" },
        h("p", { class: "report-conclusion" }, bySentence),
        report.setup?.text ? h("p", { class: "note" }, [report.setup.text, report.setup.levels].filter(Boolean).join("; ")) : null,
        failures.length > 0 ? [h("h2", {}, failures.length === 1 ? "Why it failed" : "Why they failed"),
            h("ul", {}, failures.slice(0, FIRST).map(item)),
            failures.length > FIRST ? h("details", {}, h("summary", {}, `${failures.length - FIRST} more`), h("ul", {}, failures.slice(FIRST).map(item))) : null] : null);
}

// Signs that tell verdicts apart without colour.
const SIGNS = { reference: "=", failed: "✗", worse: "▼", better: "▲", "no difference": "✓", inconclusive: "?" };

function verdictClass(row) {
    return row.verdict === "failed" || row.verdict === "worse" ? "bad" : row.verdict === "no difference" || row.verdict === "better" ? "good" : "";
}

function tableOf(report, rows, columns, caption) {
    const { table } = report;
    const head = columns.map((c) => h("th", { scope: "col", class: table.columns[c].number ? "number" : null }, table.columns[c].heading));
    const body = table.rows.map((texts, i) => h("tr", { class: report.use !== null && rows[i]?.name === report.use ? "report-use" : null }, columns.map((c) => {
        const { key, number } = table.columns[c], text = texts[c] ?? "";
        if (key === "recipe") {
            return h("th", { scope: "row", title: text }, rows[i] ? swatch(rows[i]) : null, " ", cut(text, 40));
        }
        const verdict = key === "verdict" && rows[i];
        return h("td", { class: [number ? "number" : "", verdict ? verdictClass(rows[i]) : ""].join(" ").trim() || null, title: text.length > 60 ? text : null },
            verdict && SIGNS[rows[i].verdict] ? h("span", { class: "report-sign", "aria-hidden": "true" }, SIGNS[rows[i].verdict]) : null, cut(text, 60));
    })));
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h("table", { class: "report-table" }, h("caption", { class: "offscreen" }, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

// The main columns; the others, by group, below in a part that opens.
export function verdictTable(report, rows) {
    const columns = report.table?.columns ?? [];
    const groups = [...new Set(columns.map((c) => c.group ?? ""))];
    const of = (group) => columns.map((c, i) => ((c.group ?? "") === group ? i : -1)).filter((i) => i >= 0);
    const [main, ...others] = groups;
    const name = columns.findIndex((c) => c.key === "recipe");
    if (columns.length === 0) {
        return h("p", { class: "note" }, "The report has no table.");
    }
    return h("div", {}, tableOf(report, rows, of(main), "Verdicts"),
        others.length > 0 ? h("details", {}, h("summary", {}, "More columns: " + others.filter(Boolean).join(", ")),
            others.map((group) => [h("h2", {}, group), tableOf(report, rows, [name, ...of(group).filter((c) => c !== name)], group)])) : null);
}
