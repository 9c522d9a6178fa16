// Runs test files one after the other in one process, with one browser: node files.mjs FILE...
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { closeBrowser } from "./browser.mjs";
import { repeatFailed, share, take } from "./check.mjs";

share();
process.setMaxListeners(0); // many files remove a folder when the process ends
let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
    const began = Date.now();
    let error = null;
    try {
        await import(pathToFileURL(resolve(file)));
    } catch (thrown) {
        error = thrown;
    }
    let [good, bad] = take();
    if (error || (good + bad === 0 && !process.env.ONLY)) {
        console.log(`${basename(file)}: ${error ? error.stack || error : "no case has run"}`);
        bad++;
    }
    console.log(`${basename(file)}: ${good} passed, ${bad} failed, ${Math.round((Date.now() - began) / 1000)} s`);
    passed += good;
    failed += bad;
}
await closeBrowser();
repeatFailed();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
