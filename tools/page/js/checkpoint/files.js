// The files of checkpoints that a reader chooses or drops, as the command sees them: a folder, or one file; or two of them.
import { reportIn } from "../report/save.js";

// Two copies are made in memory, and a module of WebAssembly has 4 GiB.
const MOST = 1 << 30;
const WANTED = /\.(safetensors|gguf|npy|json)$/i;

const parts = (path) => path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");

// Of files side by side, those of one checkpoint: all of them; or, of tensors in two files that no shard's name and no index
// joins, one each.
function split(group) {
    const tensors = group.filter(({ path }) => !/\.json$/i.test(path.at(-1)));
    const joined = group.some(({ path }) => /-\d+-of-\d+\.|\.index\.json$/i.test(path.at(-1)));
    return tensors.length === 2 && !joined && group[0].path.length === 1 ? tensors.map((one) => [one]) : [group];
}

async function opened(group) {
    const alone = group.length === 1, folder = group[0].path.length > 1 ? group[0].path.at(-2) : "checkpoint";
    const files = Object.create(null);
    for (const { path, file } of group) {
        files[alone ? path.at(-1) : `${folder}/${path.at(-1)}`] = new Uint8Array(await file.arrayBuffer());
    }
    return { files, operand: alone ? group[0].path.at(-1) : folder };
}

// Two checkpoints in one place: A/model and B/model.
export function beside(a, b) {
    const placed = (one, at) => Object.entries(one.files).map(([path, bytes]) => [`${at}/${path}`, bytes]);
    return { files: Object.fromEntries([...placed(a, "A"), ...placed(b, "B")]), operands: [`A/${a.operand}`, `B/${b.operand}`] };
}

// { checkpoints: [one or two { files: path -> bytes, operand }], left: how many files they do not need }, or { report }.
export async function read(all) {
    const known = all.map(({ path, file }) => ({ path: parts(path), file })).filter(({ path }) => path.length > 0);
    if (known.length === 1 && /\.html?$/i.test(known[0].path.at(-1))) {
        return { report: await reportIn(known[0].file) };
    }
    // A checkpoint's files are side by side: those of the outermost folders that have some.
    const wanted = known.filter(({ path }) => WANTED.test(path.at(-1)));
    const tensors = wanted.filter(({ path }) => !/\.json$/i.test(path.at(-1)));
    const depth = Math.min(...tensors.map(({ path }) => path.length));
    const folders = new Map(tensors.filter(({ path }) => path.length === depth).map(({ path }) => [path.slice(0, -1).join("/"), []]));
    for (const one of wanted) {
        folders.get(one.path.slice(0, -1).join("/"))?.push(one);
    }
    const groups = [...folders.values()].flatMap(split), chosen = groups.flat();
    if (chosen.length === 0) {
        throw new Error("No checkpoint found: expected .safetensors, .gguf or .npy files, or a folder with such files.");
    }
    if (groups.length > 2) {
        throw new Error(`Expected one checkpoint, or two to compare; got ${groups.length} folders with tensors.`);
    }
    const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
    if (bytes > MOST) {
        throw new Error(`These files have ${(bytes / 2 ** 30).toFixed(1)} GiB; the page reads at most 1 GiB. 'binade lint' and 'binade scan' read files of any size.`);
    }
    return { checkpoints: await Promise.all(groups.map(opened)), left: known.length - chosen.length };
}
