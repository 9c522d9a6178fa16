"""What the weights of a checkpoint lose in other formats."""
import ctypes
import fnmatch
import math
from typing import Dict, Iterable, Optional, Union

from . import _types
from ._arrays import numpy as np
from ._checkpoint import Checkpoint, Path, Progress, decoded, opened_of
from ._lab import Handle, Result, Stop, columns_of, interruptible, lines_of, shape_at, texts_of
from ._native import call, lib, text
from ._options import context_of, real


class Scan(Result):
    """What weights lose: `tensors` (the worst first), each with its `candidates`; totals in `candidates`; `model`; the
    last lines of the command (`answer`, `limits`)."""

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
    return {"bytes": loss.bytes, "verdict": decoded(lib.bnd_survival_key(loss.verdict)), "sqnr": loss.sqnr,
            "exact": loss.exact, "to_zero": loss.to_zero, "overflows": loss.overflows, "broken": loss.broken,
            "squared_error": loss.squared_error, "squared_input": loss.squared_input}


def _scanned(t, names):
    found = {"name": decoded(t.name), "stored": decoded(t.stored), "shape": list(shape_at(t.shape, t.rank)),
             "elements": t.count, "bytes": t.bytes, "stays": t.stays}
    if t.stays:
        return {**found, "why": decoded(t.why)}
    found["input"] = {"smallest": t.input.smallest, "largest": t.input.largest, "zeros": t.zeros,
                      "subnormals": t.subnormals, "nans": t.input.nans_in, "infinities": t.input.infinities_in,
                      "fp32_lacks": t.lacking, "beyond_fp32": t.beyond,
                      "exponents": list(t.input.exponents)}
    found["smallest"] = names[t.smallest] if t.smallest < len(names) else None
    found["candidates"] = [{"name": name, **_loss(t.losses[i])} for i, name in enumerate(names)]
    return found


def _scan_result(path, scan, candidates, options, sqnr, max_underflow):
    names = [decoded(c.name) for c in candidates]
    totals, m = lib.bnd_scan_totals(scan), lib.bnd_scan_model_of(scan).contents
    keys = [decoded(lib.bnd_survival_key(v)) for v in range(_types.BND_SURVIVALS)]
    named = names + [None]
    answer = lines_of("bnd_scan_print_line", scan, candidates, len(candidates), ctypes.byref(options))
    found = Scan(checkpoint=path, asked={"sqnr": sqnr, "max_underflow": max_underflow}, answer=answer)
    counts = ("tensors", "elements", "bytes", "staying", "staying_bytes", "damaged")
    found["model"] = {key: getattr(m, key) for key in counts}
    found["model"].update(smallest=named[min(m.smallest, len(names))], mixed_bytes=m.mixed_bytes,
                          mixed_staying=m.mixed_staying)
    found["candidates"] = [
        {"name": name, "floor": candidates[i].floor, **_loss(totals[i].loss), "elements": totals[i].loss.elements,
         "worst": decoded(lib.bnd_scan_at(scan, totals[i].worst).contents.name), "meeting": totals[i].meeting,
         "tensors": dict(zip(keys, totals[i].verdicts))} for i, name in enumerate(names)] if m.tensors else []
    found["tensors"] = [_scanned(lib.bnd_scan_worst(scan, i).contents, names)
                        for i in range(lib.bnd_scan_tensors(scan))]
    found["limits"] = decoded(lib.bnd_scan_limits())
    return found


@_types.bnd_name_matches
def _matches(pattern, name):
    return fnmatch.fnmatchcase(decoded(name), decoded(pattern))


def _check_patterns(opened, names, what):
    names = texts_of(() if names is None else names, what)
    given = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
    call("bnd_checkpoint_check_patterns", opened._open(), what.encode(), given, len(names), _matches)
    return names


def _wanted(only, skip):
    def wanted(_, name):
        name = decoded(name)
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
    only, skip: patterns of names, with * and ?; one that matches no weight is refused.
    vectors: tensors with fewer than two axes, too.
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
    opened, handle, stop = opened_of(checkpoint), Handle("bnd_scan_free"), Stop(progress)
    context, watch = context_of(threads), stop.watch()
    options = _types.bnd_scan_options(context=ctypes.pointer(context), watch=ctypes.pointer(watch), vectors=vectors,
                                      asks_sqnr=sqnr is not None, sqnr=sqnr or 0,
                                      asks_underflow=max_underflow is not None, underflow=max_underflow or 0)
    only, skip = _check_patterns(opened, only, "only"), _check_patterns(opened, skip, "skip")
    options.wanted = dict(options._fields_)["wanted"](_wanted(only, skip))
    interruptible(lambda: call("bnd_scan_new", handle.out, opened._open(), candidates, len(names),
                               ctypes.byref(options)), stop)
    if lib.bnd_scan_tensors(handle.value) == 0:
        raise ValueError(f"{opened.path}: only and skip leave no tensor to scan" if only or skip else
                         f"{opened.path} has no tensors")
    model = lib.bnd_scan_model_of(handle.value)[0]
    if model.tensors == 0:
        first = lib.bnd_scan_at(handle.value, 0)[0]
        raise ValueError(f"{opened.path} has no matrix to scan: of {model.staying} tensor"
                         f"{'' if model.staying == 1 else 's'} none is one ({decoded(first.name)}: "
                         f"{decoded(first.why)}). vectors=True scans vectors, too")
    return _scan_result(opened.path, handle.value, candidates, options, math.nan if sqnr is None else sqnr,
                        math.nan if max_underflow is None else max_underflow)
