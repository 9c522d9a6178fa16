// The list of names as one input with suggestions. A change is taken when a person stops at a name: on Enter, blur or choice.
import { h } from "../dom.js";
import { names } from "../link.js";

const suggestions = ["fp64", "fp32", "tf32", "fp16", "bf16", "e5m2", "e4m3", "e4m3fnuz", "e5m2fnuz", "e4m3b11fnuz", "e3m4", "e3m2", "e2m3",
    "e2m1", "e8m0", "ue5m3", "ue4m3", "dlfloat16", "binary8p3se", "binary8p4se", "binary8p5se", "ieee", "ocp", "fnuz", "all"];
let made = 0;

export function namesInput(label, onChange) {
    const id = `formats-names-${++made}`;
    const input = h("input", { id, type: "text", list: `${id}-list`, autocomplete: "off", spellcheck: "false", size: "56", class: "formats-names",
        onchange: () => onChange(names(input.value)) });
    const element = h("label", { class: "field", for: id }, h("span", {}, label), input,
        h("datalist", { id: `${id}-list` }, suggestions.map((name) => h("option", { value: name }))));
    const show = (text) => { if (document.activeElement !== input || input.value === "") input.value = text; };
    return { element, input, show };
}
