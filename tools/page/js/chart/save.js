// A chart as a file: its SVG with a heading, a legend and the styles of chart.css written into the elements, in the
// colours of paper; and a PNG drawn from that SVG.

import { svg as s } from "../dom.js";
import { cut, widthOf } from "./text.js";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin",
    "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "paint-order"];
const MARGIN = 12;
const LINE = 18;

export function fileName(title) {
    return title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";
}

// Legend entries in lines of this width.
function legendOf(frame, width) {
    const series = (frame.spec.series ?? []).filter((one) => !one.unnamed && !frame.hidden.has(one.key ?? one.name));
    const parts = [];
    let x = 0, y = 0;
    if (series.length > 1) {
        for (const one of series) {
            const name = cut(one.name, 40), room = 40 + widthOf(name) + 16;
            if (x > 0 && x + room > width) {
                x = 0;
                y += LINE;
            }
            parts.push(s("g", { transform: `translate(${x},${y})` }, ...frame.sample(one),
                s("text", { x: 40, y: 10, class: "chart-text" }, name)));
            x += room;
        }
        y += LINE;
    }
    return { parts, height: y };
}

// All styles are read before the first class goes: they depend on the classes around an element.
function inline(copy) {
    const all = [copy, ...copy.querySelectorAll("*")];
    const styles = all.map((element) => {
        const style = getComputedStyle(element);
        return ["title", "desc", "g"].includes(element.tagName) ? [] : STYLES.map((name) => [name, style.getPropertyValue(name)]);
    });
    all.forEach((element, i) => {
        for (const [name, value] of styles[i]) {
            if (value && !(name === "stroke-dasharray" && value === "none")) {
                element.setAttribute(name, value);
            }
        }
        element.removeAttribute("class");
        element.removeAttribute("aria-hidden");
    });
}

// XML has no control characters and no halves of surrogate pairs; names from files may.
const ALIEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function xml(svg) {
    return new XMLSerializer().serializeToString(svg).replace(ALIEN, "\ufffd");
}

export function toSvg(frame) {
    const [, , width, height] = frame.svg.getAttribute("viewBox").split(" ").map(Number);
    const legend = legendOf(frame, width);
    const top = MARGIN + 22 + legend.height;
    const whole = [width + 2 * MARGIN, top + height + MARGIN];
    const body = frame.svg.cloneNode(true);
    body.querySelectorAll(".chart-cursor").forEach((element) => element.remove());
    const [title, desc] = [body.querySelector("title"), body.querySelector("desc")];
    const out = s("svg", { xmlns: "http://www.w3.org/2000/svg", width: whole[0], height: whole[1], viewBox: `0 0 ${whole[0]} ${whole[1]}`, role: "img", class: "chart-paper chart-svg" },
        title, desc, s("rect", { width: whole[0], height: whole[1], class: "chart-ground" }),
        s("text", { x: MARGIN, y: MARGIN + 10, class: "chart-text chart-heading" }, frame.spec.title),
        s("g", { transform: `translate(${MARGIN},${MARGIN + 22})` }, ...legend.parts),
        s("g", { transform: `translate(${MARGIN},${top})` }, ...body.childNodes));
    const room = document.createElement("div");
    room.className = "chart-measure";
    room.append(out);
    frame.element.append(room);
    inline(out);
    room.remove();
    return out;
}

export function toSvgText(frame) {
    return `${xml(toSvg(frame))}\n`;
}

export async function toPng(frame, times = 2) {
    const svg = toSvg(frame);
    const image = new Image();
    const [width, height] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(xml(svg));
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * times;
    canvas.height = height * times;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no PNG."))), "image/png"));
}
