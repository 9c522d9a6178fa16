// <binade-number> in chromium, from the installed package: what it shows, attributes and properties, clicks and keys, a policy
// that forbids inline styles. node element.mjs FOLDER, where FOLDER/node_modules/binade is
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { open } from "../page/browser.mjs";
import { check, equal, finish, matches, test } from "../page/check.mjs";

const folder = process.argv[2];
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>element</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:">
<script type="module" src="/node_modules/binade/element.js"></script>
<p><binade-number id="shown" format="e4m3" value="465" overflow="saturate"></binade-number></p>
<p><binade-number id="edited" format="e4m3" value="448" editable></binade-number></p>
<p><binade-number id="wide" format="fp64" value="0.1"></binade-number></p>
<p><binade-number id="long" format="fp64" code="1"></binade-number></p>
<p><binade-number id="wrong" format="e4m4x" value="1"></binade-number></p></html>`;

const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(request.url));
    try {
        const body = path === "/" ? PAGE : await readFile(join(folder, path));
        response.writeHead(200, { "Content-Type": path === "/" ? "text/html" : "text/javascript" }).end(body);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const page = await open(`http://127.0.0.1:${server.address().port}/`, { width: 390 });
await page.waitFor(() => document.querySelector("#edited")?.result?.text === "448");

const shadowText = (id) => page.evaluate((which) => [...document.getElementById(which).shadowRoot.querySelectorAll("dd")]
    .map((cell) => cell.textContent).join("|"), id);

await test("shows format, code, value, error and flags", async () => {
    equal(await shadowText("shown"), "e4m3|0x7e|448|-17|inexact, overflow, saturated");
    const letters = (part) => page.evaluate((wanted) => [...document.querySelector("#shown").shadowRoot.querySelectorAll(".field")]
        .map((field) => [...field.querySelectorAll(wanted)].map((cell) => cell.textContent).join("")).join(" "), part);
    equal(await letters(".bit"), "0 1111 110");
    equal(await letters(".ruler"), "S EEEE MMM");
    equal(await shadowText("wide"),
        "fp64|0x3fb999999999999a|1.000000000000000055511151231257827021181583404541015625e-01|5.55112e-18|inexact");
    equal(await shadowText("long"), "fp64|0x0000000000000001|4.94065645841246544176568792868221372365…e-324");
});

await test("says what is wrong with a name", async () => {
    matches(await page.evaluate(() => document.querySelector("#wrong").shadowRoot.querySelector("[role=alert]").textContent),
        /unknown format 'e4m4x'; did you mean e4m3/);
    equal(await page.evaluate(() => document.querySelector("#wrong").result), null);
});

await test("properties and attributes are one", async () => {
    equal(await page.evaluate(() => {
        const element = document.createElement("binade-number"), found = [];
        element.format = "bf16";
        element.value = "0.1";
        document.body.append(element);
        found.push(element.getAttribute("format"), element.result.hex, String(element.code));
        element.code = 0x3f80n;
        found.push(element.getAttribute("code"), element.getAttribute("value"), element.result.text);
        element.value = 2;
        found.push(element.getAttribute("code"), element.result.text);
        element.setAttribute("format", "e5m2");
        found.push(element.result.bits);
        element.setAttribute("format", "p4");
        found.push(element.shadowRoot.textContent);
        element.remove();
        return found;
    }), ["bf16", "0x3dcd", "15821", "0x3f80", null, "1", null, "2", "0 10000 00", "p4 is a value set: it has no codes; use round()"]);
});

await test("a click changes a bit, and fires change", async () => {
    await page.evaluate(() => {
        globalThis.changes = [];
        document.addEventListener("change", (event) => globalThis.changes.push(`${event.target.id} ${event.detail.text}`));
    });
    const [x, y] = await page.evaluate(() => {
        const box = document.querySelector("#edited").shadowRoot.querySelector('[data-bit="0"]').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    });
    await page.mouse("mousePressed", x, y);
    await page.mouse("mouseReleased", x, y);
    await page.waitFor(() => globalThis.changes.length === 1);
    equal(await page.evaluate(() => globalThis.changes), ["edited nan"]);
    equal(await page.evaluate(() => document.querySelector("#edited").getAttribute("code")), "0x7f");
});

await test("keys: arrows go from bit to bit, 0 and 1 set, the focus stays", async () => {
    for (const key of ["0", "ArrowLeft", "ArrowLeft", "ArrowLeft", "0", "Home", "1"]) {
        await page.press(key);
    }
    equal(await page.evaluate(() => globalThis.changes), ["edited nan", "edited 448", "edited 224", "edited -224"]);
    equal(await page.evaluate(() => document.querySelector("#edited").shadowRoot.activeElement.dataset.bit), "7");
    equal(await page.evaluate(() => document.querySelector("#edited").shadowRoot.querySelectorAll("[tabindex='0']").length), 1);
});

await test("nothing is wider than a phone, and there is no message", async () => {
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "the page scrolls sideways");
    equal(page.messages.filter((message) => !message.startsWith("request: http://127.0.0.1:")), []);
});

// PICTURES=FOLDER: two pictures to look at.
if (process.env.PICTURES) {
    await page.screenshot(join(process.env.PICTURES, "element.png"));
    await page.media({ dark: true });
    await page.screenshot(join(process.env.PICTURES, "element-dark.png"));
}
await page.close();
server.close();
await finish();
