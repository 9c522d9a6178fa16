"""What training costs, on paper: time, memory, FLOPs, the bound of a matrix product. Nothing is run.

The functions are the questions of `binade cost`, with its options as arguments. Quantities are numbers or texts such as
"70B", "15T", "80GB", "50%". An answer has the steps of its derivation, and says what it leaves out.

>>> answer = time(params="70B", tokens="15T", gpus=1024, gpu="h100", mfu=0.5)
>>> answer
Cost(143.9 day)
>>> float(answer) == answer.value
True
>>> [step["name"] for step in answer.steps]
['compute', 'rate', 'seconds', 'days']
>>> memory(model="llama3-70b", recipe="bf16-amp", zero=3, ranks=64).unit
'B'
"""
import ctypes
import numbers
from typing import Dict, Iterable, List, Optional, Sequence, Union

from . import _types
from ._lab import Result, recipes_of
from ._native import Error, brief, call, lib, text
from ._options import whole

__all__ = ["Cost", "fit", "flops", "machines", "memory", "mfu", "models", "roofline", "tensor", "time"]

Quantity = Union[int, float, str]
_NUMBER, _WHOLE, _BYTES, _SHARE = (_types.BND_QUANTITY_NUMBER, _types.BND_QUANTITY_WHOLE, _types.BND_QUANTITY_BYTES,
                                   _types.BND_QUANTITY_SHARE)


class Cost(Result):
    """An answer: `steps` (name, formula, substitution, value, unit), of which `answer` names the last, and `notes`.
    `about` says what it answers."""

    _list = "steps"

    @property
    def value(self) -> float:
        """The number that answers the question."""
        return self.step(self["answer"])["value"]

    @property
    def unit(self) -> str:
        """Its unit: "B", "FLOP", "day" ...; "" for a ratio."""
        return self.step(self["answer"])["unit"]

    def step(self, name: str) -> dict:
        """A step by its name."""
        for step in self["steps"]:
            if step["name"] == name:
                return step
        raise KeyError(f"there is no step {name!r} (available: {', '.join(s['name'] for s in self['steps'])})")

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Cost({self.value:.4g}{' ' if self.unit else ''}{self.unit})"

    def __str__(self) -> str:
        width = max(len(step["name"]) for step in self["steps"])
        lines = [f"{s['name']:{width}}  {s['formula']} = {s['substitution']} = {s['value']:.6g} {s['unit']}".rstrip()
                 for s in self["steps"]]
        return "\n".join(lines + [f"- {note}" for note in self["notes"]])


def _answer(question, name, *arguments):
    cost = _types.bnd_cost()
    call(name, ctypes.byref(cost), *arguments)
    steps = [{"name": s.name.decode(), "formula": s.formula.decode(), "substitution": s.substitution.decode(),
              "value": s.value, "unit": s.unit.decode()} for s in cost.step[:cost.steps]]
    return Cost(question=question, about=cost.about.decode(), answer=cost.answer.decode() or steps[-1]["name"],
                steps=steps, notes=[cost.note[i].value.decode() for i in range(cost.notes)])


def _quantity(value, kind, what, default=None):
    """A number from a number or a text; the default if the value is None."""
    if value is None:
        return default
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = repr(int(value))
    elif isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = repr(float(value))
    elif not isinstance(value, str):
        raise TypeError(f"{what} must be a number or a text such as '70B', not {type(value).__name__}")
    out, written = ctypes.c_double(), text(value, what)
    try:
        call("bnd_quantity_parse", ctypes.byref(out), written, kind)
    except Error as why:
        raise Error(why.status, why.where, f"{what}: {why}") from None
    return out.value


def _sides(shape, most, example):
    if not isinstance(shape, str) and not hasattr(shape, "__iter__"):
        raise TypeError(f"a shape must be a text or several whole numbers, as {example}, not {brief(shape)}")
    sides = shape.lower().replace("*", "x").split("x") if isinstance(shape, str) else list(shape)
    if not 1 <= len(sides) <= most:
        raise ValueError(f"{brief(shape)} is not such a shape; write it like {example}")
    return [_quantity(side, _WHOLE, "a side") for side in sides]


# ---- what arguments mean together ----

_SHAPE = ("layers", "hidden", "heads", "vocab")


