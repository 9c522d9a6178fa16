"""libbinade: numbers, arrays, training runs and checkpoints in any floating-point format, bit for bit."""
from . import checkpoints
from ._lab import Interrupted
from ._native import Error, __version__
from .checkpoints import Checkpoint, diff, lint, open_checkpoint, quantize_checkpoint, relayout, scan

__all__ = ["Checkpoint", "Error", "Interrupted", "__version__", "checkpoints", "diff", "lint", "open_checkpoint",
           "quantize_checkpoint", "relayout", "scan"]
