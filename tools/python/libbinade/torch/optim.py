"""Optimizers that keep weights, master copies and moments as a recipe says: see AdamW, SGD and Muon."""
import ctypes
import math
import os
import tempfile

import torch

from .. import _types as t
from .._native import brief, call, lib
from .._options import betas_of, real, whole
from ._session import Session
from ._wrap import _KEY, session_of, session_with

__all__ = ["Adam", "AdamW", "Lion", "Muon", "SGD"]


class _Optimizer(torch.optim.Optimizer):
    """A row of the simulator's optimizers under PyTorch's interface."""

    row = ""
    _hidden = frozenset()  # ids of the parameters that are hidden matrices, for optimizers that ask

    def __getstate__(self):
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled: its numbers are in a simulator's run; "
                        "save its state_dict, and load it into a new one")

    def __init__(self, params, recipe=None, others=None, *, seed=None, groups=None, **defaults):
        _refuse(type(self).__name__, others or {}, self._refused())
        model = params if isinstance(params, torch.nn.Module) else None
        seed = None if seed is None else whole(seed, "seed")
        if model is None and not hasattr(params, "__iter__"):
            raise TypeError(f"{type(self).__name__} takes a wrapped model or parameters, not {brief(params)}")
        defaults = _checked(defaults)
        if model is not None:
            params = groups if groups is not None else [p for p in model.parameters() if p.requires_grad]
        elif groups is not None:
            raise TypeError("groups are for a model; give the groups themselves as params otherwise")
        super().__init__(params, defaults)
        self._check_groups()
        self._session = session_of(model) if model is not None and _KEY in model.__dict__ else None
        mine = [p for group in self.param_groups for p in group["params"]]
        if self._session is None:
            self._session = session_with(mine)  # parameters of a wrapped model: its updates follow its recipe
        if self._session is None:
            if recipe is None:
                raise TypeError(f"{type(self).__name__}(model) follows the recipe of a wrapped model; for parameters "
                                f"say which: {type(self).__name__}(params, recipe='bf16-sr')")
            self._session = _bare_session(mine, recipe, seed or 0)
        elif recipe is not None and recipe != self._session.recipe:
            raise ValueError(f"the model is wrapped in {self._session.recipe!r}; the optimizer follows that: leave "
                             "recipe out")
        elif seed is not None and seed != self._session.root.seed:
            raise ValueError(f"the model is wrapped with the seed {self._session.root.seed}; the optimizer follows "
                             "that: leave seed out, or give it to wrap()")
        known = {id(p) for place in self._session.places.values() for _, p, _, _ in place.parameters}
        if any(id(p) not in known for p in mine):
            raise ValueError("the optimizer was given a parameter that the wrapped model does not have")
        for place in self._places():
            if place.run is not None and place.run.in_step:
                raise ValueError("make the optimizer before the first forward pass of a step")
            place.optimizer, self._made = self, self._row()
            place.open(self._made)
            for i, (_, p, _, _) in enumerate(place.parameters):
                if id(p) in self._hidden:
                    call("bnd_run_set_hidden", place.run.pointer, i, True)

    def _check_groups(self):
        """A group has this optimizer's settings; those of torch.optim that do not exist here are refused."""
        for group in self.param_groups:
            _refuse(type(self).__name__, {key: x for key, x in group.items() if key not in ("params", "name")},
                    {**self._refused(), **dict.fromkeys([*self.defaults, "initial_lr"])})

    def _check_changes(self):
        """Refuses settings that were changed in the groups since; what schedulers keep there has no meaning here."""
        known = self._refused()
        for group in self.param_groups:
            _refuse(type(self).__name__, {key: x for key, x in group.items() if key in known}, known)
        if self._row() != self._made:
            raise ValueError("the momentum was 0 when the optimizer was made, and it keeps none: make it with the "
                             "momentum that it is to have (a scheduler such as OneCycleLR sets one)")

    def add_param_group(self, param_group):
        if getattr(self, "_session", None) is not None:
            raise ValueError("a group cannot be added later: give all groups when the optimizer is made (groups=)")
        super().add_param_group(param_group)

    def _places(self):
        return [place for place in self._session.places.values() if place.parameters]

    def _row(self):
        return self.row

    def _refused(self):
        """Arguments that do not exist here, as _LEFT_OUT has them."""
        return _LEFT_OUT

    def _rates(self, group):
        """lr, beta1, beta2, epsilon, weight decay of a group."""
        raise NotImplementedError

    def _rates_of(self, p, group):
        """The same for one of its parameters."""
        return self._rates(group)

    @torch.no_grad()
    def step(self, closure=None):
        """Updates the optimizer's parameters that have a gradient. Where the recipe has a loss scale, a step with an
        infinite or NaN gradient is skipped."""
        loss = None
        self._check_changes()
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        places = self._places()
        if any(place.optimizer is not self for place in places):
            raise RuntimeError("another optimizer was made for this model since, and a wrapped model has one: give it "
                               "all parameters, as groups")
        group_of = {id(p): group for group in self.param_groups for p in group["params"]}
        gradients = [[_dense(p.grad) if id(p) in group_of else None for _, p, _, _ in place.parameters]
                     for place in places]
        if len(places) > 1:
            _skip_together(places, gradients)
        steps = []
        for place, d in zip(places, gradients):
            rates = (t.bnd_step_rates * len(place.parameters))()
            for i, (_, p, _, _) in enumerate(place.parameters):
                rates[i] = t.bnd_step_rates(*self._rates_of(p, group_of.get(id(p), self.param_groups[0])))
            steps.append(place.update(rates, d))
        self.last_step = steps[0]
        return loss

    @property
    def loss_scale(self):
        """The recipe's loss scale, which the next backward pass multiplies gradients with; 1 where there is none.

        p.grad does not contain it: it is divided by it where it leaves the model."""
        return self._session.loss_scale()

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
                place.run.give_up()  # a step that a forward pass has begun
                call("bnd_run_load", place.run.pointer, path.encode())
                place.show_all()
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


