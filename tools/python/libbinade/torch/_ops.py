"""Functions of PyTorch as operations of the simulator.

HANDLERS has a row per function: f(place, *arguments of the function) -> a tensor, or NotImplemented where the simulator
has no operation with these arguments. Rows are also in _convolutions.py and _recurrent.py. VIEWS share numbers with
their operand, MOVES copy numbers without changing them. CAREFUL are norms and losses that the simulator does not have:
PyTorch computes them, and the result is rounded.
"""
import functools
import math
import string
import types

import torch
import torch.nn.functional as F

from .. import _types as t
from . import _convolutions, _recurrent  # noqa: F401 (they add their rows)
from ._bridge import attributes_of
from ._handlers import HANDLERS, functions, handles  # noqa: F401 (HANDLERS is read here by others)

VIEWS, PARTS, MOVES, CAREFUL = set(), set(), set(), set()


# ---- one operand ----

def _map(operation, *names):
    def handler(place, x, **options):
        return NotImplemented if options else place.op(operation, [x])
    handles(*names)(handler)


for _operation, _name in ((t.BND_TENSOR_OP_EXP, "exp"), (t.BND_TENSOR_OP_LOG, "log"), (t.BND_TENSOR_OP_SQRT, "sqrt"),
                          (t.BND_TENSOR_OP_RSQRT, "rsqrt"), (t.BND_TENSOR_OP_TANH, "tanh"),
                          (t.BND_TENSOR_OP_ERF, "erf"), (t.BND_TENSOR_OP_SIGMOID, "sigmoid"),
                          (t.BND_TENSOR_OP_RELU, "relu"), (t.BND_TENSOR_OP_NEG, "neg"), (t.BND_TENSOR_OP_ABS, "abs"),
                          (t.BND_TENSOR_OP_SILU, "silu")):
    _map(_operation, f"torch.{_name}", f"Tensor.{_name}", f"F.{_name}", f"nn.{_name}")
_map(t.BND_TENSOR_OP_NEG, "Tensor.__neg__")
_map(t.BND_TENSOR_OP_ABS, "Tensor.__abs__")


@handles("F.gelu", "nn.gelu")
def _gelu(place, x, approximate="none"):
    return place.op(t.BND_TENSOR_OP_GELU if approximate == "none" else t.BND_TENSOR_OP_GELU_TANH, [x])


@handles("torch.pow", "Tensor.pow", "Tensor.__pow__")
def _pow(place, x, exponent):
    if not isinstance(exponent, (int, float)) or not isinstance(x, torch.Tensor):
        return NotImplemented
    return place.op(t.BND_TENSOR_OP_POW, [x], attributes_of(float(exponent)))


@handles("torch.square", "Tensor.square")
def _square(place, x):
    return place.op(t.BND_TENSOR_OP_POW, [x], attributes_of(2.0))


# ---- two operands ----

def _number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _pair(operation, by_number, *names):
    """`by_number`: the operation and its number where the second operand is one."""
    def handler(place, a, b, *, alpha=1, rounding_mode=None):
        if alpha != 1 or rounding_mode is not None:
            return NotImplemented
        if _number(a) and operation in (t.BND_TENSOR_OP_ADD, t.BND_TENSOR_OP_MUL):
            a, b = b, a
        if _number(b) and by_number is not None and isinstance(a, torch.Tensor):
            single, number = by_number(float(b))
            return NotImplemented if single is None else place.op(single, [a], attributes_of(number))
        if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
            return NotImplemented
        return place.op(operation, [a, b])
    handles(*names)(handler)


def _by_quotient(b):
    return (t.BND_TENSOR_OP_SCALE, 1 / b) if b else (None, 0)


_pair(t.BND_TENSOR_OP_ADD, lambda b: (t.BND_TENSOR_OP_SHIFT, b), "torch.add", "Tensor.add", "Tensor.__add__",
      "Tensor.__radd__")
_pair(t.BND_TENSOR_OP_SUB, lambda b: (t.BND_TENSOR_OP_SHIFT, -b), "torch.sub", "Tensor.sub", "Tensor.__sub__",
      "torch.subtract", "Tensor.subtract")
