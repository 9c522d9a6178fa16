// The number line: every finite value of two or more small formats, to scale, linear or logarithmic, with a zoom.
import { Frame } from "../chart/frame.js";
import { styleOf } from "../chart/look.js";
import { makeScale } from "../chart/scale.js";
import { cut, widthOf } from "../chart/text.js";
import { numberOfHex } from "../block/hex.js";
import { svg as s } from "../dom.js";
import { safely } from "../link.js";
import { namesInput } from "./names.js";
import { changed, factsOf, namesOf } from "./state.js";

const ROW = 54, TICK = 24, WIDEST = 10; // bits

// A drawing for Frame. spec.rows: [{ name, values: [{ at, text, code, subnormal }] }], values ascending.
class Line {
    constructor(spec, onScale) {
        this.spec = spec;
        this.view = null;
        this.kind = "linear";
        this.onScale = onScale;
    }

    attach(frame) {
        this.frame = frame;
    }

    scales() {
        return [{ label: "axis", value: this.kind, options: ["linear", "log"], set: (kind) => { this.kind = kind; this.view = null; this.onScale(kind); } }];
    }

    shown(row) {
        return this.kind === "log" ? row.values.filter((v) => v.at > 0) : row.values;
    }

    whole() {
        const all = this.spec.rows.flatMap((row) => this.shown(row)).map((v) => v.at);
        const low = Math.min(...all), high = Math.max(...all);
        return this.kind === "log" ? [low / 1.2, high * 1.2] : [low - (high - low) * 0.02, high + (high - low) * 0.02];
    }

    draw(svg, width) {
        const { rows } = this.spec;
        if (rows.every((row) => this.shown(row).length === 0)) {
            return 40;
        }
        this.left = Math.min(150, Math.max(50, ...rows.map((row) => widthOf(cut(row.name, 20)) + 12)));
        this.right = width - 14;
        const [from, to] = this.view ?? this.whole();
        this.sx = makeScale({ kind: this.kind, from, to, start: this.left, end: this.right });
        const bottom = 8 + rows.length * ROW;
        for (const tick of this.sx.ticks(Math.max(2, (this.right - this.left) / 76))) {
            const x = this.sx.at(tick.value).toFixed(1);
            svg.append(s("path", { d: `M${x},4V${bottom}`, class: "chart-grid" }));
            if (tick.text) {
                svg.append(s("text", { x, y: bottom + 15, class: "chart-faint chart-small chart-middle" }, tick.text));
            }
        }
        rows.forEach((row, i) => svg.append(...this.row(row, i, 8 + i * ROW)));
        return bottom + 24;
    }

    // Long ticks are normal values, short ones subnormal values and zeros.
    row(row, i, y) {
        const { sx, left, right } = this, paths = { long: [], short: [] }, base = y + 34;
        for (const v of this.shown(row)) {
            const x = sx.at(v.at);
            if (x >= left - 0.5 && x <= right + 0.5) {
                paths[v.subnormal ? "short" : "long"].push(`M${x.toFixed(1)},${base}v${v.subnormal ? -TICK / 2 : -TICK}`);
            }
        }
        const look = styleOf(1 + (i % 7));
        return [s("text", { x: left - 8, y: base - 4, class: "chart-text chart-end" }, cut(row.name, 20)), s("path", { d: `M${left},${base}H${right}`, class: "chart-axis" }),
            ...Object.values(paths).filter((p) => p.length > 0).map((p) => s("path", { d: p.join(""), class: `chart-line ${look.colour}`, "stroke-width": 1.3 }))];
    }

    zoomTo(from, to) {
        const ends = [from.x, to.x].sort((a, b) => a - b).map((x) => this.sx.value(Math.min(this.right, Math.max(this.left, x))));
        this.view = ends[1] > ends[0] ? ends : this.view;
    }

