"""wrap and unwrap: a model of PyTorch under a recipe."""
import gc
import weakref

from typing import Dict, Optional

import torch

from .._native import brief, text
from .._options import whole
from ._scopes import signature
from ._session import Session

_KEY = "_libbinade"
_SESSIONS = weakref.WeakSet()  # of the wrapped models


def _check_recipe(recipe):
    if not text(recipe, "a recipe (such as 'nvfp4' or 'base=bf16-amp,v=bf16')"):
        raise ValueError("the name of a recipe is empty; libbinade.recipes() lists them")


def wrap(model: torch.nn.Module, recipe: str = "nvfp4", *, exceptions: Optional[Dict[str, str]] = None,
         seed: int = 0) -> torch.nn.Module:
    """Puts a model under a recipe of the simulator, without a change in its code.

    From now on a forward pass of the model computes what `binade train --recipe` computes: matrix products with their
    operands cast by role (gemm_fwd.x, gemm_fwd.w, ...), results, norms, softmax and losses in the formats of act and
    careful, gradients in those of dact and grad. Functional calls (F.linear, x @ w, einsum, attention) follow the
    recipe as modules do. What the model returns follows it, too, so that a loss that is computed from it does.

    `recipe` is a name (libbinade.recipes() lists them) or settings: "base=bf16-amp,gemm=e4m3/current". `exceptions`
    gives parts of the model another recipe: {"head": "fp32", "blocks.0.*": "bf16-amp"}; a glob names modules, the last
    that fits holds, with everything in the module. Its parameters follow it where another module uses them, too, as in
    F.linear(x, self.head.weight). `seed` is that of stochastic rounding.

    The recipe holds in calls of the model itself, for its parameters, for the floating-point tensors that it is given,
    and for what is made of them. Buffers and constants are PyTorch's until one of these meets them; so are results of
    integers and masks alone. A module of the model that you call directly (model.encoder(x)) computes as without wrap.
    A model has one wrap: parts get their recipe by `exceptions`.

    Parameters are fp32 on the CPU. Where the recipe stores them in another format without a master copy, their numbers
    are rounded to it, to nearest: at the first forward pass, and at each one after they were written to, as
    torch.optim does. Small updates are lost then; the optimizers of libbinade.torch update them as the recipe says.
    Returns the model itself; `unwrap` restores it.

    >>> import torch, libbinade.torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    >>> _ = libbinade.torch.wrap(model, "bf16-amp", exceptions={"2": "fp32"})
    >>> model(torch.ones(1, 4)).shape
    torch.Size([1, 2])
    >>> libbinade.torch.unwrap(model) is model
    True
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"wrap takes a torch.nn.Module, not {type(model).__name__}")
    _check_recipe(recipe)
    if exceptions is not None:
        if not isinstance(exceptions, dict):
            raise TypeError("exceptions must be a dictionary from names of modules to recipes, as {'head': 'fp32'}, "
                            f"not {brief(exceptions)}")
        for name, other in exceptions.items():
            if not isinstance(name, str):
                raise TypeError(f"exceptions: the name of a module is a str, not {brief(name)}")
            _check_recipe(other)
    for name, module in model.named_modules():
        if name and _KEY in module.__dict__:
            raise ValueError(f"module {name!r} is wrapped already, and one model has one wrap: call "
                             f"libbinade.torch.unwrap on it first, and give its recipe as exceptions={{{name!r}: ...}}")
        if isinstance(module, torch.jit.ScriptModule):
            which = f"module {name!r}" if name else "the model"
            raise TypeError(f"{which} is made by torch.jit, whose functions cannot be seen: wrap the model that it was "
                            "made of")
    seed = whole(seed, "seed")
    if _KEY in model.__dict__:
        raise ValueError("this model is wrapped already: call libbinade.torch.unwrap(model) first")
    if _wrapped_with(model) is not None:
        gc.collect()  # a wrapped model is in its own forward: without it, one that nobody has would stay
        kind = _wrapped_with(model)
        if kind is not None:
            raise ValueError(f"this module is a part of a {kind} that is wrapped already, and one model has one wrap: "
                             "give the part its recipe as exceptions= there")
    session = Session(model, recipe, dict(exceptions or {}), seed)
    _SESSIONS.add(session)
    inner = model.forward

    def forward(*args, **kwargs):
        if session.plain and session.recorder is None:
            return inner(*args, **kwargs)
        with session.entered((args, kwargs)) as (args, kwargs):
            out = inner(*args, **kwargs)
        return session.export(out)

    forward.__signature__ = signature(inner)
    model.__dict__[_KEY] = (session, model.__dict__.get("forward"))
    model.__dict__["forward"] = forward
    return model


def unwrap(model: torch.nn.Module) -> torch.nn.Module:
    """Takes a model out of its recipe: it computes as before `wrap`. Its parameters keep their numbers."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"unwrap takes a torch.nn.Module, not {type(model).__name__}")
    session, forward = model.__dict__.pop(_KEY, (None, None))
    if session is None:
        raise ValueError("this model is not wrapped")
    session.wrapped = False
    for scoped in session.scoped:
        scoped.remove()
    del model.__dict__["forward"]
    if forward is not None:
        model.__dict__["forward"] = forward
    return model


def _wrapped_with(part):
    """The class of a wrapped model that has this module; None: there is none."""
    for session in list(_SESSIONS):
        model = session.model()
        if session.wrapped and model is not None and any(m is part for m in model.modules()):
            return type(model).__name__
    return None


def session_with(params):
    """The session of the wrapped model that has any of these parameters; None if there is none."""
    ids = {id(p) for p in params}
    for session in list(_SESSIONS):
        known = {id(p) for place in session.places.values() for _, p, _, _ in place.parameters}
        if session.wrapped and known & ids:
            return session
    return None


def session_of(model):
    """The session of a wrapped model."""
    if isinstance(model, torch.nn.Module) and _KEY in model.__dict__:
        return model.__dict__[_KEY][0]
    raise ValueError("this model is not wrapped: call libbinade.torch.wrap(model, recipe) first")


def not_covered(model: torch.nn.Module) -> dict:
    """The matrix products that the recipe does not reach, with how often they were called: {"conv_transpose2d": 2}.

    PyTorch computed them in fp32. Their results were rounded to the format of act, but not those of buffers and
    constants alone. Calls of the model's modules, not of the model itself, are not counted. A
    function of torch.autograd that the model has itself is named, too, as "ItsNameBackward": what its forward pass
    calls follows the recipe, and PyTorch computes its backward pass in fp32."""
    return dict(session_of(model).not_covered)
