"""Arrays of every kind, in and out, without copies: numpy, ml_dtypes, torch tensors, JAX, and whatever has
__array_interface__ or __dlpack__.

`seen(x)` is the array as numpy sees it. Elements of float16, bfloat16 and float8 types are codes of the format that the
type names. Nothing here imports torch, jax or ml_dtypes, unless the caller asks for types of ml_dtypes.
"""
import importlib
import math
import operator
import sys

from ._native import Error, brief
from .formats import Format

try:
    import numpy
except ImportError:  # numbers and formats work without it
    class _Missing:
        ndarray = type("ndarray", (), {})  # for annotations

        def __getattr__(self, name):
            raise ImportError("arrays need numpy (Debian, Ubuntu: python3-numpy)")

    numpy = _Missing()

DLPACK_CPU = 1  # kDLCPU


class Seen:
    """An array as the library reads it: `array` is a numpy array in the memory of what came in. `format` is the Format
    whose codes it has, or None if the elements are numbers. `give` makes a numpy result an array of the same kind."""

    __slots__ = ("array", "format", "give")

    def __init__(self, array, format, give):
        self.array, self.format, self.give = array, format, give


# ---- the kinds of arrays ----

def _plain(result):
    """A number for a number, as numpy's own functions return it."""
    return result[()] if result.ndim == 0 else result


