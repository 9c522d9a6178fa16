// A format of one's own by sliders. The state is its name, in the grammar of the command: u e5 m10 b12 fn nosub.
import { h, select } from "../dom.js";
import { exactFacts } from "./facts.js";
import { sheet } from "./sheet.js";
import { changed, namesOf } from "./state.js";

const grammar = /^(u?)e(\d+)m(\d+)(?:b(-?\d+))?(ieee|fnuz|fn|none)?(nosub)?$/;
const kinds = [["ieee", "infinities and NaNs (IEEE 754)"], ["fn", "NaN, no infinity (fn)"], ["fnuz", "one NaN, one zero (fnuz)"], ["none", "neither (none)"]];

// e5m10b12fnnosub -> its parts; null for a name of another kind.
export function partsOf(name) {
    const match = grammar.exec(name);
    return match && { signed: match[1] === "", exponent: Number(match[2]), fraction: Number(match[3]), bias: match[4] ?? "", kind: match[5] ?? "ieee", subnormals: match[6] === undefined };
}

// The kind is always written: e4m3 alone is the name of a built-in format.
export function nameOf({ signed, exponent, fraction, bias, kind, subnormals }) {
    return `${signed ? "" : "u"}e${exponent}m${fraction}${bias === "" ? "" : `b${bias}`}${kind}${subnormals ? "" : "nosub"}`;
}

// The parts of a format that has another kind of name, from its facts.
function partsOfFacts(f) {
    const fnuz = f.nan === "one" && f.zero === "+0";
    return { signed: f.sign_bits === 1, exponent: f.exponent_bits, fraction: f.fraction_bits, bias: String(f.bias), kind: f.infinity === "yes" ? "ieee" : fnuz ? "fnuz" : f.nan === "no" ? "none" : "fn", subnormals: f.min_subnormal !== "-" };
}

class Design {
    constructor(element, page, go) {
        Object.assign(this, { page, go });
        const slider = (key, label, most) => {
            const input = h("input", { id: `design-${key}`, type: "range", min: key === "exponent" ? 1 : 0, max: most, step: 1, oninput: () => this.change({ [key]: Number(input.value) }) });
            const output = h("output", { for: `design-${key}` });
            this[key] = { input, output };
            return h("label", { class: "field", for: `design-${key}` }, h("span", {}, label, " ", output), input);
        };
        this.bias = h("input", { id: "design-bias", type: "text", inputmode: "numeric", size: "7", placeholder: "default", autocomplete: "off", oninput: () => this.typeBias() });
        const box = (key, label) => {
            const input = h("input", { id: `design-${key}`, type: "checkbox", onchange: () => this.change({ [key]: input.checked }) });
            this[key] = input;
            return h("label", { class: "formats-check", for: `design-${key}` }, input, ` ${label}`);
        };
        this.kindPlace = h("span", {});
        this.message = h("p", { class: "failure", role: "alert" });
        this.place = h("div", { class: "formats-designed", "aria-live": "polite" });
        element.append(h("div", { class: "formats-sliders" }, slider("exponent", "Exponent bits", 15), slider("fraction", "Fraction bits", 52),
            h("label", { class: "field", for: "design-bias" }, h("span", {}, "Bias"), this.bias), this.kindPlace, box("signed", "sign"), box("subnormals", "subnormals")), this.message, this.place);
    }

    change(change) {
        this.go(changed(this.state, { names: nameOf({ ...this.parts, ...change }) }));
    }

    // A lone minus is the beginning of a number.
    typeBias() {
        const text = this.bias.value.trim();
        if (/^(-?\d{1,6})?$/.test(text)) {
            this.change({ bias: text });
        } else if (text !== "-") {
            this.message.textContent = `the bias must be an integer of at most 6 digits, not '${text}'`;
        }
    }

    update(state) {
        this.state = state;
        const name = namesOf(state);
        let facts = null;
        this.message.textContent = "";
        try {
            [facts] = exactFacts(this.page.core, name);
        } catch (error) {
            this.message.textContent = error.message;
        }
        this.parts = partsOf(name) ?? (facts ? partsOfFacts(facts) : this.parts ?? partsOf("e4m3fn"));
        this.controls();
        this.place.classList.toggle("block-stale", facts === null);
        if (facts) {
            this.place.replaceChildren(sheet(facts));
        }
    }

    controls() {
        const { parts } = this;
        for (const key of ["exponent", "fraction"]) {
            this[key].input.value = parts[key];
            this[key].output.textContent = String(parts[key]);
        }
        if (this.bias.value.trim() !== parts.bias) {
            this.bias.value = parts.bias;
        }
        this.signed.checked = parts.signed;
        this.subnormals.checked = parts.subnormals;
        if (this.kind !== parts.kind) {
            this.kind = parts.kind;
            const focused = this.kindPlace.contains(document.activeElement);
            this.kindPlace.replaceChildren(select("Special values", kinds, parts.kind, (kind) => this.change({ kind })));
            if (focused) {
                this.kindPlace.querySelector("select").focus();
            }
        }
    }

    close() { }
}

export const open = (element, page, go) => new Design(element, page, go);
