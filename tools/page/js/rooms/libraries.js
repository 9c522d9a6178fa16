// Same number, eight libraries: each dialect's answer, grouped by answer, with its source. `binade show --dialects`.
import { h } from "../dom.js";
import { names } from "../link.js";
import { ask } from "../number/answer.js";
import { answersTable } from "../number/answers.js";
import { drawn, filled, showWords } from "../show_words.js";

// [what it shows, formats, values]
const examples = [
    ["above the range", "e4m3", "465"], ["the tie at the end", "e4m3", "464"], ["infinity", "e4m3", "inf"], ["-NaN", "e4m3", "-nan"],
    ["which NaN", "e5m2", "nan"], ["overflow of e5m2", "e5m2", "61440"], ["-0 without a -0", "e4m3fnuz", "-0"],
    ["half of the least value", "e4m3fnuz", "2^-11"], ["overflow of fp16", "fp16", "65520"], ["NaN in 4 bits", "e2m1", "nan"],
    ["zero as a scale", "e8m0", "0"], ["a tie of a scale", "e8m0", "3"], ["P3109", "binary8p3se", "inf"],
];

const state = (formats, values, query = {}) => ({ room: "libraries", path: [formats, values], query });

class View {
    constructor(element, page) {
        this.page = page;
        const field = (id, label, onevent) => {
            const input = h("input", { id, class: "mono", autocomplete: "off", autocapitalize: "off", spellcheck: "false", [onevent]: () => this.go() });
            return [input, h("label", { class: "field", for: id }, h("span", {}, label), input)];
        };
        const [value, valueField] = field("value", "Number", "oninput");
        const [formats, formatsField] = field("formats", "Formats", "onchange");
        Object.assign(this, { value, formats });
        this.examples = examples.map(([what, list, values]) => h("button", { type: "button", title: what,
            onclick: () => page.go(state(list, values)) }, `${values} → ${list}`));
        this.message = h("div", { class: "messages", role: "status" });
        this.answers = h("div", {});
        element.append(
            h("form", { class: "controls", onsubmit: (event) => event.preventDefault() }, valueField, formatsField),
            h("div", { class: "examples", role: "group", "aria-label": "Examples" }, this.examples), this.message, this.answers,
            h("p", { class: "note" }, "Each rule is what its source states. Tests also compare CUDA's rules with the headers of CUDA 13.0."));
    }

    go() {
        this.page.go(state(names(this.formats.value), this.value.value, this.query), { replace: true });
    }

    update(given) {
        const { path, query } = filled(given, room.start), [shown, others] = drawn({ path, query });
        this.query = query.exact === "1" ? { exact: "1" } : {};
        for (const [input, text, typed] of [[this.formats, path[0], given.path[0]], [this.value, path[1], given.path[1]]]) {
            if (document.activeElement !== input || input.value !== (typed ?? "")) {
                input.value = text;
            }
        }
        const { answers, status, notes } = ask(this.page.core, room.command(shown), { verbose: false });
        const failed = status > 1 || answers.length === 0;
        this.message.replaceChildren(...(failed && notes.length === 0 ? ["type a number"] : [...notes, ...others]).map((text) =>
            h("p", { class: failed ? "failure" : "note" }, text)));
        this.answers.classList.toggle("stale", failed);
        const [first] = failed ? [] : answers.flatMap((one) => one.findings ?? []);
        document.title = `${first?.finding ?? room.title} - binade`;
        if (!failed) {
            this.answers.replaceChildren(...answers.flatMap((one) => (one.findings ?? []).map(({ format, finding }) =>
                answersTable(finding, one.answers.filter((row) => row.format === format)))));
        }
    }

    close() { }
}

export const room = {
    id: "libraries",
    title: "Same number, eight libraries",
    summary: "One number under the conversion rules of PyTorch, JAX, ONNX, CUDA, OCP and P3109: who gives which result, and where the rule is written.",
    start: { path: ["e4m3", "465"], query: {} },

    command(given) {
        return showWords(filled(given, this.start), { libraries: true });
    },

    open(element, given, page) {
        element.classList.add("numbers", "room-libraries");
        const view = new View(element, page);
        view.update(given);
        return view;
    },
};
