// The command in WebAssembly. A Core runs commands one after the other; each sees the files that it is given.
import { Exit, System } from "./wasi.js";

const encoder = new TextEncoder(), decoder = new TextDecoder();

// A command that did not do what it was told: `message` is its own.
export class CommandError extends Error {
    constructor(status, message) {
        super(message);
        this.name = "CommandError";
        this.status = status;
    }
}

// The parsed answer of a command that prints JSON.
export function jsonOf([name], { status, output, errors }) {
    if (status > 1 || output === "") {
        const words = errors.replace(/^binade( \w+)?: /, "").trim();
        throw new CommandError(status, words || `binade ${name} ended with status ${status}`);
    }
    return JSON.parse(output);
}

export class Core {
    // module: a WebAssembly.Module of binade.wasm.
    static async open(module) {
        const core = new Core();
        core.module = module;
        await core.restart();
        return core;
    }

    // A fresh instance: at the beginning, and after a command has ended in the middle.
    async restart() {
        this.system = new System();
        const imports = this.system.imports(() => this.exports.memory);
        this.exports = (await WebAssembly.instantiate(this.module, imports)).exports;
        this.exports._initialize?.();
    }

    // The imports of an instance refer to its System: files come and go in that one.
    reset(files, input, onWrite) {
        const system = this.system;
        system.files.clear();
        system.inodes?.clear();
        system.folders.clear();
        system.folders.add("");
        system.onWrite = onWrite;
        for (const [path, content] of Object.entries(files)) {
            system.put(path, content);
        }
        system.begin(input);
    }

    // Runs `binade WORDS...`. Returns { status, output, errors, files }: texts, and the files that are there afterwards
    // (path -> Uint8Array).
    run(words, { files = {}, input = "", onWrite = null } = {}) {
        if (this.broken) {
            throw new CommandError(3, "the core has failed; await restart() first");
        }
        const { system } = this; // of this instance: restart() makes another one
        this.reset(files, input, onWrite);
        const line = encoder.encode(words.map((word) => `${word.replaceAll("\0", "")}\0`).join(""));
        const at = this.exports.bnd_page_new(Math.max(line.length, 1));
        if (at === 0) {
            throw new CommandError(3, "out of memory");
        }
        new Uint8Array(this.exports.memory.buffer, at, line.length).set(line);
        let status;
        try {
            status = this.exports.bnd_page_run(at, line.length);
            this.exports.bnd_page_free(at);
        } catch (error) {
            this.broken = true; // the stack and what was allocated are lost
            this.mended = this.restart().then(() => { this.broken = false; }, () => {}); // without memory it stays broken
            if (!(error instanceof Exit)) {
                throw new CommandError(3, `the core failed: ${error.message}`);
            }
            status = error.status;
        }
        const left = Object.create(null);
        for (const [path, file] of system.files) {
            left[path] = file.content.slice();
        }
        const [output, errors] = [system.output, system.errors].map(({ content }) => decoder.decode(content));
        return { status, output, errors, files: left };
    }

    // `words` without --json, which stands before a "--".
    json([name, ...words], options) {
        return jsonOf([name], this.run([name, "--json", ...words], options));
    }
}
