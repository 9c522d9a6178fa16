// The view of a report: the object of `binade report --json` (doc/reference/report.md) as a page. Conclusion and failures
// come first, then the table, then charts. One set of checkboxes shows and hides recipes in all of them.
//
//     const view = reportView(report, page);  element.append(view.element);  ... view.close();

import { h, svg } from "../dom.js";
import { cut } from "../chart/text.js";
import { styleOf, sampleOf } from "../chart/look.js";
import { answer, verdictTable } from "./top.js";
import { lossChart, gapChart, overTime } from "./curves.js";
import { memoryBars, memoryAgainstGap } from "./memory.js";
import { exponents } from "./exponents.js";
import { autopsies } from "./autopsy.js";
import { sweep } from "./sweep.js";
import { setup } from "./setup.js";

const list = (value) => (Array.isArray(value) ? value : []);

// A row's name, key and look are the same in all charts. Names may repeat: the key is the row.
function rowsOf(report) {
    const own = list(report.recipes).map((recipe, i) => ({ ...recipe, i }));
    const first = own.findIndex((row) => row.is_reference);
    let next = 0;
    return own.map((row) => ({ ...row, key: `r${row.i}`, name: String(row.recipe), style: row.i === first ? 0 : ++next }));
}

export function swatch(row) {
    return svg("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true", class: "chart" }, ...sampleOf(styleOf(row.style)));
}

class View {
    constructor(report, page) {
        this.report = report;
        this.page = page;
        this.rows = rowsOf(report);
        this.hidden = new Set();
        this.parts = []; /* { show(key, shown), close() } */
        this.toggles = new Map();
        this.element = h("article", { class: "report" });
        this.before = () => this.openAll();
        this.after = () => this.opened?.forEach((one) => { one.open = false; });
        addEventListener("beforeprint", this.before);
        addEventListener("afterprint", this.after);
    }

    // A section with its heading; a part that has nothing to show is null.
    section(title, build) {
        const all = [build()].flat().filter(Boolean);
        if (all.length > 0) {
            this.parts.push(...all.filter((one) => one.show));
            this.element.append(h("section", {}, h("h2", {}, title), ...all.map((one) => one.element)));
        }
    }

    setShown(keys, shown) {
        for (const key of keys) {
            this.hidden[shown ? "delete" : "add"](key);
            this.toggles.get(key).checked = shown;
            for (const part of this.parts) {
                part.show(key, shown);
            }
        }
    }

    bar() {
        const all = this.rows.map((row) => row.key), others = this.rows.filter((row) => !row.is_reference).map((row) => row.key);
        const failed = this.rows.filter((row) => row.verdict === "failed").map((row) => row.key);
        const boxes = this.rows.map((row) => {
            const box = h("input", { type: "checkbox", checked: true, onchange: () => this.setShown([row.key], box.checked) });
            this.toggles.set(row.key, box);
            return h("label", { title: row.name }, box, swatch(row), cut(row.name, 28));
        });
        const button = (text, act) => h("button", { type: "button", onclick: act }, text);
        return h("fieldset", { class: "report-bar" }, h("legend", {}, "Recipes shown in all charts"),
            h("div", { class: "report-boxes" }, boxes),
            h("div", { class: "report-quick" }, button("All", () => this.setShown(all, true)),
                button("Reference only", () => { this.setShown(all, true); this.setShown(others, false); }),
                failed.length > 0 ? button("Without failed", () => { this.setShown(all, true); this.setShown(failed, false); }) : null));
    }

    build() {
        const { report, rows, page } = this;
        this.element.append(answer(report, rows), verdictTable(report, rows));
        if (rows.length > 0) {
            this.element.append(this.bar());
        }
        this.section("Learning rates", () => sweep(report));
        this.section("Loss", () => lossChart(report, rows));
        this.section("Gap to the reference", () => gapChart(report, rows));
        this.section("Memory", () => [memoryBars(rows), memoryAgainstGap(report, rows)]);
        this.section("Why recipes fail or lose: autopsy", () => autopsies(rows));
        this.section("Exponents by role", () => exponents(report, rows));
        this.section("Over time", () => overTime(rows));
        this.section("How it was made", () => setup(report, rows, page));
        return this;
    }

    // On paper nothing opens.
    openAll() {
        this.opened = [...this.element.querySelectorAll("details:not([open])")];
        this.opened.forEach((one) => { one.open = true; });
    }

    close() {
        removeEventListener("beforeprint", this.before);
        removeEventListener("afterprint", this.after);
        for (const part of this.parts) {
            part.close();
        }
    }
}

export function reportView(report, page) {
    if (report?.kind === "checkpoint") {
        throw new Error("This is a report of a checkpoint; open it in the room Checkpoint.");
    }
    if (report?.report !== 1 || !Array.isArray(report.recipes)) {
        throw new Error("this is not a report that this page reads: expected the JSON of binade report, version 1");
    }
    return new View(report, page).build();
}