# Arguments of torch.optim that do not exist here, and the value with which they change nothing; None: any value.
_LEFT_OUT = {"foreach": None, "fused": None, "capturable": None, "decoupled_weight_decay": None, "amsgrad": False,
             "maximize": False, "differentiable": False, "nesterov": False, "dampening": 0}
_LEFT_OUT_OF_MUON = {**_LEFT_OUT, "nesterov": True, "ns_coefficients": (3.4445, -4.7750, 2.0315), "ns_steps": 5,
                     "eps": 1e-7, "use_addmm": None}


def _refuse(name, given, known):
    """A sentence for a setting that would change results elsewhere and does nothing here."""
    for key, x in given.items():
        if key not in known:
            raise TypeError(f"unknown argument {key!r} of {name}")
        if known[key] is not None and x != known[key]:
            raise TypeError(f"{name} of libbinade.torch has no {key}: leave it out, or give {known[key]!r}; the "
                            "simulator's optimizers are plain")


def _dense(d):
    """A gradient; nn.Embedding(sparse=True) makes sparse ones."""
    return d.to_dense() if d is not None and d.layout is not torch.strided else d


def _skip_together(places, gradients):
    """Recipes of parts of one model: where one skips the step, all do."""
    def finite(rows):
        return all(d is None or bool(torch.isfinite(d).all()) for d in rows)
    scaled = [bool(place.policy.loss_scale.given) for place in places]
    if not any(scaled) or all(finite(rows) for rows in gradients):
        return
    for rows, has_scale in zip(gradients, scaled):
        if not has_scale:
            rows[:] = [None] * len(rows)
        elif finite(rows):
            rows[:] = [None if d is None else torch.full_like(d, math.inf) for d in rows]


def _checked(rates):
    """The rates of an optimizer as floats."""
    found = {name: real(value, name, 0) for name, value in rates.items() if name != "betas"}
    if "betas" in rates:
        found["betas"] = betas_of(rates["betas"])
    return found


def _bare_session(params, recipe, seed):
    """Of parameters without a wrapped model: the recipe is the optimizer's alone."""
    model = torch.nn.Module()
    for i, p in enumerate(params):
        if not isinstance(p, torch.nn.Parameter):
            raise TypeError(f"parameter {i} is a plain tensor; make it a torch.nn.Parameter, which the optimizer keeps "
                            "as the recipe says")
        model.register_parameter(f"p{i}", p)
    session = Session(model, recipe, {}, seed)
    session.kept = model
    return session


class AdamW(_Optimizer):
    """AdamW whose weights, master copies, m and v are kept as a recipe says.

    `AdamW(model)` follows the recipe of a wrapped model: formats, Kahan's compensation, stochastic rounding of updates,
    the loss scale. `groups` are parameter groups of the model, as torch.optim takes them, each with its own lr, betas,
    eps and weight_decay. `AdamW(params, recipe="bf16-sr", seed=1)` is for a model that is not wrapped; a wrapped model
    has the seed that wrap() was given. The other arguments are torch.optim.AdamW's. amsgrad and maximize are refused,
    foreach and fused change nothing.

    >>> import torch, libbinade.torch
    >>> w = torch.nn.Parameter(torch.ones(3))
    >>> optimizer = libbinade.torch.optim.AdamW([w], recipe="bf16-sr", lr=1e-2)
    >>> w.grad = torch.tensor([1.0, -1.0, 0.0])
    >>> optimizer.step()
    >>> bool((w == w.bfloat16()).all())
    True
    """

    row = "adamw"

    def __init__(self, params, recipe=None, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, seed=None,
                 groups=None, **others):
        super().__init__(params, recipe, others, seed=seed, groups=groups, lr=lr, betas=betas, eps=eps,
                         weight_decay=weight_decay)

    def _rates(self, group):
        return group["lr"], *group["betas"], group["eps"], group["weight_decay"]


class Adam(AdamW):
    """Adam: the weight decay is a part of the gradient. See AdamW."""

    row = "adam"

    def __init__(self, params, recipe=None, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, seed=None,
                 groups=None, **others):
        super().__init__(params, recipe, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                         seed=seed, groups=groups, **others)


