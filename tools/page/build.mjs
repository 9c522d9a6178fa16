// Makes the page: node build.mjs ESBUILD WASM VERSION OUT. One file holds the text, the style, the script and the core.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { packed } from "./js/core/packed.js";

const [esbuild, wasm, version, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

function bundle(file, ...options) {
    return execFileSync(esbuild, [join(here, file), "--bundle", "--minify", "--charset=ascii", "--log-level=warning",
        ...options], { encoding: "utf8", maxBuffer: 1 << 28 }).trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const script = bundle("js/main.js", "--format=iife", "--target=es2022").replaceAll("</script", "<\\/script");
const style = bundle("page.css");
const core = gzipSync(readFileSync(wasm), { level: 9 });
core[9] = 255; // the system's number in gzip's header: the same on every system
const policy = ["default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`,
    "worker-src blob:", "img-src data: blob:", "connect-src 'none'", "base-uri 'none'", "form-action 'none'"].join("; ");

const parts = { POLICY: policy, VERSION: version, STYLE: style, WASM: packed(core), SCRIPT: script };
const page = readFileSync(join(here, "page.html"), "utf8").replace(/@([A-Z]+)@/g, (all, name) => parts[name]);
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${page.length} bytes (core ${parts.WASM.length}, script ${script.length}, style ${style.length})`);
