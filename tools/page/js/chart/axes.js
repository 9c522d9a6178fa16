// What lies around and behind the data of a chart with two axes: grid, ticks, labels, shaded ranges, lines at a value.

import { svg as s } from "../dom.js";
import { cut, widthOf } from "./text.js";

function xAxis(chart, box) {
    const out = [], most = Math.max(2, Math.floor((box.right - box.left) / 72));
    for (const tick of chart.sx.ticks(most)) {
        const x = chart.sx.at(tick.value).toFixed(1);
        out.push(s("path", { d: `M${x},${box.bottom}v${tick.minor ? 3 : 5}`, class: "chart-axis" }));
        const text = chart.axis("x").tick ? chart.axis("x").tick(tick.value) : tick.text;
        if (text) {
            const inside = Math.min(Number(x), box.right + 14 - 0.55 * widthOf(text)).toFixed(1); /* the last one is not cut off */
            out.push(s("text", { x: inside, y: box.bottom + 17, class: "chart-faint chart-small chart-middle" }, text));
        }
    }
    out.push(s("path", { d: `M${box.left},${box.bottom}H${box.right}`, class: "chart-axis" }),
        s("text", { x: (box.left + box.right) / 2, y: box.bottom + 36, class: "chart-faint chart-middle" }, chart.axis("x").label ?? ""));
    return out;
}

function yText(chart, tick) {
    return chart.axis("y").tick ? chart.axis("y").tick(tick.value) : tick.text;
}

const yTicks = (chart, box) => chart.sy.ticks(Math.max(2, Math.floor((box.bottom - box.top) / 44)));

// Pixels left of the data: the name of the axis and its widest number.
export function leftOf(chart, box) {
    return Math.max(box.left, ...yTicks(chart, box).map((tick) => 28 + widthOf(yText(chart, tick) ?? "")));
}

function yAxis(chart, box) {
    const out = [], taken = [];
    for (const tick of yTicks(chart, box)) {
        const y = chart.sy.at(tick.value).toFixed(1);
        if (taken.some((other) => Math.abs(other - y) < 13)) {
            continue; /* near 0 of a symmetric axis */
        }
        taken.push(tick.text ? y : Infinity);
        if (!tick.minor || tick.text) {
            out.push(s("path", { d: `M${box.left},${y}H${box.right}`, class: "chart-grid" }));
        }
        const text = yText(chart, tick);
        if (text) {
            out.push(s("text", { x: box.left - 6, y: Number(y) + 4, class: "chart-faint chart-small chart-end" }, text));
        }
    }
    const middle = (box.top + box.bottom) / 2;
    out.push(s("text", { x: 13, y: middle, class: "chart-faint chart-middle", transform: `rotate(-90 13 ${middle})` }, chart.axis("y").label ?? ""));
    return out;
}

export function axes(chart, box) {
    return [...yAxis(chart, box), ...xAxis(chart, box)];
}

function region(chart, box, { axis, from, to, text, weak }) {
    const scale = axis === "y" ? chart.sy : chart.sx;
    const [low, high] = axis === "y" ? [box.top, box.bottom] : [box.left, box.right];
    const place = (v, other) => (v === null || v === undefined ? other : Math.min(high, Math.max(low, scale.at(v))));
    const ends = [place(from, scale.start), place(to, scale.end)].sort((a, b) => a - b);
    if (!(ends[1] - ends[0] > 0.5)) {
        return [];
    }
    const area = axis === "y" ? { x: box.left, width: box.right - box.left, y: ends[0], height: ends[1] - ends[0] }
        : { x: ends[0], width: ends[1] - ends[0], y: box.top, height: box.bottom - box.top };
    const most = Math.floor(area.width / 6.2);
    return [s("rect", { ...area, class: weak ? "chart-region-weak" : "chart-region" }),
        s("path", { d: axis === "y" ? `M${box.left},${ends[0]}H${box.right}M${box.left},${ends[1]}H${box.right}` : `M${ends[0]},${box.top}V${box.bottom}M${ends[1]},${box.top}V${box.bottom}`, class: "chart-region-edge" }),
        ...(text && most > 3 ? [s("text", { x: area.x + area.width / 2, y: axis === "y" ? area.y + 12 : area.y - 4, class: "chart-faint chart-small chart-middle chart-halo" }, cut(text, most))] : [])];
}

function rule(chart, box, { axis, at, text }) {
    const place = (axis === "y" ? chart.sy : chart.sx).at(at);
    const inside = axis === "y" ? place >= box.top - 1 && place <= box.bottom + 1 : place >= box.left - 1 && place <= box.right + 1;
    if (!inside) {
        return [];
    }
    return axis === "y"
        ? [s("path", { d: `M${box.left},${place}H${box.right}`, class: "chart-rule" }),
            s("text", { x: box.right - 5, y: place - 4, class: "chart-faint chart-small chart-halo chart-end" }, text ?? "")]
        : [s("path", { d: `M${place},${box.top}V${box.bottom}`, class: "chart-rule" }),
            s("text", { x: place + 4, y: box.top + 11, class: "chart-faint chart-small chart-halo" }, text ?? "")];
}

// Shaded ranges and lines at a value, behind the data. The name of a range of x is above the data.
export function marks(chart, box) {
    return [...(chart.spec.regions ?? []).flatMap((one) => region(chart, box, one)), ...(chart.spec.rules ?? []).flatMap((one) => rule(chart, box, one))];
}
