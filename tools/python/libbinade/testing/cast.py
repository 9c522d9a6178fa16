"""Casts: whether a function gives the codes that a format and a rule ask for, and what it does instead."""
import dataclasses
import itertools
from typing import Any, Callable, Optional, Union

import numpy

import libbinade as bd

from . import _arguments, _faults, _inputs
from .._options import whole

_ROUNDINGS = ("rne", "rna", "rtz", "rup", "rdn", "rto")
_OVERFLOWS = ("format", "saturate", "propagate", "format-max", "propagate-max")
_NANS = ("signed", "canonical", "ones", "signed-ones", "propagate")
# The first inputs of every piece, as many as this, are enough to reject what a function does not do.
_FIRST_LOOK = 1 << 15
# The number of failed hypotheses that are compared further, to name the nearest one.
_NEAR = 6
# The lengths of short arrays that are tried, around the widths of vectors.
_LENGTHS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65)


@dataclasses.dataclass
class CastReport:
    """What check_cast found. True if nothing was wrong; str() of it is the report."""

    asked: str
    format: bd.Format
    inputs: int = 0
    wrong: int = 0
    first: str = ""
    classes: dict = dataclasses.field(default_factory=dict)  # class: (wrong, inputs)
    dialects: list = dataclasses.field(default_factory=list)  # that the function follows on every input
    rules: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    but_for_nan: list = dataclasses.field(default_factory=list)  # what it follows but for the bits of NaN
    nearest: str = ""
    outside: int = 0  # results that are wrong and are not numbers of the format
    unstable: str = ""
    writes: bool = False  # the function changed an array that it was given

    def __bool__(self):
        return self.wrong == 0 and not self.unstable

    def __str__(self):
        lines = [f"{self.asked}: {self.wrong:,} of {self.inputs:,} inputs are wrong"]
        if self.first:
            lines.append(f"  first: {self.first}")
        wrong = [f"{name} {bad:,} of {all_:,}" for name, (bad, all_) in self.classes.items() if bad]
        if wrong:
            lines.append(f"  wrong by class: {'; '.join(wrong)}")
        if self.outside:
            lines.append(f"  {self.outside:,} results are not numbers of {self.format.name}")
        if self.unstable:
            lines.append(f"  {self.unstable}")
        if self.dialects:
            lines.append(f"  follows the dialect {', '.join(self.dialects)}")
        elif self.rules:
            lines.append(f"  follows the rule: {self.rules[0]}")
        if self.wrong and self.faults:
            lines += [f"  the function {name}" for name in self.faults[:3]]
        elif self.wrong and not (self.dialects or self.rules):
            if self.but_for_nan:
                lines.append(f"  follows, but for the bits of NaN: {', '.join(self.but_for_nan[:4])}")
            elif self.nearest:
                lines.append(f"  nearest: {self.nearest}")
        return "\n".join(lines + _arguments.WRITES * self.writes)


class _Hypothesis:
    """Something that the function may do: its name, and the codes that it would give."""

    def __init__(self, kind, name, codes):
        self.kind, self.name, self.codes, self.exact = kind, name, codes, True
        self.wrong = 0  # of the inputs of the first looks

    def __str__(self):
        return self.name if self.kind == "fault" else f"{self.kind} {self.name}"


def _words(rule):
    return ", ".join(f"{name} {value}" for name, value in rule.items()) or "the default rule"


def _rules():
    for rounding, overflow, nan in itertools.product(_ROUNDINGS, _OVERFLOWS, _NANS):
        yield {"rounding": rounding, "overflow": overflow, "nan": nan}


def _hypotheses(f, rule):
    """Dialects, rules, faults and other formats, in the order in which they are named."""
    for name in bd.dialects(0, f):
        yield _Hypothesis("dialect", name, lambda cast, name=name: bd.encode(cast.x, cast.f, dialect=name))
    for each in _rules():
        yield _Hypothesis("rule", _words(each), lambda cast, each=each: bd.encode(cast.x, cast.f, **each))
    for name, codes in _faults.FAULTS:
        yield _Hypothesis("fault", name, codes)
    for other in bd.formats():
        if other.width == f.width and other.name != f.name:
            for overflow in ("format", "saturate", "propagate"):
                yield _Hypothesis("fault", f"gives codes of {other.name}, overflow {overflow}",
                                  lambda cast, other=other, overflow=overflow: cast.plain(other, overflow=overflow))


def _is_nan(f, codes):
    return numpy.isnan(bd.decode(codes, f))


def _differ(f, got, codes, want, nan_bits=True):
    """Where the results differ from the codes: bit for bit if they are codes, otherwise by value, with the sign of
    zero, where every NaN is the same."""
    if codes:
        wrong = got != want
        if not nan_bits and wrong.any():
            at = numpy.flatnonzero(wrong)
            wrong[at] = ~(_is_nan(f, _within(f, got[at])) & _is_nan(f, want[at]))
        return wrong
    values = bd.decode(want, f, dtype=got.dtype)
    same = (got == values) & (numpy.signbit(got) == numpy.signbit(values)) | (numpy.isnan(got) & numpy.isnan(values))
    return ~same


