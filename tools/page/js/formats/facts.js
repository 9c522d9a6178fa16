// Everything about one format, or about a few.
import { h } from "../dom.js";
import { items, safely } from "../link.js";
import { namesInput } from "./names.js";
import { sheet, textsOf } from "./sheet.js";
import { changed, factsOf, namesOf } from "./state.js";

// The facts with whole numbers of any size as texts.
export function exactFacts(core, names) {
    factsOf(core, names); // refuses what is not a format, with words
    return JSON.parse(textsOf(core.run(safely(["formats", "--json"], items(names))).output)).formats;
}

export function open(element, page, go) {
    let state = null;
    const names = namesInput("Format", (text) => go(changed(state, { names: text }))), place = h("div", {});
    names.input.size = 24;
    element.append(names.element, place);
    return {
        update(now) {
            state = now;
            names.show(namesOf(state));
            place.replaceChildren(...exactFacts(page.core, namesOf(state)).slice(0, 8).map(sheet));
        },
        close() { },
    };
}
