#!/usr/bin/env node
// make-page-pictures.mjs: writes the pictures of the page that the README shows, doc/img/page-*.png.
// The command and the page are those of build/, or of BND_BUILD. Needs node and chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const { open, closeBrowser } = await import(new URL("../../tests/page/browser.mjs", import.meta.url));
const binade = join(process.env.BND_BUILD ?? join(top, "build"), "binade");

async function picture(name, address, { width, height, ready }) {
    const page = await open(address, { width, height, offline: true });
    await page.waitFor(ready);
    await page.screenshot(join(top, "doc/img", `page-${name}.png`));
    await page.close();
}

await picture("number", "#number/e4m3,bf16/0.3", { width: 1000, height: 760,
    ready: () => document.querySelectorAll(".format .bitrow").length === 2 });

const folder = mkdtempSync(join(tmpdir(), "binade-pictures-"));
try {
    const runs = join(folder, "runs"), report = join(folder, "report.html");
    execFileSync(binade, ["train", "--model", "mlp", "--recipe", "fp32,bf16-amp,bf16-pure,fp16-pure", "--seeds", "3", "--steps", "150",
        "--plot", "none", "--out", runs, "--report", report], { stdio: ["ignore", "ignore", "inherit"] });
    await picture("report", report, { width: 1000, height: 1060, ready: () => document.querySelectorAll("#room svg").length > 1 });
} finally {
    rmSync(folder, { recursive: true, force: true });
}
await closeBrowser();
