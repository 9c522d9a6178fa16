// Train: the same training in several recipes, made here in a worker; losses draw themselves, then the report.

import { jsonOf } from "../core/binade.js";
import { h, select } from "../dom.js";
import { Live } from "../report/live.js";
import { reportOf } from "../report/files.js";
import { saveReport, saveRuns } from "../report/save.js";
import { reportView } from "../report/view.js";
import { filled } from "../show_words.js";

// The options of the room, in the order of the command: key of the fragment, option, label.
const NUMBERS = [["lr", "--lr", "Learning rate"], ["steps", "--steps", "Steps"], ["seeds", "--seeds", "Seed pairs"],
    ["batch", "--batch", "Batch"], ["inputs", "--inputs", "Inputs"], ["width", "--width", "Width"], ["depth", "--depth", "Depth"]];
const FOLDER = "runs";
const usual = { path: ["transformer", "fp32,bf16-amp,fp16-pure"] }; // those of the command
const FIRST = ["fp32", "bf16-amp", "bf16-pure", "bf16-sr", "fp16-pure", "fp16-amp", "e4m3-pure", "fp8-delayed", "mxfp8", "nvfp4"];

function wordsOf(given) {
    const { path: [model, recipes], query } = filled(given, usual);
    const words = ["train"];
    const add = (option, value) => (value ? words.push(option, value) : 0);
    add("--model", model);
    add("--optimizer", query.optimizer);
    add("--recipe", recipes);
    for (const [key, option] of NUMBERS) {
        add(option, query[key]);
    }
    return [...words, ...(query.autopsy === "1" ? ["--autopsy"] : []), "--out", FOLDER];
}

class TrainRoom {
    constructor(element, state, page) {
        this.page = page;
        this.state = filled(state, usual);
        this.list = page.core.json(["train", "--list"]);
        this.form = h("form", { class: "train no-print", onsubmit: (event) => { event.preventDefault(); this.start(); } });
        this.message = h("p", { class: "note", role: "status", hidden: true });
        this.bar = h("progress", { "aria-label": "Progress of the training", max: 1 });
        this.count = h("span", { class: "note" });
        this.progress = h("div", { class: "report-actions", hidden: true }, this.bar, this.count);
        this.live = h("div", {});
        this.actions = h("div", { class: "report-actions no-print" });
        this.room = h("div", {});
        element.append(this.form, this.message, this.progress, this.live, this.actions, this.room);
        this.build();
    }

    // ---- choices ----

    change(path, query) {
        const old = this.state;
        this.page.go({ room: "train", path: [path.model ?? old.path[0], path.recipes ?? old.path[1]], query: { ...old.query, ...query } }, { replace: true });
    }

    number([key, , label]) {
        const model = this.list.models.find((one) => one.name === this.state.path[0]);
        const usual = key === "seeds" ? 1 : model?.[key];
        const input = h("input", { type: "text", inputmode: "decimal", id: `train-${key}`, value: this.state.query[key] ?? "", placeholder: usual === undefined ? "default" : String(usual), oninput: () => this.change({}, { [key]: input.value.trim() }) });
        const known = !model || key === "lr" || key === "steps" || key === "seeds" || model[key] !== undefined;
        return known || this.state.query[key] ? h("label", { class: "field" }, h("span", {}, label), input) : null;
    }

    chosen() {
        return this.state.path[1].split(",").filter(Boolean);
    }

    recipes() {
        const chosen = new Set(this.chosen()), names = this.list.recipes.map((one) => one.name);
        const titles = new Map(this.list.recipes.map((one) => [one.name, one.title]));
        const own = [...chosen].filter((name) => !titles.has(name));
        const order = [...FIRST.filter((name) => titles.has(name)), ...names.filter((name) => !FIRST.includes(name))];
        const box = (name) => {
            const input = h("input", { type: "checkbox", value: name, checked: chosen.has(name), onchange: () => {
                const now = new Set(this.chosen());
                now[input.checked ? "add" : "delete"](name);
                this.change({ recipes: [...now].join(",") }, {});
            } });
            return h("label", { title: titles.get(name) ?? name }, input, name);
        };
        return h("fieldset", {}, h("legend", {}, "Recipes, compared with fp32"), h("div", { class: "train-recipes" }, order.map(box)),
            own.length > 0 ? h("p", { class: "note" }, `and settings: ${own.join(",").slice(0, 200)}`) : null);
    }

    build() {
        const { state, list } = this;
        const options = (rows, value) => [...rows.map((one) => [one.name, one.name]), ...(value && !rows.some((one) => one.name === value) ? [[value, value]] : [])];
        const title = list.models.find((one) => one.name === state.path[0])?.title ?? "";
        this.startButton = h("button", { type: "submit", id: "train-start" }, "Train");
        this.stopButton = h("button", { type: "button", id: "train-stop", disabled: !this.client, onclick: () => this.client?.stop() }, "Stop");
        this.startButton.disabled = Boolean(this.client);
        const autopsy = h("input", { type: "checkbox", checked: state.query.autopsy === "1", onchange: () => this.change({}, { autopsy: autopsy.checked ? "1" : undefined }) });
        this.form.replaceChildren(
            h("div", { class: "train-fields" },
                select("Model", options(list.models, state.path[0]), state.path[0], (model) => this.change({ model }, { batch: undefined, inputs: undefined, width: undefined, depth: undefined, lr: undefined })),
                select("Optimizer", [["", "adamw"], ...options(list.optimizers.filter((one) => one.name !== "adamw"), state.query.optimizer === "adamw" ? "" : state.query.optimizer)], state.query.optimizer ?? "", (optimizer) => this.change({}, { optimizer, lr: undefined })),
                NUMBERS.map((row) => this.number(row))),
            h("p", { class: "note" }, title),
            this.recipes(),
            h("div", { class: "report-actions" }, this.startButton, this.stopButton, h("label", {}, autopsy, " find the cause where a recipe fails (many more runs)")));
    }

