// One value in one format: code, bits, exact value, error, neighbours, and the rounding drawn.
import { h } from "../dom.js";
import { Bits, toggled } from "./bits.js";
import { drawRounding } from "./gap.js";
import { probabilityBar } from "./random.js";

const rows = [["value", "value"], ["error", "error"], ["neighbours", "between"], ["ulp", "ulp"], ["flags", "flags"]];

// The line that says which rule decided, and all lines.
const ruleOf = ({ explanation }) => explanation.filter((one) => one.label === "rule").map((one) => one.text).join("; ");

// An error as the command prints it: exact, relative to the input, in ulps.
function errorText({ words: { error, relative, ulps } }) {
    return error === null ? "—" : error === "0 (exact)" ? error
        : [error, relative !== null && `relative ${relative}`, ulps !== null && `${ulps} ulp`].filter(Boolean).join("   ");
}

export class Card {
    // layout: the facts of the format. onCode(code): the reader asks for another code of this format.
    constructor(layout, onCode) {
        this.layout = layout;
        this.onCode = onCode;
        this.name = layout.name;
        this.bits = layout.width > 0 ? new Bits(layout, layout.name, (i) => onCode(toggled(this.code, layout.width, i))) : null;
        this.codeText = h("code", { class: "code" });
        this.classText = h("span", { class: "class" });
        const step = (key, sign, text) => h("button", { type: "button", class: "step", title: text, "aria-label": `${text} of ${layout.name}`,
            onclick: () => this.step(key) }, sign);
        this.next = step("next", "▲", "Next value");
        this.previous = step("previous", "▼", "Previous value");
        this.cells = new Map(rows.map(([key]) => [key, h("dd", { class: key })]));
        this.figure = h("figure", { class: "rounding" });
        this.rule = h("p", { class: "rule" });
        this.all = h("ul", {});
        this.steps = h("details", { ontoggle: () => this.showSteps() }, h("summary", {}, "All steps"), this.all);
        this.drawn = "";
        this.element = h("section", { class: "format", "aria-label": layout.name, "data-format": layout.name,
            onkeydown: (event) => this.keys(event) },
            h("header", {}, h("h2", {}, layout.name), h("span", { class: "title" }, layout.title || layout.layout), this.codeText,
                this.bits && h("span", { class: "steps" }, this.previous, this.next), this.classText),
            h("div", { class: "facts" }, this.bits?.element ?? h("p", { class: "note" }, "A value set: it has no codes."),
                h("dl", {}, rows.map(([key, text]) => [h("dt", {}, text), this.cells.get(key)]))),
            h("div", { class: "drawing" }, this.figure, this.rule, this.steps));
    }

    step(key) {
        if (this.result[key]) {
            this.onCode(this.result[key]);
        }
    }

    keys(event) {
        const key = { ArrowUp: "next", ArrowDown: "previous" }[event.key];
        if (key && this.bits && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            this.step(key);
        }
    }

    put(key, text) {
        const cell = this.cells.get(key);
        if (cell.textContent !== text) {
            cell.textContent = text;
        }
    }

    update(result, input) {
        this.result = result;
        this.code = result.code;
        this.bits?.update(result.code);
        this.codeText.textContent = result.code ?? "";
        this.classText.textContent = result.words.class;
        this.next.disabled = result.next === null;
        this.previous.disabled = result.previous === null;
        const neighbour = (value, code) => value === null ? "nothing" : code === null ? value : `${value} (${code})`;
        this.put("value", result.words.value);
        this.put("error", errorText(result));
        this.put("neighbours", `${neighbour(result.words.below, result.below_code)}   and   ${neighbour(result.words.above, result.above_code)}`);
        this.put("ulp", result.ulp ?? "—");
        this.put("flags", result.flags.length === 0 ? "none" : result.flags.join(" "));
        this.cells.get("flags").classList.toggle("raised", result.flags.some((flag) => flag !== "inexact"));
        this.rule.textContent = ruleOf(result);
        this.draw(input);
        this.showSteps();
    }

    // Most of the time of a change goes into the picture: the same one stays.
    draw(input) {
        const { gap, random, code, words } = this.result, key = JSON.stringify([gap, random, code, words.below, words.above, words.error]);
        if (this.drawn !== key) {
            this.drawn = key;
            this.figure.replaceChildren(...[drawRounding(this.result, input), probabilityBar(this.result)].filter(Boolean));
        }
    }

    // The list is made when it is open.
    showSteps() {
        if (this.steps.open) {
            this.all.replaceChildren(...this.result.explanation.map(({ label, text }) => h("li", {}, h("b", {}, label), ` ${text}`)));
        }
    }
}