_pair(t.BND_TENSOR_OP_MUL, lambda b: (t.BND_TENSOR_OP_SCALE, b), "torch.mul", "Tensor.mul", "Tensor.__mul__",
      "Tensor.__rmul__", "torch.multiply", "Tensor.multiply")
_pair(t.BND_TENSOR_OP_DIV, _by_quotient, "torch.div", "Tensor.div", "Tensor.__truediv__", "Tensor.__div__",
      "torch.divide", "Tensor.divide", "torch.true_divide", "Tensor.true_divide")
_pair(t.BND_TENSOR_OP_MAXIMUM, None, "torch.maximum", "Tensor.maximum")
_pair(t.BND_TENSOR_OP_MINIMUM, None, "torch.minimum", "Tensor.minimum")


# ---- sums ----

def _reduction(operation, *names):
    def handler(place, x, dim=None, keepdim=False, *, axis=None, dtype=None):
        dim = axis if dim is None else dim
        if dtype not in (None, torch.float32) or not x.numel():
            return NotImplemented
        axes = () if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        return place.op(operation, [x], attributes_of(axes=axes, keep=bool(keepdim)))
    handles(*names)(handler)


_reduction(t.BND_TENSOR_OP_SUM, "torch.sum", "Tensor.sum")
_reduction(t.BND_TENSOR_OP_MEAN, "torch.mean", "Tensor.mean")
_reduction(t.BND_TENSOR_OP_LOGSUMEXP, "torch.logsumexp", "Tensor.logsumexp")


# ---- softmax, norms, losses ----

def _along(operation, *names):
    def handler(place, x, dim=None, _stacklevel=3, dtype=None):
        if dim is None or dtype not in (None, torch.float32):
            return NotImplemented
        return place.op(operation, [x], attributes_of(axes=(dim,)))
    handles(*names)(handler)


_along(t.BND_TENSOR_OP_SOFTMAX, "F.softmax")
_along(t.BND_TENSOR_OP_LOG_SOFTMAX, "F.log_softmax")


def _along_method(operation, *names):
    def handler(place, x, dim, dtype=None):
        if dtype not in (None, torch.float32):
            return NotImplemented
        return place.op(operation, [x], attributes_of(axes=(dim,)))
    handles(*names)(handler)


_along_method(t.BND_TENSOR_OP_SOFTMAX, "torch.softmax", "Tensor.softmax")
_along_method(t.BND_TENSOR_OP_LOG_SOFTMAX, "torch.log_softmax", "Tensor.log_softmax")


def _norm(place, operation, x, sizes, weight, bias, eps):
    if len(sizes) != 1:
        return NotImplemented
    if weight is None:
        weight = torch.ones(sizes[0])
    return place.op(operation, [x, weight] + ([] if bias is None else [bias]), attributes_of(eps))


@handles("F.layer_norm", "torch.layer_norm")
def _layer_norm(place, x, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=None):
    return _norm(place, t.BND_TENSOR_OP_LAYER_NORM, x, normalized_shape, weight, bias, eps)


@handles("F.rms_norm", "torch.rms_norm")
def _rms_norm(place, x, normalized_shape, weight=None, eps=None):
    eps = torch.finfo(torch.float32).eps if eps is None else eps
    return _norm(place, t.BND_TENSOR_OP_RMS_NORM, x, normalized_shape, weight, None, eps)


@handles("F.embedding", "torch.embedding")
def _embedding(place, indices, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
               sparse=False):
    none = (None,)
    if isinstance(indices, torch.Tensor) and indices.is_floating_point():
        indices, weight, none = weight, indices, (None, -1)  # torch.embedding; of F.embedding -1 is the last row
    if max_norm is not None:
        _renormalize(place, weight, indices, max_norm, norm_type)
        return place.call(F.embedding, indices, weight, padding_idx, None, 2.0, scale_grad_by_freq, sparse)
    if padding_idx not in none or scale_grad_by_freq or sparse:
        return NotImplemented
    return place.op(t.BND_TENSOR_OP_EMBEDDING, [weight, indices])


@handles("F.embedding_bag")
def _embedding_bag(place, indices, weight, offsets=None, max_norm=None, norm_type=2.0, *others, **options):
    if max_norm is None:
        return NotImplemented
    _renormalize(place, weight, indices, max_norm, norm_type)
    return place.call(F.embedding_bag, indices, weight, offsets, None, 2.0, *others, **options)


