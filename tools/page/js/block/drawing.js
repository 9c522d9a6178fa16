// The block as a chart: each number, and the value that it becomes under the rule that is shown.
import { xyChart } from "../chart/chart.js";
import { numberOfHex } from "./hex.js";

function spec(answer, r) {
    const places = answer.numbers.map((_, i) => i + 1);
    const given = answer.numbers.map((n) => numberOfHex(n.fp32.hex));
    const values = r.elements.map((e) => numberOfHex(e.hex));
    const top = numberOfHex(r.largest_value.hex), ends = Number.isFinite(top) ? [top, -top] : [];
    const finite = (list) => list.map((x) => (Number.isFinite(x) ? x : null));
    return {
        title: `Numbers and values under ${r.rule}`,
        summary: r.rough_squared_error === null ? "The scale is NaN: there are no values."
            : `${r.saturated} numbers saturate and ${r.zero} underflow to zero; the sum of squared errors is ${r.rough_squared_error}.`,
        note: "Lines: the largest element times the scale. Bars between the marks: the error.",
        x: { label: "place in the block", whole: true, from: 0, to: places.length + 1 },
        y: { label: "value", scales: ["linear", "symmetric"] },
        height: 260, labels: false,
        series: [
            { name: "number", kind: "points", style: 0, x: places, y: finite(given) },
            { name: "value", kind: "points", style: 2, x: places, y: finite(values),
                low: finite(values.map((v, i) => Math.min(v, given[i]))), high: finite(values.map((v, i) => Math.max(v, given[i]))) },
        ],
        rules: ends.map((at, i) => ({ axis: "y", at, text: i === 0 ? `${answer.largest_element} × scale` : "" })),
    };
}

export function drawing(answer, r) {
    return xyChart(spec(answer, r));
}

export { spec as drawingSpec };
