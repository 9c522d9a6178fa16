// The part of an address behind '#', and the state that it stands for: #ROOM/SEGMENT/...?key=value&...
// doc/reference/links.md describes the states of each room. Links are kept for ever.

// Half of a surrogate pair is not a character; encodeURIComponent throws at one. (String.toWellFormed is younger than node 18.)
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// Letters, digits and -._~,: stay. encodeURIComponent leaves !'()* too, which mail and chat programs cut off.
function encode(text) {
    return encodeURIComponent(text.replace(halves, "\ufffd")).replace(/%2C/g, ",").replace(/%3A/g, ":")
        .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text; // a lone %, or bytes that are not UTF-8
    }
}

// "#number/e4m3/465?round=rne" -> { room: "number", path: ["e4m3", "465"], query: { round: "rne" } }
export function parse(fragment) {
    const text = fragment.replace(/^#/, "");
    const mark = text.indexOf("?");
    const [room, ...path] = (mark < 0 ? text : text.slice(0, mark)).split("/").map(decode);
    const query = Object.create(null);
    for (const pair of mark < 0 ? [] : text.slice(mark + 1).split("&")) {
        const equals = pair.indexOf("=");
        if (pair !== "") {
            query[decode(equals < 0 ? pair : pair.slice(0, equals))] = equals < 0 ? "" : decode(pair.slice(equals + 1));
        }
    }
    return { room, path, query };
}

// The reverse. Keys with undefined, null or "" are left out; the others keep their order.
export function format({ room, path = [], query = {} }) {
    const segments = [room, ...path].map(encode).join("/");
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([key, value]) => `${encode(key)}=${encode(String(value))}`).join("&");
    return `#${segments}${pairs === "" ? "" : `?${pairs}`}`;
}

// A list: its items stand between commas that are not in parentheses.
export function parts(list) {
    const out = [];
    let depth = 0, from = 0;
    for (let at = 0; at < list.length; at++) {
        depth = Math.max(0, depth + (list[at] === "(") - (list[at] === ")"));
        if (list[at] === "," && depth === 0) {
            out.push(list.slice(from, at));
            from = at + 1;
        }
    }
    return [...out, list.slice(from)];
}

// The items without those that are empty.
export const items = (list) => parts(list ?? "").map((item) => item.trim()).filter((item) => item !== "");

// A list of names as people type it: blanks separate them, too.
export const names = (text) => text.split(/[\s,]+/).filter((name) => name !== "").join(",");

// -1 is a value for the command; of -inf and others only "--" says so.
const needDashes = (operands) => operands.some((text) => /^-([^0-9.]|$)/.test(text));
export const safely = (words, operands) => [...words, ...needDashes(operands) ? ["--"] : [], ...operands];

// The same with the options last, where that is possible.
export const optionsLast = (name, operands, options) =>
    needDashes(operands) ? safely([name, ...options], operands) : [name, ...operands, ...options];

// A word of a command line as a shell takes it.
function quote(word) {
    return /^[A-Za-z0-9_./:,=+@%^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// ["show", "1/3 x"] -> "binade show '1/3 x'"
export function commandLine(words) {
    return ["binade", ...words].map(quote).join(" ");
}
