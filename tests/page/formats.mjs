// The room Formats: every fact, code and outcome is the command's; searches, sliders, and the state in the fragment.
import { nameOf, partsOf } from "../../tools/page/js/formats/design.js";
import { textsOf } from "../../tools/page/js/formats/sheet.js";
import { changed, command } from "../../tools/page/js/formats/state.js";
import { format, parse } from "../../tools/page/js/link.js";
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
const line = (page) => page.evaluate(() => document.querySelector("#command code").textContent);

// ---- without a browser ----

await test("facts and tables of the page's WebAssembly are those of the command", () => {
    equal(core.run(["formats", "--json"]).output, run(["formats", "--json"]).output);
    for (const name of ["e2m1", "e4m3", "e5m2fnuz", "e8m0", "binary8p1se", "e3m4", "fp16", "bf16", "ue5m3"]) {
        check(core.run(["table", name, "--json"]).output === run(["table", name, "--json"]).output, `the tables of ${name} differ`);
    }
});

await test("sliders make names that the command reads, with these parts", () => {
    let count = 0;
    for (const signed of [true, false]) {
        for (const exponent of [1, 2, 4, 5, 8, 11, 15]) {
            for (const fraction of [0, 1, 3, 10, 23, 48]) {
                for (const kind of ["ieee", "fn", "fnuz", "none"]) {
                    for (const subnormals of [true, false]) {
                        const parts = { signed, exponent, fraction, bias: "", kind, subnormals }, name = nameOf(parts);
                        equal(partsOf(name), parts);
                        const { status, output } = core.run(["formats", name, "--json"]);
                        if (status !== 0) continue; // some combinations are impossible, and the page says why
                        const [f] = JSON.parse(output).formats;
                        equal([f.sign_bits === 1, f.exponent_bits, f.fraction_bits, f.infinity === "yes"], [signed, exponent, fraction, kind === "ieee"], name);
                        count++;
                    }
                }
            }
        }
    }
    check(count > 300, `only ${count} names were read`);
    equal([partsOf("fp16"), partsOf("e5m10b12fnnosub")?.bias], [null, "12"]);
});

await test("whole numbers beyond 2^53 keep their digits", () => {
    matches(textsOf(core.run(["formats", "fp64", "--json"]).output), /"finite_values": "18437736874454810623"/);
});

await test("a state is its fragment; other keys and views are left out", () => {
    const state = changed(parse("#formats/codes/e4m3?search=0x7e&x=1"), { class: "NaN" });
    equal(format(state), "#formats/codes/e4m3?search=0x7e&class=NaN");
    equal(command(parse("#formats/nowhere/e4m3"))[0], "range");
    equal(command(parse("#formats")), ["range", "--bars", "-f", "fp32,fp16,bf16,e5m2,e4m3,e3m2,e2m3,e2m1,e8m0"]);
});

// ---- the room ----

await test("ranges: a bar per format, values marked, outcomes of binade range", async () => {
    const page = await opened("#formats/ranges/fp16,bf16,e4m3?values=1e-8,448,70000");
    await page.waitFor(() => document.querySelectorAll(".chart-svg .chart-fill").length === 3);
    equal(await page.evaluate(() => document.querySelectorAll(".formats-subnormal").length), 3);
    equal((await texts(page, ".chart-rule + text")), ["1e-8", "448", "70000"]);
    const { cells } = json(["range", "1e-8", "448", "70000", "-f", "fp16,bf16,e4m3"]);
    equal(await page.evaluate(() => [...document.querySelectorAll(".formats-outcomes td")].map((e) => e.title)), cells.map((c) => c.result));
    // The bar of fp16 ends where its largest value is: log10(65504) on the axis.
    const [left, right, one] = await page.evaluate(() => {
        const svg = document.querySelector(".chart-svg"), bar = svg.querySelector(".chart-fill"), rules = [...svg.querySelectorAll(".chart-rule")].map((p) => Number(/M([\d.]+)/.exec(p.getAttribute("d"))[1]));
        return [Number(bar.getAttribute("x")), Number(bar.getAttribute("x")) + Number(bar.getAttribute("width")), rules];
    });
    const at = (x) => one[0] + (Math.log10(x) + 8) * (one[2] - one[0]) / (Math.log10(70000) + 8);
    check(Math.abs(right - at(65504)) < 1 && Math.abs(left - at(2 ** -14)) < 1, "the bar of fp16 is out of place");
    await page.fill(".formats-names", "e2m1 e8m0");
    await page.press("Enter");
    await page.waitFor(() => location.hash === "#formats/ranges/e2m1,e8m0?values=1e-8,448,70000" && document.querySelectorAll(".formats-subnormal").length === 1);
    equal(await line(page), "binade range --bars -f e2m1,e8m0 1e-8 448 70000");
    equal(page.messages, []);
    await page.close();
});

