// Array: what formats and scales do to an array that is drawn, dropped, or an image.
import { h, saveFile } from "../dom.js";
import { Controls } from "../array/controls.js";
import { dropZone, Files } from "../array/files.js";
import { Histogram } from "../array/histogram.js";
import { drawnImage, ImageView, readImage } from "../array/image.js";
import { recommended, Results } from "../array/results.js";
import { command, format, formats, looked, parameters, parse, savedName } from "../array/state.js";
import { items } from "../link.js";
import { plural } from "../sum/controls.js";

let from = null; // the array of the last dropped .npy file, for the command

const how = ({ round, overflow, seed }) => ({ round, overflow, seed: Number(seed) >>> 0 });

class View {
    constructor(page) {
        this.page = page;
        this.client = page.worker();
        this.cache = new Map();
        const change = (part) => this.change(part);
        this.controls = new Controls(change, () => this.save());
        this.files = new Files({ onchoose: (tensor, index) => this.choose(tensor, index), onformat: (name) => this.openFile(this.file, name),
            onall: (tensors, progress) => this.examineAll(tensors, progress), onstop: () => { this.stopped = true; } });
        this.image = new ImageView(change);
        this.results = new Results((look) => this.change({ look }));
        this.histogram = new Histogram();
        this.failure = h("p", { class: "failure", role: "alert", hidden: true });
        this.time = h("p", { class: "note", id: "array-time" });
        this.element = h("div", { class: "array" }, this.controls.element, dropZone((file) => this.take(file)), this.files.element, this.controls.how,
            this.failure, this.image.element, this.results.element, this.time, this.histogram.element);
    }

    change(part) {
        this.state = { ...this.state, ...part };
        this.page.go(format(this.state), { replace: true });
    }

    update(state) {
        this.updates = (this.updates ?? 0) + 1;
        this.state = parse(state);
        this.controls.follow(this.state);
        this.files.element.hidden = this.state.source !== "file";
        this.image.element.hidden = this.state.source !== "image";
        if (this.state.source === "file" && !this.file) {
            this.files.message("A link does not contain the file. Drop it above.");
        }
        this.work();
    }

    // ---- files and images that were dropped ----

    take(file) {
        if (file.type.startsWith("image/")) {
            this.picture = file;
            this.imageKey = `${file.name} ${file.size} ${file.lastModified}`;
            this.go({ source: "image" });
        } else {
            this.openFile(file, "");
        }
    }

    // The same state can mean another file, for which there is another command.
    go(part) {
        const before = this.updates;
        this.change(part);
        if (this.updates === before) {
            this.page.show();
        }
    }

    openFile(file, asked) {
        this.file = file;
        this.opening = { file, asked };
        this.entry = null;
        from = null;
        this.go({ source: "file" });
    }

    async readHeader({ file, asked }) {
        this.files.chosen = null;
        this.files.message(`Reading the header of ${file.name} ...`);
        try {
            const info = await this.client.call("array_open", file, asked);
            if (info.kind === "safetensors") {
                this.files.showTensors(file, info);
                return;
            }
            this.files.showNpy(file, { ...info, asked });
            if (info.format !== null) {
                this.entry = { ...info, key: `npy ${asked}`, bits: 8 * info.element_size, begin: info.header_size };
                from = { name: file.name, format: info.format, named: asked !== "" };
            }
        } catch (error) {
            this.files.message("");
            throw new Error(`${file.name}: ${error.message}`);
        }
    }

    choose(tensor, index) {
        this.entry = { ...tensor, key: `tensor ${index}`, packed: true, big_endian: false, fortran_order: false };
        this.work();
    }

    // ---- the work, one step after the other; a later state ends an earlier one between two formats ----

    async work() {
        this.turn = (this.turn ?? 0) + 1;
        if (this.busy) {
            return;
        }
        this.busy = true;
        this.element.setAttribute("aria-busy", "true");
        for (let turn = 0; turn !== this.turn && !this.closed;) {
            turn = this.turn;
            try {
                await this.step(this.state, () => turn !== this.turn);
                if (turn === this.turn) {
                    this.failure.hidden = true;
                }
            } catch (error) {
                if (!this.closed) {
                    this.fail(error.message);
                }
            }
        }
        this.controls.save.disabled = !this.failure.hidden;
        this.busy = false;
        this.element.removeAttribute("aria-busy");
    }

    fail(message) {
        this.failure.textContent = message;
        this.failure.hidden = false;
        this.results.table.replaceChildren();
        this.results.verdict.textContent = "";
        this.time.textContent = "";
        this.histogram.clear();
    }

    // Puts the array that the state means into the worker's memory; false where there is none.
    async load(state) {
        if (state.unknown) {
            throw new Error(`unknown array '${state.unknown}' (available: normal, lognormal, student-t, uniform, image, file)`);
        }
        if (state.source === "file") {
            if (this.opening) {
                const opening = this.opening;
                this.opening = null;
                this.loaded = null;
                await this.readHeader(opening);
                this.page.showCommand(room, format(this.state));
            }
            if (!this.entry) {
                return false;
            }
            return this.put(`file ${this.entry.key}`, () => this.client.call("array_load", this.file, this.entry));
        }
        if (state.source === "image") {
            return this.put(`image ${this.imageKey} ${state.centred}`, async () => {
                this.size = this.picture ? await readImage(this.picture) : drawnImage();
                const { pixels, width, height } = this.size;
                this.original = await this.client.call("array_image", pixels, width, height, state.centred === "1");
                return { count: 3 * width * height };
            });
        }
        const wanted = parameters(state);
        return this.put(JSON.stringify(wanted), () => this.client.call("array_draw", wanted));
    }

