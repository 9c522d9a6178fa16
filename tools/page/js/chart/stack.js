// Stacked bars, one per row: memory by role. Rows have names, series are the parts. Each part is told by colour, hatch
// and a label in it; the total stands at the end.

import { svg as s } from "../dom.js";
import { cut, widthOf } from "./text.js";
import { styleOf, hatch } from "./look.js";
import { makeScale, numberText } from "./scale.js";

const BAR = 20;
const STEP = 30;

export class Stack {
    constructor(spec) {
        this.spec = spec;
    }

    attach(frame) {
        this.frame = frame;
    }

    text(value) {
        return this.spec.format ? this.spec.format(value) : numberText(value, 4);
    }

    visible() {
        return this.spec.series.map((one, i) => ({ ...one, key: one.key ?? one.name, look: styleOf((one.style ?? i) + 1) }))
            .filter((one) => !this.frame.hidden.has(one.key));
    }

    totals(series) {
        return this.spec.rows.map((_, r) => series.reduce((sum, one) => sum + (one.values[r] || 0), 0));
    }

    draw(svg, width) {
        const { rows } = this.spec, series = this.visible(), totals = this.totals(series);
        const names = Math.min(190, Math.max(60, ...rows.map((name) => widthOf(cut(name, 26)) + 12)), width * 0.36);
        const left = names, right = width - 86, bottom = 6 + rows.length * STEP;
        this.sx = makeScale({ from: 0, to: Math.max(...totals, 0) || 1, start: left, end: Math.max(left + 20, right) });
        for (const tick of this.sx.ticks(Math.max(2, (right - left) / 90))) {
            const x = this.sx.at(tick.value).toFixed(1);
            svg.append(s("path", { d: `M${x},2V${bottom}`, class: "chart-grid" }),
                s("text", { x, y: bottom + 15, class: "chart-faint chart-small chart-middle" }, this.text(tick.value)));
        }
        rows.forEach((name, r) => svg.append(...this.row(name, r, series, totals[r], left)));
        svg.append(s("path", { d: `M${left},2V${bottom}`, class: "chart-axis" }));
        this.cursorGroup = s("g", { class: "chart-cursor" });
        svg.append(this.cursorGroup);
        return bottom + 24;
    }

    row(name, r, series, total, left) {
        const y = 6 + r * STEP, out = [s("text", { x: left - 8, y: y + BAR / 2 + 4, class: "chart-text chart-end" }, cut(name, Math.floor((left - 10) / 6.4)))];
        let sum = 0;
        for (const one of series) {
            const value = one.values[r] || 0;
            const x = this.sx.at(sum), room = this.sx.at(sum + value) - x;
            sum += value;
            if (room > 0.3) {
                const label = cut(one.name, 12);
                const fits = room > widthOf(label) + 8;
                out.push(s("rect", { x: x.toFixed(1), y, width: room.toFixed(1), height: BAR, class: `chart-fill ${one.look.colour}` }), ...hatch(one.look, x, y, room, BAR),
                    ...(fits ? [s("text", { x: x + room / 2, y: y + BAR / 2 + 4, class: "chart-on chart-small chart-middle" }, label)] : []));
            }
        }
        out.push(s("text", { x: this.sx.at(sum) + 6, y: y + BAR / 2 + 4, class: "chart-text chart-small" }, this.text(total)));
        return out;
    }

    readRow(r) {
        const series = this.visible(), total = this.totals(series)[r];
        return [this.spec.rows[r], ...series.map((one) => [one.name, this.text(one.values[r] || 0)]), ["total", this.text(total)]];
    }

    cursor(at) {
        const r = Math.floor((at.y - 6) / STEP);
        return r >= 0 && r < this.spec.rows.length ? this.readRow(r) : null;
    }

    key(name) {
        const last = this.spec.rows.length - 1;
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[name];
        this.at = name === "Home" ? 0 : name === "End" ? last : Math.max(0, Math.min(last, (this.at ?? -1) + step));
        return { rows: this.readRow(this.at), at: { x: this.sx.start + 20, y: 6 + this.at * STEP } };
    }

    table() {
        const series = this.visible(), totals = this.totals(series);
        return { head: [this.spec.rowLabel ?? "", ...series.map((one) => one.name), "total"],
            rows: this.spec.rows.map((name, r) => [name, ...series.map((one) => this.text(one.values[r] || 0)), this.text(totals[r])]) };
    }
}
