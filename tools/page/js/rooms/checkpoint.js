// Checkpoint: a checkpoint that is dropped in, or the report inside the page: what is wrong with it, what its weights lose
// in other formats, and how it would be quantized; of two checkpoints how they differ. A large one takes long, so all
// commands run in a worker.
import { jsonOf } from "../core/binade.js";
import { h } from "../dom.js";
import { DiffView } from "../checkpoint/diff.js";
import { beside, read } from "../checkpoint/files.js";
import { lintView } from "../checkpoint/lint.js";
import { quantizeView } from "../checkpoint/quantize.js";
import { relayoutView } from "../checkpoint/relayout.js";
import { ScanView } from "../checkpoint/scan.js";
import { items } from "../link.js";
import { chosen, dropped } from "../report/files.js";
import { saveReport } from "../report/save.js";
import { choice, plural, textField } from "../sum/controls.js";

const start = "fp16,e4m3,e4m3/row,e4m3/tile:128x128,mxfp8,nvfp4";

const targets = ["e4m3", "int8", "nvfp4", "mxfp4", "mxfp8", "bf16", "fp16", "fp32"];
const layouts = ["compressed-tensors", "fp8", "fp8-block", "modelopt", "gpt-oss", "comfyui"];

const listed = (state) => items(state.path[0]).join(",") || start;

class View {
    constructor(element, page) {
        this.page = page;
        this.message = h("p", { class: "note", role: "status", hidden: true });
        this.failure = h("p", { class: "failure", role: "alert", hidden: true });
        this.actions = h("div", { class: "report-actions" });
        this.result = h("article", { class: "report", id: "checkpoint-result" });
        this.formats = textField("Formats to scan for", { id: "checkpoint-formats", width: 48,
            oninput: (text) => this.go({ path: [items(text).join(",")] }),
            hint: "a format, or a format and its scaling: e4m3, e4m3/row, mxfp4:even, nvfp4:4/6, int8/row" });
        const plan = (id, label, options) => choice(label, options, { id: `checkpoint-${id}`, onchange: (value) => {
            this.go({ query: { ...this.state.query, [id]: value } });
            this.replan();
        } });
        this.to = plan("to", "Plan to quantize to", targets);
        this.layout = plan("layout", "for", layouts);
        this.again = h("button", { type: "button", id: "checkpoint-again", hidden: true, onclick: () => this.attempt(() => this.restart()) }, "Scan again");
        this.stop = h("button", { type: "button", id: "checkpoint-stop", hidden: true, onclick: () => this.client?.stop() }, "Stop");
        const { report } = page, mine = page.reportRoom === "checkpoint";
        const box = mine ? h("details", { class: "no-print" }, h("summary", {}, "Open another checkpoint"), this.zone()) : this.zone();
        const controls = h("div", { class: "fields no-print" }, this.formats.element, this.to.element, this.layout.element, this.again, this.stop);
        element.append(...(mine ? [this.actions, this.message, this.failure, this.result, box, controls]
            : [box, controls, this.message, this.failure, this.actions, this.result]));
        if (mine) {
            this.show(report);
        }
    }

    zone() {
        const files = h("input", { type: "file", multiple: true, id: "checkpoint-files", class: "offscreen", "aria-label": "Files of a checkpoint",
            onchange: () => this.attempt((turn) => this.open(chosen(files.files), turn)) });
        const folder = h("input", { type: "file", webkitdirectory: true, multiple: true, id: "checkpoint-folder", class: "offscreen", "aria-label": "Folder of a checkpoint",
            onchange: () => this.attempt((turn) => this.open(chosen(folder.files), turn)) });
        const pick = (text, input, second = false) => h("button", { type: "button", hidden: second, onclick: () => { this.second = second; input.value = ""; input.click(); } }, text);
        this.compare = [pick("Compare with a folder", folder, true), pick("Compare with a file", files, true)];
        const drop = h("div", { class: "report-drop no-print", id: "checkpoint-drop" },
            h("p", {}, "Drop a checkpoint: a folder with .safetensors files and config.json, or one .safetensors, .gguf or .npy file; or two checkpoints to compare; or a saved report."),
            h("div", { class: "report-actions" }, pick("Choose a folder", folder), pick("Choose files", files), this.compare, files, folder,
                h("span", { class: "note" }, "It is read in this page and sent nowhere. At most 1 GiB.")));
        const over = (on) => (event) => { event.preventDefault(); drop.classList.toggle("over", on); };
        drop.addEventListener("dragenter", over(true));
        drop.addEventListener("dragover", over(true));
        drop.addEventListener("dragleave", over(false));
        drop.addEventListener("drop", (event) => {
            over(false)(event);
            this.attempt(async (turn) => this.open(await dropped(event.dataTransfer), turn));
        });
        return drop;
    }

    // What was begun last is shown: an earlier attempt, which ends because its worker is stopped, says nothing.
    async attempt(act) {
        const turn = this.turn = {};
        this.failure.hidden = true;
        try {
            await act(turn);
        } catch (error) {
            if (this.turn === turn) {
                this.say("");
                this.failure.textContent = error.message;
                this.failure.hidden = false;
            }
        }
        if (this.turn === turn) {
            this.turn = null;
            this.stop.hidden = true;
        }
    }

