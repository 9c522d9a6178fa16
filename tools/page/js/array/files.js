// A file that was dropped: a .npy file is one array; a .safetensors file is a list of tensors, examined on click or in turn.
import { h } from "../dom.js";
import { choice, number, plural, tableOf } from "../sum/controls.js";

const FIRST = 1 << 22; // elements of a tensor that is examined before one is chosen
const SHOWN = 200; // rows of tensors on the page at a time; the filter reaches the others
const shapeText = (shape) => shape.length === 0 ? "one number" : shape.join(" × ");

// A place to drop files, with a button that chooses one. onfile(file)
export function dropZone(onfile) {
    const input = h("input", { id: "array-file", type: "file", accept: ".npy,.safetensors,image/*",
        onchange: () => input.files[0] && onfile(input.files[0]) });
    const zone = h("div", { class: "drop", id: "array-drop" }, h("label", { class: "field" },
        h("span", {}, "Or drop a .npy or .safetensors file, or an image, here. It stays on this machine; "
            + "of a large file only the parts that are shown are read."), input));
    zone.addEventListener("dragover", (event) => {
        event.preventDefault();
        zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
        event.preventDefault();
        zone.classList.remove("over");
        if (event.dataTransfer.files.length > 0) {
            onfile(event.dataTransfer.files[0]);
        }
    });
    return zone;
}

// onchoose(entry): an array to load. onall(tensors, report): examine all in turn; report(index, text) fills a row.
export class Files {
    constructor({ onchoose, onformat, onall, onstop }) {
        Object.assign(this, { onchoose, onformat, onall, onstop });
        this.element = h("div", { class: "files" });
    }

    message(text) {
        this.element.replaceChildren(h("p", { class: "note" }, text));
    }

    // An array without a format in its header: the reader names it.
    showNpy(file, info) {
        const facts = h("p", {}, h("strong", {}, file.name), ` - ${info.descr}, ${shapeText(info.shape)}, ${plural(info.count, "element")}`
            + `${info.big_endian ? ", big-endian" : ""}${info.fortran_order ? ", Fortran order" : ""}`);
        const formats = choice("Its codes are", [["", "choose a format"], ...info.candidates], { id: "array-codes",
            onchange: (value) => this.onformat(value) });
        formats.set(info.asked ?? "");
        const ask = info.format === null || info.asked ? [h("p", { class: "note" }, info.format === null ? `${info.why}.` : ""), formats.element] : [];
        this.element.replaceChildren(facts, ...ask);
    }

    showTensors(file, info) {
        this.tensors = info.tensors;
        this.found = new Map();
        const count = info.tensors.length;
        this.progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "tensors examined" });
        this.all = h("button", { type: "button", id: "array-all", onclick: () => this.runAll() }, "Examine all");
        this.stop = h("button", { type: "button", id: "array-stop", hidden: true, onclick: () => this.onstop() }, "Stop");
        this.filter = h("input", { id: "array-filter", type: "search", size: 24, oninput: () => this.list() });
        this.more = h("p", { class: "note" });
        const head = ["Tensor", "dtype", "Shape", "Elements", "Recommended", "SQNR, dB", "Largest |x|"];
        this.element.replaceChildren(h("p", {}, h("strong", {}, file.name), ` - ${plural(count, "tensor")}`),
            h("div", { class: "fields" }, h("label", { class: "field" }, h("span", {}, "Name contains"), this.filter), this.all, this.stop, this.progress),
            h("div", { class: "scroll tensors", tabindex: "0", role: "region", "aria-label": "Tensors" },
                tableOf("Tensors", head, [])), this.more,
            info.metadata.length === 0 ? "" : h("details", {}, h("summary", {}, "Metadata"), h("dl", {}, info.metadata.slice(0, 50).map(({ key, value }) =>
                [h("dt", {}, key.slice(0, 200)), h("dd", {}, value.slice(0, 2000))]))));
        this.body = this.element.querySelector("tbody");
        this.list();
        const first = info.tensors.findIndex((t) => t.format !== null && t.count > 0 && t.count <= FIRST);
        if (first >= 0) {
            this.choose(first); // an answer without a click
        }
    }

    list() {
        const wanted = this.filter.value.toLowerCase();
        const matching = this.tensors.map((t, i) => [t, i]).filter(([t]) => t.name.toLowerCase().includes(wanted));
        this.body.replaceChildren(...matching.slice(0, SHOWN).map(([t, i]) => this.row(t, i)));
        this.more.textContent = matching.length > SHOWN ? `${matching.length - SHOWN} more match; type a part of a name to see them.` : "";
    }

    row(tensor, index) {
        const found = this.found.get(index) ?? (tensor.format === null ? { text: tensor.why } : null);
        const name = tensor.name.length > 120 ? `${tensor.name.slice(0, 120)}...` : tensor.name;
        const chosen = index === this.chosen;
        const title = tensor.format === null ? name
            : h("button", { type: "button", class: "plain", "aria-pressed": String(chosen), onclick: () => this.choose(index) }, name);
        return h("tr", { "data-tensor": index, class: chosen ? "looked" : null }, h("th", { scope: "row" }, title), h("td", {}, tensor.dtype),
            number(shapeText(tensor.shape)), number(tensor.count), h("td", {}, found?.text ?? ""), number(found?.sqnr ?? ""),
            number(found?.largest ?? ""));
    }

    choose(index) {
        this.chosen = index;
        this.list();
        this.onchoose(this.tensors[index], index);
    }

    report(index, found) {
        this.found.set(index, found);
        this.body.querySelector(`[data-tensor="${index}"]`)?.replaceWith(this.row(this.tensors[index], index));
    }

    async runAll() {
        this.all.disabled = true;
        this.stop.hidden = this.progress.hidden = false;
        await this.onall(this.tensors, (done, of) => { this.progress.max = of; this.progress.value = done; });
        this.all.disabled = false;
        this.stop.hidden = this.progress.hidden = true;
    }
}
