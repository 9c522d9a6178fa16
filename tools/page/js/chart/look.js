// How series are told apart: a colour, a dash pattern and a marker each, so that no two of 35 share colour and dash, and
// neighbours differ in all three. Style 0 is the reference: the colour of text, solid, thick.

import { svg as s } from "../dom.js";

// Okabe and Ito's colours, which differ for every kind of colour vision; chart.css darkens or lightens them by theme.
const COLOURS = 7;
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "5 2 1 2 1 2"];
const MARKERS = ["circle", "square", "triangle", "diamond", "cross", "down", "plus", "ring"];

const PATHS = {
    circle: "M-4,0A4,4 0 1,0 4,0A4,4 0 1,0 -4,0Z",
    square: "M-3.5,-3.5H3.5V3.5H-3.5Z",
    triangle: "M0,-4.5L4.3,3.5H-4.3Z",
    diamond: "M0,-5L5,0L0,5L-5,0Z",
    cross: "M-3.5,-3.5L3.5,3.5M-3.5,3.5L3.5,-3.5",
    down: "M0,4.5L4.3,-3.5H-4.3Z",
    plus: "M0,-4.5V4.5M-4.5,0H4.5",
    ring: "M-4,0A4,4 0 1,0 4,0A4,4 0 1,0 -4,0ZM-1.5,0A1.5,1.5 0 1,1 1.5,0A1.5,1.5 0 1,1 -1.5,0Z",
};

export function styleOf(n) {
    return n === 0
        ? { colour: "chart-c0", dash: "", marker: "circle", width: 2.2 }
        : { colour: `chart-c${1 + ((n - 1) % COLOURS)}`, dash: DASHES[n % DASHES.length], marker: MARKERS[n % MARKERS.length], width: 1.6 };
}

export function markerAt(style, x, y, extra = {}) {
    const open = style.marker === "cross" || style.marker === "plus";
    return s("path", {
        d: PATHS[style.marker], transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
        class: `${style.colour} ${open ? "chart-open" : "chart-marker"}`, ...extra,
    });
}

// The sample of a series in a legend: 34 by 12.
export function sampleOf(style, kind) {
    const parts = kind === "area"
        ? [s("rect", { x: 2, y: 1, width: 30, height: 10, class: `chart-fill ${style.colour}` }), ...hatch(style, 2, 1, 30, 10)]
        : [kind === "points" ? null : s("path", { d: "M1,6H33", class: `chart-line ${style.colour}`, "stroke-dasharray": style.dash || null, "stroke-width": style.width }),
            markerAt(style, 17, 6)];
    return parts.filter((p) => p !== null);
}

// Lines across an area, by style: areas differ without colour, on paper too.
export function hatch(style, x, y, width, height) {
    const kind = Number(style.colour.slice(-1));
    const lines = [];
    if (kind % 2 === 1 || width < 3) {
        return lines;
    }
    const step = kind % 4 === 2 ? 6 : 4;
    if (kind % 4 === 2) {
        for (let at = -height + step; at < width; at += step) {
            const x0 = Math.max(0, at), x1 = Math.min(width, at + height);
            if (x1 > x0) {
                lines.push(`M${(x + x0).toFixed(1)},${(y + height - (x0 - at)).toFixed(1)}L${(x + x1).toFixed(1)},${(y + height - (x1 - at)).toFixed(1)}`);
            }
        }
    } else {
        for (let at = step; at < width; at += step) {
            lines.push(`M${(x + at).toFixed(1)},${y}v${height}`);
        }
    }
    return [s("path", { d: lines.join(""), class: "chart-hatch" })];
}
