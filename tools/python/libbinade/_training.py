"""What is to be trained: the options of train, sweep and evaluate as a bnd_training."""
import ctypes
import difflib

from . import _types
from ._lab import path_of
from ._native import call, lib, text
from ._options import betas_of, real, whole

_MANY = 2**32 - 1
_SIZES = ("batch", "inputs", "width", "depth", "heads", "context", "vocabulary")
SEEDS = ("seed_init", "seed_data", "seed_rounding")
_PARTS = ("micro_batches", "ranks")
_RATES = {"eps": "epsilon", "wd": "weight_decay"}
_DATA = ("data", "data_type", "tokenizer")
_FILES = ("init", "order")
_WORDS = ("schedule", "source")
_FLAGS = ("tied", "recompute")
_OPTIONS = ("steps", "lr", "betas", *_SIZES, *SEEDS, *_RATES, "clip", *_PARTS, *_DATA, *_FILES, *_WORDS, *_FLAGS,
            "blocks", "config")


def _set_file(training, name, value):
    path = path_of(value, name)
    if len(path) >= _types.BND_TRAINING_DATA_SIZE:
        raise ValueError(f"{name} must be the name of a file, of at most {_types.BND_TRAINING_DATA_SIZE - 1} bytes")
    setattr(training, name, path)


def _set_word(training, name, value):
    word = text(value, name)
    if len(word) >= _types.BND_TRAINING_NAME_SIZE:
        raise ValueError(f"{name} must have at most {_types.BND_TRAINING_NAME_SIZE - 1} bytes, not {len(word)}")
    setattr(training, name, word)


def _check_zero(name, usual, given, optimizer):
    """A rate that an optimizer does not read is 0, so only here is a 0 known that was asked for."""
    if not any(usual) and not any(given):
        raise ValueError(f"{name} cannot be used with optimizer {optimizer}, which does not use "
                         f"{'them' if len(given) > 1 else 'it'}")


def set_data(training, data, data_type, tokenizer):
    """Other data than those of the training. None: as they are."""
    if data_type is not None and (data is None or data_type == ""):
        raise ValueError("data_type is the type of the tokens in data: uint8, int16, uint16, int32, uint32, int64 or "
                         "uint64")
    if tokenizer is not None and data is None and not training.data:
        raise ValueError("tokenizer needs data, the text of which it makes tokens")
    if data is not None:
        _set_word(training, "data_type", data_type or "")
        _set_file(training, "data", data)
    if tokenizer is not None:
        _set_file(training, "tokenizer", tokenizer)
    elif not lib.bnd_training_reads_text(ctypes.byref(training)):
        training.tokenizer = b""  # that of the training's own text


def training_of(model, optimizer, options):
    """What the model and the optimizer usually run with, changed by what is given."""
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        near = difflib.get_close_matches(unknown[0], ("model", "recipe", "seeds", "optimizer", *_OPTIONS), 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise TypeError(f"unknown option {unknown[0]!r}{meant} (available: {', '.join(_OPTIONS)})")
    if not isinstance(model, str) and callable(model):  # of torch, or another library's
        raise TypeError("model is the name of a built-in model (mlp, transformer ...), not a "
                        f"{type(model).__name__}; to train a model of PyTorch, call "
                        "libbinade.torch.wrap(model, recipe) and run its own training loop")
    t, config = _types.bnd_training(), options.pop("config", None)
    if config is not None:
        named = None if model == "transformer" else text(model, "model")  # that is what was not given
        call("bnd_training_of_config", ctypes.byref(t), named, text(optimizer, "optimizer"), path_of(config, "config"))
    else:
        call("bnd_training_default", ctypes.byref(t), text(model, "model"), text(optimizer, "optimizer"), b"fp32")
    given = {name: value for name, value in options.items() if value is not None}
    set_data(t, *(given.pop(name, None) for name in _DATA))
    if "source" in given and (t.data or not t.source):
        raise ValueError(f"source cannot be used with {'data' if t.data else model}: it is the text of a transformer")
    if "blocks" in given and not t.source:
        raise ValueError(f"blocks cannot be used with {model}: it has no blocks of a transformer")
    for name, value in given.items():
        if name == "steps":
            t.steps = whole(value, name, _MANY, 1)
        elif name == "lr":
            t.lr = real(value, name, positive=True)
        elif name == "betas":
            betas = betas_of(value)
            _check_zero("betas", (t.beta1, t.beta2), betas, optimizer)
            t.beta1, t.beta2 = betas
        elif name in _SIZES:
            setattr(t, name, whole(value, name, _MANY, 2 if name == "vocabulary" else 1))
        elif name in _PARTS:
            setattr(t, name, whole(value, name, _MANY, 1))
        elif name == "clip":
            t.clip = real(value, name, positive=True)
        elif name in SEEDS:
            setattr(t, name, whole(value, name))
        elif name in _RATES:
            rate = real(value, name, 0)
            if name == "eps":
                _check_zero("epsilon", (t.epsilon,), (rate,), optimizer)
            setattr(t, _RATES[name], rate)
        elif name in _FILES:
            _set_file(t, name, value)
        elif name in _WORDS:
            _set_word(t, name, value)
        elif name == "blocks":
            call("bnd_transformer_parse", ctypes.byref(t.blocks), text(value, name))
        else:
            setattr(t, name, bool(value))
    factor = ctypes.c_double()
    call("bnd_schedule_factor", ctypes.byref(factor), t.schedule, 0, t.steps)
    return t
