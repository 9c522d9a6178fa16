// Reading values from a chart with two axes: by pointer, by arrow keys, as a table.

import { svg as s } from "../dom.js";
import { firstFrom } from "./paths.js";
import { finite, Plane } from "./plane.js";

export class Reading extends Plane {
    rowsAt(x, index) {
        const rows = [], lines = this.visible().filter((one) => one.kind !== "points" && !one.unnamed);
        let at = NaN;
        for (const one of lines) {
            const bars = one.kind === "bars";
            let i = firstFrom(one.x, x);
            i = bars ? (i < one.x.length && one.x[i] === x ? i : i - 1) : i > 0 && (i === one.x.length || Math.abs(one.x[i - 1] - x) <= Math.abs(one.x[i] - x)) ? i - 1 : i;
            if (i >= 0 && i < one.x.length && (!bars || x < one.x[i] + (one.width ?? 1))) {
                at = Number.isNaN(at) || Math.abs(one.x[i] - x) < Math.abs(at - x) ? one.x[i] : at;
                const interval = one.low && finite(one.low[i]) ? ` (${this.text("y", one.low[i])} to ${this.text("y", one.high[i])})` : "";
                rows.push([one.name, this.text("y", one.y[i]) + interval, one.y[i] ?? NaN, i]);
            }
        }
        return { at, rows: index === undefined ? rows : rows.slice(index, index + 1) };
    }

    nearestPoint(at) {
        let best = null;
        for (const one of this.visible().filter((two) => two.kind === "points")) {
            Array.from(one.x).forEach((v, i) => {
                const x = this.sx.at(v), y = this.sy.at(one.y[i] ?? NaN), far = Math.hypot(x - at.x, y - at.y);
                best = far < (best?.far ?? 40) ? { far, one, i, x, y } : best;
            });
        }
        return best;
    }

    pointRows({ one, i }) {
        const interval = one.low && finite(one.low[i]) ? ` (${this.text("y", one.low[i])} to ${this.text("y", one.high[i])})` : "";
        return [one.labels?.[i] ?? one.name, [this.axis("x").label ?? "x", this.text("x", one.x[i])], [this.axis("y").label ?? "y", this.text("y", one.y[i]) + interval]];
    }

    cursor(at) {
        if (!this.sx || at.x < this.box.left - 5 || at.x > this.box.right + 5) {
            return this.leave();
        }
        const point = this.nearestPoint(at);
        if (point) {
            this.line(point.x);
            return this.pointRows(point);
        }
        const read = this.rowsAt(this.sx.value(at.x));
        if (Number.isNaN(read.at)) {
            return this.leave();
        }
        this.x = read.at;
        this.line(this.sx.at(read.at));
        const wanted = this.sy.value(at.y), far = (row) => (finite(row[2]) ? Math.abs(this.sy.at(row[2]) - this.sy.at(wanted)) : Infinity);
        return [`${this.axis("x").label ?? "x"} ${this.text("x", read.at)}`, ...[...read.rows].sort((a, b) => far(a) - far(b) || 0).map((row) => row.slice(0, 2))];
    }

    line(x) {
        this.cursorGroup.replaceChildren(s("line", { x1: x, x2: x, y1: this.box.top, y2: this.box.bottom }));
    }

    leave() {
        this.cursorGroup?.replaceChildren();
        return null;
    }

    key(name) {
        const points = this.visible().filter((one) => one.kind === "points").flatMap((one) => Array.from(one.x, (_, i) => ({ one, i })))
            .sort((a, b) => a.one.x[a.i] - b.one.x[b.i]);
        if (points.length > 0) {
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[name];
            this.index = name === "Home" ? 0 : name === "End" ? points.length - 1 : Math.max(0, Math.min(points.length - 1, (this.index ?? -1) + step));
            const point = points[this.index], at = { x: this.sx.at(point.one.x[point.i]), y: this.sy.at(point.one.y[point.i] ?? NaN) || this.box.top };
            this.line(at.x);
            return { rows: this.pointRows(point), at };
        }
        return this.keyOnLines(name);
    }

    keyOnLines(name) {
        const lines = this.visible();
        const longest = lines.reduce((best, one) => (one.x.length > (best?.x.length ?? 0) ? one : best), null);
        if (!longest) {
            return null;
        }
        if (name === "ArrowUp" || name === "ArrowDown") {
            this.row = ((this.row ?? -1) + (name === "ArrowDown" ? 1 : -1) + lines.length + 1) % (lines.length + 1);
        }
        const xs = longest.x, [from, to] = [firstFrom(xs, this.sx.from), Math.max(0, firstFrom(xs, this.sx.to + 1e-12 * Math.abs(this.sx.to)) - 1)];
        let i = this.x === undefined ? from - 1 : firstFrom(xs, this.x);
        const step = Math.max(1, Math.round((to - from) / 100));
        i = name === "Home" ? from : name === "End" ? to : name === "ArrowRight" ? i + (i < from ? 1 : step) : name === "ArrowLeft" ? i - step : i;
        this.x = xs[Math.max(from, Math.min(to, i))];
        const read = this.rowsAt(this.x, this.row === undefined || this.row === lines.length ? undefined : this.row);
        this.line(this.sx.at(this.x));
        return { rows: [`${this.axis("x").label ?? "x"} ${this.text("x", this.x)}`, ...read.rows.map((row) => row.slice(0, 2))], at: { x: this.sx.at(this.x), y: this.box.top + 8 } };
    }

    // ---- the same numbers as a table ----

    table() {
        const series = this.visible();
        if (series.some((one) => one.kind === "points")) {
            return { head: ["name", this.axis("x").label ?? "x", this.axis("y").label ?? "y"],
                rows: series.flatMap((one) => Array.from(one.x, (x, i) => [one.labels?.[i] ?? one.name, this.text("x", x), this.text("y", one.y[i])])) };
        }
        const xs = [...new Set(series.flatMap((one) => Array.from(one.x)))].sort((a, b) => a - b);
        const maps = series.map((one) => new Map(Array.from(one.x, (x, i) => [x, one.y[i]])));
        return { head: [this.axis("x").label ?? "x", ...series.map((one) => one.name)],
            rows: xs.map((x) => [this.text("x", x), ...maps.map((map) => (map.has(x) ? this.text("y", map.get(x)) : ""))]) };
    }
}
