// The room Number: typing, bits, keyboard, rules, random bits, links, hostile input; and every number on the page is what
// the native command prints.
import { spawnSync } from "node:child_process";
import { open } from "./browser.mjs";
import { check, equal, finish, matches, test } from "./check.mjs";
import { run } from "./native.mjs";

// What the command prints for the words of the command bar, as JSON.
function native(words) {
    const { status, output, errors } = run([words[0], "-v", "--json", ...words.slice(1)]);
    check(status === 0, errors);
    return output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const card = (format, part = "") => `.format[data-format="${format}"] ${part}`;
const bit = (format, i) => card(format, `.cell:nth-child(${i + 1}) .bit`);
const ready = (page) => page.waitFor(() => document.documentElement.dataset.ready);
const codes = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".format")]
    .map((one) => [one.dataset.format, one.querySelector(".code").textContent])));
const words = (page) => page.evaluate(() => {
    const { room, state } = globalThis.binade.state();
    return room.command(state);
});

// All that the cards show, from the page and from the command.
const shown = (page) => page.evaluate(() => [...document.querySelectorAll(".format")].map((one) => {
    const text = (selector) => one.querySelector(selector)?.textContent ?? "";
    return { format: one.dataset.format, code: text(".code"), bits: [...one.querySelectorAll(".bitrow .bit")].map((b) => b.textContent).join(""),
        class: text(".class"), value: text("dd.value"), ulp: text("dd.ulp"), flags: text("dd.flags"), rule: text("p.rule"),
        steps: [...one.querySelectorAll("details li")].map((li) => li.textContent) };
}));
const expected = (results) => results.map((r) => ({ format: r.format, code: r.code ?? "", bits: (r.bits ?? "").replaceAll(" ", ""),
    class: r.words.class, value: r.words.value, ulp: r.ulp ?? "—", flags: r.flags.join(" ") || "none",
    rule: r.explanation.filter((e) => e.label === "rule").map((e) => e.text).join("; "),
    steps: r.explanation.map((e) => `${e.label} ${e.text}`) }));

const page = await open("");
await ready(page);

await test("the room opens with 0.1 in five formats", async () => {
    equal(await codes(page), { fp32: "0x3dcccccd", fp16: "0x2e66", bf16: "0x3dcd", e4m3: "0x1d", e5m2: "0x2e" });
});

await test("paper shows the bits", async () => {
    await page.media({ print: true });
    check(await page.evaluate(() => [...document.querySelectorAll(".format .bit")].every((one) => one.getBoundingClientRect().height > 0)), "bits are hidden");
    await page.media({});
});

await test("of a long list the first values are shown, and the command has all", async () => {
    const list = Array.from({ length: 1000 }, (_, i) => String(i));
    await page.goto(`#number/fp16/${list.join(",")}`);
    await page.waitFor(() => document.querySelectorAll(".format").length === 32);
    equal(await page.evaluate(() => document.querySelector(".messages").textContent), "The first 32 of 1000 values are shown. The command below prints all.");
    equal((await words(page)).slice(1, 1001), list);
    await page.goto("#number/fp16/1,2");
    await page.waitFor(() => document.querySelectorAll(".format").length === 2 && document.querySelector(".messages").textContent === "");
});

await test("blanks separate names of formats", async () => {
    await page.goto("#number/fp16/1,2");
    await page.fill("#formats", "fp16 bf16,  e4m3");
    await page.press("Enter");
    await page.waitFor(() => globalThis.binade.fragment === "#number/fp16,bf16,e4m3/1,2");
    await page.goto("#number");
    await page.waitFor(() => document.querySelectorAll(".format").length === 5);
});

await test("typing changes every format, the address and the command", async () => {
    await page.fill("#value", "465");
    await page.waitFor(() => document.querySelector('.format[data-format="e4m3"] dd.value').textContent === "nan");
    await page.waitFor(() => location.hash === "#number/fp32,fp16,bf16,e4m3,e5m2/465");
    equal(await page.evaluate(() => document.querySelector("#command code").textContent), "binade show 465 -f fp32,fp16,bf16,e4m3,e5m2");
    equal(await page.evaluate(() => document.activeElement.id), "value");
});

await test("a bit that is clicked changes", async () => {
    await page.goto("#number/fp16,e4m3/1");
    await page.waitFor(() => document.querySelectorAll(".format").length === 2);
    await page.click(bit("fp16", 15));
    equal(await codes(page), { fp16: "0x3c01", e4m3: "0x38" });
    equal(await page.evaluate(() => document.querySelector("#value").value), "fp16:0x3c01");
    await page.click(bit("e4m3", 0));
    equal(await codes(page), { fp16: "0xbc00", e4m3: "0xb8" });
});