def _outside(f, numbers):
    """How many numbers the format does not have."""
    return int(((bd.round(numbers, f) != numbers) & ~numpy.isnan(numbers)).sum())


def _within(f, codes):
    """Codes as an array of the format's type; those with too many bits become code 0, which is not NaN."""
    return numpy.where(codes < (1 << f.width), codes, 0).astype(f.dtype)


def _classes(cast):
    """The class of each input, by how a cast to f sees it."""
    f, x = cast.f, cast.x
    power = numpy.ldexp(cast.wide, -cast.exponents)
    fraction = power - numpy.trunc(power)
    beyond = bd.round(cast.wide, f, "rne", "format")
    to_zero = (bd.round(cast.wide, f, "rne", "saturate") == 0) & (cast.wide > 0)
    finite = numpy.isfinite(x)
    overflow = finite & (cast.wide > f.max) & ~numpy.isfinite(beyond) if f.has_infinity or f.has_nan else \
        finite & (cast.wide > f.max)
    masks = (("NaN", numpy.isnan(x)), ("infinity", numpy.isinf(x)), ("-0", (x == 0) & numpy.signbit(x)),
             ("0", x == 0), ("overflow", overflow), ("tie", finite & (fraction == 0.5)), ("underflow to zero", to_zero),
             ("subnormal", cast.below_normal), ("exact", fraction == 0), ("rounded", finite))
    names, found = [name for name, _ in masks], numpy.zeros(x.shape, numpy.int8)
    for i, (_, mask) in reversed(list(enumerate(masks))):
        found[mask] = i
    return names, found


def _show(f, code):
    value = float(bd.decode(numpy.array([code], f.dtype), f, dtype=numpy.float64)[0])
    return f"{int(code):#0{2 + -(-f.width // 4)}x} ({value!r})"


def _first(cast, got, codes, want, at):
    bits = cast.x[at:at + 1].view(numpy.uint64 if cast.x.dtype == numpy.float64 else numpy.uint32)[0]
    given = _show(cast.f, got[at]) if codes else repr(float(got[at]))
    return f"{float(cast.x[at])!r} ({int(bits):#x}) gives {given}, and {_show(cast.f, want[at])} is right"


def _run(tested, x):
    got, codes = _arguments.read(tested(x), tested.what, tested.expected)
    if got.shape != x.shape:
        raise AssertionError(f"{tested.what} gave an array of the shape {got.shape} for one of the shape {x.shape}")
    return got, codes


def _same(a, b):
    return numpy.array_equal(a.view(f"u{a.dtype.itemsize}"), b.view(f"u{b.dtype.itemsize}"))


def _stability(tested, x):
    """A sentence if the result of an element depends on the call or on the length of the array."""
    full, codes = _run(tested, x)
    again, _ = _run(tested, x)
    if not _same(full, again):
        return "two calls with the same numbers give different results"
    for length in _LENGTHS:
        part, _ = _run(tested, x[:length].copy())
        if not _same(part, full[:length]):
            at = int(numpy.flatnonzero(part != full[:length])[0]) if codes else 0
            return f"the result depends on the length of the array: with {length} elements, element {at} is another one"
    return ""


