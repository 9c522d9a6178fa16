// The page as a whole: one small file under a strict policy, and in every room: opens from disk and its fragment, no request and
// no message, names for all controls, headings in order, contrast, width of a phone, nothing that jumps, hostile names.
import { readFileSync, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { open, PAGE } from "./browser.mjs";
import { check, equal, finish, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";
import { packed, unpacked } from "../../tools/page/js/core/packed.js";
import { rooms } from "../../tools/page/js/rooms/index.js";

const ready = (page) => page.waitFor(() => document.documentElement.dataset.ready === "true" && document.querySelector("main h1"));

await test("one file below 1 MB, with a policy that allows one script and one style", () => {
    const html = readFileSync(PAGE, "utf8"), part = (pattern) => html.match(pattern)[1];
    check(statSync(PAGE).size < 1000000, `${statSync(PAGE).size} bytes`);
    const policy = part(/http-equiv="Content-Security-Policy" content="([^"]*)"/);
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    for (const words of ["default-src 'none'", `script-src ${hash(part(/<script id="binade-script">([^]*?)<\/script>/))} 'wasm-unsafe-eval'`,
        `style-src ${hash(part(/<style>([^]*?)<\/style>/))}`, "worker-src blob:", "connect-src 'none'"]) check(policy.includes(words), words);
    equal(rooms.length, 9);
});

await test("bytes as text of the page come back, whatever their number", () => {
    for (let n = 0; n < 200; n++) {
        const bytes = Uint8Array.from({ length: n }, (_, i) => (n * 37 + i * i * 101) & 255), text = packed(bytes);
        check(!/[^!-~]|[\\<&]/.test(text) && text.length === Math.ceil((n * 8) / 13) * 2 - ((n * 8) % 13 > 0 && (n * 8) % 13 <= 6 ? 1 : 0), text);
        equal([...unpacked(text)], [...bytes], `${n} bytes`);
        equal([...unpacked(packed(bytes.fill(255)))], [...bytes], `${n} times 255`);
    }
});

// ---- in the page ----

// Text whose contrast with what is behind it is below 4.5 (3 for large text). Old answers are faded while new ones come.
function faint() {
    const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const c = rgb(getComputedStyle(at).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c;
        }
        return [255, 255, 255];
    };
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement, style = getComputedStyle(element);
        if (!node.textContent.trim() || element.closest("script, style, noscript, :disabled, option, [aria-busy=true]") || !element.checkVisibility()) continue;
        const ground = behind(element), drawn = element.closest("svg") !== null;
        let opacity = 1;
        for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
        const ink = rgb(drawn && style.fill !== "none" ? style.fill : style.color).slice(0, 3).map((v, i) => v * opacity + ground[i] * (1 - opacity));
        const [a, b] = [light(ink), light(ground)];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
        if (contrast < (size >= 24 ? 3 : 4.5)) found.add(`${element.tagName}.${element.getAttribute("class")} ${contrast.toFixed(2)} '${node.textContent.trim().slice(0, 30)}'`);
    }
    return [...found];
}

function structure() {
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]));
    const skipped = levels.some((level, i) => i > 0 && level > levels[i - 1] + 1);
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    return { ones: levels.filter((l) => l === 1).length, first: levels[0], skipped, twice: ids.filter((id, i) => ids.indexOf(id) !== i),
        tables: [...document.querySelectorAll("table")].filter((one) => !one.caption && !one.getAttribute("aria-label")).length,
        language: document.documentElement.lang, titled: document.title !== "", main: document.querySelectorAll("main").length };
}

await test("the checks below find what is wrong", async () => {
    const page = await open("#number");
    await ready(page);
    await page.evaluate(() => {
        const text = document.createElement("p");
        text.textContent = "hard to read";
        text.style.color = "#999";
        text.style.width = "2000px";
        text.id = "room";
        const faded = text.cloneNode(true);
        Object.assign(faded, { textContent: "faded away", id: "faded" });
        Object.assign(faded.style, { color: "black", opacity: ".4" });
        document.querySelector("main").append(faded, document.createElement("table"));
        document.querySelector("main").append(text, document.createElement("button"), document.createElement("h4"));
    });
    check((await page.evaluate(faint)).some((words) => words.includes("hard to read")), "contrast");
    check((await page.evaluate(faint)).some((words) => words.includes("faded away")), "contrast of faded text");
    equal((await page.evaluate(structure)).tables, 1);
    const { skipped, twice } = await page.evaluate(structure);
    equal(twice, ["room"]);
    check(skipped, "a level of headings is left out");
    check((await page.accessibility()).some((node) => node.role?.value === "button" && !node.name?.value?.trim()), "a button without a name");
    await page.close();
});

const CONTROLS = ["button", "textbox", "searchbox", "combobox", "slider", "checkbox", "radio", "spinbutton", "switch", "link", "listbox"];

