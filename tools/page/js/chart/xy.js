// Charts with two number axes: lines with intervals, points, histograms. chart.js describes what a spec holds.

import { svg as s } from "../dom.js";
import { cut, widthOf } from "./text.js";
import { markerAt } from "./look.js";
import { linePath, bandPath, firstFrom, spread } from "./paths.js";
import { axes, leftOf, marks } from "./axes.js";
import { finite } from "./plane.js";
import { Reading } from "./reading.js";

export class XY extends Reading {
    draw(svg, width) {
        const { spec } = this;
        const height = spec.height ?? 320;
        const series = this.visible();
        const labelled = spec.labels === false ? [] : series.filter((one) => one.kind !== "bars" && one.kind !== "points" && !one.end && !one.unnamed);
        const room = width < 520 ? 0 : Math.min(170, Math.max(0, ...labelled.map((one) => widthOf(cut(one.name, 24)) + 16)));
        const above = spec.regions?.some((one) => one.axis !== "y" && one.text) ? 8 : 0; /* for the names of shaded ranges */
        const box = { left: 58, top: 10 + above + (spec.top ?? 0), right: width - Math.max(14, room), bottom: height - 44 };
        const xEnds = this.ends("x", series);
        this.sx = this.scale("x", xEnds, box.left, box.right);
        this.sy = this.scale("y", this.ends("y", series, this.sx), box.bottom, box.top);
        box.left = leftOf(this, box);
        this.sx = this.scale("x", xEnds, box.left, box.right);
        this.box = box;
        this.endTexts = [];
        this.endKeys = new Set(); /* of the series whose end is said */
        const clip = `${this.frame.title.id}c`;
        svg.append(s("clipPath", { id: clip }, s("rect", { x: box.left, y: box.top - 1, width: Math.max(1, box.right - box.left), height: box.bottom - box.top + 2 })));
        svg.append(...axes(this, box), ...marks(this, box));
        const inner = s("g", { "clip-path": `url(#${clip})` });
        for (const one of series) {
            inner.append(...this.drawn(one));
        }
        svg.append(inner, ...series.filter((one) => !one.kind || one.kind === "line").flatMap((one) => this.endMark(one)), ...this.names(labelled, box, room), ...this.pointNames(series, box));
        this.cursorGroup = s("g", { class: "chart-cursor" });
        this.selection = s("rect", { class: "chart-cursor chart-select", y: box.top, height: box.bottom - box.top, width: 0, visibility: "hidden" });
        svg.append(this.cursorGroup, this.selection);
        return height;
    }

    drawn(one) {
        const { sx, sy } = this;
        if (one.kind === "bars") {
            return this.bars(one);
        }
        if (one.kind === "points") {
            return this.points(one);
        }
        const out = [];
        if (one.low) {
            out.push(s("path", { d: bandPath(one.x, one.low, one.high, sx, sy), class: `chart-band ${one.look.colour}` }));
        }
        out.push(s("path", {
            d: linePath(one.x, one.y, sx, sy), class: `chart-line ${one.look.colour}`,
            "stroke-width": one.look.width, "stroke-dasharray": one.look.dash || null,
        }));
        return [...out, ...this.lineMarkers(one)];
    }

    // A marker every 90 pixels, at another place for each series; of a line of one point, there.
    lineMarkers(one) {
        const { sx, sy, box } = this;
        if (one.x.length === 1) {
            return Number.isFinite(sy.at(one.y[0] ?? NaN)) ? [markerAt(one.look, sx.at(one.x[0]), sy.at(one.y[0]))] : [];
        }
        const out = [], n = Number(this.spec.series.findIndex((other) => (other.key ?? other.name) === one.key));
        for (let x = box.left + 20 + ((n * 37) % 90); x < box.right; x += 90) {
            const i = firstFrom(one.x, sx.value(x));
            const [px, py] = [sx.at(one.x[i]), sy.at(one.y[i] ?? NaN)];
            if (Number.isFinite(px) && Number.isFinite(py) && Math.abs(px - x) < 45) {
                out.push(markerAt(one.look, px, py));
            }
        }
        return out;
    }

    // A cross where a line ends before its time, and why: once for all lines of a key.
    endMark(one) {
        const last = one.end ? this.lastOf(one) : null;
        if (!last) {
            return [];
        }
        const [x, y] = [this.sx.at(one.x[last.i]), this.sy.at(one.y[last.i])];
        const text = cut(`${one.name}: ${one.end}`, 34), left = x + 12 + widthOf(text) > this.box.right;
        const cross = s("path", { d: `M${x - 5},${y - 5}L${x + 5},${y + 5}M${x - 5},${y + 5}L${x + 5},${y - 5}`, class: "chart-end-mark" });
        if (this.endKeys.has(one.key)) {
            return [cross];
        }
        this.endKeys.add(one.key);
        return [cross, s("text", { x: left ? x - 9 : x + 9, y: this.endHeight(y), class: `chart-own chart-small chart-halo ${one.look.colour}${left ? " chart-end" : ""}` }, text)];
    }

