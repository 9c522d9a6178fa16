// An image through two formats, with a slider between them, and through every format of the list as small pictures.
import { h } from "../dom.js";
import { check, choice } from "../sum/controls.js";

const LARGEST = 640; // pixels of the longer side
const DRAWN = [480, 320];
export const GAIN = "8";

// The pixels of an image file, made smaller where it is large: { pixels, width, height }.
export async function readImage(file) {
    let bitmap;
    try {
        bitmap = await createImageBitmap(file);
    } catch {
        throw new Error(`${file.name} is not an image that this browser reads`);
    }
    const factor = Math.min(1, LARGEST / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * factor)), height = Math.max(1, Math.round(bitmap.height * factor));
    const canvas = h("canvas", { width, height }), context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return { pixels: context.getImageData(0, 0, width, height).data.buffer, width, height };
}

export const drawnImage = () => ({ pixels: null, width: DRAWN[0], height: DRAWN[1] });

function paint(canvas, pixels, { width, height }) {
    if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
    }
    canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
}

// onchange(part of the state)
export class ImageView {
    constructor(onchange) {
        const left = choice("Left", ["original"], { id: "image-left", onchange: (value) => onchange({ left: value }) });
        const right = choice("Right", ["original"], { id: "image-right", onchange: (value) => onchange({ right: value }) });
        const centred = check("values from -1 to 1, not 0 to 1", { id: "image-centred", onchange: (on) => onchange({ centred: on ? "1" : "0" }) });
        const gain = check(`show the error, times ${GAIN}`, { id: "image-gain", onchange: (on) => onchange({ gain: on ? GAIN : "0" }) });
        this.controls = { left, right, centred, gain };
        this.onchange = onchange;
        this.canvases = { left: h("canvas", { role: "img", class: "left" }), right: h("canvas", { role: "img", class: "right" }) };
        this.slider = h("input", { id: "image-slider", type: "range", min: 0, max: 100, value: 50,
            "aria-label": "border between the left and the right picture", oninput: () => this.cut() });
        this.captions = { left: h("span", {}), right: h("span", {}) };
        this.stage = h("div", { class: "stage" }, this.canvases.left, this.canvases.right,
            h("div", { class: "border", "aria-hidden": "true" }));
        this.small = h("div", { class: "small-images" });
        const captions = h("p", { class: "captions" }, this.captions.left, this.captions.right);
        this.element = h("div", { class: "image" }, h("div", { class: "fields" }, left.element, right.element, centred.element, gain.element),
            h("div", { class: "stage-box" }, this.stage, this.slider, captions), h("h2", {}, "Every format"), this.small);
        this.cut();
    }

    cut() {
        const at = Number(this.slider.value);
        this.canvases.right.style.clipPath = `inset(0 0 0 ${at}%)`;
        this.stage.lastChild.style.left = `${at}%`;
    }

    // The two names that the state means.
    static sides(state, names) {
        const known = (name) => name === "original" || names.includes(name);
        return { left: known(state.left) ? state.left : "original", right: [state.right, "mxfp4"].find(known) ?? names[0] ?? "original" };
    }

    follow(state, names) {
        const sides = ImageView.sides(state, names);
        for (const side of ["left", "right"]) {
            const { input } = this.controls[side];
            const options = ["original", ...names];
            if ([...input.options].map((o) => o.value).join() !== options.join()) {
                input.replaceChildren(...options.map((name) => h("option", { value: name }, name)));
            }
            input.value = sides[side];
        }
        this.controls.centred.set(state.centred === "1");
        this.controls.gain.set(state.gain !== "0");
    }

    // through(name, gain) -> pixels; results: { name, sqnr_text, ... }; original: pixels.
    async show(state, { names, size, original, through, results, stale }) {
        const sides = ImageView.sides(state, names), gain = state.gain === "0" ? 0 : Number(GAIN);
        const note = (name) => {
            const found = results.find((r) => r.name === name);
            return name === "original" ? "original" : `${name}${found?.sqnr_text ? `: ${found.sqnr_text} dB` : found?.lossless ? ": exact" : ""}`;
        };
        const pixels = new Map();
        for (const name of new Set([sides.left, sides.right, ...names])) {
            if (stale()) {
                return;
            }
            pixels.set(name, name === "original" ? original : await through(name, gain).catch(() => null));
            for (const side of ["left", "right"]) {
                if (sides[side] === name && pixels.get(name)) {
                    paint(this.canvases[side], pixels.get(name), size);
                    this.canvases[side].setAttribute("aria-label", note(name));
                    this.captions[side].textContent = note(name);
                }
            }
        }
        this.small.replaceChildren(...names.filter((name) => pixels.get(name)).map((name) => {
            const canvas = h("canvas", { "aria-hidden": "true" });
            paint(canvas, pixels.get(name), size);
            return h("button", { type: "button", class: "plain", "data-image": name, "aria-pressed": String(name === sides.right),
                title: `${name} on the right`, onclick: () => this.onchange({ right: name }) },
                canvas, h("span", {}, name), h("br"), note(name).slice(name.length + 2));
        }));
    }
}
