// Commands that take long run in a worker: the page stays usable, and a command is stopped by ending its worker.
// The worker is this same script: main.js sees that it has no document, and calls serve().
import { CommandError, Core } from "./binade.js";

export class Client {
    // module: a WebAssembly.Module; source: the text of the page's script.
    constructor(module, source) {
        this.module = module;
        this.source = source;
    }

    start() {
        const address = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
        this.worker = new Worker(address, { name: "binade" });
        this.address = address;
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => this.hear({ failed: event.message || "the worker failed" });
        this.worker.postMessage({ module: this.module });
    }

    hear(data) {
        const { job } = this;
        if (data.path !== undefined) {
            job?.onWrite?.(data.path, data.text);
            return;
        }
        this.job = null;
        if (data.failed !== undefined) {
            job?.refuse(new CommandError(3, data.failed));
        } else {
            job?.keep(data.answer);
        }
    }

    // As Core.run, but a Promise. One command at a time.
    run(words, { files = {}, input = "", onWrite = null } = {}) {
        return this.send({ words, files, input, tell: onWrite !== null }, onWrite);
    }

    // Calls a function that the worker knows by name (see `functions` of serve) with structured-cloneable arguments.
    call(name, ...values) {
        return this.send({ name, values }, null);
    }

    send(message, onWrite) {
        if (this.job) {
            return Promise.reject(new CommandError(3, "the worker is busy"));
        }
        if (!this.worker) {
            this.start();
        }
        return new Promise((keep, refuse) => {
            this.job = { keep, refuse, onWrite };
            this.worker.postMessage(message);
        });
    }

    // Ends the worker; what runs is refused with a CommandError of status 130.
    stop() {
        this.worker?.terminate();
        URL.revokeObjectURL(this.address);
        this.worker = null;
        const { job } = this;
        this.job = null;
        job?.refuse(new CommandError(130, "stopped"));
    }
}

// In the worker. functions: { name: (core, ...values) => answer or Promise }.
export function serve(functions) {
    let core = null;
    globalThis.onmessage = async ({ data }) => {
        try {
            if (data.module) {
                core = Core.open(data.module);
                return;
            }
            const ready = await core;
            await ready.mended;
            const onWrite = data.tell ? (path, text) => postMessage({ path, text }) : null;
            const answer = data.name !== undefined ? await functions[data.name](ready, ...data.values)
                : ready.run(data.words, { files: data.files, input: data.input, onWrite });
            postMessage({ answer });
        } catch (error) {
            postMessage({ failed: error.message });
        }
    };
}
