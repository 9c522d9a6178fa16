// Autopsies: which parts of a recipe cost how much, as a sentence, bars and a table.

import { numberText } from "../chart/chart.js";
import { h } from "../dom.js";

const percent = (share) => (typeof share === "number" ? `${numberText(100 * share, 3)} %` : "-");
const within = (share, interval) => (typeof share === "number" ? percent(share) + (typeof interval === "number" && interval > 0 ? ` ± ${numberText(100 * interval, 2)}` : "") : "-");

function table(caption, head, rows) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h("table", { class: "report-table" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
            h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))))))));
}

const bar = (share) => {
    const meter = h("meter", { min: 0, max: 1, "aria-hidden": "true" });
    meter.value = Math.min(1, Math.max(0, share || 0));
    return meter;
};

function one(row) {
    const { autopsy } = row;
    const parts = autopsy.parts ?? [], findings = autopsy.findings ?? [];
    return h("div", { class: "report-autopsy" }, h("h3", {}, row.name), h("p", {}, autopsy.words ?? ""),
        parts.length > 0 ? table("Parts of the recipe: what each recovers when it alone is lifted to fp32, and costs when it alone is lowered from fp32",
            ["part", "recovers", "", "costs", "", "heals alone", "hurts fp32"],
            parts.map((p) => [p.part, within(p.recovered, p.recovered_interval), bar(p.recovered), within(p.lost, p.lost_interval), bar(p.lost), p.heals ? "yes" : "no", p.hurts ? "yes" : "no"])) : null,
        findings.length > 0 ? table("What was counted in the repeated run", ["mechanism", "role", "share", "worst place", "its share", "from step"],
            findings.map((f) => [f.mechanism, f.role, percent(f.share), f.place || "-", percent(f.place_share), String(f.step)])) : null);
}

export function autopsies(rows) {
    const known = rows.filter((row) => row.autopsy);
    return known.length > 0 ? { element: h("div", {}, known.map(one)) } : null;
}
