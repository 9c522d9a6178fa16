// What there is: formats and their limits, dialects, rounding modes, and the names of the other choices.

import { answer, lines, names, putText, refuse, table, within } from "./core.js";
import { formatName, formatSlot } from "./choices.js";
import { result } from "./numbers.js";

// The integers and limits of core/describe.c, in its order.
const LAYOUT = ["width", "signed", "exponentBits", "fractionBits", "precision", "bias", "emin", "emax", "hasZero",
    "hasInfinity", "hasNan", "hasSubnormals", "row", "hasNegativeZero"];
const BOOLEANS = new Set(["signed", "hasZero", "hasInfinity", "hasNan", "hasSubnormals", "hasNegativeZero"]);
const LIMITS = ["max", "min", "smallestNormal", "smallest", "epsilon", "zero", "negativeZero", "infinity", "nan"];
const UNLIMITED = 1 << 29;

/** The names of the built-in formats, or those of a group: all, ieee, ocp, fnuz, p3109, p3109-all, mx. */
export function formats(group) {
    if (group === undefined) {
        return names("formats");
    }
    if (typeof group !== "string") {
        refuse(`a group must be a name, got ${typeof group}`);
    }
    return within((core) => {
        const text = putText(group);
        if (core.list_group(text.at, text.length) === 0) {
            refuse(`unknown group '${group}' (available: all, ieee, ocp, fnuz, p3109, p3109-all, mx)`);
        }
        return lines();
    });
}

function limitOf(core, slot, which) {
    if (!core.describe_limit(slot, which)) {
        return null;
    }
    if (LIMITS[which] === "epsilon") {
        return { value: answer.value, text: lines()[0] };
    }
    const { format, flags, ternary, ...number } = result(slot);
    return number;
}

/** What a format is: its layout, its names elsewhere, its limits and special values (null where it has none). */
export function describe(format) {
    const slot = formatSlot(format);
    return within((core) => {
        core.describe(slot);
        const [, title, hardware, ...pairs] = lines(), about = { name: formatName(slot), title, hardware };
        LAYOUT.forEach((name, i) => {
            const n = answer.integer(i);
            about[name] = BOOLEANS.has(name) ? n !== 0 : Math.abs(n) >= UNLIMITED ? null : n;
        });
        delete about.row;
        about.names = {};
        for (let i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] !== "") {
                about.names[pairs[i]] = pairs[i + 1].split(" ");
            }
        }
        LIMITS.forEach((name, i) => { about[name] = limitOf(core, slot, i); });
        return about;
    });
}

/** The dialects: the rules of ecosystems, as [{ name, title }]. */
export function dialects() {
    return table("dialects").map((row) => ({ ...row }));
}

/** The rounding modes, as [{ name, title }]. */
export function roundings() {
    return table("roundings").map((row) => ({ ...row }));
}

export function overflows() {
    return names("overflows");
}

export function nans() {
    return names("nans");
}

/** The block formats, as [{ name, title }]. */
export function blockFormats() {
    return table("blocks").map((row) => ({ ...row }));
}

/** The scale rules, as [{ name, title }]; the title is the software that uses it. */
export function scaleRules() {
    return table("scaleRules").map((row) => ({ ...row }));
}

export function operations() {
    return names("operations");
}

/** The version of the library, and the back end that arrays use. */
export function about() {
    return { version: names("version")[0], backend: names("backend")[0] };
}