def _torch_of(x):
    """The module torch, if x is a tensor of it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, getattr(torch, "Tensor", ())) else None


def _not_on_cpu(what, where):
    return ValueError(f"{what} is on {where}, and libbinade computes on the CPU; copy=True copies it there and the "
                      "result back")


def _signed(y):
    """torch had no unsigned types beyond uint8 for long: the bits of wider codes are in signed integers."""
    return y.view(f"<i{y.itemsize}") if y.dtype.kind == "u" and y.itemsize > 1 else y


def _seen_tensor(torch, x, copy):
    device, dtype = x.device, x.dtype
    if x.layout != torch.strided or x.is_quantized:
        raise TypeError(f"a dense tensor is needed, not one of {x.layout if not x.is_quantized else dtype}")
    if device.type == "meta":
        raise ValueError("a tensor on the device meta has no elements")
    if device.type != "cpu" and not copy:
        raise _not_on_cpu("the tensor", f"the device {device}")
    t = x.detach().cpu()
    t = t.resolve_neg() if getattr(t, "is_neg", lambda: False)() else t
    name = str(dtype).replace("torch.", "")
    of = None
    if dtype.is_floating_point and dtype not in (torch.float32, torch.float64):
        try:
            of = Format(name)
        except Error:
            raise TypeError(f"tensors of {dtype} are not supported") from None
        t = t.view(torch.uint8 if of.code_bits == 8 else torch.int16)
    try:
        array = t.numpy()
    except TypeError:
        raise TypeError(f"tensors of {dtype} are not supported") from None
    array = array.view(of.dtype) if of is not None else array
    return Seen(array, of, lambda y: torch.from_numpy(_signed(numpy.asarray(y))).to(device))


def _give_jax(jax, y):
    """JAX has no 64-bit types unless they are switched on: such a result stays a numpy array."""
    if y.itemsize == 8 and not jax.config.jax_enable_x64:
        return y
    return jax.numpy.asarray(y)


def _device_of(x):
    """The device type of DLPack; the CPU if x does not say."""
    ask = getattr(x, "__dlpack_device__", None)
    return int(ask()[0]) if ask is not None and not isinstance(x, numpy.ndarray) else DLPACK_CPU


def _moved(x, copy):
    """x on the CPU."""
    if _device_of(x) == DLPACK_CPU:
        return x
    if not copy:
        raise _not_on_cpu("the array", "another device")
    if type(x).__module__.split(".")[0] in ("jax", "jaxlib"):
        return numpy.asarray(x)
    if hasattr(x, "get"):  # CuPy
        return x.get()
    raise TypeError(f"an array of {type(x).__name__} cannot be copied from its device; copy it to numpy first")


def _to_numpy(x):
    if isinstance(x, numpy.ndarray):
        if isinstance(x, numpy.ma.MaskedArray):
            raise TypeError("masked arrays are not supported: fill or remove what is masked (x.filled(), "
                            "x.compressed())")
        return x
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__") and not hasattr(x, "__array_interface__"):
        if not hasattr(numpy, "from_dlpack"):
            raise TypeError(f"an array of {type(x).__name__} needs numpy 1.22 or newer")
        try:
            return numpy.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as why:
            raise TypeError(f"numpy cannot read this array of {type(x).__name__} by DLPack: {why}") from None
    try:
        array = numpy.asarray(x)
    except ValueError as why:
        raise TypeError(f"no array can be made of this {type(x).__name__}: {why}") from None
    if isinstance(x, (list, tuple)) and array.dtype.kind == "f":
        _refuse_rounded(x, array)
    return array


def _not_exact(what):
    return ValueError(f"float64 does not hold these {what} exactly, and rounding twice is not rounding once; "
                      "convert them to float64 first if that is meant")


def _refuse_rounded(x, array):
    """Refuses a list whose integers numpy rounded: beside others, they become floats."""
    with numpy.errstate(all="ignore"):
        large = numpy.abs(array) >= 2.0**53
    elements = numpy.asarray(x, object) if large.any() else array
    if elements is array or elements.shape != array.shape:
        return
    for given, made in zip(elements[large], array[large]):
        if isinstance(given, (int, numpy.integer)) and int(given) != int(made):
            raise _not_exact("integers")


def _named_format(dtype):
    """The format that a numpy type names: float16, and the types of ml_dtypes."""
    if dtype.type is numpy.float16:  # of either byte order
        return Format("fp16")
    if dtype.type.__module__.split(".")[0] == "ml_dtypes" and "float" in dtype.name:
        return Format(dtype.name)
    return None


def seen(x, copy=False):
    """x as the library reads it; see Seen. With copy=True it may be on another device."""
    torch = _torch_of(x)
    if torch is not None:
        return _seen_tensor(torch, x, copy)
    is_jax = type(x).__module__.split(".")[0] in ("jax", "jaxlib")
    array = _to_numpy(_moved(x, copy))
    of = _named_format(array.dtype)
    if of is not None:
        array = native(array) if array.dtype.type is numpy.float16 else array
        array = array.view(of.dtype)
    return Seen(array, of, (lambda y: _give_jax(sys.modules["jax"], y)) if is_jax and "jax" in sys.modules else _plain)


# ---- numbers ----

def native(array):
    """A numpy array in this machine's byte order."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _holds(array):
    """(the integers of an array as float64, whether it holds them exactly)."""
    y = array.astype(numpy.float64)
    if array.dtype.itemsize < 8 or array.size == 0 or -2**53 <= int(array.min()) <= int(array.max()) <= 2**53:
        return y, True
    size = numpy.abs(array).astype(numpy.uint64)  # also of -2^63, whose abs is itself
    lowest = numpy.maximum(size & (~size + numpy.uint64(1)), numpy.uint64(1))
    return y, bool(numpy.all(size // lowest <= numpy.uint64(2**53)))


def _of_long_integers(array):
    """Python's integers, which numpy keeps as objects if one of them has more than 64 bits, as _holds has others."""
    try:
        y = array.astype(numpy.float64)
    except OverflowError:
        return None, False
    return y, all(int(a) == b for a, b in zip(y.flat, array.flat))


def _exactly(array):
    """(an array as float64, whether it holds the same numbers)."""
    if array.dtype.kind == "f":
        with numpy.errstate(all="ignore"):
            y = array.astype(numpy.float64)
        return y, bool(numpy.all((y == array) | numpy.isnan(array)))
    return _of_long_integers(array) if array.dtype.kind == "O" else _holds(array)


def numbers(array):
    """A numpy array as float32 or float64 of this machine, without rounding anything."""
    if array.dtype.kind == "f" and array.dtype.itemsize in (4, 8):
        return native(array)
    if array.dtype.type.__module__.split(".")[0] == "ml_dtypes":  # int4 and the like
        return array.astype(numpy.float32)
    integers = array.dtype.kind == "O" and array.size > 0 and all(type(x) is int for x in array.flat)
    if array.dtype.kind not in "biuf" and not integers:
        raise TypeError(f"expected an array of real numbers, got one of {array.dtype}")
    y, exact = _exactly(array)
    if not exact:
        raise _not_exact("integers" if integers else array.dtype)
    return y


def line(array):
    """(array, stride): the array itself if its elements, in C order, are evenly spaced and in order; else a copy."""
    spaced = array.ndim == 1 and not array.flags.c_contiguous and array.strides[0] > 0
    if spaced and array.strides[0] % array.itemsize == 0:
        return array, array.strides[0] // array.itemsize
    return numpy.ascontiguousarray(array).reshape(array.shape), 1


def dimensions(shape):
    """A shape as numpy takes it, as a tuple."""
    try:
        shape = (operator.index(shape),)
    except TypeError:
        try:
            shape = tuple(operator.index(length) for length in shape)
        except TypeError:
            raise TypeError(f"a shape must be a whole number or a tuple of them, not {brief(shape)}") from None
    if any(length < 0 for length in shape) or math.prod(shape) >= 2**60:
        raise ValueError(f"no array can have the shape {shape}")
    return shape


# ---- results ----

def _refuse_gradient(out):
    """As torch's own functions do: a result that is written to a tensor has no gradient."""
    torch = _torch_of(out)
    if torch is not None and out.requires_grad and torch.is_grad_enabled():
        raise ValueError("out must not be a tensor that requires a gradient: it would be wrong. Give out=x.detach(), "
                         "or use torch.no_grad(); libbinade.torch.quantize has a gradient, with inplace=True too")


def written(out):
    """Tells torch that a tensor was written to, so that a backward pass that needs what was there is refused."""
    torch = _torch_of(out)
    if torch is None or out.is_inference():  # such a tensor has no version, as no backward pass needs it
        return
    try:
        from torch.autograd.graph import increment_version  # torch 2.1
    except ImportError:
        out.detach().as_strided((0,), (1,)).zero_()  # a view of nothing, which shares the version
    else:
        increment_version(out)


def _memory_of(out):
    """The Seen of `out`, whose array is the memory of `out` itself: of what is seen as a copy, two looks differ."""
    there, again = seen(out), seen(out)
    if there.array.size > 0 and there.array.ctypes.data != again.array.ctypes.data:
        what = f"an array of {out.dtype}" if isinstance(out, numpy.ndarray) else brief(out)
        raise ValueError(f"out must be an array that can be written to in place, not {what}, which is read as a copy")
    return there


def _overlaps(array):
    """Whether two elements of an array share memory."""
    axes = sorted((abs(step), length) for step, length in zip(array.strides, array.shape) if length > 1)
    extent = array.itemsize
    for step, length in axes:
        if step < extent:
            break
        extent = step * (length - 1) + extent
    else:
        return False
    at = numpy.zeros(1, numpy.int64)
    for step, length in axes:
        at = numpy.add.outer(at, step * numpy.arange(length)).ravel()
    return array.size > 0 and int(numpy.diff(numpy.sort(at)).min()) < array.itemsize


def room(out, shape, dtype, of, source, scales=None):
    """(array to write to, what to do then): the memory of `out`, or a new array if that cannot be written in place.

    dtype is the numpy type of the result, of the Format of its codes or None. `source` is the numpy array that is read;
    `scales`, another one: each of them is read for several elements.
    """
    if out is None:
        return numpy.empty(shape, dtype), None
    _refuse_gradient(out)
    if getattr(out, "is_neg", lambda: False)():
        raise ValueError("out is a view of torch that negates what is stored: use out.resolve_neg(), or another array")
    there = _memory_of(out)
    array = there.array
    fits = there.format == of if there.format is not None else (
        array.dtype == dtype or of is not None and array.dtype == numpy.dtype(f"<i{dtype.itemsize}"))
    if array.shape != tuple(shape) or not fits:
        kind = f"{dtype}, the codes of {of.name}," if of is not None else f"{dtype}"
        raise ValueError(f"out must be an array of {kind} of the shape {tuple(shape)}, not {array.shape} of "
                         f"{there.format.name if there.format is not None else array.dtype}")
    if not array.flags.writeable:
        raise ValueError("out cannot be written to: it is read-only")
    if _overlaps(array):
        raise ValueError("out must not have elements that share memory, as those of expand() or as_strided(): each "
                         "result needs a place of its own")
    same = source is not None and array.ctypes.data == source.ctypes.data and array.strides == source.strides
    same = same and array.itemsize == source.itemsize
    apart = source is None or same or not numpy.may_share_memory(array, source)
    apart = apart and (scales is None or not numpy.may_share_memory(array, scales))
    if array.flags.c_contiguous and apart:
        return array.view(dtype), None
    y = numpy.empty(shape, dtype)
    return y, lambda: array.view(dtype).__setitem__(Ellipsis, y)


def _typed_torch(torch, tensor, f):
    own = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}.get(f.name)
    for name in ([own] if own else []) + [name for names in f.names.values() for name in names]:
        dtype = getattr(torch, name, None)
        if isinstance(dtype, torch.dtype) and getattr(dtype, "itemsize", f.code_bits // 8) * 8 == f.code_bits:
            return tensor.view(dtype)
    raise TypeError(f"torch {torch.__version__} has no type for {f.name}; leave as_dtype out")


def typed(y, f, seen_input):
    """An array of codes in the type that names their format: float8_e4m3fn of ml_dtypes or of torch, float16 ..."""
    given = seen_input.give(y)
    torch = _torch_of(given)
    if torch is not None:
        return _typed_torch(torch, given, f)
    own = {"fp16": "float16", "fp32": "float32", "fp64": "float64"}.get(f.name)
    if own is not None:
        return seen_input.give(y.view(own))
    try:
        types = importlib.import_module("ml_dtypes")
    except ImportError:
        raise ImportError("as_dtype=True needs the package ml_dtypes") from None
    for name in f.names.get("ml_dtypes", []):
        if hasattr(types, name):
            return seen_input.give(y.view(getattr(types, name)))
    raise TypeError(f"ml_dtypes has no type for {f.name}; leave as_dtype out")
