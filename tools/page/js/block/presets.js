// Blocks to begin with. Every number is a text; the command reads it.

// Drawn once from a normal distribution with deviation 1.
const normal = [
    "0.616", "1.337", "-0.337", "0.573", "-1.165", "0.077", "-1.098", "0.140",
    "-0.070", "0.762", "-0.316", "-0.827", "-0.800", "-1.567", "1.599", "-1.792",
    "0.071", "0.733", "-0.125", "-1.303", "0.448", "1.436", "1.329", "-1.359",
    "0.178", "0.824", "3.312", "0.114", "0.298", "1.584", "-1.304", "-0.316",
];

const with_ = (list, ...changes) => list.map((text, i) => changes.find(([at]) => at === i)?.[1] ?? text);
const tiny = (list) => list.map((text) => `${text}e-40`);

export const normalNumbers = normal;

// name, what it shows, and the numbers for a block of `count`; format: where only one block format shows it.
export const presets = [
    { name: "Normal", note: "32 numbers from a normal distribution", numbers: normal },
    { name: "One outlier", note: "one number is 60 times larger than the others", numbers: with_(normal, [5, "60"]) },
    { name: "All tiny", note: "near 1e-40: below the smallest e8m0 scale, 2^-127, times most elements", numbers: tiny(normal) },
    { name: "Near the top", note: "near the largest fp32 number: e8m0 ends at 2^127", numbers: with_(normal.map((t) => `${t}e38`), [0, "3.4e38"]) },
    { name: "All equal", note: "every number is 7, between the elements 6 and 8", numbers: normal.map(() => "7") },
    { name: "Zeros", note: "every number is zero: no rule has a logarithm to take", numbers: normal.map(() => "0") },
    { name: "A NaN", note: "one NaN makes the scale NaN", numbers: with_(normal, [9, "nan"]) },
    { name: "10, 20, 30, 40", note: "the example of Four Over Six, for nvfp4", format: "nvfp4", tensor: "1", numbers: ["10", "20", "30", "40"] },
];
