// Drives a page in Debian's chromium as a person does: real key and mouse events, files chosen and dropped, pictures and
// PDF files made. Needs node's own modules only.
//
//     const page = await open("#number/e4m3/465", { width: 390, dark: true });
//     await page.fill("#value", "0.1");
//     await page.waitFor(() => document.querySelector("output").textContent === "0.1015625");
//     equal(page.messages, []);
//     await page.close();
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";
import { events } from "./keys.mjs";
import { Watch } from "./watch.mjs";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
// The page that is tested: BND_PAGE, or that of the build folder BND_BUILD, or that of build/.
export const PAGE = resolve(process.env.BND_PAGE || join(process.env.BND_BUILD || join(top, "build"), "tools/page/binade.html"));

// How long a state may take to come: a limit for a page that hangs, never a measurement.
const LIMIT_MS = 120000;

let browser = null;
let idle = []; // windows that pages have left: a new one costs the browser a second of processor time

async function newWindow() {
    const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId, newWindow: true });
    return { contextId: browserContextId, targetId };
}

// open(url, options): a page of its own, without what other pages stored. "" and "#..." are the page that is tested;
// a path is a file. Options: width, height, dark, print, offline, motion (true lets animations run), scripts (a function that
// runs before any script of the page).
export async function open(url = "", options = {}) {
    if (!browser || browser.ended) {
        browser = new Chromium();
        idle = [];
    }
    const { contextId, targetId } = idle.pop() ?? await newWindow();
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(contextId, targetId, sessionId);
    await page.start(options);
    await page.goto(url);
    return page;
}

// Ends the browser. check.mjs does this at the end of a test.
export async function closeBrowser() {
    const ending = browser;
    browser = null;
    idle = [];
    await ending?.close();
}

// The address of "", "#fragment", a file's path or a URL.
export function address(url) {
    if (url === "" || url.startsWith("#")) return pathToFileURL(PAGE).href + url;
    return /^[a-z]+:/.test(url) ? url : pathToFileURL(resolve(url)).href;
}

class Page {
    constructor(contextId, targetId, sessionId) {
        Object.assign(this, { contextId, targetId, sessionId });
        this.watch = new Watch(browser, sessionId);
        this.messages = this.watch.messages;
    }

    // Any call of the protocol: https://chromedevtools.github.io/devtools-protocol/
    send(method, params = {}) {
        return browser.send(method, params, this.sessionId);
    }

