"""Optimizers that keep weights, master copies and moments as a recipe says: see AdamW and SGD."""
import ctypes
import os
import tempfile

import torch

from .. import _types as t
from .._native import call, lib
from ._session import Session
from ._wrap import _KEY, session_of, session_with

__all__ = ["Adam", "AdamW", "SGD", "Lion"]


class _Optimizer(torch.optim.Optimizer):
    """A row of the simulator's optimizers under PyTorch's interface."""

    row = ""

    def __init__(self, params, recipe=None, *, seed=0, groups=None, **defaults):
        model = params if isinstance(params, torch.nn.Module) else None
        if model is not None:
            params = groups if groups is not None else [p for p in model.parameters() if p.requires_grad]
        elif groups is not None:
            raise TypeError("groups are for a model; give the groups themselves as params otherwise")
        super().__init__(params, defaults)
        self._session = session_of(model) if model is not None and _KEY in model.__dict__ else None
        mine = [p for group in self.param_groups for p in group["params"]]
        if self._session is None:
            self._session = session_with(mine)  # parameters of a wrapped model: its updates follow its recipe
        if self._session is None:
            if recipe is None:
                raise TypeError(f"{type(self).__name__}(model) follows the recipe of a wrapped model; for parameters "
                                f"say which: {type(self).__name__}(params, recipe='bf16-sr')")
            self._session = _bare_session(mine, recipe, seed)
        elif recipe is not None and recipe != self._session.recipe:
            raise ValueError(f"the model is wrapped in {self._session.recipe!r}; the optimizer follows that: leave "
                             "recipe out")
        known = {id(p) for place in self._session.places.values() for _, p, _, _ in place.parameters}
        if any(id(p) not in known for p in mine):
            raise ValueError("the optimizer was given a parameter that the wrapped model does not have")
        for place in self._places():
            if place.run is not None and place.run.in_step:
                raise ValueError("make the optimizer before the first forward pass of a step")
            place.optimizer = self
            place.open(self._row())

    def _places(self):
        return [place for place in self._session.places.values() if place.parameters]

    def _row(self):
        return self.row

    def _rates(self, group):
        """lr, beta1, beta2, epsilon, weight decay of a group."""
        raise NotImplementedError

    @torch.no_grad()
    def step(self, closure=None):
        """Updates all parameters that have a gradient; gradients are divided by the recipe's loss scale first, and a
        step with an infinite or NaN gradient is skipped where the scale is dynamic."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        group_of = {id(p): group for group in self.param_groups for p in group["params"]}
        for place in self._places():
            rates = (t.bnd_step_rates * len(place.parameters))()
            for i, (_, p, _, _) in enumerate(place.parameters):
                group = group_of.get(id(p), self.param_groups[0])
                rates[i] = t.bnd_step_rates(*self._rates(group))
            self.last_step = place.update(rates)
        return loss

    def state_dict(self):
        """The groups, and for each recipe a checkpoint of the run (weights, masters, moments, loss scale, the step)."""
        with tempfile.TemporaryDirectory() as folder:
            runs = {}
            for place in self._places():
                path = os.path.join(folder, "run.safetensors")
                call("bnd_run_save", place.run.pointer, path.encode())
                with open(path, "rb") as f:
                    runs[place.recipe] = torch.frombuffer(bytearray(f.read()), dtype=torch.uint8).clone()
        groups = super().state_dict()["param_groups"]
        return {"libbinade": 1, "optimizer": self._row(), "runs": runs, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Continues from a state_dict: with the same bits as an optimizer that never stopped."""
        if "libbinade" not in state_dict:
            raise ValueError("this is not the state of an optimizer of libbinade.torch")
        places = self._places()
        if set(state_dict["runs"]) != {place.recipe for place in places}:
            raise ValueError(f"the state is that of the recipes {sorted(state_dict['runs'])}, and the model has "
                             f"{sorted(place.recipe for place in places)}")
        if len(state_dict["param_groups"]) != len(self.param_groups):
            raise ValueError("the state has another number of parameter groups")
        with tempfile.TemporaryDirectory() as folder:
            for place in places:
                path = os.path.join(folder, "run.safetensors")
                with open(path, "wb") as f:
                    f.write(state_dict["runs"][place.recipe].numpy().tobytes())
                call("bnd_run_load", place.run.pointer, path.encode())
                for i in range(len(place.parameters)):
                    place._show(i)
        for group, saved in zip(self.param_groups, state_dict["param_groups"]):
            group.update({key: value for key, value in saved.items() if key != "params"})

    def bytes(self):
        """What the recipe keeps, in bytes: {"param": ..., "master": ..., "m": ..., "v": ...}."""
        total = {}
        for place in self._places():
            account = t.bnd_account()
            lib.bnd_engine_account(ctypes.byref(account), place.run.engine)
            for role in (t.BND_ROLE_PARAM, t.BND_ROLE_MASTER, t.BND_ROLE_M, t.BND_ROLE_V, t.BND_ROLE_EXTRA):
                name = lib.bnd_role_name(role).decode()
                if account.bytes[role]:
                    total[name] = total.get(name, 0) + account.bytes[role]
        return total


