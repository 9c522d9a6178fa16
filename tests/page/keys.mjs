// What the browser's protocol wants to know of a key: its name, its place on the keyboard and the text it makes.
const NAMED = {
    Enter: ["Enter", 13, "\r"], Tab: ["Tab", 9, ""], Escape: ["Escape", 27, ""], Backspace: ["Backspace", 8, ""],
    Delete: ["Delete", 46, ""], ArrowLeft: ["ArrowLeft", 37, ""], ArrowUp: ["ArrowUp", 38, ""],
    ArrowRight: ["ArrowRight", 39, ""], ArrowDown: ["ArrowDown", 40, ""], Home: ["Home", 36, ""], End: ["End", 35, ""],
    PageUp: ["PageUp", 33, ""], PageDown: ["PageDown", 34, ""], Space: ["Space", 32, " "],
};
const MODIFIERS = { Alt: [1, 18], Control: [2, 17], Meta: [4, 91], Shift: [8, 16] };
// The editing commands that a desktop gives to Control and a letter; the protocol does not do that by itself.
const COMMANDS = { a: "selectAll", c: "copy", v: "paste", x: "cut", z: "undo" };

function one(key) {
    if (NAMED[key]) {
        const [code, number, text] = NAMED[key];
        return { key: key === "Space" ? " " : key, code, number, text };
    }
    if (key === " ") return one("Space");
    if ([...key].length !== 1) throw new Error(`press: unknown key '${key}'`);
    if (/[a-z]/i.test(key)) return { key, code: `Key${key.toUpperCase()}`, number: key.toUpperCase().charCodeAt(0), text: key };
    if (/[0-9]/.test(key)) return { key, code: `Digit${key}`, number: key.charCodeAt(0), text: key };
    return { key, code: "", number: 0, text: key };
}

// events("Shift+Tab"): the events of pressing and releasing it.
export function events(keys) {
    const names = keys.length > 1 ? keys.split("+") : [keys];
    const last = names.pop();
    let modifiers = 0;
    for (const name of names) {
        if (!MODIFIERS[name]) throw new Error(`press: unknown modifier '${name}' (${Object.keys(MODIFIERS).join(", ")})`);
        modifiers |= MODIFIERS[name][0];
    }
    const { key, code, number, text } = one(last);
    const made = modifiers & ~MODIFIERS.Shift[0] ? "" : text;
    const base = { key, code, windowsVirtualKeyCode: number, nativeVirtualKeyCode: number, modifiers };
    const commands = modifiers === MODIFIERS.Control[0] && COMMANDS[last] ? [COMMANDS[last]] : undefined;
    return [{ ...base, type: made ? "keyDown" : "rawKeyDown", text: made || undefined, unmodifiedText: made || undefined, commands },
        { ...base, type: "keyUp" }];
}
