"""binade: numpy arrays to any floating-point format and back, bit for bit as libbinade defines it.

    import binade, numpy as np
    x = np.random.randn(4, 1000).astype(np.float32)

    codes = binade.encode(x, "e4m3", overflow="saturate")   # uint8, the shape of x
    y = binade.decode(codes, "e4m3")                        # float32
    z = binade.round(x, "e5m7", rounding="sr:16", seed=7)   # float32, with values of a format of your own
    codes, stats = binade.encode(x, "bf16", stats=True)     # what it did: stats.underflows, stats.sqnr_db ...
    codes, scales = binade.quantize(x, "mxfp8")             # blocks of 32 that share a scale
    binade.formats()                                        # the table; Format("e4m3").max is 448.0

One file, on ctypes and numpy; nothing is compiled. It needs the shared library: the file (or its folder) that the
environment variable BINADE_LIBRARY names, or else libbinade beside this file, in the prefix that this file is installed
in, or where the system's loader finds it. BINADE_BACKEND and BINADE_THREADS choose kernels and cores, as everywhere.
"""

import collections
import ctypes
import ctypes.util
import glob
import math
import operator
import os
import sys

import numpy

__all__ = ["encode", "decode", "round", "quantize", "dequantize", "formats", "Format", "Stats", "Error"]


class Error(ValueError):
    """What the library refused, in its own words. `status` is its name ("BND_BAD_NAME"), `where` an offset into the
    text that was read."""

    def __init__(self, status, where, message):
        super().__init__(message)
        self.status, self.where = status, where


# ---- the types of include/binade/*.h; tests/python compares each with the compiler's ----

class _Error(ctypes.Structure):  # bnd_error
    _fields_ = [("status", ctypes.c_int), ("where", ctypes.c_size_t), ("message", ctypes.c_char * 320)]


class _Rule(ctypes.Structure):  # bnd_rule
    _fields_ = [(name, ctypes.c_uint8) for name in ("rounding", "overflow", "nan", "no_nan", "negative", "zero",
                                                    "tie_rule", "random_bits")]
    _fields_ += [(name, ctypes.c_bool) for name in ("flush_in", "flush_out", "tiny_before")]
    _fields_ += [("reserved", ctypes.c_uint8 * 5)]


class _Context(ctypes.Structure):  # bnd_context
    _fields_ = [("backend", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 3), ("threads", ctypes.c_uint32)]


class _Array(ctypes.Structure):  # bnd_array
    _fields_ = [("context", ctypes.POINTER(_Context)), ("rule", _Rule), ("seed", ctypes.c_uint64),
                ("purpose", ctypes.c_uint64), ("first", ctypes.c_uint64), ("stride_in", ctypes.c_ssize_t),
                ("stride_out", ctypes.c_ssize_t), ("packing_in", ctypes.c_uint8), ("packing_out", ctypes.c_uint8),
                ("reserved", ctypes.c_uint64 * 4)]


_PACKED, _UNPACKED = 0, 1
_COUNTS = ("elements", "exact", "inexact", "underflows", "to_zero", "overflows", "saturated", "infinities_in",
           "nans_in", "nans_out", "compared")


class Stats(ctypes.Structure):  # bnd_stats
    """What a conversion did: counts, magnitudes (`largest`, `smallest`), sums of squares, and how many inputs had which
    exponent: exponents[0] below 2^-40, exponents[i] in the binade of 2^(i-41), exponents[63] from 2^22 on."""

    _fields_ = [(name, ctypes.c_uint64) for name in _COUNTS]
    _fields_ += [(name, ctypes.c_double) for name in ("largest", "smallest", "squared_error", "squared_input",
                                                     "clamped_error", "scale_smallest", "scale_largest")]
    _fields_ += [("exponents", ctypes.c_uint64 * 64), ("_reserved", ctypes.c_uint64 * 4)]

    @property
    def sqnr_db(self):
        """Signal to quantization noise in decibels, over the elements that are finite before and after; infinite where
        nothing was lost, NaN where there is no such signal or its squares are beyond doubles."""
        ratio = _library.bnd_stats_signal_to_noise_ratio(ctypes.byref(self))
        return 10 * math.log10(ratio) if 0 < ratio < math.inf else ratio

    @property
    def mse(self):
        """The mean squared error over the same elements; NaN where there is none, or where doubles do not hold it."""
        return _library.bnd_stats_mean_squared_error(ctypes.byref(self))

    def __repr__(self):
        counts = "".join(f"{name}={getattr(self, name)}, " for name in _COUNTS if getattr(self, name))
        return f"Stats({counts}largest={self.largest:g}, sqnr_db={self.sqnr_db:.4g})"


