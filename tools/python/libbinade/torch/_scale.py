"""The loss scale: where a gradient is multiplied by it, and where it is divided.

The part of a graph that a recipe computes is its inside. There, gradients are multiplied by the loss scale of the
recipe. Outside, they are what PyTorch says: the gradients of parameters, of inputs, and of everything that is not
wrapped. Enter is the identity from outside to inside, Exit the identity to outside. Each way back passes one Exit, so
that loss.backward(), torch.autograd.backward and torch.autograd.grad are scaled alike.
"""
import torch

from ._bridge import Operation, Plain

_MIXED = ("under a recipe with a loss scale, a function of your own (torch.autograd.Function, or one that writes in "
          "place) combines a tensor of the wrapped model with a parameter or a tensor from outside that needs a "
          "gradient: these gradients have different scales. Call the function outside of the model, or choose a recipe "
          "without a loss scale")

_UNSCALED = ("under a recipe with a loss scale, a gradient came back to the wrapped model without it: the loss is made "
             "of a tensor that the model has not returned, or that is inside of an object. Return it as a tensor, or "
             "in a tuple, list, dict or dataclass")


class Enter(torch.autograd.Function):
    """A parameter, an input, or what a part of the graph that is not wrapped made."""

    @staticmethod
    def forward(ctx, session, x):
        ctx.session = session
        return x.detach()  # which has the version of x: what is written to x is noticed

    @staticmethod
    def backward(ctx, d):
        scale = ctx.session.loss_scale()
        if scale != 1 and not ctx.session.left:
            raise RuntimeError(_UNSCALED)
        return None, d if scale == 1 else d / scale


class Exit(torch.autograd.Function):
    """What the model, or a function of what it gave, gives to the caller."""

    @staticmethod
    def forward(ctx, session, x):
        ctx.session, ctx.value = session, x.data if x.numel() == 1 and x.is_floating_point() else None
        ctx.inner = None
        return x.data

    @staticmethod
    def backward(ctx, d):
        inner = ctx.inner() if ctx.inner is not None else None
        if inner is not None and inner.grad_fn is not ctx.made:
            raise RuntimeError("a tensor that the wrapped model gave was changed in place, and its gradient would miss "
                               "that: call its own backward(), or use a function that is not in place")
        if ctx.value is not None:
            ctx.session.loss = float(ctx.value)
        ctx.session.note_backward()
        ctx.session.left = True
        scale = ctx.session.loss_scale()
        with Plain():
            d = d.as_subclass(torch.Tensor)  # torch.autograd.backward makes it in the class of the loss
            return None, d if scale == 1 else d * scale


def is_inside(x, session):
    """Whether the gradient of a tensor that has one is multiplied by the loss scale of this wrapped model."""
    f = x.grad_fn
    if f is None:
        return False
    if getattr(x, "_made_inside", None) == (f, id(session)):
        return True
    kinds, waiting, seen = set(), [f], set()
    while waiting:
        f = waiting.pop()
        if f is None or f in seen:
            continue
        seen.add(f)
        if type(f).__name__ in _INSIDE:
            kinds.add(f.session is session)
        elif type(f).__name__ in ("ExitBackward", "AccumulateGrad"):
            kinds.add(False)
        else:
            waiting += [g for g, _ in f.next_functions]
    if len(kinds) > 1:
        raise RuntimeError(_MIXED)
    if True in kinds:
        x._made_inside = x.grad_fn, id(session)
    return True in kinds


_INSIDE = tuple(f.__name__ + "Backward" for f in (Enter, Operation))
