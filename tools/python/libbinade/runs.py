"""Training runs in any recipe: train, sweep, load and compare them.

The functions make the same calls as the commands binade train, sweep and compare, take their options as arguments, and
give their answers.

>>> runs = train("mlp", ["fp32", "bf16-sr"], steps=20, seeds=2)
>>> runs.columns["recipe"].tolist()
['fp32', 'fp32', 'bf16-sr', 'bf16-sr']
>>> [row["verdict"] for row in runs.recipes][0]
'reference'
>>> runs[0].columns["loss"].shape
(20,)
"""
from __future__ import annotations  # numpy may be missing

import ctypes
import math
import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from . import _types
from ._arrays import numpy as np
from ._lab import Interrupted, Result, Stop, call_about, columns_of, interruptible, lines_of, path_of, recipes_of
from ._native import brief, call, lib, text
from ._options import context_of, one_of, real, whole
from ._records import Records, Run, Runs, name_of
from ._training import SEEDS, training_of
from ._values import printed

__all__ = ["Progress", "Run", "Runs", "Sweep", "compare", "learning_rates", "load_run", "models", "optimizers",
           "recipes", "sweep", "train"]

Path = Union[str, "os.PathLike[str]"]
_MANY = 2**32 - 1


class Progress(NamedTuple):
    """What a run has done so far."""

    recipe: str
    seed: int
    step: int
    steps: int
    loss: float


# ---- what is to be run ----

def _several(lr):
    if not hasattr(lr, "__iter__") or isinstance(lr, str):
        raise TypeError(f"lr must be a list of learning rates, not {brief(lr)}")
    return lr


_STATISTICS = ("none", "roles", "places")


class _Recipe(NamedTuple):
    name: str
    policy: Any
    switch_at: Optional[int] = None
    switch_to: Any = None


def _task(training, recipe, k, checkpoint, validate, statistics):
    """The task of a recipe under the k-th pair of seeds, without a directory."""
    one_of(statistics, _STATISTICS, "statistics")
    t, task = _types.bnd_training(), _types.bnd_task()
    ctypes.pointer(t)[0] = training
    for name in SEEDS:
        setattr(t, name, (getattr(t, name) + k) % 2**64)
    t.policy = recipe.policy
    lib.bnd_task_default(ctypes.byref(task), ctypes.byref(t))
    task.recipe = recipe.name.encode()
    if checkpoint is not None:
        task.checkpoint_every = whole(checkpoint, "checkpoint", _MANY)
    if validate is not None:
        task.validate_every = whole(validate, "validate", _MANY)
    task.statistics, task.places = statistics != "none", statistics == "places"
    if recipe.switch_at is not None:
        if recipe.switch_at >= t.steps:
            raise ValueError(f"switch at step {recipe.switch_at}: the runs have only {t.steps} steps")
        task.switches, task.switch_at, task.switch_to = True, recipe.switch_at, recipe.switch_to
    return task


def _recipe_list(recipe, switch, reference):
    """The recipes, fp32 first where a reference is wanted, and each once more with a switch."""
    found = dict(recipes_of(recipe))
    added = reference and "fp32" not in found
    if reference:
        found = {"fp32": found.get("fp32") or recipes_of("fp32")[0][1], **found}
    listed = [_Recipe(name, policy) for name, policy in found.items()]
    if switch is not None:
        words = switch.rsplit("@", 1) if isinstance(switch, str) else switch
        if not isinstance(words, (list, tuple)) or len(words) != 2 or not words[0] or not str(words[1]).isdecimal():
            raise ValueError(f"switch must be 'RECIPE@STEP', not {brief(switch)}")
        others, step = recipes_of(words[0]), whole(int(words[1]), "the step of switch", _MANY)
        if len(others) != 1:
            raise ValueError(f"switch must name one recipe, got {len(others)}: {brief(switch)}")
        to, policy = others[0]
        listed += [_Recipe(f"{r.name}>{to}@{step}", r.policy, step, policy) for r in listed[1 if added else 0:]]
    return listed


def _run(tasks, threads, progress):
    """Makes the runs; their records, and whether Ctrl-C ended them."""
    count = len(tasks)
    array, records = (_types.bnd_task * count)(*tasks), Records((_types.bnd_record * count)(), count)
    context, stop, interrupted = context_of(threads), Stop(progress), False

    def watch(_, number, so_far):
        if progress is None:
            return stop()
        record, task = ctypes.cast(so_far, ctypes.POINTER(_types.bnd_record)).contents, tasks[number]
        last = record.points[record.count - 1] if record.count else None
        return stop(Progress(name_of(task.recipe), task.training.seed_init, last.step + 1 if last else 0,
                             task.training.steps, last.loss if last else math.nan))

    watcher = _types.bnd_study_watch(watch)
    try:
        interruptible(lambda: call("bnd_study_run", records.items, array, count, ctypes.byref(context), watcher, None),
                      stop)
    except Interrupted:
        interrupted = True
    return records, interrupted


