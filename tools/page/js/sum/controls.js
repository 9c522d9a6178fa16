// Labelled inputs whose values follow the state, except while somebody types in them.
import { h } from "../dom.js";

// A text field; `set(value)` follows the state.
export function textField(label, { id, width = 12, kind = "text", list = null, hint = null, oninput }) {
    const input = h("input", { id, type: kind, size: width, autocomplete: "off", spellcheck: "false", list, oninput: () => oninput(input.value) });
    const element = h("label", { class: "field" }, h("span", {}, label), input, hint && h("small", { class: "note" }, hint));
    return {
        element, input,
        set(value) {
            if (document.activeElement !== input && input.value !== value) {
                input.value = value;
            }
        },
    };
}

// A table that scrolls in itself: the texts of its head, and rows.
// A table with this name, which screen readers say.
export function tableOf(name, head, rows, attributes = {}) {
    const texts = head.map((one) => typeof one === "string" ? h("th", { scope: "col" }, one) : one);
    return h("table", { "aria-label": name, ...attributes }, h("thead", {}, h("tr", {}, texts)), h("tbody", {}, rows));
}

export const scrolled = (label, ...children) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children);
export const number = (text, title = null) => h("td", { class: "number", title }, text);

// A choice; options are [value, text] or strings.
export function choice(label, options, { id, onchange }) {
    const list = h("select", { id, onchange: () => onchange(list.value) },
        options.map((o) => Array.isArray(o) ? o : [o, o]).map(([value, text]) => h("option", { value }, text)));
    return {
        element: h("label", { class: "field" }, h("span", {}, label), list), input: list,
        // What is not among the options becomes one, so that a link keeps its meaning.
        set(value) {
            if (![...list.options].some((o) => o.value === value)) {
                list.append(h("option", { value }, value));
            }
            list.value = value;
        },
    };
}

export function check(label, { id, onchange, title = null }) {
    const box = h("input", { id, type: "checkbox", onchange: () => onchange(box.checked) });
    return {
        element: h("label", { class: "check", title }, box, h("span", {}, label)), input: box,
        set(value) {
            box.checked = value;
        },
    };
}

// The names of rounding modes, with what they do.
export const roundings = [["rne", "nearest even (rne)"], ["rna", "nearest away (rna)"], ["rtz", "toward zero (rtz)"],
    ["rup", "up (rup)"], ["rdn", "down (rdn)"], ["rto", "to odd (rto)"], ["sr", "stochastic (sr)"]];

// A count for people: 1,000,000; and what is counted: 1 element, 2 elements.
export const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
export const plural = (n, what) => `${grouped(n)} ${what}${Number(n) === 1 ? "" : "s"}`;

// A whole number as people type it, without the marks of its thousands. Other text stays, also 1,5.
export const ungrouped = (text) => /^\s*\d{1,3}([ ,_]\d{3})+\s*$/.test(text) ? text.replace(/\D/g, "") : text.trim();
