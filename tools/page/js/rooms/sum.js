// Sum: running sums that stall, and a dot product through several accumulators.
import { h } from "../dom.js";
import { format as fragment } from "../link.js";
import { Dot } from "../sum/dot.js";
import { Running } from "../sum/running.js";
import { command, dot, format, parse, running } from "../sum/state.js";

const parts = { running: ["Running sum", Running], dot: ["Dot product", Dot] };

export const room = {
    id: "sum",
    title: "Sum",
    summary: "What a sum loses: totals that stall, and dot products through fp32, bf16 and truncating accumulators.",
    start: { path: ["running", running.term, running.count, running.sums], query: {} },
    command,

    open(element, state, page) {
        const beginning = (kind) => fragment(format({ kind, ...(kind === "dot" ? dot : running), round: "rne", seed: "0" }));
        const links = Object.entries(parts).map(([kind, [title]]) => h("a", { href: beginning(kind), "data-part": kind }, title));
        const body = h("div", {});
        let view = null, shown = null;
        element.classList.add("arrays");
        element.append(h("div", { class: "parts", role: "group", "aria-label": "Parts of this room" }, links), body);
        const update = (now) => {
            const s = parse(now);
            if (shown !== s.kind) {
                view?.close();
                view = new parts[s.kind][1](page);
                shown = s.kind;
                body.replaceChildren(view.element);
                links.forEach((link) => link.dataset.part === shown ? link.setAttribute("aria-current", "true")
                    : link.removeAttribute("aria-current"));
            }
            view.update(s);
            if (now.path[0] && now.path[0] !== s.kind) {
                page.say(`unknown part '${now.path[0].slice(0, 60)}' (available: ${Object.keys(parts).join(", ")})`);
            }
        };
        update(state);
        return { update, close: () => view?.close() };
    },
};