def _renormalize(place, weight, indices, max_norm, norm_type):
    """The parameter itself is written to, as PyTorch does, and read again."""
    with torch.no_grad():
        torch.embedding_renorm_(weight.detach(), indices.contiguous(), max_norm, norm_type)
    place.take()


@handles("F.cross_entropy")
def _cross_entropy(place, x, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                   label_smoothing=0.0):
    usual = weight is None and reduction == "mean" and not label_smoothing and size_average is None and reduce is None
    if not usual or x.dim() != 2 or target.is_floating_point() or not target.numel():
        return NotImplemented
    if bool((target == ignore_index).any()):
        return NotImplemented
    return place.op(t.BND_TENSOR_OP_CROSS_ENTROPY, [x, target])


# ---- matrix products ----

@handles("F.linear", "nn.linear")
def _linear(place, x, weight, bias=None):
    if weight.dim() == 1 and x.numel():
        out = place.call(torch.matmul, x, weight)
        return out if bias is None else place.call(torch.add, out, bias)
    if weight.dim() != 2 or x.dim() < 1 or not x.numel():
        return NotImplemented
    return place.op(t.BND_TENSOR_OP_LINEAR, [x, weight] + ([] if bias is None else [bias]))


@handles("torch.matmul", "Tensor.matmul", "Tensor.__matmul__", "torch.mm", "Tensor.mm", "torch.bmm", "Tensor.bmm",
         "torch.linalg.matmul")
def _matmul(place, a, b):
    if not a.numel() or not b.numel() or a.dim() == 0 or b.dim() == 0:
        return NotImplemented
    node = place.node(b)
    if node.parameter is not None and b.dim() == 2:
        return place.op(t.BND_TENSOR_OP_LINEAR, [a, node.parameter if node.turned else b],
                        attributes_of(flag=not node.turned))
    if a.dim() == 1 or b.dim() == 1:
        x, y = place.view(a, lambda x: x.unsqueeze(0)) if a.dim() == 1 else a, b
        y = place.view(b, lambda x: x.unsqueeze(-1)) if b.dim() == 1 else b
        out = _matmul(place, x, y)
        out = place.view(out, lambda x: x.squeeze(-1)) if b.dim() == 1 else out
        return place.view(out, lambda x: x.squeeze(-1 if b.dim() == 1 else -2)) if a.dim() == 1 else out
    return place.op(t.BND_TENSOR_OP_MATMUL, [a, b])


@handles("Tensor.__rmatmul__")
def _turned_matmul(place, b, a):
    return place.call(torch.matmul, a, b)


@handles("torch.chain_matmul", "torch.linalg.multi_dot")
def _multi_dot(place, *factors, out=None):
    """Products from the left, where PyTorch chooses an order."""
    factors = factors[0] if isinstance(factors[0], (list, tuple)) else factors
    return functools.reduce(lambda a, b: place.call(torch.matmul, a, b), factors)


@handles("torch.addmm", "Tensor.addmm", "torch.baddbmm", "Tensor.baddbmm")
def _addmm(place, c, a, b, *, beta=1, alpha=1):
    if not a.numel() or not b.numel():
        return NotImplemented
    node, out = place.node(b), None
    if beta == 1 and alpha == 1 and c.dim() == 1 and node.parameter is not None:  # transformers' Conv1D
        return place.op(t.BND_TENSOR_OP_LINEAR, [a, node.parameter if node.turned else b, c],
                        attributes_of(flag=not node.turned))
    out = place.call(torch.matmul, a, b)
    out = out if alpha == 1 else place.call(torch.mul, out, alpha)
    if beta == 0:
        return out
    return place.call(torch.add, out, c if beta == 1 else place.call(torch.mul, c, beta))


