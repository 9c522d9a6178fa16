// The room Run and the view of a report: runs dropped in, toggles, printing, hostile names, phones.
import { File } from "node:buffer"; // node 18 has no global one
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endOf } from "../../tools/page/js/report/curves.js";
import { read } from "../../tools/page/js/report/files.js";
import { withReport } from "../../tools/page/js/report/save.js";
import { open, PAGE } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";
import { run } from "./native.mjs";

const folder = mkdtempSync(join(tmpdir(), "run-"));
const made = run(["train", "--model", "mlp", "--width", "16", "--inputs", "16", "--batch", "16", "--lr", "0.01", "--steps", "40", "--seeds", "3",
    "--recipe", "fp32,bf16-pure,fp16-pure,fp16-amp", "--plot", "none", "--out", "runs"], { cwd: folder });
if (made.status !== 0) throw new Error(made.errors);
const native = JSON.parse(run(["report", "--json", "runs"], { cwd: folder }).output);

// A page with this report inside, as `binade report -o` writes it.
function saved(name, report) {
    const file = join(folder, name);
    writeFileSync(file, withReport(readFileSync(PAGE, "utf8"), report));
    return file;
}
const opened = async (url, options) => {
    const page = await open(url, options);
    await page.waitFor(() => document.documentElement.dataset.ready === "true");
    return page;
};
const shown = (page) => page.waitFor(() => document.querySelector(".report-conclusion") || document.querySelector("p.failure:not([hidden])"));
const conclusion = (page) => page.evaluate(() => document.querySelector(".report-conclusion")?.textContent);
const sections = (page) => page.evaluate(() => [...document.querySelectorAll(".report section h2")].map((h) => h.textContent));

await test("a folder of runs gives the report that the command makes of it", async () => {
    const page = await opened("#run");
    await page.waitFor(() => document.querySelector("#run-folder"));
    await page.setFiles("#run-folder", [join(folder, "runs")]);
    await shown(page);
    equal(await conclusion(page), native.conclusion);
    equal(await page.evaluate(() => [...document.querySelectorAll(".report-table tbody")][0].rows.length), native.recipes.length);
    equal(await sections(page), ["Loss", "Gap to the reference", "Memory", "Exponents by role", "Over time", "How it was made"]);
    equal(page.messages, []);
    await page.close();
});

await test("a dropped folder, a dropped metrics.jsonl, and a CSV log of another program", async () => {
    const page = await opened("#run");
    await page.drop("#run-drop", [join(folder, "runs")]);
    await shown(page);
    equal(await conclusion(page), native.conclusion);
    const log = join(folder, "metrics.jsonl");
    copyFileSync(join(folder, "runs/fp32-0/metrics.jsonl"), log);
    await page.drop("#run-drop", [log]);
    await page.waitFor(() => document.querySelectorAll(".report-table tbody")[0].rows.length === 1);
    const csv = join(folder, "other.csv"), second = join(folder, "base.csv");
    writeFileSync(csv, "step,loss\n" + Array.from({ length: 50 }, (_, i) => `${i},${3 / (i + 1)}`).join("\n") + "\n");
    writeFileSync(second, "step,loss\n" + Array.from({ length: 50 }, (_, i) => `${i},${2 / (i + 1)}`).join("\n") + "\n");
    await page.setFiles("#run-files", [second, csv]);
    await page.waitFor(() => document.querySelectorAll(".report-table tbody")[0].rows.length === 2);
    matches(await page.evaluate(() => document.querySelector(".report-table").textContent), /base.*other/s);
    equal(page.messages, []);
    await page.close();
});

await test("files without a run are refused in words", async () => {
    const page = await opened("#run");
    const broken = join(folder, "broken"), none = join(folder, "picture.png");
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, "metrics.jsonl"), "{\"step\": 0, \"loss\": }\n");
    writeFileSync(none, "no run");
    for (const [selector, path, words] of [["#run-files", join(broken, "metrics.jsonl"), /metrics\.jsonl.*line 1/s], ["#run-files", none, /No run found/]]) {
        await page.evaluate(() => { const p = document.querySelector("p.failure"); if (p) p.textContent = ""; });
        await page.setFiles(selector, [path]);
        await page.waitFor(() => document.querySelector("p.failure:not([hidden])")?.textContent);
        matches(await page.evaluate(() => document.querySelector("p.failure").textContent), words);
    }
    equal(page.messages, []);
    await page.close();
});

