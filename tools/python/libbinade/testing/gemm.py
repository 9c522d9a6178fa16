"""Matrix products: whether a function gives the sums of an accumulator, and which one it has."""
import dataclasses
from typing import Callable, Iterable, Optional, Union

import numpy

import libbinade as bd

from . import _arguments
from .._options import whole

# Accumulators that are tried for what a function may do.
_KNOWN = ("fp32", "each:fp32", "fp16", "fma:fp16", "fp16/promote128", "bf16", "fma:bf16", "bf16/promote128", "trunc14",
          "trunc14g16", "trunc14/promote128", "trunc24", "trunc24g4", "trunc24g8", "trunc24g16", "hopper-fp8",
          "hopper-fp8/promote128", "hopper-fp16", "hopper-tf32", "hopper-fp8-fp16", "hopper-fp16-fp16", "volta-fp16",
          "ampere-fp16", "ampere-tf32", "ada-fp8", "blackwell-fp8", "tf32", "fma:tf32", "fp32:rtz", "each:fp32:rtz",
          "fma:fp16:rtz", "fp64")


@dataclasses.dataclass
class GemmReport:
    """What check_gemm found. True if nothing was wrong; str() of it is the report."""

    asked: str
    results: int = 0
    wrong: int = 0
    first: str = ""
    largest: float = 0.0  # the largest difference, relative to the sum of the magnitudes of the products
    accumulators: list = dataclasses.field(default_factory=list)  # that give every result, bit for bit
    faults: list = dataclasses.field(default_factory=list)
    writes: bool = False  # the function changed an array that it was given

    def __bool__(self):
        return self.wrong == 0

    def __str__(self):
        lines = [f"{self.asked}: {self.wrong:,} of {self.results:,} results differ"]
        if self.first:
            lines.append(f"  first: {self.first}")
        if self.wrong:
            lines.append(f"  largest difference: {self.largest:.3g} of the sum of magnitudes")
        if self.accumulators:
            lines.append(f"  every result is that of the accumulator {', '.join(self.accumulators)}")
        lines += [f"  the function {name}" for name in self.faults]
        return "\n".join(lines + _arguments.WRITES * self.writes)


def samples(operands="fp32", seed=0):
    """Pairs of matrices with values of a format: short and long sums, sums that cancel, small products, and sums of
    equal signs, which stall in narrow accumulators."""
    draw = numpy.random.default_rng(seed)
    pairs = []
    for m, k, n in ((8, 1, 8), (16, 16, 16), (8, 96, 8), (8, 513, 8), (4, 2048, 4)):
        a, b = draw.standard_normal((m, k)), draw.standard_normal((k, n))
        pairs.append((a, b))
        pairs.append((numpy.abs(a), numpy.abs(b)))
        pairs.append((a * numpy.exp2(draw.integers(-3, 4, (m, k))), b))
    pairs.append((draw.standard_normal((8, 32)) / 128, draw.standard_normal((32, 8)) / 512))
    half = draw.standard_normal((8, 64))
    other = draw.standard_normal((64, 8))
    pairs.append((numpy.concatenate([half, -half], axis=1), numpy.concatenate([other, other + 1e-3])))
    return [(bd.round(a.astype(numpy.float32), operands, overflow="saturate"),
             bd.round(b.astype(numpy.float32), operands, overflow="saturate")) for a, b in pairs]


def _same(a, b):
    return (a.view(numpy.uint32) == b.view(numpy.uint32)) | (numpy.isnan(a) & numpy.isnan(b))


def _variants():
    """Mistakes around a right product."""
    yield "multiplies by the transpose of the second matrix", lambda a, b, acc: bd.matmul(a, b.T.copy(), acc=acc) \
        if b.shape[0] == b.shape[1] and a.shape[1] == b.shape[1] else None
    yield "sums from the last product to the first", lambda a, b, acc: bd.matmul(a[:, ::-1].copy(), b[::-1].copy(),
                                                                                 acc=acc)
    yield "leaves out the last product", lambda a, b, acc: bd.matmul(a[:, :-1].copy(), b[:-1].copy(), acc=acc) \
        if a.shape[1] > 1 else None


