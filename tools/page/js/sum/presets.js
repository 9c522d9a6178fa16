// Dot products to begin with, as texts: a row each. `term(i, n)` is the i-th of n terms, "a:b".

// Digits that look random and are the same every time.
function digits(i, salt) {
    let x = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(salt + 7, 0x85ebca6b);
    x = Math.imul(x ^ x >>> 15, 0x2c1b3c6d);
    return String((x >>> 0) % 1000).padStart(3, "0");
}

const sign = (i, salt) => digits(i, salt) < "500" ? "-" : "";
const number = (i, salt) => `${sign(i, salt + 50)}0.${digits(i, salt)}`;

export const presets = [
    ["mixed", "random, both signs", (i) => `${number(i, 1)}:${number(i, 2)}`],
    ["positive", "all positive", (i) => `0.${digits(i, 3)}:0.${digits(i, 4)}`],
    ["large-first", "one large term first", (i) => i === 0 ? "512:2" : `0.${digits(i, 5)}:0.${digits(i, 6)}`],
    ["cancelling", "large terms that cancel", (i, n) => i === 0 ? "1024:1.5" : i === n >> 1 ? "-1024:1.5" : `${number(i, 7)}:${number(i, 8)}`],
    ["outlier", "one outlier of 300", (i, n) => i === n >> 2 ? "300:0.75" : `${number(i, 9)}:${number(i, 10)}`],
];

export const make = (id, n) => Array.from({ length: n }, (_, i) => presets.find(([name]) => name === id)[2](i, n)).join(",");