class Lion(AdamW):
    """Lion: the sign of a mean of momentum and gradient. See AdamW."""

    row = "lion"

    def __init__(self, params, recipe=None, *, lr=1e-4, betas=(0.9, 0.99), weight_decay=1e-2, seed=None,
                 groups=None, **others):
        super(AdamW, self).__init__(params, recipe, others, seed=seed, groups=groups, lr=lr, betas=betas,
                                    weight_decay=weight_decay)

    def _rates(self, group):
        return group["lr"], *group["betas"], 0.0, group["weight_decay"]


class SGD(_Optimizer):
    """Gradient descent, with `momentum` where that is not 0; as AdamW, kept as a recipe says.

    The first step takes the gradient as the momentum, as torch.optim.SGD does with dampening=0. nesterov and dampening
    are refused."""

    def __init__(self, params, recipe=None, *, lr=1e-3, momentum=0.0, weight_decay=0.0, seed=None,
                 groups=None, **others):
        super().__init__(params, recipe, others, seed=seed, groups=groups, lr=lr, momentum=momentum,
                         weight_decay=weight_decay)

    def _row(self):
        wanted = any(group["momentum"] for group in self.param_groups)
        return "momentum" if wanted or getattr(self, "_made", "") == "momentum" else "sgd"

    def _rates(self, group):
        return group["lr"], group["momentum"], 0.0, 0.0, group["weight_decay"]


def _list_of(params):
    """The parameters of a list of them, or of groups."""
    return [p for x in params for p in (_list_of(x["params"]) if isinstance(x, dict) else [x])]


def _hidden_of(model):
    """The matrices between others: not a table of embeddings, not the last, and without tables not the first."""
    tables = {id(m.weight) for m in model.modules() if isinstance(m, (torch.nn.Embedding, torch.nn.EmbeddingBag))}
    matrices = [p for p in model.parameters() if p.dim() == 2 and id(p) not in tables]
    tied = any(isinstance(m, torch.nn.Linear) and id(m.weight) in tables for m in model.modules())
    return matrices[0 if tables else 1:len(matrices) if tied else -1]


class Muon(_Optimizer):
    """Muon for hidden matrices, and AdamW for all other parameters. See AdamW.

    The arguments are torch.optim.Muon's (PyTorch 2.9); five steps, Nesterov's momentum and its coefficients are fixed.
    `hidden` are the parameters that Muon updates. Without it, they are the matrices of the model but for tables of
    embeddings, the output layer (the last one, or a table), and in a model without tables the first layer; of a list of
    parameters, all matrices. The other parameters have the learning rate lr times `adamw_ratio`, which is 1 under
    adjust_lr_fn="match_rms_adamw" and otherwise 0.015, and `betas` and `adamw_eps`.

    The products of a step have the format of the recipe's role ns.

    >>> import torch, libbinade.torch
    >>> w = torch.nn.Parameter(torch.zeros(2, 3))
    >>> optimizer = libbinade.torch.optim.Muon([w], recipe="ns=bf16", lr=0.1)
    >>> w.grad = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1e-3, 0.0]])
    >>> optimizer.step()
    >>> bool(w[0, 0] < -0.06 and w[0, 1] == 0)
    True
    """

    def __init__(self, params, recipe=None, *, lr=1e-3, weight_decay=0.1, momentum=0.95, adjust_lr_fn=None, hidden=None,
                 adamw_ratio=None, betas=(0.9, 0.95), adamw_eps=1e-8, seed=None, groups=None, **others):
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"adjust_lr_fn must be 'original' or 'match_rms_adamw', not {brief(adjust_lr_fn)}")
        self.row = "muon" if adjust_lr_fn == "match_rms_adamw" else "muon-original"
        model = params if isinstance(params, torch.nn.Module) else None
        if model is None and hasattr(params, "__iter__"):
            params = list(params)
            known = [p for p in _list_of(params) if p.dim() == 2]
        else:
            known = _hidden_of(model) if model is not None else []
        chosen = known if hidden is None else list(hidden)
        if any(not isinstance(p, torch.Tensor) or p.dim() < 2 for p in chosen):
            raise ValueError("hidden must be matrices: biases and norm weights belong to AdamW")
        self._hidden = frozenset(id(p) for p in chosen)
        super().__init__(params, recipe, others, seed=seed, groups=groups, lr=lr, weight_decay=weight_decay,
                         momentum=momentum, betas=betas, adamw_eps=adamw_eps,
                         adamw_ratio=(1.0 if self.row == "muon" else 0.015) if adamw_ratio is None else adamw_ratio)

    def _rates(self, group):
        return group["lr"], group["momentum"], group["betas"][1], group["adamw_eps"], group["weight_decay"]

    def _rates_of(self, p, group):
        if id(p) in self._hidden:
            return self._rates(group)
        return group["lr"] * group["adamw_ratio"], *group["betas"], group["adamw_eps"], group["weight_decay"]

    def _refused(self):
        return _LEFT_OUT_OF_MUON