await test("files that hold no report of runs are refused by name, or with the room that reads them", async () => {
    const page = await opened("#run");
    for (const [name, text, words] of [["broken.json", "{\"report\": ", "broken.json holds no report of binade"], ["list.json", "[1]", "list.json holds no report of binade"],
        ["broken.html", "<script type=\"application/json\" id=\"binade-report\">{</script>", "broken.html holds no report of binade"], ["none.html", "<p>", "none.html holds no report of binade"],
        ["checkpoint.json", "{\"report\": 1, \"kind\": \"checkpoint\"}", "This is a report of a checkpoint; open it in the room Checkpoint."],
        ["bare.json", "{\"report\": 1}", "this is not a report that this page reads: expected the JSON of binade report, version 1"]]) {
        const file = join(folder, name);
        writeFileSync(file, text);
        await page.setFiles("#run-files", [file]);
        await page.waitFor((said) => document.querySelector("p.failure:not([hidden])")?.textContent === said, words);
        equal(await page.evaluate(() => document.querySelector(".report")), null, name);
    }
    const good = join(folder, "good.json");
    writeFileSync(good, JSON.stringify({ ...native, conclusion: "</script> is text." }));
    await page.setFiles("#run-files", [good]);
    await page.waitFor(() => document.querySelector(".report-conclusion")?.textContent === "</script> is text.");
    const levels = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => Number(one.tagName[1])));
    equal([levels.slice(0, 2), levels.every((level, i) => i === 0 || level <= levels[i - 1] + 1)], [[1, 2], true], `levels ${levels}`);
    equal(page.messages, []);
    await page.close();
});

await test("a page inside a folder of runs is left, and one by itself is a report", async () => {
    const file = (path, text) => ({ path, file: new File([text], path.split("/").pop()) });
    const { names, left, files } = await read([file("runs/a/config.json", "{}"), file("runs/loss.html", "<p>"), file("runs/a/metrics.jsonl", "")]);
    equal([names, left, Object.keys(files)], [["runs"], 1, ["runs/a/config.json", "runs/a/metrics.jsonl"]]);
    equal((await read([file("report.html", withReport(readFileSync(PAGE, "utf8"), native))])).report.conclusion, native.conclusion);
});

await test("of a recipe of which some runs failed, those lines end with a cross, and its point is drawn", async () => {
    equal([endOf([0, 1, 2], [3, null, null]), endOf([0, 1, 2], [3, null, 2]), endOf([4], [null]), endOf([], [])], ["NaN at step 1", undefined, "NaN at step 4", undefined]);
    const report = structuredClone(native), row = report.recipes.find((r) => r.recipe === "bf16-pure");
    Object.assign(row, { verdict: "failed", failed: 1, nan_from: 12 });
    const { loss } = row.runs[1].curves, at = loss.step.findIndex((step) => step >= 12);
    Object.assign(loss, { step: loss.step.slice(0, at + 1), value: [...loss.value.slice(0, at), null] });
    for (const one of report.recipes) {
        one.runs.forEach((r, i) => { r.curves.validation_fp32 = { step: [39], value: [2] }; r.curves.lr = { step: [0, 39], value: [0.5, i === 0 ? 0.5 : null] }; });
    }
    const page = await opened(saved("some.html", report));
    await shown(page);
    const ends = () => page.evaluate(() => [...document.querySelectorAll(".chart-svg text")].map((t) => t.textContent).filter((text) => /bf16-pure: /.test(text)));
    await page.waitFor(() => [...document.querySelectorAll("figure.chart")].some((f) => /Memory against gap/.test(f.textContent) && f.querySelectorAll(".chart-marker, .chart-open").length > 1));
    equal(await ends(), [], "its means go on");
    matches(await page.evaluate(() => [...document.querySelectorAll(".chart-note")].map((p) => p.textContent).find((text) => /Not drawn/.test(text))), /no gap: fp16-pure\.$/);
    await page.choose(".report-choice select", "runs");
    await page.waitFor((step) => [...document.querySelectorAll(".chart-svg text")].some((t) => t.textContent === `bf16-pure: NaN at step ${step}`), loss.step[at]);
    const same = await page.evaluate(() => [...document.querySelectorAll("ul.note li")].map((li) => li.textContent));
    check(!same.some((text) => /^(Validation loss|Learning rate)/.test(text)), `a step, or a null, is not all: ${same}`);
    equal(page.messages, []);
    await page.close();
});

