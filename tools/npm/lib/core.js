// The WebAssembly instance, its memory, and what every call does: text in, answers and errors out.

import { bytes, size } from "./wasm.js";
import { inflate } from "./inflate.js";

/** What the library refused, in its own words. */
export class BinadeError extends Error {
    constructor(message, status = "BND_BAD_ARGUMENT", where = 0) {
        super(message);
        this.name = "BinadeError";
        this.status = status;
        this.where = where;
    }
}

export function refuse(message) {
    throw new BinadeError(message);
}

// ---- the instance ----

let core = null;
let answerAt = 0;
let views = null;

function packedBytes() {
    const text = atob(bytes), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        packed[i] = text.charCodeAt(i);
    }
    return packed;
}

// Node has a decompressor that is synchronous.
function moduleBytes() {
    const zlib = globalThis.process?.getBuiltinModule?.("node:zlib");
    return zlib === undefined ? inflate(packedBytes(), size) : zlib.inflateRawSync(packedBytes());
}

function start(module) {
    core = new WebAssembly.Instance(module, {}).exports;
    answerAt = core.answer();
}

/** The exports of the module, which is compiled at the first call. */
export function exported() {
    if (core === null) {
        start(new WebAssembly.Module(moduleBytes()));
    }
    return core;
}

/** Compiles the module without blocking. Optional: any other call does it when it is needed. */
export async function ready() {
    if (core === null) {
        const module = await WebAssembly.compile(moduleBytes());
        if (core === null) {
            start(module);
        }
    }
}

// ---- memory: what a call takes is given back when it ends ----

// Views of the memory, made again where it has grown.
export function memory() {
    const buffer = exported().memory.buffer;
    if (views === null || views.buffer !== buffer) {
        views = { buffer, bytes: new Uint8Array(buffer), data: new DataView(buffer), words: new BigUint64Array(buffer) };
    }
    return views;
}

const MOST = 2 ** 32 - 2 ** 20; // bytes of the module's memory

export function take(byteLength) {
    const at = byteLength > MOST ? 0 : exported().take(byteLength) >>> 0;
    if (at === 0) {
        throw new BinadeError("no memory is left", "BND_NO_MEMORY");
    }
    return at;
}

/** Runs `work` and gives back the memory that it took. */
export function within(work) {
    const mark = exported().mark();
    try {
        return work(core);
    } finally {
        core.release(mark);
    }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes text into memory. Returns its place and length. */
export function putText(text) {
    const room = 3 * text.length + 1;
    const at = take(room);
    const { written } = encoder.encodeInto(text, memory().bytes.subarray(at, at + room));
    return { at, length: written };
}

function constantText(at) {
    const { bytes: all } = memory();
    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
}

/** Throws the library's error if the status of a call is not BND_OK. */
export function check(status) {
    if (status !== 0) {
        throw new BinadeError(constantText(core.message()), constantText(core.status_name()), core.where() >>> 0);
    }
}

// ---- answers ----

const SHORT = 64;
const CHARACTERS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** The lines of the answer's text. Numbers are short and ASCII: one character at a time is faster than a decoder. */
export function lines() {
    const at = core.text() >>> 0, end = at + (core.text_length() >>> 0), { bytes: all } = memory();
    if (end - at > SHORT) {
        return decoder.decode(all.subarray(at, end)).split("\n").slice(0, -1);
    }
    const found = [];
    for (let i = at, line = ""; i < end; i++) {
        if (all[i] === 10) {
            found.push(line);
            line = "";
        } else {
            line += CHARACTERS[all[i] & 127];
        }
    }
    return found;
}

/** The structure of core.h: core_answer. */
export const answer = {
    get code() { return memory().words[answerAt >>> 3]; },
    get value() { return memory().data.getFloat64(answerAt + 8, true); },
    get relative() { return memory().data.getFloat64(answerAt + 16, true); },
    get flags() { return memory().data.getUint32(answerAt + 24, true); },
    get ternary() { return memory().data.getInt32(answerAt + 28, true); },
    get kind() { return memory().data.getUint32(answerAt + 32, true); },
    get hasError() { return memory().data.getUint32(answerAt + 36, true) !== 0; },
    integer(i) { return memory().data.getInt32(answerAt + 40 + 4 * i, true); },
};

// ---- tables of names, in the order of core/names.c ----

const TABLES = ["formats", "dialects", "roundings", "overflows", "nans", "blocks", "scaleRules", "operations", "flags",
    "kinds", "backend", "version"];
const tables = {};

/** The rows of a table: [{ name, title }]. */
export function table(which) {
    tables[which] ??= within((wasm) => {
        const count = wasm.list(TABLES.indexOf(which)) >>> 0;
        const all = lines();
        return Array.from({ length: count }, (_, i) => ({ name: all[2 * i], title: all[2 * i + 1] }));
    });
    return tables[which];
}

export function names(which) {
    return table(which).map((row) => row.name);
}