def check_gemm(fn: Callable, acc: str = "fp32", *, operands: Union[str, bd.Format] = "fp32",
               out: Union[str, bd.Format] = "fp32", inputs: Optional[Iterable] = None, source: str = "fp32",
               library: Union[str, Callable] = "numpy", seed: int = 0) -> GemmReport:
    """Compares a matrix product, bit for bit, with the sums of an accumulator, and says whose sums they are.

    fn: takes matrices m x k and k x n and returns m x n numbers. acc: the accumulator, as for matmul. operands: the
    format whose values the matrices have. out: the format to which results are rounded at the end. inputs: pairs of
    matrices; the default is samples(operands, seed). source, library: as in check_cast. For fp16 and bf16, the matrices
    are rounded to the source first.

    >>> check_gemm(lambda a, b: bd.matmul(a, b, acc="bf16"), "fp32").accumulators
    ['bf16']
    """
    tested, seed = _arguments.Tested(fn, source, library), whole(seed, "seed")
    report = GemmReport(f"matrix product with the accumulator {acc}")
    names = [acc] + [name for name in _KNOWN if name != acc]
    faults = [_Fault(name, make) for name, make in _variants()]
    for a, b in samples(bd.Format(operands), seed) if inputs is None else _pairs(inputs):
        a, b = _arguments.of_source(a, source), _arguments.of_source(b, source)
        got = _product(tested, a, b, out)
        want = _rounded(bd.matmul(a, b, acc=acc), out)
        wrong = ~_same(got, want)
        report.results += got.size
        report.wrong += int(wrong.sum())
        if wrong.any():
            _note(report, a, b, got, want, wrong)
        names = [name for name in names if _same(got, _rounded(bd.matmul(a, b, acc=name), out)).all()]
        faults = [fault for fault in faults if fault.gives(a, b, acc, got, out)]
    _arguments.refuse_none(report.results)
    report.accumulators, report.writes = names, tested.writes
    report.faults = [fault.name for fault in faults if fault.tried] if report.wrong else []
    return report


class _Fault:
    """A mistake, and whether any of the inputs could show it."""

    def __init__(self, name, make):
        self.name, self.make, self.tried = name, make, False

    def gives(self, a, b, acc, got, out):
        made = self.make(a, b, acc)
        self.tried = self.tried or made is not None
        return made is None or bool(_same(got, _rounded(made, out)).all())


def _rounded(c, out):
    return c if out == "fp32" else bd.round(c, out)


def _pairs(inputs):
    """Pairs of matrices as float32."""
    for pair in _arguments.several(inputs, "inputs", "pairs of matrices"):
        matrices = [_arguments.matrix(x) for x in _arguments.several(pair, "each of inputs", "a pair of matrices")]
        if len(matrices) != 2 or matrices[0].shape[1] != matrices[1].shape[0]:
            raise ValueError(f"each of inputs must be matrices m x k and k x n, not {[x.shape for x in matrices]}")
        yield matrices


def _product(tested, a, b, out):
    shape, what = (a.shape[0], b.shape[1]), tested.what
    got, codes = _arguments.read(tested(a, b), what, bd.Format(out).name)
    got = bd.decode(got, out) if codes else got
    if got.shape != shape:
        raise AssertionError(f"{what} gave a matrix of the shape {tuple(got.shape)}, and {tuple(shape)} is right")
    return numpy.ascontiguousarray(got.astype(numpy.float32, copy=False))


def _note(report, a, b, got, want, wrong):
    scale = numpy.abs(a).astype(float) @ numpy.abs(b).astype(float)
    with numpy.errstate(all="ignore"):
        relative = numpy.abs(got.astype(float) - want) / scale
    finite = relative[numpy.isfinite(relative)]
    report.largest = max(report.largest, float(finite.max()) if finite.size else 0.0)
    if not report.first:
        at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
        report.first = f"element {at} of {a.shape[0]} x {a.shape[1]} x {b.shape[1]} is {float(got[at])!r}, and " \
                       f"{float(want[at])!r} is right"


@_arguments.like(check_gemm)
def assert_gemm(fn, acc="fp32", **how):
    """Raises AssertionError with check_gemm's report if a result has other bits. The arguments are those of
    check_gemm.

    >>> assert_gemm(lambda a, b: bd.matmul(a, b, acc="fp16"), acc="fp16")
    """
    report = check_gemm(fn, acc, **how)
    if not report:
        raise AssertionError(str(report))
