// <binade-number format="e4m3" value="448">: the bits of a number in coloured fields under a ruler, its code, its exact
// value and its error. With `editable`, bits are buttons, and the element fires `change`.

import { decode, describe, encode, explain } from "./index.js";
import { STYLE } from "./lib/element_style.js";

const RULE = ["dialect", "round", "overflow"];
const FIELDS = [["sign", "S", "sign"], ["exponent", "E", "exponent"], ["fraction", "M", "fraction"]];

// An element with attributes and children; strings become text nodes.
function h(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null) {
            element.setAttribute(key, value);
        }
    }
    element.append(...children);
    return element;
}

function row(label, text, title = null) {
    return [h("dt", {}, label), h("dd", { title }, text)];
}

const LONG = 64, KEPT = 40;
const sheet = new CSSStyleSheet(); // allowed by a page's policy that forbids inline styles
sheet.replaceSync(STYLE);

// A long number keeps its exponent; the whole is its title.
function shortened(text) {
    const exponent = /e[-+]\d+$/.exec(text)?.[0] ?? "";
    return text.length <= LONG ? text : `${text.slice(0, KEPT)}…${exponent}`;
}

export class BinadeNumber extends HTMLElement {
    static observedAttributes = ["format", "value", "code", "editable", ...RULE];

    #root = this.attachShadow({ mode: "open" });
    #result = null;
    #place = 0; // of the bit that Tab reaches

    connectedCallback() {
        this.#root.adoptedStyleSheets = [sheet];
        this.#draw();
    }

    attributeChangedCallback() { // outside the document, too: `result` is that of the attributes
        this.#draw();
    }

    // ---- properties, which are attributes ----

    get format() { return this.getAttribute("format") ?? "fp32"; }
    set format(name) { this.setAttribute("format", name); }

    get value() { return this.getAttribute("value"); }
    set value(x) {
        this.removeAttribute("code");
        this.#set("value", x === null ? null : String(x));
    }

    get code() { return this.result?.code ?? null; }
    set code(code) {
        const hex = code === null ? null : decode(code, this.format).hex;
        this.removeAttribute("value");
        this.#set("code", hex);
    }

    #set(name, text) {
        if (text === null) {
            this.removeAttribute(name);
        } else {
            this.setAttribute(name, text);
        }
    }

    get editable() { return this.hasAttribute("editable"); }
    set editable(on) { this.toggleAttribute("editable", Boolean(on)); }

    /** What explain() says of the number; null where format or number are not valid. */
    get result() { return this.#result; }

    // ---- the number ----

    #options() {
        return Object.fromEntries(RULE.filter((name) => this.getAttribute(name)).map((name) => [name, this.getAttribute(name)]));
    }

    #explain() {
        const code = this.getAttribute("code"), { format } = this;
        if (this.value === null && code !== null) {
            return explain({ format, code: integerOf(code) }, format);
        }
        encode(0, format); // a value set has no bits to show
        return explain(this.value ?? "0", format, this.#options());
    }

    #draw() {
        const focused = this.#root.activeElement !== null;
        try {
            this.#result = this.#explain();
            this.#root.replaceChildren(this.#picture(this.#result));
        } catch (error) {
            this.#result = null;
            this.#root.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
        }
        if (focused) {
            this.#root.querySelector(`[data-bit="${this.#place}"]`)?.focus();
        }
    }

    // ---- the picture ----

    #picture(result) {
        this.#place = Math.min(this.#place, describe(result.format).width - 1);
        const bits = h("div", { class: "bits", role: "group", "aria-label": `bits of ${result.text} in ${result.format}` });
        let at = result.bits.replaceAll(" ", "").length;
        for (const [field, letter, title] of FIELDS) {
            const text = result.fields[field] ?? "";
            if (text !== "") {
                bits.append(h("span", { class: `field ${field}`, title },
                    ...[...text].map((bit) => h("span", { class: "cell" },
                        h("span", { class: "ruler", "aria-hidden": "true" }, letter), this.#bit(bit, --at, title)))));
            }
        }
        bits.addEventListener("keydown", (event) => this.#move(event));
        const error = result.error === null || result.error === "0" ? [] : row("error", result.errorDigits, result.error);
        const flags = result.flags.length === 0 ? [] : row("flags", result.flags.join(", "));
        return h("div", { class: "number" }, bits, h("dl", {}, ...row("format", result.format), ...row("code", result.hex),
            ...row("value", shortened(result.text), result.text), ...error, ...flags));
    }

    #bit(bit, place, field) {
        if (!this.editable) {
            return h("span", { class: "bit" }, bit);
        }
        const button = h("button", { class: "bit", type: "button", "data-bit": place, tabindex: place === this.#place ? "0" : "-1",
            "aria-pressed": String(bit === "1"), "aria-label": `bit ${place}, ${field}` }, bit);
        button.addEventListener("click", () => this.#flip(place));
        return button;
    }

    #flip(place) {
        this.#place = place;
        this.code = this.#result.code ^ 1n << BigInt(place);
        this.dispatchEvent(new CustomEvent("change", { bubbles: true, composed: true, detail: this.#result }));
    }

    // One bit can be reached by Tab; arrows, Home and End go to the others, 0 and 1 set the bit.
    #move(event) {
        const all = [...this.#root.querySelectorAll("[data-bit]")], i = all.indexOf(event.target);
        const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: all.length - 1 }[event.key];
        if (i < 0) {
            return;
        }
        if (to !== undefined) {
            event.preventDefault();
            const next = all[Math.max(0, Math.min(all.length - 1, to))];
            this.#place = Number(next.dataset.bit);
            all[i].tabIndex = -1;
            next.tabIndex = 0;
            next.focus();
        } else if ((event.key === "0" || event.key === "1") && event.target.textContent !== event.key) {
            event.preventDefault();
            this.#flip(Number(event.target.dataset.bit));
        }
    }
}

// The attribute `code`: 0x and hexadecimal digits, 0b and bits, or decimal digits.
function integerOf(text) {
    if (!/^\s*(0x[0-9a-f]+|0b[01]+|[0-9]+)\s*$/i.test(text)) {
        throw new TypeError(`code must be an integer such as 0x7e, got '${text}'`);
    }
    return BigInt(text.trim());
}

if (!customElements.get("binade-number")) {
    customElements.define("binade-number", BinadeNumber);
}
