// Fragments: tests/page/links.tsv from fragment to command (tests/cli/links.sh goes the other way), fragments that are written
// in another way, and text that must not break a fragment. Needs no browser.
import { readFileSync } from "node:fs";
import { check, equal, finish, test } from "./check.mjs";
import { commandLine, format, items, parse } from "../../tools/page/js/link.js";
import { rooms } from "../../tools/page/js/rooms/index.js";

const lines = readFileSync(new URL("links.tsv", import.meta.url), "utf8").split("\n")
    .filter((line) => line !== "" && !line.startsWith("# ")).map((line) => line.split("\t"));

function commandOf(fragment) {
    const state = parse(fragment), room = rooms.find((r) => r.id === state.room);
    check(room !== undefined, `no room '${state.room}'`);
    const words = room.command(state);
    return words === null ? "-" : commandLine(words);
}

for (const [fragment, line] of lines) {
    await test(fragment, () => {
        equal(format(parse(fragment)), fragment, "written again");
        equal(commandOf(fragment), line === "-" ? "-" : `binade ${line}`);
    });
}

// [read, written]: links that people and programs have changed on their way.
for (const [read, written] of [
    ["#number/e4m3/%2B1", "#number/e4m3/%2B1"],
    ["#number/e4m3/+1", "#number/e4m3/%2B1"],
    ["#number/fp16/sqrt(2)%2f2", "#number/fp16/sqrt%282%29%2F2"],
    ["#number/fp16/fma%281%2C2%2C3%29,7", "#number/fp16/fma%281,2,3%29,7"],
    ["#number/fp16%2Cbf16/2^-24", "#number/fp16,bf16/2%5E-24"],
    ["#number/e4m3/465?dialect=torch&round=rna&round=rne", "#number/e4m3/465?dialect=torch&round=rne"],
    ["#number/e4m3/1?", "#number/e4m3/1"],
    ["#number/e4m3/1?round=", "#number/e4m3/1"],
    ["#number/e4m3/1?&seed=7&", "#number/e4m3/1?seed=7"],
    ["#number/e4m3/100%", "#number/e4m3/100%25"],
    ["#number/e4m3/%FF", "#number/e4m3/%25FF"],
]) {
    await test(`${read} is ${written}`, () => equal(format(parse(read)), written));
}

await test("text of any kind comes back", () => {
    for (const text of ["<img src=x onerror=alert(1)>", "a/b?c&d=e#f%41+ g", "'\"`\\", "π − 1", "\u{1F600}", "__proto__", "%"]) {
        const state = parse(format({ room: "number", path: [text, text], query: { key: text, [text]: "1" } }));
        equal(state.path, [text, text]);
        equal([state.query.key, state.query[text]], [text, "1"]);
    }
});

await test("a lone surrogate does not throw", () => equal(format({ room: "number", path: ["\uD800"] }), "#number/%EF%BF%BD"));

await test("a list is split at commas outside of parentheses", () => {
    for (const [list, expected] of [["1,2", ["1", "2"]], ["fma(1,2,3),4", ["fma(1,2,3)", "4"]], ["min(1,max(2,3)), 4,", ["min(1,max(2,3))", "4"]],
        ["(1,2", ["(1,2"]], ["1),2", ["1)", "2"]], ["", []], [undefined, []]]) {
        equal(items(list), expected);
    }
});

await test("the parts of a state", () => {
    const { room, path, query } = parse("#number/e4m3/465?round=rne&dialect=torch");
    equal([room, path, { ...query }], ["number", ["e4m3", "465"], { round: "rne", dialect: "torch" }]);
    equal(parse("").path, []);
});

await finish();
