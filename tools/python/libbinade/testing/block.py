"""Blocks: whether a function gives the codes and scales that a block format and a scale rule ask for."""
import dataclasses
from typing import Callable, Iterable, Optional, Union

import numpy

import libbinade as bd

from . import _arguments
from .._options import whole
from ..blocks import block_of

_RULES = ("rceil", "floor", "ceil", "even", "ct", "nearest", "mse", "4/6")
_ROUNDINGS = ("rne", "rna", "rtz", "rup", "rdn", "rto")


@dataclasses.dataclass
class BlockReport:
    """What check_block found. True if nothing was wrong; str() of it is the report."""

    asked: str
    blocks: int = 0
    wrong_scales: int = 0
    elements: int = 0
    wrong_codes: int = 0  # against the right scales
    wrong_for_own_scales: int = 0  # against what the right codes for the function's own scales would be
    wrong_tensor_scales: int = 0
    first: str = ""
    matrices: int = 0  # that were tried
    wrong_matrices: list = dataclasses.field(default_factory=list)  # their numbers or, of samples(), their names
    scales_as_numbers: str = ""  # what numbers were given as scales, where codes of scales are right
    rules: list = dataclasses.field(default_factory=list)  # the scale rules that the function follows on every input
    faults: list = dataclasses.field(default_factory=list)
    writes: bool = False  # the function changed an array that it was given

    def __bool__(self):
        return not (self.wrong_scales or self.wrong_codes or self.wrong_tensor_scales)

    def __str__(self):
        lines = [f"{self.asked}: {self.wrong_scales:,} of {self.blocks:,} scales and {self.wrong_codes:,} of "
                 f"{self.elements:,} codes are wrong"]
        if self.wrong_matrices and self.matrices > 1:
            lines.append(f"  in {len(self.wrong_matrices)} of {self.matrices} matrices: "
                         f"{', '.join(map(str, self.wrong_matrices))}")
        if self.scales_as_numbers:
            lines.append(f"  scales are {self.scales_as_numbers}; they are compared by their values")
        if self.wrong_tensor_scales:
            lines.append(f"  scales of the whole array that are wrong: {self.wrong_tensor_scales}")
        if self.first:
            lines.append(f"  first: {self.first}")
        if self.wrong_scales and self.elements:
            lines.append(f"  for the scales that it gave, {self.wrong_for_own_scales:,} codes are wrong")
        if self.rules:
            lines.append(f"  follows the scale rule {', '.join(self.rules)}")
        lines += [f"  the function {name}" for name in self.faults[:3]]
        return "\n".join(lines + _arguments.WRITES * self.writes)


SAMPLES = ("plain", "outliers", "rows", "powers", "zeros", "tiny", "huge")  # names of samples


def samples(seed=0, columns=256):
    """Matrices on which scale rules differ: normal numbers, outliers, rows of zeros, powers of two and numbers next to
    them, very small and very large rows, both zeros."""
    draw = numpy.random.default_rng(seed)
    plain = draw.standard_normal((64, columns)).astype(numpy.float32)
    outliers = plain * numpy.where(draw.random(plain.shape) < 0.02, 50, 1).astype(numpy.float32)
    rows = numpy.exp2(draw.integers(-20, 20, (64, 1))).astype(numpy.float32) * draw.standard_normal(plain.shape)
    powers = numpy.exp2(draw.integers(-8, 9, plain.shape)).astype(numpy.float32)
    powers = numpy.where(draw.random(plain.shape) < 0.5, powers, numpy.nextafter(powers, numpy.float32(0)))
    powers = powers * draw.choice(numpy.float32([-1.75, -1.5, -1, 1, 1.5, 1.75]), plain.shape)
    zeros = plain.copy()
    zeros[::2] = 0
    zeros[1::4, ::3] = -0.0
    tiny = plain * numpy.float32(2.0 ** -130)
    huge = plain * numpy.float32(2.0 ** 120)
    return [x.astype(numpy.float32) for x in (plain, outliers, rows, powers, zeros, tiny, huge)]


