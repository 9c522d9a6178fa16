"""Single numbers: how a value is rounded, an expression with every operation rounded, and the ranges of formats.

The same calls of the library as the commands binade show, calc and range; as_dict() gives what they print with --json.
"""
import builtins
import ctypes
import html
import math
from typing import Any, Dict, List, Optional, Union

from . import _types
from ._choices import Names, formats_of, name_formats, random_bits, rule_in
from ._native import call, lib, text
from ._options import rounding_name, rule_of, whole
from ._ranges import Ranges, range
from ._values import (Given, Real, copy_of, digits_text, error_of, exact_text, flag_names, float_of,
                      fraction_of, has_digits, has_error, heading, is_finite, printed, real_text, rough_error,
                      shortened, ulp_at)
from .formats import Format, check_order

__all__ = ["Calculated", "Ranges", "Shown", "ShownList", "calc", "dialects", "range", "show"]


def _table(rows):
    """Rows of (label, HTML) as a table."""
    left = "style='text-align:left'"
    cells = "".join(f"<tr><th {left}>{html.escape(label)}</th><td {left}>{value}</td></tr>" for label, value in rows)
    return f"<table>{cells}</table>"


# ---- one value in one format ----

class Shown:
    """A value in one format, as `binade show` has it.

    format    the Format                     input     the value as it was given
    code      the code as an int             bits      "0 1111 110"
    fields    (sign, exponent, fraction)     kind      "zero" "subnormal" "normal" "infinity" "nan" "signaling nan"
    value     the exact decimal              shortest  the shortest decimal that reads back as this value
    hex       a C hexadecimal float          flags     ("inexact", "overflow")
    error     result - value, exactly        relative_error, ulp_error  the same as floats
    below, above  the nearest values of the format on either side of the input, as exact decimals
    rounding, overflow  the rule

    Value sets have no codes: code, bits and fields are None. Errors are None unless both numbers are finite. float(),
    fractions.Fraction by as_fraction(), and print() work.
    """

    def __init__(self, given, f, rule, random):
        self.input, self.format = given.input, f
        as_given = given.format == f and not rule.flush_in and not rule.flush_out
        if as_given:
            rounded = _types.bnd_rounded(value=given.exact)
        else:
            rounded = given.round(f, rule, random)
        self._value, self._ternary, flags = copy_of(rounded.value), rounded.ternary, rounded.flags
        self._place(f, given.code if as_given else None)
        self.kind = lib.bnd_class_name(lib.bnd_classify(ctypes.byref(f), self._value)).decode()
        self.value = exact_text(self._value)
        self.shortest = printed("bnd_print_shortest", ctypes.byref(f), self._value)
        self.hex = printed("bnd_print_hex", self._value)
        self.flags = flag_names(flags)
        self._measure(given, f)
        self.below, self.above = (self._neighbour(f, given.exact, way) for way in (-1, 1))
        self.rounding = rounding_name(rule)
        self.overflow = lib.bnd_overflow_name(rule.overflow).decode()

    def _place(self, f, code):
        """The code, and its fields."""
        self.code = self.bits = self.fields = None
        if f.width:
            self.code = lib.bnd_pack(ctypes.byref(f), self._value) if code is None else code
            self.bits = printed("bnd_print_bits", ctypes.byref(f), self.code)
            self.fields = tuple(printed("bnd_print_field", ctypes.byref(f), self.code, field)
                                for field in (0, 1, 2))

    def _measure(self, given, f):
        self.error = self.relative_error = self.ulp_error = None
        self._has_error = is_finite(self._value) and given.is_finite
        if self._has_error:
            unit = ulp_at(f, given.exact)
            unit.negative = False
            self.error = given.error_text(self._value)
            if given.exact.kind == _types.BND_KIND_FINITE:
                self.relative_error = given.relative(self._value)
            self.ulp_error = given.in_units(self._value, unit)

    @staticmethod
    def _neighbour(f, x, way):
        found = _types.bnd_exact()
        return exact_text(found) if lib.bnd_neighbour(ctypes.byref(found), ctypes.byref(f), x, way) else None

    def __float__(self):
        return float_of(self._value)

    def as_fraction(self):
        """The exact value as a fractions.Fraction."""
        if not is_finite(self._value):
            raise ValueError(f"{self.value} is not a number that a fraction can be")
        return fraction_of(self._value)

    @property
    def is_exact(self) -> bool:
        """Neither rounded nor replaced."""
        return self._ternary == 0 and not self.flags

    @property
    def code_text(self) -> Optional[str]:
        """The code as hexadecimal digits, "0x7e"."""
        return None if self.code is None else printed("bnd_print_code", ctypes.byref(self.format), self.code)

    @property
    def bytes(self):
        """The code as little-endian bytes of a whole word."""
        return None if self.code is None else self.code.to_bytes(self.format.code_bits // 8, "little")

    def as_dict(self) -> Dict[str, Any]:
        """What `binade show --json` has for one format."""
        def finite(x):
            return x if x is not None and math.isfinite(x) else None
        return {"format": self.format.name, "code": self.code_text, "bits": self.bits, "class": self.kind,
                "value": self.value, "shortest": self.shortest, "hex": self.hex, "error": self.error,
                "relative_error": finite(self.relative_error), "ulp_error": finite(self.ulp_error),
                "flags": list(self.flags), "below": self.below, "above": self.above, "rounding": self.rounding,
                "overflow": self.overflow}

    # ---- for people ----

    def _class_line(self):
        f = self.format
        if f.width == 0 or self.kind not in ("normal", "subnormal"):
            return self.kind
        field = (self.code & ((1 << (f.exponent_bits + f.fraction_bits)) - 1)) >> f.fraction_bits
        return f"{self.kind}, exponent field {field} = 2^{field - f.bias + (self.kind == 'subnormal')}"

    def _value_line(self):
        short = shortened(self.value)
        long = self._value.kind == _types.BND_KIND_FINITE and "x" in short
        return short + " (about 100,000 digits or more)" if long else short

    def _error_line(self):
        if self.is_exact:
            return "0 (exact)"
        line = shortened(self.error) if self.error is not None else "more than 100,000 digits"
        line += f"   relative {rough_error(self.relative_error)}" if self.relative_error is not None else ""
        return line + (f"   {rough_error(self.ulp_error)} ulp" if self.ulp_error is not None else "")

    def _lines(self, width):
        """(label, text) of each line; the first has no label."""
        if self.format.width == 0:
            yield "", f"{'(a value set: no code)':{width}}  {self._class_line()}"
        else:
            ruler = " ".join(letter * len(field) for letter, field in zip("SEM", self.fields) if field)
            yield "", ruler
            yield "", f"{self.bits:{width}}  {self.code_text}  {self._class_line()}"
        yield "value", self._value_line()
        if self._has_error:
            yield "error", self._error_line()
        if self.flags:
            yield "flags", " ".join(self.flags)

    def _text(self, width=0):
        width = width or (self.format.width + 2 if self.format.width <= 34 else 0)
        lines = [f"{label:9}{line}" if label else line for label, line in self._lines(width)]
        head = "  " + self.format.name
        head = head.ljust(9) if len(head) < 9 else head + "\n" + 9 * " "
        return head + ("\n" + 9 * " ").join(lines)

    def __str__(self):
        return f"{heading(self.input)}\n{self._text()}"

    def __repr__(self):
        code = f" {self.code_text}" if self.code is not None else ""
        return f"<{heading(self.input)} in {self.format.name}:{code} {' '.join([shortened(self.value), *self.flags])}>"

    def _html_bits(self):
        colours = ("#c0392b", "#1e8449", "#1f618d")
        return " ".join(f"<span style='color:{colour}'>{field}</span>"
                        for colour, field in zip(colours, self.fields or ()) if field)

    def _html_rows(self):
        if self.code is not None:
            yield "bits", f"<code>{self._html_bits()}</code> &nbsp; <code>{self.code_text}</code>"
        yield "class", html.escape(self._class_line())
        yield "value", html.escape(self._value_line())
        if self._has_error:
            yield "error", html.escape(self._error_line())
        if self.flags:
            yield "flags", html.escape(" ".join(self.flags))
        between = [side for side in (self.below, self.above)]
        yield "neighbours", " &nbsp; ".join(html.escape(shortened(s)) if s is not None else "none" for s in between)

    def _repr_html_(self):
        caption = f"<b>{html.escape(heading(self.input))}</b> in <b>{html.escape(self.format.name)}</b>"
        return caption + _table(self._html_rows())


class ShownList(List[Shown]):
    """A value in several formats; print() and notebooks show all of them."""

    def __str__(self):
        width = max([one.format.width + 2 for one in self if one.format.width <= 34] or [0])
        return "\n".join([heading(self[0].input)] + [one._text(width) for one in self]) if self else ""

    def as_dict(self) -> Dict[str, Any]:
        """What `binade show --json` prints."""
        return {"input": self[0].input if self else None, "results": [one.as_dict() for one in self]}

    def _repr_html_(self):
        return "".join(one._repr_html_() for one in self)


def show(value: Any, format: Names = None, rounding: Optional[str] = None, overflow: Optional[str] = None, *,
         nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None, tininess: Optional[str] = None,
         seed: int = 0, random: Optional[int] = None) -> Union[Shown, ShownList]:
    """How a value is rounded in a format: bits, exact value, error, flags, and the values `below` and `above` it.

    value: a number of Python or numpy, which is exact (0.1 is the double), or a text: a decimal of any length ("0.1",
    "1e-8"), a hexadecimal float, "inf", "nan", an expression ("1/3", "2^-24", "sqrt(2)/2"), or a code ("fp16:0x3c00").
    format: one, or several as a list or a text ("fp16,bf16", "ocp"); without it fp32 fp16 bf16 e4m3 e5m2. The rule is
    that of encode. random: the random bits of stochastic rounding as a number, instead of those of the seed.

    >>> print(show(465, "e4m3", dialect="torch"))
    465
      e4m3   S EEEE MMM
             0 1111 110  0x7e  normal, exponent field 15 = 2^8
             value    448
             error    -17   relative -0.0366   -0.531 ulp
             flags    inexact overflow saturated
    >>> show("0.1", "fp16").value
    '0.0999755859375'
    """
    if format is not None:
        check_order("show", value, format, "the value first: show(x, {})", name_formats)
    given = Given(value)
    found, one = formats_of(format, "fp32,fp16,bf16,e4m3,e5m2")
    if format is None and given.format is not None and given.format not in found:
        found.insert(0, given.format)
    results = ShownList()
    for f in found:
        rule = rule_in(f, dialect, rounding=rounding, overflow=overflow, nan=nan, flush=flush, tininess=tininess)
        results.append(Shown(given, f, rule, random_bits(rule, seed, 0, random)))
    return results[0] if one else results


def dialects(value: Any = None, format: Union[str, Format, None] = None) -> Dict[str, Any]:
    """The ecosystems whose rules are known: name -> title; with a format, those that have a rule for it. With a value
    and a format: name -> Shown.

    >>> {d: s.value for d, s in dialects(465, "e4m3").items() if d.startswith("cuda")}
    {'cuda-satfinite': '448', 'cuda-nosat': 'nan'}
    """
    rows = list(builtins.range(lib.bnd_dialect_count()))
    names = [lib.bnd_dialect_name(i).decode() for i in rows]
    titles = [lib.bnd_dialect_title(i).decode() for i in rows]
    if format is None:
        if value is not None:
            raise TypeError("dialects of a value need a format: dialects(465, 'e4m3')")
        return dict(zip(names, titles))
    given, f, found = None if value is None else Given(value), Format(format), {}
    for i, name, title in zip(rows, names, titles):
        rule = _types.bnd_rule()
        if lib.bnd_dialect_rule(ctypes.byref(rule), i, ctypes.byref(f)):
            found[name] = title if given is None else Shown(given, f, rule, random_bits(rule, 0, 0))
    return found


# ---- expressions ----

class Calculated:
    """An expression with every operation rounded in one format, as `binade calc` has it.

    format, expression; code (an int), value (the exact decimal of the result), exact (of the expression without any
    rounding; None if it is not known), fraction ("1/3", or None), known ("exactly", "digits", "not"), error (result -
    exact), ulp_error, flags (of all steps), steps (a list of dictionaries: op, operands, format, code, value, flags).
    """

    def __init__(self, expression, f, rule, seed):
        source = text(expression, "an expression")
        self.expression, self.format, self._source = expression, f, source
        self._terms = (_types.bnd_term * (len(source) + 1))()
        count = ctypes.c_size_t()
        call("bnd_expression_parse_n", self._terms, len(source) + 1, ctypes.byref(count), source, len(source),
             ctypes.byref(f))
        self._count = count.value
        self._results = (_types.bnd_result * self._count)()
        lib.bnd_expression_round(self._results, self._terms, self._count, source, ctypes.byref(f), rule,
                                 whole(seed, "seed"))
        self.steps = [self._step(i) for i in builtins.range(self._count) if self._is_step(i)]
        self._finish()
        del self._terms, self._results  # memory of the library: without it the answer can be copied and pickled

    def _finish(self):
        exact, result = Real(), self._value_of(self._count - 1)
        call("bnd_real_new_of_expression", ctypes.byref(exact.handle), self._terms, self._count, self._source,
             ctypes.byref(self.format))
        error = error_of(result, exact)
        self._result, self.code, self.value = result, self._results[self._count - 1].code, exact_text(result)
        self.exact = real_text(exact) if has_digits(exact) else None
        self.fraction = printed("bnd_print_fraction", exact.handle) or None
        names = {_types.BND_KNOWN_DIGITS: "digits", _types.BND_KNOWN_NOT: "not"}
        known = lib.bnd_real_known(exact.handle)
        self.known = names.get(known, "exactly") if has_digits(exact) else "not"
        self.error = real_text(error) if has_error(error) and has_digits(error) else None
        self.ulp_error = None
        if has_error(error):
            unit = ulp_at(self.format, result)
            unit.negative = False
            self.ulp_error = lib.bnd_real_in_units(error.handle, unit)
        flags = 0
        for one in self._results:
            flags |= one.flags
        self.flags = flag_names(flags)

    def _format_of(self, i):
        return Format(lib.bnd_term_format(ctypes.byref(self._terms[i]), self._source, ctypes.byref(self.format)))

    def _value_of(self, i):
        return lib.bnd_unpack(ctypes.byref(self._format_of(i)), self._results[i].code)

    def _is_step(self, i):
        """Codes are not steps, and neither are numbers that the format has."""
        term, result = self._terms[i], self._results[i]
        if term.kind == _types.BND_TERM_NUMBER:
            return result.flags != 0 or result.ternary != 0
        return term.kind != _types.BND_TERM_CODE

    def _step(self, i):
        term, f, code = self._terms[i], self._format_of(i), self._results[i].code
        name = lib.bnd_term_name(ctypes.byref(term)).decode()
        operands = [exact_text(self._value_of(term.operand[k])) for k in builtins.range(term.operands)]
        if term.operands == 0:
            number = self._source[getattr(term, "from"):getattr(term, "from") + term.length].decode()
            operands = [("-" if term.negative else "") + number]
        counted = term.kind in (_types.BND_TERM_POWER, _types.BND_TERM_SUM) or (
            term.kind == _types.BND_TERM_OPERATION and term.operation == _types.BND_OP_SCALB)
        return {"op": name, "operands": operands + ([str(term.integer)] if counted else []), "format": f.name,
                "code": printed("bnd_print_code", ctypes.byref(f), code), "value": exact_text(self._value_of(i)),
                "flags": list(flag_names(self._results[i].flags))}

    def __float__(self):
        return float_of(self._result)

    def as_dict(self) -> Dict[str, Any]:
        """What `binade calc --json` prints."""
        ulps = self.ulp_error if self.ulp_error is not None and math.isfinite(self.ulp_error) else None
        return {"format": self.format.name, "expression": self.expression,
                "code": printed("bnd_print_code", ctypes.byref(self.format), self.code), "value": self.value,
                "exact": self.exact, "fraction": self.fraction, "known": self.known, "error": self.error,
                "ulp_error": ulps, "flags": list(self.flags), "steps": self.steps}

    def _lines(self):
        """(label, text) of the result."""
        bits, code = (printed(name, ctypes.byref(self.format), self.code)
                      for name in ("bnd_print_bits", "bnd_print_code"))
        yield "result", f"{bits}  {code}"
        yield "value", shortened(self.value)
        exact = shortened(self.exact) if self.exact is not None else "not known"
        yield "exact", exact + (f" = {self.fraction}" if self.fraction else "")
        if self.error is not None:
            ulps = f"   {digits_text(self.ulp_error)} ulp" if self.ulp_error is not None and self.error != "0" else ""
            yield "error", ("0 (exact)" if self.error == "0" else shortened(self.error)) + ulps
        if self.flags:
            yield "flags", " ".join(self.flags)

    def _step_lines(self):
        signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
        for step in self.steps:
            operands = [shortened(x) for x in step["operands"]]
            if step["op"] in signs and len(operands) == 2:
                left = f"{operands[0]} {signs[step['op']]} {operands[1]}"
            else:
                name = step["format"] if step["op"] == "convert" else step["op"]
                left = f"{name}({', '.join(operands)})"
            yield left, shortened(step["value"]), " ".join(step["flags"])

    def __str__(self):
        steps = list(self._step_lines())
        left, right = (max([len(s[i]) for s in steps] or [0]) for i in (0, 1))
        lines = [f"{self.expression} in {self.format.name}"]
        lines += [f"  {a:{left}} = {b:{right}}  {c}".rstrip() for a, b, c in steps]
        return "\n".join(lines + [f"{label:9}{line}" for label, line in self._lines()])

    def __repr__(self):
        return f"<{heading(self.expression)} in {self.format.name}: {' '.join([shortened(self.value), *self.flags])}>"

    def _repr_html_(self):
        steps = "".join(f"<tr><td style='text-align:left'><code>{html.escape(a)}</code></td><td><code>{html.escape(b)}"
                        f"</code></td><td>{html.escape(c)}</td></tr>" for a, b, c in self._step_lines())
        head = f"<b>{html.escape(self.expression)}</b> in <b>{html.escape(self.format.name)}</b>"
        return head + f"<table>{steps}</table>" + _table((label, html.escape(line)) for label, line in self._lines())


def calc(format: Union[str, Format], expression: str, rounding: Optional[str] = None, overflow: Optional[str] = None, *,
         nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None, tininess: Optional[str] = None,
         seed: int = 0) -> Calculated:
    """An expression with every operation rounded in a format, compared with its exact value.

    It has numbers, codes (fp16:0x3c00), + - * /, powers, parentheses, formats as functions (bf16(x) rounds x),
    functions (sqrt, fma, exp ...), and sum(x, n), which adds x n times: the language of `binade calc`. The rule is that
    of encode.

    >>> print(calc("fp16", "2049 + 1"))
    2049 + 1 in fp16
      fp16(2049) = 2048  inexact
      2048 + 1   = 2048  inexact
    result   0 11010 0000000000  0x6800
    value    2048
    exact    2050
    error    -2   -1 ulp
    flags    inexact
    """
    check_order("calc", expression, format, f"the format first: calc({{}}, {format!r})")
    f = Format(format)
    if f.width == 0:
        raise ValueError(f"{f.name} is a value set: it has no codes, and operations need a format with codes")
    rule = rule_of(f, dialect=dialect, rounding=rounding, overflow=overflow, nan=nan, flush=flush, tininess=tininess)
    return Calculated(expression, f, rule, seed)