@handles("torch.einsum")
def _einsum(place, equation, *operands):
    """Two operands: one matrix product of permuted operands. Others: in pairs, from the left."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not isinstance(equation, str) or len(operands) < 2:
        return NotImplemented
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        return NotImplemented
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        right = "..." * ("..." in left) + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if "..." in left:
        terms, right, operands = _spelled(place, terms, right, operands)
    if any(len(set(term)) != len(term) or len(term) != x.dim() for term, x in zip(terms, operands)):
        return NotImplemented
    while len(operands) > 2:
        rest = "".join(terms[2:]) + right
        middle = "".join(dict.fromkeys(c for c in terms[0] + terms[1] if c in rest))
        first = _product(place, terms[0], operands[0], terms[1], operands[1], middle)
        if first is NotImplemented:
            return NotImplemented
        terms, operands = [middle] + terms[2:], (first,) + tuple(operands[2:])
    return _product(place, terms[0], operands[0], terms[1], operands[1], right)


@handles("torch.tensordot")
def _tensordot(place, a, b, dims=2, out=None):
    if isinstance(dims, torch.Tensor) or isinstance(dims, int) and dims > min(a.dim(), b.dim()):
        return NotImplemented
    of_a, of_b = (range(a.dim() - dims, a.dim()), range(dims)) if isinstance(dims, int) else (
        [axis % x.dim() for axis in ([axes] if isinstance(axes, int) else axes)] for axes, x in zip(dims, (a, b)))
    if len(of_a) != len(of_b):
        return NotImplemented
    letters, others = list(string.ascii_lowercase[:a.dim()]), list(string.ascii_uppercase[:b.dim()])
    for i, j in zip(of_a, of_b):
        others[j] = letters[i]
    return _product(place, "".join(letters), a, "".join(others), b,
                    "".join(c for c in letters + others if not (c in letters and c in others)))


def _spelled(place, terms, right, operands):
    """Letters for the axes that "..." stands for. They are counted from the last one, and an axis of one element that
    meets a longer one is left out: "...i,io->...o" of (2, 3, i) and (i, o) is "abi,io->abo"."""
    free = [c for c in string.ascii_letters if not any(c in term for term in terms)]
    count = max(x.dim() - len(term.replace("...", "")) for term, x in zip(terms, operands) if "..." in term)
    letters, sizes, spelled, out = free[:max(count, 0)], {}, [], []
    for term, x in zip(terms, operands):
        mine = letters[count - x.dim() + len(term) - 3:] if "..." in term and x.dim() > len(term) - 3 else []
        spelled.append(term.replace("...", "".join(mine)))
        for c, size in zip(spelled[-1], x.shape):
            sizes[c] = max(size, sizes.get(c, 0))
    for i, x in enumerate(operands):
        for at in reversed(range(min(x.dim(), len(spelled[i])))):
            c = spelled[i][at]
            if c in letters and x.shape[at] == 1 != sizes[c]:
                x = place.call(torch.Tensor.squeeze, x, at)
                spelled[i] = spelled[i][:at] + spelled[i][at + 1:]
        out.append(x)
    return spelled, right.replace("...", "".join(letters)), tuple(out)


def _product(place, of_a, a, of_b, b, to):
    batch = [c for c in of_a if c in of_b and c in to]
    summed = [c for c in of_a if c in of_b and c not in to]
    rows, columns = [c for c in of_a if c not in of_b], [c for c in of_b if c not in of_a]
    if any(c not in to for c in rows + columns):
        return NotImplemented
    sizes = dict(zip(of_a, a.shape))
    if any(sizes.setdefault(c, n) != n for c, n in zip(of_b, b.shape)):
        return NotImplemented

    def extent(letters):
        return [sizes[c] for c in letters]

    x = place.call(torch.Tensor.permute, a, [of_a.index(c) for c in batch + rows + summed])
    x = place.call(torch.Tensor.reshape, x, extent(batch) + [math.prod(extent(rows)), math.prod(extent(summed))])
    node = place.node(b)
    if node.parameter is not None and not batch and len(columns) == len(summed) == 1 and not node.turned:
        turned = of_b == columns[0] + summed[0]
        out = place.op(t.BND_TENSOR_OP_LINEAR, [x, b], attributes_of(flag=not turned))
    else:
        y = place.call(torch.Tensor.permute, b, [of_b.index(c) for c in batch + summed + columns])
        y = place.call(torch.Tensor.reshape, y, extent(batch) + [math.prod(extent(summed)), math.prod(extent(columns))])
        out = place.op(t.BND_TENSOR_OP_MATMUL, [x, y])
    out = place.call(torch.Tensor.reshape, out, extent(batch + rows + columns))
    order = batch + rows + columns
    return place.call(torch.Tensor.permute, out, [order.index(c) for c in to])


def is_causal(mask, size):
    """Whether a mask of booleans hides everything above the diagonal, and nothing else."""
    if mask.dtype != torch.bool or mask.dim() < 2 or mask.shape[-2:] != size or size[0] != size[1]:
        return False
    hidden = torch.ones(size, dtype=torch.bool).triu(1)
    return bool((mask.reshape(-1, *size) == hidden).all())


@handles("torch.masked_fill", "Tensor.masked_fill")
def _masked_fill(place, x, mask, value):
    """Of the simulator where it is causal; otherwise numbers are only moved."""
    whole = mask.dim() <= x.dim() and torch.broadcast_shapes(x.shape, mask.shape) == x.shape
    if value == float("-inf") and x.dim() >= 2 and whole and is_causal(mask, x.shape[-2:]):
        return place.op(t.BND_TENSOR_OP_MASKED, [x])
    return NotImplemented


def _product_of_attention(place, result, a, b):
    """matmul; `result` is the role by which the recipe knows which of the two products it is."""
    if not a.numel() or not b.numel() or a.dim() < 2 or b.dim() < 2:
        return place.call(torch.matmul, a, b)
    return place.op(t.BND_TENSOR_OP_MATMUL, [a, b], attributes_of(role=result))


@handles("F.scaled_dot_product_attention", "nn.scaled_dot_product_attention", "torch.scaled_dot_product_attention")
def _attention(place, q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if enable_gqa:  # each head of k and v serves several of q
        k, v = (place.call(torch.repeat_interleave, x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = _product_of_attention(place, t.BND_ROLE_ATTN_S, q, place.call(torch.Tensor.transpose, k, -1, -2))
    scores = place.call(torch.mul, scores, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = place.op(t.BND_TENSOR_OP_MASKED, [scores])
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = place.call(torch.Tensor.masked_fill, scores, ~attn_mask, float("-inf"))
    elif attn_mask is not None:
        scores = place.call(torch.add, scores, attn_mask)
    weights = place.call(torch.softmax, scores, -1)
    if dropout_p > 0:
        weights = place.call(F.dropout, weights, dropout_p)
    return _product_of_attention(place, t.BND_ROLE_ATTN_O, weights, v)


@handles("nn._scaled_dot_product_attention")
def _attention_with_weights(place, q, k, v, attn_mask=None, dropout_p=0.0, need_attn_weights=False, is_causal=False):
    """PyTorch 1.13's, which nn.MultiheadAttention calls: the weights are returned, too."""
    if need_attn_weights:
        return NotImplemented
    return _attention(place, q, k, v, attn_mask, dropout_p, is_causal), torch.empty(0)


