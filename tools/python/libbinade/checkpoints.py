"""Checkpoints: open them, scan their weights, check, quantize, lay out anew and compare them.

A checkpoint is a .safetensors file, a folder of them, a .gguf or a .npy file. The functions make the same calls as the
commands binade scan, lint, quantize, relayout and diff. Their results have the keys of --json, except for the sentences
in `answer` and `limits` of scan and lint.
"""
import ctypes
import fnmatch
import itertools
import json
import math
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from ._arrays import numpy as np

from . import _types
from ._lab import Handle, Result, Stop, call_about, columns_of, interruptible, lines_of, path_of, shape_at, texts_of
from ._native import call, lib, text
from ._options import context_of, real, whole

__all__ = ["Checkpoint", "diff", "lint", "lint_checks", "layouts", "loaders", "open_checkpoint", "quantize_checkpoint",
           "relayout", "scan"]

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], Any]
_SIZE_MAX = ctypes.c_size_t(-1).value


def _decode(value):
    return value.decode("utf-8", "replace") if value is not None else None


class _Memory:
    """Memory of a checkpoint as numpy takes it. It keeps the checkpoint open as long as there are arrays."""

    def __init__(self, handle, address, typestr, shape):
        self._handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": typestr, "shape": shape}


# The types of numpy for stored numbers, by the name of their format.
_FLOATS = {"fp64": "<f8", "fp32": "<f4", "fp16": "<f2"}