def _number(significand, exponent):
    """significand * 2^exponent as the nearest float."""
    try:
        return math.ldexp(float(significand), exponent)
    except OverflowError:
        return math.inf


class Format(ctypes.Structure):  # bnd_format
    """A format by its name in any ecosystem, a custom one ("e6m9"), or a value set ("p11emin-14emax15")."""

    _fields_ = [("_name", ctypes.c_char * 40), ("row", ctypes.c_int16)]
    _fields_ += [(name, ctypes.c_uint8) for name in ("width", "exponent_bits", "fraction_bits", "precision")]
    _fields_ += [(name, ctypes.c_bool) for name in ("is_signed", "has_zero", "has_negative_zero", "has_subnormals",
                                                    "has_infinity", "has_nan", "zero_nan", "ieee_nans")]
    _fields_ += [("ties", ctypes.c_uint8)]
    _fields_ += [(name, ctypes.c_int32) for name in ("bias", "emin", "emax")]
    _fields_ += [("_internal", ctypes.c_uint64 * 6)]
    _fields_ += [(name, ctypes.c_uint64) for name in ("high_nans", "max_code", "infinity_code", "nan_code",
                                                      "max_significand", "normal_significand", "least_significand")]
    _fields_ += [(name, ctypes.c_int32) for name in ("max_quantum", "normal_quantum", "least_quantum")]

    def __init__(self, name):
        super().__init__()
        if isinstance(name, Format):
            ctypes.memmove(ctypes.byref(self), ctypes.byref(name), ctypes.sizeof(Format))
        else:
            _call("bnd_format_parse", ctypes.byref(self), _text(name, "a format's name"))

    name = property(lambda self: self._name.decode(), doc="in this project's spelling")
    max = property(lambda self: _number(self.max_significand, self.max_quantum), doc="the largest number")
    smallest_normal = property(lambda self: _number(self.normal_significand, self.normal_quantum))
    smallest = property(lambda self: _number(self.least_significand, self.least_quantum),
                        doc="the smallest positive number")
    epsilon = property(lambda self: math.ldexp(1.0, -self.fraction_bits), doc="from 1 to the next number")

    @property
    def title(self):
        """What it is, in a few words; "" where it is not of the table."""
        return _library.bnd_format_title(self.row).decode() if self.row >= 0 else ""

    @property
    def names(self):
        """Its names elsewhere, by ecosystem."""
        rows = range(_ECOSYSTEMS if self.row >= 0 else 0)
        found = {_library.bnd_ecosystem_name(i).decode(): _library.bnd_format_names(self.row, i).decode() for i in rows}
        return {where: names.split() for where, names in found.items() if names}

    @property
    def dtype(self):
        """The type of an array of its codes, one in each element. Value sets have no codes."""
        if self.width == 0:
            raise ValueError(f"{self.name} is a value set: it has no codes; numbers can be rounded to it")
        return _word(self.width)

    def __eq__(self, other):
        return isinstance(other, Format) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        if self.width == 0:
            return f"Format({self.name!r}: a value set, {self.precision} bits of precision)"
        return (f"Format({self.name!r}: {self.width} bits, {int(self.is_signed)}-{self.exponent_bits}-"
                f"{self.fraction_bits}, max {self.max:g})")


_ECOSYSTEMS = 5


class _Block(ctypes.Structure):  # bnd_block
    _fields_ = [("name", ctypes.c_char * 96), ("element", Format), ("scale", Format), ("rule", ctypes.c_uint8),
                ("sharing", ctypes.c_uint8), ("tensor", ctypes.c_bool), ("integer", ctypes.c_bool),
                ("least", ctypes.c_int16), ("along", ctypes.c_size_t), ("across", ctypes.c_size_t),
                ("reserved", ctypes.c_uint64 * 2)]


