// The room "Same number, eight libraries": groups, sources, title, links; and every row is what the native command prints.
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { run } from "./native.mjs";
import { format } from "../../tools/page/js/link.js";

function native(words) {
    const { status, output, errors } = run([words[0], "--json", ...words.slice(1)]);
    check(status === 0, errors);
    return output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const words = (page) => page.evaluate(() => {
    const { room, state } = globalThis.binade.state();
    return room.command(state);
});

// What the room shows: a finding per table, and per group the answer with its rows.
const shown = (page) => page.evaluate(() => [...document.querySelectorAll(".answer")].map((one) => ({
    finding: one.querySelector(".finding").textContent,
    groups: [...one.querySelectorAll("tbody")].map((body) => ({
        value: body.querySelector(".group b").textContent, code: body.querySelector(".group code").textContent,
        differs: body.querySelector(".group").textContent.includes("≠"),
        rows: [...body.querySelectorAll("tr:not(.group)")].map((tr) => [tr.children[0].textContent,
            [tr.children[2].firstChild.textContent, tr.querySelector("a")?.href].filter(Boolean).join(" ")]) })) })));

const expected = (answers) => answers.flatMap((one) => one.findings.map(({ format: name, finding }) => {
    const rows = one.answers.filter((row) => row.format === name && row.dialect !== "binade");
    const groups = [...new Set(rows.map((row) => row.group))].sort((a, b) => a - b);
    return { finding, groups: groups.map((n) => rows.filter((row) => row.group === n)).map((of, i) => ({
        value: of[0].value, code: of[0].code, differs: i > 0, rows: of.map((row) => [row.dialect, row.source]) })) };
}));

const page = await open("#libraries");
await page.waitFor(() => document.querySelector(".answer"));

await test("465 in e4m3: the finding is the title", async () => {
    equal(await page.evaluate(() => document.title), "465 in e4m3: 5 of 10 rules give 448, 5 give nan - binade");
    equal(await page.evaluate(() => document.querySelectorAll(".answers tbody").length), 2);
});

await test("every rule has a source, and addresses are https", async () => {
    const cells = await page.evaluate(() => [...document.querySelectorAll("td.source")].map((td) => [td.textContent, td.querySelector("a")?.protocol ?? "https:"]));
    equal(cells.length, 10);
    check(cells.every(([text, protocol]) => text.trim() !== "" && protocol === "https:"), JSON.stringify(cells));
});

await test("PyTorch's two versions stand in different groups", async () => {
    const groups = (await shown(page))[0].groups.map((one) => one.rows.map(([dialect]) => dialect));
    equal(groups.map((names) => names.filter((name) => name.startsWith("torch"))), [["torch"], ["torch-2.11"]]);
});

for (const fragment of ["#libraries/e4m3/465", "#libraries/e4m3,e5m2,e8m0/1e9,nan,-0", "#libraries/e2m1/-nan", "#libraries/binary8p3se/inf",
    "#libraries/bf16,fp16/nan", "#libraries/e8m0/3,0", "#libraries/e4m3fnuz/-0", "#libraries/e5m2/1e-30?exact=1"]) {
    await test(`the page shows what the command prints: ${fragment}`, async () => {
        await page.goto("#number/e4m3/1");
        await page.goto(fragment);
        await page.waitFor(() => document.querySelector(".room-libraries .answer"));
        equal(await shown(page), expected(native(await words(page))));
    });
}

await test("each example button shows answers, and its link is the state", async () => {
    const count = await page.evaluate(() => document.querySelectorAll(".examples button").length);
    check(count >= 8, `${count} examples`);
    for (let i = 1; i <= count; i++) {
        await page.click(`.examples button:nth-child(${i})`);
        const text = await page.evaluate((n) => document.querySelector(`.examples button:nth-child(${n})`).textContent, i);
        const [value, formats] = text.split(" → ");
        await page.waitFor((v) => document.querySelector(".finding")?.textContent.startsWith(`${v} in `), value);
        equal(await page.evaluate(() => location.hash), format({ room: "libraries", path: [formats, value] }));
    }
});

await test("typing", async () => {
    await page.goto("#libraries/e4m3/1");
    await page.fill("#value", "inf");
    await page.waitFor(() => document.title === "inf in e4m3: 7 of 10 rules give nan, 3 give 448 - binade");
    await page.waitFor(() => location.hash === "#libraries/e4m3/inf");
});

await test("a format without dialects, and hostile input, are explained", async () => {
    await page.goto("#libraries/fp64/1");
    await page.waitFor(() => document.querySelector(".messages").textContent.includes("no dialect has a rule for fp64"));
    for (const text of ["<img src=x onerror=alert(1)>", "\u{1F600}", "-", "e4m3:0xzz"]) {
        await page.evaluate((value) => {
            const input = document.querySelector("#value");
            input.focus();
            input.value = value;
            input.dispatchEvent(new Event("input", { bubbles: true }));
        }, text);
        await page.waitFor(() => document.querySelector(".messages .failure"));
        equal(await page.evaluate(() => document.querySelectorAll("#room img").length), 0);
    }
});

await test("a number that cannot be read has no finding in the title; a long list is cut", async () => {
    await page.goto("#libraries/e4m3/465");
    await page.waitFor(() => document.title.startsWith("465 in e4m3"));
    await page.fill("#value", "zzz");
    await page.waitFor(() => document.querySelector(".messages .failure"));
    equal(await page.evaluate(() => document.title), "Same number, eight libraries - binade");
    await page.goto(`#libraries/e4m3/${Array.from({ length: 40 }, (_, i) => i + 1).join(",")}`);
    await page.waitFor(() => document.querySelectorAll(".answer").length === 32);
    matches(await page.evaluate(() => document.querySelector(".messages").textContent), /^The first 32 of 40 values are shown\./);
});

await test("390 pixels: nothing is wider than the window", async () => {
    const narrow = await open("#libraries/e4m3/465", { width: 390 });
    await narrow.waitFor(() => document.querySelector(".answer"));
    equal(await narrow.evaluate(() => [document.documentElement, document.querySelector(".answer .scroll")].every((e) => e.scrollWidth <= e.clientWidth)), true);
    await narrow.close();
});

await test("a screen reader hears the finding as the name of the table's section", async () => {
    await page.goto("#libraries/e4m3/465");
    await page.waitFor(() => document.querySelector(".finding")?.textContent.startsWith("465"));
    const names = (await page.accessibility()).map((node) => node.name?.value ?? "");
    matches(names.join("\n"), /465 in e4m3: 5 of 10 rules/);
});

await test("no message on the console", () => equal(page.messages, []));
await page.close();
await finish();
