// The table of formats: what each does to the array, and the one that is recommended.
import { h } from "../dom.js";
import { grouped } from "../sum/controls.js";

const columns = [
    { key: "name", title: "Format" },
    { key: "bits_text", title: "Bits", by: "bits", number: true, explain: "bits per element, with its share of the scales" },
    { key: "sqnr_text", title: "SQNR, dB", by: "sqnr_db", number: true, explain: "signal to quantization noise: 10 log10 of the sum of squares over the sum of squared errors" },
    { key: "worst_text", title: "Max error", number: true, explain: "the largest error of an element" },
    { key: "to_zero", title: "To zero", count: true, explain: "nonzero elements that become zero" },
    { key: "underflows", title: "Underflow", count: true, explain: "results that are subnormal or zero, and inexact" },
    { key: "overflows", title: "Overflow", count: true, explain: "elements rounded beyond the largest number" },
    { key: "saturated", title: "Saturated", count: true, explain: "elements replaced by the largest number" },
    { key: "nan", title: "NaN", count: true, explain: "results that are NaN" },
    { key: "exact", title: "Exact", count: true, explain: "elements that keep their value" },
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
        known.sort((a, b) => Math.sign(quality(b) - quality(a)) || (a.bits ?? 99) - (b.bits ?? 99));
    }
    return order === "worst" ? known.reverse() : known;
}

const SAME_DB = 0.25; // formats nearer to the best than this are as good, and the smallest of them is recommended

// The best within a budget of bits that loses nothing to overflow or NaN; without one, the best at all.
export function recommended(results, budget) {
    const fits = results.filter((r) => !r.error && r.bits !== null && r.bits <= budget + 1e-9);
    const safe = fits.filter((r) => r.overflows === 0 && r.saturated === 0 && r.nan === r.nan_in);
    const [best, ...others] = sorted(safe.length > 0 ? safe : fits, "best");
    return best ? others.filter((r) => quality(r) >= quality(best) - SAME_DB || quality(r) === quality(best)).concat(best).sort((a, b) => a.bits - b.bits || quality(b) - quality(a))[0] : null;
}

const ratio = (r) => r.lossless ? "no loss at all" : r.sqnr_text === null ? "no defined SQNR" : `${r.sqnr_text} dB`;

export function sentence(results, budget) {
    const best = recommended(results, budget);
    if (best === null) {
        return `None of these formats takes at most ${budget} bits per element.`;
    }
    const others = sorted(results.filter((r) => !r.error && r !== best && r.bits !== null && r.bits <= budget + 1e-9), "best");
    const lost = best.to_zero > 0 ? `; ${counted(best.to_zero, best.elements)} of the elements become zero` : "";
    const broken = best.overflows + best.saturated > 0 ? ", although elements overflow in it, as in every format here of that size" : "";
    const next = others.length > 0 ? ` Next: ${others[0].name} with ${ratio(others[0])} at ${others[0].bits_text} bits${others[0].overflows > 0 ? `, where ${counted(others[0].overflows, others[0].elements)} overflow` : ""}.` : "";
    return `Recommended at up to ${budget} bits per element: ${best.name}, ${ratio(best)} at ${best.bits_text} bits${lost}${broken}.${next}`;
}

// onlook(name): a row was chosen.
export class Results {
    constructor(onlook) {
        this.onlook = onlook;
        this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
        this.table = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Formats" });
        this.element = h("div", {}, this.verdict, this.table);
    }

    // results: in the order of the fragment, { name, error } where a format cannot be used.
    show(results, { sort, budget, look, busy }) {
        const best = busy ? null : recommended(results, budget);
        this.verdict.textContent = busy ? "" : sentence(results, budget);
        const head = h("tr", {}, columns.map((c) => h("th", { scope: "col", title: c.explain, class: c.number || c.count ? "right" : null }, c.title)));
        this.table.replaceChildren(h("table", { class: "formats" }, h("thead", {}, head), h("tbody", {}, sorted(results, sort).map((r) => this.row(r, best, look)))));
    }

    row(r, best, look) {
        const button = h("button", { type: "button", class: "plain", "aria-pressed": String(r.name === look), title: r.full_name ?? r.name, onclick: () => this.onlook(r.name) }, r.name);
        const name = h("th", { scope: "row" }, button, r === best && h("span", { class: "badge" }, "recommended"));
        const cells = r.error ? [h("td", { colspan: columns.length - 1, class: "bad" }, r.error)]
            : columns.slice(1).map((c) => h("td", { class: "number right", title: c.key === "worst_text" ? `${r.worst_x} becomes ${r.worst_y} (element ${r.worst_at})` : null },
                c.count ? counted(r[c.key], r.elements) : c.key === "sqnr_text" && r.lossless ? "exact" : r[c.key] ?? "-"));
        return h("tr", { "data-format": r.name, class: r.name === look ? "looked" : null }, name, cells);
    }
}
