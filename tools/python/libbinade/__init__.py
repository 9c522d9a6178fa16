"""libbinade: numbers, arrays, training runs and checkpoints in any floating-point format, bit for bit."""
from ._native import Error, __version__

__all__ = ["Error", "__version__"]
