// A dot product of 1 to 64 editable terms through several accumulators: the running total of each after every term.
import { xyChart } from "../chart/chart.js";
import { call } from "../core/call.js";
import { h } from "../dom.js";
import { items } from "../link.js";
import { choice, number, scrolled, tableOf, textField } from "./controls.js";
import { make, presets } from "./presets.js";
import { dotExpression, format } from "./state.js";

const inputs = ["fp32", "tf32", "bf16", "fp16", "e4m3", "e5m2", "e2m3", "e2m1"];
const lengths = ["8", "16", "32", "64"];
const hint = "fp32: one fma per step · each:fp32: multiply, then add · fma:bf16 · trunc14: 14 bits, as described for Hopper · "
    + "/promoteN: added to fp32 after N terms";
const kinds = ["one rounding per step", "product and sum rounded", "aligned and truncated"];

const listed = (values) => [...new Set(values)].join(", ");

function conclusion({ exact, terms, accumulators }) {
    if (exact === null) {
        return "The terms are not all finite: there is no exact sum.";
    }
    const last = terms[terms.length - 1], digits = exact.length <= 24 ? exact : `${last.exact_short} (rounded)`;
    const far = (a) => !a.compared ? Infinity : Math.abs(a.relative ?? a.sums[a.sums.length - 1] - last.exact_double);
    const least = Math.min(...accumulators.map(far)), most = Math.max(...accumulators.map(far));
    const say = (error, words) => {
        const those = accumulators.filter((a) => far(a) === error), [{ lost }] = those;
        const values = listed(those.map((a) => a.value)), bits = lost ? `, ${lost} of 24 bits lost` : "";
        return `${listed(those.map((a) => a.name))} ${those.length === 1 ? "is" : "are"} ${words} (${values}${bits})`;
    };
    const alike = accumulators.length > 1 ? "equally near" : "inexact";
    const ends = least < most ? `${say(least, "nearest")}; ${say(most, "farthest")}`
        : say(least, least === Infinity ? "not finite" : least === 0 ? "exact" : alike);
    return `The exact dot product is ${digits}. ${ends}.`;
}

export class Dot {
    constructor(page) {
        this.page = page;
        this.element = h("div", { class: "sum-dot" });
        this.build();
    }

    change(part) {
        this.state = { ...this.state, ...part };
        this.page.go(format(this.state), { replace: true });
    }

    build() {
        const input = choice("Inputs", inputs, { id: "dot-inputs", onchange: (value) => this.change({ inputs: value }) });
        const preset = choice("Fill with", [["", "choose ..."], ...presets.map(([id, text]) => [id, text])], { id: "dot-preset",
            onchange: (value) => value !== "" && this.change({ terms: make(value, items(this.state.terms).length) }) });
        const length = choice("Terms", lengths, { id: "dot-length", onchange: (value) => this.resize(Number(value)) });
        const accumulators = textField("Accumulators", { id: "dot-accumulators", width: 60, hint,
            oninput: (value) => this.change({ accumulators: value }) });
        const look = choice("Command for", [["", "the first that calc has"]], { id: "dot-look", onchange: (value) => this.change({ look: value }) });
        this.controls = { input, preset, length, accumulators, look };
        this.terms = h("div", { class: "terms", role: "group", "aria-label": "Terms" });
        this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
        this.failure = h("p", { class: "failure", role: "alert", hidden: true });
        this.chart = xyChart({ title: "Error of the running total", summary: () => this.verdict.textContent, height: 300,
            x: { label: "terms added", whole: true }, series: [],
            y: { label: "running total minus exact", scale: "symmetric", scales: ["linear", "symmetric"] } });
        this.table = scrolled("Results");
        this.steps = scrolled("Running totals");
        this.element.append(h("div", { class: "fields" }, input.element, length.element, preset.element, look.element),
            h("div", { class: "fields wide" }, accumulators.element), this.terms, this.failure, this.verdict, this.table, this.chart.element, h("h2", {}, "Running totals"),
            h("p", { class: "note" }, "The total of each accumulator if the sum ended here. ", h("span", { class: "unchanged" }, "= "),
                "marks a term, other than zero, that changed nothing."), this.steps);
    }

