// The room Sum: the totals are those of `binade calc`, exact sums are exact, and the room shows and keeps its state.
import { call } from "../../tools/page/js/core/call.js";
import * as link from "../../tools/page/js/link.js";
import * as state from "../../tools/page/js/sum/state.js";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { examples, json, openCore } from "./native.mjs";

const { dotExpression } = state;
const core = await openCore();
const sum = (text, count, names, round = "rne", seed = 0) => call(core, "bnd_page_sum", text, count, names, round, seed);
const dot = (terms, inputs, names) => call(core, "bnd_page_dot", terms, inputs, names);
const opened = async (fragment, options) => {
    const page = await open(fragment, options);
    await page.waitFor(() => document.documentElement.dataset.ready === "true");
    return page;
};
const cell = (page, row, at) => page.evaluate((r, i) => document.querySelector(`tr[data-sum="${r}"]`).children[i].textContent, row, at);

// ---- the same as calc ----

await test("sums in order are those of calc", () => {
    for (const format of ["fp64", "fp32", "tf32", "fp16", "bf16", "e4m3", "e5m2", "e4m3fnuz", "e3m2", "binary8p3se"]) {
        for (const [text, count] of [["0.001", 10000], ["-0.1", 777], ["1", 70000], ["0x1.8p-3", 300]]) {
            for (const round of ["rne", "rtz", "rup", "sr", "sr:8"]) {
                const native = json(["calc", `sum(${text}, ${count})`, "-f", format, "--round", round, "--seed", "5"]);
                const { exact, lines: [line] } = sum(text, count, format, round, 5);
                equal([line.code, line.value, exact], [native.code, native.value, native.exact], `${format} ${text} ${count} ${round}`);
                if (native.error !== null) equal(line.error, native.error, `error of ${format} ${text} ${count} ${round}`);
            }
        }
    }
});

await test("sums accumulated in fp32, and with stochastic rounding, are those of calc", () => {
    for (const format of ["bf16", "fp16", "e4m3"]) {
        const low = json(["calc", `sum(${format}(0.001), 5000)`, "-f", "fp32"]), random = json(["calc", "sum(0.001, 5000)", "-f", format, "--round", "sr", "--seed", "9"]);
        const { lines } = sum("0.001", 5000, `${format}:fp32,${format}:sr`, "rne", 9);
        equal(lines.map((l) => l.code), [low.code, random.code], format);
    }
});

// ---- independent arithmetic ----

await test("pairwise and Kahan's sums in fp32 are those of JavaScript's own fp32", () => {
    const f = Math.fround;
    const pairwise = (x) => {
        if (x.length === 1) return x[0];
        let half = 1;
        while (2 * half < x.length) half *= 2;
        return f(pairwise(x.slice(0, half)) + pairwise(x.slice(half)));
    };
    const kahan = (x) => {
        let s = 0, c = 0;
        for (const v of x) {
            const y = f(v - c), t = f(s + y);
            c = f(f(t - s) - y);
            s = t;
        }
        return s;
    };
    for (const n of [1, 2, 3, 7, 1000, 4097]) {
        const terms = Array.from({ length: n }, (_, k) => f(1 / (k + 1)));
        const { lines } = sum("1/k", n, "fp32:pairwise,fp32:kahan,fp32");
        equal(lines.map((l) => l.sums.at(-1)), [pairwise(terms), kahan(terms), terms.reduce((s, x) => f(s + x))], `${n} terms`);
    }
});

await test("exact sums are exact", () => {
    equal(sum("0.1", 3, "fp32").exact, "0.3");
    equal(sum("-2.5e-3", 10000000, "e4m3").exact, "-25000");
    equal(sum("123456789012345678901234567890.5", 2, "bf16").exact, "246913578024691357802469135781");
    equal(sum("0x1p-20", 3, "fp32").exact, "0.00000286102294921875".replace(/^0\.00000(.)(.*)$/, "$1.$2e-06"));
    let [above, below] = [0n, 1n]; // H(200) as a fraction
    for (let k = 1n; k <= 200n; k++) [above, below] = [above * k + below, below * k];
    const digits = (above * 10n ** 27n / below).toString();
    matches(sum("1/k", 200, "fp32").exact, /^5\.\d{29}\.\.\.$/);
    equal(sum("1/k", 200, "fp32").exact.replace(".", "").slice(0, 27), digits.slice(0, 27));
});

await test("where a sum stalls", () => {
    const { lines } = sum("1", 5000, "bf16,fp16,fp32,e4m3");
    equal(lines.map((l) => [l.value, l.last_change, l.first_unchanged]), [["256", 256, 257], ["2048", 2048, 2049], ["5000", 5000, 0], ["16", 16, 17]]);
});