    update(state) {
        const typed = document.activeElement?.id;
        this.state = filled(state, usual);
        if (!typed?.startsWith("train-") || !this.form.contains(document.activeElement) || document.activeElement.type !== "text") {
            const checked = document.activeElement?.type === "checkbox" && this.form.contains(document.activeElement) ? document.activeElement.value : null;
            const scroll = this.form.querySelector(".train-recipes")?.scrollTop ?? 0;
            this.build();
            this.form.querySelector(".train-recipes").scrollTop = scroll;
            if (checked) {
                [...this.form.querySelectorAll("input[type=checkbox]")].find((one) => one.value === checked)?.focus({ preventScroll: true });
            } else if (typed) {
                document.getElementById(typed)?.focus({ preventScroll: true });
            }
        }
    }

    // ---- training ----

    say(text, failed = false) {
        this.message.textContent = text;
        this.message.hidden = text === "";
        this.message.className = failed ? "failure" : "note";
        this.page.announce(text);
    }

    running(on) {
        this.startButton.disabled = on;
        this.stopButton.disabled = !on;
        this.progress.hidden = !on;
    }

    tick() {
        const { done, all, running } = this.curves.progress();
        this.bar.max = all || 1;
        this.bar.value = done;
        this.count.textContent = all > 0 && done >= all ? "validating and comparing" : `step ${done} of ${all}${running ? `, ${running.slice(0, 60)}` : ""}`;
    }

    async start() {
        const model = this.list.models.find((one) => one.name === this.state.path[0]);
        const steps = /^[0-9]+$/.test(this.state.query.steps ?? "") ? Math.min(Number(this.state.query.steps), 1e9) : model?.steps ?? 200;
        const words = [...wordsOf(this.state), "--json"];
        this.clear();
        this.client = this.page.worker();
        this.curves = new Live(steps);
        this.live.replaceChildren(this.curves.chart.element);
        this.running(true);
        this.say("");
        this.page.announce("Training has begun");
        try {
            const onWrite = (path, text) => { this.curves.write(path, text); this.tick(); };
            const ended = await this.client.run(words, { onWrite });
            const result = jsonOf(words, ended);
            this.files = ended.files;
            await this.report(result);
        } catch (error) {
            await this.failed(error);
        }
        this.client?.stop();
        this.client = null;
        this.running(false);
    }

    async report(result) {
        const needed = Object.fromEntries(Object.entries(this.files).filter(([path]) => !path.endsWith(".safetensors")));
        const report = await reportOf(this.client, needed, [FOLDER]);
        for (const row of result?.recipes ?? []) {
            const own = report.recipes.find((one) => one.recipe === row.recipe);
            if (own && row.autopsy) {
                own.autopsy = row.autopsy; /* of train, which made the runs for it */
            }
        }
        this.show(report);
    }

    // Stopped by the reader: what there is becomes a report. An error of the command is shown.
    async failed(error) {
        if (this.closed) {
            return; // the reader has left the room, which stopped the training
        }
        if (error.status !== 130) {
            this.say(error.message, true);
            this.clear();
            return;
        }
        this.files = this.curves.files();
        const { done, all } = this.curves.progress();
        this.client = this.page.worker();
        try {
            await this.report(null);
            this.say(`Stopped at step ${done} of ${all}: the report covers what was made.`);
        } catch (why) {
            this.say(`Stopped at step ${done} of ${all}. ${why.message}`);
        }
    }

    show(report) {
        if (this.closed) {
            return;
        }
        const view = reportView(report, this.page);
        this.view = view;
        this.curves.close();
        this.live.replaceChildren();
        this.actions.replaceChildren(
            h("button", { type: "button", id: "save-report", onclick: () => saveReport(this.page, report) }, "Save the report as a file"),
            h("button", { type: "button", id: "save-runs", onclick: () => saveRuns(this.files) }, "Save the runs as files (tar)"),
            h("button", { type: "button", onclick: () => print() }, "Print"));
        this.room.replaceChildren(view.element);
        this.page.announce(`Training has ended. ${report.conclusion ?? ""}`);
    }

    clear() {
        this.view?.close();
        this.view = null;
        this.curves?.close();
        this.live.replaceChildren();
        this.actions.replaceChildren();
        this.room.replaceChildren();
    }

    close() {
        this.closed = true;
        this.client?.stop();
        this.clear();
    }
}

export const room = {
    id: "train",
    title: "Train",
    summary: "The same training in fp32 and in other recipes, computed in this page, bit for bit as the command does.",
    start: { path: ["mlp", "fp32,bf16-amp,bf16-pure,bf16-sr,fp16-pure,mxfp8"], query: { lr: "0.01", steps: "100", seeds: "3", batch: "32", inputs: "32", width: "32" } },
    command: wordsOf,

    open(element, state, page) {
        const own = new TrainRoom(element, state, page);
        return { update: (now) => own.update(now), close: () => own.close() };
    },
};
