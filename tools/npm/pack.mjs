// Writes lib/wasm.js: the WebAssembly module, compressed and as base64 text.
//   node pack.mjs MODULE.wasm OUT.js

import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const [module, out] = process.argv.slice(2);
const wasm = readFileSync(module);
const packed = deflateRawSync(wasm, { level: 9, memLevel: 9 });
writeFileSync(out, `// The WebAssembly module: ${wasm.length} bytes, compressed to ${packed.length}, as base64.
export const size = ${wasm.length};
export const bytes = "${packed.toString("base64")}";
`);