await test("number line: every finite value once, linear and log", async () => {
    const page = await opened("#formats/line/e2m1,e3m2");
    const marks = () => page.evaluate(() => [...document.querySelectorAll(".chart-svg .chart-line")].map((p) => p.getAttribute("d").split("M").length - 1).reduce((a, b) => a + b, 0));
    await page.waitFor(() => document.querySelector(".chart-svg .chart-line"));
    equal(await marks(), 16 + 64, "values of e2m1 and e3m2, both zeros");
    await page.choose(".chart-scale select", "log");
    await page.waitFor(() => location.hash === "#formats/line/e2m1,e3m2?scale=log");
    await page.waitFor(() => [...document.querySelectorAll(".chart-svg .chart-line")].map((p) => p.getAttribute("d").split("M").length - 1).reduce((a, b) => a + b, 0) === 7 + 31);
    await page.click(".chart-tools button[aria-label='Show the numbers as a table']");
    await page.waitFor(() => document.querySelectorAll(".chart-table tbody tr").length === 38);
    await page.fill(".formats-names", "fp16");
    await page.press("Enter");
    await page.waitFor(() => /at most 10 bits/.test(document.querySelector("main .failure").textContent));
    equal(page.messages, []);
    await page.close();
});

await test("precision: a line per format, bent where it becomes subnormal", async () => {
    const page = await opened("#formats/precision/fp16,bf16,e8m0");
    await page.waitFor(() => document.querySelectorAll(".chart-svg .chart-line").length >= 3);
    equal(await texts(page, ".chart-legend label"), ["fp16", "bf16", "e8m0"]);
    equal(page.messages, []);
    await page.close();
});

await test("codes: all 65,536 of fp16, few in the document; search by code, bits, value and class", async () => {
    const page = await opened("#formats/codes/fp16");
    await page.waitFor(() => /65,536 of 65,536/.test(document.querySelector("[role=status].summary")?.textContent));
    check(await page.evaluate(() => document.querySelectorAll(".formats-rows [role=row]").length) < 60, "rows are not lazy");
    const { codes } = json(["table", "fp16"]);
    const found = () => page.evaluate(() => [...document.querySelectorAll(".formats-found [role=cell]")].map((e) => e.textContent));
    for (const [typed, code] of [["0x3555", 0x3555], ["0b0 01110 0000000000", 0x3800], ["0.1", 0x2e66], ["-1e9", 0xfc00], ["65504", 0x7bff]]) {
        await page.fill("#formats-search", typed);
        await page.waitFor((wanted) => document.querySelector(".formats-found code")?.textContent === wanted, codes[code].code);
        const row = await found();
        equal([row[0], row[2], row[3]], [codes[code].code, codes[code].class, codes[code].value]);
        equal(row[1].replaceAll(" ", ""), codes[code].bits.replaceAll(" ", ""));
    }
    await page.fill("#formats-search", "0x10000");
    await page.waitFor(() => /Nothing is found for '0x10000'/.test(document.querySelector("[role=status].summary").textContent));
    await page.fill("#formats-search", "x1");
    await page.waitFor(() => /'x1'/.test(document.querySelector("[role=status].summary").textContent));
    await page.evaluate(() => [...document.querySelectorAll(".formats-view select option")].find((o) => o.value === "subnormal").parentElement.setAttribute("id", "classes"));
    await page.choose("#classes", "subnormal");
    await page.waitFor((count) => document.querySelector("[role=status].summary").textContent.startsWith(`${count} of`), codes.filter((c) => c.class === "subnormal").length.toLocaleString("en"));
    await page.waitFor(() => location.hash.endsWith("class=subnormal"));
    equal(page.messages, []);
    await page.close();
});

