"""The names of microxcaling's mx (quantize_mx_op, quantize_elemwise_op, finalize_mx_specs) on libbinade.

What differs from microxcaling, and why (`differences` counts it for a tensor):

- scales: microxcaling takes floor(log2(amax)) with log2 in float32, which rounds up just below a power of two: the
  scale is twice as large there. Here the exponent is exact.
- a block with an infinity or NaN becomes NaN, all of its numbers, in both.
- block_size 0 there shares one scale along the whole axis, as here. scale_bits other than 8 (or 0) and
  shared_exp_method "none" are refused, and so is mx_flush_fp32_subnorms=True.
- elementwise formats (bfloat, fp): numbers beyond the largest become infinities in both.
- round="dither" is stochastic rounding; the random numbers are others.
"""
import collections
from typing import Any, Optional

import torch

from .._native import brief
from .._options import one_of, whole
from ..torch._quantize import quantize

__all__ = ["MxSpecs", "differences", "finalize_mx_specs", "quantize_elemwise_op", "quantize_mx_op"]

_ROUNDING = {"nearest": "rna", "floor": "rtz", "even": "rne", "dither": "sr"}
_ELEMENTS = {"fp8_e5m2": "e5m2", "fp8_e4m3": "e4m3", "fp6_e3m2": "e3m2", "fp6_e2m3": "e2m3", "fp4_e2m1": "e2m1",
             "fp4": "e2m1", "int8": "int8"}
_EMAX = {"e5m2": 15, "e4m3": 8, "e3m2": 4, "e2m3": 2, "e2m1": 2, "int8": 0}
_DEFAULTS = {"scale_bits": 0, "w_elem_format": None, "a_elem_format": None, "w_elem_format_bp": None,
             "a_elem_format_bp_ex": None, "a_elem_format_bp_os": None, "mx_flush_fp32_subnorms": False,
             "shared_exp_method": "max", "block_size": 0, "bfloat": 0, "fp": 0, "bfloat_subnorms": True,
             "quantize_backprop": True, "round": "nearest", "custom_cuda": False}
_ROUNDS = ("round_m", "round_weight", "round_output", "round_grad_weight", "round_grad_input", "round_mx_output",
           "round_mx_input_grad_input", "round_mx_weight_grad_input", "round_mx_grad_output_grad_input",
           "round_mx_input_grad_weight", "round_mx_grad_output_grad_weight")
_IGNORED = ("softmax_exp2", "vec_use_exp2", "vec_use_recip")


