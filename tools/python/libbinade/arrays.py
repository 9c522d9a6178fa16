"""Arrays of numbers to codes of any format, back, and from format to format."""
import ctypes
import math
from typing import Any, Optional, Union

from . import _arrays, _types
from ._arrays import numpy
from ._native import Error, brief, call, lib
from ._options import PACKED, UNPACKED, Stats, how_of, rule_of
from .formats import Format, check_order

__all__ = ["convert", "decode", "encode", "round"]


def _byref(x):
    return None if x is None else ctypes.byref(x)


def _fits_float32(f):
    return f.precision <= 24 and f.emax <= 127 and f.least_quantum >= -149


def as_numbers(seen, threads=None, backend=None):
    """The numbers of a Seen, as float32 or float64: codes are decoded, to float64 if float32 does not hold all."""
    if seen.format is None:
        return _arrays.numbers(seen.array)
    how = how_of(threads=threads, backend=backend)
    codes, how.stride_in = _arrays.line(seen.array)
    narrow = _fits_float32(seen.format)
    y = numpy.empty(codes.shape, numpy.float32 if narrow else numpy.float64)
    call("bnd_decode_f32" if narrow else "bnd_decode_f64", y.ctypes.data, codes.ctypes.data,
         y.size, _byref(seen.format), _byref(how))
    return y


def _plain_format(what, x, format):
    """The Format of a call on numbers; a block format is refused with the calls that take one."""
    if isinstance(format, str) or isinstance(x, (str, Format)):
        check_order(what, x, format, f"the numbers first: {what}(x, {{}})")
    try:
        return Format(format)
    except Error as why:
        block = _types.bnd_block()
        if not isinstance(format, str) or lib.bnd_block_parse(_byref(block), format.encode(), None) != _types.BND_OK:
            raise
        said = (f"{format!r} is a block format, whose elements share scales: fake_quantize(x, {format!r}) rounds to "
                f"it, quantize(x, {format!r}) gives codes and scales")
        raise Error(why.status, why.where, said) from None


def _room_for_codes(f, shape, packed, out, source):
    if not packed:
        return _arrays.room(out, shape, f.dtype, f, source)
    f.code_bits  # or it says that a value set has no codes
    size = lib.bnd_codes_size(_byref(f), math.prod(shape), PACKED)
    return _arrays.room(out, (size,), numpy.dtype(numpy.uint8), None, source)


def _given(y, finish, out, seen):
    """What a call returns: `out` if there is one, else the result as the kind of array that came in."""
    if finish is not None:
        finish()
    _arrays.written(out)
    return out if out is not None else seen.give(y)


def encode(x: Any, format: Union[str, Format], rounding: Optional[str] = None, overflow: Optional[str] = None, *,
           nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None, seed: int = 0, first: int = 0,
           packed: bool = False, threads: Optional[int] = None, backend: Optional[str] = None, stats: bool = False,
           out: Any = None, as_dtype: bool = False, copy: bool = False) -> Any:
    """The codes of x in a format, each rounded once.

    An array of uint8, uint16, uint32 or uint64 (the smallest that holds a code) of the shape of x. Of a torch tensor it
    is a tensor of uint8, int16, int32 or int64. With as_dtype=True the result has the type that names the format, such
    as float8_e4m3fn of ml_dtypes or torch. With packed=True it has the bytes that a file would hold (6 and 4-bit codes
    back to back, lowest bits first), in one dimension. With stats=True: (codes, Stats).

    x: an array of float32 or float64, of what one of them holds exactly, or of float16, bfloat16, float8 ... types.
    numpy arrays, torch tensors on the CPU, and JAX arrays are read in place; copy=True copies from another device.
    rounding: rne (the default) rna rtz rup rdn rto sr:N sra:N srb:N sr-equal. overflow: format (the default) saturate
    propagate ... nan: signed (the default) ... flush: what becomes zero, "none" "in" "out" "both" "tiny" "in-tiny".
    dialect: the rule of an ecosystem ("ml_dtypes", "cuda-satfinite"), which explicit arguments change. seed: of the
    stochastic modes, whose random bits depend on the seed and on the place of an element in x (in C order, counted from
    `first`) and on nothing else. out: an array for the result. A tensor is read without its gradient, which the result
    does not have; libbinade.torch.quantize is an operation with a gradient.

    >>> encode([0.1, 300, -7e4], "e4m3", overflow="saturate").tolist()
    [29, 121, 254]
    """
    f, given = _plain_format("encode", x, format), _arrays.seen(x, copy)
    if as_dtype and (packed or out is not None):
        raise ValueError("as_dtype cannot be used with packed or out")
    how = how_of(rule_of(f, rounding, overflow, nan, flush, dialect), seed, first, packed, threads, backend)
    source = given.array if given.format is not None else _arrays.numbers(given.array)
    codes, finish = _room_for_codes(f, source.shape, packed, out, source)
    line, how.stride_in = _arrays.line(source)
    counted = Stats() if stats else None
    if given.format is not None:
        how.packing_in = UNPACKED
        call("bnd_convert_codes", codes.ctypes.data, _byref(f), line.ctypes.data, _byref(given.format), source.size,
             _byref(how), _byref(counted))
    else:
        call(f"bnd_encode_f{8 * source.itemsize}", codes.ctypes.data, line.ctypes.data, source.size, _byref(f),
             _byref(how), _byref(counted))
    result = _arrays.typed(codes, f, given) if as_dtype else _given(codes, finish, out, given)
    return (result, counted) if stats else result


