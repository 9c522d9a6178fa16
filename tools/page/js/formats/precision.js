// Precision against range: the distance of neighbours relative to the number, over the number's exponent, a line per format.
import { xyChart } from "../chart/chart.js";
import { powerText } from "../chart/scale.js";
import { namesInput } from "./names.js";
import { changed, factsOf, limited, namesOf, unlimited } from "./state.js";

// Normal values have a step of 2^(1 - p) relative to the power of two below them; it doubles per binade of subnormal
// values. A format such as e1m3 has subnormal values alone.
function lineOf(f, i) {
    if (f.log2_min_normal === null) {
        return { name: f.name, style: i + 1, x: [f.log2_min, f.log2_max], y: [1, 2 ** (f.log2_min - f.log2_max)] };
    }
    const step = 2 ** (1 - f.precision);
    const x = [f.log2_min_normal, f.log2_max], y = [step, step];
    if (f.log2_min < f.log2_min_normal) {
        x.unshift(f.log2_min);
        y.unshift(2 ** (1 - f.precision + f.log2_min_normal - f.log2_min));
    }
    return { name: f.name, style: i + 1, x, y };
}

const note = "Lower is more precise. A line rises to the left where numbers are subnormal, and ends where the format does.";

export function open(element, page, go) {
    let state = null;
    const names = namesInput("Formats", (text) => go(changed(state, { names: text })));
    const power = (v) => (Number.isInteger(v) ? powerText("2", v) : "");
    const chart = xyChart({ title: "Precision against range", series: [],
        x: { label: "magnitude of the number", tick: power, format: (v) => powerText("2", Math.round(v)) },
        y: { label: "relative step", scale: "log", format: (v) => powerText("2", Math.round(Math.log2(v))) },
        note });
    element.append(names.element, chart.element);
    return {
        update(now) {
            state = now;
            names.show(namesOf(state));
            const all = factsOf(page.core, namesOf(state)), formats = all.filter(limited);
            chart.update({ note: note + unlimited(all), series: formats.map(lineOf), summary: formats.map((f) => (f.log2_min_normal === null ? `${f.name}: subnormal values up to ${f.max}` : `${f.name}: ${f.precision} bits from ${f.min_normal} to ${f.max}`)).join("; ") });
        },
        close: () => chart.close(),
    };
}
