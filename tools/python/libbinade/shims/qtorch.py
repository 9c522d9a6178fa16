"""The names of qtorch.quant (QPyTorch 0.3) on libbinade.

What differs from QPyTorch's CPU code for floating point, and why (`differences` counts it for a tensor):

- ties: QPyTorch rounds a number halfway between two others away from zero; here it goes to the even one.
- range: QPyTorch's format of `exp` bits has no subnormals, no infinities and no NaN. Its exponents are -(2^(exp-1)-1)
  to 2^(exp-1)-1, one more at the lower end than IEEE 754 has. Here the format is IEEE 754's with subnormals, and
  `exp` is from 2 to 8.
- small numbers: below the least normal number QPyTorch gives that number or 0, also when it rounds stochastically.
- NaN and infinities: QPyTorch gives the largest number. Here NaN stays NaN, and infinities become the largest number.
- -0 becomes 0 there.
- random bits: QPyTorch's come from a generator that cannot be seeded; here they depend on torch.manual_seed.
"""
from typing import Any, Optional

import torch

from .._native import brief
from .._options import one_of, whole
from ..torch._quantize import quantize

__all__ = ["FixedPoint", "FloatingPoint", "Number", "differences", "fixed_point_quantize", "float_quantize",
           "quantizer"]
_MODES = {"nearest": None, "stochastic": "sr"}


class Number:
    """What a tensor is rounded to."""


class FloatingPoint(Number):
    """`exp` bits of exponent and `man` bits of mantissa."""

    def __init__(self, exp: int, man: int):
        self.exp, self.man = _bits_of_float(exp, man)


class FixedPoint(Number):
    """`wl` bits, `fl` of which are behind the point."""

    def __init__(self, wl: int, fl: int, clamp: bool = True, symmetric: bool = False):
        self.wl, self.fl = _bits_of_fixed(wl, fl)
        self.clamp, self.symmetric = bool(clamp), bool(symmetric)


def _bits_of_float(exp, man):
    return whole(exp, "exp", 8, 2), whole(man, "man", 23)


def _bits_of_fixed(wl, fl):
    """Words of at most 52 bits, whose numbers are exact in the arithmetic here."""
    return whole(wl, "wl", 52, 1), whole(fl, "fl", 149, -126)


def _tensor(x):
    if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.device.type != "cpu":
        raise TypeError(f"expected a floating-point tensor of torch on the CPU, not {brief(x)}")
    return x


def _values(exp, man):
    """The numbers of IEEE 754's format of these bits; e4m3 alone would be that of machine learning, up to 448."""
    return f"p{man + 1}emin{2 - 2**(exp - 1)}emax{2**(exp - 1) - 1}"


def _mode(rounding):
    return _MODES[one_of(rounding, tuple(_MODES), "rounding")]


def float_quantize(x: torch.Tensor, exp: int, man: int, rounding: str = "stochastic") -> torch.Tensor:
    """x rounded to `exp` bits of exponent and `man` bits of mantissa; numbers beyond the largest become the largest.

    >>> float_quantize(torch.tensor([0.1, 1000.0, 1.0625]), 4, 3, "nearest").tolist()
    [0.1015625, 240.0, 1.0]
    """
    return quantize(x, _values(*_bits_of_float(exp, man)), rounding=_mode(rounding), overflow="saturate")


def fixed_point_quantize(x: torch.Tensor, wl: int, fl: int, clamp: bool = True, symmetric: bool = False,
                         rounding: str = "stochastic") -> torch.Tensor:
    """x rounded to multiples of 2^-fl. Ties go to the even multiple; QPyTorch rounds them up.

    >>> fixed_point_quantize(torch.tensor([0.3, 9.0]), 4, 2, rounding="nearest").tolist()
    [0.25, 1.75]
    """
    mode, (wl, fl) = _mode(rounding), _bits_of_fixed(wl, fl)
    y = _tensor(x).detach().double() * 2.0**fl
    if mode is None:
        y = y.round()
    else:
        low = y.floor()
        y = low + (torch.rand_like(y) >= 1 - (y - low))
    y = y / 2.0**fl
    if clamp:
        top = 2.0**(wl - fl - 1)
        y = y.clamp(-top + (2.0**-fl if symmetric else 0), top - 2.0**-fl)
    return _Given.apply(x, y.to(x.dtype))