    say(text) {
        this.message.textContent = text;
        this.message.hidden = text === "";
        this.page.announce(text);
    }

    async open(list, turn) {
        if (this.turn !== turn) {
            return;
        }
        this.clear();
        this.say(`Reading ${plural(list.length, "file")} ...`);
        const found = await read(list);
        if (this.turn !== turn) {
            return;
        }
        if (found.report) {
            this.say("");
            this.show(found.report);
            return;
        }
        const { checkpoints, left } = found;
        const [one, other] = this.second && this.taken ? [this.taken, checkpoints[0]] : checkpoints;
        this.second = false;
        if (!other) {
            this.taken = one;
            [this.again, ...this.compare].forEach((button) => { button.hidden = false; });
        }
        await this.restart(() => other ? this.differ(one, other) : this.work());
        this.say(left > 0 ? `${left} of ${list.length} files are not a part of the checkpoint and were not read.` : "");
    }

    // The answer of a command, which may say that something does not hold.
    async ask(words, files, operands) {
        return jsonOf(words, await this.client.run([...words, "--json", "--", ...operands], { files }));
    }

    // Of the checkpoint that is open.
    askOne(...words) {
        return this.ask(words, this.taken.files, [this.taken.operand]);
    }

    // It may be that nothing can be quantized: that is an answer, too.
    async plan() {
        const [to, layout] = [this.to, this.layout].map(({ input }) => input.value);
        try {
            return { quantize: await this.askOne("quantize", "--dry-run", "--to", to, "--layout", layout) };
        } catch (error) {
            if (error.status === 130) { // stopped
                throw error;
            }
            return { refused: error.message };
        }
    }

    // In a worker of its own: what ran before ends.
    restart(work = () => this.work()) {
        this.client?.stop();
        this.client = this.page.worker();
        this.stop.hidden = false;
        return work();
    }

    async work() {
        this.say("Reading headers and scales ...");
        const lint = await this.askOne("lint");
        this.show({ report: 1, kind: "checkpoint", lint });
        const plan = await this.plan();
        this.show({ report: 1, kind: "checkpoint", lint, ...plan });
        this.say("Scanning all weights ...");
        const scan = await this.askOne("scan", "--to", this.asked);
        this.show({ report: 1, kind: "checkpoint", lint, scan, ...plan });
        this.say("");
    }

    // Another plan for the same checkpoint; while its weights are scanned there is no time for one.
    replan() {
        if (this.taken && this.shown?.lint && !this.turn) {
            this.attempt(async (turn) => {
                const { quantize, refused, ...others } = this.shown, plan = await this.plan();
                if (this.turn === turn) {
                    this.show({ ...others, ...plan });
                }
            });
        }
    }

    async differ(one, other) {
        this.say("Comparing all weights, and searching how they were made ...");
        const { files, operands } = beside(one, other);
        this.show({ report: 1, kind: "checkpoint", diff: await this.ask(["diff"], files, operands) });
        this.say("");
    }

    show(report) {
        if (report.kind !== "checkpoint") {
            throw new Error("This is a report of runs; open it in the room Run.");
        }
        this.clear();
        const { lint, scan, quantize, refused, relayout, diff } = report;
        this.shown = report;
        this.views = [scan && new ScanView(scan), diff && new DiffView(diff)].filter(Boolean);
        this.actions.replaceChildren(
            h("button", { type: "button", class: "no-print", onclick: () => saveReport(this.page, report) }, "Save this report as a file"),
            h("button", { type: "button", class: "no-print", onclick: () => print() }, "Print"));
        this.result.replaceChildren(...[lint && lintView(lint), ...this.views.map((view) => view.element), quantize && quantizeView(quantize),
            refused && h("section", { class: "quantize" }, h("h2", {}, "Plan of binade quantize"), h("p", { class: "note" }, refused)),
            relayout && relayoutView(relayout)].filter(Boolean));
    }

    // What is shown is of the files that were opened last.
    clear() {
        this.views?.forEach((view) => view.close());
        this.views = this.shown = null;
        this.actions.replaceChildren();
        this.result.replaceChildren();
    }

    go(change) {
        this.page.go({ room: room.id, path: this.state.path, query: this.state.query, ...change }, { replace: true });
    }

    update(state) {
        this.state = state;
        this.to.set(state.query.to || targets[0]);
        this.layout.set(state.query.layout || layouts[0]);
        this.asked = listed(state);
        this.formats.set(this.asked);
    }

    close() {
        this.turn = null;
        this.clear();
        this.client?.stop();
    }
}

export const room = {
    id: "checkpoint",
    title: "Checkpoint",
    summary: "What is wrong with a checkpoint, who loads it, what its weights lose in other formats, and how two checkpoints differ.",
    start: { path: [start], query: {} },
    command: (state) => ["scan", "CHECKPOINT", "--to", listed(state)],

    open(element, state, page) {
        const view = new View(element, page);
        view.update(state);
        return { update: (now) => view.update(now), close: () => view.close() };
    },
};