for (const { id } of rooms) {
    let page = null; // of both tests
    const begin = async () => {
        page ??= await open(`#${id}`, { offline: true, scripts: () => {
            globalThis.jumps = 0;
            new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput && document.documentElement.dataset.ready) globalThis.jumps += e.value; })
                .observe({ type: "layout-shift", buffered: true });
        } });
        await ready(page);
    };

    await test(`${id}: opens, is quiet, named, in order and legible`, async () => {
        await begin();
        equal(await page.evaluate(() => document.querySelector("#menu a[aria-current]").dataset.room), id);
        equal(await page.evaluate(structure), { ones: 1, first: 1, skipped: false, twice: [], tables: 0, language: "en", titled: true, main: 1 });
        const unnamed = (await page.accessibility()).filter((node) => CONTROLS.includes(node.role?.value) && !node.name?.value?.trim());
        equal(unnamed.map((node) => `${node.role.value} ${JSON.stringify(node.properties?.slice(0, 2))}`), [], "controls without a name");
        equal(await page.evaluate(faint), [], "contrast in light");
        await page.media({ dark: true });
        equal(await page.evaluate(faint), [], "contrast in dark");
        await page.media({});
        await page.press("Tab");
        equal(await page.evaluate(() => document.activeElement.className), "skip", "the first Tab reaches the link to the content");
        const reached = [];
        for (let i = 0; i < 12; i++) {
            await page.press("Tab");
            reached.push(await page.evaluate(() => document.activeElement?.dataset?.room ?? (document.activeElement?.closest("main") ? "main" : "")));
        }
        check(reached.includes(rooms[0].id), "Tab reaches the menu");
        check(id === "run" || reached.includes("main") || rooms.every((r) => reached.includes(r.id)), `Tab reaches the room: ${reached}`);
        check(await page.evaluate(() => globalThis.jumps) < 0.1, `layout shift ${await page.evaluate(() => globalThis.jumps)}`);
        for (const width of [390]) {
            await page.resize(width, 800);
            const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
            check(wide[0] <= wide[1], `at ${width} the page is ${wide[0]} wide`);
        }
        equal(page.messages, []);
    });

    await test(`${id}: hostile names in the address stay text`, async () => {
        await begin();
        for (const name of hostile.filter((text) => text !== "" && text.length < 1000 && text.isWellFormed?.() !== false && !text.startsWith("half"))) {
            const part = encodeURIComponent(name);
            for (const fragment of [`#${id}/${part}`, `#${id}/${part}/${part}?round=${part}&dialect=${part}&show=${part}&${part}=${part}`]) {
                await page.evaluate((text) => { location.hash = text; }, fragment);
            }
        }
        await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
        const { hit, made } = await page.evaluate(() => ({ hit: globalThis.hit ?? 0, made: [...document.querySelectorAll("main img, main script, main iframe, main style, [onerror], [onload], [onmouseover]")]
            .filter((e) => !(e instanceof HTMLImageElement && e.src.startsWith("blob:"))).map((e) => e.outerHTML.slice(0, 100)) }));
        equal([hit, made], [0, []]);
        equal(page.messages, []);
        await page.close();
    });
}

await test("the other views are named and legible, too", async () => {
    const page = await open("#number");
    await ready(page);
    for (const view of ["formats/line", "formats/precision", "formats/codes", "formats/design", "formats/facts", "sum/dot"]) {
        await page.enter(`#${view}`);
        await page.waitFor((hash) => location.hash.startsWith(hash) && document.querySelector("#room .content").textContent.length > 200, `#${view}`);
        await page.waitFor(() => !document.querySelector("[aria-busy=true]"));
        for (const dark of [false, true]) {
            await page.media({ dark });
            equal([view, dark, ...await page.evaluate(faint)], [view, dark]);
        }
        equal([view, (await page.evaluate(structure)).tables], [view, 0]);
    }
    await page.close();
});

// 718 pixels: A4 with a margin of 10 mm.
await test("paper cuts no command and no table", async () => {
    const page = await open("#number", { width: 718, height: 1000 });
    await ready(page);
    await page.media({ print: true });
    for (const room of ["block", "sum", "sum/dot", "array/normal?n=1000", "formats/ranges?values=1e-8,0.1,448,70000", "libraries"]) {
        await page.enter(`#${room}`);
        await page.waitFor(() => document.querySelector("#room table tbody tr") && !document.querySelector("[aria-busy=true]"));
        equal([room, ...await page.evaluate(() => [...document.querySelectorAll("#command code, #room .scroll, html")]
            .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => `${one.tagName} ${one.ariaLabel} ${one.scrollWidth} of ${one.clientWidth}`))], [room]);
    }
    await page.close();
});

await test("no room is wider than 360 pixels", async () => {
    const page = await open("#number", { width: 360, height: 800 });
    await page.waitFor(() => document.documentElement.dataset.ready);
    for (const room of ["number", "libraries", "block", "formats", "array", "sum", "sum/dot", "checkpoint", "train", "run"]) {
        await page.enter(`#${room}`);
        await page.waitFor((id) => document.querySelector("#menu [aria-current]").hash === `#${id}` && document.querySelector("#room .content").children.length > 0,
            room.split("/")[0]);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= 360), room);
    }
    await page.close();
});

await finish();
