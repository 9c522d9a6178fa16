"""Compares small_formats.py with definitions in rational numbers: every midpoint of codes, and random numbers."""
import hashlib
import os
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import small_formats as small  # noqa: E402
from checks import check, conclude  # noqa: E402
from layouts import noise  # noqa: E402

LIMITS = {"e4m3": (Fraction(448), Fraction(1, 512), 127), "e5m2": (Fraction(57344), Fraction(1, 65536), 124),
          "e2m1": (Fraction(6), Fraction(1, 2), 8), "e4m3fnuz": (Fraction(240), Fraction(1, 1024), 128)}


def nearest(values, x, rounding):
    """The code whose value is nearest to x >= 0; ties go to even codes (rne), up (rna) or down (rnz). rtz, raz: below,
    above."""
    below = max(code for code, value in enumerate(values) if value <= x)
    above = min(below + 1, len(values) - 1)
    middle = (values[below] + values[above]) / 2
    if above == below or rounding == "rtz" or x == values[below]:
        return below
    if rounding == "raz":
        return above
    up = x > middle or (x == middle and (rounding == "rna" or (rounding == "rne" and below % 2 == 1)))
    return above if up else below


def round_f32(x):
    """fp32 nearest to a rational number, ties to even: an integer division."""
    if x == 0:
        return 0.0
    e = max(floor_log2(abs(x)), -126)
    unit = Fraction(2) ** (e - 23)
    whole, rest = divmod(abs(x) / unit, 1)
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    return float(whole * unit) * (-1 if x < 0 else 1)


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def check_format(element):
    top, least, count = LIMITS[element.name]
    values = [Fraction(float(v)) for v in element.values]
    check((values[-1], values[1], len(values)) == (top, least, count), element.name + " limits")
    check(values == sorted(values), element.name + " order")
    scales = [1.0, 0.75, float(np.float32(0.1)), 2.0 ** -120, float(np.float32(1e-30)), 3e4]
    for scale in scales:
        exact = Fraction(scale)
        points = [(a + b) / 2 * exact for a, b in zip(values, values[1:])] + [v * exact for v in values]
        x = np.array(sorted({float(np.float32(float(p))) for p in points}))
        x = np.concatenate([x, np.nextafter(x.astype("f4"), np.float32(np.inf)).astype("f8"),
                            np.nextafter(x.astype("f4"), np.float32(0)).astype("f8"), [1e38]])
        for rounding in ("rne", "rna", "rnz", "rtz", "raz"):
            got = element.encode(x, np.full(x.shape, scale), rounding)
            want = [nearest(values, Fraction(float(v)) / exact, rounding) for v in x]
            check(got.tolist() == want, f"{element.name} {rounding} scale {scale}")
            check((element.encode(-x, np.full(x.shape, scale), rounding) == got | element.sign).all(), "negative")


def check_rounding():
    codes, scales = noise(1, 2000), np.abs(noise(2, 2000)) + 1e-3
    second = np.ldexp(np.abs(noise(3, 2000)) + 1e-3, np.clip(noise(4, 2000) * 30, -90, 90).astype("i4") - 20)
    c = small.E2M1.decode((np.abs(codes) * 4).astype("u1") & 15)
    s = small.E4M3.decode((scales * 40).astype("u1") & 127)
    s = np.where(np.isnan(s), 1, s)
    t = second.astype("f4").astype("f8")
    got = small.f32(c * s * t)
    want = [round_f32(Fraction(float(a)) * Fraction(float(b)) * Fraction(float(d))) for a, b, d in zip(c, s, t)]
    check(got.astype("f8").tolist() == want, "code times both scales, rounded once to fp32")
    got = small.f32(1 / t)
    want = [round_f32(1 / Fraction(float(d))) if d < 2.0 ** 126 else None for d in t]
    same = [w is None or float(g) == w for g, w in zip(got, want) if np.isfinite(g)]
    check(all(same), "1 / x in fp64 and then fp32 is the correctly rounded reciprocal")
    x = (noise(5, 2000)).astype("f4")
    want = [float(f) for f in small.from_bf16(small.to_bf16(x))]
    values = [Fraction(float(v)) for v in x]
    check(all(abs(Fraction(w) - v) <= Fraction(2) ** (floor_log2(abs(v)) - 8) for w, v in zip(want, values) if v),
          "bf16 is within half a unit in the last place")


def check_rules():
    amax = np.abs(noise(6, 500)).astype("f4").astype("f8")
    amax = np.concatenate([amax, [1, 1.5, 1.75, 1.7499, 1.875, 1.9375, 6, 448, 7 / 4 * 2.0 ** -9]])
    for element in (small.E2M1, small.E4M3, small.E5M2):
        top, emax = Fraction(element.max), element.emax
        for rule in ("floor", "ceil", "even", "ct", "rceil"):
            got = small.power_of_two(amax, element, rule).tolist()
            for a, e in zip(amax, got):
                x = Fraction(float(a))
                log = floor_log2(x)
                if rule == "floor":
                    want = log - emax
                elif rule == "ceil":
                    want = log + (Fraction(2) ** log != x) - emax
                elif rule == "ct":
                    want = log + (x / Fraction(2) ** log >= Fraction(7, 4)) - emax
                elif rule == "even":
                    units = x / Fraction(2) ** log * 2 ** (element.precision - 1)
                    whole, rest = divmod(units, 1)
                    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
                    want = log + (whole == 2 ** element.precision) - emax
                else:
                    want = next(k for k in range(log - emax - 2, log + 3) if Fraction(2) ** k * top >= x)
                if e != want:
                    check(False, f"{rule} {element.name} {a}: {e}, want {want}")
            check(True, rule)


def check_orders():
    scales = np.arange(300 * 5, dtype="u4").reshape(300, 5)
    stored = small.swizzle(scales)
    flat = stored.reshape(-1)
    check(stored.shape == (384, 8), "padded")
    place = [(r // 128 * 2 + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4
             for r in range(300) for c in range(5)]
    check((flat[place] == scales.reshape(-1)).all(), "the order of cuBLAS")
    check(small.pack_low_first(np.array([[1, 2, 3, 15]])).tolist() == [[0x21, 0xF3]], "low first")
    check(small.pack_high_first(np.array([[1, 2, 3, 15]])).tolist() == [[0x12, 0x3F]], "high first")
    known = hashlib.sha256(noise(1, 1000).astype("<f8").tobytes()).hexdigest()
    check(known.startswith("721bda7f45256c4b"), f"the model has other numbers here: {known[:16]}")


for _element in (small.E4M3, small.E5M2, small.E2M1, small.FNUZ):
    check_format(_element)
check_rounding()
check_rules()
check_orders()
conclude()