def _stored_type(t):
    """The numpy type and the shape of a stored tensor: its numbers, or codes or bytes where numpy has no such type."""
    shape = shape_at(t.shape, t.rank)
    if t.kind == _types.BND_STORED_FLOAT and t.bits >= 8:
        return _FLOATS.get(t.format.contents.name.decode(), f"<u{t.bits // 8}"), shape
    if t.kind == _types.BND_STORED_INTEGER and t.bits in (8, 16, 32, 64):
        return f"<{'i' if t.is_signed else 'u'}{t.bits // 8}", shape
    if t.kind == _types.BND_STORED_OTHER and t.dtype in (b"BOOL", b"|b1"):
        return "|b1", shape
    codes = 8 // t.bits if t.bits in (1, 2, 4) else 0
    if codes and shape and shape[-1] % codes == 0:  # codes in bytes, the last axis packed
        return "|u1", shape[:-1] + (shape[-1] // codes,)
    return "|u1", (t.size,)


class Checkpoint:
    """An open checkpoint: a mapping from the names of its stored tensors to numpy arrays.

    Arrays are views of the mapped file, and read-only: nothing is copied. What numpy has no type for are codes (BF16:
    uint16; FP8: uint8; 4 bits: two codes per byte) or bytes (blocks of GGUF). `weight` decodes instead.

    >>> import tempfile, struct
    >>> header = b'{"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    >>> path = tempfile.mkdtemp() + "/one.safetensors"
    >>> with open(path, "wb") as file:
    ...     _ = file.write(struct.pack("<Q", len(header)) + header + struct.pack("<HH", 0x3F80, 0xC000))
    >>> checkpoint = open_checkpoint(path)
    >>> list(checkpoint), checkpoint.dtype("w"), checkpoint.shape("w")
    (['w'], 'BF16', (2,))
    >>> checkpoint["w"]
    array([16256, 49152], dtype=uint16)
    >>> checkpoint.weight("w")
    array([ 1., -2.], dtype=float32)
    """

    def __init__(self, path: Path, strict: bool = True):
        name, found = path_of(path), []
        handle = Handle("bnd_checkpoint_free")
        report = None if strict else _types.bnd_checkpoint_damage(
            lambda _, *what: found.append(tuple(map(_decode, what))))
        call_about(os.fsdecode(name), "bnd_checkpoint_new", handle.out, name, report, None)
        self._handle: Optional[Handle] = handle
        self.path, self._strict = os.fsdecode(name), bool(strict)
        #: What is wrong with the files, if strict is False: (code, where, message).
        self.damage: List[Tuple[str, str, str]] = found

    def __reduce__(self):
        """A copy, or one in another process, opens the files again."""
        self._open()
        return Checkpoint, (self.path, self._strict)

    def _open(self):
        if self._handle is None:
            raise ValueError(f"{self.path} is closed")
        return self._handle.value

    def close(self) -> None:
        """Closes the files when the last array of them is gone."""
        self._handle = None

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # ---- stored tensors ----

    def __len__(self) -> int:
        return lib.bnd_checkpoint_count(self._open())

    def __iter__(self) -> Iterator[str]:
        handle = self._open()
        return iter([_decode(lib.bnd_checkpoint_at(handle, i).contents.name) for i in range(len(self))])

    def __contains__(self, name) -> bool:
        return isinstance(name, str) and bool(lib.bnd_checkpoint_find(self._open(), name.encode()))

    def keys(self) -> List[str]:
        """The names of the stored tensors, file by file, in the order of the data."""
        return list(self)

    def items(self):
        """Names and arrays."""
        return ((name, self[name]) for name in self)

    def _stored(self, name):
        found = lib.bnd_checkpoint_find(self._open(), text(name, "the name of a tensor"))
        if not found:
            raise KeyError(f"{self.path} has no tensor {name!r}")
        return found.contents

    def __getitem__(self, name: str) -> np.ndarray:
        t = self._stored(name)
        kind, shape = _stored_type(t)
        if t.size == 0:
            return np.empty(shape, dtype=kind)
        return np.asarray(_Memory(self._handle, t.data, kind, shape))

    def dtype(self, name: str) -> str:
        """The type of a stored tensor, as its file calls it: "BF16", "F8_E4M3"; in GGUF "MXFP4"."""
        return _decode(self._stored(name).dtype)

    def shape(self, name: str) -> Tuple[int, ...]:
        """The shape of a stored tensor, the slowest axis first."""
        t = self._stored(name)
        return shape_at(t.shape, t.rank)

    # ---- weights ----

    @property
    def weights(self) -> List[str]:
        """The names of the weights, as an unquantized checkpoint has them. A quantized weight is several tensors."""
        handle = self._open()
        return [_decode(lib.bnd_checkpoint_weight_at(handle, i).contents.name)
                for i in range(lib.bnd_checkpoint_weights(handle))]

    def _weight(self, name):
        found = lib.bnd_checkpoint_find_weight(self._open(), text(name, "the name of a weight"))
        if not found:
            raise KeyError(f"{self.path} has no weight {name!r}")
        return found

    def weight(self, name: str, out: Optional[np.ndarray] = None, threads: Optional[int] = None) -> np.ndarray:
        """The numbers of a weight as float32: of quantized weights the product of codes and scales, rounded once."""
        found = self._weight(name)
        shape = shape_at(found.contents.shape, found.contents.rank)
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        elif not (isinstance(out, np.ndarray) and out.dtype == np.float32 and out.shape == shape
                  and out.flags.c_contiguous and out.flags.writeable):
            raise ValueError(f"out must be a writable, C-contiguous array of float32 with the shape {shape}")
        context = context_of(threads)
        call("bnd_decode_weight_f32", ctypes.c_void_p(out.ctypes.data), found, 0, found.contents.count,
             ctypes.byref(context))
        return out

    def describe(self, name: str) -> Result:
        """How a weight is stored: layout ("" where it is one tensor), dtype, shape, bits per element, and its tensors
        by part ("codes", "scales" ...)."""
        found = self._weight(name)
        w = found.contents
        parts = {_decode(lib.bnd_layout_part_name(i)): _decode(part.contents.name)
                 for i, part in enumerate(w.parts) if part}
        return Result(name=_decode(w.name), layout=_decode(w.layout.contents.name) if w.layout else "",
                      dtype=_stored_as(found), shape=list(shape_at(w.shape, w.rank)), elements=w.count,
                      bits_per_element=w.bits_per_element, decodes=w.is_float, why_not=_decode(w.why_not) or "",
                      parts=parts)

    # ---- the rest ----

    @property
    def kind(self) -> str:
        """What kind of files it has: safetensors, gguf or npy."""
        return ("safetensors", "gguf", "npy")[lib.bnd_checkpoint_kind_of(self._open())]

    @property
    def files(self) -> Dict[str, int]:
        """The files with tensors, and their sizes in bytes."""
        handle = self._open()
        return {os.fsdecode(lib.bnd_checkpoint_file_name(handle, i)): lib.bnd_checkpoint_file_size(handle, i)
                for i in range(lib.bnd_checkpoint_files(handle))}

    @property
    def metadata(self) -> Dict[str, str]:
        """The texts of __metadata__, or the strings of GGUF."""
        handle = self._open()
        pairs = (lib.bnd_checkpoint_metadata_at(handle, i).contents
                 for i in range(lib.bnd_checkpoint_metadata_count(handle)))
        return {_decode(pair.key): _decode(pair.value) for pair in pairs}

    @property
    def config(self) -> Optional[dict]:
        """config.json of the folder; None if there is none."""
        length = ctypes.c_size_t()
        found = lib.bnd_checkpoint_text(self._open(), b"config.json", ctypes.byref(length))
        return None if found is None else json.loads(found.decode())

    def __repr__(self) -> str:
        if self._handle is None:
            return f"Checkpoint({self.path!r}, closed)"
        size = sum(self.files.values())
        return f"Checkpoint({self.path!r}: {len(self)} tensors in {len(self.files)} files of {size:,} bytes)"


def open_checkpoint(path: Path, strict: bool = True) -> Checkpoint:
    """Opens a checkpoint: a file or a folder. With strict=False, damage that leaves something to read is not an error:
    it is in `.damage`, and tensors that cannot be read are left out."""
    return Checkpoint(path, strict)


def _opened(checkpoint):
    return checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)


