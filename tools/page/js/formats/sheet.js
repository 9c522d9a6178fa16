// The facts of a format: its layout drawn, its limits, its names elsewhere, and links to the other views.
import { h } from "../dom.js";
import { format as fragment } from "../link.js";

// Keys of `binade formats --json` in groups; what the page says for them.
const groups = [
    ["Layout", { width: "bits of a code", layout: "sign / exponent / fraction", precision: "precision in bits", bias: "bias", emin: "smallest exponent", emax: "largest exponent" }],
    ["Limits", { max: "largest value", max_code: "its code", min_normal: "smallest normal", min_subnormal: "smallest subnormal", ulp_of_one: "distance from 1 to the next value",
        digits: "decimal digits kept", digits_to_read_back: "digits to read back", finite_values: "finite values" }],
    ["Special values", { infinity: "infinity", nan: "NaN", nan_codes: "NaN codes", zero: "zero" }],
    ["Names elsewhere", { title: "description", ml_dtypes: "ml_dtypes, PyTorch", onnx: "ONNX", safetensors: "safetensors", stablehlo: "StableHLO", others: "others", hardware: "hardware" }],
];

function boxes(f) {
    const fields = [["sign", "S", f.sign_bits], ["exponent", "E", f.exponent_bits], ["fraction", "M", f.fraction_bits]];
    return h("div", { class: "formats-layout", role: "img", "aria-label": `Layout: ${f.sign_bits} sign, ${f.exponent_bits} exponent and ${f.fraction_bits} fraction bits` },
        fields.map(([name, letter, count]) => Array.from({ length: count }, () => h("span", { class: `formats-bit ${name}` }, letter))));
}

// The text of a number that JSON has without quotes is kept as it came: 2^63 and more would lose digits as a JavaScript number.
export function textsOf(output) {
    return output.replace(/("(?:finite_values|nan_codes)": )(\d+)/g, '$1"$2"');
}

const link = (view, name, text) => h("a", { href: fragment({ room: "formats", path: [view, name] }) }, text);

export function sheet(f) {
    const tables = groups.map(([title, keys]) => {
        const rows = Object.entries(keys).filter(([key]) => f[key] !== null && f[key] !== "" && f[key] !== undefined);
        return h("section", { class: title === "Names elsewhere" ? "formats-elsewhere" : null }, h("h2", {}, title), h("table", { "aria-label": title }, h("tbody", {}, rows.map(([key, label]) =>
            h("tr", { "data-key": key }, h("th", { scope: "row" }, label), h("td", {}, String(f[key])))))));
    });
    return h("div", { class: "formats-sheet" }, h("h2", { class: "formats-name" }, f.name), f.width > 0 ? boxes(f) : h("p", {}, "A value set: it rounds, and has no codes."),
        h("p", {}, f.width > 0 && f.width <= 16 ? [link("codes", f.name, "every code"), " · "] : null, f.width > 0 && f.width <= 10 ? [link("line", f.name, "number line"), " · "] : null,
            link("precision", `${f.name},fp32`, "precision against range"), " · ", link("ranges", `${f.name},fp32`, "range")),
        h("div", { class: "formats-groups" }, tables));
}
