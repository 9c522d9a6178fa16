// The rounding drawn: the two neighbours, the midpoint, the input as an arrow, and the way to the result. Places are in
// percent of the width, so that text keeps its size on a phone.
import { svg } from "../dom.js";

const LEFT = 4, RIGHT = 96, AXIS = 34, HEIGHT = 94, LONG = 12;
const at = (part) => `${(LEFT + part * (RIGHT - LEFT)).toFixed(3)}%`;

// A long code has no room; the right one of two long values goes where it would be.
function label(x, anchor, text, code, strong) {
    return [
        svg("text", { x, y: AXIS + (anchor === "end" && code?.length > LONG ? 40 : 24), "text-anchor": anchor, class: strong ? "strong" : null }, text),
        code && code.length <= LONG && svg("text", { x, y: AXIS + 40, "text-anchor": anchor, class: strong ? "strong code" : "code" }, code),
    ];
}

function end(part, { value, code }, isResult, beyond) {
    const box = svg("svg", { x: at(part), y: AXIS, overflow: "visible", width: 1, height: 1 },
        svg("rect", { x: -6, y: -6, width: 12, height: 12, class: isResult ? "end result" : beyond ? "end beyond" : "end" }));
    const anchor = part === 0 ? "start" : "end", x = part === 0 ? "0%" : "100%";
    return [box, label(x, anchor, value, beyond ? "not a value" : code, isResult)];
}

const arrow = (x) => svg("svg", { x, y: AXIS, overflow: "visible", width: 1, height: 1 },
    svg("path", { d: "M0 -3 l-6 -11 h12 z", class: "input" }));

// From the input to the result, above the axis.
function way(from, to) {
    const head = to === 1 ? "M-7 -5 L1 0 L-7 5 z" : "M7 -5 L-1 0 L7 5 z";
    return [
        svg("line", { x1: at(from), x2: at(to), y1: AXIS - 20, y2: AXIS - 20, class: "way" }),
        svg("svg", { x: at(to), y: AXIS - 20, overflow: "visible", width: 1, height: 1 }, svg("path", { d: head, class: "wayhead" })),
    ];
}

// Under the middle; long numbers go below those of the ends.
function midpoint({ middle, below, above }) {
    const long = Math.max(middle.length, below.value.length, above.value.length) > LONG;
    return svg("text", { x: "50%", y: AXIS + (long ? 56 : 24), "text-anchor": "middle", class: "faint" }, long ? `midpoint ${middle}` : middle);
}

// The end that is past the largest value: it has no code. Value sets have no codes at all.
function outerEnd({ beyond, below, above }, input) {
    return !beyond ? -1 : below.code !== null ? 1 : above.code !== null || input.startsWith("-") ? 0 : 1;
}

function drawGap({ gap, code, words }, input) {
    const same = (one) => code === null ? one.value === words.brief : one.code !== null && one.code === code;
    const result = same(gap.below) ? 0 : same(gap.above) ? 1 : -1;
    const outer = outerEnd(gap, input);
    return [
        svg("line", { x1: at(0), x2: at(1), y1: AXIS, y2: AXIS, class: "axis" }),
        svg("line", { x1: at(0.5), x2: at(0.5), y1: AXIS - 7, y2: AXIS + 7, class: "axis" }),
        midpoint(gap),
        end(0, gap.below, result === 0, outer === 0), end(1, gap.above, result === 1, outer === 1),
        result >= 0 && way(gap.part, result), arrow(at(gap.part)),
    ];
}

// The value is in the format: between the values before and after it.
function drawExact(result) {
    const { below_code: before, above_code: after, words, code } = result;
    const side = (part, value, its) => value !== null && [svg("line", { x1: at(part), x2: at(0.5), y1: AXIS, y2: AXIS, class: "axis" }),
        end(part, { value, code: its }, false, false)];
    return [
        side(0, words.below, before), side(1, words.above, after),
        svg("svg", { x: at(0.5), y: AXIS, overflow: "visible", width: 1, height: 1 },
            svg("rect", { x: -6, y: -6, width: 12, height: 12, class: "end result" })),
        label("50%", "middle", words.brief, code, true), arrow(at(0.5)),
    ];
}

// One line for a reader who does not see the picture.
function inWords({ format, gap, words }) {
    return gap === null ? `${format}: ${words.value}`
        : `${format}: the input lies between ${gap.below.value} and ${gap.above.value}; the result is ${words.brief}`;
}

// The picture of a result, or null where a NaN or an infinity has no place on a line.
export function drawRounding(result, input) {
    const exact = result.gap === null && result.words.error === "0 (exact)";
    if (result.gap === null && !exact) {
        return null;
    }
    return svg("svg", { class: "gap", width: "100%", height: HEIGHT, role: "img", "aria-label": inWords(result) },
        exact ? drawExact(result) : drawGap(result, input));
}