def _architecture(model=None, layers=None, hidden=None, heads=None, vocab=None, kv_heads=None, feed_forward=None,
                  seq=None, dropout=None, **others):
    """A named model, a shape, or a named model with some of its sizes changed; None: neither."""
    for name in others:
        raise TypeError(f"unknown argument {name!r} of a model (available: model, layers, hidden, heads, kv_heads, "
                        "feed_forward, vocab, seq, dropout)")
    sizes = {"layers": layers, "hidden": hidden, "heads": heads, "vocab": vocab, "kv_heads": kv_heads,
             "feed_forward": feed_forward}
    size = {name: int(_quantity(value, _WHOLE, name)) for name, value in sizes.items() if value is not None}
    found = _types.bnd_architecture()
    if model is not None:
        call("bnd_architecture_find", ctypes.byref(found), text(model, "model"))
        if "hidden" in size or "heads" in size:
            raise ValueError("hidden and heads are the model's own; give a whole shape instead of model")
    elif all(name in size for name in _SHAPE):
        context = int(_quantity(seq, _WHOLE, "seq", 2048))
        call("bnd_architecture_usual", ctypes.byref(found), *(size[name] for name in _SHAPE), context)
    elif size:
        raise ValueError("a shape needs layers, hidden, heads and vocab")
    else:
        return None
    found.layers, found.vocabulary = size.get("layers", found.layers), size.get("vocab", found.vocabulary)
    found.kv_heads = size.get("kv_heads", found.kv_heads)
    found.feed_forward = size.get("feed_forward", found.feed_forward)
    if dropout is not None:
        if dropout not in (True, False, "yes", "no"):
            raise ValueError(f"dropout must be True or False, not {brief(dropout)}")
        found.dropout = dropout in (True, "yes")
    call("bnd_architecture_check", ctypes.byref(found))
    return found


def _size(params, shape):
    """The parameters, and the model; one of them."""
    model = _architecture(**shape)
    if model is None and params is None:
        raise ValueError("expected a size: params=70e9, or model='llama3-70b'")
    if model is not None and params is not None:
        raise ValueError("params cannot be used with a model, which has its own")
    for name in ("seq", "dropout"):
        if model is None and shape.get(name) is not None:
            raise ValueError(f"{name} cannot be used without a model")
    return _quantity(params, _NUMBER, "params", 0.0), None if model is None else ctypes.pointer(model)


def _truth(value, what):
    if value not in (True, False):
        raise TypeError(f"{what} must be True or False, not {brief(value)}")
    return bool(value)


def _machine(gpu, peak=None, bandwidth=None, format=None, sparse=False):
    """A machine by name, or the one that a peak describes; None: neither."""
    found, sparse = _types.bnd_machine(), _truth(sparse, "sparse")
    if peak is not None:
        if gpu is not None:
            raise ValueError("peak cannot be used with gpu: each describes the machine")
        if sparse:
            raise ValueError("sparse cannot be used with peak: give the peak that you mean")
        call("bnd_machine_given", ctypes.byref(found), _format_name(format),
             _quantity(peak, _NUMBER, "peak"), 0.0, _quantity(bandwidth, _BYTES, "bandwidth", 0.0))
        return found
    if bandwidth is not None:
        raise ValueError("bandwidth needs peak; a machine by name has its own")
    if gpu is None:
        return None
    call("bnd_machine_find", ctypes.byref(found), text(gpu, "gpu"))
    return found


def _format_name(format):
    return text("bf16" if format is None else format, "format")


def _needs_machine(machine):
    if machine is None:
        raise ValueError("expected a machine: gpu='h100', or peak='400T'")
    return ctypes.pointer(machine)


def _recompute(name):
    found = ctypes.c_int()
    if name is not None:
        call("bnd_recompute_parse", ctypes.byref(found), text(name, "recompute"))
    return found.value


def _plan(policy, optimizer, zero, ranks, tp, micro_batches=1):
    row = ctypes.c_size_t()
    call("bnd_optimizer_find", ctypes.byref(row), text(optimizer, "optimizer"))
    try:
        zero = whole(zero, "zero", 3)
    except (TypeError, ValueError):
        raise ValueError(f"zero must be a stage from 0 to 3, not {brief(zero)}") from None
    keeps = _types.bnd_keeps(("bnd_optimizer_keeps", lib._handle("binade-lab")))
    return _types.bnd_plan(policy=policy, keeps=keeps, optimizer=row.value, zero=zero,
                           ranks=_quantity(ranks, _WHOLE, "ranks"), tensor=_quantity(tp, _WHOLE, "tp"),
                           micro_batches=_quantity(micro_batches, _WHOLE, "micro_batches"))


def _one_recipe(recipe, question):
    found = recipes_of(recipe)
    if len(found) != 1:
        raise ValueError(f"recipe must be one recipe with {question}, got {len(found)}")
    return found[0][1]