def check_codes(codes, count, f, packed):
    """Raises an Error, with the place, if bits are set that no code of the format has."""
    how = _types.bnd_array(packing_in=PACKED if packed else UNPACKED)
    call("bnd_codes_check", codes.ctypes.data, count, _byref(f), _byref(how))


def _packed_codes(codes, f, shape):
    if shape is None:
        raise ValueError("packed codes do not say how many they are: decode needs their shape")
    shape = _arrays.dimensions(shape)
    need = lib.bnd_codes_size(_byref(f), math.prod(shape), PACKED)
    if codes.dtype != numpy.uint8 or codes.size != need:
        raise ValueError(f"{math.prod(shape)} packed codes of {f.name} are {need} bytes (uint8), not {codes.size} "
                         f"of {codes.dtype}")
    codes = numpy.ascontiguousarray(codes)
    check_codes(codes, math.prod(shape), f, True)
    return codes, shape


def _codes_in(codes, copy):
    """The Seen of codes. An empty list, which numpy takes for float64, is one of codes, too."""
    given = _arrays.seen(codes, copy)
    if isinstance(codes, (list, tuple)) and given.array.size == 0:
        given.array = given.array.astype(numpy.uint8)
    return given


def _words(seen, f):
    """The codes of a Seen as unsigned words of the format."""
    codes = seen.array
    if seen.format is not None:
        if seen.format != f:
            raise ValueError(f"the array has codes of {seen.format.name}, not of {f.name}; convert() changes the "
                             "format")
        return codes
    if codes.dtype.kind not in "iu":
        raise TypeError(f"codes must be integers, not {codes.dtype}")
    codes = _arrays.native(codes)
    if codes.dtype == numpy.dtype(f"<i{f.dtype.itemsize}") and f.width == 8 * f.dtype.itemsize > 8:
        return codes.view(f.dtype)  # as torch has them: all bits are used
    if codes.dtype != f.dtype or f.width < 8 * f.dtype.itemsize:
        if codes.size > 0 and not 0 <= int(codes.min()) <= int(codes.max()) < 2**f.width:
            raise ValueError(f"a code of {f.name} must be a number from 0 to {2**f.width - 1:#x}; these range from "
                             f"{int(codes.min()):#x} to {int(codes.max()):#x}")
        codes = codes.astype(f.dtype, copy=False)
    return codes


def _format_of(format, seen):
    if format is None and seen.format is None:
        kind = seen.array.dtype
        if kind.kind not in "iu":
            raise TypeError(f"codes must be integers, or of a type that names their format, not {kind}")
        raise TypeError(f"the format of the codes is needed: {kind} names none")
    return Format(format) if format is not None else seen.format


def _float_type(dtype):
    """float32 or float64 of numpy, by any of their names, torch's too."""
    try:
        found = numpy.dtype(str(dtype).replace("torch.", "") if type(dtype).__module__ == "torch" else dtype)
    except (TypeError, ValueError, SyntaxError):
        found = None
    if found is None or found not in (numpy.float32, numpy.float64):
        raise TypeError(f"decode gives float32 or float64, not {brief(dtype) if found is None else found}")
    return found