await test("keyboard: arrows move, Space changes a bit, up and down go to the next value", async () => {
    await page.goto("#number/e4m3/1");
    await page.waitFor(() => document.querySelectorAll(".format").length === 1);
    await page.evaluate((wanted) => document.querySelector(wanted).focus(), bit("e4m3", 0));
    await page.press("ArrowRight");
    await page.press("End");
    await page.press("Space");
    equal(await codes(page), { e4m3: "0x39" });
    equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "e4m3, fraction bit 0: 1");
    await page.press("ArrowUp");
    equal(await codes(page), { e4m3: "0x3a" });
    await page.press("ArrowDown");
    await page.press("ArrowDown");
    equal(await codes(page), { e4m3: "0x38" });
    equal(await page.evaluate(() => document.querySelectorAll('.bit[tabindex="0"]').length), 1);
});

await test("up and down stop at the ends, and pass zero", async () => {
    await page.goto("#number/e2m1/e2m1:0x7");
    await page.waitFor(() => document.querySelector(".format .code").textContent === "0x7");
    await page.evaluate((wanted) => document.querySelector(wanted).focus(), bit("e2m1", 0));
    for (let i = 0; i < 20; i++) await page.press("ArrowDown");
    equal(await codes(page), { e2m1: "0xf" });
    for (let i = 0; i < 20; i++) await page.press("ArrowUp");
    equal(await codes(page), { e2m1: "0x7" });
});

await test("rounding and dialect", async () => {
    await page.goto("#number/e4m3/465");
    await page.waitFor(() => document.querySelector("dd.value").textContent === "nan");
    await page.choose("#rule-dialect", "torch");
    await page.waitFor(() => document.querySelector("dd.value").textContent === "448");
    equal(await words(page), ["show", "465", "-f", "e4m3", "--dialect", "torch"]);
});

await test("rounding modes and random bits from the controls", async () => {
    await page.goto("#number/e4m3/0.1");
    await page.waitFor(() => document.querySelector(".format .code").textContent === "0x1d");
    await page.choose("#rule-round", "rtz");
    equal(await codes(page), { e4m3: "0x1c" });
    await page.choose("#rule-round", "sr");
    equal((await words(page)).slice(-2), ["--round", "sr:8"]);
    await page.evaluate(() => {
        const bits = document.querySelector("#bits");
        bits.value = "4";
        bits.dispatchEvent(new Event("change", { bubbles: true }));
    });
    equal((await words(page)).slice(-2), ["--round", "sr:4"]);
    equal(await page.evaluate(() => document.querySelectorAll(".random .bit").length), 4);
});

