// Elements. All text goes in as text: no string is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (name.startsWith("on")) {
            element.addEventListener(name.slice(2), value);
        } else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") {
            element[name] = value;
        } else if (value !== undefined && value !== null && value !== false) {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

// h("p", { class: "note", onclick: f }, "text", element, [more])
export function h(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

// The same for SVG.
export function svg(name, attributes, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

// A button that copies the text which `text()` gives, and says so.
export function copyButton(label, text, announce) {
    const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${label}` }, "Copy");
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text());
        } catch { // from file:// some browsers refuse
            const area = h("textarea", { class: "offscreen", value: text() });
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
            button.focus();
        }
        button.textContent = "Copied";
        announce(`${label} copied`);
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    return button;
}

// A labelled select: options are [value, text] or strings.
export function select(label, options, value, onchange) {
    const list = options.map((o) => Array.isArray(o) ? o : [o, o]);
    const element = h("select", { onchange: () => onchange(element.value) },
        list.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
    return h("label", { class: "field" }, h("span", {}, label), element);
}

// Saves bytes or text as a file of the reader's machine.
export function saveFile(name, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = h("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}
