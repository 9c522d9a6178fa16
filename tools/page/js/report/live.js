// Runs while they are made: the lines that the command appends to metrics.jsonl become curves, and the files are kept so
// that a training that was stopped can be reported, too.

import { xyChart } from "../chart/chart.js";
import { endOf } from "./curves.js";

export class Live {
    constructor(steps) {
        this.steps = steps;
        this.runs = new Map(); /* folder -> { recipe, x, y, rest, done } */
        this.texts = Object.create(null); /* path -> what was written so far */
        this.chance = null;
        this.chart = xyChart({ title: "Training loss", height: 340, series: [], x: { label: "step", whole: true, from: 0, to: Math.max(1, steps - 1), scales: ["linear", "log"] }, y: { label: "training loss", scales: ["linear", "log"] },
            summary: () => `Training loss of ${this.runs.size} runs while they are made.` });
    }

    // What the command appended to a file.
    write(path, text) {
        const [, folder, name] = path.match(/^(.*)\/([^/]+)$/) ?? [];
        if (name === "metrics.jsonl") {
            this.texts[path] = (this.texts[path] ?? "") + text;
            this.lines(folder, text);
        } else if (name?.startsWith("config.json")) { /* written under another name first */
            const at = `${folder}/config.json`;
            this.texts[at] = (name === this.configName?.[folder] ? this.texts[at] : "") + text;
            this.configName = { ...this.configName, [folder]: name };
            this.config(folder, this.texts[at]);
        }
    }

    config(folder, text) {
        let config;
        try {
            config = JSON.parse(text);
        } catch {
            return; /* not all of it yet */
        }
        this.chance = config.model?.chance_loss ?? this.chance;
        this.runs.set(folder, { recipe: String(config.recipe ?? folder), x: [], y: [], rest: "", done: 0 });
    }

    lines(folder, text) {
        const run = this.runs.get(folder);
        if (!run) {
            return;
        }
        const lines = (run.rest + text).split("\n");
        run.rest = lines.pop();
        for (const line of lines) {
            const { step, loss, "train/ended": ended } = JSON.parse(line);
            run.x.push(step);
            run.y.push(loss);
            run.done = ended ? this.steps : step + 1;
        }
        this.draw();
    }

    draw() {
        this.due ??= requestAnimationFrame(() => {
            this.due = undefined;
            this.chart.update({ series: this.series(), rules: this.chance === null ? [] : [{ axis: "y", at: this.chance, text: "chance level" }] });
        });
    }

    // A line per run; those of a recipe share name, look and checkbox.
    series() {
        const recipes = [...new Set([...this.runs.values()].map((run) => run.recipe))];
        const named = new Set();
        return [...this.runs.values()].map((run) => {
            const unnamed = named.has(run.recipe);
            named.add(run.recipe);
            return { name: run.recipe, key: run.recipe, style: recipes.indexOf(run.recipe), x: run.x, y: run.y, unnamed, end: endOf(run.x, run.y) };
        });
    }

    progress() {
        const runs = [...this.runs.values()];
        const running = runs.find((run) => run.done > 0 && run.done < this.steps);
        return { done: runs.reduce((sum, run) => sum + run.done, 0), all: runs.length * this.steps, running: running?.recipe };
    }

    // The files as far as whole lines were written.
    files() {
        const encoder = new TextEncoder(), out = Object.create(null);
        for (const [path, text] of Object.entries(this.texts)) {
            out[path] = encoder.encode(path.endsWith(".jsonl") ? text.slice(0, text.lastIndexOf("\n") + 1) : text);
        }
        return out;
    }

    close() {
        cancelAnimationFrame(this.due);
        this.chart.close();
    }
}
