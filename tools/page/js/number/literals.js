// The codes of an answer as literals of other languages: a row per language, a line per format.

const name = (format) => format.replace(/[^A-Za-z0-9_]/g, "_");
const storage = (width) => width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64;

// Formats that the language has itself; every other code is an integer of its bits.
const native = {
    C: { fp32: (r) => /^-?0x/.test(r.hex) ? `float fp32 = ${r.hex}f;` : null, fp64: (r) => /^-?0x/.test(r.hex) ? `double fp64 = ${r.hex};` : null },
};

const numpy = { fp64: "float64", fp32: "float32", fp16: "float16" };
const inTorch = new Set(["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu"]);
const signed = { 8: "uint8", 16: "int16", 32: "int32", 64: "int64" }; // torch views integers of these types

// A code as the signed integer of its bits, which is what torch.tensor takes for 16 bits and more.
function asSigned(code, width) {
    return width === 8 ? code : String(BigInt.asIntN(width, BigInt(code)));
}

const languages = [
    ["C", (r, f) => native.C[r.format]?.(r) ?? `uint${storage(f.width)}_t ${name(r.format)} = ${r.code};`],
    ["Python", (r, f) => {
        const type = numpy[r.format] ? `np.${numpy[r.format]}` : f.ml_dtypes ? `ml_dtypes.${f.ml_dtypes.split(" ")[0]}` : null;
        return type === null ? `${name(r.format)} = ${r.code}` : `${name(r.format)} = np.uint${storage(f.width)}(${r.code}).view(${type})`;
    }],
    ["PyTorch", (r, f) => {
        const type = numpy[r.format] ?? (f.ml_dtypes ?? "").split(" ")[0];
        const bits = storage(f.width);
        return inTorch.has(type) ? `${name(r.format)} = torch.tensor(${asSigned(r.code, bits)}, dtype=torch.${signed[bits]}).view(torch.${type})` : null;
    }],
    ["SystemVerilog", (r, f) => `localparam logic [${f.width - 1}:0] ${name(r.format).toUpperCase()} = ${f.width}'h${r.code.slice(2)};`],
];

// facts: what `binade formats` says of each format.
export function literalsOf(results, facts) {
    const coded = results.filter((r) => r.code !== null);
    return languages.map(([language, line]) => ({ language, text: coded.map((r) => line(r, facts.get(r.format))).filter(Boolean).join("\n") }))
        .filter(({ text }) => text !== "");
}
