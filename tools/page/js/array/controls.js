// The controls of the room Array: what is drawn, how it is rounded, and how the table is read.
import { h } from "../dom.js";
import { names } from "../link.js";
import { choice, roundings, textField, ungrouped } from "../sum/controls.js";
import { labelOf, lists, sources } from "./state.js";

const overflows = [["", "as the format has it"], ["saturate", "saturate"], ["propagate", "propagate"]];
const orders = [["best", "best first"], ["worst", "worst first"], ["listed", "as listed"]];
const budgets = [["4.5", "4.5"], ["6.5", "6.5"], ["9", "9"], ["16", "16"], ["64", "any"]];

export class Controls {
    // onchange(part of the state); onsave()
    constructor(onchange, onsave) {
        const text = (key, width, read = (value) => value.trim()) => textField(labelOf(key), {
            id: `array-${key}`, width, oninput: (value) => onchange({ [key]: read(value) }) });
        const pick = (key, label, options) => choice(label, options, { id: `array-${key}`, onchange: (value) => onchange({ [key]: value }) });
        this.all = {
            source: choice("Array", sources, { id: "array-source", onchange: (value) => onchange({ source: value, shape: "" }) }),
            n: text("n", 10, ungrouped), seed: text("seed", 6, ungrouped), scale: text("scale", 6), shape: text("shape", 6),
            outliers: text("outliers", 7), factor: text("factor", 6),
            round: pick("round", "Rounding", roundings), overflow: pick("overflow", "Overflow", overflows), sort: pick("sort", "Order", orders),
            bits: pick("bits", "Recommend up to (bits per element)", budgets),
            list: choice("Lists", [["", "choose ..."], ...lists], { id: "array-list",
                onchange: (value) => value !== "" && onchange({ formats: value, look: "" }) }),
            formats: textField("Formats and block formats", { id: "array-formats",
                oninput: (value) => onchange({ formats: names(value) }),
                hint: "A format, or one with a scale: e4m3/tensor (one for all), e4m3/row, e4m3/row:128, mxfp8, nvfp4, mxfp8:floor" }),
        };
        const { source, n, seed, scale, shape, outliers, factor, round, overflow, sort, bits, list, formats } = this.all;
        this.save = h("button", { type: "button", id: "array-save", onclick: onsave }, "Save as .npy");
        this.drawn = h("span", { class: "fields" }, [n, seed, scale, shape, outliers, factor].map((control) => control.element), this.save);
        this.element = h("div", {}, h("div", { class: "fields" }, source.element, this.drawn));
        this.how = h("div", {}, h("div", { class: "fields wide" }, formats.element),
            h("div", { class: "fields" }, [list, round, overflow, sort, bits].map((control) => control.element)));
    }

    follow(state) {
        for (const [key, control] of Object.entries(this.all)) {
            control.set(key === "list" ? "" : state[key]);
        }
        this.drawn.hidden = state.source === "image" || state.source === "file";
        const { shape } = this.all, label = labelOf("shape", state.source);
        shape.element.hidden = label === labelOf("shape");
        shape.element.firstChild.textContent = label;
    }
}
