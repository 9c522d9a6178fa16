// Charts as SVG: lines with intervals, points, histograms, stacked bars, heat maps. All of them have a heading, a legend of
// checkboxes, a value reader (pointer and arrow keys), a table of the same numbers, and save themselves as SVG and PNG.
//
//     const chart = xyChart({ title, summary, x: { label }, y: { label }, series: [{ name, x: [...], y: [...] }] });
//     parent.append(chart.element);      it takes the width of its parent
//     chart.update({ series });          any part of the spec; draws once per frame
//     chart.show(key, false);            hides a series
//     chart.svg(), await chart.png()     the text, and a Blob
//     chart.close();                     when the room closes
//
// A spec has, for all kinds:
//     title      short; also the file's name
//     summary    one sentence for screen readers, or a function that gives it when the chart has been drawn
//     note       a line below the chart (optional)
//     series     see below; { name, key = name, style = its index }: colour, dash and marker follow from style, 0 is the reference
//     legend     false: none (the owner has its own checkboxes and calls show)
//     hidden     keys that are hidden at first;  onshow(key, shown) tells of a click in the legend
//     height     in pixels (xyChart; 320);  compact: true: no buttons for the zoom, which drag and keys still do
//
// xyChart: x and y are axes: { label, scale: "linear" | "log" | "symmetric", scales: [those the reader may choose], from, to,
//     intervals: false (y: the axis need not hold all of them), threshold (symmetric: linear below it), whole (integers only), format(value) -> text, tick(value) -> text }
//     series { kind: "line", x ascending, y, low, high (interval), end: "NaN at step 3" (a cross and this text) }
//            { kind: "points", x, y, low, high, labels: [one per point] }
//            { kind: "bars", x: left edges ascending, width (of a bar, in x), y, outline: true (no area: to compare two) }
//     unnamed: true: another line of the series before it with that key, without a name of its own
//     y values that are null or NaN break a line. Thousands of points per series are drawn as their extremes per pixel.
//     regions [{ axis: "x", from, to, text, weak }]: shaded ranges; weak for subnormals
//     rules   [{ axis: "y", at, text, include }]: lines at a value; include: the axis reaches it
//     labels  false: no names at the ends of lines
//
// stackChart: rows [names], series [{ name, values: [one per row] }], format(value) -> text, rowLabel
//
// heatChart: rows, columns [names], values [row][column] (null: none), texts [row][column] (optional), marks [row][column]
//     "best" or another word, scale "linear" | "log", columnLabel, rowLabel, valueLabel, format

import { Frame } from "./frame.js";
import { XY } from "./xy.js";
import { Stack } from "./stack.js";
import { Heat } from "./heat.js";

function make(Kind, spec) {
    const own = { ...spec }, drawing = new Kind(own);
    const frame = new Frame(own, drawing);
    return frame.handle();
}

export const xyChart = (spec) => make(XY, spec);
export const stackChart = (spec) => make(Stack, { ...spec, sample: "area" });
export const heatChart = (spec) => make(Heat, spec);
export { numberText, powerText } from "./scale.js";
