// The driver itself: what it types, clicks, drops and saves arrives, and what a page must not do is seen.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";

const folder = mkdtempSync(join(tmpdir(), "binade-driver-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function file(name, text) {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
}

const form = file("form.html", `<!DOCTYPE html><title>form</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'">
<style>body { background: white } @media (prefers-color-scheme: dark) { body { background: black } }</style>
<input id="text" value="old"><button id="button">press</button><select id="select"><option>a<option value="b">second</select>
<input id="files" type="file" multiple><div id="target" style="width: 90px; height: 90px">drop here</div><p id="log"></p>
<div style="height: 3000px"></div><button id="below">below</button>
<script>
const log = (...words) => document.querySelector("#log").append(words.join(" ") + ";");
button.onclick = below.onclick = (event) => log(event.target.id, event.isTrusted);
text.oninput = () => log(text.value);
text.onkeydown = (event) => { if (event.key.length > 1) log(event.key, event.shiftKey); };
select.onchange = () => log(select.value);
files.onchange = async () => { for (const f of files.files) log(f.name, await f.text()); };
target.ondragover = (event) => event.preventDefault();
target.ondrop = async (event) => { event.preventDefault(); for (const f of event.dataTransfer.files) log(f.name, await f.text()); };
</script>`);

await test("keys, clicks and choices are those of a person", async () => {
    const page = await open(form);
    const log = () => page.evaluate(() => document.querySelector("#log").textContent);
    await page.fill("#text", "é1");
    equal(await log(), "Backspace false;;é;é1;");
    await page.press("Shift+Tab");
    matches(await log(), /Tab true;$/);
    await page.click("#below");
    await page.choose("#select", "second");
    matches(await log(), /below true;b;$/);
    await page.close();
});

await test("files are chosen and dropped", async () => {
    const page = await open(form);
    const [one, two] = [file("one.txt", "1"), file("<img>.txt", "2")];
    await page.setFiles("#files", [one, two]);
    await page.waitFor(() => document.querySelector("#log").textContent === "one.txt 1;<img>.txt 2;");
    await page.drop("#target", [two]);
    await page.waitFor(() => document.querySelector("#log").textContent.endsWith("2;<img>.txt 2;"));
    equal(page.messages, []);
    await page.close();
});

await test("size, colours, fragment and reload", async () => {
    const page = await open(form, { width: 390, height: 700, dark: true });
    const seen = () => page.evaluate(() => [innerWidth, innerHeight, getComputedStyle(document.body).backgroundColor, location.hash]);
    equal(await seen(), [390, 700, "rgb(0, 0, 0)", ""]);
    await page.goto(`file://${form}#a`);
    await page.media({ dark: false });
    await page.reload();
    equal(await seen(), [390, 700, "rgb(255, 255, 255)", "#a"]);
    await page.screenshot(join(folder, "full.png"), { full: true });
    const png = readFileSync(join(folder, "full.png"));
    equal(png.readUInt32BE(16), 390);
    check(png.readUInt32BE(20) > 3000, "the picture shows all of the page");
    await page.pdf(join(folder, "page.pdf"));
    equal(readFileSync(join(folder, "page.pdf")).subarray(0, 5).toString(), "%PDF-");
    await page.close();
});

await test("what a page saves and copies is found", async () => {
    const page = await open(file("save.html", `<!DOCTYPE html><title>save</title><button id="save">save</button><button id="copy">copy</button><script>
save.onclick = () => { const a = document.createElement("a"); a.download = "x.svg"; a.href = URL.createObjectURL(new Blob(["<svg/>"])); a.click(); };
copy.onclick = () => navigator.clipboard.writeText("0.1 is copied").then(() => { document.title = "copied"; });
</script>`));
    const saved = await page.download(() => page.click("#save"));
    equal([saved.split("/").pop(), readFileSync(saved, "utf8")], ["x.svg", "<svg/>"]);
    await page.click("#copy");
    await page.waitFor(() => document.title === "copied");
    equal(await page.clipboard(), "0.1 is copied");
    equal(page.messages, []);
    await page.close();
});

// Each does one thing that a page must not do; the pattern is the message that tells of it.
const offences = [
    ["a console message", `console.warn("hm", 1)`, /^console.warning: hm 1/],
    ["an exception", `setTimeout(() => { throw new TypeError("bad") })`, /^exception: .*TypeError: bad/],
    ["a promise rejected", `Promise.reject(new Error("no"))`, /^exception: .*Error: no/],
    ["an inline handler against the policy", `document.body.innerHTML = "<b onclick='x()'>"`, /^security error: .*Content Security Policy/],
    ["a request", `document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/x.png" }))`, /^request: http:\/\/127.0.0.1:9\/x.png/],
    ["a request in a worker", `new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:9/y').catch(() => {})"])))`, /^request: http:\/\/127.0.0.1:9\/y/],
    ["a message of a worker", `new Worker(URL.createObjectURL(new Blob(["console.log('w')"])))`, /^console.log: w/],
    ["a dialog", `alert("seen")`, /^dialog \(alert\): seen/],
    ["a file that is not there", `document.body.append(Object.assign(new Image(), { src: "nowhere.png" }))`, /^failed request: .*nowhere.png/],
];
for (const [name, script, pattern] of offences) {
    await test(`messages tell of ${name}`, async () => {
        const page = await open(file("offence.html", `<!DOCTYPE html><title>x</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'self'"><body></body>`));
        if (!name.includes("policy")) await page.goto(file("free.html", "<!DOCTYPE html><title>x</title><body></body>"));
        equal(page.messages, []);
        await page.evaluate(`setTimeout(() => { ${script} }); undefined`);
        for (const end = Date.now() + 60000; Date.now() < end && !page.messages.some((m) => pattern.test(m));) {
            await page.evaluate(() => new Promise((next) => setTimeout(next, 20)));
        }
        check(page.messages.some((m) => pattern.test(m)), `messages: ${JSON.stringify(page.messages)}`);
        await page.close();
    });
}

await finish();
