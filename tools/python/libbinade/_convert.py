"""Checkpoints in other formats and layouts."""
import ctypes
import itertools
import os
from typing import Iterable, Optional, Union

from . import _types
from ._checkpoint import Checkpoint, Path, Progress, decoded, opened_of, stored_as
from ._diff import compare_checkpoints
from ._lab import Handle, Result, Stop, interruptible, lines_of, path_of, shape_at, texts_of
from ._native import call, lib, text
from ._options import context_of, whole

_SIZE_MAX = ctypes.c_size_t(-1).value


def _sizes(shape):
    return "x".join(map(str, shape)) or "()"


class Plan(Result):
    """What quantize_checkpoint did, or would do: a row per tensor in `tensors`, sums, and `answer`: the lines of the
    command."""

    _list = "tensors"


def _per_parameter(size, parameters):
    return 8.0 * size / parameters if parameters else 0.0


def _bytes(size_in, size_out, parameters):
    return {"bytes_in": size_in, "bytes_out": size_out, "bits_per_parameter_in": _per_parameter(size_in, parameters),
            "bits_per_parameter_out": _per_parameter(size_out, parameters)}


def _how_planned(row):
    return {"from": stored_as(row.weight), "to": decoded(lib.bnd_planned_to(ctypes.byref(row))),
            "conversion": decoded(lib.bnd_conversion_name(row.conversion)), "reason": decoded(row.reason),
            "because": decoded(row.because)}


def _planned(row):
    return {"tensor": decoded(row.name), "shape": _sizes(shape_at(row.shape, row.rank)), **_how_planned(row),
            "elements": row.count, **_bytes(row.bytes_in, row.bytes_out, row.count),
            "group": None if row.group == _SIZE_MAX else row.group}


def _planned_kind(kind):
    return {**_how_planned(kind.first.contents), "weights": kind.weights, "elements": kind.elements,
            **_bytes(kind.bytes_in, kind.bytes_out, kind.elements)}


def _written_files(out):
    """The files of a checkpoint that was written, if one was."""
    if out is None:
        return {"files": [], "other_files": []}
    with Checkpoint(out) as written:
        handle, files, size = written._open(), [], ctypes.c_uint64()
        for i in range(lib.bnd_checkpoint_files(handle)):
            tensors = lib.bnd_checkpoint_file_tensors(ctypes.byref(size), handle, i)
            files.append({"file": decoded(lib.bnd_checkpoint_file_name(handle, i)), "tensors": tensors,
                          "bytes": size.value})
        return {"files": files, "other_files": [decoded(lib.bnd_checkpoint_other_name(handle, i))
                                                for i in range(lib.bnd_checkpoint_others(handle))]}


def _plan_result(plan, source, target):
    out = None if target is None else os.fsdecode(target)
    sums, layout = lib.bnd_quantize_plan_totals(plan), lib.bnd_quantize_plan_layout(plan)
    rows = [_planned(lib.bnd_quantize_plan_at(plan, i).contents) for i in range(lib.bnd_quantize_plan_count(plan))]
    kinds = [_planned_kind(lib.bnd_quantize_plan_kind_at(plan, i).contents)
             for i in range(lib.bnd_quantize_plan_kinds(plan))]
    return Plan({"in": source, "out": out, "answer": lines_of("bnd_quantize_plan_print_line", None, plan, target),
                 "layout": decoded(layout.contents.name) if layout else None,
                 "rule": decoded(lib.bnd_quantize_plan_rule(plan)) if layout else None,
                 "scale_format": decoded(lib.bnd_quantize_plan_scale_format(plan)) if layout else None,
                 "parameters": sums.parameters, "quantized_parameters": sums.quantized,
                 **_bytes(sums.bytes_in, sums.bytes_out, sums.parameters), "memory": sums.memory, "groups": sums.groups,
                 "input_scales": sums.inputs, "input_scales_kept": sums.inputs_kept, "plan": kinds,
                 "tensors": rows, **_written_files(out)})