def _needs_out(out, **given):
    """Raises ValueError for what would do nothing without a directory."""
    for name, what in given.items():
        if out is None and what is not None and what is not False:
            raise ValueError(f"{name} needs out, the directory that the runs are kept in")


def _directory(out, name):
    return None if out is None else os.path.join(path_of(out, "out"), name) if name else path_of(out, "out")


def _task_name(recipe, seed):
    name = ctypes.create_string_buffer(2 * _types.BND_RECORD_NAME_SIZE)
    lib.bnd_task_name(name, len(name), recipe, seed)
    return name.value


def train(model: str = "transformer", recipe: Union[str, Iterable[str]] = ("fp32", "bf16-amp", "fp16-pure"), *,
          seeds: int = 1, optimizer: str = "adamw", switch: Optional[str] = None, margin: float = 0.05,
          out: Optional[Path] = None, resume: bool = False, checkpoint: Optional[int] = None,
          validate: Optional[int] = None, statistics: str = "roles", threads: Optional[int] = None,
          progress: Optional[Callable[[Progress], Any]] = None, reference: bool = True, **options) -> Runs:
    """Trains a model in fp32 and in each recipe, and compares them, as `binade train`.

    recipe: names of recipes(), settings ("base=bf16-amp,v=bf16"), files; one, or several. reference: whether fp32 is
    added; without it, the first recipe is the reference.
    seeds: pairs of seeds; three or more give verdicts. margin: the tolerance, of the loss above the irreducible one.
    optimizer: a name of optimizers(). switch: "RECIPE@STEP".
    out: a directory that keeps the runs; resume continues them. checkpoint, validate: every so many steps; by default
    at the end only. statistics of casts: "none", "roles" or "places". threads: by default all cores.
    options: steps, lr, betas, eps, wd, schedule, batch, width, depth, heads, context, vocabulary, inputs, tied, data,
    data_type, tokenizer, source, init, order, recompute, clip, micro_batches, ranks, seed_init, seed_data,
    seed_rounding, and blocks, as `binade train --blocks` takes them. Without them, the model's own. config: Hugging
    Face's config.json of a GPT-2 or Llama: the model and its sizes.
    progress: called with a Progress after each step; False stops the runs, with a checkpoint each.

    Ctrl-C stops the runs after their present step, with a checkpoint each, and raises Interrupted, whose `made` has
    what was made.

    >>> [row["recipe"] for row in train("mlp", "bf16-sr", steps=3).recipes]
    ['fp32', 'bf16-sr']
    """
    _needs_out(out, resume=bool(resume), checkpoint=checkpoint)
    training, recipe_list = training_of(model, optimizer, options), _recipe_list(recipe, switch, bool(reference))
    if not reference and any(r.name == "fp32" for r in recipe_list):
        raise ValueError("reference=False needs recipes without fp32")
    margin, count = real(margin, "margin", 0), whole(seeds, "seeds", 10000, 1)
    tasks = [_task(training, r, k, checkpoint, validate, statistics) for r in recipe_list for k in range(count)]
    for task in tasks:
        name = _task_name(task.recipe, task.training.seed_init) if len(tasks) > 1 else b""
        task.directory, task.resume = _directory(out, name), bool(resume)
    records, interrupted = _run(tasks, threads, progress)
    first = records.items[0]
    about = {"model": name_of(training.model), "data": os.fsdecode(training.data), "parameters": first.parameters,
             "optimizer": name_of(training.optimizer), "schedule": name_of(training.schedule), "lr": training.lr,
             "steps": training.steps, **_parts_of(training), "seeds": count,
             "floor": _mean(records.items[:count], "floor"),
             "chance_loss": _mean(records.items[:count], "chance_loss")}
    made = Runs(records.items, len(tasks), records, margin, about)
    if interrupted:
        raise Interrupted(made)
    return made


def _parts_of(training):
    """What a step's gradient is made of, where that was asked."""
    parts = {"clip": training.clip} if training.clip > 0 else {}
    if training.ranks > 1 or training.micro_batches > 1:
        parts.update(ranks=training.ranks, micro_batches=training.micro_batches)
    return parts


def _mean(records, member):
    total = 0.0
    for record in records:
        total += getattr(record, member)
    return total / len(records)


# ---- runs that were made ----

