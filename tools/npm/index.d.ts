// Types of the package `binade`.

/** A number, of any size: a double, an integer, text ("0.1", "0x1.8p3", "inf", "nan"), or a code of a format. */
export type Operand = number | bigint | string | Code;

/** A code of a format: a result of any call, or an object of these two. */
export interface Code {
    readonly format: FormatName;
    readonly code: bigint | number;
}

/** "e4m3", "bf16", "float8_e4m3fn", "binary8p3se", "e5m10b12fn", "p11emin-14emax15": every name that the library reads. */
export type FormatName = string | { readonly name: string };

export type Flag = "inexact" | "underflow" | "overflow" | "divbyzero" | "invalid" | "saturated" | "to-zero";
export type Kind = "zero" | "subnormal" | "normal" | "infinity" | "nan" | "signaling nan";

export interface RuleOptions {
    /** The rule of an ecosystem: "torch", "ml_dtypes", "cuda-satfinite" and the other names of dialects(). */
    dialect?: string;
    /** "rne" (the default), "rna", "rtz", "rup", "rdn", "rto", "sr", "sr:8", "sra:8", "srb:8", "sr-equal". */
    round?: string;
    /** "format" (the default), "saturate", "propagate" and the other names of overflows(). */
    overflow?: string;
    /** The NaN of a result: the names of nans(). */
    nan?: string;
    /** Subnormal operands count as zero. */
    flushIn?: boolean;
    /** true: subnormal results become zero. "tiny": tiny results become zero. */
    flushOut?: boolean | "tiny";
    /** Tiny results are detected before rounding. */
    tinyBefore?: boolean;
}

export interface SeedOptions {
    /** The seed of the random bits of the stochastic modes; 0 by default. */
    seed?: bigint | number;
    /** Keeps different uses of a seed apart; 0 by default. */
    purpose?: bigint | number;
}

export interface Options extends RuleOptions, SeedOptions {
    /** The random bits themselves, in place of a seed. */
    random?: bigint | number;
    /** The index of the rounding in its stream; 0 by default. */
    element?: bigint | number;
}

/** A value. */
export interface Value {
    /** null for a value set, which has no codes. */
    code: bigint | null;
    /** The value as a double: exact for precisions up to 53 bits, otherwise the nearest. */
    value: number;
    /** Every digit of the value. */
    text: string;
    /** Sign, exponent and fraction: "0 1111 110". */
    bits: string | null;
    /** The code as "0x7e". */
    hex: string | null;
    kind: Kind;
}

/** A value of a format that it names. */
export interface FormatValue extends Value {
    format: string;
}

export interface Result extends FormatValue {
    flags: readonly Flag[];
    /** The sign of result - exact result. */
    ternary: number;
}

export interface Explanation extends Result {
    /** The shortest decimal that reads back as this value. */
    shortest: string;
    hexFloat: string;
    fields: { sign: string; exponent: string; fraction: string } | null;
    /** value - number, every digit; null where one of them is not finite. */
    error: string | null;
    /** Six digits of the error. */
    errorDigits: string | null;
    /** error / number; null where there is none. */
    relative: number | null;
    /** The nearest values below and above the number. */
    below: Result | null;
    above: Result | null;
}

/** What the library refuses, in its own words. */
export class BinadeError extends Error {
    constructor(message: string, status?: string, where?: number);
    /** "BND_BAD_NAME", "BND_BAD_SYNTAX", "BND_BAD_ARGUMENT" or "BND_NO_MEMORY". */
    readonly status: string;
    /** An offset in bytes into the text that was read. */
    readonly where: number;
}

/** Compiles the module without blocking. Optional: any other call compiles it when it is needed. */
export function ready(): Promise<void>;

export function encode(x: Operand, format: FormatName, options?: Options): Result & { code: bigint; bits: string; hex: string };
export function decode(code: bigint | number, format: FormatName): Result & { code: bigint; bits: string; hex: string };
export function round(x: Operand, format: FormatName, options?: Options): Result;
export function explain(x: Operand, format: FormatName, options?: Options): Explanation;
export function neighbours(x: Operand, format: FormatName): { below: Result | null; above: Result | null };
export function randomBits(seed: bigint | number, element: bigint | number, bits: number, purpose?: bigint | number): bigint;

// ---- arithmetic ----

export function op(name: string, format: FormatName, ...operands: (Operand | Options | undefined)[]): Result;

export type Unary = (format: FormatName, a: Operand, options?: Options) => Result;
export type Binary = (format: FormatName, a: Operand, b: Operand, options?: Options) => Result;

export const add: Binary, sub: Binary, mul: Binary, div: Binary, remainder: Binary;
export const min: Binary, max: Binary, minNumber: Binary, maxNumber: Binary;
export const fma: (format: FormatName, a: Operand, b: Operand, c: Operand, options?: Options) => Result;
export const scalb: (format: FormatName, a: Operand, n: bigint | number, options?: Options) => Result;
export const sqrt: Unary, rint: Unary, logb: Unary, nextUp: Unary, nextDown: Unary, ulp: Unary, neg: Unary, abs: Unary;
export const rsqrt: Unary, reciprocal: Unary;
/** Elementary functions take formats of at most 16 bits. */
export const exp: Unary, log: Unary, tanh: Unary, sigmoid: Unary, erf: Unary, gelu: Unary, geluTanh: Unary;