def _list_of(values, what):
    values = [value.encode() for value in texts_of(values, what)]
    return (ctypes.c_char_p * len(values))(*values), len(values)


def _rule_of(rounding):
    rule = _types.bnd_rule()
    if rounding is not None:
        call("bnd_rounding_parse", ctypes.byref(rule), text(rounding, "rounding"))
    return rule


def quantize_checkpoint(checkpoint: Union[Path, Checkpoint], out: Optional[Path] = None, *, to: str,
                        layout: Optional[str] = None, scale: Optional[str] = None, rule: Optional[str] = None,
                        scale_dtype: Optional[str] = None, activations: Optional[str] = None,
                        keep: Union[str, Iterable[str]] = (), include: Union[str, Iterable[str]] = (),
                        fuse: bool = True, allow_nonfinite: bool = False, rounding: Optional[str] = None, seed: int = 0,
                        shard_size: int = 0, dry_run: bool = False, durable: bool = False,
                        threads: Optional[int] = None, progress: Optional[Progress] = None) -> Plan:
    """Writes a checkpoint in another format, in the layout of an inference engine, as `binade quantize`.

    out: a folder or a .safetensors file that is new or empty (one with contents is not replaced); None only with
    dry_run, which writes nothing. shard_size: bytes per file of a folder.
    to: e4m3, int8, nvfp4, mxfp4, mxfp8; or bf16, fp16, fp32, which decode quantized weights.
    layout: compressed-tensors (the default), fp8, fp8-block, modelopt, gpt-oss, comfyui. keep: patterns of weights that
    stay as they are.
    include: patterns of matrices that are quantized although they stay by default; one that matches integers only is
    refused. allow_nonfinite: accepts NaNs, infinities, and numbers that overflow to infinity.
    """
    if out is None and not dry_run:
        raise ValueError("out must name a folder or a .safetensors file, unless dry_run is set")
    seed, shard_size = whole(seed, "seed"), whole(shard_size, "shard_size", 2**63 - 1)
    target, opened = None if out is None else path_of(out, "out"), opened_of(checkpoint)
    handle, stop = Handle("bnd_quantize_plan_free"), Stop(progress)
    context, watch = context_of(threads), stop.watch()
    kept, keeps = _list_of(keep, "keep")
    also, alsos = _list_of(include, "include")
    how = _types.bnd_quantize(to=text(to, "to"), keep=ctypes.addressof(kept), keeps=keeps, also=ctypes.addressof(also),
                              alsos=alsos, unfused=not fuse, allow_nonfinite=allow_nonfinite,
                              rounding=_rule_of(rounding), seed=seed, shard_size=shard_size,
                              context=ctypes.pointer(context))
    given = {"layout": layout, "scale": scale, "rule": rule, "scale_format": scale_dtype, "activations": activations}
    for member, value in given.items():
        setattr(how, member, None if value is None else text(value, member))
    call("bnd_quantize_plan_new", handle.out, opened._open(), ctypes.byref(how))
    if not dry_run:
        interruptible(lambda: call("bnd_checkpoint_quantize", handle.value, target, durable, ctypes.byref(watch)), stop)
    return _plan_result(handle.value, opened.path, None if dry_run else target)


class Relayout(Result):
    """What relayout did to each tensor (`tensors`, and sums in `changes`), whether the values are the same, and the
    lines of the command (`answer`)."""

    _list = "tensors"

    @property
    def identical_values(self) -> bool:
        """All weights and static input scales are the same. Needs check=True."""
        return self["compared"] == self["identical"] and self["input_scales"] == self["input_scales_identical"]


def _relaid_tensor(t, names):
    a, b = getattr(t, "from").contents, t.to.contents
    return {"weight": decoded(t.weight.contents.name), "part": decoded(lib.bnd_layout_part_name(t.part)),
            "from": decoded(a.name), "to": decoded(b.name),
            "dtype_from": decoded(a.dtype), "dtype_to": decoded(b.dtype),
            "shape_from": list(shape_at(a.shape, a.rank)), "shape_to": list(shape_at(b.shape, b.rank)),
            "changes": [name for c, name in enumerate(names) if t.changes >> c & 1]}