@handles("torch.bilinear", "F.bilinear")
def _bilinear(place, x, y, weight, bias=None):
    """x times the matrices of all outputs, and the result times y."""
    outputs, inputs, others = weight.shape
    if not x.numel():
        return NotImplemented
    matrix = place.part(weight, lambda w: w.transpose(1, 2).reshape(outputs * others, inputs))
    rows = place.op(t.BND_TENSOR_OP_LINEAR, [x, matrix])
    rows = place.view(rows, lambda rows: rows.unflatten(-1, (outputs, others)))
    out = place.call(torch.matmul, rows, place.view(y, lambda y: y.unsqueeze(-1)))
    out = place.view(out, lambda out: out.squeeze(-1))
    return out if bias is None else place.call(torch.add, out, bias)


# ---- functions that are written in other functions ----

def _opened(f):
    """The same function, which looks at nothing but its operands: what it calls is seen by the mode again."""
    if not isinstance(f, types.FunctionType):
        return None
    names = {name: (lambda *x: False) for name in f.__globals__ if name.startswith("has_torch_function")}
    g = types.FunctionType(f.__code__, {**f.__globals__, **names}, f.__name__, f.__defaults__, f.__closure__)
    g.__kwdefaults__ = f.__kwdefaults__
    return g


OPENED = {f: _opened(f) for f in functions("F.multi_head_attention_forward") if _opened(f) is not None}

# ---- what moves numbers ----

