// The number of a hexadecimal float of the command, "-0x1.8p+2": for places in drawings only, never for text.

export function numberOfHex(hex) {
    const match = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]?\d+)$/.exec(hex);
    if (!match) {
        return hex === "inf" ? Infinity : hex === "-inf" ? -Infinity : NaN;
    }
    const [, sign, whole, part = "", exponent] = match;
    const digits = Number.parseInt(whole + part, 16) * 2 ** (-4 * part.length);
    return (sign ? -1 : 1) * digits * 2 ** Number(exponent);
}

// log2 of it, also beyond doubles; -Infinity for zero, NaN for what is negative or not finite.
export function log2OfHex(hex) {
    const match = /^0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]?\d+)$/.exec(hex);
    if (!match) {
        return NaN;
    }
    const [, whole, part = "", exponent] = match;
    return Math.log2(Number.parseInt(whole + part, 16)) - 4 * part.length + Number(exponent);
}
