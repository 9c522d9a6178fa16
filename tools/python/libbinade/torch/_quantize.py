"""quantize: a tensor rounded to a format, with the backward pass of choice."""
import math
from typing import Any, Optional

import numpy
import torch

from .. import _types, arrays, blocks
from .._native import Error, brief, text
from .._options import random_bits_of, rule_of, whole
from ..formats import Format
from ._bridge import Node

STRAIGHT_THROUGH, CLIPPED = "straight-through", "clipped"


def _block_name(format, scale):
    """The name of a block format, or None: each number is rounded as it is."""
    if scale is not None:
        return f"{format}/{scale}"
    if "/" in format:
        return format
    try:
        Format(format)
        return None
    except Error:
        return format  # mxfp8; an unknown name is refused there


def _axis(axis):
    return -1 if axis is None else axis


def _round(x, format, block, axis, seed, options, out=None):
    """Of a float32 tensor."""
    if block is None:
        return arrays.round(x, format, options["rounding"], options["overflow"], seed=seed, dialect=options["dialect"],
                            nan=options["nan"], flush=options["flush"], out=out)
    if options["dialect"] is not None:
        raise ValueError("dialect is for formats without shared scales")
    return blocks.fake_quantize(x, block, _axis(axis), rule=options["rule"], rounding=options["rounding"],
                                overflow=options["overflow"], nan=options["nan"], flush=options["flush"], seed=seed,
                                out=out)


def _with_codes(f, b, block):
    """Instead of a value set, and of its block format: those with codes that have the same largest number and
    precision, from which scales are found."""
    if b.rule == _types.BND_SCALE_MSE:
        raise ValueError(f"backward='clipped' cannot be used with the rule mse and {f.name}, which is a value set: "
                         "choose another rule, or a format with codes")
    coded = Format(f"e1m{f.precision - 1}b{1 - f.emax}none")
    return coded, f"{coded.name}/{block.partition('/')[2]}"


def _limit(x, format, block, axis, options):
    """The largest magnitude that each number may have before it is clipped."""
    if block is None:
        f = Format(format)
        return float(f.max)
    b = blocks.block_of(block, options["rule"])
    f = Format(b.element)
    if b.integer:
        top = numpy.int8(math.ldexp(f.max, -f.least_quantum))
    else:
        if f.width == 0:
            f, block = _with_codes(f, b, block)
        top = f.dtype.type(arrays.encode(float(f.max), f))
    q = blocks.quantize(x, block, _axis(axis), rule=options["rule"])
    most = numpy.full(tuple(x.shape), top)
    return torch.from_numpy(blocks.dequantize(most, numpy.asarray(q.scales), q.block, q.axis,
                                              tensor_scale=q.tensor_scale))


class _Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, format, block, axis, seed, options, backward, inplace):
        ctx.how, ctx.seed, ctx.options, ctx.axis = backward, seed, options, axis
        plain = x.dtype == torch.float32
        y = x if plain else x.to(torch.float32)
        if backward == CLIPPED:
            ctx.save_for_backward(y.detach().abs() <= _limit(y.detach(), format, block, axis, options))
        if inplace:
            ctx.mark_dirty(x)
            if plain and x.is_contiguous():
                _round(x.detach(), format, block, axis, seed, options, x.detach())
            else:
                x.copy_(_round(y.detach(), format, block, axis, seed, options))
            return x
        y = _round(y.detach(), format, block, axis, seed, options)
        return y if plain else y.to(x.dtype)

    @staticmethod
    def backward(ctx, d):
        how = ctx.how
        if how == CLIPPED:
            d = d * ctx.saved_tensors[0]
        elif callable(how):
            d = how(d)
        elif how != STRAIGHT_THROUGH:
            axis = ctx.axis if _block_name(how, None) is not None else None
            d = quantize(d, how, axis=axis, rounding=ctx.options["rounding"], seed=(ctx.seed + 1) % 2**64)
        return (d,) + (None,) * 7


