// Scale and codes of the block as literals of C, Python and SystemVerilog, under the rule that is shown.

const digits = (code) => code.replace(/^0x/, "");

export function literalsOf(answer, r) {
    const codes = r.elements.map((e) => e.code), scale = r.scale.code;
    const bits = r.elements[0].bits.replaceAll(" ", "").length, width = r.scale.bits.replaceAll(" ", "").length;
    const tensor = r.tensor_scale?.hex, type = (n) => (n <= 8 ? "uint8_t" : n <= 16 ? "uint16_t" : "uint32_t");
    return [
        { language: "C", text: `${type(width)} scale = ${scale}; ${type(bits)} codes[${codes.length}] = {${codes.join(", ")}};${tensor ? ` float tensor_scale = ${tensor}f;` : ""}` },
        { language: "Python", text: `scale, codes = ${scale}, [${codes.join(", ")}]${tensor ? `; tensor_scale = float.fromhex("${tensor}")` : ""}` },
        { language: "SystemVerilog", text: `logic [${width - 1}:0] scale = ${width}'h${digits(scale)}; logic [${bits - 1}:0] codes [${codes.length}] = '{${codes.map((c) => `${bits}'h${digits(c)}`).join(", ")}};` },
    ];
}