await test("codes: what has none is explained", async () => {
    for (const [name, words] of [["fp32", /at most 16 bits/], ["p11", /value set/], ["e4mx", /unknown format/]]) {
        const page = await opened(`#formats/codes/${name}`);
        await page.waitFor(() => document.querySelector("[role=status].failure"));
        matches(await page.evaluate(() => document.querySelector("[role=status].failure").textContent), words);
        equal(page.messages, []);
        await page.close();
    }
});

await test("design: sliders and boxes change the name and the facts, by keyboard, too", async () => {
    const page = await opened("#formats/design/e4m3fn");
    await page.waitFor(() => document.querySelector(".formats-name")?.textContent === "e4m3");
    await page.evaluate(() => document.querySelector("#design-exponent").focus());
    await page.press("ArrowRight");
    await page.waitFor(() => location.hash === "#formats/design/e5m3fn");
    await page.evaluate(() => document.querySelector("#design-fraction").focus());
    await page.press("ArrowLeft");
    await page.waitFor(() => location.hash === "#formats/design/e5m2fn");
    await page.choose(".formats-sliders select", "ieee");
    await page.waitFor(() => document.querySelector(".formats-name").textContent === "e5m2");
    await page.type("#design-bias", "-3");
    await page.waitFor(() => location.hash === "#formats/design/e5m2b-3ieee");
    await page.click("#design-subnormals");
    await page.waitFor(() => location.hash === "#formats/design/e5m2b-3ieeenosub");
    const [f] = json(["formats", "e5m2b-3ieeenosub"]).formats;
    equal(await page.evaluate(() => document.querySelector('[data-key="max"] td').textContent), f.max);
    equal(await texts(page, ".formats-bit"), [..."SEEEEEMM"]);
    await page.fill("#design-bias", "99999");
    await page.waitFor(() => document.querySelectorAll("main .failure")[1].textContent !== "" || document.querySelector(".formats-designed.block-stale"));
    equal(page.messages, []);
    await page.close();
});

await test("facts: each fact is the command's, and a block format leads to its room", async () => {
    const page = await opened("#formats/facts/fp64");
    const [f] = json(["formats", "fp64"]).formats;
    const shown = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row.querySelector("td").textContent])));
    for (const [key, text] of Object.entries(shown)) equal(text, key === "finite_values" ? "18437736874454810623" : key === "nan_codes" ? "9007199254740990" : String(f[key]), key);
    check(Object.keys(shown).length > 18, "facts are missing");
    await page.goto("#formats/facts/mxfp4");
    await page.waitFor(() => /the room Block/.test(document.querySelector("main .failure").textContent));
    equal(page.messages, []);
    await page.close();
});

await test("text of a fragment stays text; phone and dark", async () => {
    const page = await opened("#formats", { width: 390 }), evil = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    for (const hostile of [`#formats/${evil}/e4m3`, `#formats/ranges/${evil}`, `#formats/ranges/e4m3?values=${evil}`, `#formats/codes/e4m3?search=${evil}&class=${evil}`, `#formats/codes/${evil}`,
        `#formats/design/${evil}`, `#formats/line/${evil}?scale=${evil}`, "#formats/facts/--help", "#formats/__proto__/constructor", `#formats/facts/${"e".repeat(4000)}`]) {
        await page.enter(hostile);
        check(await page.evaluate(() => document.querySelectorAll("main img, main script").length === 0), hostile);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hostile} scrolls sideways`);
        equal(page.messages, [], hostile);
    }
    await page.media({ dark: true });
    for (const view of ["ranges", "line", "precision", "codes", "design", "facts"]) {
        await page.enter(`#formats/${view}`);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} scrolls sideways`);
        const unnamed = (await page.accessibility()).filter((n) => ["textbox", "searchbox", "button", "slider", "combobox", "checkbox"].includes(n.role.value) && !n.name?.value);
        equal(unnamed.map((n) => n.role.value), [], `${view}: controls without a name`);
        equal(page.messages, [], view);
    }
    await page.close();
});