class _Given(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return y

    @staticmethod
    def backward(ctx, d):
        return d, None


def _rounded(x, number, rounding):
    if number is None:
        return x
    if isinstance(number, FloatingPoint):
        return float_quantize(x, number.exp, number.man, rounding)
    if isinstance(number, FixedPoint):
        return fixed_point_quantize(x, number.wl, number.fl, number.clamp, number.symmetric, rounding)
    raise TypeError(f"{type(number).__name__} is not supported: use FloatingPoint or FixedPoint, or libbinade's blocks "
                    "(libbinade.torch.quantize(x, 'int8/row')) for block floating point")


class _Quantizer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, ahead, back):
        ctx.back = back
        return ahead(x)

    @staticmethod
    def backward(ctx, d):
        return ctx.back(d), None, None


def quantizer(forward_number: Optional[Number] = None, backward_number: Optional[Number] = None,
              forward_rounding: str = "stochastic", backward_rounding: str = "stochastic",
              clamping_grad_zero: bool = False, backward_hooks: Any = ()):
    """A function that rounds x to one format and its gradient to another."""
    if clamping_grad_zero:
        raise NotImplementedError("clamping_grad_zero is not supported: libbinade.torch.quantize(x, ..., "
                                  "backward='clipped') does it for floating point")
    for number, rounding in ((forward_number, forward_rounding), (backward_number, backward_rounding)):
        _mode(rounding)
        if number is not None and not isinstance(number, (FloatingPoint, FixedPoint)):
            _rounded(None, number, rounding)

    def back(d):
        for hook in backward_hooks:
            d = hook(d)
        return _rounded(d, backward_number, backward_rounding)
    return lambda x: _Quantizer.apply(x, lambda x: _rounded(x.detach(), forward_number, forward_rounding).clone(), back)


# ---- what QPyTorch gives ----

def _of_qtorch(x, exp, man):
    """QPyTorch's result of rounding="nearest", by arithmetic in double."""
    bias = 2**(exp - 1) - 1
    a = x.double().abs()
    tiny = a < 2.0**-126  # subnormal in float32: rounded in units of the least exponent
    e = torch.where(tiny, torch.full_like(a, -126), torch.floor(torch.log2(a.clamp(min=2.0**-149))))
    e = torch.where(2.0**e > a, e - 1, e).clamp(min=-126)
    unit = 2.0**(e - man)
    q = torch.floor(a / unit + 0.5) * unit
    largest = 2.0**bias * (2 - 2.0**-man)
    q = torch.where((q >= 2.0**(bias + 1)) | ~torch.isfinite(a), torch.full_like(q, largest), q)
    least = 2.0**-bias
    small = torch.where(q > least / 2, torch.full_like(q, least), torch.zeros_like(q))
    q = torch.where(q < least, small, q)
    sign = torch.where(torch.signbit(x), -torch.ones_like(q), torch.ones_like(q))
    return torch.where(q == 0, q, q * sign).float()


def differences(x: torch.Tensor, exp: int, man: int) -> dict:
    """How many numbers of x QPyTorch rounds to nearest otherwise than float_quantize does, by cause.

    >>> differences(torch.tensor([1.0625, 1.1, 0.001, float("nan"), 0.012]), 4, 3)
    {'ties': 1, 'small numbers': 1, 'NaN': 1, 'zeros': 0, 'others': 0}
    """
    x, (exp, man) = _tensor(x).detach().reshape(-1).float(), _bits_of_float(exp, man)
    ours, theirs = float_quantize(x, exp, man, "nearest"), _of_qtorch(x, exp, man)
    differ = ours.view(torch.int32) != theirs.view(torch.int32)
    nan = torch.isnan(x)
    least = 2.0**-(2**(exp - 1) - 2)  # the least normal number of IEEE 754
    zero = differ & (ours == 0) & (theirs == 0)
    small = differ & (x.abs() < least) & ~nan & ~zero
    away = quantize(x, _values(exp, man), rounding="rna", overflow="saturate")
    ties = differ & ~small & ~nan & ~zero & (away == theirs)
    counts = {"ties": ties, "small numbers": small, "NaN": differ & nan, "zeros": zero}
    rest = differ & ~ties & ~small & ~nan & ~zero
    return {**{name: int(mask.sum()) for name, mask in counts.items()}, "others": int(rest.sum())}
