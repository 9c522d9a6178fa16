// What `binade diff --json` found, as a page: how A was made, distances, the weights, those that only one side has.
import { numberText, xyChart } from "../chart/chart.js";
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, number, plural, scrolled, tableOf } from "../sum/controls.js";
import { answerOf, folded, LongTable } from "./table.js";

const PARTS = [["tensor_scale", "tensor scale"], ["scale", "scale"], ["quotient", "quotient"], ["rounding", "rounding"]];
const ALONE = { "only-a": "only in A", "only-b": "only in B", shape: "with other shapes", unknown: "that cannot be compared" };

const share = (part, of) => of === 0 ? "" : part === of ? "100 %" : `${numberText(100 * part / of, 4)} %`;
const ulps = (n) => numberText(n >= 10 ? Math.round(n) : n, 10);
const small = (x) => number(x === null ? "" : numberText(x, 4));

// Whether all codes and scales follow from the base, or how many do.
function confidence(how) {
    const [sign, kind, words] = how.explained ? ["✓", "good", "explained by"] : ["◐", "", "nearest to"];
    return h("td", { class: kind || null }, h("span", { class: "report-sign", "aria-hidden": "true" }, sign), words);
}

function ways(groups) {
    const ties = (how) => PARTS.filter(([key]) => how[key].length > 1).map(([key, words]) => h("li", {}, `${words}: ${how[key].slice(1).join(", ")}`));
    const rows = groups.map((g) => {
        const others = ties(g);
        return h("tr", {}, confidence(g), h("td", { class: "made" }, g.text, others.length === 0 ? null
            : h("details", {}, h("summary", {}, "Not told apart from"), h("ul", {}, others))),
        number(share(g.codes_made, g.codes)), number(share(g.scales_made, g.scales)), number(share(g.tensor_scales_made, g.tensor_scales)),
        number(grouped(g.weights)), h("td", { title: g.first }, cut(g.first, 40)));
    });
    return rows.length === 0 ? null : [h("h3", {}, "How A was made"),
        scrolled("How A was made", tableOf("How A was made", ["Confidence", "Made by", "Codes", "Scales", "Tensor scales", "Weights", "First"], rows, { class: "report-table" }))];
}

export class DiffView {
    constructor(diff) {
        this.diff = diff;
        const compared = diff.list.filter((w) => w.elements > 0)
            .sort((a, b) => (b.nonfinite > 0) - (a.nonfinite > 0) || (a.sqnr_db ?? Infinity) - (b.sqnr_db ?? Infinity));
        this.facts = h("p", { class: "note" });
        const bound = (i) => diff.ulps_up_to[i] === undefined ? "" : numberText(diff.ulps_up_to[i], 3);
        this.chart = xyChart({ title: "Distances", summary: () => this.facts.textContent, height: 260,
            x: { label: "distance, up to this many ulps", whole: true, tick: (i) => bound(i), format: (i) => bound(Math.floor(i)) },
            y: { label: "elements", scale: "log", scales: ["linear", "log"] }, series: [] });
        this.all = h("button", { type: "button", class: "no-print", onclick: () => this.choose(null) }, "All weights");
        const made = (w) => w.explained ? confidence(w.explained) : h("td", { title: w.not_explained }, "");
        this.table = new LongTable({ label: "Weights", id: "diff-filter", rows: compared, name: (w) => w.weight, choose: (w) => this.choose(w), columns: [
            { head: "Weight", sort: (w) => w.weight },
            { head: "SQNR (dB)", sort: (w) => w.sqnr_db, cell: (w) => small(w.sqnr_db) },
            { head: "Largest error", sort: (w) => w.largest_error, down: true, cell: (w) => small(w.largest_error) },
            { head: "Mean error", sort: (w) => w.mean_error, down: true, cell: (w) => small(w.mean_error) },
            { head: "Most ulps", sort: (w) => w.largest_ulps, down: true, cell: (w) => number(ulps(w.largest_ulps)) },
            { head: "of", sort: (w) => w.unit, cell: (w) => h("td", {}, w.unit) },
            { head: "Equal", sort: (w) => w.equal / w.elements, cell: (w) => number(share(w.equal, w.elements)) },
            { head: "A", sort: (w) => w.a, cell: (w) => h("td", {}, w.a) }, { head: "B", sort: (w) => w.b, cell: (w) => h("td", {}, w.b) },
            { head: "Made", sort: (w) => w.explained ? w.explained.codes_made / Math.max(1, w.explained.codes) : null, cell: made }] });
        const alone = Object.entries(ALONE).map(([kind, words]) => folded(words,
            diff.list.filter((w) => w.difference === kind).map((w) => `${cut(w.weight, 120)}${w.why ? `: ${w.why}` : ""}`)));
        this.element = h("section", { class: "diff" }, h("h2", {}, "Difference"), answerOf(diff.answer[0], diff.answer.slice(1)),
            h("p", { class: "note" }, `A is ${cut(diff.a, 120)}, B is ${cut(diff.b, 120)}${diff.base ? `, the base is ${cut(diff.base, 120)}` : ""}.`),
            ways(diff.explained_by), alone, compared.length === 0 ? null
                : [this.chart.element, this.facts, this.all, h("h3", {}, "Weights, those that differ most first"), this.table.element]);
        this.choose(null);
    }

    // A weight, or null for all.
    choose(w) {
        const { ulps: bins, elements, equal, nonfinite, largest_ulps: most } = w ?? this.diff;
        const last = bins.findLastIndex((n) => n > 0) + 1;
        this.all.hidden = w === null;
        this.chart.update({ title: `Distances ${w ? `in ${cut(w.weight, 60)}` : "in all weights"}`,
            series: [{ kind: "bars", name: "elements", x: bins.slice(0, last).map((_, i) => i), y: bins.slice(0, last), width: 1 }] });
        const made = w?.explained ? ` A was made, ${w.explained.explained ? "to the last bit" : "at the nearest"}, by: ${w.explained.text}.` : w ? ` Not explained: ${w.not_explained}.` : "";
        this.facts.textContent = `${w ? w.weight : "All weights"}: of ${plural(elements, "element")} ${grouped(equal)} are equal; the largest distance is ${ulps(most)} ulps`
            + `${w ? ` of ${w.unit}` : ""}${nonfinite > 0 ? `; ${grouped(nonfinite)} are NaN or infinite on one side` : ""}.${made}`;
    }

    close() {
        this.chart.close();
    }
}
