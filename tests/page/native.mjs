// The command as it was built for this machine, and the page's WebAssembly outside of a browser: for tests that compare.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Core } from "../../tools/page/js/core/binade.js";
import { unpacked } from "../../tools/page/js/core/packed.js";
import { PAGE } from "./browser.mjs";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const command = process.env.BND_COMMAND || join(process.env.BND_BUILD || join(top, "build"), "binade");

// Runs `binade WORDS...`; { status, output, errors }.
export function run(words, options = {}) {
    const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
    if (error) throw error;
    return { status, output: stdout, errors: stderr };
}

export function json(words) {
    const { status, output, errors } = run([...words, "--json"]);
    if (status > 1) throw new Error(`binade ${words.join(" ")}: ${errors}`);
    return JSON.parse(output);
}

// The examples of a room in doc/reference/links.md: fragments.
export const examples = (room) => readFileSync(join(top, "doc/reference/links.md"), "utf8").split("\n").filter((line) => line.startsWith(`#${room}/`));

// The core of the page that is tested.
export async function openCore() {
    const [, text] = readFileSync(PAGE, "utf8").match(/id="binade-wasm">([^<]*)</);
    return Core.open(await WebAssembly.compile(gunzipSync(unpacked(text))));
}
