"""Convolutions: a matrix product of patches."""
import torch
import torch.nn.functional as F

from .. import _types as t
from ._handlers import handles


def _tuple(x, n):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,) * n


def _patches(x, kernel, stride, padding, dilation):
    """(batch, channels, *space) -> (batch, *space of the result, channels * kernel): numbers moved, zeros around.

    `padding` has the zeros before and behind, per axis."""
    n = len(kernel)
    x = F.pad(x, [p for pair in reversed(padding) for p in pair]) if any(any(pair) for pair in padding) else x
    for axis in range(n):
        span = dilation[axis] * (kernel[axis] - 1) + 1
        x = x.unfold(2 + axis, span, stride[axis])
    if any(d > 1 for d in dilation):
        x = x[(...,) + tuple(slice(None, None, d) for d in dilation)]
    axes = [0] + list(range(2, 2 + n)) + [1] + list(range(2 + n, 2 + 2 * n))
    x = x.permute(axes)
    return x.reshape(*x.shape[:1 + n], -1)


def _products_of_patches(place, n, x, bias, groups, patches, weight_of):
    """A product per group: patches(x) times weight_of(group), (outputs, inputs, *kernel)."""
    single = x.dim() == n + 1
    x = place.view(x, lambda x: x.unsqueeze(0)) if single else x
    out, inputs = [], x.shape[1] // groups
    for group in range(groups):
        part, w, b = x, weight_of(group), bias
        if groups > 1:
            outputs = w.shape[0]
            part = place.part(x, lambda x: x[:, group * inputs:(group + 1) * inputs])
            b = None if bias is None else place.part(bias, lambda b: b[group * outputs:(group + 1) * outputs])
        out.append(place.op(t.BND_TENSOR_OP_LINEAR, [place.move(part, patches), w] + ([] if b is None else [b]),
                            shapes={1: (w.shape[0], w[0].numel())}))
    y = out[0] if groups == 1 else place.call(torch.cat, out, -1)
    y = place.view(y, lambda y: y.movedim(-1, 1))
    return place.view(y, lambda y: y.squeeze(0)) if single else y


def _convolution(n):
    def handler(place, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if not x.numel():
            return NotImplemented
        kernel, stride, dilation = tuple(weight.shape[2:]), _tuple(stride, n), _tuple(dilation, n)
        if padding == "same":
            extra = [d * (k - 1) for d, k in zip(dilation, kernel)]
            padding = [(e // 2, e - e // 2) for e in extra]
        else:
            padding = [(p, p) for p in _tuple(0 if padding == "valid" else padding, n)]
        outputs = weight.shape[0] // groups
        weight = place.value(weight) if groups > 1 else weight

        def weight_of(group):
            return weight if groups == 1 else place.part(weight, lambda w: w[group * outputs:(group + 1) * outputs])
        return _products_of_patches(place, n, x, bias, groups, lambda x: _patches(x, kernel, stride, padding, dilation),
                                    weight_of)
    handles(f"torch.conv{n}d", f"F.conv{n}d")(handler)


def _transposed(n):
    """A convolution of x with zeros between its numbers, by the kernel turned round."""
    def handler(place, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        kernel, stride, dilation = tuple(weight.shape[2:]), _tuple(stride, n), _tuple(dilation, n)
        around = [d * (k - 1) - p for d, k, p in zip(dilation, kernel, _tuple(padding, n))]
        padding = [(a, a + more) for a, more in zip(around, _tuple(output_padding, n))]
        if any(a < 0 or b < 0 for a, b in padding) or not x.numel():
            return NotImplemented
        inputs, space, weight = weight.shape[0] // groups, tuple(range(2, 2 + n)), place.value(weight)

        def patches(x):
            y = x.new_zeros(*x.shape[:2], *((size - 1) * s + 1 for size, s in zip(x.shape[2:], stride)))
            y[(...,) + tuple(slice(None, None, s) for s in stride)] = x
            return _patches(y, kernel, (1,) * n, padding, dilation)

        def weight_of(group):
            return place.part(weight, lambda w: w[group * inputs:(group + 1) * inputs].flip(space).transpose(0, 1))
        return _products_of_patches(place, n, x, bias, groups, patches, weight_of)
    handles(f"torch.conv_transpose{n}d", f"F.conv_transpose{n}d")(handler)


for _n in (1, 2, 3):
    _convolution(_n)
    _transposed(_n)