    resize(n) {
        const terms = items(this.state.terms);
        const more = items(make("mixed", n)).slice(terms.length);
        this.change({ terms: [...terms.slice(0, n), ...more].join(",") });
    }

    // Commas and colons separate in the address.
    edit(at, side, text) {
        if (/[,:]/.test(text)) {
            this.fail(`term ${at + 1} must have numbers such as 0.5 or 0x1.8p-3, not '${text}'`);
            return;
        }
        const terms = items(this.state.terms).map((term) => term.split(":"));
        terms[at][side] = text.trim();
        this.change({ terms: terms.map((pair) => pair.join(":")).join(",") });
    }

    followTerms() {
        const terms = items(this.state.terms).map((term) => term.split(":"));
        if (this.terms.children.length !== terms.length) {
            const factor = (i, side) => h("input", { "aria-label": `term ${i + 1}, ${side === 0 ? "first" : "second"} factor`, size: 7,
                autocomplete: "off", spellcheck: "false", oninput: (event) => this.edit(i, side, event.target.value) });
            this.terms.replaceChildren(...terms.map((_, i) => h("div", { class: "term" },
                h("span", { class: "index" }, String(i + 1)), factor(i, 0), h("span", {}, "×"), factor(i, 1))));
        }
        terms.forEach((pair, i) => this.terms.children[i].querySelectorAll("input").forEach((input, side) => {
            if (document.activeElement !== input) {
                input.value = pair[side] ?? "";
            }
        }));
    }

    update(state) {
        this.state = state;
        const { controls } = this, names = items(this.state.accumulators);
        controls.input.set(this.state.inputs);
        controls.length.set(String(items(this.state.terms).length));
        controls.preset.set("");
        controls.accumulators.set(this.state.accumulators);
        const can = names.filter((name) => dotExpression(this.state, name) !== null);
        controls.look.input.replaceChildren(h("option", { value: "" }, "the first that calc has"),
            ...can.map((name) => h("option", { value: name }, name)));
        controls.look.set(this.state.look);
        this.followTerms();
        try {
            this.show(call(this.page.core, "bnd_page_dot", this.state.terms, this.state.inputs, this.state.accumulators));
            this.failure.hidden = true;
        } catch (error) {
            this.fail(error.message);
        }
    }

    fail(message) {
        this.failure.textContent = message;
        this.failure.hidden = false;
        this.verdict.textContent = "";
        this.table.replaceChildren();
        this.steps.replaceChildren();
        this.chart.update({ series: [] });
    }

    show(answer) {
        const at = answer.terms.map((_, i) => i + 1);
        this.verdict.textContent = conclusion(answer);
        this.chart.update({ series: answer.accumulators.map((a) => ({ name: a.name, x: at,
            y: a.sums.map((v, i) => v === null || answer.exact === null ? null : v - answer.terms[i].exact_double) })) });
        this.table.replaceChildren(tableOf("Result by accumulator", ["Accumulator", "Step", "Result", "Error", "Relative", "Bits lost of 24"],
            answer.accumulators.map((a) => h("tr", { "data-accumulator": a.name }, h("th", { scope: "row" }, a.name),
                h("td", {}, kinds[a.kind] ?? ""), number(a.value, a.digits), number(a.error_short ?? "-"),
                number(a.relative_text ?? "-"), number(a.lost ?? "-")))));
        this.showSteps(answer);
    }

    showSteps(answer) {
        const zero = (t) => t.a.replace("-", "") === "0" || t.b.replace("-", "") === "0";
        const total = (a, i) => {
            const same = i > 0 && a.totals[i] === a.totals[i - 1] && !zero(answer.terms[i]);
            return h("td", { class: same ? "number unchanged" : "number" }, same ? "= " : "", a.totals[i]);
        };
        this.steps.replaceChildren(tableOf("Sum after each term", ["Term", "Product", "Exact", ...answer.accumulators.map((a) => a.name)],
            answer.terms.map((t, i) => h("tr", {}, h("th", { scope: "row" }, String(i + 1)), number(`${t.a} × ${t.b}`),
                number(t.exact_short ?? "-", t.exact), answer.accumulators.map((a) => total(a, i))))));
    }

    close() {
        this.chart.close();
    }
}
