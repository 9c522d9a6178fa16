"""How two checkpoints differ, and how a quantized one was made."""
import ctypes
from typing import Optional, Union

from . import _types
from ._checkpoint import Checkpoint, Path, Progress, decoded, opened_of, stored_as
from ._lab import Handle, Result, Stop, interruptible, lines_of, shape_at
from ._native import call, lib
from ._options import context_of


class Diff(Result):
    """How two checkpoints differ: sums over all weights, `list` with one entry per weight, `explained_by`, and the
    first lines of the command (`answer`)."""

    _list = "list"

    @property
    def same(self) -> bool:
        """All weights have the same values."""
        return self["differences"][decoded(lib.bnd_difference_name(_types.BND_DIFFERENCE_NONE))] == self["weights"]


def compare_checkpoints(a, b, base, explain, threads, stop):
    handle, context = Handle("bnd_diff_free"), context_of(threads)
    options = _types.bnd_diff_options(base=None if base is None else base._open(), explain=explain,
                                      context=ctypes.pointer(context), watch=stop.watch())
    interruptible(lambda: call("bnd_diff_new", handle.out, a._open(), b._open(), ctypes.byref(options)), stop)
    return handle


def _sums(s):
    return {"elements": s.elements, "equal": s.equal, "below_fp32": s.below_fp32, "zero_signs": s.zero_signs,
            "nonfinite": s.nonfinite, "largest_ulps": s.largest_ulps, "largest_error": s.largest_error,
            "mean_error": lib.bnd_difference_mean(ctypes.byref(s)), "squared_error": s.squared_error,
            "squared_b": s.squared_b, "sqnr_db": lib.bnd_difference_sqnr(ctypes.byref(s)), "ulps": list(s.bins)}


_MADE = ("tensor_scale", "scale", "quotient", "rounding", "zero")


def _explanation(how, weight):
    out = ctypes.create_string_buffer(512)
    lib.bnd_explanation_print(out, len(out), ctypes.byref(how), weight)
    found = {"text": decoded(out.value), "element": decoded(how.element.name), "other_element": how.other_element,
             "inverted": how.inverted, "explained": how.codes_made == how.codes and how.scales_made == how.scales}
    for part, key in enumerate(_MADE):
        rows = [r for r in range(min(64, lib.bnd_made_count(part))) if how.fits[part] >> r & 1]
        rows.sort(key=lambda r: r != how.row[part])  # the first one is the answer; the others do as well
        found[key] = [decoded(lib.bnd_made_at(part, r).contents.name) for r in rows]
    return {**found, "codes": how.codes, "codes_made": how.codes_made, "nearest_made": how.nearest_made,
            "scales": how.scales, "scales_made": how.scales_made, "tensor_scales": how.tensors,
            "tensor_scales_made": how.tensors_made, "fused": how.fused, "least_scale": how.least}


def _difference(w):
    either = (w.a if w.a else w.b).contents
    found = {"weight": decoded(w.name), "difference": decoded(lib.bnd_difference_name(w.kind))}
    if w.why:
        found["why"] = decoded(w.why)
    for key in "ab":
        side = getattr(w, key)
        found[key] = stored_as(side) if side else None
    found.update(shape=list(shape_at(either.shape, either.rank)), same_bytes=w.same_bytes,
                 unit=decoded(w.unit.contents.name), **_sums(w.sums))
    if w.explained.why_not is None:
        found["explained"] = _explanation(w.explained, w.a)
    else:
        found["not_explained"] = decoded(w.explained.why_not)
    return found


def diff(a: Union[Path, Checkpoint], b: Union[Path, Checkpoint], *, base: Union[Path, Checkpoint, None] = None,
         explain: bool = True, threads: Optional[int] = None, progress: Optional[Progress] = None) -> Diff:
    """How two checkpoints differ, and how a quantized one was made, as `binade diff`.

    base: the unquantized model that A was made from (by default B, for weights that are quantized in A only).
    explain: search which scale rule, quotient and rounding give A from its base, bit for bit.
    """
    first, second = opened_of(a), opened_of(b)
    third = None if base is None else opened_of(base)
    handle = compare_checkpoints(first, second, third, explain, threads, Stop(progress))
    d, found = handle.value, Diff(a=first.path, b=second.path, base=None if third is None else third.path)
    kinds = range(_types.BND_DIFFERENCE_NONE, _types.BND_DIFFERENCE_UNKNOWN + 1)
    found["answer"] = lines_of("bnd_diff_print_line", d)
    found["weights"] = lib.bnd_diff_count(d)
    found["differences"] = {decoded(lib.bnd_difference_name(k)): lib.bnd_diff_kinds(d, k) for k in kinds}
    found.update(_sums(lib.bnd_diff_sums(d).contents))
    found["ulps_up_to"] = [0.0] + [2.0 ** (i - 2) for i in range(1, len(found["ulps"]))]
    groups = (lib.bnd_diff_group_at(d, i).contents for i in range(lib.bnd_diff_groups(d)))
    found["explained_by"] = []
    for g in groups:
        example = lib.bnd_diff_at(d, g.first).contents
        found["explained_by"].append({"weights": g.weights, "first": decoded(example.name),
                                      **_explanation(g.sum, example.a)})
    found["list"] = [_difference(lib.bnd_diff_at(d, i).contents) for i in range(found["weights"])]
    return found
