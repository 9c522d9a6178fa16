// Formats and rules by name. The module keeps the last 256 of each in slots; a Map here knows which is where.

import { check, exported, lines, putText, refuse, within } from "./core.js";

const SLOTS = 256, IN_USE = 16; // a call finds fewer

class Slots {
    #slots = new Map();
    #keys = new Array(SLOTS);
    #next = 0;
    #last = new Array(IN_USE).fill(-1); // the slots found last, which the call at hand may still need
    #turn = 0;

    /** The slot of a key; `fill(slot)` fills a slot that is given to a new key. */
    find(key, fill) {
        const slot = this.#slots.get(key) ?? this.#fill(key, fill);
        this.#last[this.#turn++ % IN_USE] = slot;
        return slot;
    }

    #fill(key, fill) {
        while (this.#last.includes(this.#next)) {
            this.#next = (this.#next + 1) % SLOTS;
        }
        const slot = this.#next;
        fill(slot);
        this.#slots.delete(this.#keys[slot]);
        this.#keys[slot] = key;
        this.#slots.set(key, slot);
        this.#next = (slot + 1) % SLOTS;
        return slot;
    }
}

// ---- formats ----

const formats = new Slots();
const canonical = new Array(SLOTS);
const widths = new Array(SLOTS);

/** The slot of a format: by name, or by an object that has one, as describe() returns. */
export function formatSlot(format) {
    const name = typeof format === "object" && format !== null ? format.name : format;
    if (typeof name !== "string") {
        refuse(`a format must be a name, got ${typeof format}`);
    }
    return formats.find(name, (slot) => within((core) => {
        const text = putText(name);
        check(core.name_format(slot, text.at, text.length));
        canonical[slot] = lines()[0];
        widths[slot] = core.describe_width(slot);
    }));
}

/** Has it codes? A value set has none. */
export function hasCodes(slot) {
    return widths[slot] > 0;
}

/** The name of a format in this project's spelling. */
export function formatName(slot) {
    return canonical[slot];
}

// ---- options ----

const RULE_OPTIONS = ["dialect", "round", "overflow", "nan", "flushIn", "flushOut", "tinyBefore"];
const RANDOM_OPTIONS = ["random", "seed", "element", "purpose"];
export const OPTIONS = new Set([...RULE_OPTIONS, ...RANDOM_OPTIONS]);
const NONE = Object.freeze({});

/** The options of a call, with no other names than those that it knows. */
export function optionsOf(options, known = OPTIONS) {
    if (options === undefined || options === null) {
        return NONE;
    }
    if (typeof options !== "object") {
        refuse(`options must be an object, got ${typeof options}`);
    }
    for (const name in options) {
        if (!known.has(name)) {
            refuse(`unknown option '${name}' (available: ${[...known].join(", ")})`);
        }
    }
    return options;
}

export function wordOf(options, name) {
    const value = options[name];
    if (value === undefined || value === null) {
        return "";
    }
    if (typeof value !== "string" || value === "" || value.includes("\n")) {
        refuse(`${name} must be a name, got ${typeof value === "bigint" ? `${value}n` : JSON.stringify(value) ?? typeof value}`);
    }
    return value;
}

export function choiceOf(options, name, usual = false, more = "") {
    const value = options[name] ?? usual;
    return typeof value === "boolean" ? value : refuse(`${name} must be true or false${more}, got ${typeof value}`);
}

/** A 64-bit number without a sign, as a BigInt. */
export function wordOf64(value, name) {
    const integer = Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof integer !== "bigint" || integer < 0n || integer >> 64n !== 0n) {
        refuse(`${name} must be an integer from 0 to 2^64 - 1, got ${String(value)}`);
    }
    return integer;
}

const rules = new Slots();
const PLAIN = "\n\n\n";

/** The slot of the rule that the options mean for a format. */
export function ruleSlot(format, options) {
    let key = PLAIN, choices = 0;
    if (options !== NONE) {
        key = `${wordOf(options, "dialect")}\n${wordOf(options, "round")}\n${wordOf(options, "overflow")}\n${
            wordOf(options, "nan")}`;
        const flushed = options.flushOut === "tiny" ? 2 : Number(choiceOf(options, "flushOut", false, ' or "tiny"'));
        choices = choiceOf(options, "flushIn") | choiceOf(options, "tinyBefore") << 1 | flushed << 2;
    }
    const dialect = key[0] !== "\n"; // which has another rule for another format
    const whole = dialect || choices !== 0 ? `${key}\n${choices}\n${dialect ? formatName(format) : ""}` : key;
    return rules.find(whole, (slot) => within((core) => {
        const text = putText(key);
        check(core.name_rule(slot, format, text.at, text.length, choices & 1, choices >> 2, choices >> 1 & 1));
    }));
}

/** The random bits of a rounding: `random` as given, or those of `seed`, `purpose` and `element`. */
export function randomOf(rule, options) {
    if (options === NONE) {
        return 0n;
    }
    const core = exported(), bits = core.random_bits_of(rule);
    if (options.random !== undefined) {
        const random = wordOf64(options.random, "random");
        if (options.seed !== undefined) {
            refuse("random cannot be used with seed: it is the random bits themselves");
        }
        return random >> BigInt(bits) === 0n ? random
            : refuse(bits === 0 ? "random cannot be used with deterministic rounding" : `random must be below 2^${bits}, got ${random}`);
    }
    const [seed, purpose, element] = ["seed", "purpose", "element"].map((name) => wordOf64(options[name] ?? 0n, name));
    return bits === 0 ? 0n : core.random_bits(seed, purpose, element, bits);
}