def _take(tested, x):
    """(codes, scales, tensor_scale) or (numbers, None, None) of what the function gave."""
    result, what = tested(x), tested.what
    if isinstance(result, (tuple, list)):
        parts = list(result)
        if len(parts) not in (2, 3):
            raise TypeError(f"{what} gave {len(parts)} results: codes and scales, or codes, scales and the scale of "
                            "the whole array are taken, or the dequantized numbers")
        tensor = getattr(result, "tensor_scale", None) if len(parts) == 2 else parts[2]
        codes, are_codes = _arguments.read(parts[0], what)
        if not are_codes:
            raise TypeError(f"{what} gave numbers as codes: codes are integers or of the format's own type")
        scales, _ = _arguments.read(parts[1], what)
        return codes, scales, None if tensor is None else float(numpy.asarray(_arguments.read(tensor, what)[0]))
    numbers, are_codes = _arguments.read(result, what, None)
    if are_codes:
        raise TypeError(f"{what} gave codes without scales")
    return numbers, None, None


def _unpack(codes, x, high_first=False):
    """Codes of one element each, if two share a byte; None if that is not their size."""
    if codes.size == x.size:
        return codes.reshape(x.shape)
    if 2 * codes.size != x.size:
        return None
    low, high = codes & 15, codes >> 4
    pair = (high, low) if high_first else (low, high)
    return numpy.stack(pair, axis=-1).reshape(x.shape)


def _bits(scales):
    return scales.view(numpy.uint32) if scales.dtype == numpy.float32 else scales


class _Trial:
    """A way in which blocks may be made, and whether the function has done so on every input."""

    def __init__(self, kind, name, make):
        self.kind, self.name, self.make, self.alive = kind, name, make, True


def _trials(block, axis, rule, can):
    for each in _RULES:
        if can(each):
            yield _Trial("rule", each, lambda x, each=each: bd.quantize(x, block, axis, rule=each))
    for rounding in _ROUNDINGS[1:]:
        yield _Trial("fault", f"rounds codes by {rounding}",
                     lambda x, rounding=rounding: bd.quantize(x, block, axis, rule=rule, rounding=rounding))


def _swapped(q):
    """q with the scales of the transposed matrix of scales, in the same memory order."""
    return q.codes, numpy.ascontiguousarray(q.scales.T), q.tensor_scale


def _changes():
    """Ways in which right codes and scales are handed over wrongly."""
    yield "gives the reciprocals of the scales", lambda q: (q.codes, numpy.float32(1) / q.scales, q.tensor_scale) \
        if q.scales.dtype == numpy.float32 else None
    yield "gives the scales transposed", lambda q: _swapped(q) if q.scales.ndim == 2 else None
    yield "gives the reciprocal of the array's scale", lambda q: (q.codes, q.scales, 1 / q.tensor_scale) \
        if q.tensor_scale else None
    yield "has no scale for the whole array", lambda q: (q.codes, q.scales, 1.0) if q.tensor_scale else None


def _code_values(codes, like):
    """The right codes as they are compared with codes of the type of `like`: by bits where both have the same width,
    with the sign continued where `like` is wider, and by value where it is narrower."""
    if codes.dtype.itemsize == like.dtype.itemsize:
        return codes.view(like.dtype)
    return codes.astype(like.dtype) if codes.dtype.itemsize < like.dtype.itemsize else codes


def _same_numbers(a, b):
    """Where two arrays have the same numbers, with the sign of zero; a NaN is a NaN."""
    return ((a == b) & (numpy.signbit(a) == numpy.signbit(b))) | (numpy.isnan(a) & numpy.isnan(b))


