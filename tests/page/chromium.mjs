// Starts a chromium without a window, and talks to it over two pipes (file descriptors 3 and 4): JSON texts, each ended by
// a zero byte. No port is opened. The browser and its profile folder are gone when the process ends, however it ends.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// How long one answer may take: a limit for a browser that hangs, never a measurement.
const LIMIT_MS = 180000;

const OPTIONS = [
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--mute-audio",
    "--disable-dev-shm-usage", "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-default-apps", "--disable-breakpad", "--disable-crash-reporter", "--no-pings",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication",
    "--password-store=basic", "--use-mock-keychain", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
    "--font-render-hinting=none",
];

// The program: CHROMIUM of the environment, or the first that is here; null where none is.
export function findChromium() {
    if (process.env.CHROMIUM) return process.env.CHROMIUM;
    const folders = (process.env.PATH || "").split(":").filter(Boolean);
    for (const name of ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]) {
        for (const folder of folders) {
            if (existsSync(join(folder, name))) return join(folder, name);
        }
    }
    return null;
}

export class Chromium {
    constructor() {
        const program = findChromium();
        if (!program) throw new Error("chromium is missing: install it, or set CHROMIUM to its path");
        this.folder = mkdtempSync(join(tmpdir(), "binade-chromium-"));
        this.downloads = join(this.folder, "downloads");
        const options = [...OPTIONS, `--user-data-dir=${join(this.folder, "profile")}`];
        if (process.getuid?.() === 0) options.push("--no-sandbox");
        // A group of its own, so that the helpers of the browser end with it.
        this.process = spawn(program, options, {
            detached: true, stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
            env: { ...process.env, HOME: this.folder, XDG_CONFIG_HOME: this.folder, XDG_CACHE_HOME: this.folder },
        });
        this.errors = "";
        this.process.stderr.on("data", (bytes) => { this.errors = (this.errors + bytes).slice(-4000); });
        this.output = this.process.stdio[3];
        this.output.on("error", () => {});
        this.waiting = new Map();
        this.listeners = new Map(); // by session; "" is the browser's own
        this.next = 1;
        this.ended = null;
        this.gone = new Promise((resolve) => this.process.on("exit", (code, signal) => {
            this.fail(`chromium ended (${signal || code}): ${this.errors.trim()}`);
            resolve();
        }));
        this.process.on("error", (error) => this.fail(`${program}: ${error.message}`));
        this.read(this.process.stdio[4]);
        this.cleanup = () => this.kill();
        process.on("exit", this.cleanup);
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));
    }

    read(stream) {
        let parts = [];
        stream.on("error", () => {});
        stream.on("data", (bytes) => {
            let from = 0;
            for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, from)) {
                parts.push(bytes.subarray(from, at));
                this.receive(JSON.parse(Buffer.concat(parts).toString("utf8")));
                parts = [];
                from = at + 1;
            }
            if (from < bytes.length) parts.push(bytes.subarray(from));
        });
    }

    receive(message) {
        if (message.id !== undefined) {
            const entry = this.waiting.get(message.id);
            if (!entry) return;
            this.waiting.delete(message.id);
            clearTimeout(entry.timer);
            if (message.error) entry.reject(new Error(`${entry.method}: ${message.error.message}`));
            else entry.resolve(message.result);
            return;
        }
        this.listeners.get(message.sessionId || "")?.(message.method, message.params);
    }

    fail(words) {
        this.ended ??= new Error(words);
        for (const entry of this.waiting.values()) {
            clearTimeout(entry.timer);
            entry.reject(this.ended);
        }
        this.waiting.clear();
    }

    send(method, params = {}, sessionId = undefined) {
        if (this.ended) return Promise.reject(this.ended);
        const id = this.next++;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                this.waiting.delete(id);
                reject(new Error(`${method}: no answer in ${LIMIT_MS / 1000} s`));
            }, LIMIT_MS);
            this.waiting.set(id, { resolve, reject, timer, method });
            this.output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        });
    }

    kill() {
        try {
            process.kill(-this.process.pid, "SIGKILL");
        } catch { /* it has ended */ }
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }

    async close() {
        await this.send("Browser.close").catch(() => {});
        const timer = setTimeout(() => this.process.kill("SIGKILL"), 10000);
        await this.gone;
        clearTimeout(timer);
        process.removeListener("exit", this.cleanup);
        this.kill();
    }
}