_SHARE_BLOCK, _SHARE_TILE, _SHARE_TENSOR = 0, 1, 2


class _Shape(ctypes.Structure):  # bnd_shape
    _fields_ = [("outer", ctypes.c_size_t), ("length", ctypes.c_size_t), ("inner", ctypes.c_size_t)]


class _Given(ctypes.Structure):  # bnd_given_scales
    _fields_ = [("scales", ctypes.c_void_p), ("tensor_scale", ctypes.POINTER(ctypes.c_float))]


# ---- the library ----

def _candidates():
    """Where the library may be, best first."""
    named = os.environ.get("BINADE_LIBRARY")
    patterns = {"darwin": ("libbinade.dylib", "libbinade.*.dylib"), "win32": ("binade.dll", "libbinade*.dll")}
    patterns = patterns.get(sys.platform, ("libbinade.so", "libbinade.so.*"))
    if named:
        return sorted(found for p in patterns for found in glob.glob(os.path.join(named, p))) or [named]
    here = os.path.dirname(os.path.abspath(__file__))
    folders, above = [here], here
    while os.path.dirname(above) != above:
        above = os.path.dirname(above)
        folders += [os.path.join(above, name) for name in ("lib", "lib64", os.path.join("lib", "*-linux-gnu"))]
    found = [path for folder in folders for p in patterns for path in sorted(glob.glob(os.path.join(folder, p)))]
    by_loader = ctypes.util.find_library("binade")
    return found + ([by_loader] if by_loader else []) + [patterns[0]]


def _load():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as why:
            tried.append(f"{path}: {why}")
    raise ImportError("libbinade was not found; set BINADE_LIBRARY to the shared library or to its folder. Tried:\n  "
                      + "\n  ".join(tried))


_library = _load()
_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_TYPES = {  # the result and the arguments of each call; a size is not an int
    "bnd_status_name": (ctypes.c_char_p, (ctypes.c_int,)),
    "bnd_version": (ctypes.c_char_p, ()),
    "bnd_context_init": (ctypes.c_int, (_pointer, ctypes.c_char_p, ctypes.c_uint, _pointer)),
    "bnd_format_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_format_count": (_size, ()),
    "bnd_format_at": (ctypes.POINTER(Format), (_size,)),
    "bnd_format_title": (ctypes.c_char_p, (_size,)),
    "bnd_format_names": (ctypes.c_char_p, (_size, ctypes.c_int)),
    "bnd_ecosystem_name": (ctypes.c_char_p, (ctypes.c_int,)),
    "bnd_group_size": (_size, (ctypes.c_char_p,)),
    "bnd_group_at": (ctypes.c_bool, (_pointer, ctypes.c_char_p, _size)),
    "bnd_rounding_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_overflow_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_nan_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_dialect_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_dialect_rule": (ctypes.c_bool, (_pointer, _size, _pointer)),
    "bnd_stats_mean_squared_error": (ctypes.c_double, (_pointer,)),
    "bnd_stats_signal_to_noise_ratio": (ctypes.c_double, (_pointer,)),
    "bnd_codes_check": (ctypes.c_int, (_pointer, _size, _pointer, _pointer, _pointer)),
    "bnd_codes_size": (_size, (_pointer, _size, ctypes.c_int)),
    "bnd_encode_f32": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer, _pointer)),
    "bnd_encode_f64": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer, _pointer)),
    "bnd_decode_f32": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer)),
    "bnd_decode_f64": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer)),
    "bnd_round_f32": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer, _pointer)),
    "bnd_round_f64": (ctypes.c_int, (_pointer, _pointer, _size, _pointer, _pointer, _pointer, _pointer)),
    "bnd_block_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_scale_rule_parse": (ctypes.c_int, (_pointer, ctypes.c_char_p, _pointer)),
    "bnd_scale_rule_name": (ctypes.c_char_p, (ctypes.c_int,)),
    "bnd_block_shape": (ctypes.c_int, (_pointer, _pointer, _pointer, _size, _size, _pointer)),
    "bnd_block_scales": (_size, (_pointer, _Shape)),
    "bnd_block_scales_size": (_size, (_pointer, _Shape)),
    "bnd_block_codes_size": (_size, (_pointer, _Shape, ctypes.c_int)),
    "bnd_quantize_given_f32": (ctypes.c_int, (_pointer, _pointer, _pointer, _pointer, _Shape, _pointer, _pointer,
                                              _pointer, _pointer, _pointer)),
    "bnd_dequantize_f32": (ctypes.c_int, (_pointer, _pointer, _pointer, ctypes.c_float, _Shape, _pointer, _pointer,
                                          _pointer)),
}
for _name, (_result, _arguments) in _TYPES.items():
    try:
        _function = getattr(_library, _name)
    except AttributeError:
        raise ImportError(f"{_library._name} has no {_name}: it is older than this binade.py") from None
    _function.restype, _function.argtypes = _result, _arguments


