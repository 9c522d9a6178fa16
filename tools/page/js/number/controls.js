// The controls of the room Number: value, formats, and the rule of the rounding. Each changes one part of the state.
import { h, select } from "../dom.js";
import { items, names } from "../link.js";
import { dialects, flushes, nans, overflows, presets, readRounding, roundings, tininess, writeRounding } from "./choices.js";

const titled = (list) => list.map(([name, title]) => [name, `${name} · ${title}`]);
const orDefault = (list, text) => [["", text], ...titled(list)];

// The names of a list's formats, groups opened, in the command's words.
function members(core, list) {
    return core.json(["formats", "-f", list]).formats.map((one) => one.name).join(",");
}

// Built-in formats as boxes to tick.
function boxes(core, chosen, onchange) {
    return core.json(["formats"]).formats.map((one) => h("label", { class: "box", title: one.title },
        h("input", { type: "checkbox", value: one.name, checked: chosen.includes(one.name),
            onchange: (event) => onchange(one.name, event.target.checked) }), ` ${one.name}`));
}

// change(part, value): part is "formats", "values" or a key of the query.
export class Controls {
    constructor(core, change) {
        this.core = core;
        this.change = change;
        this.value = h("input", { id: "value", class: "mono", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            "aria-describedby": "value-help", oninput: () => change("values", this.value.value) });
        this.formats = h("input", { id: "formats", class: "mono", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            onchange: () => change("formats", names(this.formats.value)) });
        this.preset = select("Set of formats", [["", "choose a set"], ...presets.map(([text, list]) => [list, text])], "", (list) => {
            this.preset.querySelector("select").value = "";
            if (list !== "") {
                change("formats", members(core, list));
            }
        });
        this.boxes = h("div", { class: "boxes" });
        this.picker = h("details", { ontoggle: () => this.fillBoxes() }, h("summary", {}, "Tick formats"), this.boxes);
        this.bits = h("input", { id: "bits", type: "number", min: 1, max: 62, onchange: () => this.setRounding() });
        this.bitsField = h("label", { class: "field", for: "bits" }, h("span", {}, "Random bits N"), this.bits);
        this.selects = {
            round: select("Rounding", orDefault(roundings, "default"), "", () => this.setRounding()),
            dialect: select("Dialect", orDefault(dialects(core), "none"), "", (v) => change("dialect", v)),
            overflow: select("Overflow", orDefault(overflows, "default"), "", (v) => change("overflow", v)),
            nan: select("NaN", orDefault(nans, "default"), "", (v) => change("nan", v)),
            flush: select("Subnormals", titled(flushes), "none", (v) => change("flush", v === "none" ? "" : v)),
            tininess: select("Tininess", titled(tininess), "after", (v) => change("tininess", v === "after" ? "" : v)),
        };
        for (const [key, label] of Object.entries(this.selects)) {
            label.querySelector("select").id = `rule-${key}`;
        }
        this.exact = h("input", { type: "checkbox", id: "exact", onchange: () => change("exact", this.exact.checked ? "1" : "") });
        this.element = h("form", { class: "controls", onsubmit: (event) => event.preventDefault() },
            h("label", { class: "field wide", for: "value" }, h("span", {}, "Number"), this.value),
            h("p", { class: "note", id: "value-help" }, "A decimal of any length (0.1, 1e-8), 0x1.8p3, inf, nan, a code (fp16:0x3c00, e2m1:0b0111), or an ",
                "expression (1/3, 2^-24, 448+16). Commas separate several. The command also takes pi, sqrt(2) and exp(1)."),
            h("div", { class: "line" }, h("label", { class: "field grow", for: "formats" }, h("span", {}, "Formats"), this.formats), this.preset),
            this.picker,
            h("div", { class: "line" }, this.selects.round, this.bitsField, this.selects.dialect),
            h("details", { class: "more" }, h("summary", {}, "Overflow, NaN, subnormals, digits"),
                this.selects.overflow, this.selects.nan, this.selects.flush, this.selects.tininess,
                h("label", { class: "box", for: "exact" }, this.exact, " every digit")));
    }

    setRounding() {
        const mode = this.selects.round.querySelector("select").value;
        const bits = Math.min(Math.max(Math.trunc(Number(this.bits.value)) || 8, 1), 62);
        this.change("round", mode === "" ? "" : writeRounding(mode, bits));
    }

    fillBoxes() {
        if (this.picker.open) {
            const chosen = items(this.formats.value);
            this.boxes.replaceChildren(...boxes(this.core, chosen, (name, on) => {
                const others = items(this.formats.value).filter((one) => one !== name);
                this.change("formats", (on ? [...others, name] : others).join(","));
            }));
        }
    }

    // What is typed at the moment stays as it is typed.
    update({ path: [formats, values], query }, typed) {
        if (document.activeElement !== this.value || this.value.value !== typed) {
            this.value.value = values;
        }
        if (document.activeElement !== this.formats) {
            this.formats.value = formats;
        }
        const { mode, bits } = readRounding(query.round ?? "");
        const shown = { ...query, round: mode, flush: query.flush ?? "none", tininess: query.tininess ?? "after" };
        for (const [key, label] of Object.entries(this.selects)) {
            label.querySelector("select").value = shown[key] ?? "";
        }
        this.bitsField.hidden = bits === null || mode === "sr-equal";
        if (document.activeElement !== this.bits) {
            this.bits.value = bits ?? 8;
        }
        this.exact.checked = query.exact === "1";
        for (const box of this.boxes.querySelectorAll("input")) {
            box.checked = items(formats).includes(box.value);
        }
    }
}
