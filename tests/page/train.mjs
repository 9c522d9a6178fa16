// The room Train: its runs are those of the command, bit for bit; curves are live; it stops, explains and saves.
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { run } from "./native.mjs";

const folder = mkdtempSync(join(tmpdir(), "train-"));
const ready = (page) => page.waitFor(() => document.documentElement.dataset.ready === "true" && document.querySelector("#train-start"));
const opened = async (fragment, options) => {
    const page = await open(fragment, options);
    await ready(page);
    return page;
};
const command = (page) => page.evaluate(() => document.querySelector("#command code").textContent);

// Lines of metrics.jsonl without the time.
const lines = (text) => text.trim().split("\n").map((line) => line.replace(/"time\/step": [^,]*, /, ""));

await test("the runs are those of the command: losses, statistics and checkpoints to the bit", async () => {
    const page = await opened("#train/mlp/fp32,fp16-pure,bf16-sr,mxfp8,fp8-delayed?lr=0.01&steps=12&seeds=2&batch=16&inputs=16&width=16");
    const line = await command(page);
    await page.click("#train-start");
    await page.waitFor(() => document.querySelector(".report-conclusion") || document.querySelector(".failure"));
    const archive = await page.download(() => page.click("#save-runs"));
    const conclusion = await page.evaluate(() => document.querySelector(".report-conclusion").textContent);
    const losses = await page.evaluate(() => [...document.querySelectorAll(".report-table")][0].innerText);
    execFileSync("tar", ["-xf", archive], { cwd: folder });
    equal(run(line.split(" ").slice(1).concat("--plot", "none"), { cwd: mkdtempSync(join(folder, "native-")) }).status, 0, line);
    const native = join(folder, readdirSync(folder).find((name) => name.startsWith("native-")), "runs"), own = join(folder, "runs");
    const names = readdirSync(native).sort();
    equal(readdirSync(own).sort(), names);
    equal(names.length, 10);
    for (const name of names) {
        for (const file of ["config.json", "checkpoint.safetensors"]) {
            check(readFileSync(join(own, name, file)).equals(readFileSync(join(native, name, file))), `${name}/${file} differs`);
        }
        equal(lines(readFileSync(join(own, name, "metrics.jsonl"), "utf8")), lines(readFileSync(join(native, name, "metrics.jsonl"), "utf8")), name);
    }
    const report = JSON.parse(run(["report", "--json", native]).output);
    equal(conclusion, report.conclusion);
    for (const [recipe, , loss] of report.table.rows) {
        check(losses.includes(recipe) && losses.includes(loss), `${recipe} ${loss} in ${losses}`);
    }
    equal(page.messages, []);
    await page.close();
});

await test("curves draw themselves while the training runs, and Stop gives a report of what was made", async () => {
    const page = await opened("#train/mlp/fp32,bf16-pure?lr=0.01&steps=100000&batch=16&inputs=16&width=16");
    await page.click("#train-start");
    const length = () => page.evaluate(() => document.querySelector(".chart-svg path.chart-line")?.getAttribute("d")?.length ?? 0);
    await page.waitFor(() => (document.querySelector(".chart-svg path.chart-line")?.getAttribute("d") ?? "").length > 100);
    const before = await length();
    await page.waitFor((was) => document.querySelector(".chart-svg path.chart-line").getAttribute("d").length > was, before);
    matches(await page.evaluate(() => document.querySelector("#room").innerText), /step [0-9]+ of 200000, fp32/);
    check(await page.evaluate(() => document.querySelector("progress").value > 0 && document.querySelector("#train-start").disabled), "progress");
    await page.click("#train-stop");
    await page.waitFor(() => document.querySelector(".report") && /^Stopped at step/.test(document.querySelector("[role=status].note").textContent));
    check(await page.evaluate(() => !document.querySelector("#train-start").disabled && document.querySelector("#train-stop").disabled), "buttons");
    equal(page.messages, []);
    await page.close();
});

await test("a training ends with the room, and nothing of it appears in the next one", async () => {
    const page = await opened("#train/mlp/fp32?lr=0.01&steps=100000&batch=16&inputs=16&width=16");
    await page.click("#train-start");
    await page.waitFor(() => document.querySelector("progress").value > 0);
    await page.evaluate(() => { location.hash = "#number/fp16/1"; });
    await page.waitFor(() => document.querySelector("#train-start") === null);
    await new Promise((later) => setTimeout(later, 1500));
    check(await page.evaluate(() => !/Training has ended|Stopped at step/.test(document.body.innerText + document.querySelector("[aria-live]")?.textContent)), "silent");
    equal(page.messages, []);
    await page.close();
});

