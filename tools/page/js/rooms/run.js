// Run: runs or logs that are dropped in, or the report inside the page, as verdicts and charts.

import { h } from "../dom.js";
import { chosen, dropped, read, reportOf } from "../report/files.js";
import { saveReport } from "../report/save.js";
import { plural } from "../sum/controls.js";
import { reportView } from "../report/view.js";

class RunRoom {
    constructor(element, page) {
        this.page = page;
        this.message = h("p", { class: "note", role: "status" });
        this.actions = h("div", { class: "report-actions" });
        this.room = h("div", {});
        const files = h("input", { type: "file", multiple: true, id: "run-files", class: "offscreen", onchange: () => this.take(chosen(files.files)) });
        const folder = h("input", { type: "file", webkitdirectory: true, multiple: true, id: "run-folder", class: "offscreen", onchange: () => this.take(chosen(folder.files)) });
        const pick = (text, input) => h("button", { type: "button", onclick: () => { input.value = ""; input.click(); } }, text);
        this.drop = h("div", { class: "report-drop no-print", id: "run-drop" },
            h("p", {}, "Drop run directories of ", h("code", {}, "binade train --out"), ", metrics.jsonl, CSV logs with a step and a loss, or a saved report."),
            h("div", { class: "report-actions" }, pick("Choose a folder", folder), pick("Choose files", files), files, folder,
                h("span", { class: "note" }, "They are read in this page and sent nowhere.")));
        files.setAttribute("aria-label", "Files of runs");
        folder.setAttribute("aria-label", "Folder of runs");
        this.listen();
        const mine = page.reportRoom === "run";
        const box = mine ? h("details", { class: "no-print" }, h("summary", {}, "Open other runs"), this.drop) : this.drop;
        element.append(...(mine ? [this.actions, this.message, this.room, box] : [box, this.message, this.actions, this.room]));
        this.message.hidden = true;
        if (mine) {
            this.show(page.report);
        }
    }

    listen() {
        const over = (on) => (event) => { event.preventDefault(); this.drop.classList.toggle("over", on); };
        this.drop.addEventListener("dragenter", over(true));
        this.drop.addEventListener("dragover", over(true));
        this.drop.addEventListener("dragleave", over(false));
        this.drop.addEventListener("drop", async (event) => {
            over(false)(event);
            await this.attempt(async (turn) => this.open(await dropped(event.dataTransfer), turn));
        });
    }

    take(list) {
        return this.attempt((turn) => this.open(list, turn));
    }

    // What was begun last is shown: an earlier attempt that ends later says nothing.
    async attempt(act) {
        const turn = this.turn = {};
        try {
            await act(turn);
        } catch (error) {
            if (this.turn === turn) {
                this.say(error.message, true);
            }
        }
    }

    say(text, failed = false) {
        this.message.textContent = text;
        this.message.hidden = text === "";
        this.message.className = failed ? "failure" : "note";
        this.page.announce(text);
    }

    async open(list, turn) {
        if (this.turn !== turn) {
            return;
        }
        this.say(`Reading ${plural(list.length, "file")} ...`);
        const { files, names, left, report } = await read(list);
        if (this.turn !== turn) {
            return;
        }
        if (report) {
            this.show(report);
            return;
        }
        if (names.length === 0) {
            throw new Error("No run found: expected a folder with metrics.jsonl, or a .csv or .jsonl file.");
        }
        this.client?.stop();
        this.client = this.page.worker();
        const made = await reportOf(this.client, files, names);
        if (this.turn !== turn) {
            return;
        }
        this.show(made);
        if (left > 0) {
            this.say(`${left} of ${list.length} files are not needed for a report and were not read.`);
        }
    }

    show(report) {
        const view = reportView(report, this.page);
        this.view?.close();
        this.view = view;
        this.report = report;
        this.say("");
        this.actions.replaceChildren(h("button", { type: "button", class: "no-print", onclick: () => saveReport(this.page, this.report) }, "Save this report as a file"),
            h("button", { type: "button", class: "no-print", onclick: () => print() }, "Print"));
        this.room.replaceChildren(view.element);
    }

    close() {
        this.turn = null;
        this.view?.close();
        this.client?.stop();
    }
}

export const room = {
    id: "run",
    title: "Run",
    summary: "Training runs and logs as a report: which recipe to use, and why others failed.",
    start: { path: [], query: {} },
    command: () => null,

    open(element, state, page) {
        const own = new RunRoom(element, page);
        return { update() { }, close: () => own.close() };
    },
};