class MxSpecs(collections.UserDict):
    """The settings, with their defaults. An unknown key is refused."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        known = set(_DEFAULTS) | set(_ROUNDS) | set(_IGNORED)
        for key in self.data:
            if key not in known:
                raise KeyError(f"unknown key {key!r} of mx_specs (available: {', '.join(sorted(known))})")
        for key, value in _DEFAULTS.items():
            self.data.setdefault(key, value)
        for key in _ROUNDS:
            self.data.setdefault(key, self.data["round"])
        for key in _IGNORED:
            self.data.setdefault(key, False)


def finalize_mx_specs(specs: Any, early_exit: bool = True) -> Optional[MxSpecs]:
    """The settings with those that follow from others; None where nothing is to be rounded.

    >>> specs = finalize_mx_specs({"w_elem_format": "fp8_e4m3", "a_elem_format": "fp8_e4m3", "block_size": 32})
    >>> specs["a_elem_format_bp_os"], specs["round_mx_output"]
    ('fp8_e4m3', 'nearest')
    """
    if not hasattr(specs, "keys"):
        raise TypeError(f"specs must be a dictionary of settings, not {brief(specs)}")
    out = {key: value for key, value in dict(specs).items() if value is not None}
    if early_exit and not any(out.get(key) for key in ("w_elem_format", "a_elem_format", "w_elem_format_bp",
                                                       "a_elem_format_bp_os", "a_elem_format_bp_ex", "bfloat", "fp")):
        return None
    for key, base in (("w_elem_format_bp", "w_elem_format"), ("a_elem_format_bp_os", "a_elem_format"),
                      ("a_elem_format_bp_ex", "a_elem_format")):
        if base in out:
            out.setdefault(key, out[base])
    return MxSpecs(out)


def _specs(given):
    """The settings of a call, with defaults where a plain dictionary has none."""
    if isinstance(given, MxSpecs):
        return given
    if not hasattr(given, "keys"):
        raise TypeError(f"mx_specs must be what finalize_mx_specs gives, not {brief(given)}")
    return MxSpecs(given)


def _rounding(name):
    return _ROUNDING[one_of(name, tuple(_ROUNDING), "round")]


def _block(elem_format, block_size):
    element = _ELEMENTS[one_of(str(elem_format), tuple(_ELEMENTS), "elem_format")]
    block_size = whole(block_size, "block_size", 2**31)
    if element == "int8":
        if block_size != 32:
            raise ValueError("int8 needs block_size 32 here: libbinade's mxint8 has blocks of 32")
        return "mxint8", element
    return f"{element}/row:{block_size}:e8m0" if block_size else f"{element}/row:e8m0", element


def quantize_mx_op(A: torch.Tensor, mx_specs: Any, elem_format: Optional[str] = None, block_size: Optional[int] = None,
                   axes: Any = None, round: str = "nearest", expand_and_reshape: bool = False) -> torch.Tensor:
    """A rounded to blocks along one axis that share a power of two.

    >>> specs = finalize_mx_specs({"a_elem_format": "fp4_e2m1", "block_size": 32})
    >>> quantize_mx_op(torch.tensor([[1.0, 2.4, -7.0]]), specs, "fp4_e2m1", axes=[-1]).tolist()
    [[1.0, 2.0, -6.0]]
    """
    if elem_format is None:
        return A
    mx_specs = _specs(mx_specs)
    if mx_specs["shared_exp_method"] != "max" or mx_specs["scale_bits"] not in (0, 8):
        raise ValueError("shared_exp_method must be 'max', and scale_bits 0 or 8")
    if mx_specs["mx_flush_fp32_subnorms"]:
        raise ValueError("mx_flush_fp32_subnorms must be False: blocks of subnormal numbers are rounded like others")
    axes = [axes] if not hasattr(axes, "__iter__") else list(axes)
    axes = [-1] if axes == [None] else axes
    if len(axes) != 1:
        raise ValueError(f"blocks run along one axis here, not {len(axes)}")
    block, _ = _block(elem_format, mx_specs["block_size"] if block_size is None else block_size)
    return quantize(A, block, rounding=_rounding(round), axis=axes[0], rule="floor", overflow="saturate")


def quantize_elemwise_op(A: torch.Tensor, mx_specs: Any, round: Optional[str] = None) -> torch.Tensor:
    """A rounded to bfloat or fp with the bits that mx_specs names, without scales.

    >>> quantize_elemwise_op(torch.tensor([1.01, 0.1]), MxSpecs({"bfloat": 16})).tolist()
    [1.0078125, 0.10009765625]
    """
    if mx_specs is None:
        return A
    mx_specs = _specs(mx_specs)
    bfloat, fp = (whole(mx_specs[key], key, 32) for key in ("bfloat", "fp"))
    if bfloat and fp:
        raise ValueError("only one of bfloat and fp can be given")
    if not bfloat and not fp or bfloat == 32:
        return A
    if bfloat and bfloat <= 9 or fp and fp <= 6:
        raise ValueError("bfloat must be above 9, and fp above 6")
    f = f"e8m{bfloat - 9}" if bfloat else f"e5m{fp - 6}"
    return quantize(A, f, rounding=_rounding(round or mx_specs["round"]),
                    flush="none" if mx_specs["bfloat_subnorms"] else "out")


def differences(A: torch.Tensor, elem_format: str, block_size: int = 32, round: str = "nearest") -> dict:
    """How many numbers microxcaling rounds otherwise than quantize_mx_op does, along the last axis, by cause.

    >>> differences(torch.tensor([[1.0, 4095.99976, 3000.0]]), "fp4_e2m1")
    {'scales just below a power of two': 1, 'others': 0}
    """
    _, element = _block(elem_format, block_size)
    specs, x = MxSpecs(), A.detach().float()
    n = block_size or x.shape[-1]
    short = -x.shape[-1] % n
    padded = torch.nn.functional.pad(x, (0, short)).reshape(*x.shape[:-1], -1, n)
    amax = padded.abs().amax(-1, keepdim=True)
    bad = ~torch.isfinite(amax)
    shown = torch.where(bad | (amax == 0), torch.full_like(amax, 2.0**-126), amax)
    single = torch.floor(torch.log2(shown))
    exact = torch.frexp(shown)[1] - 1
    twice = (single != exact) & ~bad
    ours = quantize_mx_op(x, specs, elem_format, block_size, [-1], round)
    moved = (single - _EMAX[element]).clamp(-127, 127)
    theirs = torch.where(bad, torch.full_like(padded, float("nan")), _with_scale(padded, moved, element, round))
    theirs, twice = (y.reshape(*x.shape[:-1], -1)[..., :x.shape[-1]] for y in (theirs, twice.expand_as(padded)))
    differ = (ours != theirs) & ~(torch.isnan(ours) & torch.isnan(theirs))
    return {"scales just below a power of two": int((differ & twice).sum()), "others": int((differ & ~twice).sum())}


def _with_scale(x, exponent, element, round):
    """Elements rounded under given scales."""
    scale = 2.0**exponent.double()
    y = (x.double() / scale).float()
    if element == "int8":
        y = y.double() * 64
        how = {"nearest": lambda y: y.abs().add(0.5).floor() * y.sign(), "floor": torch.trunc, "even": torch.round}
        return (how[round](y).clamp(-127, 127) / 64 * scale).float()
    return (quantize(y, element, rounding=_rounding(round), overflow="saturate").double() * scale).float()
