"""Trained weights in any recipe, without training.

The function makes the same calls as the command binade evaluate, and gives its answer.

>>> import tempfile
>>> from libbinade import train
>>> with tempfile.TemporaryDirectory() as folder:
...     _ = train("transformer", "fp32", steps=3, width=16, depth=1, heads=2, out=folder + "/run")
...     found = evaluate(folder + "/run", "mxfp8", batches=2, tensors=0)
>>> [row["recipe"] for row in found.recipes]
['fp32', 'mxfp8']
"""
import ctypes
import math
import os
from typing import Any, Callable, Dict, Iterable, Optional, Union

from . import _types
from ._arrays import numpy as np
from ._lab import Handle, Result, Stop, Table, call_about, columns_of, interruptible, path_of, recipes_of
from ._native import call, lib
from ._options import context_of, whole
from ._training import set_data

__all__ = ["Evaluation", "evaluate"]

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], Any]
_MOST_BATCHES = 2**20


class Evaluation(Table, Result):
    """The loss of trained weights in each recipe: `recipes`, each with the `tensors` that increase it most."""

    _list = "recipes"

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """A row per recipe, then one for each of its tensors, as binade evaluate --csv has them."""
        rows, usual = [], self["recipes"][0]["loss"]
        for row in self["recipes"]:
            rows.append({"tensors": "", **{key: row[key] for key in ("loss", "change", "interval", "weight_bytes")}})
            rows += [{"loss": usual + part["change"], **part} for part in row["tensors"]]
            for made in rows[-1 - len(row["tensors"]):]:
                made.update(checkpoint=self["checkpoint"], recipe=row["recipe"])
        return columns_of(rows)

    def _cells(self):
        cells = [("recipe", "loss", "change", "interval", "perplexity", "weights (bytes)", "largest increase")]
        for row in self["recipes"]:
            numbers = [row[key] for key in ("loss", "change", "interval", "perplexity")]
            texts = ["NaN" if math.isnan(x) else f"{x:.5g}" for x in numbers]
            texts[3] = "-" if texts[3] == "NaN" != texts[0] else texts[3]  # there is none
            cells.append((row["recipe"], *texts, f"{row['weight_bytes']:,}",
                          ", ".join(part["tensors"] for part in row["tensors"])))
        return cells


class _Evaluated(_types.bnd_evaluated):
    """A result of the library, freed with the last reference."""

    def __del__(self):
        lib.bnd_evaluated_close(ctypes.byref(self))


def _row(name, one, run):
    tensors = [{"tensors": lib.bnd_run_place_name(run, part.place).decode("utf-8", "replace"), "change": part.change,
                "interval": part.interval} for part in one.places[:one.place_count]]
    return {"recipe": name, "loss": one.loss, "change": one.change, "interval": one.interval,
            "perplexity": one.perplexity if one.has_perplexity else math.nan, "weight_bytes": one.weight_bytes,
            "tensors": tensors}


def _open(path, config, context_size, data, threads):
    """A run with the weights, what they are, and the context that the run uses."""
    found, run, context = _types.bnd_trained_weights(), Handle("bnd_run_free"), context_of(threads)
    call("bnd_trained_weights_find", ctypes.byref(found), path, config)
    if not found.is_run and data[0] is None:
        raise ValueError("weights of Hugging Face need data: tokens, or text for 256 symbols")
    if context_size is not None:
        if found.is_run:
            raise ValueError("context can be used only with weights of Hugging Face")
        found.training.context = context_size
    set_data(found.training, *data)
    found.data_hash = 0 if data[0] is not None else found.data_hash  # another one, on purpose
    found.tokenizer_hash = 0 if data[2] is not None else found.tokenizer_hash
    interruptible(lambda: call("bnd_trained_weights_open", run.out, ctypes.byref(found), path, ctypes.byref(context)),
                  Stop())
    return run, found


def _evaluate_all(run, recipes, batches, most, progress):
    """The results, in the order of the recipes, of which the first is the reference."""
    stop, done, results = Stop(progress), 0, []
    each = lib.bnd_run_places(run) if most > 0 else 1
    total = 1 + each * (len(recipes) - 1)

    def at(_, now, __):
        return stop(done + now, total)

    watch = _types.bnd_watch(at=dict(_types.bnd_watch._fields_)["at"](at))
    for name, policy in recipes:
        one = _Evaluated()
        reference = ctypes.byref(results[0]) if results else None
        interruptible(lambda: call_about(name, "bnd_evaluate", ctypes.byref(one), run, ctypes.byref(policy), reference,
                                         batches, most, ctypes.byref(watch)), stop)
        done += each if results else 1
        results.append(one)
    return results


def evaluate(checkpoint: Path, recipe: Union[str, Iterable[str], None] = None, *, data: Optional[Path] = None,
             data_type: Optional[str] = None, tokenizer: Optional[Path] = None, config: Optional[Path] = None,
             context: Optional[int] = None, batches: int = 32, tensors: int = 3, threads: int = 1,
             progress: Optional[Progress] = None) -> Evaluation:
    """The loss of trained weights in fp32 and in each recipe, without training, as `binade evaluate`.

    checkpoint: the checkpoint.safetensors of a run, its directory, or a folder with GPT-2's or Llama's weights and
    their config.json, as Hugging Face has them. config: another config.json.
    recipe: names of recipes(), settings, files; one, or several. By default those of the command.
    data: validation text, or tokens (data_type, tokenizer: as in train); by default that of the run. context: tokens
    per sequence, of Hugging Face's weights only.
    batches: of the validation. tensors: how many tensors to name that increase the loss most; 0 is faster.
    progress: called with the losses that are done and their number; False, or an exception, ends the evaluation.
    """
    name, usual = path_of(checkpoint, "checkpoint"), lib.bnd_evaluate_defaults().decode()
    listed = dict(recipes_of(usual if recipe is None else recipe))
    listed = {"fp32": listed.get("fp32") or recipes_of("fp32")[0][1], **listed}
    batches = whole(batches, "batches", _MOST_BATCHES, 1)
    most = whole(tensors, "tensors", _types.BND_PLACES_MAX)
    size = None if context is None else whole(context, "context", 2**32 - 1, 1)
    handle, found = _open(name, None if config is None else path_of(config, "config"), size,
                          (data, data_type, tokenizer), threads)
    results = _evaluate_all(handle.value, list(listed.items()), batches, most, progress)
    training = found.training
    return Evaluation(checkpoint=os.fsdecode(name), model=training.model.decode(),
                      trained_with=found.recipe.decode("utf-8", "replace"), steps=found.step,
                      parameters=lib.bnd_run_elements(handle.value), data=os.fsdecode(training.data), batches=batches,
                      recipes=[_row(name, one, handle.value) for name, one in zip(listed, results)])
