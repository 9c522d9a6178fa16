// What every chart has around its drawing: heading, legend of checkboxes, buttons (scales, zoom, table, save), a
// tooltip, a text for screen readers, the table of the same numbers, and drawing again when the width changes.
//
// A drawing gives: draw(svg, width) -> height; table() -> { head, rows }; optionally cursor(event), key(name) -> text,
// leave(), zoom(factor), reset(), scales() -> [{ label, value, options, set }].

import { h, saveFile, svg as s } from "../dom.js";
import { cut } from "./text.js";
import { styleOf, sampleOf } from "./look.js";
import { toSvgText, toPng, fileName } from "./save.js";

let last = 0;

function button(text, title, press) {
    return h("button", { type: "button", class: "chart-button", title, "aria-label": title, onclick: press }, text);
}

// What a reader of the table needs at most; longer charts are thinned, and the caption says so.
const TABLE_ROWS = 200;

function tableOf(title, { head, rows }) {
    const every = Math.max(1, Math.ceil(rows.length / TABLE_ROWS));
    const shown = rows.filter((_, i) => i % every === 0 || i === rows.length - 1);
    const caption = every > 1 ? `${title}: ${shown.length} of ${rows.length} rows` : title;
    return h("table", {},
        h("caption", {}, caption),
        h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...shown.map((row) => h("tr", {},
            ...row.map((text, i) => h(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, text))))));
}

export class Frame {
    constructor(spec, drawing) {
        this.spec = spec;
        this.drawing = drawing;
        drawing.attach(this);
        this.width = 0;
        this.hidden = new Set(spec.hidden ?? []);
        const id = `chart${++last}`;
        this.title = s("title", { id: `${id}t` });
        this.desc = s("desc", { id: `${id}d` });
        this.svg = s("svg", { role: "img", "aria-labelledby": `${id}t ${id}d`, class: "chart-svg", xmlns: "http://www.w3.org/2000/svg" });
        this.tip = h("div", { class: "chart-tip", "aria-hidden": "true", hidden: true });
        this.spoken = h("div", { class: "chart-spoken", role: "status", "aria-live": "polite" });
        this.plot = h("div", { class: "chart-plot", tabindex: "0", role: "group", "aria-describedby": `${id}h` }, this.svg, this.tip);
        this.keys = h("span", { id: `${id}h`, class: "chart-spoken" }, "Arrow keys read values; plus, minus and 0 zoom; T shows the table.");
        this.legend = h("div", { class: "chart-legend", role: "group", "aria-label": "Series shown" });
        this.scales = h("span", { class: "chart-scales" });
        this.tableBox = h("div", { class: "chart-table", hidden: true, tabindex: "0", role: "region" });
        this.tableButton = button("Table", "Show the numbers as a table", () => this.toggleTable());
        this.tableButton.setAttribute("aria-expanded", "false");
        this.heading = h("span", { class: "chart-title" });
        this.note = h("p", { class: "chart-note" });
        this.element = h("figure", { class: "chart" },
            h("figcaption", { class: "chart-head" }, this.heading,
                h("span", { class: "chart-tools" }, this.scales, ...this.zoomButtons(), this.tableButton,
                    button("SVG", "Save this chart as SVG", () => this.save("svg")),
                    button("PNG", "Save this chart as PNG", () => this.save("png")))),
            this.legend, this.plot, this.note, this.spoken, this.keys, this.tableBox);
        this.listen();
        this.observer = new ResizeObserver((entries) => this.resized(entries[0].contentRect.width));
        this.observer.observe(this.plot);
        this.words();
    }

    zoomButtons() {
        if (!this.drawing.zoom || this.spec.compact) {
            return [];
        }
        const act = (f) => () => { f(); this.redraw(); };
        return [button("+", "Zoom in", act(() => this.drawing.zoom(0.5))), button("−", "Zoom out", act(() => this.drawing.zoom(2))),
            button("All", "Show all: end the zoom", act(() => this.drawing.reset()))];
    }

