// The table of formats: what each does to the array, and the one that is recommended.
import { h } from "../dom.js";
import { grouped, scrolled, tableOf } from "../sum/controls.js";

const columns = [
    { key: "name", title: "Format" },
    { key: "bits_text", title: "Bits", by: "bits", number: true, explain: "bits per element, with its share of the scales" },
    { key: "sqnr_text", title: "SQNR, dB", by: "sqnr_db", number: true,
        explain: "signal to quantization noise: 10 log10 of the sum of squares over the sum of squared errors" },
    { key: "worst_text", title: "Max error", number: true, explain: "the largest error of an element with a finite result" },
    { key: "to_zero", title: "To zero", count: true, explain: "nonzero elements that become zero" },
    { key: "underflows", title: "Underflow", count: true, explain: "results that are subnormal or zero, and inexact" },
    { key: "overflows", title: "Overflow", count: true, explain: "elements rounded beyond the largest number" },
    { key: "saturated", title: "Saturated", count: true, explain: "elements replaced by the largest number" },
    { key: "nan", title: "NaN", count: true, explain: "results that are NaN" },
    { key: "exact", title: "Exact", count: true, explain: "elements that keep their value" },
    { key: "scale_rule", title: "Scale rule", explain: "how a shared scale follows from the largest magnitude, and whose rule it is" },
];

// A count and its share.
function counted(count, of) {
    const share = of > 0 ? 100 * count / of : 0;
    return count === 0 ? "0" : `${grouped(count)} (${share < 0.01 ? "< 0.01" : share > 99.99 && count < of ? "> 99.99" : share.toFixed(2)} %)`;
}

// Lossless is better than any ratio; no ratio is worse.
const quality = (r) => r.error ? -Infinity : r.lossless ? Infinity : r.sqnr_db ?? -1e300;

export function sorted(results, order) {
    const known = [...results];
    if (order === "best" || order === "worst") {
        known.sort((a, b) => Math.sign(quality(b) - quality(a)) || a.nan - b.nan || (a.bits ?? 99) - (b.bits ?? 99));
    }
    return order === "worst" ? known.reverse() : known;
}

const SAME_DB = 0.25; // formats nearer to the best than this are as good, and the smallest of them is recommended
const FEW = 0.05; // more elements that become zero than this are much, whatever the ratio says: one outlier can decide it

const keeps = (r) => r.overflows === 0 && r.saturated === 0 && r.nan === r.nan_in;
const nonzero = (r) => r.to_zero <= FEW * r.elements;

// The best within a budget of bits, of those that lose nothing to overflow or NaN and little to zero; where there is none,
// of those with fewer virtues.
export function recommended(results, budget) {
    const fits = results.filter((r) => !r.error && r.bits !== null && r.bits <= budget + 1e-9);
    const virtues = [(r) => keeps(r) && nonzero(r), keeps, () => true].map((virtue) => fits.filter(virtue));
    const [best, ...others] = sorted(virtues.find((some) => some.length > 0) ?? [], "best");
    const equals = others.filter((r) => r.nan <= best.nan && quality(r) >= quality(best) - SAME_DB);
    return best ? [best, ...equals].sort((a, b) => a.bits - b.bits || quality(b) - quality(a))[0] : null;
}

const ratio = (r) => r.lossless ? "no loss at all" : r.sqnr_text === null ? "no defined SQNR" : `${r.sqnr_text} dB`;

export function sentence(results, budget) {
    const best = recommended(results, budget);
    if (best === null) {
        return `None of these formats takes at most ${budget} bits per element.`;
    }
    const next = recommended(results.filter((r) => r !== best), budget);
    const lost = best.to_zero > 0 ? `; ${counted(best.to_zero, best.elements)} of the elements become zero` : "";
    const broken = keeps(best) ? "" : ", although elements overflow or become NaN in it, as in every format here of that size";
    const second = next ? ` Next: ${next.name} with ${ratio(next)} at ${next.bits_text} bits.` : "";
    return `Recommended at up to ${budget} bits per element: ${best.name}, ${ratio(best)} at ${best.bits_text} bits${lost}${broken}.${second}`;
}

function cell(r, { key, count, number }) {
    const worst = /^[-0]$/.test(r.worst_text) ? null : `${r.worst_x} becomes ${r.worst_y} (element ${r.worst_at})`;
    const titles = { worst_text: worst, scale_rule: r.scale_who || null };
    const text = count ? counted(r[key], r.elements) : key === "sqnr_text" && r.lossless ? "exact" : r[key] ?? "-";
    return h("td", { class: count || number ? "number right" : null, title: titles[key] }, text);
}

// onlook(name): a row was chosen.
export class Results {
    constructor(onlook) {
        this.onlook = onlook;
        this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
        this.table = scrolled("Formats");
        this.element = h("div", {}, this.verdict, this.table);
    }

    // results: in the order of the fragment, { name, error } where a format cannot be used. waiting: names of formats whose
    // results come later; their rows are there, so that nothing on the page moves.
    show(results, { sort, budget, look, waiting }) {
        const busy = waiting.length > 0, best = busy ? null : recommended(results, budget), text = busy ? "Computing ..." : sentence(results, budget);
        if (this.verdict.textContent !== text) {
            this.verdict.textContent = text;
        }
        const head = columns.map((c) => h("th", { scope: "col", title: c.explain, class: c.number || c.count ? "right" : null }, c.title));
        const rows = sorted(results, sort).map((r) => this.row(r, best, look));
        rows.push(...waiting.map((name) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "plain", disabled: true }, name)),
            columns.slice(1).map(() => h("td", {})))));
        this.table.replaceChildren(tableOf("Formats and what they lose", head, rows, { class: "formats" }));
    }

    row(r, best, look) {
        const button = h("button", { type: "button", class: "plain", "aria-pressed": String(r.name === look), title: r.full_name ?? r.name,
            onclick: () => this.onlook(r.name) }, r.name);
        const name = h("th", { scope: "row" }, button, r === best && h("span", { class: "badge" }, "recommended"));
        const cells = r.error ? [h("td", { colspan: columns.length - 1, class: "bad" }, r.error)] : columns.slice(1).map((c) => cell(r, c));
        return h("tr", { "data-format": r.name, class: r.name === look ? "looked" : null }, name, cells);
    }
}
