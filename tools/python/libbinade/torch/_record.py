"""record: what `binade train` writes about a run, for a model of PyTorch: metrics.jsonl, config.json, summary.json."""
import ctypes
import json
import math
import os
import time
from typing import Any, List, Optional

import torch

from .. import _types as t
from .._native import call, lib
from .._options import Stats
from ._wrap import session_of

_ROLES = [lib.bnd_role_name(role).decode() for role in range(t.BND_ROLE_COUNT)]
_GRADIENTS = {"dact", "grad", "gemm_dgrad.dy", "gemm_wgrad.dy", "gemm_dgrad.dx", "gemm_wgrad.dw",
              "accumulate", "reduce"}
_FIRST = -41  # floor(log2 |x|) of the first count of a histogram: everything below 2^-40


def _number(x):
    """A number as JSON has it; what is not finite is null."""
    return x if math.isfinite(x) else None


def _percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def _nonzero(s):
    return s.infinities_in + sum(s.exponents)


class Count:
    """What the casts of a role did at a place, over all steps: `elements`, `to_zero`, `overflows`, and their shares."""

    def __init__(self, place, role):
        self.place, self.role = place, role
        self.elements = self.nonzero = self.to_zero = self.overflows = 0
        self.first_step = None

    @property
    def underflow_percent(self):
        """The share of the nonzero numbers that became zero."""
        return _percent(self.to_zero, self.nonzero)

    def add(self, s, step):
        self.elements += s.elements
        self.nonzero += _nonzero(s)
        self.to_zero += s.to_zero
        self.overflows += s.overflows
        if s.to_zero and self.first_step is None:
            self.first_step = step

    def __repr__(self):
        return (f"{self.place or 'rest'} {self.role}: {self.underflow_percent:.2f} % of {self.nonzero} nonzero numbers "
                f"became zero, {self.overflows} overflowed")


