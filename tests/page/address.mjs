// Addresses that this page does not know: it says so, shows a room, and works.
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";

const ready = (page) => page.waitFor(() => document.documentElement.dataset.ready);
const failures = (page) => page.evaluate(() => [...document.querySelectorAll("#room > .failure")].map((one) => one.textContent));

await test("a room of a later version", async () => {
    const page = await open("#tomorrow/1/2?x=y");
    await ready(page);
    matches((await failures(page)).join(), /^This page has no room 'tomorrow'; the link may be of a later version of binade\.$/);
    equal(await page.evaluate(() => document.querySelector("#room h1").textContent), "Number");
    check(await page.evaluate(() => document.querySelector("#room > .failure").getBoundingClientRect().bottom <= innerHeight), "seen without scrolling");
    await page.evaluate(() => { location.hash = "#number/e4m3/465"; });
    await page.waitFor(() => document.querySelectorAll("#room > .failure").length === 0);
});

await test("a room's name that is not text for HTML", async () => {
    const page = await open(`#${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
    await ready(page);
    matches((await failures(page)).join(), /no room '<img src=x onerror=alert\(1\)>'/);
    equal(await page.evaluate(() => document.querySelectorAll("#room img").length), 0);
});

await test("a link with more parts than its room reads", async () => {
    const page = await open("#number/e4m3/-1/3");
    await ready(page);
    matches((await failures(page)).join(), /^The room Number does not read '\/3' at the end of the link\. A '\/' inside a value is written %2F\.$/);
    await page.enter("#number/e4m3/-1%2F3");
    await page.waitFor(() => document.querySelectorAll(".failure").length === 0 && document.querySelector(".format .code").textContent === "0xab");
    for (const whole of ["#sum/dot/bf16/bf16/256:1,1:1", "#sum/running/0.1/10/bf16", "#formats/codes/e4m3", "#block/mxfp4/1,2", "#train/mlp/fp32", "#run"]) {
        await page.enter(whole);
        await page.waitFor((hash) => location.hash === hash && document.querySelector("#menu [aria-current]").hash === hash.split("/")[0], whole);
        equal([whole, await failures(page)], [whole, []]);
    }
});

await test("no room at all is no failure", async () => {
    const page = await open("");
    await ready(page);
    equal(await failures(page), []);
});

await test("skipping to the content keeps the state", async () => {
    const page = await open("#number/e4m3/465");
    await ready(page);
    await page.evaluate(() => document.querySelector("a.skip").click());
    equal(await page.evaluate(() => [location.hash, document.activeElement.id]), ["#number/e4m3/465", "room"]);
});

await finish();
