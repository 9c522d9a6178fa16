// What a reader can choose about the rounding. The names are the command's; a test asks the command for each.

export const roundings = [
    ["rne", "to nearest, ties to even"], ["rna", "to nearest, ties away from zero"], ["rtz", "toward zero"],
    ["rup", "toward plus infinity"], ["rdn", "toward minus infinity"], ["rto", "to odd"],
    ["sr", "stochastic, unbiased"], ["sra", "stochastic, P3109 A"], ["srb", "stochastic, P3109 B"],
    ["sr-equal", "up or down, 1/2 each"],
];

export const overflows = [
    ["format", "as the format has it"], ["saturate", "largest value"], ["propagate", "largest value; infinity stays"],
    ["format-max", "as P3109 SatNone"], ["propagate-max", "as P3109 SatPropagate"],
];

export const nans = [
    ["canonical", "positive, top fraction bit"], ["signed", "with the sign"], ["ones", "all fraction bits"],
    ["signed-ones", "all fraction bits, signed"], ["propagate", "payload kept"], ["x86", "as SSE"],
];

export const flushes = [["none", "kept"], ["in", "zero on input"], ["out", "zero on output"], ["both", "zero on both"],
    ["tiny", "zero where tiny (FTZ)"], ["in-tiny", "FTZ and DAZ"]];
export const tininess = [["after", "after rounding"], ["before", "before rounding"]];

export const presets = [
    ["default", "fp32,fp16,bf16,e4m3,e5m2"], ["IEEE", "ieee"], ["OCP", "ocp"], ["FNUZ", "fnuz"], ["P3109, 8 bits", "p3109-all"],
    ["all", "all"],
];

// "sr:8" -> { mode: "sr", bits: 8 }; modes without random bits have null.
export function readRounding(text) {
    const [, mode, bits] = /^(sr|sra|srb)(?::(\d+))?$/.exec(text) ?? [];
    return mode === undefined ? { mode: text, bits: text === "sr-equal" ? 1 : null } : { mode, bits: Number(bits ?? 32) };
}

export function writeRounding(mode, bits) {
    return /^(sr|sra|srb)$/.test(mode) ? `${mode}:${bits}` : mode;
}

// [name, title] of each dialect, from the command: every dialect has a rule for one of these formats.
export function dialects(core) {
    const { answers } = core.json(["show", "0", "-f", "fp16,bf16,e4m3,e8m0,e2m1,binary8p3se", "--dialects"]);
    const titles = new Map(answers.filter((one) => one.dialect !== "binade").map((one) => [one.dialect, one.who]));
    return [...titles];
}