// A float as an integer of units of 2^-149.
function units(x) {
    const word = new Uint32Array(new Float32Array([x]).buffer)[0], e = word >>> 23 & 255;
    const m = BigInt(word & 0x7fffff) + (e > 0 ? 0x800000n : 0n);
    return (word >>> 31 ? -m : m) << BigInt(Math.max(e, 1) - 1);
}
const lengthOf = (n) => n === 0n ? 0 : (n < 0n ? -n : n).toString(2).length;

// The accumulator truncB, groups of `group`: doc/reference of matmul.h, with integers in units of 2^-298. Normal range only.
function truncated(pairs, bits, group) {
    let s = 0n;
    for (let at = 0; at < pairs.length; at += group) {
        const terms = [...pairs.slice(at, at + group).map(([a, b]) => units(a) * units(b)), s];
        const quantum = BigInt(Math.max(...terms.map(lengthOf)) - bits);
        const whole = terms.map((t) => t / (1n << quantum)).reduce((x, y) => x + y); // "/" cuts toward zero
        const over = BigInt(Math.max(lengthOf(whole) - bits, 0));
        s = whole / (1n << over) << over + quantum;
    }
    return s;
}

await test("running totals of accumulators, and the exact one, against integers", () => {
    const terms = Array.from({ length: 40 }, (_, i) => [Math.fround(Math.sin(i * 7 + 1) * 2 ** (i % 9)), Math.fround(Math.cos(i * 3 + 2))]);
    const text = (x) => x.toPrecision(17); // every digit that tells a double apart
    const answer = dot(terms.map((pair) => pair.map(text).join(":")).join(","), "fp32", "trunc14,trunc14g4,trunc10g16,each:fp32,fp32");
    const f = Math.fround;
    let each = 0;
    terms.forEach(([a, b], i) => {
        const some = terms.slice(0, i + 1);
        const found = answer.accumulators.map((x) => x.sums[i]);
        const units298 = (x) => units(x) << 149n;
        equal(found.slice(0, 3).map(units298), [truncated(some, 14, 32), truncated(some, 14, 4), truncated(some, 10, 16)], `${i + 1} terms`);
        each = f(each + f(a * b));
        equal(found[3], each, `each:fp32 after ${i + 1} terms`);
    });
    const total = terms.reduce((s, [a, b]) => s + units(a) * units(b), 0n);
    const [, whole, fraction, exponent] = /^(-?\d+)\.?(\d*)(?:e([+-]\d+))?$/.exec(answer.exact);
    equal(BigInt(whole + fraction) << 298n, total * 10n ** BigInt(fraction.length - Number(exponent ?? 0)), "the exact dot product");
});

await test("dot products are calc's, for accumulators that calc has", () => {
    const terms = "1.5:0.1,0.3:7,-2.25:0.4,100:0.01,0.007:-3";
    for (const inputs of ["fp32", "bf16", "e4m3"]) {
        for (const name of ["each:fp32", "fp32", "bf16", "fma:bf16", "fp16", "fma:e5m2"]) {
            const { expression, format } = dotExpression({ inputs, terms }, name);
            const native = json(["calc", expression, "-f", format]);
            const [a] = dot(terms, inputs, name).accumulators;
            equal(a.digits, native.value, `${name} of ${inputs}`);
        }
    }
    equal(dotExpression({ inputs: "fp32", terms }, "trunc14"), null);
});