def _stored_as(weight):
    """The layout of a weight, or its dtype."""
    return _decode(lib.bnd_stored_as(weight))


# ---- scan ----

class Scan(Result):
    """What weights lose: `tensors` (the worst first), each with its `candidates`; totals in `candidates`; `model`."""

    _list = "tensors"

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """A row per tensor and candidate, as binade scan --csv has them."""
        rows = [{"tensor": t["name"], "stored": t["stored"], "shape": "x".join(map(str, t["shape"])) or "scalar",
                 "elements": t["elements"], "bytes": t["bytes"], "candidate": c["name"], "candidate_bytes": c["bytes"],
                 **{key: c[key] for key in ("sqnr", "verdict", "exact", "to_zero", "overflows", "broken")}}
                for t in self["tensors"] if not t["stays"] for c in t["candidates"]]
        return columns_of(rows)


def _loss(loss):
    return {"bytes": loss.bytes, "verdict": _decode(lib.bnd_survival_key(loss.verdict)), "sqnr": loss.sqnr,
            "exact": loss.exact, "to_zero": loss.to_zero, "overflows": loss.overflows, "broken": loss.broken,
            "squared_error": loss.squared_error, "squared_input": loss.squared_input}


def _scanned(t, names):
    found = {"name": _decode(t.name), "stored": _decode(t.stored), "shape": list(shape_at(t.shape, t.rank)),
             "elements": t.count, "bytes": t.bytes, "stays": t.stays}
    if t.stays:
        return {**found, "why": _decode(t.why)}
    found["input"] = {"smallest": t.input.smallest, "largest": t.input.largest, "zeros": t.zeros,
                      "subnormals": t.subnormals, "nans": t.input.nans_in, "infinities": t.input.infinities_in,
                      "exponents": list(t.input.exponents)}
    found["smallest"] = names[t.smallest] if t.smallest < len(names) else None
    found["candidates"] = [{"name": name, **_loss(t.losses[i])} for i, name in enumerate(names)]
    return found


def _scan_result(path, scan, candidates, sqnr, max_underflow):
    names = [_decode(c.name) for c in candidates]
    totals, m = lib.bnd_scan_totals(scan), lib.bnd_scan_model_of(scan).contents
    keys = [_decode(lib.bnd_survival_key(v)) for v in range(_types.BND_SURVIVALS)]
    named = names + [None]
    found = Scan(checkpoint=path, asked={"sqnr": sqnr, "max_underflow": max_underflow})
    counts = ("tensors", "elements", "bytes", "staying", "staying_bytes", "damaged")
    found["model"] = {key: getattr(m, key) for key in counts}
    found["model"].update(smallest=named[min(m.smallest, len(names))], mixed_bytes=m.mixed_bytes,
                          mixed_staying=m.mixed_staying)
    found["candidates"] = [
        {"name": name, "floor": candidates[i].floor, **_loss(totals[i].loss), "elements": totals[i].loss.elements,
         "worst": _decode(lib.bnd_scan_at(scan, totals[i].worst).contents.name), "meeting": totals[i].meeting,
         "tensors": dict(zip(keys, totals[i].verdicts))} for i, name in enumerate(names)] if m.tensors else []
    found["tensors"] = [_scanned(lib.bnd_scan_worst(scan, i).contents, names)
                        for i in range(lib.bnd_scan_tensors(scan))]
    return found


