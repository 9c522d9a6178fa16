// Runs the JavaScript of Markdown pages: node examples.mjs PAGE... In a block of ```js, a line `EXPRESSION; // TEXT` says
// what node prints of the expression. Writes a module per page into the working folder and runs it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const HELP = `import { inspect } from "node:util";
let wrong = 0, checked = 0;
function expect(line, found, expected) {
    const text = inspect(found, { breakLength: Infinity });
    checked++;
    if (text !== expected) {
        wrong++;
        console.log(\`\${line}: \${text}, the page says \${expected}\`);
    }
}
`;

// A block as statements in a scope of its own; imports become one dynamic import.
function scriptOf(block, firstLine) {
    const lines = block.split("\n").map((line, i) => {
        const imported = /^import (\{.*\}|\* as \w+) from "(.*)";$/.exec(line);
        if (imported !== null) {
            return `const ${imported[1].replace("* as ", "")} = await import("${imported[2]}");`;
        }
        const checked = /^(\s*)(?!const |let |import )(\S.*); \/\/ (.*)$/.exec(line);
        return checked === null ? line : `${checked[1]}expect(${firstLine + i}, ${checked[2]}, ${JSON.stringify(checked[3])});`;
    });
    return `{\n${lines.join("\n")}\n}\n`;
}

let failed = 0;
for (const page of process.argv.slice(2)) {
    const text = readFileSync(page, "utf8"), blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)];
    const lineOf = (at) => text.slice(0, at).split("\n").length + 1;
    const name = `./${basename(page)}.mjs`;
    writeFileSync(name, `${HELP}${blocks.map((block) => scriptOf(block[1], lineOf(block.index))).join("")}
console.log(\`${basename(page)}: \${checked} examples, \${wrong} wrong\`);
process.exit(wrong === 0 && checked > 0 ? 0 : 1);
`);
    try {
        process.stdout.write(execFileSync(process.execPath, [name], { encoding: "utf8" }));
    } catch (error) {
        failed++;
        console.log(`FAIL: ${page}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
    }
}
process.exit(failed === 0 ? 0 : 1);
