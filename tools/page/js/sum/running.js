// Running sums: the total after each step in several formats, beside the exact one, and the step at which a sum stalls.
import { xyChart } from "../chart/chart.js";
import { call } from "../core/call.js";
import { h } from "../dom.js";
import { items } from "../link.js";
import { check, choice, grouped, number, scrolled, tableOf, roundings, textField, ungrouped } from "./controls.js";
import { format } from "./state.js";

const formats = ["fp32", "fp16", "bf16", "e4m3", "e5m2"];
const ways = [["", "in order"], ["pairwise", "pairwise"], ["kahan", "Kahan"], ["fp32", "in order, in fp32"], ["sr", "in order, stochastic"]];
const series = [["constant", "the same number"], ["1/k", "1/k: 1, 1/2, 1/3, ..."], ["random", "random, 0 to 1"]];
const LIGHT = 2000000; // additions that take less than a frame or two; more run in the worker
const name = (f, way) => way === "" ? f : `${f}:${way}`;

const isNearest = (round) => round === "rne" || round === "rna";

// The distance to the next value, half of it where the nearest is taken: a smaller term is lost. NaN where the total is
// not finite.
const least = ({ short, precision }, round) =>
    2 ** (Math.floor(Math.log2(Math.abs(short))) + (isNearest(round) ? 0 : 1) - precision);

// Whether no further term changes the total. Kahan's correction and random rounding may change it after steps that did
// not. Terms that are not random do not grow: one lost term tells. Of random terms the largest must be lost, which is 1.
const stalls = (line, { count, exact }, { term, round }) => line.has_steps && line.last_change < count && exact !== "0"
    && !line.stochastic && line.way !== "kahan" && !(term === "random" && least(line, round) < 1);

// What a line of the table says of stalling.
function stall(line, answer, state) {
    if (!line.has_steps) {
        return "no running total";
    }
    if (stalls(line, answer, state)) {
        return `at step ${grouped(line.last_change + 1)}`;
    }
    return line.unchanged > 0 && answer.exact !== "0" ? `last change at step ${grouped(line.last_change)}` : "no";
}

// Why a total stays where it is, where a term is that small; a largest value stays for another reason.
function reason(line, { term, round }) {
    const largest = term === "random" ? 1 : Math.abs(line.term ?? 1 / (line.last_change + 1));
    return isNearest(round) && largest <= least(line, round)
        ? ", because each further term is at most half the distance to the next value" : "";
}

function conclusion(answer, state) {
    const ranked = answer.lines.filter((l) => l.relative !== null).sort((a, b) => Math.abs(a.relative) - Math.abs(b.relative));
    const [first] = answer.lines.filter((l) => stalls(l, answer, state)).sort((a, b) => a.last_change - b.last_change);
    const parts = [`The exact sum is ${answer.exact}${answer.exact.endsWith("...") ? "" : "."}`];
    if (first) {
        const step = grouped(first.last_change + 1);
        parts.push(Number.isFinite(Number(first.short)) ? `${first.name} stalls at step ${step}: its total stays ${first.short}${reason(first, state)}.`
            : `${first.name} is ${first.short} before step ${step}, and stays so.`);
    }
    if (ranked.length > 0) {
        const best = ranked[0];
        parts.push(best.relative === 0 ? `${best.name} gives the exact sum.` : `${best.name} is nearest: ${best.short}.`);
    }
    return parts.join(" ");
}

// A code as the number that it stands for.
function numberOf(core, term) {
    const [name, code] = term.split(":");
    return code === undefined ? term : core.json(["show", "-f", name, "--", term]).results[0].hex;
}

export class Running {
    constructor(page) {
        this.page = page;
        this.element = h("div", { class: "sum-running" });
        this.build();
    }

    change(part) {
        this.state = { ...this.state, ...part };
        this.page.go(format(this.state), { replace: true });
    }

