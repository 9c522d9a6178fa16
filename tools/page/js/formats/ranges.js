// The range of each format as a bar on a logarithmic axis, subnormal values hatched; and where given values land.
import { Frame } from "../chart/frame.js";
import { hatch, styleOf } from "../chart/look.js";
import { makeScale, powerText } from "../chart/scale.js";
import { cut, widthOf } from "../chart/text.js";
import { log2OfHex } from "../block/hex.js";
import { h, svg as s } from "../dom.js";
import { items, safely } from "../link.js";
import { namesInput } from "./names.js";
import { changed, factsOf, limited, namesOf, unlimited } from "./state.js";

const STEP = 26, BAR = 15, DECADE = Math.log10(2);

// A drawing for Frame. spec.formats: facts; spec.values: [{ text, at (log2) }].
class Bars {
    constructor(spec) {
        this.spec = spec;
    }

    attach(frame) {
        this.frame = frame;
    }

    drawn() {
        return this.spec.formats.filter(limited);
    }

    draw(svg, width) {
        const formats = this.drawn(), { values } = this.spec;
        const left = Math.min(150, Math.max(56, ...formats.map((f) => widthOf(cut(f.name, 20)) + 12))), right = width - 16;
        const ends = [...formats.flatMap((f) => [f.log2_min, f.log2_max]), ...values.map((v) => v.at)].map((x) => x * DECADE);
        this.sx = makeScale({ from: Math.floor(Math.min(0, ...ends)), to: Math.ceil(Math.max(1, ...ends)), start: left, end: right, whole: true });
        const place = (log2) => this.sx.at(log2 * DECADE), taken = []; // of labels, which do not cover each other
        const marks = [...values].sort((a, b) => a.at - b.at).map((v) => {
            const text = cut(v.text, 14), x = place(v.at), half = widthOf(text) / 2 + 3, free = taken.findIndex((to) => to < x - half);
            const row = free < 0 ? taken.length : free;
            taken[row] = x + half;
            return { text, x: x.toFixed(1), row };
        });
        const top = 6 + taken.length * 14 + (marks.length > 0 ? 2 : 0), bottom = top + formats.length * STEP;
        for (const tick of this.sx.ticks(Math.max(2, (right - left) / 64))) {
            const x = this.sx.at(tick.value).toFixed(1);
            svg.append(s("path", { d: `M${x},${top}V${bottom}`, class: "chart-grid" }),
                s("text", { x, y: bottom + 16, class: "chart-faint chart-small chart-middle" }, powerText("10", tick.value)));
        }
        formats.forEach((f, i) => svg.append(...this.bar(f, top + i * STEP, left, place)));
        for (const { text, x, row } of marks) {
            svg.append(s("path", { d: `M${x},${top - 4 - 14 * row}V${bottom}`, class: "chart-rule" }), s("text", { x, y: top - 8 - 14 * row, class: "chart-text chart-small chart-middle" }, text));
        }
        this.top = top;
        return bottom + 24;
    }

    // Subnormal values have at least two pixels, however few binades they are.
    bar(f, y, left, place) {
        const normals = f.log2_min_normal !== null, subnormal = !normals || f.log2_min < f.log2_min_normal, from = place(f.log2_min);
        const normal = Math.max(place(normals ? f.log2_min_normal : f.log2_max), from + (subnormal ? 2 : 0)), to = Math.max(place(f.log2_max), normal + 1.5);
        const look = styleOf(1), rect = (x, end, name) => s("rect", { x: x.toFixed(1), y: y + 4, width: Math.max(0.5, end - x).toFixed(1), height: BAR, class: name });
        return [s("text", { x: left - 8, y: y + 16, class: "chart-text chart-end" }, cut(f.name, 20)), ...(normals ? [rect(normal, to, `chart-fill ${look.colour}`)] : []),
            ...(subnormal ? [rect(from, normal, "formats-subnormal"), ...hatch(styleOf(4), from, y + 4, normal - from, BAR)] : [])];
    }

