"""A model of small formats, written without the library: what a code stands for, and which code a number gets.

Everything is exact. A number of fp32 has 24 bits, a scale at most 28 (the product of e4m3 and fp32), a code at most 5.
So the product of a scale and a midpoint of codes is exact in fp64, and so is the product of code and scales, which is
then rounded once to fp32. A quotient of two fp32 numbers in fp64 has more than twice the bits of fp32, so rounding it
again to fp32 gives the correctly rounded quotient."""
import numpy as np


class Format:
    """Codes with a sign bit on top of `bits` - 1 bits of magnitude. `values` are the magnitudes of codes 0, 1 ..."""

    def __init__(self, name, exponent_bits, fraction_bits, bias, finite):
        self.name, self.sign = name, 1 << (exponent_bits + fraction_bits)
        codes = np.arange(finite)
        exponent, fraction = codes >> fraction_bits, codes & ((1 << fraction_bits) - 1)
        normal = exponent > 0
        significand = fraction + normal * (1 << fraction_bits)
        power = np.where(normal, exponent, 1) - bias - fraction_bits
        self.values = np.ldexp(significand.astype("f8"), power)
        self.max = float(self.values[-1])
        self.emax = int(np.floor(np.log2(self.max)))
        self.precision = fraction_bits + 1

    def decode(self, codes):
        """fp64 values; NaN where a code is not a finite number."""
        magnitude = codes & (self.sign - 1)
        inside = magnitude < len(self.values)
        value = np.where(inside, self.values[np.where(inside, magnitude, 0)], np.nan)
        return np.where(codes & self.sign, -value, value)

    def encode(self, x, scale, rounding="rne"):
        """Codes of the exact quotients x / scale, rounded once; beyond the largest number, the largest number.

        `rounding`: rne, rna (ties away from zero), rnz (ties toward zero), rtz (toward zero), raz (away from zero).
        `x`, `scale`: fp64 arrays of one shape."""
        magnitude = np.abs(x)
        v = self.values
        # A guess from the rounded quotient, then steps to the exact place: v[code] * scale <= magnitude.
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = np.where(scale > 0, magnitude / np.where(scale > 0, scale, 1), np.inf)
        quotient = np.where(magnitude == 0, 0.0, quotient)
        code = np.clip(np.searchsorted(v, quotient, side="right") - 1, 0, len(v) - 1)
        for _ in range(2):
            code = np.where(v[code] * scale > magnitude, np.maximum(code - 1, 0), code)
            above = np.minimum(code + 1, len(v) - 1)
            code = np.where((above > code) & (v[above] * scale <= magnitude), above, code)
        above = np.minimum(code + 1, len(v) - 1)
        middle = (v[code] + v[above]) / 2 * scale
        if rounding == "rne":
            up = (magnitude > middle) | ((magnitude == middle) & (code % 2 == 1))
        else:
            up = {"rna": magnitude >= middle, "rnz": magnitude > middle, "rtz": np.zeros(code.shape, bool),
                  "raz": magnitude > v[code] * scale}[rounding]
        code = np.where(up & (above > code), above, code)
        return (code + np.where(np.signbit(x), self.sign, 0)).astype("u1")


E4M3 = Format("e4m3", 4, 3, 7, 127)
E5M2 = Format("e5m2", 5, 2, 15, 124)
E2M1 = Format("e2m1", 2, 1, 1, 8)
FNUZ = Format("e4m3fnuz", 4, 3, 8, 128)  # its NaN is the code of -0


def encode_fnuz(x, scale):
    """e4m3fnuz has no -0: a zero has no sign."""
    codes = FNUZ.encode(x, scale)
    return np.where(codes == 0x80, 0, codes).astype("u1")