    build() {
        const kinds = choice("Terms", series, { id: "sum-series",
            onchange: (value) => this.change({ term: value === "constant" ? "0.001" : value }) });
        const term = textField("Number", { id: "sum-term", oninput: (value) => this.change({ term: value.trim() }) });
        const count = textField("How many", { id: "sum-count", width: 9,
            oninput: (value) => this.change({ count: ungrouped(value) }) });
        const round = choice("Rounding", roundings, { id: "sum-round", onchange: (value) => this.change({ round: value }) });
        const seed = textField("Seed", { id: "sum-seed", width: 5, oninput: (value) => this.change({ seed: value.trim() || "0" }) });
        const sums = textField("Sums (format, or format:way)", { id: "sum-sums", oninput: (value) => this.change({ sums: value }) });
        this.controls = { kinds, term, count, round, seed, sums };
        this.boxes = formats.map((f) => ways.map(([way]) => f === "fp32" && way === "fp32" ? null
            : check("", { id: `sum-${f}-${way || "order"}`, onchange: (on) => this.toggle(name(f, way), on), title: name(f, way) })));
        const box = (f, i, [, text], k) => {
            this.boxes[i][k]?.input.setAttribute("aria-label", `${f}, ${text}`);
            return h("td", {}, this.boxes[i][k]?.element);
        };
        const grid = tableOf("Sums to compare", ["Format", ...ways.map(([, text]) => text)], formats.map((f, i) => h("tr", {}, h("th", { scope: "row" }, f),
            ways.map((way, k) => box(f, i, way, k)))), { class: "grid" });
        this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
        this.failure = h("p", { class: "failure", role: "alert", hidden: true });
        this.chart = xyChart({ title: "Running total", summary: () => this.verdict.textContent, height: 340,
            x: { label: "terms added", scale: "linear", scales: ["linear", "log"], whole: true },
            y: { label: "total", scales: ["linear", "log"] }, series: [] });
        this.table = scrolled("Totals");
        const fields = [kinds, term, count, round, seed].map((control) => control.element);
        this.element.append(h("div", { class: "fields" }, fields), h("div", { class: "scroll" }, grid),
            h("div", { class: "fields wide" }, sums.element), this.failure, this.verdict, this.chart.element, this.table);
    }

    toggle(sum, on) {
        const list = items(this.state.sums).filter((item) => item !== sum);
        this.change({ sums: (on ? [...list, sum] : list).join(",") });
    }

    follow() {
        const { state, controls } = this, list = items(state.sums);
        const constant = state.term !== "1/k" && state.term !== "random";
        controls.kinds.set(constant ? "constant" : state.term);
        controls.term.element.hidden = !constant;
        controls.term.set(constant ? state.term : "");
        controls.count.set(state.count);
        controls.round.set(state.round);
        controls.seed.set(state.seed);
        controls.sums.set(state.sums);
        this.boxes.forEach((row, i) => row.forEach((box, k) => box?.set(list.includes(name(formats[i], ways[k][0])))));
    }

    update(state) {
        this.state = state;
        this.follow();
        this.compute();
    }

    // The last state wins; an answer to an earlier one is dropped.
    async compute() {
        const { term, count, sums, round, seed } = this.state;
        const turn = this.turn = (this.turn ?? 0) + 1;
        this.element.setAttribute("aria-busy", "true");
        try {
            const n = /^\d{1,8}$/.test(count) ? Number(count) : NaN;
            if (!(n >= 1 && n <= 10000000)) {
                throw new Error(`the number of terms must be from 1 to 10,000,000, not '${count}'`);
            }
            if (!/^\d{1,9}$/.test(seed)) {
                throw new Error(`the seed must be from 0 to 999,999,999, not '${seed}'`);
            }
            const values = ["bnd_page_sum", numberOf(this.page.core, term), n, sums, round, Number(seed)];
            let answer;
            if (n * items(sums).length <= LIGHT) {
                answer = call(this.page.core, ...values);
            } else {
                this.worker?.stop();
                this.worker = this.page.worker();
                answer = await this.worker.call("core_call", ...values);
            }
            if (turn === this.turn) {
                this.show(answer);
            }
        } catch (error) {
            if (turn === this.turn && error.status !== 130) {
                this.fail(error.message);
            }
        }
        if (turn === this.turn) {
            this.element.removeAttribute("aria-busy");
        }
    }

    fail(message) {
        this.failure.textContent = message;
        this.failure.hidden = false;
        this.verdict.textContent = "";
        this.table.replaceChildren();
        this.chart.update({ series: [] });
    }

    show(answer) {
        this.failure.hidden = true;
        this.verdict.textContent = conclusion(answer, this.state);
        this.chart.update({ series: [{ name: "exact", x: answer.at, y: answer.exact_sums },
            ...answer.lines.map((l) => ({ name: l.name, x: answer.at, y: l.sums }))] });
        const head = ["Sum", "Total", "Error", "Relative", "Bits lost", "Stalls", "Term as stored", "Way"];
        const exact = h("tr", { "data-sum": "exact" }, h("th", { scope: "row" }, "exact"), number(answer.exact),
            [0, 1, 2, 3].map(() => h("td", {}, "")), number(this.state.term), h("td", {}, ""));
        this.table.replaceChildren(tableOf("Totals", head, [exact, ...answer.lines.map((l) => h("tr", { "data-sum": l.name },
            h("th", { scope: "row" }, l.name), number(l.value, l.code), number(l.error_short), number(l.relative_text),
            number(l.lost === null ? "-" : `${l.lost} of ${l.precision}`), h("td", {}, stall(l, answer, this.state)),
            number(l.term ?? "rounded, each"), h("td", {}, l.title)))]));
    }

    close() {
        this.worker?.stop();
        this.chart.close();
    }
}
