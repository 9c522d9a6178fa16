"""PyTorch models in other formats: wrap(model, recipe), quantize(x, format), optim.AdamW(model), record(model).

Needs PyTorch 1.13 or later. Everything is computed on the CPU.
"""
from ._wrap import not_covered, unwrap, wrap
from . import optim

__all__ = ["not_covered", "optim", "unwrap", "wrap"]
