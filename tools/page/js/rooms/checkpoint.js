// Checkpoint: a checkpoint that is dropped in, or the report inside the page: what is wrong with it, and what its weights
// lose in other formats. A large one takes long, so both commands run in a worker.
import { h } from "../dom.js";
import { read } from "../checkpoint/files.js";
import { lintView } from "../checkpoint/lint.js";
import { ScanView } from "../checkpoint/scan.js";
import { chosen, dropped } from "../report/files.js";
import { saveReport } from "../report/save.js";
import { items, textField } from "../sum/controls.js";

const start = "fp16,e4m3,e4m3/row,e4m3/tile:128x128,mxfp8,nvfp4";

const listed = (state) => items(state.path[0] ?? start).join(",");

class View {
    constructor(element, page) {
        this.page = page;
        this.message = h("p", { class: "note", role: "status", hidden: true });
        this.failure = h("p", { class: "failure", role: "alert", hidden: true });
        this.actions = h("div", { class: "report-actions" });
        this.result = h("article", { class: "report", id: "checkpoint-result" });
        this.formats = textField("Formats to scan for", { id: "checkpoint-formats", width: 48,
            oninput: (text) => page.go({ room: room.id, path: [items(text).join(",")], query: {} }, { replace: true }),
            hint: "a format, or a format and its scaling: e4m3, e4m3/row, mxfp4:even, nvfp4:4/6, int8/row" });
        this.again = h("button", { type: "button", id: "checkpoint-again", hidden: true, onclick: () => this.attempt(() => this.work()) }, "Scan again");
        this.stop = h("button", { type: "button", id: "checkpoint-stop", hidden: true, onclick: () => this.client?.stop() }, "Stop");
        const { report } = page, mine = page.reportRoom === "checkpoint";
        const box = mine ? h("details", { class: "no-print" }, h("summary", {}, "Open another checkpoint"), this.zone()) : this.zone();
        const controls = h("div", { class: "fields no-print" }, this.formats.element, this.again, this.stop);
        element.append(...(mine ? [this.actions, this.message, this.failure, this.result, box, controls]
            : [box, controls, this.message, this.failure, this.actions, this.result]));
        if (mine) {
            this.show(report);
        }
    }

    zone() {
        const files = h("input", { type: "file", multiple: true, id: "checkpoint-files", class: "offscreen", "aria-label": "Files of a checkpoint",
            onchange: () => this.attempt(() => this.open(chosen(files.files))) });
        const folder = h("input", { type: "file", webkitdirectory: true, multiple: true, id: "checkpoint-folder", class: "offscreen", "aria-label": "Folder of a checkpoint",
            onchange: () => this.attempt(() => this.open(chosen(folder.files))) });
        const pick = (text, input) => h("button", { type: "button", onclick: () => { input.value = ""; input.click(); } }, text);
        const drop = h("div", { class: "report-drop no-print", id: "checkpoint-drop" },
            h("p", {}, "Drop a checkpoint: a folder with .safetensors files and config.json, or one .safetensors, .gguf or .npy file; or a saved report."),
            h("div", { class: "report-actions" }, pick("Choose a folder", folder), pick("Choose files", files), files, folder,
                h("span", { class: "note" }, "It is read in this page and sent nowhere. At most 1 GiB.")));
        const over = (on) => (event) => { event.preventDefault(); drop.classList.toggle("over", on); };
        drop.addEventListener("dragenter", over(true));
        drop.addEventListener("dragover", over(true));
        drop.addEventListener("dragleave", over(false));
        drop.addEventListener("drop", (event) => {
            over(false)(event);
            this.attempt(async () => this.open(await dropped(event.dataTransfer)));
        });
        return drop;
    }

    async attempt(act) {
        this.failure.hidden = true;
        try {
            await act();
        } catch (error) {
            this.say("");
            this.failure.textContent = error.message;
            this.failure.hidden = false;
        }
        this.stop.hidden = true;
    }

    say(text) {
        this.message.textContent = text;
        this.message.hidden = text === "";
        this.page.announce(text);
    }

    async open(list) {
        this.say(`Reading ${list.length} file${list.length === 1 ? "" : "s"} ...`);
        const { files, operand, left, report } = await read(list);
        if (report) {
            this.say("");
            this.show(report);
            return;
        }
        this.taken = { files, operand };
        this.again.hidden = false;
        await this.work();
        if (left > 0) {
            this.say(`${left} of ${list.length} files are not a part of the checkpoint and were not read.`);
        }
    }

    // The answer of a command, which may say that something does not hold.
    async ask(...words) {
        const { files, operand } = this.taken;
        const { status, output, errors } = await this.client.run([...words, "--json", "--", operand], { files });
        if (status > 1 || output === "") {
            throw new Error(errors.replace(/^binade( \w+)?: /, "").trim() || `binade ${words[0]} ended with status ${status}`);
        }
        return JSON.parse(output);
    }

    async work() {
        this.client?.stop();
        this.client = this.page.worker();
        this.stop.hidden = false;
        this.say("Reading headers and scales ...");
        const lint = await this.ask("lint");
        this.show({ report: 1, kind: "checkpoint", lint });
        this.say("Scanning all weights ...");
        const scan = await this.ask("scan", "--to", this.asked);
        this.show({ report: 1, kind: "checkpoint", lint, scan });
        this.say("");
        this.stop.hidden = true;
    }

    show(report) {
        if (report.kind !== "checkpoint") {
            throw new Error("This is a report of runs; open it in the room Run.");
        }
        this.view?.close();
        this.view = report.scan ? new ScanView(report.scan) : null;
        this.actions.replaceChildren(
            h("button", { type: "button", class: "no-print", onclick: () => saveReport(this.page, report) }, "Save this report as a file"),
            h("button", { type: "button", class: "no-print", onclick: () => print() }, "Print"));
        this.result.replaceChildren(...[report.lint && lintView(report.lint), this.view?.element].filter(Boolean));
    }

    update(state) {
        this.asked = listed(state);
        this.formats.set(this.asked);
    }

    close() {
        this.view?.close();
        this.client?.stop();
    }
}

export const room = {
    id: "checkpoint",
    title: "Checkpoint",
    summary: "What is wrong with a checkpoint, who loads it, and what its weights lose in other formats.",
    start: { path: [start], query: {} },
    command: (state) => ["scan", "CHECKPOINT", "--to", listed(state)],

    open(element, state, page) {
        const view = new View(element, page);
        view.update(state);
        return { update: (now) => view.update(now), close: () => view.close() };
    },
};
