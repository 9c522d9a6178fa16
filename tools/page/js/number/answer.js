// Asks the command about the values and formats of a state. The last answer is kept: the room and its literals ask alike.

let last = { key: "", answer: null };
const facts = new Map();

// A command's messages without its name, one per line.
export function messages(errors) {
    return errors.split("\n").map((line) => line.replace(/^binade( \w+)?: /, "").trim()).filter((line) => line !== "");
}

// Answers { answers: [{ input, results }], status, notes }: what `binade WORDS -v --json` prints, and its messages.
export function ask(core, words, { verbose = true } = {}) {
    const key = JSON.stringify([words, verbose]);
    if (last.key !== key) {
        const [name, ...rest] = words;
        const { status, output, errors } = core.run([name, ...(verbose ? ["-v"] : []), "--json", ...rest]);
        const answers = output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
        last = { key, answer: { answers, status, notes: messages(errors) } };
    }
    return last.answer;
}

// What `binade formats` says about each format of a list: layout, width, names elsewhere.
export function formatFacts(core, list) {
    if (!facts.has(list)) {
        const all = core.json(["formats", "-f", list]).formats;
        facts.set(list, new Map(all.map((one) => [one.name, one])));
    }
    return facts.get(list);
}