    async start({ width = 1280, height = 900, dark = false, print = false, offline = false, motion = false, scripts = null }) {
        await this.watch.start();
        await this.resize(width, height);
        await this.media({ dark, print, motion });
        if (offline) {
            await this.send("Network.emulateNetworkConditions",
                { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
        }
        if (scripts) await this.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${scripts})()` });
        this.downloads = join(browser.downloads, this.sessionId);
        mkdirSync(this.downloads, { recursive: true });
        await browser.send("Browser.setDownloadBehavior",
            { behavior: "allow", browserContextId: this.contextId, downloadPath: this.downloads });
        await browser.send("Browser.grantPermissions",
            { browserContextId: this.contextId, permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    }

    async resize(width, height) {
        await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    }

    async media({ dark = false, print = false, motion = false }) {
        await this.send("Emulation.setEmulatedMedia", {
            media: print ? "print" : "",
            features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" },
                { name: "prefers-reduced-motion", value: motion ? "no-preference" : "reduce" }],
        });
    }

    // An event of the page's session, once.
    event(method) {
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(`${method} did not come in ${LIMIT_MS / 1000} s`)), LIMIT_MS);
            timer.unref(); // one that nobody waits for does not keep the test alive
            this.watch.handlers.set(method, (params) => {
                clearTimeout(timer);
                this.watch.handlers.delete(method);
                resolve(params);
            });
        });
    }

    // Goes to an address and waits until it is loaded; a change of the fragment alone loads nothing.
    async goto(url) {
        const loaded = this.event("Page.loadEventFired");
        loaded.catch(() => {});
        const { errorText, loaderId } = await this.send("Page.navigate", { url: address(url) });
        if (errorText) throw new Error(`${url}: ${errorText}`);
        if (loaderId) await loaded;
        else this.watch.handlers.delete("Page.loadEventFired");
    }

    // Goes to a state of the page that is tested from another room, so that the state's own room begins with it.
    async enter(fragment) {
        for (const one of [fragment.startsWith("#run") ? "#number" : "#run", fragment]) {
            await this.goto(one);
            await this.waitFor((wanted) => globalThis.binade.fragment === wanted, one);
        }
    }

    async reload() {
        const loaded = this.event("Page.loadEventFired");
        await this.send("Page.reload");
        await loaded;
    }

    // evaluate(fn, ...args): fn runs in the page and may be async; arguments and result travel as JSON. A text is an expression.
    async evaluate(code, ...args) {
        const expression = typeof code === "function" ? `(${code})(${args.map((arg) => JSON.stringify(arg) ?? "undefined").join(",")})` : code;
        const { result, exceptionDetails } = await this.send("Runtime.evaluate",
            { expression, returnByValue: true, awaitPromise: true, userGesture: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.unserializableValue ? Number(result.unserializableValue.replace(/n$/, "")) : result.value;
    }

    // Waits until fn, asked inside the page, answers something true; that is the result.
    async waitFor(fn, ...args) {
        const poll = `async (limit, args) => {
            const asked = ${fn};
            for (const end = Date.now() + limit; Date.now() < end;) {
                const found = await asked(...args);
                if (found) return { found: found === true || typeof found !== "object" ? found : true };
                await new Promise((next) => setTimeout(next, 10));
            }
            return null;
        }`;
        const answer = await this.evaluate(`(${poll})(${LIMIT_MS}, ${JSON.stringify(args)})`);
        if (!answer) {
            const shown = await this.evaluate(() => document.body.innerText.slice(0, 600));
            throw new Error(`waited ${LIMIT_MS / 1000} s for ${fn} with ${JSON.stringify(args)}; the page shows: ${shown}; messages: ${this.messages}`);
        }
        return answer.found;
    }

    // The middle of the first element that matches, brought into view; an error where something else covers it.
    async place(selector) {
        await this.waitFor((wanted) => document.querySelector(wanted), selector);
        const place = await this.evaluate((wanted) => {
            const element = document.querySelector(wanted);
            element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
            const box = element.getBoundingClientRect();
            const x = box.x + box.width / 2, y = box.y + box.height / 2;
            const there = document.elementFromPoint(x, y);
            const hit = there && (element.contains(there) || there.contains(element) || [...element.labels ?? []].some((l) => l.contains(there)));
            return { x, y, width: box.width, height: box.height, hit: Boolean(hit), there: there?.outerHTML.slice(0, 200) };
        }, selector);
        if (place.width === 0 || place.height === 0) throw new Error(`${selector} has no size on the page`);
        if (!place.hit) throw new Error(`${selector} is covered by ${place.there}`);
        return place;
    }

    async mouse(type, x, y, more = {}) {
        await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, ...more });
    }

    async hover(selector) {
        const { x, y } = await this.place(selector);
        await this.mouse("mouseMoved", x, y, { button: "none", buttons: 0 });
    }

    async click(selector) {
        const { x, y } = await this.place(selector);
        await this.mouse("mouseMoved", x, y, { button: "none", buttons: 0 });
        await this.mouse("mousePressed", x, y);
        await this.mouse("mouseReleased", x, y);
    }

    // A key, or one with modifiers: "Enter", "Shift+Tab", "Control+a".
    async press(key) {
        for (const event of events(key)) await this.send("Input.dispatchKeyEvent", event);
    }

    // Types at the end of what the element holds.
    async type(selector, text) {
        await this.waitFor((wanted) => document.querySelector(wanted), selector);
        await this.evaluate((wanted) => {
            const element = document.querySelector(wanted);
            element.focus();
            if (document.activeElement !== element) throw new Error(`${wanted} cannot have the focus`);
            const end = element.value?.length;
            try { element.setSelectionRange?.(end, end); } catch { /* inputs of numbers have no selection */ }
        }, selector);
        for (const character of text) await this.press(character === "\n" ? "Enter" : character);
    }

    // Replaces what the element holds by typing.
    async fill(selector, text) {
        await this.type(selector, "");
        await this.press("Control+a");
        await this.press("Backspace");
        await this.type(selector, text);
    }

    // Chooses an option of a select by its value or text.
    async choose(selector, option) {
        await this.waitFor((wanted) => document.querySelector(wanted), selector);
        await this.evaluate((wanted, name) => {
            const element = document.querySelector(wanted);
            const found = [...element.options].find((one) => one.value === name || one.text === name);
            if (!found) throw new Error(`${wanted} has no option '${name}': ${[...element.options].map((one) => one.value)}`);
            element.focus();
            element.value = found.value;
            element.dispatchEvent(new Event("input", { bubbles: true }));
            element.dispatchEvent(new Event("change", { bubbles: true }));
        }, selector, option);
    }

    async setFiles(selector, paths) {
        const { result } = await this.send("Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(selector)})` });
        if (!result.objectId) throw new Error(`setFiles: nothing matches ${selector}`);
        await this.send("DOM.setFileInputFiles", { objectId: result.objectId, files: paths.map((path) => resolve(path)) });
    }

    // Drags files over an element and drops them there.
    async drop(selector, paths) {
        const { x, y } = await this.place(selector);
        const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
        for (const type of ["dragEnter", "dragOver", "drop"]) await this.send("Input.dispatchDragEvent", { type, x, y, data });
    }

    // Does something that saves a file, waits until it is there, and returns its path.
    async download(action) {
        const wanted = new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error("no download ended")), LIMIT_MS);
            let name = "";
            this.watch.handlers.set("Page.downloadWillBegin", (params) => { name = params.suggestedFilename; });
            this.watch.handlers.set("Page.downloadProgress", ({ state }) => {
                if (state === "inProgress") return;
                clearTimeout(timer);
                if (state === "completed") resolve(join(this.downloads, name));
                else reject(new Error(`the download of ${name} was ${state}`));
            });
        });
        wanted.catch(() => {});
        await action();
        return wanted;
    }

    clipboard() {
        return this.evaluate(() => { window.focus(); return navigator.clipboard.readText(); });
    }

    // full: all of the page, not only what the window shows. selector: one element.
    async screenshot(file, { full = false, selector = null } = {}) {
        let clip;
        if (selector) {
            const { x, y, width, height } = await this.evaluate((wanted) => {
                const box = document.querySelector(wanted).getBoundingClientRect();
                return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height };
            }, selector);
            clip = { x, y, width, height, scale: 1 };
        } else if (full) {
            const { cssContentSize: size } = await this.send("Page.getLayoutMetrics");
            clip = { x: 0, y: 0, width: size.width, height: size.height, scale: 1 };
        }
        const { data } = await this.send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: Boolean(clip) });
        writeFileSync(file, Buffer.from(data, "base64"));
    }

    async pdf(file) {
        const { data } = await this.send("Page.printToPDF", { printBackground: true, preferCSSPageSize: true });
        writeFileSync(file, Buffer.from(data, "base64"));
    }

    // What a screen reader is told: nodes with role, name, properties.
    async accessibility() {
        const { nodes } = await this.send("Accessibility.getFullAXTree");
        return nodes.filter((node) => !node.ignored);
    }

    // Leaves the window to the next page, without anything stored and without a past. What this session has set, such as
    // sizes and scripts, ends with the session.
    async close() {
        this.watch.stop();
        try {
            await this.send("Page.navigate", { url: "about:blank" });
            await this.send("Storage.clearDataForOrigin", { origin: "file://", storageTypes: "all" });
            await this.send("Page.resetNavigationHistory");
            await browser.send("Target.detachFromTarget", { sessionId: this.sessionId });
            idle.push({ contextId: this.contextId, targetId: this.targetId });
        } catch {
            await browser?.send("Target.closeTarget", { targetId: this.targetId }).catch(() => {});
            await browser?.send("Target.disposeBrowserContext", { browserContextId: this.contextId }).catch(() => {});
        }
    }
}
