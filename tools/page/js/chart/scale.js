// Scales of axes: linear, log and symmetric (linear around 0, log beyond). A scale maps values to pixels and back and
// chooses ticks at round numbers. Ticks are the only numbers that the page formats itself.

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

export function powerText(base, exponent) {
    return base + [...String(exponent)].map((c) => SUPERSCRIPTS[c]).join("");
}

// A measured number for a reader: `digits` significant ones, and a power of ten where the number is very large or small.
export function numberText(x, digits = 6) {
    if (x === null || x === undefined || Number.isNaN(x)) {
        return "NaN";
    }
    if (!Number.isFinite(x)) {
        return x > 0 ? "∞" : "−∞";
    }
    const size = Math.abs(x);
    if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
        const [digitsText, exponent] = x.toExponential(Math.min(digits - 1, 5)).split("e");
        const short = digitsText.replace(/\.?0+$/, "");
        const power = powerText("10", Number(exponent));
        return (short === "1" ? power : short === "-1" ? "−" + power : short + "×" + power).replace("-", "−");
    }
    const text = Number(x.toPrecision(digits)).toString();
    return text.replace("-", "−");
}

const TICKS_MOST = 1000; // more come only from ends that are too near, or not finite

function niceStep(from, to, count) {
    const parts = Math.max(1, count), rough = to / parts - from / parts; // to - from may be infinite
    const power = 10 ** Math.floor(Math.log10(rough));
    const times = [1, 2, 5, 10].find((t) => t * power >= rough * (1 - 1e-9));
    return times * power;
}

function linearTicks(from, to, count, whole) {
    const step = Math.max(niceStep(from, to, count), whole ? 1 : 0);
    const first = Math.ceil(from / step - 1e-9), times = Math.floor(to / step + 1e-9) - first;
    const ticks = [];
    for (let i = 0; times < TICKS_MOST && i <= times; i++) {
        const value = Number(((first + i) * step).toPrecision(12));
        ticks.push({ value, text: numberText(value) });
    }
    return ticks;
}

function decadeTicks(low, high, count) {
    const ticks = [];
    const every = Math.max(1, Math.ceil((high - low) / Math.max(2, count)));
    for (let e = Math.ceil(low - 1e-9); high - low < TICKS_MOST && e <= high + 1e-9; e++) {
        if (e % every === 0) {
            ticks.push({ value: 10 ** e, text: e >= -3 && e <= 4 ? numberText(10 ** e) : powerText("10", e) });
        }
    }
    return ticks;
}

function logTicks(from, to, count) {
    const low = Math.log10(from), high = Math.log10(to);
    if (high - low < 1) {
        return linearTicks(from, to, count).filter((t) => t.value > 0);
    }
    const ticks = decadeTicks(low, high, count);
    if (high - low < 4) {
        for (let e = Math.floor(low); e <= high; e++) {
            for (let m = 2; m < 10; m++) {
                const value = m * 10 ** e;
                if (value >= from && value <= to) {
                    ticks.push({ value, text: high - low < 2 && (m === 2 || m === 5) ? numberText(value) : "", minor: true });
                }
            }
        }
    }
    return ticks;
}

function symmetricTicks(from, to, count, threshold) {
    const ticks = from <= 0 && to >= 0 ? [{ value: 0, text: "0" }] : [];
    for (const sign of [1, -1]) {
        const end = sign > 0 ? to : -from;
        if (end > threshold) {
            const start = Math.max(threshold, sign > 0 ? from : -to);
            for (const t of decadeTicks(Math.log10(start), Math.log10(end), count / 2)) {
                ticks.push({ value: sign * t.value, text: (sign < 0 ? "−" : "") + t.text });
            }
        }
    }
    return ticks;
}

const MAPS = {
    linear: () => [(x) => x, (y) => y],
    log: () => [(x) => (x > 0 ? Math.log(x) : NaN), Math.exp],
    symmetric: (t) => [(x) => Math.sign(x) * Math.log1p(Math.abs(x) / t), (y) => Math.sign(y) * Math.expm1(Math.abs(y)) * t],
};

// kind: linear, log or symmetric; values from..to lie at pixels start..end. threshold: where symmetric becomes linear.
export function makeScale({ kind = "linear", from, to, start, end, threshold = 1, whole = false }) {
    const [map, back] = MAPS[kind](threshold);
    const share = Number.isFinite(map(to) - map(from)) ? 1 : 0.5; // so that the span stays finite
    const low = map(from) * share, high = map(to) * share, span = high - low || 1;
    return {
        kind, from, to, start, end,
        at: (value) => start + ((map(value) * share - low) / span) * (end - start),
        value: (pixel) => back((low + ((pixel - start) / (end - start)) * span) / share),
        ticks(count) {
            const all = kind === "log" ? logTicks(from, to, count)
                : kind === "symmetric" ? symmetricTicks(from, to, count, threshold)
                    : linearTicks(from, to, count, whole);
            return all.filter((t) => t.value >= Math.min(from, to) && t.value <= Math.max(from, to));
        },
    };
}

// Ends of an axis for numbers between low and high, with some room around them.
export function roomAround(kind, low, high, share = 0.04) {
    if (!(low <= high)) {
        return kind === "log" ? [1, 10] : [0, 1];
    }
    if (kind === "log") {
        const room = Math.max(high ** share / low ** share, low === high ? 2 : 1);
        return [Math.max(low / room, Number.MIN_VALUE), Math.min(high * room, Number.MAX_VALUE)];
    }
    const room = high > low ? high * share - low * share : Math.abs(high) * 0.1 || 1;
    return [Math.max(low - room, -Number.MAX_VALUE), Math.min(high + room, Number.MAX_VALUE)];
}
