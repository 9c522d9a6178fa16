// The states of the room Sum, as they are in a fragment, with the defaults that links never change:
//     #sum/running/TERM/COUNT/SUMS?round=&seed=      #sum/dot/INPUTS/ACCUMULATORS/TERMS?look=
import { items } from "../link.js";

export const running = { term: "0.001", count: "10000", sums: "fp32,fp16,bf16,bf16:kahan,bf16:pairwise,bf16:fp32,bf16:sr" };
export const dot = {
    inputs: "fp32", accumulators: "each:fp32,fp32,bf16,fma:bf16,trunc14,trunc14/promote128,trunc14g4/promote8",
    terms: "24:1.5,0.37:0.61,0.25:0.83,0.31:0.7,0.013:1.9,0.42:0.5,0.55:0.31,0.71:0.09,0.3:0.3,0.11:0.97,0.87:0.2,0.6:0.45,0.05:0.05,0.9:0.33,0.28:0.77,0.49:0.62",
};

export function parse({ path, query }) {
    const kind = path[0] === "dot" ? "dot" : "running";
    const given = (at, otherwise) => path[at] || otherwise;
    return kind === "dot"
        ? { kind, inputs: given(1, dot.inputs), accumulators: given(2, dot.accumulators), terms: given(3, dot.terms), look: query.look ?? "" }
        : { kind, term: given(1, running.term), count: given(2, running.count), sums: given(3, running.sums),
            round: query.round || "rne", seed: query.seed || "0" };
}

export function format(s) {
    return s.kind === "dot" ? { room: "sum", path: ["dot", s.inputs, s.accumulators, s.terms], query: { look: s.look } }
        : { room: "sum", path: ["running", s.term, s.count, s.sums],
            query: { round: s.round === "rne" ? "" : s.round, seed: s.seed === "0" ? "" : s.seed } };
}

const plain = (value) => value !== "1/k" && value !== "random";

// The sums in order are one command; sums in another way have one of their own, if calc has that way.
function runningCommand(s) {
    const sums = items(s.sums).map((item) => item.split(":"));
    const way = (name) => sums.filter(([, w]) => (w ?? "") === name).map(([f]) => f);
    const round = s.round === "rne" ? [] : ["--round", s.round], seed = s.seed === "0" ? [] : ["--seed", s.seed];
    if (!plain(s.term)) {
        return null;
    }
    if (way("").length > 0) {
        return ["calc", `sum(${s.term}, ${s.count})`, "-f", way("").join(","), ...round, ...seed];
    }
    if (way("sr").length > 0) {
        return ["calc", `sum(${s.term}, ${s.count})`, "-f", way("sr").join(","), "--round", "sr", ...seed];
    }
    return way("fp32").length > 0 ? ["calc", `sum(${way("fp32")[0]}(${s.term}), ${s.count})`, "-f", "fp32", ...round, ...seed] : null;
}

// A dot product as an expression: products and sums each rounded, or one fma per term. calc has no truncating accumulator.
export function dotExpression(s, name) {
    const each = /^(?:each:)?([a-z0-9-]+)$/i.exec(name), fma = /^fma:([a-z0-9-]+)$/i.exec(name);
    const plainFused = name === "fp32" || name === "fp64";
    const format = fma?.[1] ?? each?.[1];
    if (!format || /^trunc|^cblas/.test(name)) {
        return null;
    }
    const number = (x) => format === s.inputs ? x : `${s.inputs}(${x})`;
    const pairs = items(s.terms).map((term) => term.split(":"));
    if (pairs.some((pair) => pair.length !== 2 || pair.includes(""))) {
        return null;
    }
    const terms = pairs.map((pair) => pair.map(number));
    const expression = fma || plainFused ? terms.reduce((sum, [a, b]) => `fma(${a}, ${b}, ${sum})`, "0")
        : terms.map(([a, b]) => `${a}*${b}`).join(" + ");
    return { expression, format };
}

export function command(state) {
    const s = parse(state);
    if (s.kind === "running") {
        return runningCommand(s);
    }
    const names = items(s.accumulators), chosen = s.look ? [s.look] : names;
    const found = chosen.map((name) => dotExpression(s, name)).find((e) => e !== null);
    return found ? ["calc", found.expression, "-f", found.format] : null;
}