def _call(name, *arguments):
    """A call that may fail: its last argument is the bnd_error."""
    why = _Error()
    status = getattr(_library, name)(*arguments, ctypes.byref(why))
    if status != 0:
        known = _library.bnd_status_name(status).decode() or str(status)
        message = why.message.decode("utf-8", "replace")
        raise MemoryError(message) if known == "BND_NO_MEMORY" else Error(known, why.where, message)


def _text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} has a NUL character in it")
    return value.encode()


def _check_types():
    """That the library's types are the ones above: what it writes behind them would be somebody else's memory."""
    room = (ctypes.c_ubyte * 4096)(*([0xa5] * 4096))
    status = _library.bnd_format_parse(room, b"e2m1", None)
    f = Format.from_buffer(room)
    beyond = bytes(room)[ctypes.sizeof(Format):].strip(b"\xa5")
    good = status == 0 and beyond == b"" and (f._name, f.width, f.least_quantum, f.max) == (b"e2m1", 4, -1, 6.0)
    x, codes, counted = numpy.array([1.0, 8.0]), numpy.zeros(2, numpy.uint8), (ctypes.c_ubyte * 4096)()
    how = _Array(rule=_Rule(overflow=1), packing_in=_UNPACKED, packing_out=_UNPACKED)
    status = good and _library.bnd_encode_f64(codes.ctypes.data, x.ctypes.data, 2, ctypes.byref(f), ctypes.byref(how),
                                              counted, None)
    beyond = bytes(counted)[ctypes.sizeof(Stats):].strip(b"\0")
    s = Stats.from_buffer(counted)
    good = good and status == 0 and codes.tolist() == [2, 7] and beyond == b""
    if not (good and (s.elements, s.saturated, s.largest, s.exponents[41 + 3]) == (2, 1, 8.0, 1)):
        raise ImportError(f"{_library._name} is of another version than this binade.py: its types differ")


_check_types()
__version__ = _library.bnd_version().decode()


# ---- what a call is told ----

def _rule(f, rounding, overflow, nan, flush, dialect):
    """The dialect's rule, changed by what is given explicitly."""
    rule = _Rule()
    if dialect is not None:
        row = _size()
        _call("bnd_dialect_parse", ctypes.byref(row), _text(dialect, "dialect"))
        if not _library.bnd_dialect_rule(ctypes.byref(rule), row, ctypes.byref(f)):
            raise ValueError(f"the dialect {dialect!r} says nothing about {f.name}")
    for parse, value, what in (("bnd_rounding_parse", rounding, "rounding"), ("bnd_overflow_parse", overflow, "overflow"),
                               ("bnd_nan_parse", nan, "nan")):
        if value is not None:
            _call(parse, ctypes.byref(rule), _text(value, what))
    if flush not in ("none", "in", "out", "both"):
        raise ValueError(f"flush is one of 'none', 'in', 'out', 'both', not {flush!r}")
    rule.flush_in, rule.flush_out = flush in ("in", "both"), flush in ("out", "both")
    return rule


def _whole(value, what, most=2**64 - 1):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r}") from None
    if not 0 <= number <= most:
        raise ValueError(f"{what} is a whole number from 0 to {most}, not {number}")
    return number


def _dimensions(shape):
    """A shape as numpy takes it, as a tuple."""
    try:
        shape = (operator.index(shape),)
    except TypeError:
        try:
            shape = tuple(operator.index(length) for length in shape)
        except TypeError:
            raise TypeError(f"a shape is a whole number or a tuple of them, not {shape!r}") from None
    if any(length < 0 for length in shape) or math.prod(shape) >= 2**60:
        raise ValueError(f"there are no arrays of the shape {shape}")
    return shape


