// Number: one value in several formats.
import { h } from "../dom.js";
import { filled, showWords } from "../show_words.js";

export const room = {
    id: "number",
    title: "Number",
    summary: "One number in every format: bits, value, error",
    start: { path: ["fp32,fp16,bf16,e4m3,e5m2", "0.1"], query: {} },

    command(state) {
        return showWords(filled(state, this.start));
    },

    open(element, state, page) {
        const list = h("pre", {});
        const input = h("input", { id: "value", value: state.path[1] ?? "", oninput: () => {
            page.go({ room: "number", path: [state.path[0], input.value], query: state.query }, { replace: true });
        } });
        element.append(h("label", { for: "value" }, "Value "), input, list);
        const update = (now) => {
            state = now;
            list.textContent = page.core.json(this.command(state)).results
                .map((r) => `${r.format.padEnd(8)} ${r.bits}  ${r.code}  ${r.value}`).join("\n");
        };
        update(state);
        return { update, close() { } };
    },
};