def _wanted(only, skip):
    only, skip = (texts_of(() if names is None else names, what) for names, what in ((only, "only"), (skip, "skip")))

    def wanted(_, name):
        name = _decode(name)
        return ((not only or any(fnmatch.fnmatchcase(name, glob) for glob in only))
                and not any(fnmatch.fnmatchcase(name, glob) for glob in skip))
    return wanted


def scan(checkpoint: Union[Path, Checkpoint], formats: Union[str, Iterable[str], None] = None, *,
         sqnr: Optional[float] = None, max_underflow: Optional[float] = None, only: Union[str, Iterable[str]] = (),
         skip: Union[str, Iterable[str]] = (), vectors: bool = False, threads: Optional[int] = None,
         progress: Optional[Progress] = None) -> Scan:
    """What the weights of a checkpoint lose in other formats, as `binade scan`.

    formats: candidates such as "e4m3", "e4m3/row", "mxfp8:floor", "nvfp4"; by default those of the command.
    sqnr, max_underflow: what every tensor must keep: decibels, and the largest share of nonzero weights that become 0.
    only, skip: patterns of names, with * and ?. vectors: tensors with fewer than two axes, too.
    progress: called with the bytes that are done and their number; False, or an exception, ends the scan.
    """
    if formats is None:
        formats = lib.bnd_candidate_defaults().decode().split(",")
    names = [name for given in texts_of(formats, "a candidate") for name in given.split(",")]
    if not names:
        raise ValueError("formats must name at least one candidate")
    candidates = (_types.bnd_candidate * len(names))()
    for candidate, name in zip(candidates, names):
        call("bnd_candidate_parse", ctypes.byref(candidate), text(name, "a candidate"))
    sqnr = None if sqnr is None else real(sqnr, "sqnr")
    max_underflow = None if max_underflow is None else real(max_underflow, "max_underflow", 0)
    if max_underflow is not None and max_underflow > 1:
        raise ValueError(f"max_underflow must be a share from 0 to 1, not {max_underflow!r}")
    opened, handle, stop = _opened(checkpoint), Handle("bnd_scan_free"), Stop(progress)
    context, watch = context_of(threads), stop.watch()
    options = _types.bnd_scan_options(context=ctypes.pointer(context), watch=ctypes.pointer(watch), vectors=vectors,
                                      asks_sqnr=sqnr is not None, sqnr=sqnr or 0,
                                      asks_underflow=max_underflow is not None, underflow=max_underflow or 0)
    options.wanted = dict(options._fields_)["wanted"](_wanted(only, skip))
    interruptible(lambda: call("bnd_scan_new", handle.out, opened._open(), candidates, len(names),
                               ctypes.byref(options)), stop)
    if lib.bnd_scan_tensors(handle.value) == 0:
        raise ValueError(f"{opened.path} has no tensor with such a name")
    return _scan_result(opened.path, handle.value, candidates, math.nan if sqnr is None else sqnr,
                        math.nan if max_underflow is None else max_underflow)


# ---- lint ----

class Lint(Result):
    """What is wrong with a checkpoint: `findings`, and `layouts` with the loaders of each."""

    _list = "findings"

    @property
    def ok(self) -> bool:
        """Nothing is damaged, and nothing looks wrong."""
        return self["damage"] + self["suspect"] == 0


def _loaders_of(layout, only=None):
    found = []
    for i in range(_types.BND_LOADERS):
        cell, name = lib.bnd_loader_cell_of(layout, i), _decode(lib.bnd_loader_name(i))
        if only is None or name == only:
            found.append({"loader": name, "loads": _decode(lib.bnd_loads_name(cell.loads)), "note": _decode(cell.note),
                          "source": _decode(cell.source)})
    return found


def _check_of(check):
    return {"code": _decode(check.code), "severity": _decode(lib.bnd_severity_name(check.severity)),
            "effect": _decode(lib.bnd_effect_name(check.effect)), "title": _decode(check.title),
            "source": _decode(check.source)}


def _loader_name(loader):
    names = [_decode(lib.bnd_loader_name(i)) for i in range(_types.BND_LOADERS)]
    found = [name for name in names if name.lower() == loader.lower()] if isinstance(loader, str) else []
    if not found:
        raise ValueError(f"unknown loader {loader!r} (available: {', '.join(names)})")
    return found[0]