await test("what cannot be added is refused in words", () => {
    const refused = (run) => {
        try { run(); } catch (error) { return error.message; }
        throw new Error("nothing was refused");
    };
    matches(refused(() => sum("one", 5, "fp32")), /column 1/);
    matches(refused(() => sum("inf", 5, "fp32")), /finite/);
    matches(refused(() => sum("1", 0, "fp32")), /from 1 to 10000000/);
    matches(refused(() => sum("1", 5, "fp33")), /unknown format 'fp33'; did you mean/);
    matches(refused(() => sum("1", 5, "bf16:kohan")), /unknown way 'kohan' \(available/);
    matches(refused(() => sum("1", 5, "")), /at least one/);
    matches(refused(() => sum("1e999999999", 5, "fp32")), /too large/);
    matches(refused(() => dot("1:2,3", "fp32", "fp32")), /term 2 must be two numbers/);
    matches(refused(() => dot("1:x", "fp32", "fp32")), /term 1: column 1/);
    matches(refused(() => dot("1:2", "fp64", "fp32")), /fp32 does not contain/);
    matches(refused(() => dot("1:2", "fp32", "trunk14")), /trunk14/);
    matches(refused(() => dot(Array(65).fill("1:1").join(","), "fp32", "fp32")), /at most 64/);
});

// ---- the room ----

await test("a running sum, its command, and what is typed", async () => {
    const page = await opened("#sum");
    await page.waitFor(() => document.querySelector('tr[data-sum="bf16"]'));
    equal([await cell(page, "bf16", 1), await cell(page, "bf16", 5), await cell(page, "exact", 1)], ["0.5", "at step 384", "10"]);
    matches(await page.evaluate(() => document.querySelector("#command code").textContent), /^binade calc 'sum\(0\.001, 10000\)' -f fp32,fp16,bf16$/);
    await page.fill("#sum-term", "0.5");
    await page.waitFor(() => document.querySelector('tr[data-sum="bf16"]')?.children[1].textContent === "128");
    await page.waitFor(() => location.hash.startsWith("#sum/running/0.5/10000/"));
    await page.click("#sum-e4m3-kahan");
    await page.waitFor(() => document.querySelector('tr[data-sum="e4m3:kahan"]'));
    await page.waitFor(() => location.hash.endsWith(",e4m3:kahan"));
    await page.fill("#sum-count", "x");
    await page.waitFor(() => /must be from 1 to/.test(document.querySelector(".sum-running .failure:not([hidden])")?.textContent));
    equal(page.messages, []);
    await page.close();
});

await test("ten million additions run in the worker", async () => {
    const page = await opened("#sum/running/random/1000000/fp32,bf16:sr,bf16?seed=3");
    await page.waitFor(() => document.querySelector('tr[data-sum="bf16:sr"]'));
    equal(await cell(page, "bf16", 1), sum("random", 1000000, "bf16", "rne", 3).lines[0].value);
    check(await page.evaluate(() => document.querySelector("#command").hidden), "no command adds random numbers");
    equal(page.messages, []);
    await page.close();
});

await test("a dot product, edited; its steps and its command", async () => {
    const page = await opened("#sum/dot/bf16/bf16,trunc14/256:1,1:1,0.5:0.5?look=bf16");
    await page.waitFor(() => document.querySelector('tr[data-accumulator="bf16"]'));
    const result = (name) => page.evaluate((n) => document.querySelector(`tr[data-accumulator="${n}"]`).children[2].textContent, name);
    equal([await result("bf16"), await result("trunc14")], ["256", "257.25"]);
    equal(await page.evaluate(() => document.querySelectorAll("td.unchanged").length), 2);
    equal(await page.evaluate(() => document.querySelector("#command code").textContent), "binade calc '256*1 + 1*1 + 0.5*0.5' -f bf16");
    await page.fill(".term:nth-child(2) input:last-child", "64");
    await page.waitFor(() => document.querySelector('tr[data-accumulator="bf16"]').children[2].textContent === "320");
    await page.waitFor(() => location.hash === "#sum/dot/bf16/bf16,trunc14/256:1,1:64,0.5:0.5?look=bf16");
    await page.choose("#dot-length", "8");
    await page.waitFor(() => document.querySelectorAll(".term").length === 8);
    equal(page.messages, []);
    await page.close();
});

const sentence = (page, selector = ".verdict") => page.evaluate((one) => document.querySelector(`#room ${one}:not([hidden])`)?.textContent ?? "", selector);

await test("a decimal comma and a code are refused where the address has no place for them", async () => {
    const page = await opened("#sum/dot/fp32/fp32/1:2,3:4");
    for (const text of ["0,5", "fp16:0x3c00"]) {
        await page.fill(".term:nth-child(2) input:last-child", text);
        matches(await sentence(page, ".failure"), new RegExp(`^term 2 must have numbers such as 0\\.5 .*, not '${text}'$`));
        equal(await page.evaluate(() => [globalThis.binade.fragment.startsWith("#sum/dot/fp32/fp32/1:2,3:"), document.querySelectorAll("[data-accumulator]").length]), [true, 0]);
    }
    await page.fill(".term:nth-child(2) input:last-child", "0.5");
    equal([await sentence(page, ".failure"), await page.evaluate(() => globalThis.binade.fragment)], ["", "#sum/dot/fp32/fp32/1:2,3:0.5"]);
    await page.enter("#sum/running/1/10/fp32");
    await page.fill("#sum-count", "1,5");
    matches(await sentence(page, ".failure"), /must be from 1 to 10,000,000, not '1,5'/);
    await page.fill("#sum-count", "1,000");
    equal(await page.evaluate(() => globalThis.binade.fragment), "#sum/running/1/1000/fp32");
    equal(page.messages, []);
    await page.close();
});

await test("damaged terms have no command", () => {
    for (const terms of ["1,2,3", "1:2,3", "1:2:3", "1:"]) {
        equal(state.command(link.parse(`#sum/dot/fp32/fp32,bf16/${terms}`)), null, terms);
    }
});

await test("what is said of accumulators that overflow, are equally near, or are alone", async () => {
    const page = await opened("#sum");
    for (const [fragment, words] of [["fp32/fp16,bf16/1:2,0.25:0.5", /is 2\.125\. fp16, bf16 are exact \(2\.125, 0\.0 of 24 bits lost\)\.$/],
        ["fp32/bf16/256:1,1:1", /bf16 is inexact \(256, \d.*lost\)\.$/], ["fp32/bf16,fma:bf16/256:1,1:1", /bf16, fma:bf16 are equally near \(256, /],
        ["fp32/fp32,bf16/256:1,1:1", /fp32 is nearest \(257, 0\.0 of 24 bits lost\); bf16 is farthest \(256, /],
        ["fp32/fp16/60000:2,60000:2", /is 240000\. fp16 is not finite \(inf\)\.$/], ["fp32/fp16,fp32/60000:2,60000:2", /fp16 is farthest \(inf\)\.$/],
        ["fp32/fp32,bf16/1:1,-1:1", /is 0\. fp32, bf16 are exact \(0\b/], ["fp32/fp32/inf:1", /^The terms are not all finite: there is no exact sum\.$/]]) {
        await page.goto(`#sum/dot/${fragment}`);
        await page.waitFor((wanted) => globalThis.binade.fragment === wanted, `#sum/dot/${fragment}`);
        matches(await sentence(page), words, fragment);
    }
    equal(page.messages, []);
    await page.close();
});

await test("a term that is small by chance, and terms of 0, are no stall", async () => {
    const seed = Array.from({ length: 50 }, (_, i) => i).find((i) => sum("random", 10, "e4m3", "rne", i).lines[0].last_change < 10);
    const page = await opened("#sum");
    for (const [fragment, stalled] of [[`random/10/e4m3?seed=${seed}`, false], ["0/5/fp32", false], ["random/5000/bf16", true], ["1/300/bf16", true], ["1%2Fk/5000/bf16", true]]) {
        await page.goto(`#sum/running/${fragment}`);
        await page.waitFor((wanted) => globalThis.binade.fragment === wanted && !document.querySelector("[aria-busy=true]"), `#sum/running/${fragment}`);
        equal(/stalls at step/.test(await sentence(page)), stalled, fragment);
        equal(/^at step/.test(await page.evaluate(() => document.querySelector("tbody tr:nth-child(2)[data-sum]").children[5].textContent)), stalled, fragment);
    }
    equal(page.messages, []);
    await page.close();
});

await test("the terms may be a code, and an unknown part is named", async () => {
    const page = await opened("#sum/running/fp16:0x3c00/3000/fp16");
    equal([await cell(page, "fp16", 1), await cell(page, "exact", 1)], ["2048", "3000"]);
    await page.fill("#sum-term", "fp16:0x7c00");
    matches(await sentence(page, ".failure"), /finite/);
    await page.goto("#sum/zzz");
    await page.waitFor(() => document.querySelector("main > .failure"));
    equal(await sentence(page, "> .failure"), "unknown part 'zzz' (available: running, dot)");
    equal(page.messages, []);
    await page.close();
});

await test("text in a fragment stays text, and a phone's width is enough", async () => {
    for (const fragment of ["#sum/running/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E/10/fp32", "#sum/running/1/10/%3Cimg%20src%3Dx%3E",
        "#sum/dot/%3Cb%3E/fp32/1:1", "#sum/dot/fp32/__proto__/1:1", "#sum/dot/fp32/fp32/%3Cimg%20src%3Dx%3E:1"]) {
        const page = await opened(fragment, { width: 390, height: 800 });
        await page.waitFor(() => document.querySelector(".content .failure:not([hidden])")?.textContent);
        equal(await page.evaluate(() => document.querySelectorAll("main img, main b").length), 0);
        check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), `${fragment} is wider than the window`);
        equal(page.messages, []);
        await page.close();
    }
});

await test("the documented links keep their state, and show it", async () => {
    const links = examples("sum");
    check(links.length >= 2, "links.md has examples");
    for (const fragment of links) {
        equal(link.format(state.format(state.parse(link.parse(fragment)))), fragment);
        const page = await opened(fragment);
        await page.waitFor(() => document.querySelector("tbody tr td.number") && !document.querySelector("[aria-busy=true]"));
        equal(await page.evaluate(() => [location.hash, document.querySelector(".failure:not([hidden])")?.textContent ?? ""]), [fragment, ""]);
        equal(page.messages, []);
        await page.close();
    }
});

await finish();