def _bare_session(params, recipe, seed):
    """Of parameters without a wrapped model: the recipe is the optimizer's alone."""
    model = torch.nn.Module()
    for i, p in enumerate(params):
        model.register_parameter(f"p{i}", p if isinstance(p, torch.nn.Parameter) else torch.nn.Parameter(p))
    session = Session(model, recipe, {}, seed)
    session.kept = model
    return session


class AdamW(_Optimizer):
    """AdamW whose weights, master copies, m and v are kept as a recipe says.

    `AdamW(model)` follows the recipe of a wrapped model: formats, Kahan's compensation, stochastic rounding of updates,
    the loss scale. `groups` are parameter groups of the model, as torch.optim takes them, each with its own lr, betas,
    eps and weight_decay. `AdamW(params, recipe="bf16-sr")` is for a model that is not wrapped. The other arguments are
    torch.optim.AdamW's; amsgrad, maximize and foreach do not exist here.

    >>> import torch, libbinade.torch
    >>> w = torch.nn.Parameter(torch.ones(3))
    >>> optimizer = libbinade.torch.optim.AdamW([w], recipe="bf16-sr", lr=1e-2)
    >>> w.grad = torch.tensor([1.0, -1.0, 0.0])
    >>> optimizer.step()
    >>> bool((w == w.bfloat16()).all())
    True
    """

    row = "adamw"

    def __init__(self, params, recipe=None, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, seed=0,
                 groups=None):
        super().__init__(params, recipe, seed=seed, groups=groups, lr=lr, betas=betas, eps=eps,
                         weight_decay=weight_decay)

    def _rates(self, group):
        return group["lr"], *group["betas"], group["eps"], group["weight_decay"]


class Adam(AdamW):
    """Adam: the weight decay is a part of the gradient. See AdamW."""

    row = "adam"

    def __init__(self, params, recipe=None, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, seed=0,
                 groups=None):
        super().__init__(params, recipe, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                         seed=seed, groups=groups)


class Lion(AdamW):
    """Lion: the sign of a mean of momentum and gradient. See AdamW."""

    row = "lion"

    def __init__(self, params, recipe=None, *, lr=1e-4, betas=(0.9, 0.99), weight_decay=1e-2, seed=0,
                 groups=None):
        super().__init__(params, recipe, lr=lr, betas=betas, eps=0.0, weight_decay=weight_decay,
                         seed=seed, groups=groups)


class SGD(_Optimizer):
    """Gradient descent, with `momentum` where that is not 0; as AdamW, kept as a recipe says.

    The first step takes the gradient as the momentum, as torch.optim.SGD does with dampening=0."""

    def __init__(self, params, recipe=None, *, lr=1e-3, momentum=0.0, weight_decay=0.0, seed=0,
                 groups=None):
        self._momentum = momentum
        super().__init__(params, recipe, seed=seed, groups=groups, lr=lr, momentum=momentum, weight_decay=weight_decay)

    def _row(self):
        return "momentum" if self._momentum else "sgd"

    def _rates(self, group):
        return group["lr"], group["momentum"], 0.0, 0.0, group["weight_decay"]

