// Bytes as text for a script element: 13 bits are two of 91 characters, which takes 8 % less room than base64. The
// characters are the visible ones of ASCII, but for the backslash and the two that begin a tag or a reference in HTML.
const CHARACTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((c) => !"\\<&".includes(c)).join("");
const DIGITS = CHARACTERS.length, BITS = 13, LAST = 6;

// What is left at the end takes one character if it has at most 6 bits, so that the length tells the number of bytes.
export function packed(bytes) {
    let text = "", held = 0, count = 0;
    const write = (group) => (text += CHARACTERS[group % DIGITS] + CHARACTERS[Math.floor(group / DIGITS)]);
    for (const byte of bytes) {
        held |= byte << count;
        count += 8;
        if (count >= BITS) {
            write(held & ((1 << BITS) - 1));
            held >>>= BITS;
            count -= BITS;
        }
    }
    if (count > 0) write(held);
    return count > 0 && count <= LAST ? text.slice(0, -1) : text;
}

export function unpacked(text) {
    const values = new Int16Array(128);
    for (let i = 0; i < DIGITS; i++) values[CHARACTERS.charCodeAt(i)] = i;
    const bytes = new Uint8Array(Math.floor(((text.length >> 1) * BITS + (text.length & 1) * LAST) / 8));
    let held = 0, count = 0, at = 0;
    for (let i = 0; i < text.length; i += 2) {
        const whole = i + 1 < text.length;
        held |= (values[text.charCodeAt(i)] + (whole ? DIGITS * values[text.charCodeAt(i + 1)] : 0)) << count;
        for (count += whole ? BITS : LAST; count >= 8; count -= 8) {
            bytes[at++] = held & 255;
            held >>>= 8;
        }
    }
    return bytes;
}