def load_run(path: Path, *, step_column: Optional[str] = None, loss_column: Optional[str] = None) -> Run:
    """Reads a run: the directory of one, finished or not, or a log with a step and a loss. step_column, loss_column:
    as in compare.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = train("mlp", "fp32", steps=3, out=folder + "/run")
    ...     load_run(folder + "/run")["steps"]
    3
    """
    if step_column is not None or loss_column is not None:
        items, count, out = _read(path, _columns(step_column, loss_column))
        owner = _Read(out, count)
        if count != 1:
            raise ValueError(f"{os.fsdecode(path_of(path))} holds {count} runs; compare() reads several")
        return Run(items[0], owner)
    records = Records((_types.bnd_record * 1)(), 0)
    call_about(os.fsdecode(path_of(path)), "bnd_record_read", ctypes.byref(records.items[0]), path_of(path))
    records.count = 1
    return Run(records.items[0], records)


def _columns(step, loss):
    """The names of columns in logs; None where the usual ones are looked for."""
    return _types.bnd_log_columns(step=None if step is None else text(step, "step_column"),
                                  loss=None if loss is None else text(loss, "loss_column"))


def _read(path, columns):
    out, count = ctypes.POINTER(_types.bnd_record)(), ctypes.c_size_t()
    call_about(os.fsdecode(path_of(path)), "bnd_records_read_log", ctypes.byref(out), ctypes.byref(count),
               path_of(path), ctypes.byref(columns))
    items = (_types.bnd_record * count.value)()
    ctypes.memmove(items, out, ctypes.sizeof(items))
    return items, count.value, out


class _Read:
    """Records of a file, freed with the last reference."""

    def __init__(self, out, count):
        self.out, self.count = out, count

    def __del__(self):
        lib.bnd_records_free(self.out, self.count)


def compare(*runs: Union[Path, Run, Runs], margin: float = 0.05, step_column: Optional[str] = None,
            loss_column: Optional[str] = None) -> Runs:
    """Compares runs with those of fp32, or with the first if none is in fp32, as `binade compare`.

    runs: directories of runs, directories of such directories, logs (JSON lines or CSV with a step and a loss), and
    what load_run and train gave. step_column, loss_column: names of columns in logs of other programs.

    >>> one, other = train("mlp", "fp32", steps=3), train("mlp", "bf16-sr", steps=3)
    >>> compare(one, other[1]).columns["recipe"].tolist()
    ['fp32', 'bf16-sr']
    """
    if not runs:
        raise ValueError("expected a run directory, a directory of runs, a log, or runs")
    columns = _columns(step_column, loss_column)
    found, owners, left_out = [], [], []
    for given in runs:
        if isinstance(given, Run):
            found.append(given._record)
            owners.append(given._owners)
        elif isinstance(given, Runs):
            found += [run._record for run in given]
            owners.append(given)
        else:
            items, count, out = _read(given, columns)
            owners.append(_Read(out, count))
            found += [items[i] for i in range(count)]
            left_out.append(printed("bnd_records_print_left_out", path_of(given)))
    records = (_types.bnd_record * len(found))(*found)
    compared = Runs(records, len(found), owners, real(margin, "margin", 0))
    compared.notes += [note + "." for note in left_out if note]
    return compared


# ---- sweeps ----

def learning_rates(low: float, high: float, count: int) -> List[float]:
    """Learning rates from low to high with equal ratios, rounded to three digits, or more where they need it,
    except for the ends.

    >>> learning_rates(1e-4, 1e-1, 4)
    [0.0001, 0.001, 0.01, 0.1]
    """
    rates = (ctypes.c_double * whole(count, "count", 1000, 1))()
    call("bnd_grid_rates", rates, len(rates), real(low, "low", positive=True), real(high, "high", positive=True))
    return list(rates)


class Sweep(Result):
    """A sweep: `recipes`, each with its best learning rate, verdict and `points`. columns: a row per recipe and rate.
    `runs` are the runs, `answer` the conclusion in words, as reports have it."""

    _list = "recipes"

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """A row per recipe and learning rate."""
        return columns_of([{"recipe": row["recipe"], **point} for row in self["recipes"] for point in row["points"]])


def _sweep_row(row):
    learned, best, gap = row.failed < row.count, row.rates[row.best], getattr(row, "is")
    points = [{"lr": p.lr, "runs": p.runs, "failed": p.failed, "loss": p.loss,
               "interval": p.interval if p.failed == 0 else math.nan, "capped_loss": p.result}
              for p in row.rates[:row.rate_count]]
    verdict = name_of(lib.bnd_sweep_verdict(ctypes.byref(row)))
    return {"recipe": name_of(row.recipe), "best_lr": best.lr if learned else math.nan, "loss": best.loss,
            "interval": best.interval if best.failed == 0 else math.nan,
            "verdict": verdict or None, "others": name_of(lib.bnd_sweep_others(ctypes.byref(row))) if verdict else None,
            "gap": gap.gap if row.compared else math.nan,
            "gap_interval": gap.interval if row.compared else math.nan, "runs": row.count, "failed": row.failed,
            "lr_sensitivity": lib.bnd_rates_sensitivity(row.rates, row.rate_count) if learned else math.nan,
            "points": points}


