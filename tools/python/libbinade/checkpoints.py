"""Checkpoints: open them, scan their weights, check, quantize, lay out anew and compare them.

A checkpoint is a .safetensors file, a folder of them, a .gguf or a .npy file. The functions make the same calls as the
commands binade scan, lint, quantize, relayout and diff. Their results have the keys of --json.
"""
from ._checkpoint import Checkpoint, open_checkpoint
from ._convert import Plan, Relayout, quantize_checkpoint, relayout
from ._diff import Diff, diff
from ._lint import Lint, layouts, lint, lint_checks, loaders
from ._scan import Scan, scan

__all__ = ["Checkpoint", "diff", "lint", "lint_checks", "layouts", "loaders", "open_checkpoint", "quantize_checkpoint",
           "relayout", "scan"]
