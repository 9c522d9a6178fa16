// The room Block: its numbers are those of `binade block`, and it keeps its state in the fragment.
import { log2OfHex, numberOfHex } from "../../tools/page/js/block/hex.js";
import { presets } from "../../tools/page/js/block/presets.js";
import { changed, numbersOf, pasted, words } from "../../tools/page/js/block/state.js";
import { format, parse } from "../../tools/page/js/link.js";
import { room } from "../../tools/page/js/rooms/block.js";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { hostile } from "./hostile.mjs";
import { json, openCore, run } from "./native.mjs";

const core = await openCore();
const opened = async (fragment, options) => {
    const page = await open(fragment, options);
    await page.waitFor(() => document.documentElement.dataset.ready === "true");
    return page;
};
const texts = (page, selector) => page.evaluate((wanted) => [...document.querySelectorAll(wanted)].map((e) => e.textContent), selector);

// ---- without a browser ----

await test("presets in every block format and mode: the page's WebAssembly gives what the command gives", () => {
    let compared = 0;
    for (const { numbers } of presets) {
        for (const name of ["mxfp4", "mxfp6-e2m3", "mxfp8", "mxfp8-e5m2:ct", "mxint8", "nvfp4", "nvfp4-subnormal", "e4m3/row", "e3m4/mx"]) {
            for (const round of ["", "rtz", "sr:8"]) {
                const state = { room: "block", path: [name, numbers.slice(0, 16).join(",")], query: { round, seed: round ? "7" : "" } };
                check(JSON.stringify(core.json(words(state))) === JSON.stringify(json(words(state))), `${format(state)} differs`);
                compared++;
            }
        }
    }
    equal(compared, presets.length * 27);
});

await test("messages are the command's", () => {
    for (const bad of [["mxfp4", "1,fp16:0xz"], ["mxfp5", "1"], ["e4m3", "1"], ["mxfp4", Array(33).fill("1").join(",")]]) {
        const line = words({ path: bad, query: {} });
        let message = "";
        try { core.json(line); } catch (error) { message = error.message; }
        equal(`binade block: ${message}\n`, run(line).errors);
    }
});

await test("what is pasted becomes numbers", () => {
    equal(pasted("1, 2;3\t4\n5"), ["1", "2", "3", "4", "5"]);
    equal(pasted("np.array([0.5, -1e-3])".replace("np.array", "")), ["0.5", "-1e-3"]);
    equal(pasted("{1.0f, 2.5F, 0x1.8p3}"), ["1.0", "2.5", "0x1.8p3"]);
    equal(pasted("inf"), ["inf"]);
});

await test("hexadecimal floats as places", () => {
    equal([numberOfHex("0x1.8p+2"), numberOfHex("-0x1p-3"), numberOfHex("inf"), numberOfHex("nan")], [6, -0.125, Infinity, NaN]);
    equal([log2OfHex("0x1p+16000"), log2OfHex("0x1.8p+1"), log2OfHex("0x0p+0"), log2OfHex("-0x1p+0") > 0], [16000, Math.log2(3), -Infinity, false]);
});

await test("a state is its fragment, and keys of other rooms are left out", () => {
    for (const query of [{}, { rule: "floor,ct", show: "ct" }, { "tensor-scale": "1/3", round: "sr:8", seed: "9" }]) {
        const state = changed({ path: ["nvfp4", "1,,-2"], query: { other: "x" } }, query), again = parse(format(state));
        equal(numbersOf(again), ["1", "", "-2"]);
        equal(words(again), words(state));
        check(!("other" in again.query), "a foreign key is kept");
    }
    equal(room.command({ path: [], query: {} })[1], "mxfp4");
    const cleared = changed({ room: "block", path: ["mxfp4", "7"], query: {} }, { numbers: [""] });
    equal(numbersOf(parse(format(cleared))), ["0"]); // and not the numbers of the start
});

// ---- the room ----