def quantize(x: torch.Tensor, format: str, scale: Optional[str] = None, rounding: Optional[str] = None,
             seed: Optional[int] = None, *, backward: Any = STRAIGHT_THROUGH, axis: Optional[int] = None,
             inplace: bool = False, rule: Optional[str] = None, overflow: Optional[str] = None,
             nan: Optional[str] = None, flush: str = "none", dialect: Optional[str] = None) -> torch.Tensor:
    """x with every number rounded to a format, in x's own type: an operation with a gradient.

    `format` is a format ("e4m3") or a block format ("mxfp8", "nvfp4"). `scale` says who shares a scale: "tensor",
    "row", "tile:1x128", "mx" ... as in "e4m3/tile:1x128". `rounding` is rne (the default), rtz, "sr" ...; the random
    bits depend on `seed` and on the place of a number. Without a seed it is drawn from torch's generator, which
    torch.manual_seed sets. `axis` is that of blocks, the last one if it is left out; `rule` is that of scales.

    `backward` says what the gradient becomes: "straight-through" passes it on; "clipped" does, but where |x| is beyond
    the largest number of the format (times the scale) it is 0; a format such as "e5m2" or "e5m2/tensor" rounds it by
    the same mode; a function of the gradient computes it.

    x is float32, bfloat16 or float16 on the CPU, with any strides. bfloat16 and float16 are rounded from float32 and
    back: the result is exact where the type holds the rounded number. inplace=True writes to x itself: a contiguous
    float32 tensor needs no other memory then. float64 is refused.

    >>> import torch
    >>> x = torch.tensor([0.1, 300.0, -2000.0], requires_grad=True)
    >>> y = quantize(x, "e4m3", overflow="saturate", backward="clipped")
    >>> y.tolist()
    [0.1015625, 288.0, -448.0]
    >>> y.sum().backward()
    >>> x.grad.tolist()
    [1.0, 1.0, 0.0]
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"quantize takes a torch tensor, not {type(x).__name__}; libbinade.round takes other arrays")
    if x.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        raise TypeError(f"quantize takes float32, bfloat16 or float16, not {x.dtype}")
    if x.device.type != "cpu":
        raise ValueError(f"the tensor is on {x.device}, and libbinade computes on the CPU: move it with .cpu()")
    if not (callable(backward) or isinstance(backward, str)):
        raise TypeError("backward is 'straight-through', 'clipped', a format or a function")
    text(format, "a format's name")
    if scale is not None:
        text(scale, "scale")
    block, back = _block_name(format, scale), None
    options = {"rounding": rounding, "overflow": overflow, "nan": nan, "flush": flush, "dialect": dialect, "rule": rule}
    if callable(backward) or backward in (STRAIGHT_THROUGH, CLIPPED):
        pass
    else:
        back = _block_name(backward, None)
    if back is not None:
        try:  # refused now, not in the backward pass
            blocks.block_of(back)
        except Error as why:
            raise Error(why.status, why.where,
                        "backward must be 'straight-through', 'clipped', a format such as 'e5m2' or 'e5m2/tensor', or "
                        f"a function, not {brief(backward)}") from None
    if block is None and rule is not None:
        raise ValueError(f"rule is for scales, and {format} has none")
    if block is None and back is None and axis is not None:
        raise ValueError(f"axis is that of blocks, and {format} has none")
    if seed is None:
        of = Format("e4m3") if block is not None else Format(format)
        random = random_bits_of(rule_of(of, rounding)) > 0
        seed = int(torch.randint(2**62, ())) if random else 0
    seed = whole(seed, "seed")
    y = _Quantize.apply(x, format, block, axis, seed, options, backward, inplace)
    if y is not x and hasattr(x, "_node"):
        y._node = Node(known=x._node.known)  # a wrapped model does not see this function
    return y
