// Fragments that no room wrote: each example of links.tsv with segments and values replaced by nonsense. Every room stays
// standing: words on the page, no exception, no message. ROUNDS and SEED in the environment try more of them, LENGTH longer ones: make check-exhaustive does.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "./browser.mjs";
import { check, equal, finish, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";

const fragments = readFileSync(new URL("links.tsv", import.meta.url), "utf8").split("\n")
    .filter((line) => line.startsWith("#") && !line.startsWith("# ")).map((line) => line.split("\t")[0]);
const nonsense = [...hostile.map(encodeURIComponent0), "nan", "-1", "0", "1e999999999", "99999999999999999999", "18446744073709551616", ",", ",,,",
    "e4m3,e4m3", "p3109", "fp32", "all", "%", "%00", "%ff", ":", "1:2:3", "constructor", "file", "1/0", "%2F", "inf,-inf,nan,-0"];

function encodeURIComponent0(text) {
    try { return encodeURIComponent(text); } catch { return "%ED%A0%80"; }
}

let state = Number(process.env.SEED) || 1;
function below(n) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * n);
}
const any = (list) => list[below(list.length)];

function mutated(fragment) {
    const [path, query = ""] = fragment.split("?"), parts = path.split("/"), keys = query.split("&").filter((one) => one !== "");
    for (let times = 1 + below(2); times > 0; times--) {
        const kind = below(keys.length > 0 ? 4 : 2);
        if (kind < 2) parts[1 + below(Math.max(parts.length - 1 + kind, 1))] = any(nonsense);
        else if (kind === 2) { const i = below(keys.length); keys[i] = `${keys[i].split("=")[0]}=${any(nonsense)}`; }
        else keys.push(any(keys), `${any(nonsense)}=1`);
    }
    return Array.from(parts, (part) => part ?? "").join("/") + (keys.length > 0 ? `?${keys.join("&")}` : "");
}

const rounds = Number(process.env.ROUNDS) || 30;
await test(`${rounds} fragments of nonsense`, async () => {
    const page = await open("");
    await page.waitFor(() => document.documentElement.dataset.ready);
    for (let i = 0; i < rounds; i++) {
        const fragment = mutated(any(fragments.filter((one) => !one.startsWith("#train"))));
        const words = await page.evaluate((to) => new Promise((keep) => {
            location.hash = to;
            setTimeout(() => requestAnimationFrame(() => keep(document.querySelector("#room").textContent.length)), 0);
        }), fragment);
        check(words > 50, `${fragment.slice(0, 300)}: ${words} characters`);
        equal(page.messages, [], fragment.slice(0, 300));
        equal(await page.evaluate(() => globalThis.hit), undefined, fragment.slice(0, 300));
    }
    await page.close();
});

const length = Number(process.env.LENGTH) || 1 << 16;
await test(`a fragment of ${length} characters, and back and forward`, async () => {
    const page = await open("");
    await page.waitFor(() => document.documentElement.dataset.ready);
    for (const room of ["number/e4m3/", "libraries/e4m3/", "block/mxfp4/", "formats/ranges/", "formats/codes/", "array/", "sum/dot/", "sum/running/", "run/", "zzz"]) {
        await page.evaluate((to) => { location.hash = to; }, room + "1,".repeat(10000) + "x".repeat(length));
        await page.evaluate(() => new Promise((keep) => setTimeout(keep, 0)));
        equal(page.messages, [], room);
    }
    for (const way of [-1, -1, -3, 2, 1, -1]) {
        await page.evaluate((n) => new Promise((keep) => { addEventListener("hashchange", () => setTimeout(keep, 0), { once: true }); history.go(n); }), way);
        check(await page.evaluate(() => document.querySelector("#room").textContent.length) > 50, "a room");
    }
    equal(page.messages, []);
    await page.close();
});

await test("losses of any size are drawn", async () => {
    const folder = mkdtempSync(join(tmpdir(), "binade-nonsense-")), page = await open("#run");
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    await page.waitFor(() => document.documentElement.dataset.ready);
    for (const [name, losses] of [["signs", [1e308, -1e308, 1e-320]], ["ends", [5e-324, 1.7976931348623157e308]], ["near", [1e300, 1.0000000000000002e300]]]) {
        const path = join(folder, `${name}.csv`);
        writeFileSync(path, `step,loss\n${losses.map((loss, i) => `${i},${loss}`).join("\n")}\n`);
        await page.setFiles("#room input[type=file]", [path]);
        await page.waitFor((file) => document.querySelectorAll("#room .chart-svg").length > 0 && document.querySelector("#room").textContent.includes(file), `${name}.csv`);
        equal(page.messages, [], name);
    }
    await page.close();
});

await finish();
