// The plane of a chart with two number axes: which numbers it shows, its scales, and the zoom.

import { cut } from "./text.js";
import { makeScale, roomAround, numberText } from "./scale.js";
import { styleOf } from "./look.js";
import { inside } from "./paths.js";

export const finite = (v) => v !== null && v !== undefined && Number.isFinite(v);

export class Plane {
    constructor(spec) {
        this.spec = spec;
        this.kind = { x: spec.x?.scale ?? "linear", y: spec.y?.scale ?? "linear" };
        this.view = null; /* { from, to } of x, and of y with points, where zoomed */
    }

    attach(frame) {
        this.frame = frame;
    }

    changed(changes) {
        for (const name of ["x", "y"]) {
            if (changes[name]?.scale) {
                this.kind[name] = changes[name].scale;
            }
        }
    }

    visible() {
        return (this.spec.series ?? []).map((one, i) => ({ ...one, key: one.key ?? one.name, look: styleOf(one.style ?? i) }))
            .filter((one) => !this.frame.hidden.has(one.key));
    }

    axis(name) {
        return this.spec[name] ?? {};
    }

    text(name, value) {
        const { format } = this.axis(name);
        return format ? format(value) : numberText(value, 6);
    }

    scales() {
        return ["x", "y"].filter((name) => (this.axis(name).scales ?? []).length > 1).map((name) => ({
            label: cut(this.axis(name).short ?? this.axis(name).label ?? name, 26), value: this.kind[name], options: this.axis(name).scales,
            set: (kind) => { this.kind[name] = kind; this.view = null; },
        }));
    }

    // The lowest and highest number of an axis that are drawn, and the smallest magnitude.
    extent(name, series, xs) {
        let low = Infinity, high = -Infinity, small = Infinity;
        const log = this.kind[name] === "log";
        const take = (v) => {
            if (finite(v) && !(log && v <= 0)) {
                low = Math.min(low, v);
                high = Math.max(high, v);
                small = v !== 0 ? Math.min(small, Math.abs(v)) : small;
            }
        };
        for (const one of series) {
            const values = one[name];
            const [from, to] = name === "y" && xs && one.kind !== "points" && one.kind !== "bars" ? inside(one.x, xs) : [0, values.length];
            for (let i = from; i < to; i++) {
                take(values[i]);
                if (name === "y" && one.low && this.spec.y?.intervals !== false && finite(values[i])) {
                    take(one.low[i]);
                    take(one.high[i]);
                }
            }
            if (one.kind === "bars" && name === "x" && values.length > 0) {
                take(values[values.length - 1] + (one.width ?? 1));
            }
            if (one.kind === "bars" && name === "y" && !log) {
                take(0);
            }
        }
        for (const rule of this.spec.rules ?? []) {
            if (rule.axis === name && rule.include) {
                take(rule.at);
            }
        }
        return [low, high, small];
    }

    ends(name, series, xs) {
        const axis = this.axis(name), kind = this.kind[name];
        if (this.view?.[name]) {
            return [...this.view[name], this.threshold];
        }
        const [low, high, small] = this.extent(name, series, xs);
        let [from, to] = name === "x" && !series.some((one) => one.kind === "points") ? (low <= high ? [low, high === low ? low + 1 : high] : [0, 1])
            : roomAround(kind, low, high, series.some((one) => one.kind === "points") ? 0.12 : 0.04);
        if (name === "y" && low >= 0 && kind === "linear" && series.some((one) => one.kind === "bars")) {
            from = 0;
        }
        from = finite(axis.from) && !(kind === "log" && axis.from <= 0) ? axis.from : from;
        to = finite(axis.to) ? axis.to : to;
        return [from, to > from ? to : from + 1, small];
    }

    // The symmetric scale's linear part ends at a power of ten below the numbers, at most four decades below the largest.
    scale(name, ends, start, end) {
        const [from, to, small] = ends;
        const largest = Math.max(Math.abs(from), Math.abs(to)) || 1;
        const threshold = this.axis(name).threshold
            ?? 10 ** Math.floor(Math.log10(Math.max(Number.isFinite(small) ? small : largest, largest * 1e-4)));
        return makeScale({ kind: this.kind[name], from, to, start, end, threshold, whole: this.axis(name).whole });
    }

    // ---- zoom ----

    zoom(factor) {
        if (this.sx) {
            const { left, right } = this.box, middle = this.x !== undefined ? this.sx.at(this.x) : (left + right) / 2;
            const half = ((right - left) / 2) * factor;
            this.zoomTo({ x: middle - half }, { x: middle + half });
        }
    }

    zoomTo(from, to) {
        const whole = this.wholeX();
        const ends = [from.x, to.x].sort((a, b) => a - b).map((x) => this.sx.value(x));
        const inner = [Math.max(whole[0], ends[0]), Math.min(whole[1], ends[1])];
        if (inner[1] > inner[0]) { /* not all of it is outside the axis */
            this.view = inner[0] <= whole[0] && inner[1] >= whole[1] ? null : { x: inner };
        }
    }

    // The ends of x without a zoom.
    wholeX() {
        const view = this.view;
        this.view = null;
        const ends = this.ends("x", this.visible());
        this.view = view;
        return ends;
    }

    reset() {
        this.view = null;
    }

    select(svg, from, to) {
        this.selection?.setAttribute("visibility", from ? "visible" : "hidden");
        if (from) {
            this.selection.setAttribute("x", Math.min(from.x, to.x));
            this.selection.setAttribute("width", Math.abs(to.x - from.x));
        }
    }
}