await test("the tables hold the command's numbers, for each rule", async () => {
    const page = await opened("#block/mxfp4/7,-0.4,1.3,0.02");
    const answer = json(["block", "mxfp4", "7", "-0.4", "1.3", "0.02"]);
    equal(await texts(page, ".block-rules tbody th"), answer.rules.map((r) => r.rule));
    equal(await texts(page, ".block-rules tbody td:nth-child(2)"), answer.rules.map((r) => r.scale.brief));
    equal(await texts(page, ".block-rules tbody td:nth-child(7)"), answer.rules.map((r) => r.rough_squared_error));
    equal(await texts(page, ".block-best"), answer.rules.map((r) => (r.best ? "✓ best" : "")));
    for (const [i, r] of answer.rules.entries()) {
        await page.click(`.block-rules input[value="${r.rule}"]`);
        await page.waitFor((rule) => document.querySelector(".block-elements caption").textContent.includes(`under ${rule}:`), r.rule);
        equal(await texts(page, ".block-elements tbody td:nth-child(3)"), r.elements.map((e) => e.code));
        equal(await page.evaluate(() => [...document.querySelectorAll(".block-elements tbody td:nth-child(6)")].map((e) => e.title)), r.elements.map((e) => e.value));
        equal(await page.evaluate(() => [...document.querySelectorAll(".block-elements tbody td:nth-child(7)")].map((e) => e.title)), r.elements.map((e) => e.error));
        equal(await page.evaluate((c) => [...document.querySelectorAll(`.block-side tbody td:nth-child(${c})`)].map((e) => e.title), i + 2), r.elements.map((e) => e.value));
        if (i > 0) await page.waitFor((rule) => location.hash.endsWith(`show=${rule}`), r.rule); // the address follows a little later
    }
    equal((await texts(page, "#command code"))[0], "binade block mxfp4 7 -0.4 1.3 0.02");
    equal(page.messages, []);
    await page.close();
});

await test("a number is edited, and a wrong one is marked and explained", async () => {
    const page = await opened("#block/mxfp4/7,1");
    await page.fill("#block-number-2", "-0.75");
    await page.waitFor(() => location.hash === "#block/mxfp4/7,-0.75");
    equal(await page.evaluate(() => document.activeElement.id), "block-number-2", "the cursor stays");
    await page.fill("#block-number-2", "2x");
    await page.waitFor(() => document.querySelector(".block-message").textContent.includes("'2x': "));
    equal(await page.evaluate(() => [...document.querySelectorAll(".block-numbers [aria-invalid=true]")].map((e) => e.id)), ["block-number-2"]);
    check(await page.evaluate(() => document.querySelector(".block-stale") !== null), "old results look valid");
    await page.fill("#block-number-2", "0.25");
    await page.waitFor(() => document.querySelector(".block-message").textContent === "" && document.querySelector(".block-stale") === null);
    equal(page.messages, []);
    await page.close();
});

await test("a pasted list fills the inputs from its own on; a comma goes to the next one", async () => {
    const page = await opened("#block/mxfp4/1,1,1,1");
    await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData("text/plain", "[2.5, -3\t4e-1]");
        document.querySelector("#block-number-2").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.waitFor(() => location.hash === "#block/mxfp4/1,2.5,-3,4e-1");
    await page.fill("#block-number-1", "8");
    for (const key of [",", "9"]) await page.press(key);
    await page.waitFor(() => location.hash === "#block/mxfp4/8,9,-3,4e-1");
    equal(await page.evaluate(() => [...document.querySelectorAll(".block-numbers input")].map((e) => e.value)), ["8", "9", "-3", "4e-1"]);
    equal(page.messages, []);
    await page.close();
});

await test("every preset can be shown, and the ends of e8m0 are explained", async () => {
    const page = await opened("#block");
    for (const { name, numbers } of presets) {
        await page.evaluate((wanted) => [...document.querySelectorAll(".block-presets button")].find((b) => b.textContent === wanted).click(), name);
        await page.waitFor((first, count) => document.querySelector(".block-elements tbody th")?.textContent === first
            && document.querySelectorAll(".block-elements tbody tr").length === count, numbers[0], numbers.length);
        equal(await texts(page, ".block-message"), [""]);
        const notes = (await texts(page, ".block-note")).join(" ");
        matches(notes, { "All tiny": /smallest scale of e8m0 is 2\^-127/, Zeros: /all numbers are zero: the scale is 2\^-127/, "A NaN": /makes the scale NaN/ }[name] ?? /^/);
    }
    equal(page.messages, []);
    await page.close();
});

