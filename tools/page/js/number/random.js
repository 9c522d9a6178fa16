// Stochastic rounding: the random bits by slider and bit by bit, and the exact probability of both results as a bar.
import { h } from "../dom.js";
import { Bits, toggled } from "./bits.js";

const STEPS = 10; // bits that the slider moves; the lower ones keep their value

// Slider and bits. onChange(R as a decimal string, or null: drawn from the next seed).
export class RandomBits {
    constructor(bits, onChange) {
        this.bits = bits;
        this.low = BigInt(Math.max(bits - STEPS, 0));
        this.shown = 0n;
        this.slider = h("input", { type: "range", id: "random", min: 0, max: 2 ** Math.min(bits, STEPS) - 1, step: 1,
            oninput: () => {
                const top = BigInt(this.slider.value) << this.low, rest = this.shown & ((1n << this.low) - 1n);
                onChange(String(top | rest));
            } });
        this.number = h("output", { for: "random", class: "drawn" });
        this.row = new Bits({ width: bits, sign_bits: 0, exponent_bits: 0, fraction_bits: bits }, "the random number R",
            (i) => onChange(String(BigInt(toggled(String(this.shown), bits, i)))));
        this.row.element.classList.add("plain");
        const draw = h("button", { type: "button", onclick: () => onChange(null) }, "Draw again");
        this.element = h("section", { class: "random", "aria-label": "Random bits" },
            h("label", { class: "field wide", for: "random" }, h("span", {}, `Random bits R, of ${bits}`), this.slider),
            this.number, draw, this.row.element);
    }

    update(drawn) {
        this.shown = BigInt(drawn);
        this.slider.value = String(this.shown >> this.low);
        this.number.textContent = `R = ${drawn}`;
        this.row.update(drawn);
    }
}

const part = (side, { value, code, probability }, chosen, when) => h("span", { class: `${side}${chosen ? " chosen" : ""}` },
    chosen ? "▸ " : "", h("b", {}, value), code === null ? "" : ` (${code})`, ` with probability ${probability}`, when);

// The bar of one result, or null without random bits.
export function probabilityBar({ random }) {
    if (random === null || random.low.probability === "1") {
        return null;
    }
    const { low, high, threshold, drawn, bits } = random;
    const above = BigInt(drawn) >= BigInt(threshold), percent = (p) => `${100 * Number(p)}%`;
    const left = h("span", { class: "low" }), right = h("span", { class: "high" }), mark = h("span", { class: "mark" });
    left.style.width = percent(low.probability);
    right.style.width = percent(high.probability);
    mark.style.left = percent(Number(BigInt(drawn) * 4096n >> BigInt(bits)) / 4096);
    return h("div", { class: "probability" },
        h("div", { class: "bar", role: "img", "aria-label": `${low.value} with probability ${low.probability}, ${high.value} with probability ${high.probability}` },
            left, right, mark),
        h("p", { class: "note" }, part("low", low, !above, `, R < ${threshold}`), h("br"),
            part("high", high, above, `, R ≥ ${threshold}`)));
}
