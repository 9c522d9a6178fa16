// The configuration, the commands that make the same again, the words of the table, and what is not drawn.

import { copyButton, h } from "../dom.js";

const text = (value) => (value === null || value === undefined || value === "" ? "-" : String(value));

function configuration(training) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Configuration" },
        h("table", { class: "report-table" }, h("caption", {}, "Configuration of the first run"), h("tbody", {}, Object.entries(training ?? {}).filter(([, value]) => value !== null && typeof value !== "object")
            .map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, text(value)))))));
}

function recipes(rows) {
    const runs = (row) => (row.runs ?? []).map((run) => run.source).filter(Boolean).join(", ");
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Recipes" },
        h("table", { class: "report-table" }, h("caption", {}, "Recipes and their runs"), h("thead", {}, h("tr", {}, ["recipe", "settings", "runs"].map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name), h("td", {}, text(row.settings)), h("td", {}, text(runs(row))))))));
}

export function setup(report, rows, page) {
    const commands = (report.commands ?? []).map(({ what, line }) => h("div", { class: "report-command" }, h("span", {}, what), h("code", { tabindex: "0" }, line),
        copyButton(`the command to ${what}`, () => line, (words) => page.announce(words))));
    const { training } = report.setup ?? {};
    return { element: h("div", {}, commands, h("details", {}, h("summary", {}, "Configuration, recipes and runs"), training ? configuration(training) : null, recipes(rows)),
        (report.notes ?? []).length > 0 ? h("details", {}, h("summary", {}, `Notes (${report.notes.length})`), report.notes.map((note) => h("p", {}, note))) : null,
        (report.legend ?? []).length > 0 ? h("details", {}, h("summary", {}, "Words of the table"), h("dl", {}, report.legend.map(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)]))) : null,
        h("p", { class: "note" }, [report.points?.text, report.binade ? `Made by binade ${report.binade}.` : ""].filter(Boolean).join(" "))) };
}