def check_cast(fn: Callable, format: Union[str, bd.Format], *, dialect: Optional[str] = None,
               rounding: Optional[str] = None, overflow: Optional[str] = None, nan: Optional[str] = None,
               flush: str = "none", nan_bits: bool = True, inputs: Any = "all-fp16+sampled-fp32", source: str = "fp32",
               library: Union[str, Callable] = "numpy", seed: int = 0) -> CastReport:
    """Compares a cast with the right codes, and says what it does instead. The answer is a CastReport.

    fn: takes an array and returns codes (integers, or an array of the format's own type) or the rounded numbers
        (float32, float64) in the same shape. Numbers are compared by value, with the sign of zero; all NaNs are equal.
    format, dialect, rounding, overflow, nan, flush: what is asked, as for encode.
    nan_bits: False if any NaN is as good as any other.
    inputs: "all-fp16+sampled-fp32", any of all-FORMAT (each code of a format of at most 32 bits), sampled-fp32:COUNT,
        sampled-fp64:COUNT, landmarks, joined by "+"; or an array.
    source: the format of the array that fn takes: fp32, fp64, fp16 or bf16.
    library: whose array fn takes: "numpy", "torch", "jax", or a function that makes it of numpy's.

    >>> import libbinade as bd
    >>> from libbinade.testing import check_cast
    >>> print(check_cast(lambda x: bd.encode(x, "e4m3", "rna"), "e4m3", inputs="landmarks"))
    fp32 to e4m3, the default rule: 128 of 1,566 inputs are wrong
      first: 0.0009765625 (0x3a800000) gives 0x01 (0.001953125), and 0x00 (0.0) is right
      wrong by class: tie 128 of 254
      follows the rule: rounding rna, overflow format, nan signed
    """
    tested, f = _arguments.Tested(fn, source, library), bd.Format(format)
    if not 0 < f.width <= 32:
        raise ValueError(f"check_cast needs a format with codes of at most 32 bits, not {f.name}")
    if not isinstance(nan_bits, bool):
        raise TypeError("nan_bits is True or False")
    given = {"dialect": dialect, "rounding": rounding, "overflow": overflow, "nan": nan}
    rule = {name: value for name, value in given.items() if value is not None}
    if flush != "none":
        rule["flush"] = flush
    tested.expected, seed = f.name, whole(seed, "seed")
    report = CastReport(f"{source} to {f.name}, {_words(rule)}", f)
    alive, near, looked, counts, names = None, [], 0, {}, []
    for x in _inputs.pieces(inputs, f, source, seed):
        if alive is None:
            report.unstable = _stability(tested, next(_inputs.pieces("landmarks", f, source, seed)))
            alive = list(_hypotheses(f, rule))
        got, codes = _run(tested, x)
        cast = _faults.Cast(x, f, rule)
        want = cast.codes()
        wrong = _differ(f, got, codes, want, nan_bits)
        if wrong.any() and not report.first:
            report.first = _first(cast, got, codes, want, int(numpy.flatnonzero(wrong)[0]))
        report.outside += 0 if codes else _outside(f, got[wrong])
        report.inputs += x.size
        report.wrong += int(wrong.sum())
        names, found = _classes(cast)
        for i in numpy.unique(found):
            bad, all_ = counts.get(i, (0, 0))
            counts[i] = (bad + int(wrong[found == i].sum()), all_ + int((found == i).sum()))
        looks = _looks(cast, got, wrong)
        looked += looks[0][0].x.size
        alive, near = _survivors(alive, near, looks, codes)
    _arguments.refuse_none(report.inputs)
    report.classes = {names[i]: counts[i] for i in sorted(counts)}
    report.writes = tested.writes
    for kind, found in (("dialect", report.dialects), ("rule", report.rules), ("fault", report.faults)):
        found += [h.name for h in alive if h.kind == kind and h.exact]
    report.but_for_nan = [str(h) for h in alive if not h.exact]
    if near and 2 * near[0].wrong < looked:
        report.nearest = f"{near[0]}: {near[0].wrong:,} of {looked:,} inputs compared differ"
    return report


def _looks(cast, got, wrong):
    """A part of a piece, with as many wrong results as may be, and the whole piece: (inputs, results) of each."""
    at = numpy.flatnonzero(wrong)
    pick = numpy.unique(numpy.concatenate([at[:: max(1, len(at) // _FIRST_LOOK)],
                                           numpy.arange(0, cast.x.size, max(1, cast.x.size // _FIRST_LOOK))]))
    return (_faults.Cast(cast.x[pick], cast.f, cast.rule), got[pick]), (cast, got)


def _survivors(alive, near, looks, codes):
    """(the hypotheses that gave every result so far, the nearest of those that did not)."""
    left, failed = [], []
    for hypothesis in alive:
        wrong = _fits(hypothesis, looks, codes)
        if wrong == 0:
            left.append(hypothesis)
        elif wrong is not None:
            hypothesis.wrong = wrong
            failed.append(hypothesis)
    for hypothesis in near:  # which failed in pieces before
        hypothesis.wrong += _fits(hypothesis, looks[:1], codes) or 0
    return left, sorted(near + failed, key=lambda hypothesis: hypothesis.wrong)[:_NEAR]


def _fits(hypothesis, looks, codes):
    """How many results another function would give, but for the bits of NaN: in the first look that shows any. None if
    it cannot be asked. Notes if it is NaN alone that differs."""
    for seen, got in looks:
        with numpy.errstate(all="ignore"):
            want = hypothesis.codes(seen)
        if want is None:
            return None
        differ = int(_differ(seen.f, got, codes, want).sum())
        if differ:
            hypothesis.exact = False
            differ = int(_differ(seen.f, got, codes, want, False).sum())
            if differ:
                return differ
    return 0


@_arguments.like(check_cast)
def assert_cast(fn, format, **how):
    """Raises AssertionError with check_cast's report if a cast gives anything but the right codes. The arguments are
    those of check_cast.

    >>> assert_cast(lambda x: bd.encode(x, "e4m3"), "e4m3", inputs="landmarks")
    """
    report = check_cast(fn, format, **how)
    if not report:
        raise AssertionError(str(report))