await test("a report opens offline, and its first screen says which recipe to use and why one failed", async () => {
    const page = await opened(saved("report.html", native), { width: 1280, height: 800, offline: true });
    await shown(page);
    const first = await page.evaluate(() => [...document.querySelectorAll(".report-conclusion, .report-answer li, .report-table tbody tr")]
        .filter((one) => { const box = one.getBoundingClientRect(); return box.top >= 0 && box.bottom <= 800; }).map((one) => one.textContent));
    check(first.includes(native.conclusion), "the conclusion is on the first screen");
    check(first.some((text) => /fp16-pure/.test(text) && /NaN/.test(text)), "the failure is on the first screen");
    equal(first.filter((text) => /^ ?(fp32|bf16-pure|fp16-pure|fp16-amp)/.test(text)).length >= native.recipes.length, true, "the verdicts are on the first screen");
    equal(await page.evaluate(() => document.title), "Run - binade");
    equal(page.messages, []);
    await page.close();
});

await test("the toggle of a recipe holds for every chart", async () => {
    const page = await opened(saved("report.html", native));
    await shown(page);
    const amp = native.recipes.findIndex((r) => r.recipe === "fp16-amp");
    const names = () => page.evaluate(() => [...document.querySelectorAll("figure.chart")].filter((f) => !/exponents/.test(f.textContent)).map((f) => [...f.querySelectorAll(".chart-svg text")].some((one) => one.textContent.includes("fp16-amp"))));
    await page.waitFor(() => [...document.querySelectorAll("figure.chart .chart-svg")].filter((f) => [...f.querySelectorAll("text")].some((one) => one.textContent.includes("fp16-amp"))).length >= 4);
    await page.click(`.report-boxes label:nth-child(${amp + 1}) input`);
    await page.waitFor(() => ![...document.querySelectorAll("figure.chart")].filter((f) => !/exponents/.test(f.textContent)).some((f) => [...f.querySelectorAll(".chart-svg text")].some((one) => one.textContent.includes("fp16-amp"))));
    check(!(await names()).includes(true), "hidden everywhere");
    await page.click(".report-quick button");
    await page.waitFor(() => [...document.querySelectorAll("figure.chart .chart-svg")].filter((f) => [...f.querySelectorAll("text")].some((one) => one.textContent.includes("fp16-amp"))).length >= 4);
    equal(page.messages, []);
    await page.close();
});

await test("the slider of the histograms goes through the steps, and the range of the format is shaded", async () => {
    const page = await opened(saved("report.html", native));
    await shown(page);
    await page.choose(".report-controls select", "bf16-pure");
    const row = native.recipes.find((r) => r.recipe === "bf16-pure"), last = row.histograms[row.histograms.length - 1];
    await page.evaluate(() => document.querySelector(".report-slider input").focus());
    await page.press("End");
    await page.waitFor((step) => document.querySelector(".report-slider output").textContent === String(step), last.step);
    await page.waitFor(() => [...document.querySelectorAll("figure.chart")].some((f) => /grad, exponents/.test(f.textContent) && f.querySelector(".chart-region") && f.querySelectorAll("rect.chart-fill").length > 3));
    equal(page.messages, []);
    await page.close();
});

await test("a sweep has a heat map and loss over the rate", async () => {
    equal(run(["sweep", "--model", "logistic", "--steps", "12", "--seeds", "2", "--recipe", "fp32,fp16-pure", "--lr", "0.01,0.1,1", "--out", "sweep"], { cwd: folder }).status, 0);
    const report = JSON.parse(run(["report", "--json", "sweep"], { cwd: folder }).output);
    const page = await opened(saved("sweep.html", report));
    await shown(page);
    check((await sections(page)).includes("Learning rates"), "section");
    matches(await page.evaluate(() => document.querySelector(".report-conclusion strong").textContent), /fp16-pure/, "the answer stands out");
    await page.waitFor(() => [...document.querySelectorAll("figure.chart")].some((f) => /Loss by recipe and learning rate/.test(f.textContent) && f.querySelectorAll(".chart-svg rect").length >= 6));
    matches(await page.evaluate(() => document.querySelector("#room").textContent), /Loss over the learning rate/);
    equal(page.messages, []);
    await page.close();
});

