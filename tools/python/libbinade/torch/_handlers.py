"""The table of functions of PyTorch that are operations of the simulator."""
import functools
import inspect

import torch
import torch.nn.functional as F

HANDLERS = {}

# The operands of functions that are not written in Python, and so have no signature that can be asked.
_OPERANDS = {"mm": ("input", "mat2"), "bmm": ("input", "mat2"), "addmm": ("input", "mat1", "mat2"),
             "baddbmm": ("input", "batch1", "batch2"), "pow": ("input", "exponent"),
             "linear": ("input", "weight", "bias"), "softmax": ("input", "dim"), "log_softmax": ("input", "dim"),
             "sum": ("input", "dim"), "mean": ("input", "dim"), "logsumexp": ("input", "dim"),
             "masked_fill": ("input", "mask", "value"), "where": ("condition", "input", "other"),
             "scaled_dot_product_attention": ("query", "key", "value"), "embedding": ("weight", "indices"),
             "bilinear": ("input1", "input2", "weight", "bias"), "cat": ("tensors", "dim"), "stack": ("tensors", "dim"),
             **{f"conv{n}d": ("input", "weight", "bias") for n in (1, 2, 3)}}


def handles(*names):
    """Makes a function the handler of these functions of PyTorch, given by dotted names; missing ones are left out."""
    def add(function):
        for f in functions(*names):
            HANDLERS[f] = function
        return function
    return add


@functools.lru_cache(maxsize=None)
def signature_of(f):
    """What can be asked of a function that is written in Python; None: nothing."""
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


def positional(func, args, kwargs):
    """The arguments with those in front that were given by name put where the handlers expect them: by position."""
    known = signature_of(func)
    names = tuple(known.parameters) if known else _OPERANDS.get(getattr(func, "__name__", ""), ("input", "other"))
    args, kwargs = list(args), dict(kwargs)
    for name in names[len(args):]:
        if name not in kwargs:
            break
        args.append(kwargs.pop(name))
    return tuple(args), kwargs


def takes(handler, args, kwargs):
    """Whether a handler can be called so."""
    try:
        signature_of(handler).bind(None, *args, **kwargs)
    except TypeError:
        return False
    return True


def in_place_at(func):
    """The position of an argument `inplace`; None: the function has none."""
    known = signature_of(func)
    names = list(known.parameters) if known else []
    return names.index("inplace") if "inplace" in names else None


def functions(*names):
    for name in names:
        f = {"torch": torch, "F": F, "Tensor": torch.Tensor, "nn": torch._C._nn}[name.split(".")[0]]
        for part in name.split(".")[1:]:
            f = getattr(f, part, None)
        if f is not None:
            yield f