def _time_question(params, tokens, gpus, mfu, format, sparse, recompute, machine, shape):
    parameters, model = _size(params, shape)
    return _types.bnd_cost_of_time(parameters=parameters, model=model, tokens=tokens,
                                   machines=_quantity(gpus, _WHOLE, "gpus"), mfu=_quantity(mfu, _SHARE, "mfu"),
                                   sequence=_quantity(shape.get("seq"), _WHOLE, "seq", 0.0),
                                   recompute=_recompute(recompute), machine=_needs_machine(machine),
                                   format=_format_name(format), sparse=sparse)


# ---- the questions ----

def time(*, tokens: Quantity, gpu: Optional[str] = None, gpus: Quantity = 1, params: Optional[Quantity] = None,
         mfu: Quantity = 0.4, format: Optional[str] = None, sparse: bool = False, recompute: Optional[str] = None,
         peak: Optional[Quantity] = None, **shape) -> Cost:
    """How long training takes.

    shape: model, layers, hidden, heads, kv_heads, feed_forward, vocab, seq, dropout. gpu: a name of machines(), or
    "this", which is measured; peak describes another machine, in FLOP/s.

    >>> time(params="70B", tokens="15T", gpus=1024, gpu="h100")
    Cost(179.9 day)
    """
    machine = _machine(gpu, peak, None, format, sparse)
    question = _time_question(params, _quantity(tokens, _NUMBER, "tokens"), gpus, mfu, format, sparse, recompute,
                              machine, shape)
    return _answer("time", "bnd_cost_time", ctypes.byref(question))


def mfu(*, gpu: Optional[str] = None, gpus: Quantity = 1, params: Optional[Quantity] = None,
        tokens: Optional[Quantity] = None, seconds: Optional[Quantity] = None,
        tokens_per_second: Optional[Quantity] = None, format: Optional[str] = None, sparse: bool = False,
        recompute: Optional[str] = None, peak: Optional[Quantity] = None, **shape) -> Cost:
    """The share of the peak that a measured run reached: from tokens and seconds, or from tokens_per_second.

    >>> mfu(gpu="h100", params="7B", tokens_per_second=5000)
    Cost(0.2122)
    """
    if tokens_per_second is not None and (tokens is not None or seconds is not None):
        raise ValueError("tokens and seconds cannot be used with tokens_per_second")
    if tokens_per_second is None and (tokens is None or seconds is None):
        raise ValueError("expected a measurement: tokens and seconds of a step, or tokens_per_second")
    machine = _machine(gpu, peak, None, format, sparse)
    count = _quantity(tokens if tokens_per_second is None else tokens_per_second, _NUMBER, "tokens")
    question = _time_question(params, count, gpus, 0.4, format, sparse, recompute, machine, shape)
    return _answer("mfu", "bnd_cost_utilization", ctypes.byref(question), _quantity(seconds, _NUMBER, "seconds", 1.0))


def fit(*, gpu: Optional[str] = None, gpus: Quantity = 1, memory: Optional[Quantity] = None, recipe: str = "fp32",
        optimizer: str = "adamw", zero: int = 3, tp: Quantity = 1) -> Cost:
    """The largest model whose states fit. memory: bytes of a machine, instead of gpu.

    >>> fit(gpu="h100", gpus=8, recipe="bf16-amp")
    Cost(4e+10 parameter)
    """
    if (gpu is None) == (memory is None):
        raise ValueError("expected one machine: gpu='h100', or memory='80GB'")
    machine = _machine(gpu)
    size = machine.memory if machine is not None else _quantity(memory, _BYTES, "memory")
    plan = _plan(_one_recipe(recipe, "fit"), optimizer, zero, 1, tp)
    return _answer("fit", "bnd_cost_fit", ctypes.byref(plan), _quantity(gpus, _WHOLE, "gpus"), size)


_ONLY_TRAINED = ("width", "depth", "context", "vocabulary", "inputs")
_TRAINED = ("width", "depth", "heads", "context", "vocabulary", "inputs", "batch")


def _trained(model, optimizer, tied, blocks, sizes):
    """A model of train() with these sizes and options of blocks, and its batch."""
    training = _types.bnd_training()
    call("bnd_training_default", ctypes.byref(training), text(model, "model"), text(optimizer, "optimizer"), b"fp32")
    for name, value in sizes.items():
        if name not in _TRAINED:
            raise ValueError(f"{name} cannot be used with a model of train (available: {', '.join(_TRAINED)})")
        if value is not None:
            setattr(training, name, int(_quantity(value, _WHOLE, name)))
    if blocks is not None:
        call("bnd_transformer_parse", ctypes.byref(training.blocks), text(blocks, "blocks"))
    vocabulary = ctypes.c_size_t()
    call("bnd_training_vocabulary", ctypes.byref(vocabulary), ctypes.byref(training))
    found = _types.bnd_trained(model=model.encode(), vocabulary=vocabulary.value, tied=tied or training.tied,
                                blocks=training.blocks)
    for name in ("width", "depth", "heads", "context", "inputs"):
        setattr(found, name, getattr(training, name))
    return found, float(training.batch)


