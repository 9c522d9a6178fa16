"""A number as it is written: text, Python's numbers, codes; its rounding, its errors, and its texts."""
import ctypes
import decimal
import fractions
import math
import operator

from . import _types
from ._native import call, lib, text
from .formats import Format

FINITE = (_types.BND_KIND_ZERO, _types.BND_KIND_FINITE)
AUTO = _types.BND_NOTATION_AUTO
FLAGS = [1 << i for i in range(_types.BND_FLAG_ALL.bit_length())]


# ---- texts, as the command writes them ----

def printed(name, *arguments):
    """What a bnd_print call writes: it takes a text, its size, and these arguments."""
    function, size = getattr(lib, name), 256
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = function(buffer, size, *arguments)
        if length < size:
            return buffer.value.decode("utf-8", "replace")
        size = length + 1


def exact_text(value):
    return printed("bnd_print_exact", value, AUTO)


def digits_text(x, digits=3):
    return printed("bnd_print_digits", lib.bnd_exact_double(x), digits)


def brief_text(f, value):
    """A value in at most 16 characters, or in as many digits as tell it from its neighbours."""
    whole = exact_text(value)
    return whole if len(whole) <= 16 else printed("bnd_print_digits", value, f.precision * 3 // 10 + 4)


def _exponent_at(number):
    """Where the exponent of a decimal or of a hexadecimal float begins."""
    letters = "pP" if "x" in number or "X" in number else "eE"
    return next((i for i, c in enumerate(number) if c in letters), len(number))


def shortened(number):
    """The first 40 significant digits of a decimal, and its exponent."""
    end, at, digits, leading = _exponent_at(number), 0, 0, True
    while at < end and digits < 40:
        leading = leading and number[at] in "0.-"
        digits += number[at] != "." and not leading
        at += 1
    return number if at >= end or "." not in number[:at] else number[:at] + "..." + number[end:]


def heading(number):
    """A long input in 40 characters."""
    length, end = len(number), _exponent_at(number)
    if length <= 60:
        return number
    return f"{number[:40]}...{number[end:] if length - end < 20 else ''} ({length} characters)"


def flag_names(flags):
    return tuple(lib.bnd_flag_name(bit).decode() for bit in FLAGS if flags & bit)


# ---- values ----

def is_finite(value):
    return value.kind in FINITE


def fraction_of(value):
    """A finite bnd_exact as a Fraction."""
    whole = value.high << 64 | value.low
    whole = -whole if value.negative else whole
    scale = fractions.Fraction(2) ** abs(value.exponent)
    return whole * scale if value.exponent >= 0 else whole / scale


def float_of(value):
    """A bnd_exact as the nearest float; beyond the largest one an infinity."""
    sign = -1.0 if value.negative else 1.0
    if value.kind == _types.BND_KIND_ZERO:
        return sign * 0.0
    if value.kind != _types.BND_KIND_FINITE:
        return sign * math.inf if value.kind == _types.BND_KIND_INFINITE else math.nan
    if abs(value.exponent) > 3000:
        return sign * math.inf if value.exponent > 0 else sign * 0.0
    try:
        return float(fraction_of(value))
    except OverflowError:
        return sign * math.inf


class Real:
    """A number of the laboratory's, which is released with this object."""

    def __init__(self):
        self.handle = ctypes.c_void_p()

    def __del__(self):
        if self.handle and lib is not None:
            lib.bnd_real_free(self.handle)


def error_of(value, real):
    """value - real as a Real."""
    error = Real()
    call("bnd_real_new_of_error", ctypes.byref(error.handle), value, real.handle)
    return error


def real_text(real):
    return printed("bnd_print_real", real.handle, AUTO)


def has_digits(real):
    """False if nothing is known of a value: an irrational number may have cancelled too far."""
    known = lib.bnd_real_known(real.handle)
    unknown = known in (_types.BND_KNOWN_NOT, _types.BND_KNOWN_BOUNDS)
    return not unknown and (known != _types.BND_KNOWN_DIGITS or lib.bnd_real_sign(real.handle) != 0)


def has_error(error):
    return lib.bnd_real_known(error.handle) in (_types.BND_KNOWN_EXACTLY, _types.BND_KNOWN_DIGITS,
                                                   _types.BND_KNOWN_BOUNDS)


def written(value):
    """(the text that is read, the text that is shown) of a number of Python's, or of a text."""
    if isinstance(value, str):
        return value, value
    if isinstance(value, decimal.Decimal):
        return str(value).lower(), str(value)
    if isinstance(value, fractions.Fraction):
        return str(value), str(value)
    try:
        whole = operator.index(value)
        return f"{'-' if whole < 0 else ''}0x{abs(whole):x}p0" if abs(whole) >= 10**20 else str(whole), hex(
            whole) if abs(whole) >= 10**200 else str(whole)
    except TypeError:
        pass
    if getattr(value, "shape", ()) != () or not hasattr(value, "__float__"):
        what = "an array; encode() and round() take arrays" if hasattr(value, "shape") else type(value).__name__
        raise TypeError(f"expected a number or a text, got {what}")
    x = float(value)
    if x == x and value != x:
        raise ValueError(f"a float does not hold {value!r} exactly; give it as a text")
    if math.isfinite(x):
        return x.hex(), repr(x)
    shown = f"{'-' if math.copysign(1, x) < 0 else ''}{abs(x)}"  # str() drops the sign of NaN
    return shown, shown


def _code_part(word):
    """Where the code in FORMAT:0xHEX or FORMAT:0bBITS begins; None for a number or an expression."""
    colon = word.rfind(":")
    if colon < 0 or word[colon + 1:colon + 2] != "0" or word[colon + 2:colon + 3] not in ("x", "X", "b", "B"):
        return None
    return None if any(c in "+-*/^()," or ord(c) > 127 for c in word[colon:]) else colon


class Given:
    """A number as it was given. `exact` has its leading bits; `number` or `real` the whole of it."""

    def __init__(self, value):
        word, self.input = written(value)
        self.text = text(word.strip(), "a number")  # what the bnd_number refers to
        self.number, self.exact, self.real = _types.bnd_number(), _types.bnd_exact(), None
        self.format, self.code = None, None
        colon = _code_part(word.strip())
        if colon is not None:
            self._read_code(word.strip(), colon)
        else:
            self._read_number()

    def _read_code(self, word, colon):
        self.format = Format(word[:colon])
        f, digits = self.format, word[colon + 3:]
        base = 16 if word[colon + 2] in "xX" else 2
        if f.width == 0:
            raise ValueError(f"{f.name} is a value set: it has no codes")
        digits = digits.replace(" ", "").replace("_", "") if base == 2 else digits
        if not digits or any(c not in "0123456789abcdef"[:base] for c in digits.lower()):
            raise ValueError(f"'{word}': expected {'hexadecimal' if base == 16 else 'binary'} digits after the prefix")
        self.code = int(digits, base)
        if self.code >= 2**f.width:
            raise ValueError(f"'{word}': a code of {f.name} must have at most {f.width} bits")
        self.exact = lib.bnd_unpack(ctypes.byref(f), self.code)
        self.number = lib.bnd_number_of_exact(self.exact)

    def _read_number(self):
        if lib.bnd_number_parse_n(ctypes.byref(self.number), self.text, len(self.text), None) == _types.BND_OK:
            self.exact = self.number.value
            return
        real = Real()
        call("bnd_real_new_of_text_n", ctypes.byref(self.exact), ctypes.byref(real.handle), self.text, len(self.text))
        if self.exact.sticky:
            self.real = real
        else:
            self.number = lib.bnd_number_of_exact(self.exact)

    @property
    def is_finite(self):
        return self.real is not None or is_finite(self.exact)

    def round(self, f, rule, random):
        if self.format is not None:
            return lib.bnd_round_code(ctypes.byref(f), ctypes.byref(self.format), self.code, rule, random)
        return lib.bnd_round_exact(ctypes.byref(f), self.exact, rule, random)

    # ---- how far a finite value is from it ----

    def error_text(self, value):
        """value - number with every digit; None if that takes more than 100,000."""
        if self.real is not None:
            error = error_of(value, self.real)
            unknown = lib.bnd_real_known(error.handle) in (_types.BND_KNOWN_NOT, _types.BND_KNOWN_BOUNDS)
            return None if unknown else real_text(error)
        size, length = 256, ctypes.c_size_t()
        while True:
            buffer = ctypes.create_string_buffer(size)
            if lib.bnd_print_error(ctypes.byref(length), buffer, size, value, ctypes.byref(self.number), AUTO, None):
                return None
            if length.value < size:
                return buffer.value.decode()
            size = length.value + 1

    def in_units(self, value, unit):
        """(value - number) / unit as a float; None if it is not known."""
        if self.real is None:
            out = ctypes.c_double()
            failed = lib.bnd_error_in_units(ctypes.byref(out), value, ctypes.byref(self.number), unit, None)
            return None if failed else out.value
        error = error_of(value, self.real)
        return lib.bnd_real_in_units(error.handle, unit) if has_error(error) else None

    def relative(self, value):
        """(value - number) / number as a float; None if it is not known."""
        if self.real is None:
            out = ctypes.c_double()
            failed = lib.bnd_relative_error(ctypes.byref(out), value, ctypes.byref(self.number), None)
            return None if failed else out.value
        error = error_of(value, self.real)
        quotient = lib.bnd_real_quotient(error.handle, self.real.handle)
        return None if math.isnan(quotient) else quotient


def rough_error(error):
    """Three digits of an error that is not 0, as the command writes it."""
    if error == 0:
        return "below 1e-308"
    return digits_text(error) if math.isfinite(error) else f"beyond {'-' if error < 0 else ''}1e308"


def copy_of(value):
    return type(value).from_buffer_copy(value)


def ulp_at(f, x):
    """The unit in the last place that the format has at x, if its exponent were unbounded upward."""
    zero = x.kind == _types.BND_KIND_ZERO
    if zero or lib.bnd_classify(ctypes.byref(f), x) == _types.BND_CLASS_SUBNORMAL:
        return _types.bnd_exact(low=f.least_significand, exponent=f.least_quantum, kind=_types.BND_KIND_FINITE)
    exponent = x.exponent + (x.high << 64 | x.low).bit_length() - 1
    return _types.bnd_exact(low=1, exponent=max(exponent, f.emin) - (f.precision - 1), kind=_types.BND_KIND_FINITE)
