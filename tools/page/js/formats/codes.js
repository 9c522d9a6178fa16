// Every code of a format of at most 16 bits. Only the rows that are in view exist; a search goes to a code, bits or value.
import { bitsOf } from "../block/bits.js";
import { h, select } from "../dom.js";
import { items, safely } from "../link.js";
import { namesInput } from "./names.js";
import { changed, namesOf } from "./state.js";

const ROW = 26, VIEW = 18; // pixels, rows

export class Codes {
    constructor(element, page, go) {
        Object.assign(this, { page, go, name: "", codes: [], shown: [], found: -1 });
        this.names = namesInput("Format of at most 16 bits", (text) => go(changed(this.state, { names: items(text)[0] ?? "", search: "", class: "" })));
        this.names.input.size = 18;
        this.search = h("input", { id: "formats-search", type: "search", autocomplete: "off", placeholder: "0x3c, 0b0 01111 00, 0.1", size: "24",
            oninput: () => go(changed(this.state, { search: this.search.value.trim() })) });
        this.classPlace = h("span", {});
        this.status = h("p", { class: "summary", role: "status" });
        this.body = h("div", { class: "formats-rows", role: "rowgroup" });
        this.scroll = h("div", { class: "formats-scroll", role: "table", "aria-label": "Codes", tabindex: "0", onscroll: () => this.draw() },
            h("div", { class: "formats-row formats-head", role: "row" }, ["code", "bits", "class", "value"].map((text) => h("span", { role: "columnheader" }, text))), this.body);
        element.append(h("div", {}, this.names.element, h("label", { class: "field", for: "formats-search" }, h("span", {}, "Find a code, bits or a value"), this.search), this.classPlace), this.status, this.scroll);
    }

    // A table of 65,536 codes takes a moment: the worker makes it.
    async load(name) {
        this.name = name;
        this.codes = [];
        this.client?.stop();
        this.status.textContent = `Computing the codes of ${name} …`;
        const client = this.client = this.page.worker();
        try {
            const answer = await client.run([...safely(["table", "--json"], [name])]);
            if (answer.status !== 0) {
                throw new Error(answer.errors.replace(/^binade( \w+)?: /, "").trim());
            }
            if (this.client === client) {
                this.codes = JSON.parse(answer.output).codes;
                this.apply();
            }
        } catch (error) {
            if (this.client === client) {
                this.status.textContent = error.message;
                this.status.classList.add("failure");
                this.filter("");
            }
        } finally {
            client.stop();
        }
    }

    update(state) {
        this.state = state;
        const name = items(namesOf(state))[0] ?? "";
        this.names.show(name);
        if (this.search.value.trim() !== (state.query.search ?? "")) {
            this.search.value = state.query.search ?? "";
        }
        if (name !== this.name) {
            this.status.classList.remove("failure");
            this.loaded = this.load(name);
        } else if (this.codes.length > 0) {
            this.apply();
        }
    }

    apply() {
        const { search = "", class: kind = "" } = this.state.query;
        const classes = [...new Set(this.codes.map((c) => c.class))];
        this.classPlace.replaceChildren(select("Class", [["", "all"], ...classes.map((c) => [c, c])], kind, (value) => this.go(changed(this.state, { class: value }))));
        this.filter(kind);
        this.status.classList.remove("failure");
        const words = `${this.shown.length.toLocaleString("en")} of ${this.codes.length.toLocaleString("en")} codes of ${this.name}.`;
        const code = search ? this.codeOf(search) : null;
        this.found = code === null ? -1 : this.shown.findIndex((c) => c.code === code);
        this.status.textContent = `${words}${!search ? "" : this.found >= 0 ? ` ${this.foundWords}` : ` ${this.foundWords || `Nothing is found for '${search.slice(0, 60)}'.`}`}`;
        this.scroll.setAttribute("aria-rowcount", String(this.shown.length + 1));
        if (this.found >= 0) {
            this.scroll.scrollTop = Math.max(0, (this.found - VIEW / 2) * ROW);
        }
        this.draw();
    }

    // The code of what was typed: hexadecimal, bits, or the code to which a value is rounded.
    codeOf(search) {
        const text = search.toLowerCase().replace(/^[^:]*:(?=0[xb])/, ""), bits = text.replace(/^0b/, "").replace(/[\s_]/g, "");
        this.foundWords = "";
        const found = /^0x[0-9a-f]+$/.test(text) ? this.codes.find((c) => BigInt(c.code) === BigInt(text))
            : /^0b/.test(text) ? this.codes.find((c) => c.bits.replaceAll(" ", "") === bits) : undefined;
        if (found) {
            this.foundWords = `${found.code} is ${found.value}.`;
            return found.code;
        }
        if (/^0[xb]/.test(text) && !/p/.test(text)) {
            return null;
        }
        try {
            const [r] = this.page.core.json(safely(["show", "-f", this.name], [search])).results;
            this.foundWords = r.error === "0" ? `${search} is ${r.code}.` : `${search} rounds to ${r.value}, code ${r.code}.`;
            return r.code;
        } catch (error) {
            this.foundWords = error.message;
            return null;
        }
    }

    filter(kind) {
        this.shown = kind ? this.codes.filter((c) => c.class === kind) : this.codes;
        this.body.style.height = `${this.shown.length * ROW}px`;
        this.scroll.style.setProperty("--bits", `${Math.max(3, 1.5 + 0.65 * (this.codes[0]?.bits.length ?? 0)).toFixed(2)}rem`);
        this.draw();
    }

    draw() {
        const from = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 4), rows = this.shown.slice(from, from + VIEW + 12);
        this.body.replaceChildren(...rows.map((c, k) => {
            const i = from + k;
            const row = h("div", { class: `formats-row${i === this.found ? " formats-found" : ""}`, role: "row", "aria-rowindex": i + 2 },
                h("span", { role: "cell" }, h("code", {}, c.code)), h("span", { role: "cell" }, bitsOf(c.bits, "")), h("span", { role: "cell" }, c.class), h("span", { role: "cell", class: "formats-value", title: c.value }, c.value));
            row.style.top = `${i * ROW}px`;
            return row;
        }));
    }

    close() {
        const client = this.client;
        this.client = null;
        client?.stop();
    }
}

export const open = (element, page, go) => new Codes(element, page, go);
