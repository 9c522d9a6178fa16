// The states of the room Array, as they are in a fragment: #array/SOURCE/FORMATS?n=&seed=&...
import { items, optionsLast } from "../link.js";

export const sources = [["normal", "normal"], ["lognormal", "lognormal"], ["student-t", "Student's t"], ["uniform", "uniform, -1 to 1"],
    ["image", "an image"], ["file", "a file"]];
export const formats = "fp16,bf16,e4m3,e5m2,e4m3/tensor,e4m3/row:128,mxfp8,mxfp6-e2m3,mxfp4,nvfp4,e2m1/tensor,mxint8";

// Lists to begin with: a row each.
export const lists = [[formats, "formats and scales"],
    ["mxfp8:rceil,mxfp8:floor,mxfp8:ceil,mxfp8:even,mxfp4:rceil,mxfp4:floor,mxfp4:ceil,mxfp4:even", "scale rules of MX"],
    ["e4m3,e4m3/tensor,e4m3/row,e4m3/row:128,e4m3/row:32,mxfp8,mxfp8:floor", "scales of e4m3"],
    ["mxfp4,mxfp4:floor,nvfp4,nvfp4-subnormal,e2m1/tensor,e2m1/row:16,e2m1/row:32", "four bits"],
    ["e4m3,e5m2,e4m3fnuz,e5m2fnuz,e4m3ieee,e3m4,binary8p3se,binary8p4se,mxint8", "eight bits"],
    ["fp16,bf16,tf32,dlfloat16", "sixteen bits and tf32"]];

const keys = { n: "1000000", seed: "0", scale: "1", shape: "", outliers: "0.001", factor: "100", round: "rne", overflow: "",
    sort: "best", bits: "9", look: "", centred: "0", left: "", right: "", gain: "0" };

// The labels of the fields, which messages name.
const shapeLabels = { lognormal: "Sigma", "student-t": "Degrees of freedom" };
const labels = { n: "Elements", seed: "Seed", scale: "Scale", outliers: "Rate of outliers", factor: "Outliers, times larger" };
export const labelOf = (key, source) => labels[key] ?? shapeLabels[source] ?? "Shape";

const shapes = { lognormal: "1.5", "student-t": "3" };
const usual = (key, source) => key === "shape" ? shapes[source] ?? "1" : keys[key];

export function parse({ path, query }) {
    const source = path[0] || "normal";
    const s = { source: sources.some(([id]) => id === source) ? source : "normal", formats: path[1] || formats };
    for (const [key, value] of Object.entries(keys)) {
        s[key] = query[key] || value;
    }
    s.shape ||= usual("shape", s.source);
    s.unknown = s.source !== source ? source : null;
    return s;
}

export function format(s) {
    const query = {};
    for (const key of Object.keys(keys)) {
        query[key] = s[key] === usual(key, s.source) ? "" : s[key];
    }
    return { room: "array", path: [s.source, s.formats], query };
}

// The format that is looked at: that of the fragment if it is in the list, or else e4m3, or else the first.
export function looked(s) {
    const names = items(s.formats);
    return [s.look, "e4m3"].find((name) => names.includes(name)) ?? names[0] ?? "";
}

// A number of the controls; JavaScript's numbers serve here, because they say how an array is drawn.
export function parameter(s, key, low, high, whole = false) {
    const x = /^[-+0-9.eE]+$/.test(s[key]) ? Number(s[key]) : NaN;
    if (!(x >= low && x <= high) || whole && !Number.isInteger(x)) {
        throw new Error(`${labelOf(key, s.source)} must be a ${whole ? "whole " : ""}number from ${low} to ${high}, not '${s[key]}'`);
    }
    return x;
}

export function parameters(s) {
    return { source: s.source, n: parameter(s, "n", 1, 1e7, true), seed: parameter(s, "seed", 0, 4294967295, true),
        scale: parameter(s, "scale", -1e30, 1e30), shape: parameter(s, "shape", 1e-3, 1e6),
        outliers: parameter(s, "outliers", 0, 1), factor: parameter(s, "factor", -1e30, 1e30) };
}

// The name under which a drawn array is saved: another one for each array.
export const savedName = (s) => `${s.source}-${s.n}-seed${s.seed}${["scale", "shape", "outliers", "factor"]
    .filter((key) => s[key] !== usual(key, s.source)).map((key) => `-${key}${s[key]}`).join("")}.npy`;

// The command that gives the same statistics of a file. `from`: { name, format, named } of the array that is shown.
export function command(s, from) {
    const look = looked(s), options = [...s.round === "rne" ? [] : ["--round", s.round], ...s.overflow === "" ? [] : ["--overflow", s.overflow],
        ...s.seed === "0" || !s.round.startsWith("sr") ? [] : ["--seed", s.seed]];
    if (s.source === "image" || look === "" || (s.source === "file" && !from)) {
        return null;
    }
    const name = from ? from.name : savedName(s), typed = from?.named ? ["--dtype", from.format] : [];
    const blocks = /^(mx|nv)|\//i.test(look), wide = !from || from.format === "fp32" || from.format === "fp64";
    const all = [wide || blocks ? "--via" : "--to", look, ...typed, ...options, "--stats"];
    return optionsLast("cast", [name, "out.npy"], all);
}