await test("a format without normal values has a bar, and a line, of subnormal ones alone", async () => {
    const page = await opened("#formats/ranges/e1m3,fp16");
    await page.waitFor(() => document.querySelectorAll(".formats-subnormal").length === 2);
    equal(await page.evaluate(() => document.querySelectorAll(".chart-svg rect.chart-fill").length), 1);
    const [width, ends] = await page.evaluate(() => {
        const bars = [...document.querySelectorAll(".formats-subnormal")].map((e) => [Number(e.getAttribute("x")), Number(e.getAttribute("width"))]);
        const bar = document.querySelector(".chart-svg rect.chart-fill");
        return [bars[0][1], [bars[1], [Number(bar.getAttribute("x")), Number(bar.getAttribute("width"))]]];
    });
    // From 2^-2 to 1.75, on the axis on which fp16 goes from 2^-24 to 65504.
    const binade = (ends[1][0] + ends[1][1] - ends[0][0]) / (Math.log2(65504) + 24);
    check(Math.abs(width - binade * (Math.log2(1.75) + 2)) < 1, `${width} pixels, ${binade} per binade`);
    await page.goto("#formats/precision/e1m3");
    await page.waitFor(() => document.body.textContent.includes("e1m3: subnormal values up to 1.75"));
    await page.waitFor(() => document.querySelector(".chart-svg path"));
    equal(page.messages, []);
    await page.close();
});

await test("a value without a place on the axis, and one that cannot be read, hide no bar", async () => {
    const page = await opened("#formats/ranges/fp16,bf16?values=-0.1,-inf,7");
    const marks = () => page.evaluate(() => [...document.querySelectorAll(".chart-rule")].map((one) => one.nextSibling.textContent));
    const bars = () => page.evaluate(() => document.querySelectorAll(".chart-svg rect.chart-fill").length);
    await page.waitFor(() => document.querySelector(".chart-rule"));
    equal([await marks(), await bars(), (await texts(page, ".formats-outcomes tbody th"))], [["7"], 2, ["-0.1", "-inf", "7"]]);
    await page.goto("#formats/ranges/fp16,bf16?values=one,5");
    await page.waitFor(() => document.querySelector(".chart-rule")?.nextSibling.textContent === "5");
    equal([await bars(), await texts(page, ".formats-outcomes")], [2, []]);
    matches((await texts(page, ".failure")).join(), /'?one/);
    equal(page.messages, []);
    await page.close();
});

await test("names that try to be more than text, in every view", async () => {
    const page = await opened("#formats");
    for (const text of hostile.filter((one) => one.isWellFormed?.() ?? !/[\ud800-\udbff](?![\udc00-\udfff])/.test(one))) {
        const encoded = encodeURIComponent(text);
        for (const fragment of [`#formats/${encoded}/e4m3`, `#formats/ranges/${encoded}`, `#formats/ranges/e4m3?values=${encoded}`, `#formats/line/${encoded}`, `#formats/codes/e2m1?search=${encoded}&class=${encoded}`,
            `#formats/design/${encoded}`, `#formats/facts/${encoded}`]) {
            await page.goto(fragment);
            await page.waitFor((wanted) => location.hash === wanted && globalThis.binade.room.id === "formats", fragment);
            equal(await page.evaluate(() => [globalThis.hit ?? 0, document.querySelectorAll("main :is(img, script, iframe, b, a[href^=data])").length]), [0, 0], fragment.slice(0, 200));
        }
    }
    await page.goto("#formats/facts/e2m1");
    await page.waitFor(() => document.querySelector(".formats-name")?.textContent === "e2m1");
    equal(page.messages, []);
    await page.close();
});

await finish();