def _how(rule=None, seed=0, first=0, packed=False, threads=None, backend=None):
    context = _Context()
    _call("bnd_context_init", ctypes.byref(context), None if backend is None else _text(backend, "backend"),
          0 if threads is None else _whole(threads, "threads", 2**32 - 1))
    packing = _PACKED if packed else _UNPACKED
    return _Array(context=ctypes.pointer(context), rule=rule or _Rule(), seed=_whole(seed, "seed"),
                  first=_whole(first, "first"), packing_in=packing, packing_out=packing)


# ---- arrays ----

def _word(bits):
    return numpy.dtype(next(f"<u{n}" for n in (1, 2, 4, 8) if 8 * n >= bits))


def _numbers(x):
    """x as float32 or float64 of this machine, without rounding anything."""
    x = numpy.asarray(x)
    if x.dtype == numpy.float32 or x.dtype == numpy.float64:
        return x.astype(x.dtype.newbyteorder("="), copy=False)
    if x.dtype == numpy.float16 or x.dtype.type.__module__ == "ml_dtypes":
        return x.astype(numpy.float32)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"an array of real numbers is needed, not one of {x.dtype}")
    y = x.astype(numpy.float64)
    if x.dtype.kind == "f":
        exact = bool(numpy.all((y == x) | numpy.isnan(x)))
    else:
        exact = x.dtype.itemsize < 8 or x.size == 0 or -2**53 <= int(x.min()) <= int(x.max()) <= 2**53
    if not exact:
        raise ValueError(f"float64 does not hold these {x.dtype} exactly, and rounding twice is not rounding once; "
                         "x.astype(numpy.float64) says that it may be")
    return y


def _line(x):
    """(array, stride): x itself where its elements, in C order, are evenly spaced and in order; a copy otherwise."""
    if not x.flags.c_contiguous and x.ndim == 1 and x.strides[0] > 0 and x.strides[0] % x.itemsize == 0:
        return x, x.strides[0] // x.itemsize
    return numpy.ascontiguousarray(x), 1


def _plain(result):
    """A number for a number, as numpy's own functions have it."""
    return result[()] if result.ndim == 0 else result


def _convert(kind, x, f, out, out_size, how, stats):
    """bnd_encode_* or bnd_round_* of x into `out`, which is contiguous."""
    line, how.stride_in = _line(x)
    counted = Stats() if stats else None
    _call(f"bnd_{kind}_f{8 * x.itemsize}", out.ctypes.data, line.ctypes.data, x.size, ctypes.byref(f),
          ctypes.byref(how), None if counted is None else ctypes.byref(counted))
    return counted


# ---- the calls ----

def encode(x, format, rounding=None, overflow=None, *, nan=None, flush="none", dialect=None, seed=0, first=0,
           packed=False, threads=None, backend=None, stats=False):
    """The codes of x in a format: an array of uint8, uint16, uint32 or uint64 (the smallest that holds a code) of the
    shape of x; with packed=True the bytes that a file would hold (6 and 4-bit codes back to back, lowest bits first), in
    one dimension. With stats=True: (codes, Stats).

    x: an array of float32 or float64, or what one of them holds exactly. rounding: rne (the default) rna rtz rup rdn rto
    sr:N sra:N srb:N sr-equal. overflow: format (the default) saturate propagate ... nan: signed (the default) ...
    flush: subnormals become zero, "none" "in" "out" "both". dialect: the rule of an ecosystem ("ml_dtypes",
    "cuda-satfinite"), which what is given explicitly changes. seed: of the stochastic modes, whose random bits depend on
    the seed and on the place of an element in x (in C order, counted from `first`) and on nothing else.
    """
    f, x = Format(format), _numbers(x)
    how = _how(_rule(f, rounding, overflow, nan, flush, dialect), seed, first, packed, threads, backend)
    if packed:
        f.dtype  # or it says that a value set has no codes
        codes = numpy.empty(_library.bnd_codes_size(ctypes.byref(f), x.size, _PACKED), numpy.uint8)
    else:
        codes = numpy.empty(x.shape, f.dtype)
    counted = _convert("encode", x, f, codes, codes.nbytes, how, stats)
    return (_plain(codes), counted) if stats else _plain(codes)