    // Texts of ends that lie on one another are moved apart.
    endHeight(y) {
        let at = Math.max(this.box.top + 12, Math.min(this.box.bottom - 6, y + 4));
        while (this.endTexts.some((other) => Math.abs(other - at) < 13) && at < this.box.bottom - 18) {
            at += 13;
        }
        this.endTexts.push(at);
        return at;
    }

    lastOf(one) {
        for (let i = one.y.length - 1; i >= 0; i--) {
            if (one.x[i] <= this.sx.to && Number.isFinite(this.sy.at(one.y[i] ?? NaN))) {
                return one.x[i] >= this.sx.from ? { i } : null;
            }
        }
        return null;
    }

    bars(one) {
        const { sx, sy, box } = this;
        const gap = one.gap ?? 1;
        return Array.from(one.x, (x, i) => {
            const left = sx.at(x), right = sx.at(x + (one.width ?? 1)), top = sy.at(one.y[i] ?? NaN);
            return Number.isFinite(top) && top < box.bottom ? s("rect", {
                x: left.toFixed(1), y: Math.max(box.top, top).toFixed(1), width: Math.max(0.5, right - left - (right - left > 4 ? gap : 0)).toFixed(1),
                height: (box.bottom - Math.max(box.top, top)).toFixed(1), class: one.outline ? `chart-line ${one.look.colour}` : `chart-fill ${one.look.colour}`,
                "stroke-width": one.outline ? 1.6 : null,
            }) : null;
        }).filter((rect) => rect !== null);
    }

    points(one) {
        const { sx, sy } = this;
        return Array.from(one.x, (v, i) => {
            const x = sx.at(v), y = sy.at(one.y[i] ?? NaN);
            if (!Number.isFinite(x) || !Number.isFinite(y)) {
                return [];
            }
            const ends = one.low && finite(one.low[i]) ? [Math.min(this.box.bottom, finite(sy.at(one.low[i])) ? sy.at(one.low[i]) : this.box.bottom), sy.at(one.high[i])] : null;
            return [...(ends ? [s("path", { d: `M${x},${ends[0]}V${ends[1]}M${x - 4},${ends[0]}h8M${x - 4},${ends[1]}h8`, class: `chart-line ${one.look.colour}`, "stroke-width": 1.2 })] : []),
                markerAt(one.look, x, y)];
        }).flat();
    }

    // Names at the right ends of lines, moved apart.
    names(series, box, room) {
        const most = Math.floor((box.bottom - box.top) / 13) - 1;
        if (room === 0) {
            return [];
        }
        const ends = series.map((one) => ({ one, last: this.lastOf(one) })).filter((end) => end.last).slice(0, most);
        const wanted = ends.map(({ one, last }) => Math.min(box.bottom, Math.max(box.top, this.sy.at(one.y[last.i]))));
        const placed = spread(wanted, 13, box.top + 4, box.bottom);
        return ends.flatMap(({ one, last }, i) => {
            const x = Math.min(box.right, this.sx.at(one.x[last.i]));
            const text = cut(one.name, 24);
            return [
                s("path", { d: `M${x.toFixed(1)},${wanted[i].toFixed(1)}L${box.right + 4},${placed[i].toFixed(1)}`, class: "chart-grid" }),
                s("text", { x: box.right + 7, y: placed[i] + 4, class: `chart-own chart-small ${one.look.colour}` }, text),
            ];
        });
    }

    // Names next to points, on the side with room, moved apart where they would touch.
    pointNames(series, box) {
        const all = this.spec.labels === false ? [] : series.filter((one) => one.kind === "points").flatMap((one) =>
            Array.from(one.x, (v, i) => ({ one, x: this.sx.at(v), y: this.sy.at(one.y[i] ?? NaN), text: cut(one.labels?.[i] ?? one.name, 24) })));
        const placed = all.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
        const heights = spread(placed.map((p) => p.y), placed.length > 20 ? 10 : 13, box.top + 4, box.bottom);
        return placed.map((p, i) => {
            const left = p.x + 10 + widthOf(p.text) > box.right + 10;
            return s("text", { x: left ? p.x - 9 : p.x + 9, y: heights[i] + 4, class: `chart-own chart-small chart-halo ${p.one.look.colour}${left ? " chart-end" : ""}` }, p.text);
        });
    }
}