await test("NVFP4 has two levels, and 4/6 chooses", async () => {
    const page = await opened("#block/mxfp4/10,20,30,40");
    check(await page.evaluate(() => document.querySelector("#block-tensor") === null), "mxfp4 has no tensor scale");
    await page.choose(".block-controls select", "nvfp4");
    await page.type("#block-tensor", "1");
    await page.waitFor(() => location.hash === "#block/nvfp4/10,20,30,40?tensor-scale=1");
    const { rules } = json(["block", "nvfp4", "10", "20", "30", "40", "--tensor-scale", "1"]);
    equal(await texts(page, ".block-rules tbody th"), ["nearest", "4/6 (4)", "mse"]);
    equal(await texts(page, ".block-rules tbody td:nth-child(2)"), rules.map((r) => r.scale.brief));
    equal(await texts(page, ".block-best"), ["", "✓ best", "✓ best"]);
    await page.fill("#block-tensor", "-1");
    await page.waitFor(() => /positive number of fp32/.test(document.querySelector(".block-message").textContent));
    equal(page.messages, []);
    await page.close();
});

await test("the length follows the block format, and rounding modes are in the command", async () => {
    const page = await opened("#block");
    await page.choose(".block-controls select", "nvfp4");
    await page.waitFor(() => document.querySelectorAll(".block-numbers input").length === 16);
    await page.choose("[data-key=count] select", "4");
    await page.waitFor(() => document.querySelectorAll(".block-elements tbody tr").length === 4);
    await page.choose("[data-key=round] select", "rtz");
    await page.waitFor(() => document.querySelector("#command code").textContent.endsWith("--round rtz"));
    equal(page.messages, []);
    await page.close();
});

await test("text of a fragment stays text; a phone's width is enough; dark works", async () => {
    const page = await opened("#block", { width: 390 });
    for (const hostile of ["#block/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E/1", "#block/mxfp4/%3Cscript%3Ealert(1)%3C%2Fscript%3E,1", "#block/mxfp4/1?show=%3Cb%3E&rule=%3Cimg%20src%3Dx%3E",
        "#block/--help/1", "#block/mxfp4/-inf,-nan,--json", "#block/__proto__/1?__proto__=1", `#block/mxfp4/${"9".repeat(5000)}`]) {
        await page.enter(hostile);
        check(await page.evaluate(() => document.querySelectorAll("main img, main script, main b").length === 0), hostile);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hostile} scrolls sideways`);
        equal(page.messages, [], hostile);
    }
    await page.media({ dark: true });
    await page.enter("#block");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
    const unnamed = (await page.accessibility()).filter((n) => ["textbox", "button", "radio", "combobox", "checkbox"].includes(n.role.value) && !n.name?.value);
    equal(unnamed.map((n) => n.role.value), [], "controls without a name");
    await page.close();
});

await test("names that try to be more than text, as format, number, rule and tensor scale", async () => {
    const page = await opened("#block");
    for (const text of hostile.filter((one) => one.isWellFormed?.() ?? !/[\ud800-\udbff](?![\udc00-\udfff])/.test(one))) {
        const encoded = encodeURIComponent(text);
        for (const fragment of [`#block/${encoded}/1`, `#block/mxfp4/1,${encoded}`, `#block/nvfp4/1?rule=${encoded}&show=${encoded}`, `#block/nvfp4/1?tensor-scale=${encoded}&round=${encoded}`]) {
            await page.goto(fragment);
            await page.waitFor((wanted) => globalThis.binade.state().state.path.join("/") !== "" && location.hash === wanted, fragment);
            equal(await page.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("main :is(img, script, iframe, svg svg, b, a[href^=data])").length]), [0, 0], fragment.slice(0, 200));
        }
    }
    await page.goto("#block/mxfp4/7");
    await page.waitFor(() => document.querySelector(".block-message").textContent === "" && document.querySelectorAll(".block-elements tbody tr").length === 1);
    equal(page.messages, []);
    await page.close();
});

await test("literals are the codes of the rule that is shown", async () => {
    const page = await opened("#block/nvfp4/10,40?tensor-scale=1&show=4%2F6");
    equal(await texts(page, "#command code"), ["binade block nvfp4 10 40 --tensor-scale 1", "uint8_t scale = 0x52; uint8_t codes[2] = {0x2, 0x6}; float tensor_scale = 0x1p+0f;",
        'scale, codes = 0x52, [0x2, 0x6]; tensor_scale = float.fromhex("0x1p+0")', "logic [7:0] scale = 8'h52; logic [3:0] codes [2] = '{4'h2, 4'h6};"]);
    await page.goto("#block/nvfp4/10,x");
    await page.waitFor(() => document.querySelector(".block-message").textContent !== "");
    equal((await texts(page, "#command code")).length, 1, "a mistake has no literals");
    await page.close();
});

await finish();