VIEWS.update(functions(*(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
    "view", "view_as", "transpose", "permute", "t", "squeeze", "unsqueeze", "flatten", "unflatten", "movedim",
    "moveaxis",
    "swapaxes", "swapdims", "expand", "expand_as", "broadcast_to", "detach", "float", "cpu",
    "adjoint", "ravel", "double"))))
VIEWS.update(getattr(torch.Tensor, name).__get__ for name in ("T", "mT", "H", "mH", "real", "imag", "data")
             if hasattr(torch.Tensor, name))
PARTS.update(functions(*(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
    "__getitem__", "chunk", "split", "unbind", "narrow", "select", "tensor_split", "unsafe_chunk", "split_with_sizes",
    "diagonal"))))
MOVES.update(functions(*(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
    "cat", "concat", "stack", "repeat", "repeat_interleave", "index_select", "gather", "roll", "flip", "tril", "triu",
    "masked_fill", "where", "take", "clone", "to", "unfold", "hstack", "vstack", "masked_select", "max", "min", "amax",
    "amin", "sort", "topk", "take_along_dim", "relu6", "clamp_min", "tile"))))
MOVES.update(functions("F.max_pool1d", "F.max_pool2d", "F.max_pool3d", "torch.max_pool1d", "torch.max_pool2d",
                       "torch.max_pool3d", "F.adaptive_max_pool1d", "F.adaptive_max_pool2d", "F.pad", "F.unfold",
                       "F.pixel_shuffle", "torch.pixel_shuffle"))
_PADS = [f for f in (F.pad, getattr(F, "_pad", None), getattr(torch._C._nn, "pad", None)) if f is not None]
MOVES.update(f for f in (getattr(F, "_max_pool2d", None), getattr(F, "_max_pool1d", None), *_PADS) if f is not None)
# Those whose integer tensors are indices or counts; of others, they are numbers for the result.
BY_INDEX = set(functions(*(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
    "index_select", "gather", "take", "take_along_dim", "repeat_interleave"))))
# The operands that are numbers for the result, by position and by name; other integers are axes and counts.
FILLS = {**dict.fromkeys(functions("torch.masked_fill", "Tensor.masked_fill"), ((2,), ("value",))),
         **dict.fromkeys(functions("torch.where", "Tensor.where"), ((1, 2), ("input", "self", "other"))),
         **dict.fromkeys(functions("torch.clamp_min", "Tensor.clamp_min"), ((1,), ("min",))),
         **dict.fromkeys(_PADS, ((3,), ("value",)))}
CAREFUL.update(functions(*(f"F.{name}" for name in (
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm", "softmax", "log_softmax", "gumbel_softmax",
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "cosine_similarity", "cosine_embedding_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "triplet_margin_loss", "poisson_nll_loss", "gaussian_nll_loss", "normalize", "softmin",
    "ctc_loss", "multi_margin_loss", "soft_margin_loss", "local_response_norm")), "torch.batch_norm",
    "torch.group_norm", "torch.instance_norm", "torch.softmax", "torch.log_softmax", "Tensor.softmax",
    "Tensor.log_softmax"))

# Matrix products that are not covered: they are computed in fp32, and `record` and `report` say so.
PRODUCTS = set(functions(
    "torch.conv_transpose1d", "torch.conv_transpose2d", "torch.conv_transpose3d", "F.bilinear", "torch.bilinear",
    "F.linear", "nn.linear", "torch.cov", "Tensor.cov", "torch.corrcoef", "Tensor.corrcoef",
    "torch.tensordot", "torch.lstm", "torch.gru", "torch.rnn_tanh", "torch.rnn_relu", "torch.cdist",
    "F.scaled_dot_product_attention", "torch.conv1d", "torch.conv2d", "torch.conv3d", "torch.conv_tbc",
    "nn._scaled_dot_product_attention", "torch._native_multi_head_attention", "torch._transformer_encoder_layer_fwd",
    "torch.linalg.matmul", "torch.linalg.multi_dot", "torch.chain_matmul", "torch.linalg.vecdot",
    "torch.linalg.matrix_power", "torch.sparse.mm", "torch.sparse.addmm", "torch.hspmm", "torch.einsum",
    *(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
        "matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "ger", "addmm", "addmv", "addbmm", "baddbmm",
        "addr", "kron", "matrix_power", "smm", "sspaddmm"))))
