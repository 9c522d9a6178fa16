// Formats: ranges, number lines, precision, codes, a format of one's own, and facts. A file of js/formats/ per view.
import { h } from "../dom.js";
import { open as codes } from "../formats/codes.js";
import { open as design } from "../formats/design.js";
import { open as facts } from "../formats/facts.js";
import { open as line } from "../formats/line.js";
import { open as precision } from "../formats/precision.js";
import { open as ranges } from "../formats/ranges.js";
import { command, namesOf, start, viewOf } from "../formats/state.js";
import { commandLine, format, items } from "../link.js";

const views = {
    ranges: ["Ranges", ranges],
    line: ["Number line", line],
    precision: ["Precision", precision],
    codes: ["Codes", codes],
    design: ["Design", design],
    facts: ["Facts", facts],
};

class View {
    constructor(element, page) {
        this.page = page;
        this.tabs = h("nav", { class: "formats-tabs", "aria-label": "Views" }, Object.entries(views).map(([id, [title]]) =>
            h("a", { href: format({ room: "formats", path: [id] }), "data-view": id }, title)));
        this.message = h("p", { class: "failure", role: "alert" });
        this.place = h("div", { class: "formats-view" });
        element.append(this.tabs, this.message, this.place);
    }

    // A view keeps its names where it can show them: from a bar to its codes in one click.
    update(state) {
        const id = viewOf(state);
        this.message.textContent = "";
        if (id !== this.id) {
            this.view?.close();
            this.id = id;
            this.place.replaceChildren();
            this.view = views[id][1](this.place, this.page, (next) => this.page.go(next, { replace: true }));
            for (const link of this.tabs.children) {
                link.dataset.view === id ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
            }
        }
        if (state.path[0] && state.path[0] !== id) {
            this.message.textContent = `unknown view '${state.path[0].slice(0, 60)}' (available: ${Object.keys(views).join(", ")})`;
        }
        try {
            this.view.update(state);
        } catch (error) {
            this.message.textContent = error.message;
        }
    }

    close() {
        this.view?.close();
    }
}

export const room = {
    id: "formats",
    title: "Formats",
    summary: "Ranges, number lines, precision, every code, and formats of your own.",
    start,
    command,
    // The number line needs a table per format.
    literals(state) {
        return viewOf(state) === "line" ? items(namesOf(state)).slice(1).map((name) => ({ language: "Command", text: commandLine(["table", name]) })) : [];
    },
    open(element, state, page) {
        const view = new View(element, page);
        view.update(state);
        return view;
    },
};

