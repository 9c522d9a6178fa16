// Charts: what they draw, read out, tabulate and save.
import { readFileSync } from "node:fs";
import { makeScale, numberText, roomAround } from "../../tools/page/js/chart/scale.js";
import { Heat } from "../../tools/page/js/chart/heat.js";
import { Plane } from "../../tools/page/js/chart/plane.js";
import { bandPath, firstFrom, linePath, spread } from "../../tools/page/js/chart/paths.js";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";

// Makes a chart in the page from a spec; the chart is globalThis.chart.
async function draw(page, kind, spec) {
    await page.evaluate((name, given) => {
        globalThis.chart?.close();
        globalThis.chart = globalThis.binade.charts[name](given);
        document.getElementById("room").replaceChildren(globalThis.chart.element);
    }, kind, spec);
    await page.waitFor(() => document.querySelector(".chart-svg").childElementCount > 2);
}

const two = { title: "Loss over steps", x: { label: "step", whole: true, scales: ["linear", "log"] }, y: { label: "loss", scales: ["linear", "log"] }, series: [
    { name: "fp32", x: [0, 1, 2, 3], y: [8, 4, 2, 1], low: [7, 3, 1, 0.5], high: [9, 5, 3, 2] },
    { name: "fp16", x: [0, 1, 2, 3], y: [8, 5, null, null], end: "NaN at step 2" }] };

// ---- scales and paths, without a browser ----