def _fits_float32(f):
    return f.precision <= 24 and f.emax <= 127 and f.least_quantum >= -149


def _check_codes(codes, count, f, packed):
    """What has bits that no code of the format has is refused, by its place."""
    packing = _PACKED if packed else _UNPACKED
    _call("bnd_codes_check", codes.ctypes.data, count, ctypes.byref(f), ctypes.byref(_Array(packing_in=packing)))


def _codes_of(codes, f, packed, shape):
    """(codes as the library reads them, shape of the result)."""
    codes = numpy.asarray(codes)
    if packed:
        if shape is None:
            raise ValueError("packed codes do not say how many they are: decode needs their shape")
        shape = _dimensions(shape)
        need = _library.bnd_codes_size(ctypes.byref(f), math.prod(shape), _PACKED)
        if codes.dtype != numpy.uint8 or codes.size != need:
            raise ValueError(f"{math.prod(shape)} packed codes of {f.name} are {need} bytes (uint8), not {codes.size} "
                             f"of {codes.dtype}")
        codes = numpy.ascontiguousarray(codes)
        _check_codes(codes, math.prod(shape), f, True)
        return codes, shape
    if codes.dtype.kind not in "iu":
        raise TypeError(f"codes are integers, not {codes.dtype}")
    if codes.dtype != f.dtype or f.width < 8 * f.dtype.itemsize:
        if codes.size > 0 and not 0 <= int(codes.min()) <= int(codes.max()) < 2**f.width:
            raise ValueError(f"a code of {f.name} is a number from 0 to {2**f.width - 1:#x}; here are some from "
                             f"{int(codes.min()):#x} to {int(codes.max()):#x}")
        codes = codes.astype(f.dtype, copy=False)
    return codes, codes.shape if shape is None else _dimensions(shape)


def decode(codes, format, dtype=None, *, packed=False, shape=None, threads=None, backend=None):
    """The numbers that codes stand for: float32 where it holds all numbers of the format, otherwise float64, or what
    dtype says (rounded to nearest even where it does not hold them). packed=True takes the bytes of encode's, and needs
    the shape of the result."""
    f = Format(format)
    codes, shape = _codes_of(codes, f, packed, shape)
    dtype = numpy.dtype(dtype or (numpy.float32 if _fits_float32(f) else numpy.float64))
    if dtype != numpy.float32 and dtype != numpy.float64:
        raise TypeError(f"decode gives float32 or float64, not {dtype}")
    how = _how(packed=packed, threads=threads, backend=backend)
    line, how.stride_in = (codes, 1) if packed else _line(codes)
    x = numpy.empty(shape, dtype)
    if not packed and x.size != codes.size:
        raise ValueError(f"{codes.size} codes have not the shape {shape}")
    _call(f"bnd_decode_f{8 * dtype.itemsize}", x.ctypes.data, line.ctypes.data, x.size, ctypes.byref(f),
          ctypes.byref(how))
    return _plain(x)


def round(x, format, rounding=None, overflow=None, *, out=None, nan=None, flush="none", dialect=None, seed=0, first=0,
          threads=None, backend=None, stats=False):
    """x rounded to the values of a format or of a value set; float32 stays float32, float64 float64. out: an array of
    that shape and type, which may be x. The other arguments are those of encode. With stats=True: (numbers, Stats)."""
    f, given = Format(format), x
    x = _numbers(x)
    how = _how(_rule(f, rounding, overflow, nan, flush, dialect), seed, first, False, threads, backend)
    if out is not None:
        if not isinstance(out, numpy.ndarray) or out.shape != x.shape or out.dtype != x.dtype:
            raise ValueError(f"out must be an array of {x.dtype} of the shape {x.shape}")
        if not out.flags.writeable:
            raise ValueError("out cannot be written to")
    direct = out is not None and out.flags.c_contiguous and (out is given or not numpy.may_share_memory(out, x))
    y = out if direct else numpy.empty(x.shape, x.dtype)
    counted = _convert("round", x, f, y, y.nbytes, how, stats)
    if out is not None and not direct:
        out[...] = y
    y = _plain(y) if out is None else out
    return (y, counted) if stats else y


