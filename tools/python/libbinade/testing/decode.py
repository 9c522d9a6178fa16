"""Decoding: whether a function gives the numbers that codes stand for, and what it takes the codes for."""
import dataclasses
from typing import Callable, Union

import numpy

import libbinade as bd

from . import _arguments


@dataclasses.dataclass
class DecodeReport:
    """What check_decode found. True if nothing was wrong; str() of it is the report."""

    asked: str
    codes: int = 0
    wrong: int = 0
    first: str = ""
    classes: dict = dataclasses.field(default_factory=dict)  # class: (wrong, codes)
    faults: list = dataclasses.field(default_factory=list)
    writes: bool = False  # the function changed an array that it was given

    def __bool__(self):
        return self.wrong == 0

    def __str__(self):
        lines = [f"{self.asked}: {self.wrong:,} of {self.codes:,} codes are wrong"]
        if self.first:
            lines.append(f"  first: {self.first}")
        wrong = [f"{name} {bad:,} of {all_:,}" for name, (bad, all_) in self.classes.items() if bad]
        if wrong:
            lines.append(f"  wrong by class: {'; '.join(wrong)}")
        lines += [f"  the function {name}" for name in self.faults[:3]]
        return "\n".join(lines + _arguments.WRITES * self.writes)


def _faults(f, codes, right):
    """(name, numbers) of ways in which decoding goes wrong."""
    sign = numpy.where(codes >> codes.dtype.type(f.width - 1) & codes.dtype.type(1) == 1, -1.0, 1.0)
    fraction = (codes & codes.dtype.type((1 << f.fraction_bits) - 1)).astype(numpy.float64)
    field = (codes >> codes.dtype.type(f.fraction_bits)) & codes.dtype.type((1 << f.exponent_bits) - 1)
    below = (field == 0) & numpy.isfinite(right)
    step = 2.0 ** -f.fraction_bits
    exponent = field.astype(numpy.int64) - f.bias
    as_normal = sign * numpy.ldexp(1 + fraction * step, exponent)
    yield "gives zero for subnormal codes", numpy.where(below, numpy.copysign(0.0, sign), right)
    yield "reads subnormal codes as normal ones", numpy.where(below, as_normal, right)
    yield "reads subnormal codes with half their value", numpy.where(below, right / 2, right)
    yield "reads subnormal codes with twice their value", numpy.where(below, right * 2, right)
    yield "reads codes of infinity and NaN as numbers", numpy.where(numpy.isfinite(right), right, as_normal)
    yield "gives infinity for NaN", numpy.where(numpy.isnan(right), numpy.copysign(numpy.inf, sign), right)
    yield "gives NaN for infinity", numpy.where(numpy.isinf(right), numpy.nan, right)
    yield "gives the largest number for infinity", numpy.where(numpy.isinf(right), numpy.copysign(f.max, sign), right)
    yield "gives zero for NaN", numpy.where(numpy.isnan(right), 0.0, right)
    yield "gives +0 for -0", numpy.where(right == 0, 0.0, right)
    yield "drops the sign", numpy.abs(right)
    yield "has an exponent bias that is one too large", right / 2
    yield "has an exponent bias that is one too small", right * 2
    if f.width == 16:
        yield "reads the bytes of each code in the other order", bd.decode(codes.byteswap(), f, dtype=numpy.float64)
    for other in bd.formats():
        if other.width == f.width and other.name != f.name:
            yield f"reads codes as {other.name}", bd.decode(codes, other, dtype=numpy.float64)


def _same(a, b):
    return (a == b) & (numpy.signbit(a) == numpy.signbit(b)) | (numpy.isnan(a) & numpy.isnan(b))


def _classes(f, right):
    finite = numpy.isfinite(right)
    return (("NaN", numpy.isnan(right)), ("infinity", numpy.isinf(right)), ("zero", right == 0),
            ("subnormal", finite & (right != 0) & (numpy.abs(right) < f.smallest_normal)),
            ("normal", finite & (numpy.abs(right) >= f.smallest_normal)))


def check_decode(fn: Callable, format: Union[str, bd.Format], *,
                 library: Union[str, Callable] = "numpy") -> DecodeReport:
    """Compares a decoder with the right numbers, for every code of a format of at most 16 bits. The answer is a
    DecodeReport.

    fn: takes an array of codes (uint8, or uint16) and returns their numbers in the same shape, as float32 or float64,
    or as another type that holds them. library: whose array fn takes, as in check_cast; torch has uint16 as int16.
    Numbers are compared by value, with the sign of zero; all NaNs are equal.

    >>> print(check_decode(lambda codes: bd.decode(codes, "e4m3fnuz"), "e4m3"))
    e4m3: 255 of 256 codes are wrong
      first: 0x01 gives 0.0009765625, and 0.001953125 is right
      wrong by class: NaN 2 of 2; zero 1 of 2; subnormal 14 of 14; normal 238 of 238
      the function reads codes as e4m3fnuz
    """
    tested, f = _arguments.Tested(fn, library=library), bd.Format(format)
    if not 0 < f.width <= 16:
        raise ValueError(f"check_decode needs a format with codes of at most 16 bits, not {f.name}")
    what = tested.what
    codes = numpy.arange(1 << f.width, dtype=numpy.uint32).astype(f.dtype)
    got = _arguments.numbers(tested.of_codes(codes), what)
    if got.shape != codes.shape:
        raise AssertionError(f"{what} gave an array of the shape {got.shape} for one of the shape {codes.shape}")
    right = bd.decode(codes, f, dtype=numpy.float64)
    wrong = ~_same(got, right)
    report = DecodeReport(f.name, codes.size, int(wrong.sum()), writes=tested.writes)
    report.classes = {name: (int((wrong & mask).sum()), int(mask.sum())) for name, mask in _classes(f, right)}
    if wrong.any():
        at = int(numpy.flatnonzero(wrong)[0])
        digits = -(-f.width // 4)
        report.first = f"{at:#0{2 + digits}x} gives {float(got[at])!r}, and {float(right[at])!r} is right"
        with numpy.errstate(all="ignore"):
            report.faults = [name for name, numbers in _faults(f, codes, right) if _same(got, numbers).all()]
    return report


@_arguments.like(check_decode)
def assert_decode(fn, format, **how):
    """Raises AssertionError with check_decode's report if a number is wrong. The arguments are those of
    check_decode.

    >>> assert_decode(lambda codes: bd.decode(codes, "e4m3"), "e4m3")
    """
    report = check_decode(fn, format, **how)
    if not report:
        raise AssertionError(str(report))
