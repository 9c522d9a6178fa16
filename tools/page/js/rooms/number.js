// Number: values in formats, side by side. The answers are those of `binade show -v`.
import { h } from "../dom.js";
import { items } from "../link.js";
import { ask, formatFacts } from "../number/answer.js";
import { Card } from "../number/card.js";
import { readRounding } from "../number/choices.js";
import { Controls } from "../number/controls.js";
import { literalsOf } from "../number/literals.js";
import { RandomBits } from "../number/random.js";
import { drawn, filled, ruleKeys, showWords } from "../show_words.js";

const keys = [...ruleKeys, "exact"]; // in the order of the room's table in doc/reference/links.md

// The state with one part changed.
function changed({ path: [formats, values], query }, part, value) {
    const next = { ...query, [part]: value };
    if (part === "round" || part === "seed") {
        delete next.random; // it counts the bits of another rounding
    }
    return { room: "number", path: [part === "formats" ? value : formats, part === "values" ? value : values],
        query: Object.fromEntries(keys.filter((key) => next[key]).map((key) => [key, next[key]])) };
}

class View {
    constructor(element, page) {
        this.page = page;
        this.controls = new Controls(page.core, (part, value) => this.change(part, value));
        this.message = h("div", { class: "messages", role: "status" });
        this.random = h("div", {});
        this.cards = h("div", { class: "formats" });
        this.shown = "";
        element.classList.add("numbers", "room-number");
        element.append(this.controls.element, this.message, this.random, this.cards);
    }

    change(part, value) {
        this.page.go(changed(this.state, part, value), { replace: true });
    }

    // The value with this index becomes a code.
    setCode(index, format, code) {
        const values = items(this.state.path[1]);
        values[index] = `${format}:${code}`;
        this.change("values", values.join(","));
    }

    // Cards stay as long as values and formats are the same in number and name, so that the focus stays, too.
    arrange(answers) {
        const wanted = JSON.stringify(answers.map(({ results }) => results.map((r) => r.format)));
        if (wanted === this.shown) {
            return;
        }
        this.shown = wanted;
        const facts = formatFacts(this.page.core, this.state.path[0]);
        this.all = answers.map(({ results }, index) => results.map((r) =>
            new Card(facts.get(r.format), (code) => this.setCode(index, r.format, code))));
        this.headings = answers.map(() => h("h2", { class: "input" }));
        this.cards.replaceChildren(...this.all.flatMap((group, index) =>
            [answers.length > 1 && this.headings[index], ...group.map((card) => card.element)].filter(Boolean)));
    }

    showRandom(answers) {
        const { bits } = readRounding(this.state.query.round ?? "");
        const drawn = answers.flatMap(({ results }) => results).find((r) => r.random !== null)?.random;
        if (bits === null || drawn === undefined) {
            this.random.replaceChildren();
            this.bits = null;
        } else {
            if (this.bits?.bits !== drawn.bits) {
                this.bits = new RandomBits(drawn.bits, (value) => this.setRandom(value));
                this.random.replaceChildren(this.bits.element);
            }
            this.bits.update(drawn.drawn);
        }
    }

    // A number, or the next seed's.
    setRandom(value) {
        if (value !== null) {
            this.change("random", value);
        } else {
            this.change("seed", String(BigInt.asUintN(64, BigInt(/^\d+$/.test(this.state.query.seed) ? this.state.query.seed : "0") + 1n)));
        }
    }

    update(given) {
        const typed = given.path[1] ?? "";
        this.state = filled(given, room.start);
        this.controls.update(this.state, typed);
        const [shown, others] = drawn(this.state);
        const { answers, status, notes } = ask(this.page.core, showWords(shown));
        const failed = status > 1 || answers.length === 0;
        this.message.replaceChildren(...(failed && notes.length === 0 ? ["type a number"] : [...notes, ...others]).map((text) =>
            h("p", { class: failed ? "failure" : "note" }, text)));
        this.cards.classList.toggle("stale", failed);
        if (!failed) {
            this.arrange(answers);
            this.showRandom(answers);
            answers.forEach(({ input, results }, index) => {
                this.headings[index].textContent = input.length > 60 ? `${input.slice(0, 57)}…` : input;
                results.forEach((result, k) => this.all[index][k].update(result, input));
            });
        }
    }

    close() { }
}

export const room = {
    id: "number",
    title: "Number",
    summary: "One number in every format: its bits, its exact value, its error, and how it was rounded. Click a bit to change it.",
    start: { path: ["fp32,fp16,bf16,e4m3,e5m2", "0.1"], query: {} },

    command(state) {
        return showWords(filled(state, this.start));
    },

    literals(given, page) {
        const [state] = drawn(filled(given, this.start));
        const { answers, status } = ask(page.core, showWords(state));
        return status > 1 || answers.length !== 1 ? [] : literalsOf(answers[0].results, formatFacts(page.core, state.path[0]));
    },

    open(element, state, page) {
        const view = new View(element, page);
        view.update(state);
        return view;
    },
};