await test("stochastic rounding: slider, bits, probability", async () => {
    await page.goto("#number/e4m3/0.1?round=sr:8&random=213");
    await page.waitFor(() => document.querySelector(".format .code")?.textContent === "0x1d" && document.querySelector("#random"));
    matches(await page.evaluate(() => document.querySelector(".probability .note").textContent), /0\.19921875, R < 51.*0\.80078125, R ≥ 51/);
    await page.evaluate(() => {
        const slider = document.querySelector("#random");
        slider.value = "50";
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    equal(await codes(page), { e4m3: "0x1c" });
    equal((await words(page)).slice(-2), ["--random", "50"]);
    await page.click(".random .cell:nth-child(8) .bit");
    equal(await codes(page), { e4m3: "0x1d" });
    equal((await words(page)).slice(-2), ["--random", "51"]);
    await page.click(".random button:not(.bit)");
    equal((await words(page)).slice(-2), ["--seed", "1"]);
});

// Every switch has the names of the command.
await test("each choice of the controls is one that the command has", async () => {
    const choices = await import("../../tools/page/js/number/choices.js");
    for (const [option, list] of [["--round", choices.roundings], ["--overflow", choices.overflows], ["--nan", choices.nans],
        ["--flush", choices.flushes], ["--tininess", choices.tininess], ["-f", choices.presets.map(([, formats]) => [formats])]]) {
        for (const [name] of list) native(["show", "1", option, name]);
    }
    for (const [name] of await page.evaluate(() => [...document.querySelectorAll("#rule-dialect option")].map((o) => [o.value]))) {
        if (name !== "") native(["show", "1", "--dialect", name, "-f", "all"]);
    }
});

for (const fragment of ["#number/fp32,fp16,bf16,e4m3,e5m2/0.1", "#number/fp64,tf32,e8m0,e2m1,ue5m3/-431.99999999999994",
    "#number/e4m3,e5m2,e4m3fnuz/1e9?overflow=saturate", "#number/fp16/1e-7,inf,-nan,65520,0", "#number/p11emin-14emax15,p4/0.3?round=rup",
    "#number/fp16,bf16/fp32:0x3f803000?round=sra:4&random=3", "#number/e2m1,e3m2/nan?dialect=ml_dtypes", "#number/fp16/6e-8?flush=out&tininess=before",
    "#number/fp64/1e-300?exact=1", "#number/fp16,e4m3,p4/2%5E-24,448%2B16,3/8,3%2A2%5E-10,-2%5E2,sqrt%2816%29%2F2,fp16:0x3c01%2A4,0%2A-1,2%5E-1000".replaceAll("3/8", "3%2F8"), "#number/binary8p3se,e6m9/3.14159?round=srb:62&seed=9", "#number/e4m3/-465?round=sr-equal&random=1"]) {
    await test(`the page shows what the command prints: ${fragment}`, async () => {
        await page.goto("#sum");
        await page.goto(fragment);
        await page.waitFor(() => document.querySelector(".room-number .format"));
        equal(await page.evaluate(() => location.hash), fragment);
        await page.evaluate(() => document.querySelectorAll(".format details").forEach((one) => { one.open = true; }));
        await page.waitFor(() => [...document.querySelectorAll(".format details ul")].every((ul) => ul.childElementCount > 0));
        equal(await shown(page), expected(native(await words(page)).flatMap((one) => one.results)));
        equal(await page.evaluate(() => globalThis.binade.fragment), fragment, "the state is written as it was read");
    });
}

await test("formats from a set and ticked", async () => {
    await page.goto("#number/e4m3/1");
    await page.waitFor(() => document.querySelectorAll(".format").length === 1);
    await page.evaluate(() => { document.querySelector(".boxes").parentElement.open = true; });
    await page.waitFor(() => document.querySelector('.boxes input[value="fp64"]'));
    await page.click('.boxes input[value="fp64"]');
    equal(await codes(page), { e4m3: "0x38", fp64: "0x3ff0000000000000" });
    await page.click('.boxes input[value="e4m3"]');
    equal(await codes(page), { fp64: "0x3ff0000000000000" });
});

await test("a format that does not exist is explained, and the next state works", async () => {
    await page.goto("#number/fp17/1");
    await page.waitFor(() => document.querySelector(".messages .failure")?.textContent.includes("did you mean"));
    await page.goto("#number/fp16/1");
    await page.waitFor(() => !document.querySelector(".messages .failure") && document.querySelector(".format .code").textContent === "0x3c00");
});

await test("input that is not a number", async () => {
    const before = page.messages.length;
    for (const text of ["<img src=x onerror=alert(1)>", "\u{1F600}", "'\"`;${1}", "-", "1e", "fp16:0xzz", "__proto__"]) {
        await page.evaluate((value) => {
            const input = document.querySelector("#value");
            input.focus();
            input.value = value;
            input.dispatchEvent(new Event("input", { bubbles: true }));
        }, text);
        await page.waitFor(() => document.querySelector(".messages .failure"));
        equal(await page.evaluate(() => document.querySelectorAll("#room img").length), 0);
    }
    equal(page.messages.slice(before), []);
});

await test("expressions that are no quotients of integers are explained", async () => {
    for (const text of ["pi", "2^100000000", "1/0", "sqrt(2)", "inf-inf", "exp(1)", "log2(8)"]) {
        await page.enter("#number/e4m3/1"); // the browser may ignore the address that it has just left
        await page.waitFor(() => document.querySelector(".format .code")?.textContent === "0x38" && !document.querySelector(".failure"));
        await page.fill("#value", text);
        await page.waitFor(() => document.querySelector(".messages .failure"));
    }
    await page.fill("#value", "pi");
    await page.waitFor(() => document.querySelector(".messages .failure")?.textContent.includes("binade show"));
});

await test("expressions that are quotients have the command's answer", async () => {
    await page.goto("#number/e4m3,fp16/1%2F3,fma%281,2,3%29");
    await page.waitFor(() => document.querySelectorAll(".format").length === 4 && !document.querySelector(".messages .failure"));
    const shown = await page.evaluate(() => [...document.querySelectorAll(".format")].map((one) => one.querySelector(".code").textContent));
    equal(shown, native(["show", "1/3", "fma(1,2,3)", "-f", "e4m3,fp16"]).flatMap(({ results }) => results.map((r) => r.code)));
    check((await page.evaluate(() => document.querySelector("#command code").textContent)).endsWith("show 1/3 'fma(1,2,3)' -f e4m3,fp16"), "the command");
});

await test("100,000 digits", async () => {
    const digits = `0.${"7".repeat(100000)}`;
    await page.goto("#number/e4m3,fp16/1");
    await page.waitFor(() => document.querySelectorAll(".format").length === 2 && !document.querySelector(".messages .failure"));
    await page.evaluate((value) => {
        const input = document.querySelector("#value");
        input.focus();
        input.value = value;
        input.dispatchEvent(new Event("input", { bubbles: true }));
    }, digits);
    await page.waitFor(() => document.querySelector("dd.value").textContent === "0.75");
    equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "the page is not wider than the window");
});

await test("literals: C, Python, PyTorch and SystemVerilog of the codes", async () => {
    await page.goto("#number/fp32,bf16,e4m3,e2m1,tf32/0.1");
    await page.waitFor(() => document.querySelectorAll(".format").length === 5);
    const text = await page.evaluate(() => document.querySelector("#command").textContent);
    for (const literal of ["float fp32 = 0x1.99999ap-4f;", "uint8_t e4m3 = 0x1d;", "e4m3 = np.uint8(0x1d).view(ml_dtypes.float8_e4m3fn)",
        "bf16 = torch.tensor(15821, dtype=torch.int16).view(torch.bfloat16)", "localparam logic [3:0] E2M1 = 4'h0;", "tf32 = 0x"]) {
        check(text.includes(literal), `${literal} is not in ${text}`);
    }
});

// The lines for Python, run by a Python that has numpy, or also torch: each type's value is the page's.
const python = ["python3", "/usr/bin/python3"].find((one) => spawnSync(one, ["-c", "import numpy"]).status === 0);
const skip = python === undefined ? "Python with numpy" : false;
await (skip ? (name) => console.log(`skipped: ${name}: needs ${skip}`) : test)("literals: Python's lines give the value on the page", async () => {
    for (const value of ["0.1", "-65504", "6e-8", "-0"]) {
        await page.goto(`#number/fp64,fp32,fp16,bf16/${value}`);
        await page.waitFor((typed) => document.querySelectorAll(".format").length === 4 && globalThis.binade.state().state.path[1] === typed, value);
        const lines = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#command .line")]
            .map((row) => [row.querySelector(".name").textContent, row.querySelector("code").textContent])));
        const script = ["import numpy as np", "def same(name, a, b): assert a == b, (name, a, b)",
            ...lines.Python.split("\n").filter((line) => !line.includes("ml_dtypes")),
            "same('fp32', float(fp32), float(np.float32(WANT)))", "same('fp16', float(fp16), float(np.float16(WANT)))", "same('fp64', float(fp64), WANT)",
            "try:", "    import torch", "except ImportError:", "    raise SystemExit",
            ...lines.PyTorch.split("\n"),
            "same('torch fp16', float(fp16), float(torch.tensor(WANT, dtype=torch.float64).to(torch.float16)))",
            "same('torch bf16', float(bf16), float(torch.tensor(WANT, dtype=torch.float32).to(torch.bfloat16)))"].join("\n").replaceAll("WANT", `float('${value}')`);
        const done = spawnSync(python, ["-c", script], { encoding: "utf8" });
        equal(done.status, 0, done.stderr);
    }
});

for (const [width, dark] of [[390, false], [390, true], [1280, true]]) {
    await test(`${width} pixels${dark ? ", dark" : ""}: nothing is wider than the window`, async () => {
        const narrow = await open("#number/fp64,fp32,e4m3,binary8p3se,p4/0.1?round=sr:62", { width, dark });
        await narrow.waitFor(() => document.querySelectorAll(".format").length === 5);
        equal(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        equal(narrow.messages, []);
        await narrow.close();
    });
}

await test("every control has a name, every picture words", async () => {
    await page.goto("#number/e4m3/0.1?round=sr:8");
    await page.waitFor(() => document.querySelector("#random"));
    const nameless = (await page.accessibility()).filter(({ role, name }) =>
        /^(button|textbox|combobox|slider|checkbox|spinbutton|image|img)$/.test(role?.value) && !name?.value);
    equal(nameless.map(({ role }) => role.value), []);
});

await test("no message on the console", () => equal(page.messages, []));
await page.close();
await finish();
