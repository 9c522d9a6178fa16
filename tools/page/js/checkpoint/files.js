// The files of a checkpoint that a reader chooses or drops, as the command sees them: a folder, or one file.
import { reportInside } from "../report/save.js";

// Two copies are made in memory, and a module of WebAssembly has 4 GiB.
const MOST = 1 << 30;
const WANTED = /\.(safetensors|gguf|npy|json)$/i;

const parts = (path) => path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");

// { files: path -> bytes, operand, left: how many files a checkpoint does not need }, or { report }.
export async function read(all) {
    const known = all.map(({ path, file }) => ({ path: parts(path), file })).filter(({ path }) => path.length > 0);
    if (known.length === 1 && /\.html?$/i.test(known[0].path.at(-1))) {
        const report = reportInside(await known[0].file.text());
        if (report?.report !== 1) {
            throw new Error(`${known[0].file.name} holds no report of binade`);
        }
        return { report };
    }
    // A checkpoint's files are side by side: those of the outermost folder that has some.
    const wanted = known.filter(({ path }) => WANTED.test(path.at(-1)));
    const depth = Math.min(...wanted.filter(({ path }) => !/\.json$/i.test(path.at(-1))).map(({ path }) => path.length));
    const chosen = wanted.filter(({ path }) => path.length === depth);
    if (chosen.length === 0) {
        throw new Error("No checkpoint found: expected .safetensors, .gguf or .npy files, or a folder with such files.");
    }
    const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
    if (bytes > MOST) {
        throw new Error(`These files have ${(bytes / 2 ** 30).toFixed(1)} GiB; the page reads at most 1 GiB. 'binade lint' and 'binade scan' read files of any size.`);
    }
    const alone = chosen.length === 1, folder = depth > 1 ? chosen[0].path.at(-2) : "checkpoint";
    const files = Object.create(null);
    for (const { path, file } of chosen) {
        files[alone ? path.at(-1) : `${folder}/${path.at(-1)}`] = new Uint8Array(await file.arrayBuffer());
    }
    return { files, operand: alone ? chosen[0].path.at(-1) : folder, left: known.length - chosen.length };
}