def int8(x, scale):
    """The integers nearest to x / scale, ties to even, -127 .. 127. |x| / scale is at most 127.5 here."""
    whole = np.floor(np.abs(x) / scale)
    for _ in range(2):
        whole = np.where(whole * scale > np.abs(x), whole - 1, whole)
        whole = np.where((whole + 1) * scale <= np.abs(x), whole + 1, whole)
    middle = (whole + 0.5) * scale
    whole = whole + ((np.abs(x) > middle) | ((np.abs(x) == middle) & (whole % 2 == 1)))
    return (np.sign(x) * np.minimum(whole, 127)).astype("i1")


# ---- wider formats ----

def f32(x):
    return np.asarray(x, "f8").astype("f4")


def to_bf16(x):
    """The bits of bf16 nearest to numbers of fp32."""
    n = np.asarray(x, "f4").view("u4").astype("u8")
    return ((n + 0x7FFF + ((n >> 16) & 1)) >> 16).astype("u2")


def from_bf16(bits):
    return (np.asarray(bits).astype("u4") << 16).view("f4")


def bf16(x):
    return from_bf16(to_bf16(x))


def e8m0(code):
    """fp64 values of exponent bytes; 255 is NaN."""
    return np.where(code == 255, np.nan, np.ldexp(1.0, np.asarray(code).astype("i4") - 127))


# ---- scales ----

def exponent(x):
    """floor(log2 x) of numbers > 0."""
    return np.frexp(x)[1] - 1


def power_of_two(amax, element, rule):
    """The exponent of the scale that a rule gives to the largest magnitude."""
    amax = np.asarray(amax, "f8")
    e = exponent(np.where(amax > 0, amax, 1))
    fraction = np.where(amax > 0, amax, 1) / np.ldexp(1.0, e)  # 1 <= fraction < 2
    if rule == "floor":
        e = e - element.emax
    elif rule == "ceil":
        e = e + (fraction > 1) - element.emax
    elif rule == "even":  # amax rounded to the element's precision may reach the next power of two
        e = e + (fraction >= 2 - 2.0 ** -element.precision) - element.emax
    elif rule == "ct":
        e = e + (fraction >= 1.75) - element.emax
    elif rule == "rceil":  # the least power of two with amax <= 2^e max
        top = element.max / 2.0 ** element.emax
        e = e - element.emax + (fraction > top)
    else:
        raise ValueError(rule)
    return np.clip(np.where(amax > 0, e, -127), -127, 127)


def groups(x, rows, columns):
    """The largest magnitude of each tile of a matrix; the last tiles may be smaller."""
    outer, inner = x.shape
    high, wide = -(-outer // rows), -(-inner // columns)
    padded = np.zeros((high * rows, wide * columns))
    padded[:outer, :inner] = np.abs(x)
    return padded.reshape(high, rows, wide, columns).max(axis=(1, 3))


def spread(scale, rows, columns, shape):
    """Each scale at all elements that share it."""
    return np.repeat(np.repeat(scale, rows, axis=0), columns, axis=1)[:shape[0], :shape[1]]


def nvfp4_scales(x, second, least=2.0 ** -9):
    """Codes of e4m3 nearest to amax / (6 second) of blocks of 16: the quotient is exact."""
    amax = groups(x, 1, 16)
    codes = E4M3.encode(amax, np.full(amax.shape, 6.0 * float(second)))
    return np.maximum(codes, int(np.searchsorted(E4M3.values, least))).astype("u1")


# ---- packing ----

def pack_low_first(codes):
    return (codes[..., 0::2] | (codes[..., 1::2] << 4)).astype("u1")


def pack_high_first(codes):
    return (codes[..., 1::2] | (codes[..., 0::2] << 4)).astype("u1")


def swizzle(scales):
    """The order of cuBLAS: tiles of 128 rows by 4 columns, in which rows 0, 32, 64 and 96 are neighbours."""
    rows, columns = scales.shape
    high, wide = -(-rows // 128), -(-columns // 4)
    padded = np.zeros((high * 128, wide * 4), scales.dtype)
    padded[:rows, :columns] = scales
    tiles = padded.reshape(high, 4, 32, wide, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(tiles).reshape(high * 128, wide * 4)
