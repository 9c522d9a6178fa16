// Calls an export of the core that answers with JSON text. Strings go as UTF-8 with a 0 byte, numbers as they are.
const encoder = new TextEncoder(), decoder = new TextDecoder();

// The text that ends with a 0 byte.
function textAt(memory, at) {
    const bytes = new Uint8Array(memory.buffer);
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
}

// The parsed answer; an Error with its words where it is { error }.
export function call(core, name, ...values) {
    const { exports } = core, held = [];
    const words = values.map((value) => {
        if (typeof value !== "string") {
            return value;
        }
        const bytes = encoder.encode(`${value.replaceAll("\0", "")}\0`), at = exports.bnd_page_new(bytes.length);
        if (at === 0) {
            throw new Error("out of memory");
        }
        new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
        held.push(at);
        return at;
    });
    const answer = JSON.parse(textAt(exports.memory, exports[name](...words)));
    held.forEach((at) => exports.bnd_page_free(at));
    if (answer.error !== undefined) {
        throw new Error(answer.error);
    }
    return answer;
}
