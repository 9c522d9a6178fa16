// The bits of a code as buttons under a ruler S EEEE MMM. One bit of a group is in the tab order; arrows move to the others.
import { h } from "../dom.js";

const fields = [["sign", "S"], ["exponent", "E"], ["fraction", "M"]];

// The field of each bit, the highest first: "sign", "exponent" or "fraction".
function fieldsOf({ sign_bits: s, exponent_bits: e, fraction_bits: m }) {
    return [...Array(s).fill(0), ...Array(e).fill(1), ...Array(m).fill(2)];
}

const digits = (width) => Math.ceil(width / 4);
const bitOf = (code, width, i) => (code >> BigInt(width - 1 - i)) & 1n;

// 0x1d with bit i (0 is the highest) changed, in the command's notation.
export function toggled(code, width, i) {
    return `0x${(BigInt(code) ^ (1n << BigInt(width - 1 - i))).toString(16).padStart(digits(width), "0")}`;
}

// A row of bits. layout: the facts of the format; name: for screen readers; onToggle(i).
export class Bits {
    constructor(layout, name, onToggle) {
        this.width = layout.width;
        const of = fieldsOf(layout);
        this.names = of.map((f, i) => `${name}, ${fields[f][0]} bit ${of.lastIndexOf(f) - i}`);
        this.buttons = of.map((f, i) => h("button", { type: "button", class: `bit ${fields[f][0]}`, tabindex: i === 0 ? 0 : -1,
            onclick: () => onToggle(i), onkeydown: (event) => this.move(event, i), onfocus: () => this.stop(i) }));
        this.element = h("div", { class: "bitrow", role: "group", "aria-label": `Bits of ${name}` }, of.map((f, i) =>
            h("span", { class: `cell${i > 0 && of[i - 1] !== f ? " first" : ""}` },
                h("span", { class: `ruler ${fields[f][0]}`, "aria-hidden": "true" }, fields[f][1]), this.buttons[i])));
    }

    // One tab stop: the bit that had the focus last.
    stop(i) {
        this.buttons.forEach((button, k) => { button.tabIndex = k === i ? 0 : -1; });
    }

    move(event, i) {
        const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: this.width - 1 }[event.key];
        if (to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            this.buttons[Math.min(Math.max(to, 0), this.width - 1)].focus();
        }
    }

    update(code) {
        const value = BigInt(code);
        if (value === this.shown) {
            return;
        }
        this.shown = value;
        this.buttons.forEach((button, i) => {
            const bit = String(bitOf(value, this.width, i));
            if (button.textContent !== bit) {
                button.textContent = bit;
                button.setAttribute("aria-label", `${this.names[i]}: ${bit}`);
                button.setAttribute("aria-pressed", bit === "1" ? "true" : "false");
            }
        });
    }
}
