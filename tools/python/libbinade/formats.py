"""Formats by any of their names: their fields, limits and names elsewhere."""
import ctypes
import fractions
import math
import sys
from typing import Any, Dict, List, Optional

from . import _types
from ._native import call, lib, text

__all__ = ["Format", "formats"]


def _number(significand, exponent):
    """significand * 2^exponent as the nearest float."""
    try:
        return math.ldexp(float(significand), exponent)
    except OverflowError:
        return math.inf


def _name_of(given):
    """The name of a format: a text, or a type of numpy, ml_dtypes or torch, whose name it is."""
    if isinstance(given, str):
        return given
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(given, torch.dtype):
        return str(given).replace("torch.", "")
    if given is float:
        return "fp64"
    if isinstance(given, type) and given.__module__.split(".")[0] in ("numpy", "ml_dtypes", "jax", "jaxlib"):
        return _name_of_type(given.__name__, given)
    if numpy is not None and isinstance(given, numpy.dtype):
        return _name_of_type(given.name, given.type)
    what = f"the type {given.__name__}" if isinstance(given, type) else type(given).__name__
    raise TypeError(f"a format's name is a str or a type such as float16, not {what}")


def _name_of_type(name, kind):
    """numpy's longest float has a name that says nothing of its format."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and kind is numpy.longdouble and numpy.dtype(kind).itemsize > 8:
        raise TypeError(f"numpy's {name} has another format on each machine; give the format by its name")
    return name


class Format(_types.bnd_format):
    """A format by its name in any ecosystem ("e4m3", "float8_e4m3fn"), by a type of numpy, ml_dtypes or torch (Python's
    float is fp64), a custom one ("e6m9"), or a value set ("p11emin-14emax15"), which has numbers but no codes.

    >>> f = Format("float8_e4m3fn")
    >>> f
    Format('e4m3': 8 bits, 1-4-3, max 448)
    >>> f.max, f.smallest_normal, f.smallest, f.epsilon
    (448.0, 0.015625, 0.001953125, 0.125)

    max, smallest_normal, smallest and epsilon are floats: what a float does not hold becomes inf or 0, as in e15m10.
    The largest number is exactly max_significand * 2**max_quantum; normal_ and least_ name the others. A Format cannot
    be changed.
    """

    def __init__(self, name: Any):
        super().__init__()
        if isinstance(name, _types.bnd_format):
            ctypes.memmove(ctypes.byref(self), ctypes.byref(name), ctypes.sizeof(Format))
        else:
            call("bnd_format_parse", ctypes.byref(self), text(_name_of(name), "a format's name"))

    @property
    def name(self) -> str:
        """The name in this project's spelling."""
        return _types.bnd_format.name.__get__(self, type(self)).decode()

    @property
    def max(self) -> float:
        """The largest finite number."""
        return _number(self.max_significand, self.max_quantum)

    @property
    def smallest_normal(self) -> float:
        """The smallest positive normal number."""
        return _number(self.normal_significand, self.normal_quantum)

    @property
    def smallest(self) -> float:
        """The smallest positive number."""
        return _number(self.least_significand, self.least_quantum)

    @property
    def epsilon(self) -> float:
        """The distance from 1 to the next larger number. NaN if the format does not have both."""
        one, above, below = (_types.bnd_exact(low=1, kind=_types.BND_KIND_FINITE) for _ in range(3))
        if not lib.bnd_neighbour(ctypes.byref(above), ctypes.byref(self), one, 1):
            return math.nan
        lib.bnd_neighbour(ctypes.byref(below), ctypes.byref(self), above, -1)
        if above.kind != _types.BND_KIND_FINITE or lib.bnd_exact_compare(below, one) != 0:
            return math.nan
        return float((above.high << 64 | above.low) * fractions.Fraction(2) ** above.exponent - 1)

    @property
    def title(self) -> str:
        """A description in a few words; "" for a custom format."""
        return lib.bnd_format_title(self.row).decode() if self.row >= 0 else ""

    @property
    def names(self) -> Dict[str, List[str]]:
        """Its names elsewhere, by ecosystem."""
        rows = range(_types.BND_ECOSYSTEM_COUNT if self.row >= 0 else 0)
        found = {lib.bnd_ecosystem_name(i).decode(): lib.bnd_format_names(self.row, i).decode() for i in rows}
        return {where: names.split() for where, names in found.items() if names}

    @property
    def code_bits(self) -> int:
        """The bits of the word that one code has in an array: 8, 16, 32 or 64. Value sets have no codes."""
        if self.width == 0:
            raise ValueError(f"{self.name} is a value set: it has no codes; round() rounds to its numbers")
        return next(bits for bits in (8, 16, 32, 64) if bits >= self.width)

    @property
    def dtype(self):
        """The numpy type of an array of codes, one code per element."""
        import numpy
        return numpy.dtype(f"<u{self.code_bits // 8}")

    def __setattr__(self, name, value):
        raise AttributeError(f"a Format cannot be changed: {name} is what its name says")

    def __delattr__(self, name):
        raise AttributeError("a Format cannot be changed")

    def __eq__(self, other):
        return isinstance(other, Format) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return Format, (self.name,)

    def __repr__(self):
        if self.width == 0:
            return f"Format({self.name!r}: a value set, {self.precision} bits of precision)"
        return (f"Format({self.name!r}: {self.width} bits, {int(self.is_signed)}-{self.exponent_bits}-"
                f"{self.fraction_bits}, max {self.max:g})")


def names_format(given: Any) -> bool:
    """Whether it is a format, or the name or the type of one, or several names with commas between."""
    if isinstance(given, _types.bnd_format):
        return True
    try:
        return bool(formats(given)) if isinstance(given, str) else bool(Format(given))
    except (TypeError, ValueError):
        return False


def check_order(what: str, first: Any, second: Any, order: str, names=names_format) -> None:
    """Refuses arguments that are swapped: `first` names a format, and `second`, which must name one, does not."""
    if isinstance(first, (str, Format)) and not names(second) and names(first):
        name = first if isinstance(first, str) else first.name
        raise TypeError(f"{what} takes {order.replace('{}', repr(name), 1)}")


def _of_group(group, i):
    found = Format.__new__(Format)
    lib.bnd_group_at(ctypes.byref(found), group, i)
    return found


def formats(which: Optional[str] = None) -> List[Format]:
    """The built-in formats; those of a group (all ieee ocp fnuz p3109 p3109-all mx); or those named, separated by
    commas.

    >>> [f.name for f in formats("ocp")]
    ['e4m3', 'e5m2', 'e8m0', 'e2m3', 'e3m2', 'e2m1']
    """
    if which is None:
        return [Format(lib.bnd_format_at(i).contents) for i in range(lib.bnd_format_count())]
    text(which, "a list of formats")
    found = []
    for name in which.split(","):
        group = text(name, "a format's name")
        size = lib.bnd_group_size(group)
        found += [_of_group(group, i) for i in range(size)] if size > 0 else [Format(name)]
    return found