await test("names of every kind run no script and break no part of the view", async () => {
    const report = structuredClone(native);
    const evil = (i) => hostile[i % hostile.length];
    const [base, ...others] = report.recipes;
    report.recipes = [base, ...hostile.map((name, i) => ({ ...structuredClone(others[i % others.length]), recipe: name, settings: name, failure: name,
        runs: structuredClone(others[i % others.length].runs).map((one) => ({ ...one, source: name })),
        autopsy: { words: name, parts: [{ part: name, recovered: 1, lost: 0 }], findings: [{ mechanism: name, role: name, place: name, share: 0.5, step: 1 }] } }))];
    report.table.rows = report.recipes.map((row, i) => report.table.columns.map((_, c) => (c === 0 ? row.recipe : evil(i + c))));
    report.table.columns = report.table.columns.map((c, i) => (i === 0 ? c : { ...c, heading: evil(i), group: i < 6 ? c.group : evil(i) }));
    report.conclusion = hostile.join(" ").slice(0, 3000);
    report.notes = hostile;
    report.legend = hostile.map((name) => [name, name]);
    report.commands = hostile.map((name) => ({ what: name, line: name }));
    report.setup.text = evil(0);
    report.setup.training = Object.fromEntries(hostile.map((name, i) => [`${name}${i}`, name]));
    report.formats = { ...report.formats, [evil(1)]: report.formats.fp16 };
    for (const row of report.recipes) {
        for (const at of row.histograms) at.roles.forEach((role, i) => { role.role = evil(i); role.format = evil(i + 1); });
        row.memory?.parts.forEach((part, i) => { part.role = evil(i); part.label = evil(i); });
    }
    const page = await opened(saved("evil.html", report));
    await shown(page);
    await page.waitFor(() => document.querySelectorAll("figure.chart .chart-svg path").length > 20);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    equal(await page.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("#room img, #room script, #room iframe, #room a[href^='javascript']").length]), [0, 0]);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 1280), "a long name widens the page");
    equal(page.messages, []);
    await page.close();
});

await test("hostile names of files and folders are text, too", async () => {
    const page = await opened("#run");
    const names = ["<img src=x onerror=globalThis.hit=1>.csv", "--json.csv", "'\"><svg onload=globalThis.hit=1>.csv", "\u202eevil.csv", `${"x".repeat(200)}.csv`];
    for (const name of names) {
        const path = join(folder, name);
        writeFileSync(path, "step,loss\n0,3\n1,2\n2,1\n");
        await page.setFiles("#run-files", [path]);
        await page.waitFor((part) => [...document.querySelectorAll(".report-table tbody th")].some((cell) => cell.title.includes(part)) || document.querySelector("p.failure:not([hidden])"), name.slice(0, 5).replace(/^\u202e/, "\u202e"));
        equal(await page.evaluate(() => document.querySelector("p.failure:not([hidden])")?.textContent ?? ""), "", name);
    }
    equal([await page.evaluate(() => globalThis.hit ?? 0), page.messages], [0, []]);
    await page.close();
});

await test("on paper every section is open and the buttons are gone", async () => {
    const page = await opened(saved("report.html", native));
    await shown(page);
    const pdf = join(folder, "report.pdf");
    await page.evaluate(() => {
        globalThis.open = null;
        addEventListener("beforeprint", () => { globalThis.seen = [...document.querySelectorAll(".report details")].map((one) => one.open); });
    });
    await page.pdf(pdf);
    const seen = await page.evaluate(() => globalThis.seen);
    check(seen.length >= 3 && seen.every(Boolean), `open on paper: ${seen}`);
    check(await page.evaluate(() => [...document.querySelectorAll(".report details")].some((one) => !one.open)), "closed again afterwards");
    const bytes = readFileSync(pdf);
    check(bytes.subarray(0, 5).toString() === "%PDF-" && bytes.length > 30000, `${bytes.length} bytes of PDF`);
    await page.media({ print: true });
    equal(await page.evaluate(() => [".chart-tools", ".report-bar", ".report-actions"].map((name) => { const one = document.querySelector(name); return one === null || one.getBoundingClientRect().height === 0; })), [true, true, true]);
    equal(page.messages, []);
    await page.close();
});

await test("a report fits a phone, light and dark", async () => {
    for (const dark of [false, true]) {
        const page = await opened(saved("report.html", native), { width: 390, height: 800, dark });
        await shown(page);
        await page.waitFor(() => document.querySelectorAll("figure.chart .chart-svg path").length > 20);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "wider than the window");
        equal(page.messages, []);
        await page.close();
    }
});

await finish();
