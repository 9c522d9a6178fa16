"""The table of functions of PyTorch that are operations of the simulator."""
import torch
import torch.nn.functional as F

HANDLERS = {}


def handles(*names):
    """Makes a function the handler of these functions of PyTorch, given by dotted names; missing ones are left out."""
    def add(function):
        for f in functions(*names):
            HANDLERS[f] = function
        return function
    return add


def functions(*names):
    for name in names:
        f = {"torch": torch, "F": F, "Tensor": torch.Tensor, "nn": torch._C._nn}[name.split(".")[0]]
        for part in name.split(".")[1:]:
            f = getattr(f, part, None)
        if f is not None:
            yield f
