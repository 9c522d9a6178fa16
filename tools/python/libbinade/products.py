"""Matrix products with the accumulator as a parameter: its format, when it is rounded, when it is promoted."""
import ctypes
from typing import Any, Optional, Union

from . import _arrays, _types
from ._arrays import numpy
from ._native import call, text
from ._options import context_of, whole
from .arrays import _given, _words
from .blocks import float32
from .formats import Format

__all__ = ["accumulators", "matmul"]


def accumulators() -> dict:
    """How accumulators are named, with what each name means; F is any format.

    >>> accumulators()["fma:F"]
    'one rounding per step'
    """
    return {"fp32": "one fused multiply-add per step, as BLAS and tensor cores say fp32 accumulator; fp64 the same",
            "F": "any other format: every product and every sum rounded",
            "fma:F": "one rounding per step", "each:F": "every product and every sum rounded",
            "...:MODE": "with a rounding mode: bf16:rtz, fma:e5m2:sr:8",
            "truncBgG": "aligned: B bits, groups of G products at once, truncated: trunc14, trunc14g16",
            "hopper-fp8": "as the tensor cores of an H200 add FP8; also hopper-fp16, hopper-bf16, hopper-tf32, "
                          "hopper-fp8-fp16, hopper-fp16-fp16",
            "tensorFgG:FORMAT": "groups of G products cut off F bits below the largest exponent: tensor25g16:fp32",
            ".../promoteN": "added to an fp32 number after every N steps: fp16/promote128, trunc14/promote128",
            "cblas": "OpenBLAS in fp32, without any promise about bits"}


class _Operand:
    """A or B: numbers or codes in the memory that came in, as a stack of matrices."""

    def __init__(self, name, x, format, copy):
        self.seen = _arrays.seen(x, copy)
        if format is not None or self.seen.format is not None:
            self.format = Format(format) if format is not None else self.seen.format
            self.array = _words(self.seen, self.format)
        elif self.seen.array.dtype.kind in "iu" and not isinstance(x, (list, tuple, int)):
            raise TypeError(f"{name} is an array of {self.seen.array.dtype}, and integers are codes: give their format "
                            f"as {name}_format, or convert {name} to float32 if they are numbers")
        else:
            self.format, self.array = None, None

    def as_numbers(self):
        """Numbers in fp32; nothing is rounded."""
        if self.format is None:
            seen = self.seen
            if seen.array.dtype == numpy.float32 and seen.array.dtype.isnative:
                self.array = seen.array
            else:
                self.array = float32(seen, "matrix products are")
        else:
            self.array = float32(_arrays.Seen(self.array, self.format, None), "matrix products are")
            self.format = None


def _strided(matrix):
    """(matrix, its strides in elements): a copy if its elements lie at no whole strides. Strides of 0 mean a dense
    one."""
    if any(step % matrix.itemsize for step in matrix.strides) or matrix.strides == (0, 0):
        matrix = matrix.copy()
    return matrix, _types.bnd_strides(*(step // matrix.itemsize for step in matrix.strides))


def _stacked(a, b):
    """(a, b, shape of the result, shape of what is computed), as numpy.matmul sees them."""
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul needs at least one dimension; use * for numbers")
    left, right = a.ndim == 1, b.ndim == 1
    a, b = a[None, :] if left else a, b[:, None] if right else b
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul needs as many columns as rows: A has the shape {a.shape}, B {b.shape}")
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    computed = batch + (a.shape[-2], b.shape[-1])
    shape = batch + (() if left else computed[-2:-1]) + (() if right else computed[-1:])
    return numpy.broadcast_to(a, batch + a.shape[-2:]), numpy.broadcast_to(b, batch + b.shape[-2:]), shape, computed


def _accumulator(name):
    found = _types.bnd_accumulator()
    call("bnd_accumulator_parse", ctypes.byref(found), text(name, "acc"))
    return found


def _check_sums(c, shape):
    """C as an array to add to."""
    if not isinstance(c, numpy.ndarray) or c.shape != tuple(shape) or c.dtype != numpy.float32:
        raise ValueError(f"c must be an array of float32 of the shape {tuple(shape)}")
    return c


def matmul(a: Any, b: Any, acc: str = "fp32", *, c: Any = None, a_format: Union[str, Format, None] = None,
           b_format: Union[str, Format, None] = None, round_a: Union[str, Format, None] = None,
           round_b: Union[str, Format, None] = None, seed: int = 0, threads: Optional[int] = None,
           backend: Optional[str] = None, out: Any = None, copy: bool = False) -> Any:
    """a @ b in fp32, with the accumulator `acc`; c + a @ b if c is given. Shapes are those of numpy.matmul.

    acc: fp32 (one fused multiply-add per step), a format (every product and sum rounded), fma:F, each:F, trunc14g32 (as
    Hopper's tensor cores are described), and .../promoteN; accumulators() lists the names. Each element is one sum over
    k, from 0 up, so results depend neither on threads nor on the back end.

    a, b: float32, or codes: arrays of float16, bfloat16, float8 ... types, or integers whose formats are a_format and
    b_format; in lists, integers are numbers. They are read in place, with any strides. round_a, round_b: formats that
    the operands are first rounded to, to nearest even. seed: of stochastic modes; the n-th matrix of a stack uses the
    random bits of purpose n. out: an array of float32 for the result.

    >>> import numpy as np
    >>> x = np.full((1, 4096), 1.0, np.float32)
    >>> float(matmul(x, x.T)[0, 0]), float(matmul(x, x.T, acc="fp16")[0, 0])
    (4096.0, 2048.0)
    """
    accumulator, given = _accumulator(acc), [_Operand("a", a, a_format, copy), _Operand("b", b, b_format, copy)]
    if any(one.format is None for one in given) or round_a is not None or round_b is not None:
        for one in given:
            one.as_numbers()
    x, y, shape, computed = _stacked(given[0].array, given[1].array)
    how = _types.bnd_gemm(accumulator=accumulator, add=c is not None, seed=whole(seed, "seed"))
    context = context_of(threads, backend)
    how.context = ctypes.pointer(context)
    rounded = [None if f is None else Format(f) for f in (round_a, round_b)]
    how.round_a, how.round_b = (
        None if f is None else ctypes.cast(ctypes.byref(f), ctypes.POINTER(_types.bnd_format)) for f in rounded)
    result, finish = _arrays.room(out, shape, numpy.dtype(numpy.float32), None, None)
    if out is not None and any(numpy.may_share_memory(result, one.array) for one in given):
        there, result = result, numpy.empty(shape, numpy.float32)
        finish = lambda: there.__setitem__(Ellipsis, result)  # noqa: E731
    if c is not None:
        result[...] = _check_sums(_arrays.seen(c, copy).array, shape)
    _multiply(result.reshape(computed), x, y, [one.format for one in given], how)
    return _given(result, finish, out, given[0].seen)


def _multiply(result, x, y, of, how):
    """Every matrix of a stack."""
    for n, at in enumerate(numpy.ndindex(*result.shape[:-2])):
        one, (left, how.a), (right, how.b) = result[at], _strided(x[at]), _strided(y[at])
        how.purpose = n
        (m, k), columns = left.shape, right.shape[1]
        if of[0] is None:
            call("bnd_gemm_f32", one.ctypes.data, m, columns, left.ctypes.data, right.ctypes.data, k, ctypes.byref(how))
        else:
            call("bnd_gemm_codes", one.ctypes.data, m, columns, left.ctypes.data, ctypes.byref(of[0]),
                 right.ctypes.data, ctypes.byref(of[1]), k, ctypes.byref(how))
