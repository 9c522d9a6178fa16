"""Runs that were made: one with its steps, and several with a comparison of their recipes."""
from __future__ import annotations  # numpy may be missing

import ctypes
import math
import os
from typing import Any, Dict, List, Sequence, Union

from . import _types
from ._arrays import numpy as np
from ._lab import Result, Table, columns_of, lines_of, path_of
from ._native import call, lib

Path = Union[str, "os.PathLike[str]"]


class Records:
    """Records that the library made, closed with the last reference."""

    def __init__(self, items, count):
        self.items, self.count = items, count

    def __del__(self):
        for i in range(self.count):
            lib.bnd_record_close(ctypes.byref(self.items[i]))


def name_of(value):
    return value.decode("utf-8", "replace")


_COUNTS = ("parameters", "updates", "lost", "skipped", "gradients", "underflowed", "overflows")


class Run(Result):
    """One run: what it was, what came out, what rounding did. `columns` has its steps."""

    def __init__(self, record, owners):
        super().__init__()
        self.__dict__["_record"], self.__dict__["_owners"] = record, owners
        r = record
        self.update(recipe=name_of(r.recipe), model=name_of(r.model), optimizer=name_of(r.optimizer),
                    seed_init=r.seed_init, seed_data=r.seed_data, lr=r.lr, steps=r.steps, complete=r.complete,
                    ended=r.ended, loss=r.loss,
                    validation_fp32=r.validation_fp32, validation=r.validation,
                    result=lib.bnd_record_result(ctypes.byref(r)), floor=r.floor, chance_loss=r.chance_loss,
                    **{name: getattr(r, name) for name in _COUNTS},
                    memory_bytes=lib.bnd_record_memory(ctypes.byref(r)),
                    bytes_per_parameter=lib.bnd_record_bytes_per_parameter(ctypes.byref(r)),
                    activation_bytes=float(r.saved) if r.saved else math.nan, flops=r.flops, seconds=r.seconds,
                    source=None if r.source is None else os.fsdecode(r.source),
                    step_column=None if r.step_column is None else name_of(r.step_column),
                    loss_column=None if r.loss_column is None else name_of(r.loss_column))

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """The steps: step, loss, gradient_norm, lr, loss_scale, update_ratio, seconds, validation ... , a numpy array
        each. What was not measured is NaN."""
        names = [name for name, _ in _types.bnd_point._fields_]
        if self._record.count == 0:
            return {name: np.empty(0) for name in names}
        address = ctypes.cast(self._record.points, ctypes.c_void_p).value
        block = (_types.bnd_point * self._record.count).from_address(address)
        points = np.frombuffer(block, np.dtype(_types.bnd_point))
        return {name: points[name].copy() for name in names}

    @property
    def memory(self) -> Dict[str, int]:
        """Bytes by role: parameters, gradients, master, moments, and the activations saved for the backward pass."""
        found = {name_of(lib.bnd_role_name(i)): lib.bnd_record_memory_of(ctypes.byref(self._record), i)
                 for i in range(_types.BND_ROLE_COUNT)}
        return {role: size for role, size in found.items() if size > 0}

    def write_csv(self, path: Path) -> None:
        """Writes the steps as CSV."""
        call("bnd_record_write_csv", ctypes.byref(self._record), path_of(path))

    def plot(self, axes=None):
        """The loss over the steps, with matplotlib. Returns the axes."""
        axes = axes or _axes("columns has")
        found = self.columns
        axes.plot(found["step"], found["loss"], label=self["recipe"])
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        return axes

    def __copy__(self):
        return Run(self._record, self._owners)

    def __reduce_ex__(self, protocol):
        raise TypeError("a Run cannot be pickled or deeply copied, as it is in the library's memory: dict(run) and "
                        "run.columns can, and train(out=...) keeps it for load_run")

    def __repr__(self):
        return (f"Run({self['recipe']}, seed {self['seed_init']}: {self._record.count} of {self['steps']} steps, "
                f"loss {self['result']:.5g})")


def _axes(numbers):
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(f"plots need matplotlib, which is not installed; {numbers} the numbers") from None
    return pyplot.subplots()[1]


