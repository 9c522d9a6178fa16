#!/usr/bin/env node
// screenshots.mjs FOLDER [ROOM...]: every room of the page at 1280 and 390 pixels, light and dark, as PNG files to look at.
// The page is that of build/, or of BND_BUILD. Needs node and chromium.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const tests = new URL("../../tests/page/", import.meta.url);
const { open, closeBrowser } = await import(new URL("browser.mjs", tests));
const { rooms } = await import(new URL("../../tools/page/js/rooms/index.js", tests));
const [folder, ...wanted] = process.argv.slice(2);
if (!folder) {
    console.error("usage: tools/dev/screenshots.mjs FOLDER [ROOM...]");
    process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const { id } of rooms.filter((room) => wanted.length === 0 || wanted.includes(room.id))) {
    for (const width of [1280, 390]) {
        const page = await open(`#${id}`, { width, height: 900, offline: true });
        await page.waitFor(() => document.documentElement.dataset.ready === "true" && document.querySelector("main h1"));
        for (const dark of [false, true]) {
            await page.media({ dark });
            await page.screenshot(join(folder, `${id}-${width}-${dark ? "dark" : "light"}.png`), { full: true });
        }
        for (const message of page.messages) console.log(`${id}: ${message}`);
        await page.close();
    }
    console.log(`${id}: 4 pictures`);
}
await closeBrowser();