def _equal(given, q):
    codes, scales, tensor = given
    if scales is None:
        return bool(_same_numbers(codes, bd.dequantize(q).astype(codes.dtype)).all())
    want_codes, want_scales, want_tensor = q if isinstance(q, tuple) and len(q) == 3 else (q.codes, q.scales,
                                                                                           q.tensor_scale)
    same = numpy.array_equal(codes, _code_values(want_codes, codes)) and scales.size == want_scales.size
    same = same and numpy.array_equal(_bits(scales).ravel(), _bits(want_scales).ravel())
    return bool(same and (want_tensor is None or tensor is None or numpy.float32(tensor) == numpy.float32(want_tensor)))


def check_block(fn: Callable, block: str, *, rule: Optional[str] = None, axis: int = -1,
                inputs: Optional[Iterable] = None, source: str = "fp32", library: Union[str, Callable] = "numpy",
                seed: int = 0) -> BlockReport:
    """Compares a quantizer with the right codes and scales, and says which scale rule it follows. A BlockReport.

    fn: takes a matrix and returns (codes, scales), (codes, scales, the scale of the whole array), or the dequantized
        numbers in the shape of the matrix, which are compared with the sign of zero. Two 4-bit codes may
        share a byte, the first in the lower half.
    block, rule, axis: what is asked, as for quantize. inputs: a list of matrices; the default is samples(seed).
        Scales that are numbers, where the format has codes of scales, are compared by their values.
    source, library: as in check_cast. For fp16 and bf16, the matrices are rounded to the source first.

    >>> print(check_block(lambda x: bd.quantize(x, "mxfp4", rule="floor"), "mxfp4", rule="rceil"))
    mxfp4:rceil: 1,035 of 3,584 scales and 20,481 of 114,688 codes are wrong
      in 6 of 7 matrices: plain, outliers, rows, powers, zeros, huge
      first: scale 1 is 0x7d, and 0x7e is right
      for the scales that it gave, 0 codes are wrong
      follows the scale rule floor
    """
    tested, seed = _arguments.Tested(fn, source, library), whole(seed, "seed")
    block_of(block, rule)  # refused here, and not as a rule that cannot be

    def can(each):
        try:
            bd.quantize(numpy.ones((128, 128), numpy.float32), block, axis, rule=each)
        except ValueError:
            return False
        return True

    report = BlockReport(block + (f":{rule}" if rule else ""))
    trials = list(_trials(block, axis, rule, can))
    trials += [_Trial("change", name, change) for name, change in _changes()]
    named = zip(SAMPLES, samples(seed)) if inputs is None else \
        enumerate(_arguments.several(inputs, "inputs", "matrices"))
    for name, x in named:
        x = _arguments.of_source(_arguments.matrix(x), source)
        before = (report.wrong_scales, report.wrong_codes, report.wrong_tensor_scales)
        _compare(report, trials, x, _take(tested, x), (block, rule, axis), tested.what)
        report.matrices += 1
        if before != (report.wrong_scales, report.wrong_codes, report.wrong_tensor_scales):
            report.wrong_matrices.append(name)
    _arguments.refuse_none(report.elements)
    report.writes = tested.writes
    report.rules = [t.name for t in trials if t.alive and t.kind == "rule"]
    report.faults = [t.name for t in trials if t.alive and t.kind != "rule"] if not report else []
    return report


def _compare(report, trials, x, given, asked, what):
    block, rule, axis = asked
    want = bd.quantize(x, block, axis, rule=rule)
    codes, scales, tensor = given
    report.elements += x.size
    if scales is None:
        _compare_numbers(report, x, codes, want, what)
    else:
        unpacked = _unpack(codes, x)
        if unpacked is None or scales.size != want.scales.size:
            raise AssertionError(f"{what} gave {codes.size} codes and {scales.size} scales for a matrix of the shape "
                                 f"{x.shape}: {block} has {x.size} codes and {want.scales.size} scales")
        given = (unpacked, _scale_codes(report, scales, want.scales, block), tensor)
        _compare_codes(report, x, given, want, asked)
    for trial in trials:
        if trial.alive:
            with numpy.errstate(all="ignore"):
                made = trial.make(want) if trial.kind == "change" else trial.make(x)
                changed = trial.kind == "change" and scales is None
            trial.alive = made is not None and not changed and _equal(given, made)