def memory(model: Optional[str] = None, *, params: Optional[Quantity] = None,
           recipe: Union[str, Iterable[str]] = "fp32", optimizer: str = "adamw", zero: int = 0, ranks: Quantity = 1,
           tp: Quantity = 1, batch: Optional[Quantity] = None, recompute: Optional[str] = None,
           gpu: Optional[str] = None, tied: bool = False, micro_batches: Quantity = 1,
           blocks: Optional[str] = None, **sizes) -> Union[Cost, Dict[str, Cost]]:
    """The memory of one rank: parameters, gradients, states, activations.

    model: a name of models(), or a model of train(), for which the answer is what a run measures. sizes: of a model by
    its shape, as time() has them; of a model of train(): width, depth, heads, context, vocabulary, inputs, and blocks,
    as `binade train --blocks` takes them. "gpt2" without one of these is the published GPT-2.
    recipe: several recipes give a dictionary of answers.

    >>> memory("llama3-70b", recipe="bf16-amp")
    Cost(3.611e+12 B)
    >>> list(memory("gpt2", recipe="fp32,bf16-amp"))
    ['fp32', 'bf16-amp']
    """
    names = [lib.bnd_model_name(i).decode() for i in range(lib.bnd_model_count())]
    machine, recipes = _machine(gpu), recipes_of(recipe)
    question = _types.bnd_cost_of_memory(recompute=_recompute(recompute),
                                         machine=None if machine is None else ctypes.pointer(machine))
    own = _truth(tied, "tied") or blocks is not None or any(name in sizes for name in _ONLY_TRAINED)
    published = _types.bnd_architecture()
    if model in names and (own or lib.bnd_architecture_find(ctypes.byref(published), model.encode(), None) != 0):
        if params is not None:
            raise ValueError("params cannot be used with a model, which has its own")
        trained, question.batch = _trained(model, optimizer, tied, blocks, {**sizes, "batch": batch})
        question.trained = ctypes.pointer(trained)
    else:
        for name, there in {**sizes, "tied": tied or None, "blocks": blocks}.items():
            if name in (*_ONLY_TRAINED, "tied", "blocks") and there is not None:
                raise ValueError(f"{name} cannot be used without a model of train: {', '.join(names)}")
        question.parameters, question.model = _size(params, {"model": model, **sizes})
        if params is not None and (batch is not None or recompute is not None):
            raise ValueError("batch and recompute cannot be used without a model")
        question.sequence = _quantity(sizes.get("seq"), _WHOLE, "seq", 0.0)
        question.batch = _quantity(batch, _WHOLE, "batch", 1.0)
    answers = {}
    for name, policy in recipes:
        question.plan = _plan(policy, optimizer, zero, ranks, tp, micro_batches)
        answers[name] = _answer("memory", "bnd_cost_memory", ctypes.byref(question))
    return answers if len(answers) > 1 or not isinstance(recipe, str) else next(iter(answers.values()))


def _unused(arguments, why):
    """Raises ValueError if an argument has another value than its default."""
    for name, (value, default) in arguments.items():
        if value is not default and not (type(value) is type(default) and value == default):
            raise ValueError(f"{name} {why}")


