"""Block formats, whose elements share a scale: MXFP8, NVFP4, a scale per tensor, row or tile."""
import collections
import ctypes
import math
import operator
from typing import Any, Optional

from . import _arrays, _types
from ._arrays import numpy
from ._native import brief, call, lib, text
from ._options import PACKED, UNPACKED, Stats, how_of, real, rule_of
from .arrays import _byref, _given, as_numbers, check_codes, encode
from .formats import Format, check_order

__all__ = ["Quantized", "block_formats", "dequantize", "fake_quantize", "quantize"]


class Quantized(collections.namedtuple("Quantized", "codes scales")):
    """Codes and scales, and besides the two: tensor_scale (a float if the block format has one for the whole array,
    otherwise None), block (the name of the format with its rule), axis, shape, packed, and stats if they were asked
    for. dequantize takes it as it is. Without `block`, as in Quantized(codes, scales), dequantize needs the same
    arguments as for codes and scales.

    >>> codes, scales = q = quantize([[1.0, 2.0]] * 3, "mxfp4")
    >>> scales.shape, q.block, q.tensor_scale, dequantize(q).tolist()[0]
    ((3, 1), 'mxfp4:rceil', None, [1.0, 2.0])
    """

    block, axis, tensor_scale, packed, shape, stats = None, -1, None, False, None, None

    def _replace(self, **changes):
        changed = super()._replace(**changes)
        changed.__dict__.update(self.__dict__)
        return changed


def block_formats() -> list:
    """The names of the built-in block formats. Any element and scaling make another one: "e4m3/tile:128x128".

    >>> block_formats()[:3]
    ['mxfp8', 'mxfp8-e5m2', 'mxfp6-e2m3']
    """
    found = []
    for row in range(lib.bnd_block_count()):
        block = _types.bnd_block()
        lib.bnd_block_at(ctypes.byref(block), row)
        found.append(block.name.decode())
    return found


def block_of(name, rule=None):
    """A bnd_block by its name, and by the name of its scale rule."""
    block = _types.bnd_block()
    call("bnd_block_parse", ctypes.byref(block), text(name, "a block format's name"))
    if rule is not None:
        call("bnd_scale_rule_parse", ctypes.byref(block), text(rule, "rule"))
    return block


def _names_block(given):
    block = _types.bnd_block()
    return isinstance(given, str) and lib.bnd_block_parse(_byref(block), given.encode(), None) == _types.BND_OK


def shape_of(block, shape, axis):
    """(bnd_shape, axis counted from the front)."""
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis must be a whole number, not {brief(axis)}") from None
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"an array of {len(shape)} dimensions has no axis {axis}")
    axis += len(shape) if axis < 0 else 0
    found = _types.bnd_shape()
    call("bnd_block_shape", _byref(found), _byref(block), (ctypes.c_size_t * len(shape))(*shape), len(shape), axis)
    return found, axis