export function compare(
    format: FormatName, a: Operand, b: Operand, options?: { flushIn?: boolean; signaling?: boolean },
): { relation: "less" | "equal" | "greater" | "unordered"; flags: readonly Flag[] };

// ---- arrays ----

export type Numbers = Float32Array | Float64Array;
export type Codes = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

export interface Statistics {
    elements: number; exact: number; inexact: number; underflows: number; toZero: number; overflows: number;
    saturated: number; infinitiesIn: number; nansIn: number; nansOut: number; compared: number;
    largest: number; smallest: number; squaredError: number; squaredInput: number; clampedError: number;
    scaleSmallest: number; scaleLargest: number;
    /** Finite nonzero inputs by floor(log2 |x|): below -40, -40 ... 21, above. */
    exponents: number[];
    meanSquaredError: number;
    /** squaredInput / squaredError, a ratio. */
    signalToNoise: number;
}

export interface ArrayOptions extends RuleOptions, SeedOptions {
    /** The index of the first element, for random bits. */
    first?: bigint | number;
    statistics?: boolean;
}

export interface QuantizeOptions<V, C> extends ArrayOptions {
    /** False: not computed. An array: written there. */
    values?: boolean | V;
    codes?: boolean | C;
    /** Codes that are not whole words lie back to back, lowest bits first. */
    packed?: boolean;
}

export function quantize<V extends Numbers>(
    values: V, format: FormatName, options?: QuantizeOptions<V, Codes>,
): { values: V | null; codes: Codes | null; statistics: Statistics | null };
export function quantize(
    values: readonly number[], format: FormatName, options?: QuantizeOptions<Float64Array, Codes>,
): { values: Float64Array | null; codes: Codes | null; statistics: Statistics | null };
export function dequantize(
    codes: Codes, format: FormatName, options?: { type?: "float32" | "float64"; packed?: boolean; length?: number },
): Numbers;
export function convert(
    codes: Codes, from: FormatName, to: FormatName, options?: ArrayOptions & { codes?: true | Codes },
): { codes: Codes; statistics: Statistics | null };
export function sum(
    values: Numbers | readonly number[], format: FormatName,
    options?: RuleOptions & SeedOptions & { order?: "naive" | "pairwise" | "kahan" },
): FormatValue & { code: bigint; bits: string; hex: string };
export function dot(a: Float32Array, b: Float32Array, options?: { accumulator?: string; seed?: bigint | number }): number;
export function matmul(
    a: Float32Array, b: Float32Array, sizes: readonly [m: number, k: number, n: number],
    options?: { accumulator?: string; seed?: bigint | number },
): Float32Array;

// ---- blocks ----

export interface BlockDescription {
    name: string; element: string; scale: string; scaleRule: string; sharing: "block" | "tile" | "tensor";
    along: number; across: number; tensorScale: boolean; integer: boolean; note: string;
    elementWidth: number; scaleWidth: number;
}

export interface Quantized {
    /** Name and scale rule, as dequantizeBlock() reads them. */
    block: string;
    codes: Codes;
    /** Codes of the scale format, or numbers where that is fp32. */
    scales: Codes | Float32Array;
    /** The scale of the whole array; null where the block format has none, and only there. */
    tensorScale: number | null;
}

export interface BlockOptions extends RuleOptions, SeedOptions {
    /** "rceil", "floor", "ceil", "even", "nearest" and the other names of scaleRules(). */
    scaleRule?: string;
    shape?: readonly number[];
    /** The axis that blocks run along: the last by default. */
    axis?: number;
    packed?: boolean;
    values?: boolean | Float32Array;
    statistics?: boolean;
}

/** Numbers that are not in a Float32Array are rounded to fp32 first. */
export function quantizeBlock(
    values: Numbers | readonly number[], block: string, options?: BlockOptions,
): Quantized & { values: Float32Array | null; statistics: Statistics | null };
export function dequantizeBlock(
    quantized: Quantized, options?: { shape?: readonly number[]; axis?: number; packed?: boolean; length?: number },
): Float32Array;
export function describeBlock(name: string, options?: { scaleRule?: string }): BlockDescription;

// ---- tables ----

export interface FormatDescription {
    name: string; title: string; hardware: string;
    width: number; signed: boolean; exponentBits: number; fractionBits: number; precision: number;
    bias: number; emin: number | null; emax: number | null;
    hasZero: boolean; hasNegativeZero: boolean; hasSubnormals: boolean; hasInfinity: boolean; hasNan: boolean;
    /** Names by ecosystem. */
    names: Record<string, string[]>;
    max: Value | null; min: Value | null; smallestNormal: Value | null; smallest: Value | null;
    /** The distance from 1 to the next value. */
    epsilon: { value: number; text: string } | null;
    zero: Value | null; negativeZero: Value | null; infinity: Value | null; nan: Value | null;
}

export interface Row { name: string; title: string }

export function formats(group?: string): string[];
export function describe(format: FormatName): FormatDescription;
export function dialects(): Row[];
export function roundings(): Row[];
export function overflows(): string[];
export function nans(): string[];
export function blockFormats(): Row[];
export function scaleRules(): Row[];
export function operations(): string[];
export function about(): { version: string; backend: string };
