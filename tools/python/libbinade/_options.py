"""What a call on arrays is told and what it reports: rule, context, seed; statistics."""
import ctypes
import math
import operator

from . import _types
from ._native import Error, brief, call, lib, text

COUNTS = ("elements", "exact", "inexact", "underflows", "to_zero", "overflows", "saturated", "infinities_in", "nans_in",
          "nans_out", "compared")
PACKED, UNPACKED = _types.BND_PACKING_PACKED, _types.BND_PACKING_UNPACKED


class Stats(_types.bnd_stats):
    """What a conversion did: counts (elements, exact, inexact, underflows, to_zero, overflows, saturated,
    infinities_in, nans_in, nans_out), magnitudes (largest, smallest), sums of squares, and how many inputs had which
    exponent: exponents[0] below 2^-40, exponents[i] in the binade of 2^(i-41), exponents[63] from 2^22 on. `compared`
    elements are finite before and after; squares and sqnr_db are of these alone, so sqnr_db ranks formats only where
    `compared` equals `elements`.

    >>> from libbinade import encode
    >>> encode([0.1, 1e-9, 1e6], "fp16", stats=True)[1]
    Stats(elements=3, inexact=3, underflows=1, to_zero=1, overflows=1, compared=2, largest=1e+06, sqnr_db=72.25)
    """

    @property
    def sqnr_db(self) -> float:
        """Signal to quantization noise in decibels, over the elements that are finite before and after. Infinite if
        nothing was lost. NaN if there is no signal, or if its squares overflow doubles."""
        ratio = lib.bnd_stats_signal_to_noise_ratio(ctypes.byref(self))
        return 10 * math.log10(ratio) if 0 < ratio < math.inf else ratio

    @property
    def mse(self) -> float:
        """The mean squared error over the same elements. NaN if there are none, or if doubles do not hold it."""
        return lib.bnd_stats_mean_squared_error(ctypes.byref(self))

    def __repr__(self):
        counts = "".join(f"{name}={getattr(self, name)}, " for name in COUNTS if getattr(self, name))
        return f"Stats({counts}largest={self.largest:g}, sqnr_db={self.sqnr_db:.4g})"


def dialect_rule(f, dialect):
    """The rule of an ecosystem for a format; the default rule if dialect is None."""
    rule = _types.bnd_rule()
    if dialect is not None:
        row, named = ctypes.c_size_t(), text(dialect, "dialect")
        try:
            call("bnd_dialect_parse", ctypes.byref(row), named)
        except Error as why:  # its last words name the command
            shown = str(why).replace("'binade show --dialects 1' lists", "libbinade.dialects(value, format) shows")
            raise Error(why.status, why.where, shown) from None
        if not lib.bnd_dialect_rule(ctypes.byref(rule), row, ctypes.byref(f)):
            raise ValueError(f"the dialect {dialect!r} has no rule for {f.name}; leave dialect out for the default "
                             f"rule, or choose one that libbinade.dialects(format={f.name!r}) names")
    return rule


def rule_of(f, rounding=None, overflow=None, nan=None, flush="none", dialect=None, tininess=None):
    """The dialect's rule, changed by what is given explicitly."""
    rule = dialect_rule(f, dialect)
    for parse, value, what in (("bnd_rounding_parse", rounding, "rounding"),
                               ("bnd_overflow_parse", overflow, "overflow"), ("bnd_nan_parse", nan, "nan")):
        if value is not None:
            call(parse, ctypes.byref(rule), text(value, what))
    words = ("none", "in", "out", "both", "tiny", "in-tiny")
    rule.flush_out, rule.flush_in = divmod(words.index(one_of(flush, words, "flush")), 2)
    if tininess is not None:
        rule.tiny_before = one_of(tininess, ("before", "after"), "tininess") == "before"
    return rule


def random_bits_of(rule):
    """The number of random bits that a rule takes per rounding."""
    if rule.rounding < _types.BND_ROUND_SR:
        return 0
    if rule.rounding == _types.BND_ROUND_SR_EQUAL:
        return 1
    return min(rule.random_bits or _types.BND_RANDOM_BITS_DEFAULT, _types.BND_RANDOM_BITS_MAX)


def rounding_name(rule):
    """The rounding mode as rounding= takes it: "rne", "sr:4"."""
    name = lib.bnd_rounding_name(rule.rounding).decode()
    counted = rule.rounding >= _types.BND_ROUND_SR and rule.rounding != _types.BND_ROUND_SR_EQUAL
    return f"{name}:{random_bits_of(rule)}" if counted else name


def one_of(value, names, what):
    """A text that must be one of these."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, names))}, not {brief(value)}")
    return value


def whole(value, what, most=2**64 - 1, least=0):
    """A whole number from `least` to `most`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {brief(value)}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} must be a whole number from {least} to {most}, not {brief(number)}")
    return number


def real(value, what, least=-math.inf, positive=False, finite=True):
    """A number as a float: a finite one, of at least `least`, or above 0."""
    try:
        if isinstance(value, (bool, str, bytes, bytearray, complex)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"{what} must be a number, not {brief(value)}") from None
    if finite and not math.isfinite(number):
        raise ValueError(f"{what} must be finite, not {number!r}")
    if number <= 0 if positive else number < least:
        raise ValueError(f"{what} must be {'above' if positive else 'at least'} {0 if positive else f'{least:g}'}, "
                         f"not {number!r}")
    return number


def betas_of(value):
    """The two decay rates of an optimizer."""
    several = hasattr(value, "__iter__") and not isinstance(value, (str, bytes, set, frozenset, dict))  # in order
    found = tuple(real(x, "each of betas") for x in value) if several else ()
    if len(found) != 2 or not all(0 <= x < 1 for x in found):
        raise ValueError(f"betas must be two numbers from 0 to below 1, as (0.9, 0.999), not {brief(value)}")
    return found


def context_of(threads=None, backend=None):
    """None stands for the environment variables BINADE_THREADS and BINADE_BACKEND."""
    context = _types.bnd_context()
    call("bnd_context_init", ctypes.byref(context), None if backend is None else text(backend, "backend"),
         0 if threads is None else whole(threads, "threads", 2**32 - 1))
    return context


def how_of(rule=None, seed=0, first=0, packed=False, threads=None, backend=None):
    packing = PACKED if packed else UNPACKED
    return _types.bnd_array(context=ctypes.pointer(context_of(threads, backend)), rule=rule or _types.bnd_rule(),
                            seed=whole(seed, "seed"), first=whole(first, "first"), packing_in=packing,
                            packing_out=packing)
