// Addresses that this page does not know: it says so, shows a room, and works.
import { open } from "./browser.mjs";
import { equal, finish, matches, test } from "./check.mjs";

const ready = (page) => page.waitFor(() => document.documentElement.dataset.ready);
const failures = (page) => page.evaluate(() => [...document.querySelectorAll("#room > .failure")].map((one) => one.textContent));

await test("a room of a later version", async () => {
    const page = await open("#tomorrow/1/2?x=y");
    await ready(page);
    matches((await failures(page)).join(), /^This page has no room 'tomorrow'; the link may be of a later version of binade\.$/);
    equal(await page.evaluate(() => document.querySelector("#room h1").textContent), "Number");
    await page.evaluate(() => { location.hash = "#number/e4m3/465"; });
    await page.waitFor(() => document.querySelectorAll("#room > .failure").length === 0);
});

await test("a room's name that is not text for HTML", async () => {
    const page = await open(`#${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
    await ready(page);
    matches((await failures(page)).join(), /no room '<img src=x onerror=alert\(1\)>'/);
    equal(await page.evaluate(() => document.querySelectorAll("#room img").length), 0);
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
