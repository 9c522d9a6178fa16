// A heat map: rows by columns, each cell with its number, so that colour only helps. Cells can be marked as best or as
// failed.

import { svg as s } from "../dom.js";
import { cut, widthOf } from "./text.js";
import { numberText } from "./scale.js";

const HEIGHT = 26;

// From light to dark in lightness alone, so that it reads in grey and for every kind of colour vision.
function shade(share) {
    const stops = [[253, 245, 214], [226, 196, 113], [166, 140, 110], [92, 98, 128], [24, 50, 99]];
    const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1), i = Math.floor(at), part = at - i;
    const mix = stops[i].map((v, c) => Math.round(v + (stops[i + 1][c] - v) * part));
    return { fill: `rgb(${mix.join(",")})`, text: share > 0.5 ? "#fff" : "#1b1f24" };
}

export class Heat {
    constructor(spec) {
        this.spec = spec;
    }

    attach(frame) {
        this.frame = frame;
    }

    text(r, c) {
        const { texts, values, format } = this.spec, value = values[r][c];
        return texts?.[r]?.[c] ?? (value === null || value === undefined ? "" : format ? format(value) : numberText(value, 4));
    }

    share(value) {
        const log = this.spec.scale === "log", map = log ? Math.log : (v) => v;
        const all = this.spec.values.flat().filter((v) => v !== null && Number.isFinite(v) && !(log && v <= 0));
        const [low, high] = [map(Math.min(...all)), map(Math.max(...all))];
        return high > low && !(log && value <= 0) ? (map(value) - low) / (high - low) : 0; /* 0 has no logarithm: the lightest */
    }

    draw(svg, width) {
        const { rows, columns } = this.spec;
        const left = Math.min(180, Math.max(40, ...rows.map((name) => widthOf(cut(name, 26)) + 10)), width * 0.4);
        const cell = (width - left - 4) / Math.max(1, columns.length), top = 20;
        this.box = { left, top, cell };
        columns.forEach((name, c) => svg.append(s("text", { x: left + (c + 0.5) * cell, y: 13, class: "chart-faint chart-small chart-middle" }, cut(name, Math.floor(cell / 6.4)))));
        rows.forEach((name, r) => {
            svg.append(s("text", { x: left - 6, y: top + r * HEIGHT + 17, class: "chart-text chart-end" }, cut(name, Math.floor((left - 8) / 6.4))));
            columns.forEach((_, c) => svg.append(...this.cell(r, c)));
        });
        const bottom = top + rows.length * HEIGHT;
        svg.append(s("text", { x: left + (columns.length * cell) / 2, y: bottom + 16, class: "chart-faint chart-middle" }, this.spec.columnLabel ?? ""));
        return bottom + (this.spec.columnLabel ? 24 : 6);
    }

    cell(r, c) {
        const { left, top, cell } = this.box, value = this.spec.values[r][c], mark = this.spec.marks?.[r]?.[c];
        const x = left + c * cell, y = top + r * HEIGHT, known = value !== null && value !== undefined && Number.isFinite(value);
        const colour = known ? shade(this.share(value)) : null;
        const text = cut(this.text(r, c), Math.floor(cell / 6.2));
        return [s("rect", { x, y, width: cell, height: HEIGHT, class: known ? "chart-cell" : "chart-none", fill: colour?.fill }),
            ...(mark === "best" ? [s("rect", { x: x + 1.5, y: y + 1.5, width: cell - 3, height: HEIGHT - 3, class: "chart-best-under" }),
                s("rect", { x: x + 1.5, y: y + 1.5, width: cell - 3, height: HEIGHT - 3, class: "chart-best" })] : []),
            s("text", { x: x + cell / 2, y: y + 17, class: `chart-small chart-middle${known ? "" : " chart-faint"}${mark === "best" ? " chart-bold" : ""}`, fill: colour?.text }, text)];
    }

    read(r, c) {
        const mark = this.spec.marks?.[r]?.[c];
        return [this.spec.rows[r], [this.spec.columnLabel ?? "column", this.spec.columns[c]], [this.spec.valueLabel ?? "value", this.text(r, c) + (mark ? ` (${mark})` : "")]];
    }

    cursor(at) {
        const { left, top, cell } = this.box ?? {}, c = Math.floor((at.x - left) / cell), r = Math.floor((at.y - top) / HEIGHT);
        return r >= 0 && c >= 0 && r < this.spec.rows.length && c < this.spec.columns.length ? this.read(r, c) : null;
    }

    key(name) {
        const [rows, columns] = [this.spec.rows.length, this.spec.columns.length];
        const [dr, dc] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], Home: [0, -columns], End: [0, columns] }[name];
        this.at = this.at ? { r: Math.max(0, Math.min(rows - 1, this.at.r + dr)), c: Math.max(0, Math.min(columns - 1, this.at.c + dc)) } : { r: 0, c: 0 };
        const { left, top, cell } = this.box;
        return { rows: this.read(this.at.r, this.at.c), at: { x: left + (this.at.c + 0.5) * cell, y: top + this.at.r * HEIGHT + 20 } };
    }

    table() {
        return { head: [this.spec.rowLabel ?? "", ...this.spec.columns], rows: this.spec.rows.map((name, r) => [name, ...this.spec.columns.map((_, c) => this.text(r, c))]) };
    }
}