def _scales_shape(block, shape, axis):
    """The dimensions of the array, each divided by how many elements along it share a scale."""
    shape = list(shape)
    if block.sharing == _types.BND_SHARE_TENSOR:
        return ()
    shared = [(axis, block.along)]
    if block.sharing == _types.BND_SHARE_TILE:
        shared = [(-2, block.along), (-1, block.across)]
    for at, length in shared:
        shape[at] = min(shape[at], 1) if length == 0 else -(-shape[at] // length)
    return tuple(shape)


def _code_type(block):
    return numpy.dtype(numpy.int8) if block.integer else Format(block.element).dtype


def _scale_type(block):
    return numpy.dtype("<f4") if block.scale.name == b"fp32" else Format(block.scale).dtype


def float32(seen, what="blocks are", threads=None, backend=None):
    """The numbers of a Seen as float32, in C order, without rounding anything."""
    x = as_numbers(seen, threads, backend)
    if x.dtype == numpy.float64:
        with numpy.errstate(all="ignore"):
            y = x.astype(numpy.float32)
        if not numpy.all((y == x) | numpy.isnan(x)):
            raise ValueError(f"{what} made of float32, which does not hold these numbers exactly; convert them to "
                             "float32 first if rounding them is meant")
        x = y
    return numpy.ascontiguousarray(x).reshape(x.shape)


def _check_scales(b, scales, shape):
    """Refuses another type or shape than those of a result."""
    if scales.dtype != _scale_type(b) or scales.shape != shape:
        raise ValueError(f"scales of {b.name.decode()} must have the type {_scale_type(b)} and the shape {shape}, not "
                         f"{scales.shape} of {scales.dtype}")


def _plain_array(x, copy=False, kind=None):
    """Codes or scales as numpy has them, in C order; the wide integers of torch as unsigned ones. A type that names a
    format must be that of `kind`; None: any."""
    seen = _arrays.seen(x, copy)
    found = seen.array
    if kind is not None and seen.format is not None and seen.format != kind:
        raise ValueError(f"the array has codes of {seen.format.name}, not of {kind.name}")
    if not isinstance(x, numpy.ndarray) and found.dtype.kind == "i" and found.itemsize > 1:
        found = found.view(f"<u{found.itemsize}")
    return numpy.ascontiguousarray(found).reshape(found.shape)


def _tensor_scale(value, **bounds):
    """A scale for the whole array, which is a float32."""
    number = real(value, "tensor_scale", **bounds)
    held = ctypes.c_float(number).value
    if math.isinf(held) != math.isinf(number) or (held == 0) != (number == 0):
        raise ValueError(f"tensor_scale must be within the range of float32, not {number!r}")
    return held


class _Given:
    """Scales that exist before a call, and the memory that they are in."""

    def __init__(self, b, shape, scales, tensor_scale, copy):
        self.scales, self.tensor = None, ctypes.c_float(math.nan)
        self.struct = _types.bnd_given_scales()
        if scales is not None:
            self.scales = _plain_array(scales, copy, Format(b.scale))
            _check_scales(b, self.scales, shape)
            self.struct.scales = self.scales.ctypes.data
        if tensor_scale is not None:
            if not b.tensor:
                raise ValueError(f"{b.name.decode()} has no scale for the whole array: tensor_scale cannot be given")
            self.tensor.value = _tensor_scale(tensor_scale, positive=True)
            self.struct.tensor_scale = ctypes.addressof(self.tensor)


def _new_scales(b, shape):
    """Memory for scales. A scale for the whole array exists for an empty array, too: 1."""
    if b.sharing != _types.BND_SHARE_TENSOR:
        return numpy.empty(shape, _scale_type(b))
    one = numpy.ones(shape, numpy.float32)
    return one if b.scale.name == b"fp32" else numpy.asarray(encode(one, Format(b.scale)))


def _rule_name(b):
    return b.name.decode() + ":" + lib.bnd_scale_rule_name(b.rule).decode()


def quantize(x: Any, block: str = "mxfp8", axis: int = -1, *, rule: Optional[str] = None,
             rounding: Optional[str] = None, overflow: Optional[str] = None, nan: Optional[str] = None,
             flush: str = "none", seed: int = 0, first: int = 0, packed: bool = False, threads: Optional[int] = None,
             backend: Optional[str] = None, stats: bool = False, scales: Any = None,
             tensor_scale: Optional[float] = None, copy: bool = False) -> Quantized:
    """(codes, scales) of x in a block format: mxfp8 mxfp8-e5m2 mxfp6-e2m3 mxfp6-e3m2 mxfp4 mxint8 nvfp4, or a format
    and how it is scaled (e4m3/tensor, e4m3/row, e4m3/tile:128x128, e3m4/mx, int8/row:bf16).

    Blocks run along `axis`. rule: how a scale is found, rceil floor ceil even ct nearest mse 4/6; each format has its
    own default, which the result's `block` names. The other arguments are those of encode. Codes have the shape of x
    (packed=True: bytes). Scales have that shape divided by the blocks. NVFP4's tensor scale is the result's
    `tensor_scale`: codes and scales alone are not enough there.

    scales, tensor_scale: those to use, in the type and shape of a result, instead of computing them. A given tensor
    scale alone is that of a larger tensor, or of several tensors that share it.

    >>> q = quantize([[1.0, 2.0, -3.5, 0.0]], "mxfp4")
    >>> q.codes.tolist(), q.scales.tolist(), q.block
    ([[2, 4, 14, 0]], [[127]], 'mxfp4:rceil')
    """
    check_order("quantize", x, block, "the numbers first: quantize(x, {})", _names_block)
    b, seen = block_of(block, rule), _arrays.seen(x, copy)
    numbers = float32(seen, threads=threads, backend=backend)
    shape, axis = shape_of(b, numbers.shape, axis)
    how = how_of(rule_of(b.element, rounding, overflow, nan, flush), seed, first, packed, threads, backend)
    if packed:
        codes = numpy.empty(lib.bnd_block_codes_size(_byref(b), shape, PACKED), numpy.uint8)
    else:
        codes = numpy.empty(numbers.shape, _code_type(b))
    scales_shape = _scales_shape(b, numbers.shape, axis)
    given = _Given(b, scales_shape, scales, tensor_scale, copy)
    found = given.scales if given.scales is not None else _new_scales(b, scales_shape)
    counted = Stats() if stats else None
    call("bnd_quantize_given_f32", codes.ctypes.data, found.ctypes.data, _byref(given.tensor), numbers.ctypes.data,
         shape, _byref(b), _byref(given.struct), _byref(how), _byref(counted))
    result = Quantized(seen.give(codes), seen.give(found) if found.ndim else _scalar(seen, found))
    result.tensor_scale, result.stats = given.tensor.value if b.tensor else None, counted
    result.block, result.axis, result.shape, result.packed = _rule_name(b), axis, numbers.shape, packed
    return result


def _scalar(seen, scales):
    """The one scale of an array: for numpy an array without dimensions, as the scales of other formats are arrays."""
    given = seen.give(scales)
    return scales if isinstance(given, numpy.generic) else given


def _own(q, arguments):
    """The arguments that a Quantized brings; None if it has no block format. Others cannot be given with it."""
    if q.block is None:
        return None
    given = [name for name, value in arguments.items() if value is not None and value is not False]
    if given:
        raise ValueError(f"{given[0]} cannot be used with a Quantized, which has its own; to use another, give "
                         "dequantize q.codes and q.scales instead of q")
    return q.scales, q.block, q.axis, q.tensor_scale, q.packed, q.shape


def dequantize(codes: Any, scales: Any = None, block: Optional[str] = None, axis: Optional[int] = None, *,
               tensor_scale: Optional[float] = None, packed: bool = False, shape: Any = None,
               threads: Optional[int] = None, backend: Optional[str] = None, out: Any = None,
               copy: bool = False) -> Any:
    """The float32 numbers that quantize's codes and scales stand for: dequantize(q), or dequantize(codes, scales,
    "mxfp8"). axis: that of the blocks, the last one if it is left out. A tensor scale is a factor; packed codes need
    their shape. What quantize returned brings all of these, and none can be given with it.

    >>> dequantize(quantize([[1.0, 2.0, -3.5, 0.0]], "mxfp4")).tolist()
    [[1.0, 2.0, -4.0, 0.0]]
    """
    if isinstance(codes, Quantized):
        own = _own(codes, {"scales": scales, "block": block, "axis": axis, "tensor_scale": tensor_scale,
                           "packed": packed, "shape": shape})
        if own is not None:
            scales, block, axis, tensor_scale, packed, shape = own
        codes, scales = codes.codes, codes.scales if scales is None else scales
    if scales is None or block is None:
        raise TypeError("dequantize needs codes, scales and the name of the block format")
    b = block_of(block)
    if packed and shape is None:
        raise ValueError("packed codes do not say how many they are: dequantize needs their shape")
    if b.tensor and tensor_scale is None:
        raise ValueError(f"{b.name.decode()} has a scale for the whole array: dequantize needs tensor_scale")
    seen = _arrays.seen(codes, copy)
    codes = _plain_array(codes, copy, None if packed or b.integer else Format(b.element))
    scales = _plain_array(scales, copy, Format(b.scale))
    shape = codes.shape if shape is None else _arrays.dimensions(shape)
    extent, axis = shape_of(b, shape, -1 if axis is None else axis)
    kind = numpy.dtype(numpy.uint8) if packed else _code_type(b)
    need = lib.bnd_block_codes_size(_byref(b), extent, PACKED if packed else UNPACKED)
    if codes.dtype != kind or codes.nbytes != need:
        raise ValueError(f"codes of {b.name.decode()} for the shape {shape} must be {need} bytes of {kind}, not "
                         f"{codes.nbytes} of {codes.dtype}")
    _check_scales(b, scales, _scales_shape(b, shape, axis))
    if not b.integer:
        check_codes(codes, math.prod(shape), Format(b.element), packed)
    how = how_of(packed=packed, threads=threads, backend=backend)
    y, finish = _arrays.room(out, shape, numpy.dtype(numpy.float32), None, codes, scales)
    factor = 1.0 if tensor_scale is None else _tensor_scale(tensor_scale, finite=False)
    call("bnd_dequantize_f32", y.ctypes.data, codes.ctypes.data, scales.ctypes.data, factor, extent, _byref(b),
         _byref(how))
    return _given(y, finish, out, seen)


def fake_quantize(x: Any, block: str = "mxfp8", axis: int = -1, *, rule: Optional[str] = None,
                  rounding: Optional[str] = None, overflow: Optional[str] = None, nan: Optional[str] = None,
                  flush: str = "none", seed: int = 0, first: int = 0, threads: Optional[int] = None,
                  backend: Optional[str] = None, stats: bool = False, scales: Any = None,
                  tensor_scale: Optional[float] = None, out: Any = None, copy: bool = False) -> Any:
    """dequantize(quantize(x)) in one pass, as float32. out: an array of that shape and type, which may be x. The other
    arguments are those of quantize. The elements may be a value set here. With stats=True: (numbers, Stats).

    >>> fake_quantize([[1.0, 2.0, -3.5, 0.0]], "mxfp4").tolist()
    [[1.0, 2.0, -4.0, 0.0]]
    """
    check_order("fake_quantize", x, block, "the numbers first: fake_quantize(x, {})", _names_block)
    b, seen = block_of(block, rule), _arrays.seen(x, copy)
    numbers = float32(seen, threads=threads, backend=backend)
    shape, axis = shape_of(b, numbers.shape, axis)
    how = how_of(rule_of(b.element, rounding, overflow, nan, flush), seed, first, False, threads, backend)
    given = _Given(b, _scales_shape(b, numbers.shape, axis), scales, tensor_scale, copy)
    y, finish = _arrays.room(out, numbers.shape, numpy.dtype(numpy.float32), None, numbers, given.scales)
    counted = Stats() if stats else None
    call("bnd_fake_quantize_given_f32", y.ctypes.data, numbers.ctypes.data, shape, _byref(b), _byref(given.struct),
         _byref(how), _byref(counted))
    y = _given(y, finish, out, seen)
    return (y, counted) if stats else y