class Record:
    """The statistics of the steps that a wrapped model makes: see record()."""

    def __init__(self, model, directory, name, places):
        self._session, self._model = session_of(model), model
        self._place = self._session.root
        self.directory, self.name, self.places = directory, name, places
        self.points: List[dict] = []
        self._counts, self._lines, self._start = {}, None, time.perf_counter()
        self._sums = {"updates": 0, "lost": 0, "skipped": 0, "gradients": 0, "underflowed": 0, "overflows": 0}

    # ---- begin and end ----

    def __enter__(self):
        if self._session.recorder is not None:
            raise ValueError("this model is being recorded already")
        if self.directory is not None:
            os.makedirs(self.directory, exist_ok=True)
            if os.path.exists(os.path.join(self.directory, "metrics.jsonl")):
                raise ValueError(f"{self.directory} already holds a run; choose another directory")
            self._lines = open(os.path.join(self.directory, "metrics.jsonl"), "w", encoding="utf-8")
        self._session.recorder, self._session.places_wanted = self, self.places
        for place in self._session.all():
            if place.run is None:
                place.open()
            else:
                place.count(self.places)
        self._start = time.perf_counter()
        if self.directory is not None:
            self._write("config.json", self._config())
        return self

    def __exit__(self, kind, why, trace):
        for place in self._session.all():
            if place.run is not None and place.run.in_step and place.backward_ran and place.optimizer is None:
                place.end_without_update()
        self._session.recorder, self._session.places_wanted = None, None
        for place in self._session.all():
            call("bnd_engine_take_statistics", place.run.engine, 0)
        if self._lines is not None:
            self._lines.close()
            self._write("config.json", self._config())
            if self.points:
                self._write("summary.json", self._summary())

    def _write(self, name, what):
        path = os.path.join(self.directory, name)
        with open(path + ".part", "w", encoding="utf-8") as f:
            json.dump(what, f)
            f.write("\n")
        os.replace(path + ".part", path)

    # ---- a step ----

    def note(self, place, step):
        """A step of a place's run has ended."""
        stats = self._statistics(place, None, step.step)
        line = self._line(place, step, stats)
        if self.places:
            for i in range(lib.bnd_run_places(place.run.pointer)):
                name = lib.bnd_run_place_name(place.run.pointer, i).decode()
                for role, s in self._statistics(place, i, step.step):
                    line.update(_numbers(f"{name or 'rest'}/{_ROLES[role]}", s, False))
        lib.bnd_engine_reset_statistics(place.run.engine)
        if place is not self._place:
            return
        self.points.append(line)
        if self._lines is not None:
            self._lines.write(json.dumps(line) + "\n")
            self._lines.flush()

    def _statistics(self, place, at, step):
        found = []
        for role in range(t.BND_ROLE_COUNT):
            s = Stats()
            there = lib.bnd_engine_statistics(ctypes.byref(s), place.run.engine, role,
                                              2**32 - 1 if at is None else at)
            if there and s.elements:
                found.append((role, s))
                if at is not None or not self.places:
                    name = lib.bnd_run_place_name(place.run.pointer, at).decode() if at is not None else ""
                    key = (name, _ROLES[role])
                    self._counts.setdefault(key, Count(*key)).add(s, step)
        return found

    def _line(self, place, step, stats):
        now = time.perf_counter()
        gradients = sum(_nonzero(s) for role, s in stats if _ROLES[role] in _GRADIENTS)
        underflowed = sum(s.to_zero for role, s in stats if _ROLES[role] in _GRADIENTS)
        overflows = sum(s.overflows for _, s in stats)
        line = {"step": len(self.points), "loss": _number(step.loss), "train/loss": _number(step.loss),
                "train/grad_norm": _number(step.gradient_norm), "train/lr": step.lr,
                "train/loss_scale": step.loss_scale, "train/skipped": bool(step.skipped),
                "update/ratio": _number(step.update_ratio), "update/nonzero": step.updates, "update/lost": step.lost,
                "cast/gradients": gradients, "cast/underflowed": underflowed, "cast/overflows": overflows,
                "time/step": now - self._start, "update/lost%": _percent(step.lost, step.updates)}
        self._start = now
        for key, value in (("updates", step.updates), ("lost", step.lost), ("skipped", int(step.skipped)),
                           ("gradients", gradients), ("underflowed", underflowed), ("overflows", overflows)):
            if place is self._place:
                self._sums[key] += value
        for role, s in stats:
            line.update(_numbers(_ROLES[role], s, True))
        return line

    # ---- what it came to ----

    def _training(self):
        training = t.bnd_training.from_buffer_copy(self._place.run.training)
        training.steps = max(1, len(self.points))
        if self.points:
            training.lr = self.points[0]["train/lr"]
        text = ctypes.create_string_buffer(1 << 16)
        lib.bnd_training_print(text, len(text), ctypes.byref(training))
        return json.loads(text.value)

    def _parameters(self):
        return sum(p.numel() for place in self._session.places.values() for _, p, _, _ in place.parameters)

    def _config(self):
        return {"recipe": self.name or self._place.recipe, "training": self._training(),
                "task": {"validate_every": 0, "validation_batches": 0, "statistics": True, "places": self.places},
                "model": {"parameters": self._parameters(), "floor": None, "floor_is": "nan", "chance_loss": None,
                          "chance_loss_is": "nan"}, "checkpoint_every": 0}

    def _summary(self):
        losses = [p["loss"] for p in self.points[-max(1, len(self.points) // 10):]]
        loss = None if any(x is None for x in losses) else sum(losses) / len(losses)
        training = self._training()
        return {"recipe": self.name or self._place.recipe, "model": "own", "optimizer": training["optimizer"],
                "seed_init": 0, "seed_data": 0, "steps": len(self.points), "lr": training["lr"], "loss": loss,
                "result": loss, "parameters": self._parameters(), **self._sums}

    def counts(self) -> List[Count]:
        """What each role did at each place, over all steps."""
        return list(self._counts.values())

    def underflows(self, least: float = 0.0) -> List[Count]:
        """The places and roles where more than `least` per cent of the nonzero numbers became zero, worst first."""
        found = [c for c in self._counts.values() if c.to_zero and c.underflow_percent > least]
        return sorted(found, key=lambda c: -c.underflow_percent)

    def overflows(self) -> List[Count]:
        """The places and roles where numbers were beyond the largest of the format, most first."""
        return sorted((c for c in self._counts.values() if c.overflows), key=lambda c: -c.overflows)

    @property
    def losses(self):
        """The loss of each step; None where it was not finite."""
        return [p["loss"] for p in self.points]

    def __repr__(self):
        worst = self.underflows()[:3]
        return f"{len(self.points)} steps under {self._place.recipe}" + "".join(f"; {c}" for c in worst)


def _numbers(key, s, histogram):
    """The keys of metrics.jsonl for a role, or for a role at a place."""
    found = {f"{key}/underflows%": _percent(s.to_zero, s.elements),
             f"{key}/overflows%": _percent(s.overflows, s.elements)}
    if s.compared:
        found[f"{key}/mse"] = _number(lib.bnd_stats_mean_squared_error(ctypes.byref(s)))
    if s.scale_largest > 0:
        found[f"{key}/scale_inv_min"], found[f"{key}/scale_inv_max"] = s.scale_smallest, s.scale_largest
    if s.smallest > 0:
        found[f"{key}/cur_amax"] = s.largest
        found[f"{key}/dynamic_range"] = math.log2(s.largest) - math.log2(s.smallest)
    bins = list(s.exponents)
    if s.smallest > 0 and histogram and any(bins):
        first = next(i for i, n in enumerate(bins) if n)
        last = max(i for i, n in enumerate(bins) if n)
        found[f"{key}/exponents_from"], found[f"{key}/exponents"] = _FIRST + first, bins[first:last + 1]
    return found


def record(model: torch.nn.Module, directory: Optional[str] = None, *, name: Optional[str] = None,
           places: bool = True) -> Any:
    """Records the steps that a wrapped model makes, as `binade train` does: a context manager that gives a Record.

    Per step: the loss, the norm of the gradient, updates and lost updates, and for each role (act, gemm_fwd.x, ...) the
    shares of numbers that underflowed to zero or overflowed, the error, the largest number and a histogram of
    exponents; with places=True for each layer, too. `underflows()` names where numbers became zero.

    With a directory it writes config.json, metrics.jsonl and summary.json there, which `binade compare`, `report` and
    `export` read: one directory per run, and runs that are to be compared side by side in one folder. `name` is what
    these call the recipe. A step ends at the step() of an optimizer of libbinade.torch; with another optimizer, at the
    next forward pass after a backward pass, and updates are not counted then.

    >>> import torch, libbinade.torch as bt
    >>> model = bt.wrap(torch.nn.Linear(4, 2), "fp8-unscaled")
    >>> optimizer = bt.optim.SGD(model, lr=0.1)
    >>> with bt.record(model) as r:
    ...     (model(torch.ones(3, 4)) * 1e-6).sum().backward()
    ...     optimizer.step()
    >>> [(c.role, round(c.underflow_percent)) for c in r.underflows()]
    [('gemm_wgrad.dy', 100)]
    """
    return Record(model, None if directory is None else os.fspath(directory), name, places)