await test("ticks are round numbers inside the axis", () => {
    const texts = (scale, count) => scale.ticks(count).filter((t) => t.text).map((t) => t.text);
    equal(texts(makeScale({ from: 0, to: 1, start: 0, end: 100 }), 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    equal(texts(makeScale({ from: -3, to: 7, start: 0, end: 100, whole: true }), 20), ["−3", "−2", "−1", "0", "1", "2", "3", "4", "5", "6", "7"]);
    equal(texts(makeScale({ kind: "log", from: 1e-3, to: 1e3, start: 0, end: 100 }), 8), ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
    equal(texts(makeScale({ kind: "log", from: 1e-30, to: 1e30, start: 0, end: 100 }), 4), ["10⁻³⁰", "10⁻¹⁵", "1", "10¹⁵", "10³⁰"]);
    equal(texts(makeScale({ kind: "symmetric", from: -100, to: 100, start: 0, end: 100, threshold: 1 }), 8), ["0", "1", "10", "100", "−1", "−10", "−100"]);
});

await test("axes of any size end", () => {
    const { MAX_VALUE: max, MIN_VALUE: min } = Number, next = 1 + Number.EPSILON;
    for (const [low, high] of [[-max, max], [min, max], [min, 2 * min], [1, next], [1e300, 1e300 * next], [0, min], [max / 2, max], [-max, -max], [1e16, 1e16 + 2]]) {
        for (const kind of low > 0 ? ["linear", "log", "symmetric"] : ["linear", "symmetric"]) {
            const [from, to] = roomAround(kind, low, high), scale = makeScale({ kind, from, to, start: 0, end: 500 });
            check(scale.ticks(8).length <= 100, `${kind} ${low} ${high}: ${scale.ticks(8).length} ticks`);
            check([low, high].every((x) => scale.at(x) >= 0 && scale.at(x) <= 500), `${kind} ${low} ${high}: ${scale.at(low)} ${scale.at(high)}`);
        }
    }
    equal(makeScale({ kind: "log", from: 0, to: Infinity, start: 0, end: 1 }).ticks(5), []);
});

await test("scales map back what they map", () => {
    for (const [kind, from, to, values] of [["linear", -5, 9, [-5, 0, 3.25]], ["log", 1e-8, 1e4, [1e-8, 1, 777]], ["symmetric", -1e6, 10, [-1e6, -0.5, 0, 3]]]) {
        const scale = makeScale({ kind, from, to, start: 400, end: 20, threshold: 0.1 });
        for (const value of values) {
            const back = scale.value(scale.at(value));
            check(Math.abs(back - value) <= 1e-9 * Math.max(1, Math.abs(value)), `${kind}: ${value} came back as ${back}`);
        }
        equal([scale.at(from), scale.at(to)], [400, 20], kind);
    }
    check(Number.isNaN(makeScale({ kind: "log", from: 1, to: 10, start: 0, end: 1 }).at(0)), "log of 0");
});

await test("numbers have six digits, and a power of ten where they are very large or small", () => {
    equal([0, 0.1 + 0.2, 1234567, 12345678, -1.5e-9, 1e10, NaN, -Infinity, 0.00012].map((x) => numberText(x)),
        ["0", "0.3", "1234570", "1.23457×10⁷", "−1.5×10⁻⁹", "10¹⁰", "NaN", "−∞", "0.00012"]);
    equal([roomAround("linear", NaN, NaN), roomAround("log", Infinity, -Infinity)], [[0, 1], [1, 10]]);
});

await test("a line keeps every extreme when thousands of points fall into one pixel", () => {
    const n = 100000, xs = Array.from({ length: n }, (_, i) => i), ys = xs.map((i) => (i === 33333 ? 1000 : i === 66666 ? -1000 : Math.sin(i)));
    const path = linePath(xs, ys, makeScale({ from: 0, to: n - 1, start: 0, end: 500 }), makeScale({ from: -1000, to: 1000, start: 1000, end: 0 }));
    const heights = path.split(/[ML]/).slice(1).map((pair) => Number(pair.split(",")[1]));
    equal([Math.min(...heights), Math.max(...heights)], [0, 1000]);
    check(heights.length <= 4 * 501, `${heights.length} points for 500 pixels`);
});

await test("a value that the axis cannot show breaks the line and the band", () => {
    const sx = makeScale({ from: 0, to: 4, start: 0, end: 400 }), sy = makeScale({ from: 0, to: 10, start: 100, end: 0 });
    equal(linePath([0, 1, 2, 3, 4], [1, 2, NaN, 3, 4], sx, sy), "M0,90L100,80M300,70L400,60");
    equal(bandPath([0, 1, 2, 3, 4], [0, 0, null, 0, 0], [5, 5, null, 5, 5], sx, sy).match(/M/g).length, 2);
    equal([0, 1.5, 2, 9].map((x) => firstFrom([0, 1, 2, 3], x)), [0, 2, 2, 4]);
});

await test("a point without neighbours is a short dash", () => {
    const sx = makeScale({ from: 0, to: 4, start: 0, end: 400 }), sy = makeScale({ from: 0, to: 10, start: 100, end: 0 });
    equal([linePath([0], [1], sx, sy), linePath([0, 1, 2, 3], [1, null, 2, null], sx, sy), linePath([0, 1], [null, null], sx, sy)], ["M-2,90h4", "M-2,90h4M198,80h4", ""]);
});

await test("on a logarithmic heat map 0 is as light as the least, and the others keep their shades", () => {
    const shares = (scale, values) => { const heat = new Heat({ scale, values: [values] }); return values.map((v) => heat.share(v)); };
    equal([shares("log", [0, 1, 10, 100]), shares("log", [0, 0]), shares("log", [0, 5]), shares("linear", [0, 5, 10])], [[0, 0, 0.5, 1], [0, 0], [0, 0], [0, 0.5, 1]]);
});

await test("dragging beside the axis changes nothing", () => {
    const plane = new Plane({ series: [{ name: "a", x: [0, 50, 99], y: [1, 2, 3] }] });
    plane.attach({ hidden: new Set() });
    const from = (left, right) => { plane.sx = plane.scale("x", plane.ends("x", plane.visible()), 70, 600); plane.zoomTo({ x: left }, { x: right }); return plane.view; };
    equal([from(20, 55), from(610, 640), from(20, 70)], [null, null, null]);
    const { x: [low, high] } = from(70, 335);
    check(low === 0 && Math.abs(high - 49.5) < 1e-9, `${low} ${high}`);
    equal(from(20, 55), { x: [low, high] });
});

await test("labels are moved apart and stay inside", () => {
    const placed = spread([50, 50, 50, 99], 13, 0, 100).sort((a, b) => a - b);
    check(placed.every((y, i) => y >= 0 && y <= 100 && (i === 0 || y - placed[i - 1] >= 12.999)), String(placed));
});

// ---- in the browser ----

const page = await open("", { width: 900, height: 700 });
await page.waitFor(() => document.documentElement.dataset.ready === "true");

await test("keys read values out, and a screen reader has title, description and text", async () => {
    await draw(page, "xyChart", { ...two, summary: "Two recipes." });
    equal(await page.evaluate(() => [document.querySelector("svg.chart-svg title").textContent, document.querySelector("svg.chart-svg desc").textContent, document.querySelector("svg.chart-svg").getAttribute("role")]), ["Loss over steps", "Two recipes.", "img"]);
    await page.evaluate(() => document.querySelector(".chart-plot").focus());
    await page.press("ArrowRight");
    await page.press("ArrowRight");
    equal(await page.evaluate(() => document.querySelector(".chart-spoken[role=status]").textContent), "step 1, fp32, 4 (3 to 5), fp16, 5");
    await page.press("End");
    equal(await page.evaluate(() => document.querySelector(".chart-spoken[role=status]").textContent), "step 3, fp32, 1 (0.5 to 2), fp16, NaN");
    await page.press("ArrowDown");
    equal(await page.evaluate(() => document.querySelector(".chart-spoken[role=status]").textContent), "step 3, fp32, 1 (0.5 to 2)");
});

await test("the pointer reads values, dragging zooms, and a double click or 0 ends the zoom", async () => {
    await draw(page, "xyChart", two);
    await page.hover(".chart-svg");
    await page.waitFor(() => !document.querySelector(".chart-tip").hidden);
    matches(await page.evaluate(() => document.querySelector(".chart-tip").textContent), /^step [12]/);
    const ticks = () => page.evaluate(() => [...document.querySelectorAll(".chart-svg text.chart-middle")].map((t) => t.textContent).filter((t) => /^[0-9]+$/.test(t)));
    const all = await ticks();
    const box = await page.evaluate(() => { const b = document.querySelector(".chart-svg").getBoundingClientRect(); return { x: b.x, y: b.y, width: b.width, height: b.height }; });
    const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
    await page.mouse("mousePressed", ...at(0.1));
    await page.mouse("mouseMoved", ...at(0.3));
    await page.mouse("mouseReleased", ...at(0.4));
    await page.waitFor((before) => [...document.querySelectorAll(".chart-svg text.chart-middle")].map((t) => t.textContent).filter((t) => /^[0-9]+$/.test(t)).join() !== before, all.join());
    check(!(await ticks()).includes("3"), "step 3 is zoomed away");
    await page.evaluate(() => document.querySelector(".chart-plot").focus());
    await page.press("0");
    await page.waitFor((before) => [...document.querySelectorAll(".chart-svg text.chart-middle")].map((t) => t.textContent).filter((t) => /^[0-9]+$/.test(t)).join() === before, all.join());
});

await test("a line of one point has a marker, and lines of one key say once why they end", async () => {
    await draw(page, "xyChart", { title: "one", x: {}, y: {}, series: [{ name: "a", x: [0], y: [2] }] });
    equal(await page.evaluate(() => document.querySelectorAll(".chart-svg .chart-marker, .chart-svg .chart-open").length), 1);
    const line = { name: "a", key: "a", style: 1, x: [0, 1, 2], y: [3, 2, null], end: "NaN at step 2" };
    await draw(page, "xyChart", { title: "ends", x: {}, y: {}, series: [{ ...line, end: undefined, y: [3, 2, 1] }, line, { ...line, y: [4, 3, null] }] });
    equal(await page.evaluate(() => [document.querySelectorAll(".chart-end-mark").length, [...document.querySelectorAll(".chart-svg text")].filter((t) => /NaN at/.test(t.textContent)).length]), [2, 1]);
});

await test("boxes hide series, scales switch, and the table has the same numbers", async () => {
    await draw(page, "xyChart", two);
    const lines = () => page.evaluate(() => document.querySelectorAll(".chart-svg path.chart-line").length);
    equal(await lines(), 2);
    await page.click(".chart-legend input");
    await page.waitFor(() => document.querySelectorAll(".chart-svg path.chart-line").length === 1);
    await page.click(".chart-legend input");
    await page.waitFor(() => document.querySelectorAll(".chart-svg path.chart-line").length === 2);
    const before = await page.evaluate(() => document.querySelector(".chart-svg path.chart-line").getAttribute("d"));
    await page.choose(".chart-scale:nth-of-type(2) select", "log");
    await page.waitFor((d) => document.querySelector(".chart-svg path.chart-line").getAttribute("d") !== d, before);
    await page.click(".chart-button[title*=table]");
    equal(await page.evaluate(() => [...document.querySelectorAll(".chart-table tr")].map((row) => [...row.children].map((cell) => cell.textContent).join(" "))),
        ["step fp32 fp16", "0 8 8", "1 4 5", "2 2 NaN", "3 1 NaN"]);
});

await test("series differ without colour: neighbours in dash and marker, 35 in colour and dash", async () => {
    const series = Array.from({ length: 35 }, (_, i) => ({ name: `r${i}`, x: [0, 1], y: [i, i + 1] }));
    await draw(page, "xyChart", { title: "many", x: {}, y: {}, series });
    const looks = await page.evaluate(() => [...document.querySelectorAll(".chart-svg path.chart-line")].map((p) => [p.getAttribute("class"), p.getAttribute("stroke-dasharray")]));
    equal(looks.length, 35);
    equal(new Set(looks.map((look) => look.join())).size, 35);
    check(looks.every((look, i) => i === 0 || look[1] !== looks[i - 1][1]), "neighbours have different dashes");
});

const KINDS = [["xyChart", two], ["xyChart", { title: "Points", x: {}, y: {}, series: [{ name: "a", kind: "points", x: [1, 2], y: [3, 4], low: [2, 3], high: [4, 5] }] }],
    ["xyChart", { title: "Bars", x: {}, y: {}, regions: [{ axis: "x", from: -2, to: 1, text: "normal" }], series: [{ name: "a", kind: "bars", x: [-3, -2, -1], y: [1, 5, 2] }] }],
    ["stackChart", { title: "Memory", rows: ["fp32", "bf16"], series: [{ name: "m", values: [4, 2] }, { name: "v", values: [4, 2] }] }],
    ["heatChart", { title: "Rates", rows: ["fp32", "bf16"], columns: ["0.1", "1"], values: [[1, 2], [3, null]], marks: [["best", null], [null, "failed"]] }]];

await test("every kind saves itself as SVG that is whole by itself, and as PNG", async () => {
    for (const [kind, spec] of KINDS) {
        await draw(page, kind, spec);
        const text = readFileSync(await page.download(() => page.click(".chart-button[title*=SVG]")), "utf8");
        const read = await page.evaluate((svg) => {
            const parsed = new DOMParser().parseFromString(svg, "image/svg+xml"), root = parsed.documentElement;
            return { name: root.nodeName, failed: parsed.querySelector("parsererror") !== null, width: Number(root.getAttribute("width")), text: root.textContent, classes: root.querySelectorAll("[class]").length, variables: svg.includes("var(--"), ground: root.querySelector("rect").getAttribute("fill") };
        }, text);
        equal([read.name, read.failed, read.classes, read.variables, read.ground], ["svg", false, 0, false, "rgb(255, 255, 255)"], spec.title);
        check(read.width > 300 && read.text.includes(spec.title), spec.title);
        const png = readFileSync(await page.download(() => page.click(".chart-button[title*=PNG]")));
        equal([...png.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10], spec.title);
        check(png.readUInt32BE(16) === 2 * read.width, `${spec.title}: ${png.readUInt32BE(16)} pixels wide`);
        const inks = await page.evaluate(async (base64) => {
            const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
            const context = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, image.width, image.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }, png.toString("base64"));
        check(inks > 20, `${spec.title}: the PNG has ${inks} colours`);
    }
});

await test("saved files have the colours of paper in a dark page, too", async () => {
    await draw(page, "xyChart", two);
    const light = await page.evaluate(() => globalThis.chart.svg());
    await page.media({ dark: true });
    const dark = await page.evaluate(() => globalThis.chart.svg());
    await page.media({});
    const at = [...light].findIndex((c, i) => c !== dark[i]);
    check(dark === light, `the dark page saves other colours: ${light.slice(at - 80, at + 60)} and ${dark.slice(at - 80, at + 60)}`);
});

await test("names of every kind are text", async () => {
    for (const [kind, spec] of KINDS) {
        for (const name of hostile) {
            await draw(page, kind, { ...spec, title: name, note: name, summary: name, series: spec.series?.map((one) => ({ ...one, name, end: one.end && name, key: `${name}${one.name}` })), rows: spec.rows?.map(() => name), columns: spec.columns?.map(() => name) });
            const svg = await page.evaluate(async () => { await globalThis.chart.png(); return globalThis.chart.svg(); });
            check(!/<(img|script|iframe|foreignObject|a)\b/i.test(svg), name.slice(0, 60));
        }
    }
    equal(await page.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("main img, main script, main iframe").length]), [0, 0]);
});

await test("28 recipes of 2,000 points: every line is drawn, and redrawn when one is hidden", async () => {
    await page.evaluate(() => {
        const x = Array.from({ length: 2000 }, (_, i) => i);
        globalThis.chart.close();
        globalThis.chart = globalThis.binade.charts.xyChart({ title: "28", x: {}, y: {}, series: Array.from({ length: 28 }, (_, r) => ({ name: `r${r}`, x, y: x.map((i) => Math.sin(i * (r + 1)) + r) })) });
        document.getElementById("room").replaceChildren(globalThis.chart.element);
    });
    await page.waitFor(() => document.querySelectorAll(".chart-svg path.chart-line").length === 28);
    const points = await page.evaluate(() => [...document.querySelectorAll(".chart-svg path.chart-line")].reduce((n, p) => n + p.getAttribute("d").split(/[ML]/).length, 0));
    check(points < 28 * 4 * 900, `${points} points are drawn`);
    await page.evaluate(() => globalThis.chart.show("r3", false));
    await page.waitFor(() => document.querySelectorAll(".chart-svg path.chart-line").length === 27);
});

await test("a chart fits a phone, and nothing is written to the console", async () => {
    await page.resize(390, 800);
    for (const [kind, spec] of KINDS) {
        await draw(page, kind, spec);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), `${spec.title} is wider than the window`);
    }
    equal(page.messages, []);
});

await finish();