def _group_format(group, i):
    found = Format.__new__(Format)
    _library.bnd_group_at(ctypes.byref(found), group, i)
    return found


def formats(which=None):
    """The formats of the table, those of a group (all ieee ocp fnuz p3109 p3109-all mx), or those named, separated by
    commas."""
    if which is None:
        return [Format(_library.bnd_format_at(i).contents) for i in range(_library.bnd_format_count())]
    _text(which, "a list of formats")
    found = []
    for name in which.split(","):
        text = _text(name, "a format's name")
        size = _library.bnd_group_size(text)
        found += [_group_format(text, i) for i in range(size)] if size > 0 else [Format(name)]
    return found


# ---- formats that share a scale ----

class Quantized(collections.namedtuple("Quantized", "codes scales")):
    """Codes and scales, and beside the two: tensor_scale (a float where the block format has one for the whole array,
    otherwise None), block (the name of the format with its rule), axis, shape, packed, and stats where they were asked
    for. dequantize takes it as it is."""


def _block(name, rule):
    block = _Block.__new__(_Block)
    _call("bnd_block_parse", ctypes.byref(block), _text(name, "a block format's name"))
    if rule is not None:
        _call("bnd_scale_rule_parse", ctypes.byref(block), _text(rule, "rule"))
    return block


def _block_shape(block, shape, axis):
    """(bnd_shape, axis counted from the front)."""
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis is a whole number, not {axis!r}") from None
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"an array of {len(shape)} dimensions has no axis {axis}")
    axis += len(shape) if axis < 0 else 0
    seen = _Shape()
    _call("bnd_block_shape", ctypes.byref(seen), ctypes.byref(block), (_size * len(shape))(*shape), len(shape), axis)
    return seen, axis