await test("the saved report is a page that opens with the same conclusion, table and charts", async () => {
    const page = await opened("#train/logistic/fp32,fp16-pure?steps=20&batch=16");
    await page.click("#train-start");
    await page.waitFor(() => document.querySelector(".report-conclusion"));
    const text = await page.evaluate(() => document.querySelector(".report-conclusion").textContent);
    const file = await page.download(() => page.click("#save-report"));
    check(readFileSync(file).length < 3e6, "size");
    const saved = await open(file, { offline: true });
    await saved.waitFor(() => document.querySelector(".report-conclusion"));
    equal(await saved.evaluate(() => document.querySelector(".report-conclusion").textContent), text);
    await saved.waitFor(() => document.querySelectorAll(".chart-svg path.chart-line").length > 1);
    equal([page.messages, saved.messages], [[], []]);
    await saved.close();
    await page.close();
});

await test("the state is in the fragment, and the command follows it", async () => {
    const page = await opened("#train/linear/fp32,bf16-pure?optimizer=sgd&lr=0.05&steps=7");
    equal(await command(page), "binade train --model linear --optimizer sgd --recipe fp32,bf16-pure --lr 0.05 --steps 7 --out runs");
    await page.fill("#train-seeds", "2");
    await page.click(".train-recipes input[value=bf16-sr]");
    await page.waitFor(() => location.hash === "#train/linear/fp32,bf16-pure,bf16-sr?optimizer=sgd&lr=0.05&steps=7&seeds=2");
    equal(await command(page), "binade train --model linear --optimizer sgd --recipe fp32,bf16-pure,bf16-sr --lr 0.05 --steps 7 --seeds 2 --out runs");
    await page.goto("#train");
    await page.waitFor(() => document.querySelector("#command code").textContent.includes("--model mlp"));
    equal(page.messages, []);
    await page.close();
});

await test("an empty segment is the command's default, and the form shows it", async () => {
    for (const fragment of ["#train/", "#train//fp32,bf16-amp,fp16-pure", "#train?lr=0.1"]) {
        const page = await opened(fragment);
        equal(await page.evaluate(() => [document.querySelector(".train select").value, [...document.querySelectorAll(".train-recipes :checked")].map((one) => one.value).sort()]),
            ["transformer", ["bf16-amp", "fp16-pure", "fp32"]], fragment);
        matches(await command(page), /^binade train --model transformer --recipe fp32,bf16-amp,fp16-pure /);
        await page.close();
    }
});

await test("what the command refuses is said in its own words", async () => {
    for (const [fragment, words] of [["#train/mlp/fp32,bf17?steps=3", /unknown recipe 'bf17'/], ["#train/nothing/fp32?steps=3", /unknown model 'nothing'/], ["#train/mlp/fp32?steps=-3", /--steps/],
        ["#train/mlp/fp32?seeds=100000&steps=1&inputs=4&width=4&batch=1", /out of memory/], ["#train/mlp/fp32?seeds=1000000&steps=5", /--seeds must be at most/],
        ["#train/mlp/%3Cimg%20src%3Dx%20onerror%3D%22globalThis.hit%3D1%22%3E?lr=%3C/script%3E", /./]]) {
        const page = await opened(fragment);
        await page.click("#train-start");
        await page.waitFor(() => document.querySelector("p.failure:not([hidden])"));
        matches(await page.evaluate(() => document.querySelector("p.failure").textContent), words, fragment);
        equal([await page.evaluate(() => globalThis.hit ?? 0), page.messages], [0, []]);
        await page.close();
    }
});

await test("an autopsy names the cause on the first screen", async () => {
    const page = await opened("#train/mlp/fp32,fp16-pure?lr=0.01&steps=20&batch=16&inputs=16&width=16&autopsy=1", { width: 1280, height: 800 });
    await page.click("#train-start");
    await page.waitFor(() => document.querySelector(".report-conclusion"));
    matches(await page.evaluate(() => document.querySelector(".report-answer ul").textContent), /second moments/);
    matches(await page.evaluate(() => document.querySelector(".report-autopsy").textContent), /recovers/);
    equal(page.messages, []);
    await page.close();
});

await test("the room fits a phone", async () => {
    const page = await opened("#train", { width: 390, height: 800 });
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "wider than the window");
    equal(page.messages, []);
    await page.close();
});

await finish();