def _relaid(opened, written):
    """How each tensor changed, and what the metadata keep for a relayout back."""
    handle = Handle("bnd_relayout_changes_free")
    call("bnd_relayout_changes_new", handle.out, opened._open(), written._open())
    names = [decoded(lib.bnd_relaid_change_name(change)) for change in range(_types.BND_RELAID_CHANGES)]
    counts = [lib.bnd_relayout_changes_with(handle.value, change) for change in range(len(names) + 1)]
    tensors = [lib.bnd_relayout_changes_at(handle.value, i).contents
               for i in range(lib.bnd_relayout_changes_count(handle.value))]
    pairs = itertools.takewhile(bool, (lib.bnd_relayout_kept_at(written._open(), i) for i in itertools.count()))
    return {"changes": dict(zip(names + ["unchanged"], counts)),
            "tensors": [_relaid_tensor(t, names) for t in tensors],
            "reciprocals": [{"tensor": decoded(getattr(t, "from").contents.name),
                             "part": decoded(lib.bnd_layout_part_name(t.part)), "from": t.number_from,
                             "to": t.number_to, "back": t.number_back, "ulps": t.ulps}
                            for t in tensors if t.is_reciprocal],
            "kept": [{"key": decoded(pair.contents.key), "bytes": len(pair.contents.value)} for pair in pairs]}


def _compared(opened, written, threads, stop):
    """The values of what was laid out anew, compared with those of the input."""
    handle = compare_checkpoints(opened, written, None, False, threads, stop)
    found, same = _types.bnd_relayout_compared(), ctypes.c_size_t()
    found.weights = lib.bnd_diff_count(handle.value)
    found.weights_same = lib.bnd_diff_kinds(handle.value, _types.BND_DIFFERENCE_NONE)
    found.inputs = lib.bnd_relayout_compare_inputs(ctypes.byref(same), opened._open(), written._open())
    found.inputs_same = same.value
    return found


def relayout(checkpoint: Union[Path, Checkpoint], out: Path, layout: str, *, check: bool = True, shard_size: int = 0,
             threads: Optional[int] = None, progress: Optional[Progress] = None) -> Relayout:
    """Writes the same codes in another layout (compressed-tensors, fp8, modelopt), as `binade relayout`. With check,
    the values of both checkpoints are compared."""
    target, opened, stop = path_of(out, "out"), opened_of(checkpoint), Stop(progress)
    context, result = context_of(threads), _types.bnd_relayout_result()
    shard_size = whole(shard_size, "shard_size", 2**63 - 1)
    how = _types.bnd_relayout(layout=text(layout, "layout"), shard_size=shard_size, context=ctypes.pointer(context),
                              watch=stop.watch())
    interruptible(lambda: call("bnd_checkpoint_relayout", ctypes.byref(result), opened._open(), target,
                               ctypes.byref(how), True), stop)
    found = Relayout({"in": opened.path, "out": os.fsdecode(target), "answer": [],
                      "from": decoded(getattr(result, "from").contents.name), "to": decoded(result.to.contents.name),
                      "weights": result.weights, "scales_cast": result.scales_cast,
                      "second_scales": result.seconds,
                      "second_scales_moved": result.seconds_moved, "input_scales": result.inputs,
                      "input_scales_moved": result.inputs_moved, "restored": result.restored})
    with Checkpoint(os.fsdecode(target)) as written:
        compared = _compared(opened, written, threads, stop) if check else None
        if check:
            found.update(compared=compared.weights, identical=compared.weights_same,
                         input_scales_identical=compared.inputs_same)
        found["answer"] = lines_of("bnd_relayout_print_line", ctypes.byref(result), target,
                                   ctypes.byref(compared) if check else None)
        found.update(_relaid(opened, written))
    return found
