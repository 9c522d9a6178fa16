// Lists what a page should not do: console messages, exceptions, violations of its content security policy, requests that
// leave the machine or fail, dialogs. Workers of the page are watched like the page itself.

const value = (object) => object.description ?? (object.value === undefined ? object.type : String(object.value));
const local = /^(file|data|blob|about|chrome-error):/;

export class Watch {
    constructor(browser, sessionId) {
        this.browser = browser;
        this.sessionId = sessionId;
        this.messages = [];
        this.urls = new Map();
        this.handlers = new Map(); // the page's own listeners
        this.sessions = new Set();
    }

    async start(sessionId = this.sessionId, isPage = true) {
        this.sessions.add(sessionId);
        this.browser.listeners.set(sessionId, (method, params) => this.event(method, params, isPage));
        const send = (method, params) => this.browser.send(method, params, sessionId);
        const wanted = [send("Runtime.enable"), send("Log.enable"), send("Network.enable")];
        if (isPage) wanted.push(send("Page.enable"), send("Page.setLifecycleEventsEnabled", { enabled: true }));
        wanted.push(send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }));
        // A worker has no Log and may have ended meanwhile.
        if (isPage) await Promise.all(wanted);
        else await Promise.allSettled([...wanted, send("Runtime.runIfWaitingForDebugger")]);
    }

    stop() {
        for (const session of this.sessions) this.browser.listeners.delete(session);
    }

    event(method, params, isPage) {
        const note = this[method];
        if (note) note.call(this, params);
        if (isPage) this.handlers.get(method)?.(params);
    }

    "Runtime.consoleAPICalled"({ type, args }) {
        this.messages.push(`console.${type}: ${args.map(value).join(" ")}`);
    }

    "Runtime.exceptionThrown"({ exceptionDetails: { text, exception, lineNumber } }) {
        this.messages.push(`exception: ${text} ${exception ? value(exception) : ""} (line ${lineNumber + 1})`);
    }

    "Log.entryAdded"({ entry }) {
        this.messages.push(`${entry.source} ${entry.level}: ${entry.text}${entry.url ? ` (${entry.url.slice(0, 200)})` : ""}`);
    }

    "Network.requestWillBeSent"({ requestId, request }) {
        this.urls.set(requestId, request.url);
        if (!local.test(request.url)) this.messages.push(`request: ${request.url}`);
    }

    "Network.loadingFailed"({ requestId, errorText, canceled }) {
        const url = this.urls.get(requestId) || "";
        if (!canceled) this.messages.push(`failed request: ${url.slice(0, 200)}: ${errorText}`);
    }

    "Network.webSocketCreated"({ url }) {
        this.messages.push(`request: ${url}`);
    }

    "Page.javascriptDialogOpening"({ type, message }) {
        this.messages.push(`dialog (${type}): ${message}`);
        this.browser.send("Page.handleJavaScriptDialog", { accept: true }, this.sessionId).catch(() => {});
    }

    "Target.attachedToTarget"({ sessionId }) {
        this.start(sessionId, false);
    }
}
