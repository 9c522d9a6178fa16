"""PyTorch models in other formats: quantize(x, format), wrap(model, recipe), optim.AdamW(model), record(model).

Needs PyTorch 1.13 or later. Everything is computed on the CPU.
"""
from . import optim
from ._quantize import quantize
from ._record import Count, Record, record
from ._wrap import not_covered, unwrap, wrap

__all__ = ["Count", "Record", "not_covered", "optim", "quantize", "record", "unwrap", "wrap"]