def lint(path: Path, loader: Optional[str] = None, *, every_scale: bool = False, codes: bool = True) -> Lint:
    """What is wrong with a checkpoint, and which software loads it, as `binade lint`.

    loader: only the answers of this one, "vLLM". every_scale: all scales, however many. codes: a sample of FP8 codes.
    """
    only = None if loader is None else _loader_name(loader)
    name, handle = path_of(path), Handle("bnd_lint_free")
    options = _types.bnd_lint_options(every_scale=every_scale, no_codes=not codes)
    call_about(os.fsdecode(name), "bnd_lint_new", handle.out, name, ctypes.byref(options))
    sums, found = lib.bnd_lint_summary_of(handle.value).contents, Lint(path=os.fsdecode(name))
    found.update(damage=sums.damage, suspect=sums.suspect, note=sums.note, findings=[], layouts=[])
    for i in range(lib.bnd_lint_findings(handle.value)):
        f = lib.bnd_lint_finding_at(handle.value, i).contents
        check = _check_of(f.check.contents)
        found["findings"].append({"code": check["code"], "severity": _decode(lib.bnd_severity_name(f.severity)),
                                  "effect": check["effect"], "title": check["title"], "where": _decode(f.where),
                                  "message": _decode(f.message), "source": check["source"]})
    for i in range(lib.bnd_lint_layouts(handle.value)):
        row = lib.bnd_lint_layout_at(handle.value, i).contents
        layout = row.layout.contents.name if row.layout else b"unquantized"
        found["layouts"].append({"layout": _decode(layout),
                                 "title": _decode(row.layout.contents.title) if row.layout else "",
                                 "weights": row.weights, "elements": row.elements, "bytes": row.bytes,
                                 "loaders": _loaders_of(layout, only)})
    found.update(files=sums.files, tensors=sums.tensors, bytes=sums.bytes, scale_bytes=sums.scale_bytes,
                 scale_bytes_read=sums.scales_read, code_bytes_read=sums.codes_read)
    return found


def lint_checks() -> List[Dict[str, str]]:
    """The checks of lint: code, severity, effect, title, and where the damage is known from."""
    return [_check_of(lib.bnd_lint_check_at(i).contents) for i in range(lib.bnd_lint_check_count())]


def layouts() -> List[Dict[str, str]]:
    """The layouts of quantized weights: name, title, block format, source."""
    rows = (lib.bnd_layout_at(i).contents for i in range(lib.bnd_layout_count()))
    return [{key: _decode(getattr(row, key)) for key in ("name", "title", "block", "source")} for row in rows]


def loaders(layout: str) -> List[Dict[str, str]]:
    """Which software loads a layout ("compressed-tensors/nvfp4", or "unquantized"): loader, loads (yes, partly, no,
    unknown), note, source.

    >>> [row["loader"] for row in loaders("gguf/q8_0")][:2]
    ['vLLM', 'SGLang']
    """
    return _loaders_of(text(layout, "layout"))


# ---- quantize, relayout ----

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
    return {"from": _stored_as(row.weight), "to": _decode(lib.bnd_planned_to(ctypes.byref(row))),
            "conversion": _decode(lib.bnd_conversion_name(row.conversion)), "reason": _decode(row.reason),
            "because": _decode(row.because)}


