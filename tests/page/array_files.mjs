// Files for the tests of arrays: .npy and .safetensors, good and hostile, as bytes.
import { Buffer } from "node:buffer";

// A .npy file. `descr` as numpy writes it; `data` a Buffer or typed array.
export function npy(descr, shape, data, { fortran = false, version = 1 } = {}) {
    const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
    let text = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': ${tuple}, }`;
    const before = version === 1 ? 10 : 12;
    text = text.padEnd(Math.ceil((before + text.length + 1) / 64) * 64 - before - 1) + "\n";
    const start = Buffer.alloc(before);
    start.write("\x93NUMPY", "latin1");
    start[6] = version;
    version === 1 ? start.writeUInt16LE(text.length, 8) : start.writeUInt32LE(text.length, 8);
    return Buffer.concat([start, Buffer.from(text, "latin1"), bytes(data)]);
}

export const bytes = (data) => Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);

// A .safetensors file: tensors [{ name, dtype, shape, data }]; `header` replaces the header's text.
export function safetensors(tensors, { header = null, metadata = null, length = null } = {}) {
    let at = 0;
    const parts = tensors.map(({ name, dtype, shape, data }) => {
        const from = at;
        at += bytes(data).length;
        return `${JSON.stringify(name)}:{"dtype":${JSON.stringify(dtype)},"shape":[${shape}],"data_offsets":[${from},${at}]}`;
    });
    const text = Buffer.from(header ?? `{${[...metadata ? [`"__metadata__":${JSON.stringify(metadata)}`] : [], ...parts].join(",")}}`);
    const start = Buffer.alloc(8);
    start.writeBigUInt64LE(length ?? BigInt(text.length));
    return Buffer.concat([start, text, ...tensors.map(({ data }) => bytes(data))]);
}

// Numbers of every kind: normal ones of many magnitudes, zeros, subnormals, and with `specials` infinities and NaN.
export function numbers(n, specials = false) {
    const x = new Float64Array(n);
    let state = 12345;
    const next = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 4294967296;
    for (let i = 0; i < n; i++) {
        x[i] = (next() - 0.5) * 2 ** Math.floor(next() * 24 - 14);
    }
    [0, -0, 1e-41, -3e-45, 448, 464, 65504, 65520, 1e30].forEach((v, i) => { x[i * 7] = v; });
    if (specials) [NaN, Infinity, -Infinity].forEach((v, i) => { x[100 + i * 3] = v; });
    return x;
}

export const swapped = (data, size) => {
    const out = Buffer.from(bytes(data));
    for (let i = 0; i < out.length; i += size) out.subarray(i, i + size).reverse();
    return out;
};

// Headers that must be refused, with what the refusal says.
const float = new Float32Array(4), one = { name: "a", dtype: "F32", shape: [4], data: float };
const entry = (offsets, shape = "[4]", dtype = "\"F32\"") => `{"dtype":${dtype},"shape":${shape},"data_offsets":${offsets}}`;
const with_header = (header) => safetensors([one], { header });
export const hostile = [
    ["empty.safetensors", Buffer.alloc(0), /at least 8/],
    ["short.safetensors", Buffer.from([1, 2, 3]), /at least 8/],
    ["long-header.safetensors", safetensors([one], { length: 1n << 62n }), /another kind of file, or damaged/],
    ["limit.safetensors", safetensors([one], { length: 0xffffffffffffffffn }), /another kind of file, or damaged/],
    ["not-json.safetensors", with_header("{\"a\":nonsense}"), /a/],
    ["array.safetensors", with_header("[1,2]"), /./],
    ["outside.safetensors", with_header(`{"a":${entry("[0,1600]", "[400]")}}`), /within the file's 16 bytes/],
    ["negative.safetensors", with_header(`{"a":${entry("[-16,0]")}}`), /integers of at least 0/],
    ["overlap.safetensors", with_header(`{"a":${entry("[0,16]")},"b":${entry("[8,16]", "[2]")}}`), /overlap/],
    ["gap.safetensors", with_header(`{"a":${entry("[8,16]", "[2]")}}`), /gap/],
    ["wrong-size.safetensors", with_header(`{"a":${entry("[0,16]", "[5]")}}`), /its shape needs 20 bytes/],
    ["product.safetensors", with_header(`{"a":${entry("[0,16]", "[4294967296,4294967296,4294967296]")}}`), /more elements than a file can hold/],
    ["dtype.safetensors", with_header(`{"a":${entry("[0,16]", "[4]", "\"<img src=x onerror=alert(1)>\"")}}`), /unknown dtype/],
    ["twice.safetensors", with_header(`{"a":${entry("[0,16]")},"a":${entry("[0,16]")}}`), /duplicate|overlap/],
    ["cut.npy", npy("<f4", [4], float).subarray(0, 100), /truncated/],
    ["size.npy", npy("<f4", [400], float), /the shape needs 1600 bytes/],
    ["wide.npy", npy("<f4", ["1000000000000000000"], float), /the shape needs 4000000000000000000 bytes/],
    ["object.npy", npy("|O", [4], float), /Python objects/],
    ["huge.npy", npy("<f4", ["18446744073709551615", "18446744073709551615"], float), /./],
    ["evil.npy", npy("<img src=x onerror=alert(1)>", [4], float), /element type/],
];