class Runs(Table, Sequence):
    """Runs, and a comparison of their recipes: a sequence of Run.

    columns: a row per run, as numpy arrays: pandas.DataFrame(runs.columns). recipes: a dictionary per recipe with its
    verdict, gap, lost updates, memory: what --json says. table: the same as columns. answer: the conclusion in words,
    a sentence each. notes: what is easily misread, when runs failed, and which recipes save no memory.
    """

    def __init__(self, records, count, owners, margin, about=None):
        rows, row_count = ctypes.POINTER(_types.bnd_summary_row)(), ctypes.c_size_t()
        self._records, self._owners, self.margin, self._about = records, owners, margin, about or {}
        call("bnd_summary_make", ctypes.byref(rows), ctypes.byref(row_count), records, count, margin)
        try:
            self._rows = []  # name, first run, number of runs
            #: A dictionary per recipe: verdict, pairs, final_loss, gap ...
            self.recipes: List[Dict[str, Any]] = []
            first = 0
            for i in range(row_count.value):
                self._rows.append((name_of(rows[i].name), first, rows[i].count))
                self.recipes.append(_recipe_row(rows, i))
                first += rows[i].count
            self._runs = [Run(records[i], (records, owners)) for i in range(first)]  # repeats stand behind them
            #: "Use bf16-pure: no difference from fp32, with 50 % of its memory.", which failed, which are worse ...
            self.answer: List[str] = lines_of("bnd_summary_print_line", rows, row_count.value)
            #: Paragraphs, as in a report.
            self.notes: List[str] = lines_of("bnd_summary_print_note", rows, row_count.value, True)
            at = rows[0].reference if row_count.value else 0
            #: The recipe that others are compared with, and the share of the way from chance level that it covered.
            self.reference: str = self._rows[at][0] if self._rows else ""
            self.reference_covered: float = getattr(rows[at], "is").covered if self._rows else math.nan
        finally:
            lib.bnd_summary_free(rows)

    def __copy__(self):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError("Runs cannot be pickled or deeply copied, as they are in the library's memory: columns and "
                        "recipes can, and train(out=...) keeps them for compare")

    def __len__(self):
        return len(self._runs)

    def __getitem__(self, at):
        return self._runs[at]

    @property
    def complete(self) -> bool:
        """All runs made their steps, or ended in NaN."""
        return all(run["complete"] for run in self)

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """A row per run: recipe, seeds, loss, counts of rounding, memory, and the verdict of its recipe."""
        found = columns_of(list(self._runs))
        verdicts = [row["verdict"] for row, (_, _, count) in zip(self.recipes, self._rows) for _ in range(count)]
        return {**found, "verdict": np.array(verdicts)}

    @property
    def table(self) -> Dict[str, np.ndarray]:
        """A row per recipe."""
        return columns_of(self.recipes)

    def to_dict(self) -> Dict[str, Any]:
        """The answer of the command's --json, but for the speed of this machine; its conclusion is `answer`."""
        runs = [{key: run[key] for key in ("recipe", "seed_init", "seed_data", "complete", "loss", "validation_fp32",
                                           "validation", "result")} for run in self]
        found = {**self._about, "reference": self.reference, "reference_covered": self.reference_covered,
                 "margin": self.margin, "answer": self.answer, "notes": self.notes,
                 "recipes": self.recipes}
        columns = ("source", "step_column", "loss_column")
        logs = [{key: run[key] for key in columns} for run in self if run["step_column"] is not None]
        return {**found, "runs": runs} if self._about else {**found, "logs": logs}

    def curves(self) -> Dict[str, Dict[str, np.ndarray]]:
        """The smoothed mean loss of each recipe: step, mean, and half the 95 % interval."""
        found = {}
        for name, first, count in self._rows:
            curve = _types.bnd_curve()
            records = (_types.bnd_record * count)(*(self._records[first + i] for i in range(count)))
            call("bnd_records_curve", ctypes.byref(curve), records, count)
            try:
                found[name] = {key: _copied(getattr(curve, key), curve.count, kind) for key, kind in
                               (("step", ctypes.c_uint64), ("mean", ctypes.c_double), ("interval", ctypes.c_double))}
            finally:
                lib.bnd_curve_close(ctypes.byref(curve))
        return found

    def plot(self, axes=None):
        """The curves of all recipes, with matplotlib. Returns the axes."""
        axes = axes or _axes("curves() has")
        for name, curve in self.curves().items():
            line, = axes.plot(curve["step"], curve["mean"], label=name)
            low, high = curve["mean"] - curve["interval"], curve["mean"] + curve["interval"]
            axes.fill_between(curve["step"], low, high, alpha=0.2, color=line.get_color(), linewidth=0)
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.legend()
        return axes

    def _cells(self):
        cells = [("recipe", "verdict", "loss", "gap", "lost updates", "memory (bytes)")]
        for row in self.recipes:
            numbers = (row["final_loss"], row["gap"], row["lost_updates_percent"], row["memory_bytes"])
            loss, gap, lost, memory = ("" if math.isnan(x) else x for x in numbers)
            cells.append((row["recipe"], row["verdict"], "NaN" if loss == "" else f"{loss:.5g}",
                          gap and f"{gap:+.4f}", lost if lost == "" else f"{lost:.3g} %", memory and f"{memory:,.0f}"))
        return [[str(cell) for cell in row] for row in cells]


def _copied(pointer, count, kind):
    address = pointer if isinstance(pointer, int) else ctypes.cast(pointer, ctypes.c_void_p).value
    return np.frombuffer((kind * count).from_address(address), np.dtype(kind)).copy() if count else np.empty(0)


def _recipe_row(rows, i):
    found = {"recipe": name_of(rows[i].name), "verdict": name_of(lib.bnd_summary_verdict(rows, i)),
             "others": name_of(lib.bnd_summary_others(rows, i))}
    for number in range(_types.BND_SUMMARY_NUMBERS):
        found[name_of(lib.bnd_summary_number_name(number))] = lib.bnd_summary_value(rows, i, number)
    return found
