// The numbers of the block as inputs. A list that is pasted into one of them fills it and those after it.
import { h } from "../dom.js";
import { pasted } from "./state.js";

export class Numbers {
    // onChange(numbers): after each edit.
    constructor(onChange) {
        this.onChange = onChange;
        this.inputs = [];
        this.element = h("div", { class: "block-numbers", role: "group", "aria-label": "Numbers of the block" });
    }

    texts() {
        return this.inputs.map((input) => input.value);
    }

    make(i) {
        const input = h("input", { type: "text", id: `block-number-${i + 1}`, "aria-label": `number ${i + 1}`, autocomplete: "off",
            spellcheck: "false", inputmode: "text",
            oninput: () => this.edited(input),
            onkeydown: (event) => this.next(event, i),
            onpaste: (event) => this.paste(event, i) });
        return input;
    }

    // A comma, a blank or Enter ends a number: the next one is typed.
    next(event, i) {
        if ([",", " ", ";", "Enter"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            const after = this.inputs[i + 1];
            after?.focus();
            after?.select();
        }
    }

    // A comma separates numbers in the address, so that a text with one is a list, however it came in.
    edited(input) {
        const list = pasted(input.value);
        if (/[,;\s]/.test(input.value.trim()) && list.length > 1) {
            this.put(list, this.inputs.indexOf(input));
        } else {
            input.value = input.value.replaceAll(",", "");
            this.onChange(this.texts());
        }
    }

    paste(event, i) {
        const list = pasted(event.clipboardData?.getData("text/plain") ?? "");
        if (list.length > 1) {
            event.preventDefault();
            this.put(list, i);
        }
    }

    put(list, from) {
        const texts = this.texts();
        texts.splice(from, Math.min(list.length, texts.length - from), ...list);
        this.onChange(texts);
    }

    // Inputs that hold the text already are left alone: the cursor stays where it is.
    update(texts, wrong) {
        while (this.inputs.length < texts.length) {
            this.inputs.push(this.make(this.inputs.length));
            this.element.append(this.inputs.at(-1));
        }
        while (this.inputs.length > texts.length) {
            this.inputs.pop().remove();
        }
        this.inputs.forEach((input, i) => {
            if (input.value !== texts[i]) {
                input.value = texts[i];
            }
            input.setAttribute("aria-invalid", wrong !== null && texts[i].trim() === wrong ? "true" : "false");
        });
    }
}