def sweep(model: str = "transformer", recipe: Union[str, Iterable[str]] = ("fp32", "bf16-amp", "fp16-pure"),
          lr: Optional[Sequence[float]] = None, *, seeds: int = 1, optimizer: str = "adamw", margin: float = 0.05,
          out: Optional[Path] = None, keep_checkpoints: bool = False, statistics: str = "roles",
          threads: Optional[int] = None, progress: Optional[Callable[[Progress], Any]] = None, **options) -> Sweep:
    """Trains recipes under several learning rates, and compares each at its best with fp32 at its best, as
    `binade sweep`. lr: learning rates; by default learning_rates(1e-4, 1e-1, 7). Runs in `out` that are complete are
    not made again. The other arguments: as in train.

    >>> sweep("mlp", "fp32", [1e-3, 1e-2], steps=3).columns["lr"].tolist()
    [0.001, 0.01]
    """
    rates = learning_rates(1e-4, 1e-1, 7) if lr is None else [real(x, "lr", positive=True) for x in _several(lr)]
    _needs_out(out, keep_checkpoints=bool(keep_checkpoints))
    rates = list(dict.fromkeys(rates))
    if not rates:
        raise ValueError("lr must have at least one learning rate")
    if "lr" in options:
        raise TypeError("lr must be a list of learning rates")
    training, listed = training_of(model, optimizer, options), _recipe_list(recipe, None, False)
    margin, count = real(margin, "margin", 0), whole(seeds, "seeds", 10000, 1)
    of_recipes = (_types.bnd_task * len(listed))(*(_task(training, r, 0, None, None, statistics) for r in listed))
    values = (ctypes.c_double * len(rates))(*rates)
    grid = _types.bnd_grid(tasks=of_recipes, recipes=len(listed), lr=ctypes.addressof(values), lrs=len(rates),
                           seeds=count)
    tasks, name = [], ctypes.create_string_buffer(2 * _types.BND_RECORD_NAME_SIZE)
    for point in range(lib.bnd_grid_count(ctypes.byref(grid))):
        task = _types.bnd_task()
        lib.bnd_grid_task(ctypes.byref(task), name, len(name), ctypes.byref(grid), point)
        task.recipe, task.directory = bytes(task.recipe), _directory(out, name.value)
        task.resume, task.drops_checkpoint = True, not keep_checkpoints
        tasks.append(task)
    records, interrupted = _run(tasks, threads, progress)
    each = len(rates) * count
    rows = (_types.bnd_sweep_row * len(listed))()
    for i, row in enumerate(rows):
        row.recipe, row.count = listed[i].name.encode(), each
        row.records = ctypes.cast(ctypes.byref(records.items, i * each * ctypes.sizeof(_types.bnd_record)),
                                  ctypes.POINTER(_types.bnd_record))
    call("bnd_sweep_sum_up", rows, len(rows), margin)
    try:
        made = Sweep(model=name_of(training.model), optimizer=name_of(training.optimizer),
                     schedule=name_of(training.schedule), steps=training.steps, seeds=count,
                     answer=lines_of("bnd_sweep_print_line", rows, len(rows)),
                     recipes=[_sweep_row(row) for row in rows])
    finally:
        lib.bnd_sweep_close(rows, len(rows))
    made.__dict__["runs"] = [Run(records.items[i], records) for i in range(len(tasks))]
    if interrupted:
        raise Interrupted(made)
    return made


# ---- tables ----

def recipes() -> List[Dict[str, str]]:
    """The built-in recipes: name, title, settings.

    >>> recipes()[0]["name"]
    'fp32'
    """
    return [{"name": name_of(lib.bnd_recipe_name(i)), "title": name_of(lib.bnd_recipe_title(i)),
             "settings": name_of(lib.bnd_recipe_settings(i))} for i in range(lib.bnd_recipe_count())]


def models() -> List[Dict[str, str]]:
    """The models that train takes: name, title.

    >>> [model["name"] for model in models()]
    ['quadratic', 'linear', 'logistic', 'mlp', 'student', 'transformer', 'gpt2', 'llama']
    """
    return [{"name": name_of(lib.bnd_model_name(i)), "title": name_of(lib.bnd_model_title(i))}
            for i in range(lib.bnd_model_count())]


def optimizers() -> List[Dict[str, str]]:
    """The optimizers that train takes: name, title.

    >>> optimizers()[0]["name"]
    'sgd'
    """
    return [{"name": name_of(lib.bnd_optimizer_name(i)), "title": name_of(lib.bnd_optimizer_title(i))}
            for i in range(lib.bnd_optimizer_count())]
