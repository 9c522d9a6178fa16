// Expressions in the page, which has no GMP, against the command: quotients drawn at random, in every mode, with the digits
// of their errors. BND_TEST_SCALE=10 compares ten times as many. Needs no browser.
import { check, equal, finish, test } from "./check.mjs";
import { openCore, run } from "./native.mjs";

const core = await openCore();
const scale = Number(process.env.BND_TEST_SCALE) || 1;
const modes = ["rne", "rna", "rtz", "rup", "rdn", "rto", "sr", "sra:4", "srb:6", "sr-equal"];
const formats = "fp64,fp32,fp16,bf16,e4m3,e5m2,e8m0,e2m1,tf32,p3109";

let state = 7n;
function random(below) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 33n) % below;
}
const digits = (most) => Array.from({ length: 1 + random(most) }, () => random(10)).join("");
const pick = (list) => list[random(list.length)];

// A number as people write it; rarely a long one, and rarely far from 1.
function number() {
    const integer = random(4) === 0 ? digits(random(8) === 0 ? 60 : 9) : `${random(1000)}`;
    const point = random(3) === 0 ? `.${digits(12)}` : "", far = random(12) === 0 ? 330 : 9;
    return `${integer}${point}${random(4) === 0 ? `e${random(2 * far) - far}` : ""}`;
}
function expression(depth) {
    const one = () => (depth > 0 && random(3) === 0 ? `(${expression(depth - 1)})` : number());
    return pick([
        () => `${one()}/${one()}`, () => `${one()}/${one()}`, () => `-${one()}/${one()}`, () => `${one()}*${one()}`,
        () => `${one()}+${one()}/${one()}`, () => `${one()}-${one()}`, () => `(${one()})^${random(13) - 6}`,
        () => `fma(${one()},${one()},-${one()})`, () => `min(${one()},1/${one()})`, () => `max(-${one()},${one()}/7)`,
        () => `abs(${one()}-${one()})`, () => `sqrt((${one()}/${one()})^2)`, () => `scalb(${one()}/${one()},${random(99) - 50})`,
        () => `reciprocal(${one()})`, () => `fp16:0x${random(0x7c00).toString(16)}/${one()}`, () => `0x1.${digits(9)}p${random(9)}/${one()}`,
    ])();
}

function bothGive(words, what) {
    const mine = core.run(words), theirs = run(words);
    const first = [mine, theirs].map(({ output }) => output.split("\n"));
    const line = first[0].findIndex((text, i) => text !== first[1][i]);
    equal([mine.status, line < 0 ? "" : first[0][line]], [theirs.status, line < 0 ? "" : first[1][line]], `${what}: ${theirs.errors}${mine.errors}`);
}

const evaluated = (text) => core.run(["show", "-f", "fp16", "--", text]).status === 0;
const page = { ...process.env, BINADE_PAGE: "https://example.org/b.html" };
const linked = (values) => run(["show", "-f", "fp16", "--link", "--", ...values], { env: page });

for (const mode of modes) {
    await test(`quotients drawn at random, ${mode}`, () => {
        for (let i = 0; i < Math.max(1, Math.round(scale)); i++) {
            const drawn = Array.from({ length: 100 }, () => expression(2)), values = drawn.filter(evaluated);
            check(values.length > 80, `${values.length} of 100 are evaluated`);
            bothGive(["show", "-f", formats, "--json", "-v", "--round", mode, "--seed", "5", "--", ...values], mode);
            equal(linked(values).errors, "", "no note");
            for (const text of drawn.filter((one) => !values.includes(one))) {
                const { status, errors } = linked([text]);
                check(status !== 0 || errors !== "", `${text}: a link without a note`);
            }
        }
    });
}

await test("ties, and quotients next to them", () => {
    const values = [];
    for (let i = 0; i < 60; i++) {
        const odd = 2 * random(1 << 20) + 1, least = pick(["1e-40", "1e-300", "1/3*1e-90", "0"]);
        values.push(`${odd}/2^${random(60)}*3/3`, `${odd}/2^${random(60)}+${least}`, `${odd}/2^${random(60)}-${least}`);
    }
    bothGive(["show", "-f", formats, "--json", "-v", "--exact", "--", ...values], "ties");
    bothGive(["show", "-f", formats, "--table", "--", ...values], "a table");
});

await test("signs of zeros", () => {
    const values = ["0*-1", "1-1", "-(1-1)", "-0", "0*-1+0", "0*-1-0", "min(0,-0)", "max(-0,0)", "(-0)^3", "(-0)^2", "sqrt(-0)", "abs(-0)", "abs(1-1)*-1",
        "fma(0,-1,0)", "fma(0,-1,-0)", "(1-1)*-1", "scalb(-0,3)", "0/-3", "-0/3", "(1-1)/-3", "2*(-0)", "(1-1)+(-0)", "1-1+1", "fp16:0x8000", "-(fp16:0x8000)"];
    for (const mode of ["rne", "rdn"]) {
        bothGive(["show", "-f", formats, "--json", "-v", "--round", mode, "--", ...values], mode);
    }
});

await test("long and far numbers", () => {
    for (const text of ["2^300000", "-(2^-300000)/3", "1e-20000/7", "1e20000/7+1", "(1/3)^5000", `0.${"7".repeat(9000)}/3`, "2^64+1", "10^400/10^400"]) {
        bothGive(["show", "-f", "fp64,fp16,e8m0", "--json", "-v", "--", text], text.slice(0, 30));
    }
});

await test("what the page does not evaluate, and what --link says of it", () => {
    const noted = (text) => linked([text]).errors !== "";
    for (const text of ["pi", "sqrt(2)", "sqrt(2)*0+1", "exp(1)/exp(1)", "exp2(3)", "log2(8)", "inf-inf", "1/0", "1/(1/0)", "min(inf,1)", "2^100000000",
        "3^300000", "0/0", "e"]) {
        equal([text, core.run(["show", "-f", "fp16", "--", text]).status], [text, 2]);
        check(run(["show", "-f", "fp16", "--", text]).status !== 0 || noted(text), `${text}: a link without a note`);
    }
    for (const text of ["1/3", "inf", "nan", "-0", "0.1*3", "sqrt(2/8)", "fma(1,2,3)", "min(1,max(2,3))", "sum(1/3,5)", "scalb(1/3,5)", "(-2/3)^-3", "e2m1:0x3*3"]) {
        equal([text, core.run(["show", "-f", "fp16", "--", text]).errors, noted(text)], [text, "", false]);
    }
});

await finish();
