// Paths of lines and bands. Thousands of points fall into hundreds of pixels: per column of pixels the first, lowest,
// highest and last point are drawn, so that no extreme is lost. A value that the axis cannot show breaks the line.

const fixed = (v) => Math.round(v * 10) / 10;

// First index with xs[i] >= x, in ascending xs.
export function firstFrom(xs, x) {
    let low = 0, high = xs.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (xs[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Indices from..to (exclusive) that are inside a scale, and one more on each side.
export function inside(xs, scale) {
    return [Math.max(0, firstFrom(xs, scale.from) - 1), Math.min(xs.length, firstFrom(xs, scale.to) + 1)];
}

// A point without neighbours is a dash of four pixels.
export function linePath(xs, ys, sx, sy) {
    const [from, to] = inside(xs, sx);
    const parts = [];
    let column = null, points = [];
    const put = (x, y) => points.push({ x, y });
    const flush = () => {
        if (column) {
            const { x, first, low, high, last } = column;
            put(x, first);
            if (low !== high) {
                put(x, low);
                put(x, high);
                put(x, last);
            }
        }
        column = null;
    };
    const end = () => {
        flush();
        const [first] = points;
        parts.push(points.length === 1 ? `M${fixed(first.x - 2)},${fixed(first.y)}h4` : points.map(({ x, y }, i) => `${i > 0 ? "L" : "M"}${fixed(x)},${fixed(y)}`).join(""));
        points = [];
    };
    for (let i = from; i < to; i++) {
        const x = sx.at(xs[i]), y = ys[i] === null || ys[i] === undefined ? NaN : sy.at(ys[i]);
        if (!Number.isFinite(x) || !Number.isFinite(y)) {
            end();
        } else if (column && Math.floor(x) === Math.floor(column.x)) {
            column.low = Math.min(column.low, y);
            column.high = Math.max(column.high, y);
            column.last = y;
        } else {
            flush();
            column = { x, first: y, low: y, high: y, last: y };
        }
    }
    end();
    return parts.join("");
}

// The area between low and high: per column of pixels the lowest and the highest.
export function bandPath(xs, lows, highs, sx, sy) {
    const [from, to] = inside(xs, sx);
    const parts = [];
    let run = [];
    const flush = () => {
        if (run.length > 1) {
            parts.push("M", run.map((p) => `${fixed(p.x)},${fixed(p.top)}`).join("L"), "L",
                run.reverse().map((p) => `${fixed(p.x)},${fixed(p.bottom)}`).join("L"), "Z");
        }
        run = [];
    };
    for (let i = from; i < to; i++) {
        const x = sx.at(xs[i]);
        const top = highs[i] === null ? NaN : sy.at(highs[i]);
        let bottom = lows[i] === null ? NaN : sy.at(lows[i]);
        bottom = Number.isNaN(bottom) && Number.isFinite(top) ? sy.start : bottom; /* below 0 on a log axis: its foot */
        if (!Number.isFinite(x) || !Number.isFinite(top) || !Number.isFinite(bottom)) {
            flush();
            continue;
        }
        const at = run[run.length - 1];
        if (at && Math.floor(at.x) === Math.floor(x)) {
            at.top = Math.min(at.top, top);
            at.bottom = Math.max(at.bottom, bottom);
        } else {
            run.push({ x, top, bottom });
        }
    }
    flush();
    return parts.join("");
}

// Moves labels apart: `wanted` are heights, `step` the room of each, all between top and bottom. Returns the heights.
export function spread(wanted, step, top, bottom) {
    const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
    const placed = order.map((one) => one.y);
    for (let i = 0; i < placed.length; i++) {
        placed[i] = Math.max(placed[i], i > 0 ? placed[i - 1] + step : top);
    }
    for (let i = placed.length - 1; i >= 0; i--) {
        placed[i] = Math.min(placed[i], i < placed.length - 1 ? placed[i + 1] - step : bottom);
    }
    const out = [];
    order.forEach((one, at) => { out[one.i] = placed[at]; });
    return out;
}
