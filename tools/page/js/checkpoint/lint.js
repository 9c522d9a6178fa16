// What `binade lint --json` found, as a page: the answer, the findings by their code, the layouts and who loads them.
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, plural, scrolled, tableOf } from "../sum/controls.js";

const SIGNS = { damage: "✗", suspect: "?", note: "i" };
const LOADS = { yes: ["✓", "good"], partly: ["◐", ""], no: ["✗", "bad"], unknown: ["?", ""] };
const FIRST = 3; // findings of one code that are shown at once
const list = (value) => (Array.isArray(value) ? value : []);

const sized = (bytes) => {
    const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let n = Number(bytes), at = 0;
    while (n >= 1024 && at < units.length - 1) {
        n /= 1024;
        at++;
    }
    return `${at === 0 ? n : n.toFixed(n < 10 ? 2 : 1)} ${units[at]}`;
};

function findings(all) {
    const codes = [...new Set(all.map((f) => f.code))];
    return codes.map((code) => {
        const same = all.filter((f) => f.code === code), [first] = same;
        const item = (f) => h("li", {}, h("code", {}, cut(f.where, 120)), " ", f.message);
        return h("section", { class: `finding ${first.severity}` },
            h("h3", {}, h("span", { class: "report-sign", "aria-hidden": "true" }, SIGNS[first.severity] ?? ""),
                `${first.title} `, h("span", { class: "note" }, `${first.severity}; ${code}${same.length > 1 ? `, ${grouped(same.length)} times` : ""}`)),
            h("ul", {}, same.slice(0, FIRST).map(item)),
            same.length > FIRST ? h("details", {}, h("summary", {}, `${grouped(same.length - FIRST)} more`), h("ul", {}, same.slice(FIRST, 1000).map(item))) : null,
            first.source ? h("p", { class: "note" }, `Known from: ${first.source}`) : null);
    });
}

function layouts(all) {
    const loaders = list(all[0]?.loaders).map((cell) => cell.loader);
    const notes = [];
    const cell = (layout, { loader, loads, note }) => {
        const [sign, kind] = LOADS[loads] ?? LOADS.unknown;
        if (note) {
            notes.push(h("li", {}, `${loader}, ${layout.layout}: ${note}`));
        }
        return h("td", { class: kind || null }, h("span", { class: "report-sign", "aria-hidden": "true" }, sign), loads);
    };
    const rows = all.map((one) => h("tr", {}, h("th", { scope: "row", title: one.title }, one.layout), number(grouped(one.weights)),
        number(grouped(one.elements)), number(sized(one.bytes)), list(one.loaders).map((c) => cell(one, c))));
    return [scrolled("Layouts, and who loads them", tableOf("Layouts, and who loads them", ["Layout", "Weights", "Elements", "Size", ...loaders], rows, { class: "report-table" })),
        notes.length > 0 ? h("details", {}, h("summary", {}, "Conditions"), h("ul", {}, notes)) : null];
}

export function lintView(lint) {
    const found = list(lint.findings);
    return h("section", { class: "lint" }, h("h2", {}, "Lint"),
        h("p", { class: "report-conclusion" }, h("strong", {}, lint.answer)),
        h("p", { class: "note" }, `${plural(lint.files, "file")}, ${plural(lint.tensors, "tensor")}, ${sized(lint.bytes)}. `
            + `Read: ${sized(lint.scale_bytes_read)} of ${sized(lint.scale_bytes)} of scales, and ${sized(lint.code_bytes_read)} of codes.`),
        findings(found), h("h3", {}, "Layouts, and who loads them"), layouts(list(lint.layouts)));
}

export { sized };