def flops(product: Union[str, Sequence[int], None] = None, *, params: Optional[Quantity] = None,
          tokens: Optional[Quantity] = None, recompute: Optional[str] = None, gpu: Optional[str] = None,
          gpus: Quantity = 1, days: Quantity = 1, mfu: Quantity = 1, format: Optional[str] = None, sparse: bool = False,
          peak: Optional[Quantity] = None, **shape) -> Cost:
    """FLOPs of a model, of a matrix product (B, D, K) or "BxDxK", or of machines in some days.

    >>> flops(params="70B", tokens="15T")
    Cost(6.3e+24 FLOP)
    >>> flops("1024x256x64")
    Cost(1.007e+08 FLOP)
    """
    machines_own = {"gpus": (gpus, 1), "days": (days, 1), "mfu": (mfu, 1), "format": (format, None),
                    "sparse": (sparse, False)}
    if product is not None:
        _unused({"params": (params, None), "tokens": (tokens, None), "recompute": (recompute, None), "gpu": (gpu, None),
                 "peak": (peak, None), **machines_own, **{name: (value, None) for name, value in shape.items()}},
                "cannot be used with a matrix product")
        sides = _sides(product, 3, "1024x256x64")
        if len(sides) != 3:
            raise ValueError("a matrix product has three sizes, B x D by D x K: expected 1024x256x64, got "
                             f"{brief(product)}")
        return _answer("flops", "bnd_cost_product", *sides)
    machine = _machine(gpu, peak, None, format, sparse)
    if machine is not None:
        if params is not None or tokens is not None or recompute is not None or shape:
            raise ValueError("a model cannot be used with machines and days")
        return _answer("flops", "bnd_cost_budget", _quantity(gpus, _WHOLE, "gpus"), _quantity(days, _NUMBER, "days"),
                       _quantity(mfu, _SHARE, "mfu"), ctypes.byref(machine), _format_name(format), sparse)
    _unused(machines_own, "needs a machine: gpu='h100', or peak='400T'")
    parameters, model = _size(params, shape)
    if model is None and tokens is None:
        raise ValueError("tokens is missing: flops(params='70e9', tokens='15e12')")
    question = _types.bnd_cost_of_flops(parameters=parameters, model=model, recompute=_recompute(recompute),
                                        sequence=_quantity(shape.get("seq"), _WHOLE, "seq", 0.0),
                                        tokens=_quantity(tokens, _NUMBER, "tokens", 0.0))
    return _answer("flops", "bnd_cost_flops", ctypes.byref(question))


def tensor(shape: Union[str, Sequence[int]], format: str = "fp32") -> Cost:
    """The bytes of a tensor in a format or block format, scales included.

    >>> tensor((49152, 12288), "mxfp8")
    Cost(6.229e+08 B)
    """
    sides = _sides(shape, 8, "49152x12288")
    return _answer("tensor", "bnd_cost_tensor", (ctypes.c_double * len(sides))(*sides), len(sides),
                   text(format, "format"))


def roofline(product: Union[str, Sequence[int]], *, gpu: Optional[str] = None, format: Optional[str] = None,
             result: Optional[str] = None, sparse: bool = False, peak: Optional[Quantity] = None,
             bandwidth: Optional[Quantity] = None) -> Cost:
    """Whether a matrix product (M, N, K), or "MxNxK", is bound by compute or by bandwidth.

    >>> roofline("4096x4096x4096", gpu="h100")
    Cost(9.895e+14 FLOP/s)
    """
    sides = _sides(product, 3, "4096x4096x4096 (M, N, K)")
    if len(sides) != 3:
        raise ValueError(f"a matrix product has three sizes: expected MxNxK, got {brief(product)}")
    if peak is not None and bandwidth is None:
        raise ValueError("bandwidth is missing: with peak, roofline needs it, as in '1.6TB'")
    machine = _machine(gpu, peak, bandwidth, format, sparse)
    return _answer("roofline", "bnd_cost_roofline", *sides, _needs_machine(machine), _format_name(format),
                   None if result is None else text(result, "result"), sparse)


# ---- the tables ----

def machines() -> List[dict]:
    """The machines that gpu takes: name, title, memory (bytes), bandwidth (bytes per second), peaks (FLOP/s by format),
    source.

    >>> [machine["name"] for machine in machines()][:3]
    ['a100', 'a100-40gb', 'h100']
    """
    found = []
    for i in range(lib.bnd_machine_count()):
        m = _types.bnd_machine()
        if lib.bnd_machine_at(ctypes.byref(m), i) and m.peaks > 0:  # without peaks: this machine, until it is measured
            peaks = {p.formats.decode().split()[0]: p.dense for p in m.peak[:m.peaks]}
            found.append({"name": m.name.decode(), "title": m.title.decode(), "memory": m.memory,
                          "bandwidth": m.bandwidth, "peaks": peaks, "source": m.source.decode()})
    return found


def models() -> List[dict]:
    """The transformers that model takes: name, parameters, layers, hidden, heads, kv_heads, vocabulary, title.

    >>> [model["name"] for model in models()][:3]
    ['gpt2', 'gpt2-medium', 'gpt2-large']
    """
    found = []
    for i in range(lib.bnd_architecture_count()):
        a = lib.bnd_architecture_at(i).contents
        found.append({"name": a.name.decode(), "parameters": int(lib.bnd_architecture_parameters(ctypes.byref(a))),
                      **{key: getattr(a, key) for key in ("layers", "hidden", "heads", "kv_heads", "vocabulary")},
                      "title": lib.bnd_architecture_title(i).decode()})
    return found
