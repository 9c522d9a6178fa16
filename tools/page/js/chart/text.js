// Names in charts: cut where they are long, and their width before they are drawn.

// A text of at most this many characters. Marks that would turn the direction of what follows are left out.
export function cut(text, most) {
    const plain = String(text).replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
    const characters = [...plain.slice(0, 4 * most + 4)];
    return characters.length > most ? characters.slice(0, most - 1).join("") + "…" : plain;
}

// Width in pixels of a text in the charts' 12 px font, near enough to place it.
export function widthOf(text) {
    return [...String(text)].length * 7.2;
}
