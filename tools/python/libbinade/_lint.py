"""What is wrong with a checkpoint, and which software loads it."""
import ctypes
import difflib
import os
from typing import Dict, List, Optional

from . import _types
from ._checkpoint import Path, decoded
from ._lab import Handle, Result, call_about, path_of
from ._native import lib, text
from ._values import printed


class Lint(Result):
    """What is wrong with a checkpoint: `findings`, `layouts` with the loaders of each, and a sentence (`answer`)."""

    _list = "findings"

    @property
    def ok(self) -> bool:
        """Nothing is damaged, and nothing looks wrong."""
        return self["damage"] + self["suspect"] == 0


def _loaders_of(layout, only=None):
    found = []
    for i in range(_types.BND_LOADERS):
        cell, name = lib.bnd_loader_cell_of(layout, i), decoded(lib.bnd_loader_name(i))
        if only is None or name == only:
            found.append({"loader": name, "loads": decoded(lib.bnd_loads_name(cell.loads)), "note": decoded(cell.note),
                          "source": decoded(cell.source)})
    return found


def _check_of(check):
    return {"code": decoded(check.code), "severity": decoded(lib.bnd_severity_name(check.severity)),
            "effect": decoded(lib.bnd_effect_name(check.effect)), "title": decoded(check.title),
            "source": decoded(check.source)}


def _loader_name(loader):
    names = [decoded(lib.bnd_loader_name(i)) for i in range(_types.BND_LOADERS)]
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
    found["answer"] = printed("bnd_lint_print_answer", handle.value)
    found.update(damage=sums.damage, suspect=sums.suspect, note=sums.note, findings=[], layouts=[])
    for i in range(lib.bnd_lint_findings(handle.value)):
        f = lib.bnd_lint_finding_at(handle.value, i).contents
        check = _check_of(f.check.contents)
        found["findings"].append({"code": check["code"], "severity": decoded(lib.bnd_severity_name(f.severity)),
                                  "effect": check["effect"], "title": check["title"], "where": decoded(f.where),
                                  "message": decoded(f.message), "source": check["source"]})
    for i in range(lib.bnd_lint_layouts(handle.value)):
        row = lib.bnd_lint_layout_at(handle.value, i).contents
        layout = row.name
        found["layouts"].append({"layout": decoded(layout),
                                 "title": decoded(row.layout.contents.title) if row.layout else "",
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
    return [{key: decoded(getattr(row, key)) for key in ("name", "title", "block", "source")} for row in rows]


def loaders(layout: str) -> List[Dict[str, str]]:
    """Which software loads a layout ("compressed-tensors/nvfp4", or "unquantized"): loader, loads (yes, partly, no,
    unknown), note, source.

    >>> [row["loader"] for row in loaders("gguf/q8_0")][:2]
    ['vLLM', 'SGLang']
    """
    known = ["unquantized", "gguf/unquantized", "npy/unquantized", *(row["name"] for row in layouts())]
    if text(layout, "layout").decode() not in known:
        close = difflib.get_close_matches(layout, known, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown layout {layout!r}{meant} (available: {', '.join(known)})")
    return _loaders_of(text(layout, "layout"))
