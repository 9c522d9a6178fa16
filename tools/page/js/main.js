// The page: menu, rooms, the address, and the command that answers the same. In a worker the same script serves
// commands.
import * as charts from "./chart/chart.js";
import { Core } from "./core/binade.js";
import { Client, serve } from "./core/client.js";
import { unpacked } from "./core/packed.js";
import { copyButton, h } from "./dom.js";
import { commandLine, format, parse } from "./link.js";
import { functions, rooms } from "./rooms/index.js";

// The module is in the page: gzip, as text.
async function unpack(text) {
    const stream = new Blob([unpacked(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

class Page {
    constructor() {
        // Before anything changes: a saved report is this text with a run inside.
        this.source = `<!DOCTYPE html>\n${document.documentElement.outerHTML}\n`;
        this.script = document.getElementById("binade-script").textContent;
        this.report = JSON.parse(document.getElementById("binade-report").textContent);
        this.reportRoom = this.report === null ? null : this.report.kind === "checkpoint" ? "checkpoint" : "run";
        this.main = document.getElementById("room");
        this.live = document.getElementById("live");
        this.room = null;
        this.fragment = location.hash; // of the state that is shown; the address follows
        this.writing = null;
        this.charts = charts;
    }

    // A worker for long commands; each caller has its own, and stops it.
    worker() {
        return new Client(this.module, this.script);
    }

    announce(text) {
        this.live.textContent = "";
        this.live.textContent = text;
    }

    // Changes the state. With `replace` the browser's history gets no entry, for example while somebody types.
    go(state, { replace = false } = {}) {
        const fragment = format(state);
        if (fragment === this.fragment) {
            return;
        }
        if (replace) {
            this.fragment = fragment;
            this.show();
            if (this.writing === null) {
                this.write();
            }
        } else {
            this.writeNow();
            location.hash = fragment;
        }
    }

    // The address follows the state, at most ten times per second: browsers refuse more than about 200 changes in 10 s.
    write() {
        const written = this.fragment;
        history.replaceState(null, "", written);
        this.writing = setTimeout(() => {
            this.writing = null;
            if (location.hash === written && this.fragment !== written) { // else the reader has gone elsewhere
                this.write();
            }
        }, 100);
    }

    writeNow() {
        clearTimeout(this.writing);
        this.writing = null;
        if (location.hash !== this.fragment) {
            history.replaceState(null, "", this.fragment);
        }
    }

    // The state in the address; without one the report's room, or the first room.
    state() {
        const state = parse(this.fragment);
        const room = rooms.find((r) => r.id === state.room) ?? rooms.find((r) => r.id === this.reportRoom) ?? rooms[0];
        const { start } = room;
        return state.room === room.id && (state.path.length > 0 || Object.keys(state.query).length > 0)
            ? { room, state } : { room, state: { room: room.id, path: [...start.path], query: { ...start.query } } };
    }

    // A room that cannot show a state says so; the others stay usable.
    show() {
        const { room, state } = this.state();
        this.main.querySelectorAll(":scope > .failure").forEach((one) => one.remove());
        try {
            this.enter(room, state);
        } catch (error) {
            this.say(error.message);
        }
        const asked = parse(this.fragment).room, more = state.path.slice(room.start.path.length);
        if (asked !== "" && asked !== room.id) {
            this.say(`This page has no room '${asked}'; the link may be of a later version of binade.`);
        } else if (more.length > 0) {
            this.say(`The room ${room.title} does not read '/${more.join("/")}' at the end of the link. A '/' inside a value is written %2F.`);
        }
        this.showCommand(room, state);
    }

    // Above what the room shows, so that it is seen first.
    say(text) {
        this.main.insertBefore(h("p", { class: "failure", role: "alert" }, text), this.main.querySelector(":scope > .content"));
    }

    enter(room, state) {
        if (room === this.room) {
            this.view?.update(state);
        } else {
            this.view?.close();
            this.view = null;
            this.room = room;
            this.main.replaceChildren(h("h1", {}, room.title), h("p", { class: "summary" }, room.summary));
            const element = h("div", { class: "content" });
            this.main.append(element);
            for (const link of document.querySelectorAll("#menu a")) {
                const here = link.dataset.room === room.id;
                here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
            }
            document.title = `${room.title} - binade`;
            this.view = room.open(element, state, this);
        }
    }

    showCommand(room, state) {
        const words = room.command?.(state) ?? null;
        const bar = document.getElementById("command");
        bar.hidden = words === null;
        if (words === null) {
            return;
        }
        const line = commandLine(words), literals = room.literals?.(state, this) ?? [];
        const row = (name, text) => h("div", { class: "line" }, h("span", { class: "name" }, name),
            h("code", { tabindex: "0" }, text), copyButton(`the ${name} line`, () => text, (t) => this.announce(t)));
        bar.replaceChildren(h("h2", {}, "The same elsewhere"), row("Command", line),
            ...literals.map(({ language, text }) => row(language, text)));
    }

    async open() {
        document.getElementById("menu").replaceChildren(...rooms.map((r) =>
            h("a", { href: `#${r.id}`, "data-room": r.id, title: r.summary }, r.title)));
        this.module = await unpack(document.getElementById("binade-wasm").textContent);
        this.core = await Core.open(this.module);
        document.querySelector("a.skip").addEventListener("click", (event) => { // the fragment is the state's
            event.preventDefault();
            this.main.focus();
        });
        addEventListener("hashchange", () => {
            clearTimeout(this.writing);
            this.writing = null;
            this.fragment = location.hash;
            this.show();
        });
        this.show();
        document.documentElement.dataset.ready = "true";
    }
}

if (typeof document === "undefined") {
    serve(functions);
} else {
    const page = new Page();
    globalThis.binade = page; // for tests and for the curious
    page.open().catch((error) => {
        document.getElementById("room").replaceChildren(h("p", { class: "failure", role: "alert" },
            `The page could not start: ${error.message}. It needs a browser of 2023 or later.`));
    });
}
