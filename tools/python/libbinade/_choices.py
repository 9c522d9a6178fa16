"""What the calls on single numbers are told: rules, random bits, formats."""
import warnings
from typing import List, Union

from ._native import lib
from ._options import random_bits_of, rule_of, whole
from .formats import Format, formats, names_format

Names = Union[str, Format, List[Union[str, Format]], None]


def rule_in(f, dialect, **choices):
    """The rule of a call; the default one, with a warning, if the dialect has none for the format."""
    try:
        return rule_of(f, dialect=dialect, **choices)
    except ValueError as why:
        if dialect is None or not str(why).startswith("the dialect"):
            raise
        warnings.warn(f"dialect {dialect} has no rule for {f.name}; the default rule is used", stacklevel=3)
        return rule_of(f, **choices)


def random_bits(rule, seed, index, random=None):
    bits, seed = random_bits_of(rule), whole(seed, "seed")
    if random is None:
        return lib.bnd_random_bits(seed, 0, index, bits) if bits else 0
    if bits == 0:
        raise ValueError("random cannot be used with deterministic rounding; add rounding='sr:N'")
    return whole(random, "random", 2**bits - 1)


def formats_of(given, default):
    """(formats, whether it was the name of one)."""
    if given is None:
        return formats(default), False
    if isinstance(given, Format):
        return [given], True
    if isinstance(given, str):
        found = formats(given)
        return found, len(found) == 1 and "," not in given
    if not hasattr(given, "__iter__") or isinstance(given, type):
        return [Format(given)], True
    return [Format(one) for one in given], False


def name_formats(given):
    """Whether all that is given names formats."""
    several = hasattr(given, "__iter__") and not isinstance(given, (str, Format, type))
    return all(map(names_format, given)) if several else names_format(given)
