// Named cases, counted: a test file calls `await test(name, async () => { ... })` and ends with `await finish()`, which prints
// "N passed, N failed" and sets the exit status. ONLY=words in the environment runs the cases whose name contains them.
import { closeBrowser } from "./browser.mjs";

let passed = 0;
let failed = 0;
let shared = false;
const names = []; // of the cases that failed, in all files

// Several files run in one process: finish() leaves the browser and the counts to files.mjs.
export function share() {
    shared = true;
}

// Those passed and failed since the last call.
export function take() {
    const counts = [passed, failed];
    passed = failed = 0;
    return counts;
}

// The names of the cases that failed, again, where the end of a long log shows them.
export function repeatFailed() {
    for (const name of names) console.log(`failed: ${name}`);
}

export async function test(name, run) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
    const began = Date.now();
    try {
        await run();
        passed++;
    } catch (error) {
        failed++;
        names.push(name);
        console.log(`failed: ${name}\n    ${String(error.stack || error).replace(/\n/g, "\n    ")}`);
    }
    const seconds = (Date.now() - began) / 1000;
    if (seconds >= 1) console.log(`    ${name}: ${seconds.toFixed(1)} s`);
}

export function check(condition, words) {
    if (!condition) throw new Error(words || "the check does not hold");
}

const text = (value) => JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item), 1) ?? String(value);

// Compared by their JSON text; keys in the same order.
export function equal(actual, expected, words = "") {
    const [a, e] = [text(actual), text(expected)];
    if (a !== e) throw new Error(`${words}${words && ": "}expected ${e}, got ${a}`);
}

export function matches(actual, pattern, words = "") {
    if (!pattern.test(actual)) throw new Error(`${words}${words && ": "}expected ${pattern}, got ${text(actual)}`);
}

export async function finish() {
    if (shared) return;
    await closeBrowser();
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed || !passed ? 1 : 0;
}
