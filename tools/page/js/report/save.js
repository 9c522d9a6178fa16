// A report as a file: the page itself with the report inside, as `binade report -o` writes it. And runs as one archive.

import { saveFile } from "../dom.js";

const BEGIN = '<script type="application/json" id="binade-report">';
const END = "</" + "script>";

// The page's text with another report inside. The element comes before the script, so its first occurrence is meant.
export function withReport(source, report) {
    const at = source.indexOf(BEGIN), to = source.indexOf(END, at);
    if (at < 0 || to < 0) {
        throw new Error("this page has no place for a report");
    }
    return source.slice(0, at + BEGIN.length) + JSON.stringify(report).replaceAll("<", "\\u003c") + source.slice(to);
}

// The report in a file: JSON, or a page with the report inside.
export async function reportIn(file) {
    const text = await file.text(), at = text.indexOf(BEGIN) + BEGIN.length;
    let report = null;
    try {
        report = JSON.parse(/\.json$/i.test(file.name) ? text : text.slice(at, text.indexOf(END, at)));
    } catch { } // cut, or something else
    if (report?.report !== 1) {
        throw new Error(`${file.name} holds no report of binade`);
    }
    return report;
}

export function saveReport(page, report) {
    saveFile("report.html", withReport(page.source, report), "text/html");
}

// A header of ustar. A path of up to 255 bytes is split at a slash into prefix and name.
function header(path, size) {
    const block = new Uint8Array(512), encoder = new TextEncoder();
    const put = (text, at, length) => block.set(encoder.encode(text).subarray(0, length), at);
    const bytes = encoder.encode(path);
    if (bytes.length > 100) {
        const slash = path.lastIndexOf("/");
        if (bytes.length > 255 || slash < 0 || encoder.encode(path.slice(slash + 1)).length > 100 || encoder.encode(path.slice(0, slash)).length > 155) {
            throw new Error(`the name ${path.slice(0, 60)}... is too long for an archive`);
        }
        put(path.slice(slash + 1), 0, 100);
        put(path.slice(0, slash), 345, 155);
    } else {
        put(path, 0, 100);
    }
    const octal = (value, at, length) => put(value.toString(8).padStart(length - 1, "0"), at, length);
    octal(0o644, 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(size, 124, 12);
    octal(0, 136, 12);
    put("        ", 148, 8);
    put("0", 156, 1);
    put("ustar\0" + "00", 257, 8);
    put(block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0") + "\0 ", 148, 8);
    return block;
}

// files: path -> Uint8Array. Every tar program reads it.
export function tar(files) {
    const parts = [];
    for (const [path, bytes] of Object.entries(files)) {
        parts.push(header(path, bytes.length), bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
    }
    return new Blob([...parts, new Uint8Array(1024)], { type: "application/x-tar" });
}

export function saveRuns(files) {
    saveFile("runs.tar", tar(files), "application/x-tar");
}