def decode(codes: Any, format: Union[str, Format, None] = None, dtype: Any = None, *, packed: bool = False,
           shape: Any = None, threads: Optional[int] = None, backend: Optional[str] = None, out: Any = None,
           copy: bool = False) -> Any:
    """The numbers that codes stand for.

    float32 if it holds all numbers of the format, otherwise float64, or what dtype says (rounded to nearest even if it
    does not hold them). The format can be left out if the type names it (bfloat16, float8_e4m3fn ...). packed=True
    takes the bytes that encode(packed=True) gives, and needs the shape of the result.

    >>> decode([29, 121, 254], "e4m3").tolist()
    [0.1015625, 288.0, -448.0]
    """
    given = _codes_in(codes, copy)
    f = _format_of(format, given)
    if packed:
        words, shape = _packed_codes(given.array, f, shape)
    else:
        words = _words(given, f)
        shape = words.shape if shape is None else _arrays.dimensions(shape)
        if math.prod(shape) != words.size:
            raise ValueError(f"{words.size} codes cannot have the shape {shape}")
    dtype = _float_type(dtype) if dtype is not None else numpy.dtype("f4" if _fits_float32(f) else "f8")
    how = how_of(packed=packed, threads=threads, backend=backend)
    line, how.stride_in = (words, 1) if packed else _arrays.line(words)
    x, finish = _arrays.room(out, shape, dtype, None, words)
    if x.itemsize != words.itemsize and out is not None and numpy.may_share_memory(x, words):
        line = line.copy()
    call(f"bnd_decode_f{8 * dtype.itemsize}", x.ctypes.data, line.ctypes.data, x.size, _byref(f), _byref(how))
    return _given(x, finish, out, given)


def convert(codes: Any, source: Union[str, Format, None], target: Union[str, Format], rounding: Optional[str] = None,
            overflow: Optional[str] = None, *, nan: Optional[str] = None, flush: str = "none",
            dialect: Optional[str] = None, seed: int = 0, first: int = 0, threads: Optional[int] = None,
            backend: Optional[str] = None, stats: bool = False, out: Any = None, as_dtype: bool = False,
            copy: bool = False) -> Any:
    """Codes of one format to codes of another, each rounded once. `source` can be None if the type of the array names
    its format. The other arguments are those of encode.

    >>> convert(encode([0.1, 300], "bf16"), "bf16", "e5m2").tolist()
    [46, 93]
    """
    check_order("convert", codes, source, f"the codes first: convert(codes, {{}}, {target!r})")
    given, target = _codes_in(codes, copy), Format(target)
    if as_dtype and out is not None:
        raise ValueError("as_dtype cannot be used with out")
    of = _format_of(source, given)
    words = _words(given, of)
    how = how_of(rule_of(target, rounding, overflow, nan, flush, dialect), seed, first, False, threads, backend)
    result, finish = _room_for_codes(target, words.shape, False, out, words)
    line, how.stride_in = _arrays.line(words)
    counted = Stats() if stats else None
    call("bnd_convert_codes", result.ctypes.data, _byref(target), line.ctypes.data, _byref(of), words.size, _byref(how),
         _byref(counted))
    result = _arrays.typed(result, target, given) if as_dtype else _given(result, finish, out, given)
    return (result, counted) if stats else result


def round(x: Any, format: Union[str, Format], rounding: Optional[str] = None, overflow: Optional[str] = None, *,
          out: Any = None, nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None, seed: int = 0,
          first: int = 0, threads: Optional[int] = None, backend: Optional[str] = None, stats: bool = False,
          copy: bool = False) -> Any:
    """x rounded to the values of a format or of a value set. float32, and float16, bfloat16, float8 ... types give
    float32. float64, integers and lists give float64. out: an array of that shape and type, which may be x. The other
    arguments are those of encode. With stats=True: (numbers, Stats).

    >>> float(round(0.1, "bf16")), float(round(0.3, "p3emin-5emax5"))
    (0.10009765625, 0.3125)
    """
    f, given = _plain_format("round", x, format), _arrays.seen(x, copy)
    numbers = as_numbers(given, threads, backend)
    how = how_of(rule_of(f, rounding, overflow, nan, flush, dialect), seed, first, False, threads, backend)
    y, finish = _arrays.room(out, numbers.shape, numbers.dtype, None, numbers)
    line, how.stride_in = _arrays.line(numbers)
    counted = Stats() if stats else None
    call(f"bnd_round_f{8 * numbers.itemsize}", y.ctypes.data, line.ctypes.data, numbers.size, _byref(f), _byref(how),
         _byref(counted))
    y = _given(y, finish, out, given)
    return (y, counted) if stats else y