    read(f) {
        return [f.name, ["largest", f.max], ["smallest normal", f.min_normal], ["smallest subnormal", f.min_subnormal]];
    }

    cursor(at) {
        const f = this.drawn()[Math.floor((at.y - this.top) / STEP)];
        return f && at.y >= this.top ? this.read(f) : null;
    }

    key(name) {
        const formats = this.drawn(), step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[name];
        this.at = name === "Home" ? 0 : name === "End" ? formats.length - 1 : Math.max(0, Math.min(formats.length - 1, (this.at ?? -1) + step));
        return { rows: this.read(formats[this.at]), at: { x: this.sx.start + 20, y: this.top + this.at * STEP } };
    }

    table() {
        return { head: ["format", "smallest subnormal", "smallest normal", "largest"], rows: this.drawn().map((f) => [f.name, f.min_subnormal, f.min_normal, f.max]) };
    }
}

const outcomes = { ok: "kept", sub: "subnormal", zero: "→ 0", max: "→ largest", inf: "→ ∞", nan: "→ NaN", min: "→ smallest", "no-nan": "NaN → number", abs: "→ magnitude" };

// What becomes of each value in each format, by `binade range`.
function cells(core, names, values) {
    const list = core.json(safely(["range", "-f", names], values)).cells;
    const formats = [...new Set(list.map((c) => c.format))];
    return h("table", { class: "formats-outcomes" }, h("caption", { class: "offscreen" }, "Values in each format"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "value"), formats.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, values.map((value, i) => h("tr", {}, h("th", { scope: "row", class: "number" }, value),
            list.slice(i * formats.length, (i + 1) * formats.length).map((c) => h("td", { title: c.result, class: c.outcome === "ok" ? "good" : c.outcome === "sub" ? null : "bad" }, outcomes[c.outcome] ?? c.outcome))))));
}

// The place of a value on the axis: log2 in a format with a wide range. Values that are not positive and finite have
// none, and one that cannot be read hides no other: the table says what is wrong with it.
function place(core, text) {
    try {
        return log2OfHex(core.json(safely(["show", "-f", "e15m48ieee"], [text])).results[0].hex);
    } catch {
        return NaN;
    }
}

const placed = (core, values) =>
    values.map((text) => ({ text, at: place(core, text) })).filter((v) => Number.isFinite(v.at));

export function open(element, page, go) {
    let state = null;
    const names = namesInput("Formats", (text) => go(changed(state, { names: text })));
    const values = h("input", { id: "formats-values", type: "text", autocomplete: "off", placeholder: "1e-8, 0.1, 448, 70000", size: "24",
        onchange: () => go(changed(state, { values: items(values.value.replaceAll(" ", ",")).join(",") })) });
    const frame = new Frame({ title: "Range of the positive values", note: "Solid: normal values. Hatched: subnormal values, with fewer bits.", formats: [], values: [] }, new Bars({}));
    frame.drawing.spec = frame.spec;
    const chart = frame.handle(), table = h("div", { class: "scroll" });
    element.append(h("div", {}, names.element, h("label", { class: "field", for: "formats-values" }, h("span", {}, "Values to mark"), values)), chart.element, table);
    return {
        update(now) {
            state = now;
            names.show(namesOf(state));
            values.value = document.activeElement === values ? values.value : items(state.query.values).join(", ");
            const given = items(state.query.values), formats = factsOf(page.core, namesOf(state));
            chart.update({ formats, values: placed(page.core, given), title: "Range of the positive values",
                summary: `Bars of ${formats.length} formats on a logarithmic axis; the table has their ends.`,
                note: `Solid: normal values. Hatched: subnormal values, with fewer bits.${unlimited(formats)}` });
            table.replaceChildren();
            if (given.length > 0) {
                table.append(cells(page.core, namesOf(state), given));
            }
        },
        close: () => chart.close(),
    };
}