def _scales_shape(block, shape, axis):
    """The dimensions of the array, each divided by how many elements along it share a scale."""
    shape = list(shape)
    if block.sharing == _SHARE_TENSOR:
        return ()
    shared = [(axis, block.along)] if block.sharing == _SHARE_BLOCK else [(-2, block.along), (-1, block.across)]
    for at, length in shared:
        shape[at] = min(shape[at], 1) if length == 0 else -(-shape[at] // length)
    return tuple(shape)


def _code_type(block):
    return numpy.dtype(numpy.int8) if block.integer else block.element.dtype


def _scale_type(block):
    return numpy.dtype("<f4") if block.scale.name == "fp32" else block.scale.dtype


def _float32(x):
    x = _numbers(x)
    if x.dtype == numpy.float64:
        with numpy.errstate(all="ignore"):
            y = x.astype(numpy.float32)
        if not numpy.all((y == x) | numpy.isnan(x)):
            raise ValueError("blocks are made of float32, which does not hold these numbers exactly; "
                             "x.astype(numpy.float32) says that they may be rounded first")
        return y
    return x


def _check_scales(b, scales, seen, shape):
    if scales.dtype != _scale_type(b) or scales.nbytes != _library.bnd_block_scales_size(ctypes.byref(b), seen):
        raise ValueError(f"scales of {b.name.decode()} are of {_scale_type(b)} and have the shape {shape}, not "
                         f"{scales.shape} of {scales.dtype}")


def quantize(x, block="mxfp8", axis=-1, *, rule=None, rounding=None, overflow=None, nan=None, flush="none", seed=0,
             first=0, packed=False, threads=None, backend=None, stats=False, scales=None, tensor_scale=None):
    """(codes, scales) of x in a block format: mxfp8 mxfp8-e5m2 mxfp6-e2m3 mxfp6-e3m2 mxfp4 mxint8 nvfp4, or a format and
    how it is scaled (e4m3/tensor, e4m3/row, e4m3/tile:128x128, e3m4/mx, int8/row:bf16).

    Blocks run along `axis`. rule: how a scale is found, rceil floor ceil even ct nearest mse 4/6; each format has its own
    default, which the result's `block` names. The other arguments are those of encode. Codes have the
    shape of x (packed=True: bytes); scales have it too, divided by the blocks. NVFP4's tensor scale is the result's
    `tensor_scale`: codes and scales alone are not enough there.

    scales, tensor_scale: those to use, in the type and shape of a result, instead of computing them. A given tensor scale
    alone is that of a larger tensor, or of several tensors that share it.
    """
    b, x = _block(block, rule), numpy.ascontiguousarray(_float32(x))
    seen, axis = _block_shape(b, x.shape, axis)
    how = _how(_rule(b.element, rounding, overflow, nan, flush, None), seed, first, packed, threads, backend)
    if packed:
        codes = numpy.empty(_library.bnd_block_codes_size(ctypes.byref(b), seen, _PACKED), numpy.uint8)
    else:
        codes = numpy.empty(x.shape, _code_type(b))
    given = _Given()
    if scales is None:
        scales = numpy.empty(_scales_shape(b, x.shape, axis), _scale_type(b))
    else:
        scales = numpy.ascontiguousarray(scales)
        _check_scales(b, scales, seen, _scales_shape(b, x.shape, axis))
        given.scales = scales.ctypes.data
    if scales.nbytes != _library.bnd_block_scales_size(ctypes.byref(b), seen):
        raise AssertionError("the library counts other scales than binade.py")
    tensor, counted = ctypes.c_float(math.nan), Stats() if stats else None
    if tensor_scale is not None:
        if not b.tensor:
            raise ValueError(f"{b.name.decode()} has no scale for the whole array: it cannot have a tensor_scale")
        tensor.value = float(tensor_scale)
        given.tensor_scale = ctypes.pointer(tensor)
    _call("bnd_quantize_given_f32", codes.ctypes.data, scales.ctypes.data, ctypes.byref(tensor), x.ctypes.data, seen,
          ctypes.byref(b), ctypes.byref(given), ctypes.byref(how), None if counted is None else ctypes.byref(counted))
    result = Quantized(codes, scales)
    result.tensor_scale, result.stats = tensor.value if b.tensor else None, counted
    result.block = b.name.decode() + ":" + _library.bnd_scale_rule_name(b.rule).decode()
    result.axis, result.shape, result.packed = axis, x.shape, packed
    return result


def dequantize(codes, scales=None, block=None, axis=-1, *, tensor_scale=None, packed=False, shape=None, threads=None,
               backend=None):
    """The float32 numbers that quantize's codes and scales stand for: dequantize(q), or dequantize(codes, scales,
    "mxfp8"). A tensor scale is a factor; packed codes need their shape."""
    if isinstance(codes, Quantized):
        q, codes, scales = codes, codes.codes, codes.scales
        block, axis, tensor_scale, packed, shape = q.block, q.axis, q.tensor_scale, q.packed, q.shape
    if scales is None or block is None:
        raise TypeError("dequantize needs codes, scales and the name of the block format")
    b = _block(block, None)
    if packed and shape is None:
        raise ValueError("packed codes do not say how many they are: dequantize needs their shape")
    if b.tensor and tensor_scale is None:
        raise ValueError(f"{b.name.decode()} has a scale for the whole array: dequantize needs tensor_scale")
    codes, scales = numpy.ascontiguousarray(codes), numpy.ascontiguousarray(scales)
    shape = codes.shape if shape is None else _dimensions(shape)
    seen, axis = _block_shape(b, shape, axis)
    kind = numpy.dtype(numpy.uint8) if packed else _code_type(b)
    need = _library.bnd_block_codes_size(ctypes.byref(b), seen, _PACKED if packed else _UNPACKED)
    if codes.dtype != kind or codes.nbytes != need:
        raise ValueError(f"codes of {b.name.decode()} for the shape {shape} are {need} bytes of {kind}, not "
                         f"{codes.nbytes} of {codes.dtype}")
    _check_scales(b, scales, seen, _scales_shape(b, shape, axis))
    if not b.integer:
        _check_codes(codes, math.prod(shape), b.element, packed)
    how = _how(packed=packed, threads=threads, backend=backend)
    y = numpy.empty(shape, numpy.float32)
    _call("bnd_dequantize_f32", y.ctypes.data, codes.ctypes.data, scales.ctypes.data,
          1.0 if tensor_scale is None else float(tensor_scale), seen, ctypes.byref(b), ctypes.byref(how))
    return y