    zoom(factor) {
        const middle = (this.left + this.right) / 2, half = ((this.right - this.left) / 2) * factor, whole = this.whole();
        const ends = [middle - half, middle + half].map((x) => this.sx.value(x));
        this.view = ends[0] <= whole[0] && ends[1] >= whole[1] ? null : [Math.max(whole[0], ends[0]), Math.min(whole[1], ends[1])];
    }

    reset() {
        this.view = null;
    }

    read(row, v) {
        return [row.name, ["value", v.text], ["code", v.code], ["class", v.subnormal ? "subnormal or zero" : "normal"]];
    }

    nearest(row, x) {
        return this.shown(row).reduce((best, v) => (Math.abs(this.sx.at(v.at) - x) < Math.abs(this.sx.at(best.at) - x) ? v : best));
    }

    cursor(at) {
        const row = this.spec.rows[Math.floor((at.y - 8) / ROW)];
        return row && this.shown(row).length > 0 && at.x >= this.left - 4 ? this.read(row, this.nearest(row, at.x)) : null;
    }

    // Left and right go from value to value, up and down from format to format.
    key(name) {
        const { rows } = this.spec;
        this.r = Math.max(0, Math.min(rows.length - 1, (this.r ?? 0) + ({ ArrowDown: 1, ArrowUp: -1 }[name] ?? 0)));
        const values = this.shown(rows[this.r]), step = { ArrowRight: 1, ArrowLeft: -1 }[name] ?? 0;
        this.i = name === "Home" ? 0 : name === "End" ? values.length - 1 : Math.max(0, Math.min(values.length - 1, (this.i ?? -1) + step));
        const v = values[this.i];
        return { rows: this.read(rows[this.r], v), at: { x: this.sx.at(v.at), y: 8 + this.r * ROW } };
    }

    table() {
        return { head: ["format", "code", "value"], rows: this.spec.rows.flatMap((row) => this.shown(row).map((v) => [row.name, v.code, v.text])) };
    }
}

const tables = new Map();

// Every finite value of a format, ascending.
function valuesOf(core, name) {
    if (!tables.has(name)) {
        const { codes } = core.json(safely(["table"], [name]));
        tables.set(name, codes.filter((c) => !/NaN|infinity/i.test(c.class)).map((c) => ({ at: numberOfHex(c.hex), text: c.value, code: c.code, subnormal: /subnormal|zero/.test(c.class) }))
            .filter((v) => Number.isFinite(v.at)).sort((a, b) => a.at - b.at));
    }
    return tables.get(name);
}

export function open(element, page, go) {
    let state = null;
    const names = namesInput("Formats of at most 10 bits", (text) => go(changed(state, { names: text })));
    const spec = { title: "Values on the number line", rows: [] }, drawing = new Line(spec, (kind) => go(changed(state, { scale: kind === "linear" ? "" : kind })));
    const frame = new Frame(spec, drawing), chart = frame.handle();
    element.append(names.element, chart.element);
    return {
        update(now) {
            state = now;
            names.show(namesOf(state));
            const formats = factsOf(page.core, namesOf(state));
            const wide = formats.find((f) => f.width === 0 || f.width > WIDEST);
            if (wide) {
                throw new Error(wide.width === 0 ? `${wide.name} is a value set: it has no codes to draw` : `${wide.name} has ${wide.width} bits; the number line draws formats of at most ${WIDEST} bits`);
            }
            if (formats.length > 6) {
                throw new Error(`the number line draws at most 6 formats, got ${formats.length}`);
            }
            const kind = state.query.scale === "log" ? "log" : "linear";
            drawing.view = kind === drawing.kind && namesOf(state) === this.names ? drawing.view : null;
            drawing.kind = kind;
            this.names = namesOf(state);
            chart.update({ title: "Values on the number line", rows: formats.map((f) => ({ name: f.name, values: valuesOf(page.core, f.name) })),
                summary: `Every finite value of ${formats.map((f) => f.name).join(" and ")}, to scale.`,
                note: `Long marks: normal values. Short marks: subnormal values and zeros.${kind === "log" ? " Positive values only." : ""} Drag, or press +, to zoom.` });
        },
        close: () => chart.close(),
    };
}