    // Texts, legend and scales, which change with the spec only.
    words() {
        const { spec } = this;
        this.heading.textContent = spec.title;
        this.title.textContent = spec.title;
        this.plot.setAttribute("aria-label", `Chart: ${spec.title}`);
        this.tableBox.setAttribute("aria-label", `Table: ${spec.title}`);
        this.note.textContent = spec.note ?? "";
        this.note.hidden = !spec.note;
        this.drawLegend();
        this.drawScales();
    }

    drawLegend() {
        const { spec } = this;
        const series = spec.legend === false ? [] : (spec.series ?? []).filter((one) => !one.unnamed);
        this.legend.hidden = series.length < 2;
        this.legend.replaceChildren(...(series.length < 2 ? [] : series.map((one) => {
            const key = one.key ?? one.name;
            const box = h("input", { type: "checkbox", onchange: () => this.show(key, box.checked, true) });
            box.checked = !this.hidden.has(key);
            const sample = s("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true" }, ...this.sample(one));
            return h("label", { title: one.name }, box, sample, cut(one.name, 32));
        })));
    }

    // How a series looks, for a legend.
    sample(one) {
        const { spec } = this, areas = spec.sample === "area", style = one.style ?? spec.series.indexOf(one);
        return sampleOf(styleOf(areas ? style + 1 : style), areas || one.kind === "bars" ? "area" : one.kind);
    }

    drawScales() {
        const all = this.drawing.scales ? this.drawing.scales() : [];
        this.scales.replaceChildren(...all.map(({ label, value, options, set }) => {
            const select = h("select", { "aria-label": `${this.spec.title}: scale of ${label}`, onchange: () => { set(select.value); this.redraw(); } },
                ...options.map((name) => h("option", { value: name, selected: name === value }, name)));
            return h("label", { class: "chart-scale" }, `${label} `, select);
        }));
    }

    listen() {
        const { plot, drawing } = this;
        plot.addEventListener("keydown", (event) => this.key(event));
        plot.addEventListener("pointermove", (event) => this.point(event));
        plot.addEventListener("pointerleave", () => this.leave());
        plot.addEventListener("blur", () => this.leave());
        if (drawing.zoom) {
            plot.addEventListener("pointerdown", (event) => this.press(event));
            plot.addEventListener("pointerup", (event) => this.release(event));
            plot.addEventListener("dblclick", () => { drawing.reset(); this.redraw(); });
        }
    }

    // Where an event is, in the drawing's own pixels.
    place(event) {
        const box = this.svg.getBoundingClientRect();
        const scale = box.width > 0 ? this.width / box.width : 1;
        return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
    }

    press(event) {
        if (event.button === 0 && event.pointerType !== "touch") {
            this.from = this.place(event);
            this.plot.setPointerCapture(event.pointerId);
        }
    }

    release(event) {
        const from = this.from;
        this.from = null;
        this.drawing.select?.(this.svg, null);
        if (from) {
            const to = this.place(event);
            if (Math.abs(to.x - from.x) > 6) {
                this.drawing.zoomTo(from, to);
                this.redraw();
            }
        }
    }

    point(event) {
        const at = this.place(event);
        if (this.from && Math.abs(at.x - this.from.x) > 3) {
            this.drawing.select?.(this.svg, this.from, at);
        }
        const rows = this.drawing.cursor?.(at);
        this.showTip(rows, at);
    }

    leave() {
        this.tip.hidden = true;
        this.drawing.leave?.();
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.plot) {
            return;
        }
        const zooms = { "+": 0.5, "=": 0.5, "-": 2 };
        if (event.key in zooms && this.drawing.zoom) {
            this.drawing.zoom(zooms[event.key]);
            this.redraw();
        } else if ((event.key === "0" || event.key === "Escape") && this.drawing.reset) {
            this.drawing.reset();
            this.redraw();
        } else if (event.key === "t" || event.key === "T") {
            this.toggleTable();
        } else if (/^(Arrow|Home|End)/.test(event.key)) {
            const read = this.drawing.key?.(event.key);
            if (read) {
                this.showTip(read.rows, read.at);
                this.spoken.textContent = read.rows.flat().join(", ");
            }
        } else {
            return;
        }
        event.preventDefault();
    }

    // rows: the first is a heading, the others name and value.
    showTip(rows, at) {
        this.tip.hidden = !rows || rows.length === 0;
        if (this.tip.hidden) {
            return;
        }
        const [head, ...others] = rows;
        this.tip.replaceChildren(h("strong", {}, head), ...others.slice(0, 14).map((row) => h("div", {},
            h("span", {}, cut(row[0], 28)), h("span", { class: "chart-value" }, row[1] ?? ""))),
        ...(others.length > 14 ? [h("div", {}, `and ${others.length - 14} more`)] : []));
        const scale = this.svg.getBoundingClientRect().width / (this.width || 1);
        const right = at.x > this.width * 0.55;
        this.tip.style.left = right ? "auto" : `${at.x * scale + 14}px`;
        this.tip.style.right = right ? `${(this.width - at.x) * scale + 14}px` : "auto";
        this.tip.style.top = `${Math.max(0, Math.min(at.y * scale - 10, this.plot.clientHeight - this.tip.offsetHeight))}px`;
    }

    toggleTable(open = this.tableBox.hidden) {
        this.tableBox.hidden = !open;
        this.tableButton.setAttribute("aria-expanded", String(open));
        this.fillTable();
    }

    fillTable() {
        if (!this.tableBox.hidden) {
            this.tableBox.replaceChildren(tableOf(this.spec.title, this.drawing.table()));
        }
    }

    resized(width) {
        const whole = Math.max(260, Math.round(width));
        if (width > 0 && whole !== this.width) {
            this.width = whole;
            this.draw();
        }
    }

    // Draws once per frame, however many changes there were.
    redraw() {
        this.due ??= requestAnimationFrame(() => {
            this.due = undefined;
            this.draw();
        });
    }

    draw() {
        if (this.width > 0) {
            this.svg.replaceChildren(this.title, this.desc);
            const height = this.drawing.draw(this.svg, this.width);
            this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
            const { summary } = this.spec;
            this.desc.textContent = typeof summary === "function" ? summary() : summary ?? "";
            this.fillTable();
        }
    }

    // Shows or hides a series; told: also tells the owner (spec.onshow).
    show(key, shown, told = false) {
        this.hidden[shown ? "delete" : "add"](key);
        this.redraw();
        if (told) {
            this.spec.onshow?.(key, shown);
        } else {
            this.drawLegend();
        }
    }

    update(changes) {
        Object.assign(this.spec, changes);
        this.drawing.changed?.(changes);
        const names = (spec) => JSON.stringify([spec.title, spec.note, spec.x?.scale, spec.y?.scale, (spec.series ?? []).map((one) => [one.name, one.key, one.style])]);
        if (this.named !== (this.named = names(this.spec))) { /* the legend keeps the focus where nothing in it changes */
            this.words();
        }
        this.redraw();
    }

    async save(kind) {
        const name = `${fileName(this.spec.title)}.${kind}`;
        saveFile(name, kind === "svg" ? toSvgText(this) : await toPng(this), kind === "svg" ? "image/svg+xml" : "image/png");
    }

    // What a chart gives to its owner.
    handle() {
        return {
            element: this.element,
            update: (changes) => this.update(changes),
            show: (key, shown) => this.show(key, shown),
            svg: () => toSvgText(this),
            png: () => toPng(this),
            close: () => { this.observer.disconnect(); cancelAnimationFrame(this.due); },
        };
    }
}