def _planned(row):
    return {"tensor": _decode(row.name), "shape": _sizes(shape_at(row.shape, row.rank)), **_how_planned(row),
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
            files.append({"file": _decode(lib.bnd_checkpoint_file_name(handle, i)), "tensors": tensors,
                          "bytes": size.value})
        return {"files": files, "other_files": [_decode(lib.bnd_checkpoint_other_name(handle, i))
                                                for i in range(lib.bnd_checkpoint_others(handle))]}


def _plan_result(plan, source, target):
    out = None if target is None else os.fsdecode(target)
    sums, layout = lib.bnd_quantize_plan_totals(plan), lib.bnd_quantize_plan_layout(plan)
    rows = [_planned(lib.bnd_quantize_plan_at(plan, i).contents) for i in range(lib.bnd_quantize_plan_count(plan))]
    kinds = [_planned_kind(lib.bnd_quantize_plan_kind_at(plan, i).contents)
             for i in range(lib.bnd_quantize_plan_kinds(plan))]
    return Plan({"in": source, "out": out, "answer": lines_of("bnd_quantize_plan_print_line", None, plan, target),
                 "layout": _decode(layout.contents.name) if layout else None,
                 "rule": _decode(lib.bnd_quantize_plan_rule(plan)) if layout else None,
                 "scale_format": _decode(lib.bnd_quantize_plan_scale_format(plan)) if layout else None,
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

    out: a folder that is new or empty, or a .safetensors file; None only with dry_run, which writes nothing.
    to: e4m3, int8, nvfp4, mxfp4, mxfp8; or bf16, fp16, fp32, which decode quantized weights.
    layout: compressed-tensors (the default), fp8, fp8-block, modelopt. keep: patterns of weights that stay as they are.
    include: patterns of matrices that are quantized although they stay by default.
    """
    if out is None and not dry_run:
        raise ValueError("out must name a folder or a .safetensors file, unless dry_run is set")
    seed, shard_size = whole(seed, "seed"), whole(shard_size, "shard_size", 2**63 - 1)
    target, opened = None if out is None else path_of(out, "out"), _opened(checkpoint)
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
    if shard_size == 0 and len(opened.files) > 1:
        how.shard_size = 5_000_000_000  # as other tools have it
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
    return {"weight": _decode(t.weight.contents.name), "part": _decode(lib.bnd_layout_part_name(t.part)),
            "from": _decode(a.name), "to": _decode(b.name),
            "dtype_from": _decode(a.dtype), "dtype_to": _decode(b.dtype),
            "shape_from": list(shape_at(a.shape, a.rank)), "shape_to": list(shape_at(b.shape, b.rank)),
            "changes": [name for c, name in enumerate(names) if t.changes >> c & 1]}


def _relaid(opened, written):
    """How each tensor changed, and what the metadata keep for a relayout back."""
    handle = Handle("bnd_relayout_changes_free")
    call("bnd_relayout_changes_new", handle.out, opened._open(), written._open())
    names = [_decode(lib.bnd_relaid_change_name(change)) for change in range(_types.BND_RELAID_CHANGES)]
    counts = [lib.bnd_relayout_changes_with(handle.value, change) for change in range(len(names) + 1)]
    tensors = [lib.bnd_relayout_changes_at(handle.value, i).contents
               for i in range(lib.bnd_relayout_changes_count(handle.value))]
    pairs = itertools.takewhile(bool, (lib.bnd_relayout_kept_at(written._open(), i) for i in itertools.count()))
    return {"changes": dict(zip(names + ["unchanged"], counts)),
            "tensors": [_relaid_tensor(t, names) for t in tensors],
            "reciprocals": [{"tensor": _decode(getattr(t, "from").contents.name),
                             "part": _decode(lib.bnd_layout_part_name(t.part)), "from": t.number_from,
                             "to": t.number_to, "back": t.number_back, "ulps": t.ulps}
                            for t in tensors if t.is_reciprocal],
            "kept": [{"key": _decode(pair.contents.key), "bytes": len(pair.contents.value)} for pair in pairs]}


def _compared(opened, written, threads, stop):
    """The values of what was laid out anew, compared with those of the input."""
    handle = _compare(opened, written, None, False, threads, stop)
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
    target, opened, stop = path_of(out, "out"), _opened(checkpoint), Stop(progress)
    context, result = context_of(threads), _types.bnd_relayout_result()
    shard_size = whole(shard_size, "shard_size", 2**63 - 1)
    how = _types.bnd_relayout(layout=text(layout, "layout"), shard_size=shard_size, context=ctypes.pointer(context),
                              watch=stop.watch())
    interruptible(lambda: call("bnd_checkpoint_relayout", ctypes.byref(result), opened._open(), target,
                               ctypes.byref(how), True), stop)
    found = Relayout({"in": opened.path, "out": os.fsdecode(target), "answer": [],
                      "from": _decode(getattr(result, "from").contents.name), "to": _decode(result.to.contents.name),
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


# ---- diff ----

class Diff(Result):
    """How two checkpoints differ: sums over all weights, `list` with one entry per weight, `explained_by`, and the
    first lines of the command (`answer`)."""

    _list = "list"

    @property
    def same(self) -> bool:
        """All weights have the same values."""
        return self["differences"][_decode(lib.bnd_difference_name(_types.BND_DIFFERENCE_NONE))] == self["weights"]


def _compare(a, b, base, explain, threads, stop):
    handle, context = Handle("bnd_diff_free"), context_of(threads)
    options = _types.bnd_diff_options(base=None if base is None else base._open(), explain=explain,
                                      context=ctypes.pointer(context), watch=stop.watch())
    interruptible(lambda: call("bnd_diff_new", handle.out, a._open(), b._open(), ctypes.byref(options)), stop)
    return handle


def _sums(s):
    return {"elements": s.elements, "equal": s.equal, "zero_signs": s.zero_signs, "nonfinite": s.nonfinite,
            "largest_ulps": s.largest_ulps, "largest_error": s.largest_error,
            "mean_error": lib.bnd_difference_mean(ctypes.byref(s)), "squared_error": s.squared_error,
            "squared_b": s.squared_b, "sqnr_db": lib.bnd_difference_sqnr(ctypes.byref(s)), "ulps": list(s.bins)}


_MADE = ("tensor_scale", "scale", "quotient", "rounding", "zero")


def _explanation(how, weight):
    out = ctypes.create_string_buffer(512)
    lib.bnd_explanation_print(out, len(out), ctypes.byref(how), weight)
    found = {"text": _decode(out.value), "element": _decode(how.element.name), "other_element": how.other_element,
             "inverted": how.inverted, "explained": how.codes_made == how.codes and how.scales_made == how.scales}
    for part, key in enumerate(_MADE):
        rows = [r for r in range(min(64, lib.bnd_made_count(part))) if how.fits[part] >> r & 1]
        rows.sort(key=lambda r: r != how.row[part])  # the first one is the answer; the others do as well
        found[key] = [_decode(lib.bnd_made_at(part, r).contents.name) for r in rows]
    return {**found, "codes": how.codes, "codes_made": how.codes_made, "nearest_made": how.nearest_made,
            "scales": how.scales, "scales_made": how.scales_made, "tensor_scales": how.tensors,
            "tensor_scales_made": how.tensors_made, "fused": how.fused, "least_scale": how.least}


def _difference(w):
    either = (w.a if w.a else w.b).contents
    found = {"weight": _decode(w.name), "difference": _decode(lib.bnd_difference_name(w.kind))}
    if w.why:
        found["why"] = _decode(w.why)
    for key in "ab":
        side = getattr(w, key)
        found[key] = _stored_as(side) if side else None
    found.update(shape=list(shape_at(either.shape, either.rank)), same_bytes=w.same_bytes,
                 unit=_decode(w.unit.contents.name), **_sums(w.sums))
    if w.explained.why_not is None:
        found["explained"] = _explanation(w.explained, w.a)
    else:
        found["not_explained"] = _decode(w.explained.why_not)
    return found


def diff(a: Union[Path, Checkpoint], b: Union[Path, Checkpoint], *, base: Union[Path, Checkpoint, None] = None,
         explain: bool = True, threads: Optional[int] = None, progress: Optional[Progress] = None) -> Diff:
    """How two checkpoints differ, and how a quantized one was made, as `binade diff`.

    base: the unquantized model that A was made from (by default B, for weights that are quantized in A only).
    explain: search which scale rule, quotient and rounding give A from its base, bit for bit.
    """
    first, second = _opened(a), _opened(b)
    third = None if base is None else _opened(base)
    handle = _compare(first, second, third, explain, threads, Stop(progress))
    d, found = handle.value, Diff(a=first.path, b=second.path, base=None if third is None else third.path)
    kinds = range(_types.BND_DIFFERENCE_NONE, _types.BND_DIFFERENCE_UNKNOWN + 1)
    found["answer"] = lines_of("bnd_diff_print_line", d)
    found["weights"] = lib.bnd_diff_count(d)
    found["differences"] = {_decode(lib.bnd_difference_name(k)): lib.bnd_diff_kinds(d, k) for k in kinds}
    found.update(_sums(lib.bnd_diff_sums(d).contents))
    found["ulps_up_to"] = [0.0] + [2.0 ** (i - 2) for i in range(1, len(found["ulps"]))]
    groups = (lib.bnd_diff_group_at(d, i).contents for i in range(lib.bnd_diff_groups(d)))
    found["explained_by"] = []
    for g in groups:
        example = lib.bnd_diff_at(d, g.first).contents
        found["explained_by"].append({"weights": g.weights, "first": _decode(example.name),
                                      **_explanation(g.sum, example.a)})
    found["list"] = [_difference(lib.bnd_diff_at(d, i).contents) for i in range(found["weights"])]
    return found
