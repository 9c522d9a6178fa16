// Block: numbers that share a scale, under each scale rule. The answers are those of `binade block`.
import { h, select } from "../dom.js";
import { drawing, drawingSpec } from "../block/drawing.js";
import { elementsTable, sideBySide } from "../block/elements.js";
import { literalsOf } from "../block/literals.js";
import { Numbers } from "../block/numbers.js";
import { presets } from "../block/presets.js";
import { notes, rulesTable } from "../block/rules.js";
import { changed, formatOf, numbersOf, start, words } from "../block/state.js";

const formats = ["mxfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8", "mxfp8-e5m2", "mxint8", "nvfp4", "nvfp4-subnormal", "e4m3/row", "e4m3/tensor"];
const modes = ["", "rne", "rna", "rtz", "rup", "rdn", "rto", "sr:8", "sr:32", "sr-equal"];
const counts = [1, 4, 8, 16, 32];

const shownRule = (answer, state) => answer.rules.find((r) => r.rule === state.query.show) ?? answer.rules.find((r) => r.best) ?? answer.rules[0];

class View {
    constructor(element, page) {
        this.page = page;
        this.numbers = new Numbers((numbers) => this.go({ numbers }));
        this.controls = h("div", { class: "block-controls" });
        this.message = h("p", { class: "block-message failure", role: "alert" });
        this.facts = h("p", { class: "summary" });
        this.rules = h("div", { class: "scroll" });
        this.notes = h("div", {});
        this.chartPlace = h("div", {});
        this.elements = h("div", { class: "scroll" });
        this.side = h("div", { class: "scroll" });
        this.results = h("div", {}, this.facts, h("h2", {}, "Scale rules"), this.rules, this.notes, this.chartPlace,
            h("h2", {}, "Elements"), h("div", { class: "block-tables" }, this.elements, this.side));
        element.append(this.controls, h("div", { class: "block-presets", role: "group", "aria-label": "Examples" }, presets.map((p) => this.preset(p))),
            this.numbers.element, this.message, this.results);
    }

    go(change) {
        this.page.go(changed(this.state, change), { replace: true });
    }

    preset({ name, note, numbers, format, tensor }) {
        return h("button", { type: "button", title: note, onclick: () => {
            const length = format ? numbers.length : Math.min(numbers.length, Math.max(4, numbersOf(this.state).length));
            this.page.go(changed(this.state, { numbers: numbers.slice(0, length), ...(format ? { format, rule: "" } : {}), "tensor-scale": tensor ?? "" }));
            this.page.announce(`${name}: ${note}`);
        } }, name);
    }

    resize(count) {
        const numbers = numbersOf(this.state);
        this.go({ numbers: Array.from({ length: count }, (_, i) => numbers[i] ?? presets[0].numbers[i % 32]) });
    }

    // Controls are made anew where the format changes; the input of the tensor's scale keeps its cursor.
    drawControls(answer) {
        const format = formatOf(this.state), count = numbersOf(this.state).length, most = Number(answer?.length ?? 32);
        const key = [format, count, this.state.query.round, this.state.query.rule, answer?.rules[0]?.tensor_scale !== null].join("|");
        if (key === this.controlsKey && answer) {
            return this.drawTensor();
        }
        this.controlsKey = key;
        const others = (list, value) => (list.includes(value) ? list : [...list, value]);
        const holder = document.activeElement?.closest?.(".block-controls [data-key]")?.dataset.key;
        const field = (name, element) => { element.dataset.key = name; return element; };
        this.tensor = h("input", { id: "block-tensor", type: "text", size: "12", placeholder: "of this block", autocomplete: "off",
            oninput: () => this.go({ "tensor-scale": this.tensor.value.trim() }) });
        const hasTensor = answer ? answer.rules.some((r) => r.tensor_scale) : /nvfp4/.test(format);
        this.controls.replaceChildren(
            field("format", select("Block format", others(formats, format), format, (value) => this.chooseFormat(value))),
            field("count", select("Numbers", others(counts.filter((n) => n <= most), count).sort((a, b) => a - b).map((n) => [String(n), String(n)]), String(count), (value) => this.resize(Number(value)))),
            field("round", select("Rounding of elements", others(modes, this.state.query.round ?? "").map((m) => [m, m || "rne (default)"]), this.state.query.round ?? "", (value) => this.go({ round: value }))),
            hasTensor ? field("tensor", h("label", { class: "field" }, h("span", {}, "Tensor scale"), this.tensor)) : "");
        this.drawTensor();
        if (holder) {
            this.controls.querySelector(`[data-key="${holder}"] :is(select, input)`)?.focus();
        }
    }

    drawTensor() {
        const text = this.state.query["tensor-scale"] ?? "";
        if (this.tensor.value.trim() !== text) {
            this.tensor.value = text;
        }
    }

    // Other block formats have other rules and lengths.
    chooseFormat(format) {
        const most = Number(this.page.core.json(["formats", format]).block_formats?.[0]?.shares) || Infinity;
        this.go({ format, numbers: numbersOf(this.state).slice(0, most), rule: "", show: "", "tensor-scale": "" });
    }

    update(state) {
        this.state = state;
        this.right = false;
        try {
            this.answer = this.page.core.json(words(state));
        } catch (error) {
            return this.refuse(error);
        }
        this.right = true;
        this.message.textContent = "";
        this.results.classList.remove("block-stale");
        this.drawControls(this.answer);
        this.numbers.update(numbersOf(state), null);
        this.draw();
    }

    // The last answer stays, faint; the inputs that hold the word of the message are marked.
    refuse(error) {
        this.message.textContent = error.message;
        this.results.classList.add("block-stale");
        this.drawControls(null);
        this.numbers.update(numbersOf(this.state), /^'(.*?)(?:\.\.\.)?':/.exec(error.message)?.[1] ?? null);
    }

    draw() {
        const { answer } = this;
        const shown = shownRule(answer, this.state);
        const focused = document.activeElement?.name === "block-rule";
        this.facts.textContent = `${answer.block_format}: ${answer.shares}${shown.tensor_scale ? ", and a tensor one fp32 scale" : ""}. `
            + `The largest magnitude here is ${answer.amax.shortest}; the largest element is ${answer.largest_element}.`;
        this.rules.replaceChildren(rulesTable(answer, shown.rule, (rule) => this.go({ show: rule })));
        this.notes.replaceChildren(...notes(answer));
        this.elements.replaceChildren(elementsTable(answer, shown));
        this.side.replaceChildren(sideBySide(answer));
        if (this.chart) {
            this.chart.update(drawingSpec(answer, shown));
        } else {
            this.chart = drawing(answer, shown);
            this.chartPlace.append(this.chart.element);
        }
        if (focused) {
            this.rules.querySelector("input:checked")?.focus();
        }
    }

    close() {
        this.chart?.close();
    }
}

export const room = {
    id: "block",
    title: "Block",
    summary: "Numbers that share a scale: scale, elements and errors under each scale rule.",
    start,
    command: words,
    // Of the answer that is shown; a state with a mistake has none.
    literals(state, { view }) {
        return view?.right ? literalsOf(view.answer, shownRule(view.answer, state)) : [];
    },
    open(element, state, page) {
        const view = new View(element, page);
        view.update(state);
        return view;
    },
};