    async put(key, load) {
        if (this.loaded !== key) {
            this.loaded = null;
            this.cache.clear();
            ({ count: this.count } = await load());
            this.loaded = key;
        }
        return true;
    }

    // One format on the array that is loaded; what was asked before is kept.
    async examine(name, state, counted) {
        const key = JSON.stringify([name, how(state)]), known = this.cache.get(key);
        if (known && (known.counted || known.error || !counted)) {
            return known;
        }
        const answer = await this.client.call("array_examine", name, how(state), counted).catch((error) => ({ name, error: error.message }));
        this.cache.set(key, { ...answer, name });
        return this.cache.get(key);
    }

    async step(state, stale) {
        const names = [...new Set(items(state.formats))].slice(0, 40), look = looked(state);
        const results = [], shown = { sort: state.sort, budget: Number(state.bits) || 9, look };
        this.image.follow(state, names);
        if (this.time.textContent === "" && state.source !== "file" && !state.unknown) {
            this.results.show([], { ...shown, waiting: names });
        }
        if (!await this.load(state)) {
            this.results.table.replaceChildren();
            this.results.verdict.textContent = "";
            this.histogram.clear();
            return;
        }
        for (const name of names) {
            if (stale()) {
                return;
            }
            results.push(await this.examine(name, state, name === look));
            this.results.show(results, { ...shown, waiting: names.slice(results.length) });
        }
        const one = results.find((r) => r.name === look);
        one && !one.error ? this.histogram.show(one) : this.histogram.clear();
        const timed = results.filter((r) => r.ms && !r.counted), ms = timed.reduce((sum, r) => sum + r.ms, 0) / timed.length;
        this.time.textContent = timed.length === 0 ? "" : `${plural(this.count, "element")}; ${ms.toFixed(0)} ms per format on this machine, statistics included.`;
        if (state.source === "image") {
            const bytes = 4 * this.size.width * this.size.height;
            await this.image.show(state, { names, size: this.size, original: this.original, results, stale,
                through: (name, gain) => this.client.call("array_through", name, how(state), bytes, gain) });
        }
        if (!stale()) {
            this.page.announce(this.results.verdict.textContent);
        }
    }

    // ---- all tensors in turn ----

    // Until the reader stops it, or goes to another file or source.
    async examineAll(tensors, progress) {
        const { file } = this, goesOn = () => !this.stopped && this.file === file && this.state.source === "file";
        this.stopped = false;
        await this.idle();
        this.busy = true;
        this.element.setAttribute("aria-busy", "true");
        const { state } = this, floats = tensors.map((t, i) => [t, i]).filter(([t]) => t.format !== null);
        for (let done = 0; done < floats.length && goesOn(); done++) {
            const [tensor, index] = floats[done];
            progress(done, floats.length);
            const found = await this.summary(file, tensor, index, state, goesOn)
                .catch((error) => ({ text: error.message }));
            if (goesOn()) {
                this.files.report(index, found);
            }
        }
        this.busy = false;
        this.element.removeAttribute("aria-busy");
        this.work(); // what was chosen meanwhile
    }

    async summary(file, tensor, index, state, goesOn) {
        const entry = { ...tensor, packed: true, big_endian: false, fortran_order: false };
        await this.put(`file tensor ${index}`, () => this.client.call("array_load", file, entry));
        const results = [];
        for (const name of items(state.formats)) {
            if (goesOn()) {
                results.push(await this.examine(name, state, false));
            }
        }
        const best = recommended(results, Number(state.bits) || 9);
        return { text: best?.name ?? "none fits", sqnr: best?.lossless ? "exact" : best?.sqnr_text ?? "-",
            largest: results.find((r) => !r.error)?.max_abs_text };
    }

    // ---- the rest ----

    async idle() {
        while (this.busy) {
            await new Promise((next) => setTimeout(next, 20));
        }
    }

    // Of a state with a mistake there is no array: the button is disabled then.
    async save() {
        await this.idle();
        if (!this.controls.save.disabled) {
            const name = savedName(this.state), content = await this.client.call("array_save", this.count);
            saveFile(name, content, "application/octet-stream");
        }
    }

    close() {
        this.closed = this.stopped = true;
        from = null;
        this.turn++;
        this.client.stop();
        this.histogram.close();
    }
}

export const room = {
    id: "array",
    title: "Array",
    summary: "What formats and scales do to a million numbers, to a file of yours, or to an image.",
    start: { path: ["normal", formats], query: {} },

    command(state) {
        const s = parse(state);
        return command(s, s.source === "file" ? from : null);
    },

    open(element, state, page) {
        const view = new View(page);
        element.classList.add("arrays");
        element.append(view.element);
        view.update(state);
        return { update: (now) => view.update(now), close: () => view.close() };
    },
};
