// A long table: a filter by name, columns that sort, and a row at a time. Names come from files, so all of it is text.
import { cut } from "../chart/text.js";
import { h } from "../dom.js";
import { grouped, scrolled } from "../sum/controls.js";

const SHOWN = 200; // rows at a time; the filter reaches the others

// Null is behind everything, in both orders.
function compare(a, b, down) {
    if (a === null || b === null) {
        return (a === null) - (b === null);
    }
    const order = typeof a === "string" ? (a < b ? -1 : a > b ? 1 : 0) : a - b;
    return down ? -order : order;
}

export class LongTable {
    // columns: { head, cell(row) -> td, sort(row) -> number, string or null (optional), down: the largest first }. The first
    // column is the name, a button where `choose` is given. `start`: the order of `rows`, in words.
    constructor({ label, rows, name, columns, choose = null, id }) {
        Object.assign(this, { rows, name, columns, choose, looked: null, by: null });
        this.filter = h("input", { type: "search", id, size: 24, oninput: () => this.list() });
        this.body = h("tbody", {});
        this.more = h("p", { class: "note" });
        this.heads = columns.map((column) => h("th", { scope: "col", class: column.number ? "number" : null },
            column.sort ? h("button", { type: "button", class: "plain", onclick: () => this.order(column) }, column.head) : column.head));
        const table = h("table", { class: "report-table" }, h("thead", {}, h("tr", {}, this.heads)), this.body);
        this.element = h("div", {}, h("div", { class: "fields no-print" }, h("label", { class: "field" }, h("span", {}, "Name contains"), this.filter)),
            scrolled(label, table), this.more);
        this.list();
    }

    order(column) {
        this.down = this.by === column ? !this.down : column.down === true;
        this.by = column;
        this.heads.forEach((head, i) => head.setAttribute("aria-sort", this.columns[i] !== column ? "none" : this.down ? "descending" : "ascending"));
        this.list();
    }

    list() {
        const wanted = this.filter.value.toLowerCase();
        let matching = this.rows.filter((row) => this.name(row).toLowerCase().includes(wanted));
        if (this.by) {
            matching = matching.map((row) => [this.by.sort(row) ?? null, row]).sort(([a], [b]) => compare(a, b, this.down)).map(([, row]) => row);
        }
        this.body.replaceChildren(...matching.slice(0, SHOWN).map((row) => this.row(row)));
        this.more.textContent = matching.length > SHOWN ? `${grouped(matching.length - SHOWN)} more match; type a part of a name to see them.` : "";
    }

    row(row) {
        const name = this.name(row), text = cut(name, 60), [, ...others] = this.columns;
        const head = this.choose === null ? text
            : h("button", { type: "button", class: "plain", "aria-pressed": String(row === this.looked), title: name, onclick: () => this.look(row) }, text);
        return h("tr", { class: row === this.looked ? "looked" : null }, h("th", { scope: "row", title: name }, head), others.map((column) => column.cell(row)));
    }

    look(row) {
        this.looked = row;
        this.list();
        this.choose(row);
    }
}

// The answer of a command: its conclusion, then its other lines.
export const answerOf = (conclusion, lines) => [h("p", { class: "report-conclusion" }, h("strong", {}, conclusion)),
    h("ul", {}, lines.map((line) => h("li", {}, line)))];

// A list that is folded, of at most 1000 items.
export const folded = (title, items) => items.length === 0 ? null
    : h("details", {}, h("summary", {}, `${grouped(items.length)} ${title}`), h("ul", {}, items.slice(0, 1000).map((one) => h("li", {}, one)),
        items.length > 1000 ? h("li", {}, `${grouped(items.length - 1000)} more`) : null));
