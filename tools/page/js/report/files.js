// Run directories and logs that a reader chooses or drops: path -> bytes, without what no report reads.

import { jsonOf } from "../core/binade.js";
import { reportIn } from "./save.js";

const WANTED = /(^|\/)(config\.json|metrics\.jsonl|summary\.json)$|\.(csv|tsv|jsonl|ndjson|log|txt|json|html?)$/i;

// Keeps a path inside the folder in memory, whatever its parts are called.
function inner(path) {
    return path.split("/").filter((part) => part !== "" && part !== "." && part !== "..").join("/");
}

async function* ofHandle(handle, path) {
    if (handle.kind === "file") {
        yield { path, file: await handle.getFile() };
        return;
    }
    for await (const one of handle.values()) {
        yield* ofHandle(one, `${path}/${one.name}`);
    }
}

function entries(reader) {
    return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function* ofEntry(entry, path) {
    if (entry.isFile) {
        yield { path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) };
        return;
    }
    const reader = entry.createReader();
    for (let some = await entries(reader); some.length > 0; some = await entries(reader)) {
        for (const one of some) {
            yield* ofEntry(one, `${path}/${one.name}`);
        }
    }
}

// What was dropped, folders too. All items are asked at once: they are gone after the event.
export async function dropped(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file").map((item) => ({
        file: item.getAsFile(), entry: item.webkitGetAsEntry?.(), handle: item.getAsFileSystemHandle?.().catch(() => null),
    }));
    const all = [];
    for (const { file, entry, handle } of items) {
        const known = await handle;
        const source = known ? ofHandle(known, known.name) : entry?.isDirectory ? ofEntry(entry, entry.name) : null;
        if (source) {
            for await (const one of source) {
                all.push(one);
            }
        } else if (file) {
            all.push({ path: file.name, file });
        }
    }
    return all;
}

export function chosen(list) {
    return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

// { files, names, left, report }: bytes by path, the RUN arguments, how many files no report needs, or a
// finished report, which is a file by itself.
export async function read(all) {
    const files = Object.create(null), names = new Set();
    let left = 0;
    for (const { path, file } of all) {
        const name = inner(path);
        const page = /\.html?$/i.test(name), inside = name.includes("/");
        if (name === "" || !WANTED.test(name) || (page && inside)) {
            left++;
            continue;
        }
        if (page || (/\.json$/i.test(name) && !inside)) {
            return { report: await reportIn(file) };
        }
        files[name] = new Uint8Array(await file.arrayBuffer());
        names.add(name.split("/")[0]);
    }
    return { files, names: [...names], left };
}

// The report of files in memory, by the command itself.
export async function reportOf(client, files, names) {
    const words = ["report", "--json", "--", ...names];
    return jsonOf(words, await client.run(words, { files }));
}
