// What the room Array does in its worker: an array is drawn, or read from a file that was dropped, and stays in the memory
// of the core while formats are tried on it.
import { call } from "../core/call.js";

const PIECE = 1 << 20; // elements that are read at a time: a multiple of 8, so that packed pieces begin at a byte
const START = 1 << 16; // bytes of a file that are read first

const view = (core, at, length) => new Uint8Array(core.exports.memory.buffer, at, length);

function room(core, size) {
    const at = core.exports.bnd_page_new(Math.max(size, 1));
    if (at === 0) {
        throw new Error("out of memory");
    }
    return at;
}

// The bytes of a part of a file in the core's memory; `use(at, length)` gets them.
async function withPart(core, file, from, to, use) {
    const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
    if (bytes.length !== to - from) {
        throw new Error("the file became shorter while it was read");
    }
    const at = room(core, bytes.length);
    try {
        view(core, at, bytes.length).set(bytes);
        return use(at, bytes.length);
    } finally {
        core.exports.bnd_page_free(at);
    }
}

// Reads the header by the core's reader, which says how long it is.
async function header(core, file, name, ...more) {
    const ask = (size) => withPart(core, file, 0, size, (at, length) => call(core, name, at, length, BigInt(file.size), ...more));
    const first = await ask(Math.min(START, file.size));
    return first.more ? ask(first.header_size) : first;
}

// A .npy file is one array, a .safetensors file many: { kind, ... }.
async function array_open(core, file, asked) {
    const magic = new Uint8Array(await file.slice(0, 6).arrayBuffer());
    const npy = String.fromCharCode(...magic) === "\x93NUMPY" || /\.npy$/i.test(file.name);
    return npy ? { kind: "npy", ...await header(core, file, "bnd_page_npy", asked) }
        : { kind: "safetensors", ...await header(core, file, "bnd_page_safetensors") };
}

// Reads an array: { format, shape, bits, begin, packed, big_endian, fortran_order } of a file.
async function array_load(core, file, entry) {
    const { count } = call(core, "bnd_page_array_begin", entry.format, entry.shape.join(","), Number(entry.packed),
        Number(entry.big_endian), Number(entry.fortran_order));
    const bytes = (elements) => Math.ceil(elements * entry.bits / 8);
    for (let at = 0; at < count; at += PIECE) {
        const elements = Math.min(PIECE, count - at), from = entry.begin + at * entry.bits / 8;
        await withPart(core, file, from, from + bytes(elements), (place, length) => call(core, "bnd_page_array_piece", place, length, elements));
    }
    return { count };
}

function array_draw(core, { source, n, seed, scale, shape, outliers, factor }) {
    return call(core, "bnd_page_array_draw", source, n, seed, scale, shape, outliers, factor);
}

// One format; `ms` is the time that it took here.
function array_examine(core, name, { round, overflow, seed }, counted) {
    const before = performance.now();
    const answer = call(core, "bnd_page_array_examine", name, round, overflow, seed, Number(counted));
    return { ...answer, ms: performance.now() - before };
}

// The array as a .npy file: a view on the core's memory goes into the file, without a copy in between.
function array_save(core, count) {
    const ROOM = 4096, at = room(core, ROOM), length = core.exports.bnd_page_npy_header(at, ROOM, count);
    const floats = core.exports.bnd_page_array_floats();
    const blob = new Blob([view(core, at, length), view(core, floats, 4 * count)]);
    core.exports.bnd_page_free(at);
    return blob;
}

// Pixels of an image become the array; without pixels the core draws a picture. Answers the pixels.
function array_image(core, pixels, width, height, centred) {
    const size = 4 * width * height, at = room(core, size);
    if (pixels) {
        view(core, at, size).set(new Uint8Array(pixels));
    } else {
        core.exports.bnd_page_image_draw(at, width, height);
    }
    try {
        call(core, "bnd_page_image", at, width, height, Number(centred));
        return view(core, at, size).slice().buffer;
    } finally {
        core.exports.bnd_page_free(at);
    }
}

// What a format makes of the image, as pixels; gain 0 shows values, otherwise so many times the error.
function array_through(core, name, { round, overflow, seed }, size, gain) {
    const at = room(core, size);
    try {
        call(core, "bnd_page_image_through", at, name, round, overflow, seed, gain);
        return view(core, at, size).slice().buffer;
    } finally {
        core.exports.bnd_page_free(at);
    }
}

export const functions = { array_open, array_load, array_draw, array_examine, array_save, array_image, array_through };
