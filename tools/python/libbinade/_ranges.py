"""Which formats contain which values."""
import ctypes
import html
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _types
from ._choices import Names, formats_of, name_formats, random_bits, rule_in
from ._native import lib
from ._values import Given, exact_text, flag_names
from .formats import Format, check_order

_rows = range  # the built-in one: a function of this module has its name

_OUTCOMES = {"ok": ("ok", "exact, or rounded with the format's full precision"),
             "sub": ("sub", "subnormal: rounded with fewer bits"),
             "zero": ("->0", "underflowed to zero"),
             "max": ("max", "saturated to the largest value"),
             "inf": ("inf", "overflowed to infinity"),
             "nan": ("nan", "became NaN"),
             "min": ("min", "raised to the smallest value: the format has none below it"),
             "no-nan": ("no-nan", "NaN became a number: the format has no NaN"),
             "abs": ("abs", "became its magnitude: the format has no sign")}


def _outcome(f, rounded, given):
    nans = (_types.BND_KIND_QUIET_NAN, _types.BND_KIND_SIGNALING_NAN)
    value, flags = rounded.value, rounded.flags
    if given.exact.kind in nans:
        return "ok" if value.kind in nans else "no-nan"
    if value.kind in nans:
        return "nan"
    if flags & _types.BND_FLAG_TO_ZERO:
        return "zero"
    if flags & _types.BND_FLAG_SATURATED:
        return "max"
    if value.kind == _types.BND_KIND_INFINITE:
        return "inf" if flags & _types.BND_FLAG_OVERFLOW else "ok"
    gradual = f.has_zero and f.has_subnormals
    if flags & (_types.BND_FLAG_INVALID | (0 if gradual else _types.BND_FLAG_UNDERFLOW)):
        return "min"
    if given.exact.negative and value.kind == _types.BND_KIND_FINITE and not value.negative:
        return "abs"
    subnormal = lib.bnd_classify(ctypes.byref(f), value) == _types.BND_CLASS_SUBNORMAL
    return "sub" if subnormal else "ok"


class Ranges:
    """Which formats contain which values, as `binade range` has it: `formats`, `values` (as they were given), and
    `cells`, a dictionary (value, format, outcome, result, flags) per value and format. The limits of a format are its
    own: range("fp16").formats[0].max."""

    def __init__(self, found, givens, rule, seed):
        self.formats, self.values, self.cells = found, [g.input for g in givens], []
        for index, given in enumerate(givens):
            for f in found:
                how = rule(f)
                rounded = given.round(f, how, random_bits(how, seed, index))
                self.cells.append({"value": given.input, "format": f.name, "outcome": _outcome(f, rounded, given),
                                   "result": exact_text(rounded.value), "flags": list(flag_names(rounded.flags))})

    def as_dict(self) -> Dict[str, Any]:
        """What `binade range --json` prints."""
        return {"cells": self.cells}

    def outcome(self, value: Any, format: Union[str, Format]) -> str:
        """The outcome of one of the values in one of the formats: ok sub zero max inf nan min no-nan abs."""
        name, shown = Format(format).name, Given(value).input
        for what, there, asked in (("format", [f.name for f in self.formats], name), ("value", self.values, shown)):
            if asked not in there:
                raise KeyError(f"these ranges have no {what} {asked!r} (available: {', '.join(there)})")
        return next(c["outcome"] for c in self.cells if c["format"] == name and c["value"] == shown)

    def _rows(self) -> List[Tuple[str, List[str]]]:
        width = len(self.formats)
        return [(v, [c["outcome"] for c in self.cells[i * width:(i + 1) * width]]) for i, v in enumerate(self.values)]

    def __str__(self):
        names = [f.name for f in self.formats]
        label = max(len(v) for v in ["value", *self.values])
        widths = [max(6, len(name)) for name in names]
        lines = [f"{'value':{label}}" + "".join(f"  {n:>{w}}" for n, w in zip(names, widths))]
        for value, outcomes in self._rows():
            lines.append(f"{value:{label}}" + "".join(f"  {_OUTCOMES[o][0]:>{w}}" for o, w in zip(outcomes, widths)))
        seen = {c["outcome"] for c in self.cells}
        lines += [""] + [f"{word:>8}  {meaning}" for key, (word, meaning) in _OUTCOMES.items() if key in seen]
        limits = [f"{f.name:8}  max {f.max:.6g}, smallest normal {f.smallest_normal:.6g}, smallest {f.smallest:.6g}"
                  for f in self.formats]
        return "\n".join(lines + [""] + limits)

    def __repr__(self):
        return f"<ranges of {', '.join(f.name for f in self.formats)}: {len(self.values)} values>"

    def _repr_html_(self):
        colours = {"ok": "#d5f5e3", "sub": "#fcf3cf", "min": "#fcf3cf"}
        head = "".join(f"<th>{html.escape(f.name)}</th>" for f in self.formats)
        rows = "".join(f"<tr><th>{html.escape(value)}</th>" + "".join(
            f"<td style='background:{colours.get(o, '#fadbd8')};color:#000' title='{html.escape(_OUTCOMES[o][1])}'>"
            f"{html.escape(_OUTCOMES[o][0])}</td>" for o in outcomes) + "</tr>" for value, outcomes in self._rows())
        return f"<table><tr><th>value</th>{head}</tr>{rows}</table>"


def range(format: Names = None, values: Any = None, rounding: Optional[str] = None, overflow: Optional[str] = None, *,
          nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None, tininess: Optional[str] = None,
          seed: int = 0) -> Ranges:
    """Which values a format contains, and where it underflows or overflows.

    format: as in show; without it fp32 tf32 fp16 bf16 e5m2 e4m3 e3m2 e2m3 e2m1 e8m0. values: numbers or texts; without
    them the decades 1e-10 to 1e10.

    >>> range("fp16", ["1e-8", 0.1, 70000]).cells[2]["outcome"]
    'inf'
    """
    check_order("range", values, () if format is None else format, "the format first: range({}, values)",
                name_formats)
    found, _ = formats_of(format, "fp32,tf32,fp16,bf16,e5m2,e4m3,e3m2,e2m3,e2m1,e8m0")
    if values is None:
        values = [f"1e{exponent}" for exponent in _rows(-10, 11)]
    elif isinstance(values, str) or not hasattr(values, "__iter__") or getattr(values, "shape", None) == ():
        values = [values]
    choices = {"rounding": rounding, "overflow": overflow, "nan": nan, "flush": flush, "tininess": tininess}
    return Ranges(found, [Given(v) for v in values], lambda f: rule_in(f, dialect, **choices), seed)