def _scale_codes(report, scales, right, block):
    """Scales as the type of the right ones: numbers that a scale's format has become its codes."""
    if scales.dtype.kind != "f" or right.dtype.kind == "f":
        return scales
    kind = bd.Format(block_of(block).scale)
    report.scales_as_numbers = f"numbers in {scales.dtype}, where {block} has codes of {kind.name}"
    codes = bd.encode(scales, kind)
    exact = bd.decode(codes, kind).astype(numpy.float64) == scales.astype(numpy.float64)
    flat = numpy.flatnonzero(~exact)
    if flat.size and not report.first:
        at = int(flat[0])
        report.first = f"scale {at} is {float(scales.ravel()[at])!r}, which {kind.name} does not have"
    wrong = right.reshape(codes.shape) ^ codes.dtype.type(1)  # another code than the right one
    return numpy.where(exact | numpy.isnan(scales), codes, wrong)


def _compare_numbers(report, x, numbers, want, what):
    if numbers.shape != x.shape:
        raise AssertionError(f"{what} gave numbers of the shape {numbers.shape} for a matrix of the shape {x.shape}")
    right = bd.dequantize(want)
    wrong = ~_same_numbers(numbers, right)
    report.wrong_codes += int(wrong.sum())
    if wrong.any() and not report.first:
        at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
        report.first = f"element {at} = {float(x[at])!r} gives {float(numbers[at])!r}, and " \
                       f"{float(right[at])!r} is right"


def _compare_codes(report, x, given, want, asked):
    block, rule, axis = asked
    codes, scales, tensor = given
    right = _bits(want.scales).ravel()
    mine = _bits(scales.astype(numpy.float32) if scales.dtype == numpy.float64 else scales).ravel()
    wrong_scales = mine != right
    right_codes = _code_values(want.codes, codes)
    wrong_codes = codes != right_codes
    report.blocks += right.size
    report.wrong_scales += int(wrong_scales.sum())
    report.wrong_codes += int(wrong_codes.sum())
    wrong_tensor = want.tensor_scale is not None and tensor is not None and \
        numpy.float32(tensor) != numpy.float32(want.tensor_scale)
    report.wrong_tensor_scales += wrong_tensor
    if wrong_scales.any() and mine.dtype == right.dtype:
        own = scales.astype(want.scales.dtype).reshape(want.scales.shape)
        try:
            best = bd.quantize(x, block, axis, rule=rule, scales=own, tensor_scale=tensor)
            report.wrong_for_own_scales += int((codes != _code_values(best.codes, codes)).sum())
        except ValueError:
            report.wrong_for_own_scales += codes.size  # a scale that is not one of the format
    if report.first:
        return
    if wrong_tensor:
        report.first = f"the scale of the whole array is {tensor!r}, and {want.tensor_scale!r} is right"
    elif wrong_scales.any():
        at = int(numpy.flatnonzero(wrong_scales)[0])
        report.first = f"scale {at} is {int(mine[at]):#x}, and {int(right[at]):#x} is right"
    elif wrong_codes.any():
        at = tuple(int(i) for i in numpy.argwhere(wrong_codes)[0])
        report.first = f"element {at} = {float(x[at])!r} gives {int(codes[at]):#x}, and " \
                       f"{int(right_codes[at]):#x} is right"


@_arguments.like(check_block)
def assert_block(fn, block, **how):
    """Raises AssertionError with check_block's report if codes or scales are wrong. The arguments are those of
    check_block.

    >>> assert_block(lambda x: bd.quantize(x, "mxfp4"), "mxfp4")
    """
    report = check_block(fn, block, **how)
    if not report:
        raise AssertionError(str(report))
