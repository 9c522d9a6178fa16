// Decompresses a DEFLATE stream (RFC 1951) at once: the module is stored compressed, and calls of this package are
// synchronous, which DecompressionStream is not.

const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// A canonical Huffman code as a table: the next bits of the stream, lowest first, lead to symbol * 16 + length.
function huffman(lengths) {
    const longest = Math.max(1, ...lengths), table = new Uint16Array(1 << longest);
    let code = 0;
    for (let length = 1; length <= longest; length++, code <<= 1) {
        for (let symbol = 0; symbol < lengths.length; symbol++) {
            if (lengths[symbol] === length) {
                let reversed = 0;
                for (let i = 0; i < length; i++) {
                    reversed |= (code >> i & 1) << (length - 1 - i);
                }
                for (let i = reversed; i < table.length; i += 1 << length) {
                    table[i] = symbol << 4 | length;
                }
                code++;
            }
        }
    }
    return { table, longest };
}

// Returns `size` bytes: what `input` holds, compressed.
export function inflate(input, size) {
    const output = new Uint8Array(size);
    let at = 0, held = 0, available = 0, written = 0;

    function fill(count) {
        while (available < count) {
            held |= input[at++] << available;
            available += 8;
        }
    }

    function bits(count) {
        fill(count);
        const value = held & ((1 << count) - 1);
        held >>>= count;
        available -= count;
        return value;
    }

    function symbol({ table, longest }) {
        fill(longest);
        const entry = table[held & ((1 << longest) - 1)], length = entry & 15;
        if (length === 0) {
            throw new Error("the WebAssembly in this package is damaged");
        }
        held >>>= length;
        available -= length;
        return entry >> 4;
    }

    function stored() {
        at -= available >> 3; // whole bytes that were read ahead
        held = available = 0;
        const length = input[at] | input[at + 1] << 8;
        output.set(input.subarray(at + 4, at + 4 + length), written);
        at += 4 + length;
        written += length;
    }

    function compressed(literals, distances) {
        for (;;) {
            const s = symbol(literals);
            if (s < 256) {
                output[written++] = s;
            } else if (s === 256) {
                return;
            } else {
                const length = LENGTH_BASE[s - 257] + bits(LENGTH_EXTRA[s - 257]);
                const d = symbol(distances);
                const distance = DISTANCE_BASE[d] + bits(d < 4 ? 0 : (d >> 1) - 1);
                for (let i = 0; i < length; i++, written++) {
                    output[written] = output[written - distance];
                }
            }
        }
    }

    function dynamic() {
        const literals = bits(5) + 257, distances = bits(5) + 1, count = bits(4) + 4;
        const lengths = new Array(19).fill(0);
        for (let i = 0; i < count; i++) {
            lengths[ORDER[i]] = bits(3);
        }
        const code = huffman(lengths), all = [];
        while (all.length < literals + distances) {
            const s = symbol(code);
            if (s < 16) {
                all.push(s);
            } else {
                const last = s === 16 ? all[all.length - 1] : 0;
                const times = s === 16 ? 3 + bits(2) : s === 17 ? 3 + bits(3) : 11 + bits(7);
                all.push(...new Array(times).fill(last));
            }
        }
        compressed(huffman(all.slice(0, literals)), huffman(all.slice(literals)));
    }

    const fixed = [...new Array(144).fill(8), ...new Array(112).fill(9), ...new Array(24).fill(7), ...new Array(8).fill(8)];
    for (let last = 0; last === 0;) {
        last = bits(1);
        const type = bits(2);
        if (type === 0) {
            stored();
        } else if (type === 1) {
            compressed(huffman(fixed), huffman(new Array(30).fill(5)));
        } else {
            dynamic();
        }
    }
    return output;
}
