"""A wrapped model: which recipe holds where, and what happens to each function that the model calls."""
import copy
import dataclasses
import fnmatch
import itertools
import math
import weakref
from contextlib import ExitStack, contextmanager

import torch
from torch.overrides import TorchFunctionMode

from .. import _types as t
from .._native import lib
from . import _ops
from ._bridge import FP32, Node, Plain, attributes_of, same_format
from ._handlers import in_place_at, positional, takes
from ._place import Place, check_parameter, divided, given_in, is_number, storage_of, tensors_in
from ._scale import Exit
from ._scopes import Scope, ScopedForward, origin


class Rounded(torch.Tensor):
    """What a wrapped model gives: a tensor whose functions follow the recipe, too, so that a loss does."""

    @classmethod
    def __torch_function__(cls, func, kinds, args=(), kwargs=None):
        session = _session_of(args, kwargs)
        with Plain():
            if session is None or not session.wrapped:
                return func(*args, **(kwargs or {}))
            with session.here():
                return session.dispatch(func, args, kwargs or {}, export=True)


def _session_of(args, kwargs):
    for x in tensors_in((args, tuple((kwargs or {}).values()))):
        session = getattr(x, "_session", None)
        if session is not None:
            return session()
    return None


def _changed(x, f, where_it_is=False, made=None):
    """x with f(tensor) for each tensor in it. With `where_it_is`, lists, dictionaries and dataclasses are changed
    themselves. `made` has the dataclasses that are changed already: they may be in a cycle."""
    if isinstance(x, torch.Tensor):
        return f(x)
    made = {} if made is None else made
    if id(x) in made:
        return made[id(x)]
    if not any(True for _ in tensors_in(x)):
        return x
    if isinstance(x, dict):
        if type(x) is dict and not where_it_is:
            return {key: _changed(y, f, False, made) for key, y in x.items()}
        for key, y in list(x.items()):  # of a class of its own, such as the outputs of Hugging Face's models
            if y is not None:
                x[key] = _changed(y, f, where_it_is, made)
        return x
    if dataclasses.is_dataclass(x):
        y = made[id(x)] = x if where_it_is else copy.copy(x)
        for field in dataclasses.fields(x):
            object.__setattr__(y, field.name, _changed(getattr(x, field.name, None), f, where_it_is, made))
        return y
    parts = [_changed(y, f, where_it_is, made) for y in x]
    if where_it_is and isinstance(x, list):
        x[:] = parts
        return x
    return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)


def _tracked(x):
    """A tensor of inference mode as one whose views and writes PyTorch tracks, with the same storage."""
    if not x.is_inference() or x.requires_grad or x.layout is not torch.strided or type(x) is not torch.Tensor:
        return x
    y = torch.empty(0, dtype=x.dtype, device=x.device)
    return y.set_(storage_of(x), x.storage_offset(), x.size(), x.stride())


class _Mode(TorchFunctionMode):
    def __init__(self, session):
        super().__init__()
        self.session = weakref.ref(session)

    def __torch_function__(self, func, kinds, args=(), kwargs=None):
        with Plain():
            return self.session().dispatch(func, args, kwargs or {})


class Session:
    """All of a wrapped model."""

    def __init__(self, model, recipe, exceptions, seed):
        self.model, self.wrapped, self.recipe = weakref.ref(model), True, recipe
        self.depth, self.loss, self.recorder = 0, float("nan"), None
        self.left = False  # whether a gradient has come back through an Exit since the last forward pass
        self.inputs = {}  # what the model was given, and what that is a view of, by id
        self.running = None  # the number of this forward pass; None: there is none
        self.places_wanted, self.not_covered = None, {}
        self.root = Place(self, recipe, seed)
        self.places = {recipe: self.root}
        self.stack = [Scope("", self.root)]  # the modules with a recipe of their own that are being called
        self.scoped = []  # their forward
        self.owners = {}  # the scopes of a parameter by its id, where the model has more than one scope
        for other in exceptions.values():
            self.places.setdefault(other, Place(self, other, seed))
        self.plain = all(place.plain for place in self.places.values())
        self._share_out(model, exceptions)

    def __deepcopy__(self, memo):
        raise TypeError("a wrapped model cannot be copied: copy it before wrap(), or call unwrap(model) first")

    def __reduce__(self):
        raise TypeError("a wrapped model cannot be saved as a whole: save its state_dict, or call unwrap(model) first")

    def _share_out(self, model, exceptions):
        used, seen, scoped = set(), {"": self.stack[0]}, []
        for name, module in model.named_modules():
            there = [glob for glob in exceptions if name and fnmatch.fnmatchcase(name, glob)]
            used.update(there)
            scope = seen[name.rpartition(".")[0]]
            if there and exceptions[there[-1]] != scope.place.recipe:
                scope = Scope(name, self.places[exceptions[there[-1]]])
                scoped.append((module, scope))
            seen[name] = scope
        missing = [glob for glob in exceptions if glob not in used]
        if missing:
            raise ValueError(f"no module has a name like {missing[0]!r}; the model has: "
                             + ", ".join(repr(n) for n in list(seen)[1:8]) + (", ..." if len(seen) > 8 else ""))
        done, owners = set(), {}
        for name, module in model.named_modules():
            for p in module._parameters.values():
                if p is not None:
                    owners.setdefault(id(p), []).append(module)
                    if scoped:
                        self.owners.setdefault(id(p), []).append(seen[name])
        for name, p in model.named_parameters():
            if id(p) in done:
                continue
            done.add(id(p))
            check_parameter(name, p)
            mine = owners[id(p)]
            layer = p.dim() >= 2 and not all(isinstance(m, torch.nn.Embedding) for m in mine)
            flat = any(isinstance(m, torch.nn.modules.conv._ConvNd) and not m.transposed and m.groups == 1
                       for m in mine) and p.dim() > 2
            seen[name.rpartition(".")[0]].place.add(name, p, layer, flat)
        self.scoped = [ScopedForward(module, scope, self) for module, scope in scoped]  # after all that can be refused

    # ---- around the model ----

    def all(self):
        return [place for place in self.places.values() if place.parameters or not place.plain or self.recorder]

    @contextmanager
    def entered(self, given):
        """A forward pass of the whole model with these arguments. Gives the arguments that it is called with."""
        if self.depth:
            yield given
            return
        self.depth, self.left, self.running = 1, False, next(_PASSES)
        places = self.all()
        try:
            for place in places:
                place.begin()
            with ExitStack() as stack:
                if not self.plain:
                    given = self._without_inference(given, stack)
                with Plain():
                    for x in given_in(given):
                        for y in (x, x._base) if x._is_view() else (x,):
                            self.inputs[id(y)] = y
                            if hasattr(y, "_node"):
                                y._node.known = True
                if not self.plain:
                    stack.enter_context(_Mode(self))
                yield given
        finally:
            self.depth, self.inputs, self.running = 0, {}, None
            for place in places:
                place.end()

    def _without_inference(self, given, stack):
        """Leaves inference mode, whose tensors do not say what they are a view of. Gives the arguments without such
        tensors; buffers are replaced, too."""
        if torch.is_inference_mode_enabled():
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.no_grad())
            for module in self.model().modules():
                for name, x in module._buffers.items():
                    module._buffers[name] = x if x is None else _tracked(x)
        if any(x.is_inference() for x in tensors_in(given)):
            with Plain():
                return _changed(given, _tracked, True)
        return given

    @contextmanager
    def here(self):
        """A function that is called outside of the model with what the model gave."""
        if self.all() and self.root.run is None:
            self.root.begin()
        yield

    def knows(self, x):
        """Whether the recipe holds for a tensor: a parameter, what the model was given, what has a gradient, and what
        the recipe made of these. Buffers and constants stay PyTorch's until one of these meets them."""
        node = getattr(x, "_node", None)
        if node is not None:
            return node.known or x.requires_grad  # unseen writes may have brought a gradient
        return (x.requires_grad or isinstance(x, torch.nn.Parameter) or id(x) in self.inputs
                or x._is_view() and id(x._base) in self.inputs)

    def _known(self, x):
        return any(self.knows(y) for y in tensors_in(x) if is_number(y))

    def forget_stored(self):
        """A parameter is written to: what was read of it is read again."""
        for place in self.places.values():
            place.kept.clear()

    def note_backward(self):
        for place in self.places.values():
            place.backward_ran = True

    def export(self, out):
        """What the model gives, as tensors whose functions follow the recipe."""
        return _changed(out, self.exported)

    def exported(self, x):
        if not is_number(x) or isinstance(x, Rounded):
            return x
        inner = self.root.enter(x)
        node, y = getattr(inner, "_node", None), x
        if not (isinstance(inner, torch.nn.Parameter) or node is not None and node.known):
            inner = inner if inner.requires_grad else inner.detach()  # a buffer stays PyTorch's in the model
            inner._node = Node()
        if inner.requires_grad and torch.is_grad_enabled():
            y = Exit.apply(self, inner)
            y.grad_fn.inner, y.grad_fn.made = weakref.ref(inner), inner.grad_fn
        y = y.as_subclass(Rounded)
        y._session, y._inner, y._exit = weakref.ref(self), inner, y.grad_fn
        return y

    def _is_inner(self, x):
        """Whether this is what the model gave, as it gave it: the graph has it inside, without its Exit."""
        mine = type(x) is Rounded and hasattr(x, "_inner") and x._exit is x.grad_fn
        return mine and x._session() is self

    def _bare(self, x):
        """What the model gave, as it is in the graph. What a function of torch.autograd made of it is a plain tensor,
        and so is what another wrapped model gave: its gradients have that model's loss scale."""
        if self._is_inner(x) or type(x) is not Rounded:
            return x._inner if type(x) is Rounded else x
        y = x.as_subclass(torch.Tensor)
        y._node = Node()
        return y

    def note(self, place, step):
        if self.recorder is not None:
            self.recorder.note(place, step)

    # ---- one function ----

    def dispatch(self, func, args, kwargs, export=False):
        special = _SPECIAL.get(func)
        if special is not None and (export or func is torch.Tensor.backward):
            return special(self, *args, **kwargs)
        if export and getattr(func, "__name__", "") in ("__get__", "__set__"):
            if func not in _ops.VIEWS or func == torch.Tensor.data.__get__:
                return func(*args, **kwargs)
        if export and _writes(func) and isinstance(args[0], torch.Tensor) and type(args[0]) is not Rounded:
            return self._put_outside(func, args, kwargs)
        if any(type(x) is Rounded for x in tensors_in((args, kwargs))):
            args, kwargs = _changed(args, self._bare), _changed(kwargs, self._bare)
        place = self._place_for(func, args, kwargs) if self.owners else self.root
        for x in tensors_in((args, kwargs)):
            place.recognize(x)
            self._note_function(x)
        out = (self._plain if place.plain else self._dispatch)(place, func, args, kwargs)
        for x in tensors_in((args, kwargs, out)) if self.running is not None else ():
            self._note_version(x)
        return _changed(out, self.exported) if export else out

    def _note_version(self, x):
        """Notes the version of a tensor that the recipe does not hold for, so that unseen writes to it are found."""
        x = x._base if x._is_view() else x
        if is_number(x) and not (x.is_inference() or self.knows(x)):
            x._seen = self.running, x._version

    def written_unseen(self, x):
        """Whether a tensor was written to by x[i] = y, which PyTorch 1.13 does not show, in this forward pass."""
        seen = getattr(x, "_seen", None)
        return (seen is not None and seen[0] == self.running and not x.is_inference() and seen[1] != x._version
                and not self.knows(x))

    def _place_for(self, func, args, kwargs):
        """Where a function is computed: in the module that is called, or, if its parameter is that of a module with
        another recipe that is not called itself, in the parameter's."""
        here, others = self.stack[-1], []
        for x in tensors_in((args, kwargs)):
            owners = self.owners.get(id(origin(x)), ())
            if owners and not any(scope.holds(here) for scope in owners):
                others.append(owners[0])
        if func in _ops.OPENED:  # each function in it has its own place
            return next((scope.place for scope in (here, *others) if not scope.place.plain), here.place)
        return (others[0] if others else here).place

    @property
    def scaling(self):
        """Whether gradients are multiplied by a loss scale: the recipe has one, and an optimizer that adapts it."""
        place = self.root
        return place.optimizer is not None and bool(place.policy.loss_scale.given)

    def loss_scale(self):
        return lib.bnd_run_loss_scale(self.root.run.pointer) if self.scaling else 1.0

    def _backward(self, loss, *args, **kwargs):
        """Tensor.backward: the loss is scaled where it leaves the graph (Exit)."""
        return torch.autograd.backward(self._leaving(loss), args[0] if args else kwargs.pop("gradient", None),
                                       *args[1:], **kwargs)

    def _leaving(self, x):
        """x where it leaves the graph: by a new Exit, since functions in place may have changed what the model gave."""
        return self.exported(x._inner if self._is_inner(x) else x)

    def _grad(self, outputs, inputs, *args, **kwargs):
        """torch.autograd.grad: what the model gave is in the graph without its Exit."""
        several = isinstance(inputs, (tuple, list))
        inputs = tuple(inputs) if several else (inputs,)
        asked = tuple(self._bare(x) if self._is_inner(x) else x for x in inputs)
        outputs = _changed(outputs, lambda x: self._leaving(x) if self._is_inner(x) else x)
        found = torch.autograd.grad(outputs, asked, *args, **kwargs)
        return tuple(divided(d, self.loss_scale()) if d is not None and self._is_inner(x) else d
                     for x, d in zip(inputs, found))

    def _hooked(self, x, hook):
        """Tensor.register_hook of what the model gave: the hook sees the gradient without the loss scale."""
        if not self._is_inner(x):
            return x.register_hook(hook)

        def scaled(d):
            scale = self.loss_scale()
            out = hook(divided(d, scale))
            return None if out is None else out * scale
        return x._inner.register_hook(scaled)  # raises where there is no gradient

    def _retained(self, x):
        """Tensor.retain_grad of what the model gave."""
        if not self._is_inner(x):
            return x.retain_grad()
        mine, sums = weakref.ref(x), []

        def keep(d):
            if mine() is not None:
                sums[:] = [sums[0] + d if sums else d]
                with Plain():
                    mine().grad = sums[0]
        x.retain_grad()
        self._hooked(x, keep)

    def _plain(self, place, func, args, kwargs):
        """Under a recipe that rounds nothing."""
        quiet = _is_quiet(func)
        if self.scaling and not quiet:
            args, kwargs = _entered(place, func, args, kwargs)
        known = self._known((args, kwargs))
        out = func(*args, **kwargs)
        if not quiet and known:
            if _writes(func) and args and is_number(args[0]) and not self.knows(args[0]):
                place.put_into(args[0])
            for y in tensors_in(out):
                if is_number(y) and not (hasattr(y, "_node") or y._is_view() or isinstance(y, torch.nn.Parameter)):
                    y._node = Node()  # what another part of the model makes of it is of that part's recipe
        return out

    def _dispatch(self, place, func, args, kwargs):
        opened = _ops.OPENED.get(func)
        if opened is not None:
            with _Mode(self):
                return opened(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if not self._known((args, kwargs)):
            self._note_product(func, args, kwargs)
            return func(*args, **kwargs)
        handler = _ops.HANDLERS.get(func)
        if kwargs.get("out") is not None:
            return self._to_out(place, func, args, kwargs)
        if kwargs and (handler is not None or not args):
            args, kwargs = positional(func, args, kwargs)
        at = in_place_at(func)
        if at is not None:
            writes = args[at] if len(args) > at else kwargs.get("inplace")
            kept = {key: x for key, x in kwargs.items() if key != "inplace"}
            if writes:
                rest = args[1:at] + (False,) * (len(args) > at) + args[at + 1:]
                return self._written(place, args[0], self.dispatch(func, (self._kept(func, args[0]),) + rest, kept))
            if handler is not None and len(args) <= at + 1:
                args, kwargs = args[:at], kept
        if handler is not None and self._floats(args, kwargs) and (not kwargs or takes(handler, args, kwargs)):
            out = handler(place, *args, **kwargs)
            if out is not NotImplemented:
                return out
        if func in _ops.VIEWS:
            return place.view(args[0], lambda x: func(x, *args[1:], **kwargs))
        if func in _SHAPES and args[0].is_floating_point():
            return self._reshaped(place, func, args, kwargs)
        if func in _ops.PARTS and isinstance(args[0], torch.Tensor) and args[0].is_floating_point():
            return place.part(args[0], lambda x: func(x, *args[1:], **kwargs))
        if func in _ops.MOVES:
            return self._moved(place, func, args, kwargs)
        if _writes(func) and isinstance(args[0], torch.Tensor) and is_number(args[0]):
            node = place.node(args[0])
            if node.whole is not None and not node.stored:
                self.forget_stored()
                return func(*args, **kwargs)  # what is written to a parameter is read again, as it is
            return (self._put if name in _PUTS else self._in_place)(place, name, func, args, kwargs)
        return self._foreign(place, func, args, kwargs)

    @staticmethod
    def _floats(args, kwargs):
        """Whether the simulator can compute with these tensors."""
        found = False
        for x in tensors_in((args, kwargs)):
            if x.layout is not torch.strided or is_number(x) and x.dtype != torch.float32:
                return False
            found = found or x.dtype == torch.float32
        return found

    def _reshaped(self, place, func, args, kwargs):
        """reshape and contiguous: a view where strides allow it, otherwise a copy, which is an operation."""
        x = place.enter(args[0])
        y = func(x, *args[1:], **kwargs)
        if y.data_ptr() == x.data_ptr() or x.numel() < 2 or x.dtype != torch.float32 or place.which(x) is not None:
            return place.view(x, lambda x: func(x, *args[1:], **kwargs))
        copy = place.op(t.BND_TENSOR_OP_COPY, [x])
        return place.view(copy, lambda c: func(c, *args[1:], **kwargs))

    def _moved(self, place, func, args, kwargs):
        out, tensors = self._computed(place, func, args, kwargs)
        pending = [place.node(x).pending for x in tensors]
        narrowed = (y for y in tensors_in(out) if y.dtype in (torch.float16, torch.bfloat16))
        pending += [t.BND_ROLE_ACT for y in narrowed if any(x.dtype != y.dtype for x in tensors)]
        role = next((role for role in pending if role is not None), None)
        if role is not None or _brings_numbers(place, func, args, kwargs, tensors):
            role = t.BND_ROLE_ACT if role is None else role
            return _changed(out, lambda y: y if any(y is x for x in tensors) else place.rounded(y, role, tensors))
        f, _ = place.role_format(t.BND_ROLE_COUNT - 1, tensors) if tensors else (FP32, None)
        for y in tensors_in(out):
            if is_number(y) and not any(y is x for x in tensors):
                y._node = Node(f)
        return out

    @staticmethod
    def _computed(place, func, args, kwargs):
        """What PyTorch computes with parameters as the recipe stores them; and the operands."""
        args, kwargs = _entered(place, func, args, kwargs)
        tensors = [x for x in tensors_in((args, kwargs)) if is_number(x)]
        if any(place.node(x).whole is not None for x in tensors):
            args, kwargs = _changed(args, place.value), _changed(kwargs, place.value)
        out = func(*args, **kwargs)
        for x in tensors if any(True for _ in tensors_in(out)) else ():
            place.node(x).uses += bool(x.requires_grad)
        return out, tensors

    def _in_place(self, place, name, func, args, kwargs):
        """x.f_(...) is x.copy_(x.f(...)), rounded like the result of f."""
        plain = getattr(torch.Tensor, name[:-1], None) or getattr(torch, name[:-1], None)
        x = args[0]
        if plain is None or plain in _ops.VIEWS:
            return func(*args, **kwargs)
        y = self.dispatch(plain, (self._kept(plain, x),) + args[1:], kwargs)
        return self._written(place, x, y) if torch.can_cast(y.dtype, x.dtype) else func(*args, **kwargs)

    def _kept(self, func, x):
        """What func computes from, where x is written to afterwards: PyTorch's functions keep it."""
        return x if func in _ops.HANDLERS else self.dispatch(torch.clone, (x,), {})

    @staticmethod
    def _written(place, x, y):
        """x, which y is written to."""
        if x.dtype == torch.float32 != y.dtype and place.node(y).pending is not None:
            y = place.view(y, torch.Tensor.float)
        x.copy_(y)
        place.fill(x, place.node(y))
        return x

    def _to_out(self, place, func, args, kwargs):
        """A result that goes into a tensor of the caller, which PyTorch allows without gradients only."""
        y = self.dispatch(func, args, {key: x for key, x in kwargs.items() if key != "out"})
        if not isinstance(y, torch.Tensor) or y.requires_grad or not torch.can_cast(y.dtype, kwargs["out"].dtype):
            return func(*args, **kwargs)
        return self._written(place, kwargs["out"].resize_(y.shape), y)

    def _put(self, place, name, func, args, kwargs):
        """x[...] = value, x.copy_(value), x.fill_(value) and x.fill_diagonal_(value)."""
        args, kwargs = _entered(place, func, args, kwargs)
        x, at = args[0], 2 if name == "__setitem__" else 1
        value = args[at] if len(args) > at else next((kwargs[key] for key in _VALUES if key in kwargs), None)
        kept = {key: y for key, y in kwargs.items() if key not in _VALUES}
        has_role = self.knows(x) and (x.dtype == torch.float32 or place.node(x).pending is not None)
        out = func(*args[:at], self._fitting(place, x, value), *args[at + 1:], **kept)
        if isinstance(value, torch.Tensor) and self.knows(value) and not has_role:
            place.put_into(x)
        return out

    def _put_outside(self, func, args, kwargs):
        """What the model gave goes into a tensor that is not the model's: as the caller sees it, after its Exit."""
        def seen(x):
            return x.as_subclass(torch.Tensor) if type(x) is Rounded else x
        name = getattr(func, "__name__", "")
        plain = getattr(torch.Tensor, name[:-1], None) or getattr(torch, name[:-1], None)
        if name in _PUTS or plain is None:
            return func(*_changed(args, seen), **_changed(kwargs, seen))
        y = self.dispatch(plain, (self._kept(plain, args[0]),) + args[1:], kwargs, export=True)
        if not torch.can_cast(y.dtype, args[0].dtype):
            return func(*_changed(args, seen), **_changed(kwargs, seen))  # PyTorch refuses it
        return args[0].copy_(seen(y))

    @staticmethod
    def _fitting(place, x, value):
        """A value that is put into a part of x, in the format of x. Infinities stay, as those of masks."""
        if x.dtype != torch.float32:
            return value
        f = place.node(x).format
        if _is_constant(value):
            value = torch.tensor(float(value))
            f = f if bool(torch.isfinite(value)) else FP32
        if not isinstance(value, torch.Tensor) or not value.numel():
            return value
        if value.dtype != torch.float32 and is_number(value) and place.node(value).pending is not None:
            value = place.view(value, torch.Tensor.float)
        if value.is_complex():
            return value
        value = place.value(value).float()
        same = same_format(f, place.node(value).format) or same_format(f, FP32)
        rule = place.role_format(t.BND_ROLE_ACT, [x])[1]
        return value if same else place.op(t.BND_TENSOR_OP_CAST, [value], attributes_of(cast=(f, rule)))

    def _note_function(self, x):
        """A function of the user's own (torch.autograd.Function): PyTorch computes its backward pass in fp32."""
        f = x.grad_fn
        if isinstance(f, _FUNCTION) and not hasattr(f, "_noted"):
            f._noted = True
            if not type(f)._forward_cls.__module__.startswith(__package__):
                self.note_not_covered(type(f).__name__)

    def note_not_covered(self, name):
        self.not_covered[name] = self.not_covered.get(name, 0) + 1

    def _note_product(self, func, args, kwargs):
        if func in _ops.PRODUCTS:
            name, operands = getattr(func, "__name__", ""), [x for x in tensors_in((args, kwargs)) if is_number(x)]
            if all(x.numel() for x in operands) and (name != "einsum" or len(operands) > 1):
                self.note_not_covered(name)

    def _foreign(self, place, func, args, kwargs):
        """What the simulator does not have: PyTorch's result, rounded."""
        if _is_quiet(func):
            return func(*args, **kwargs)
        self._note_product(func, args, kwargs)
        out, tensors = self._computed(place, func, args, kwargs)
        role = t.BND_ROLE_CAREFUL if func in _ops.CAREFUL else t.BND_ROLE_ACT
        return _changed(out, lambda y: y if any(y is x for x in tensors) else place.rounded(y, role, tensors))


def _entered(place, func, args, kwargs):
    """The arguments in the scaled part of the graph; what a function writes to stays what it is."""
    if not place.session.scaling:
        return args, kwargs
    name = getattr(func, "__name__", "")
    first = 1 if name == "__setitem__" or name.endswith("_") and not name.endswith("__") else 0
    return args[:first] + tuple(_changed(args[first:], place.enter)), _changed(kwargs, place.enter)


def _brings_numbers(place, func, args, kwargs, tensors):
    """Whether a function that moves numbers may bring others with it, which the format may lack: constants, and tensors
    in another format."""
    at, names = _ops.FILLS.get(func, ((), ()))
    given = [args[i] for i in at if i < len(args)] + [kwargs[key] for key in names if key in kwargs]
    numbers = [x for x in (*args, *kwargs.values()) if isinstance(x, float)] + [x for x in given if _is_constant(x)]
    constants = any(x != 0 and math.isfinite(x) for x in numbers)  # masks keep their infinities
    if func not in _ops.BY_INDEX:
        integers = (x for x in tensors_in((args, kwargs)) if not (is_number(x) or x.dtype in _MASKS))
        constants = constants or any(bool(x.any()) for x in integers)
    formats = [place.node(x).format for x in tensors]
    return constants or any(not same_format(f, formats[0]) for f in formats)


def _is_constant(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _is_quiet(func):
    return func in _QUIET or getattr(func, "__name__", "") in _OF_NO_GRAPH and func not in _ops.VIEWS


def _writes(func):
    name = getattr(func, "__name__", "")
    return name in _PUTS or _in_place(name, func)


def _in_place(name, func):
    return name.endswith("_") and not name.endswith("__") and name not in _NOT_IN_PLACE


_FUNCTION = torch.autograd.function.BackwardCFunction
_SHAPES = set(_ops.functions("torch.reshape", "Tensor.reshape", "Tensor.contiguous", "Tensor.reshape_as"))
_SPECIAL = {torch.Tensor.backward: Session._backward, torch.autograd.grad: Session._grad,
            torch.Tensor.register_hook: Session._hooked, torch.Tensor.retain_grad: Session._retained}
_PUTS = ("__setitem__", "copy_", "fill_", "fill_diagonal_")
_MASKS = (torch.bool, torch.uint8)
_VALUES = ("src", "value", "fill_value")  # what is put, by name
_PASSES = itertools.count()  # the numbers of forward passes
_OF_NO_GRAPH = ("__get__", "__set__", "size", "dim", "numel", "stride", "is_floating_point", "requires_grad_")
_NOT_IN_PLACE = ("requires_grad_", "detach_", "copy_", "zero_", "fill_", "normal_", "uniform_", "set_")
_QUIET = set(_ops.functions(*(f"{owner}.{name}" for owner in ("torch", "Tensor") for name in (
    "item", "tolist", "numpy", "__repr__", "__len__", "__format__", "zeros_like", "ones_like", "empty_like",
    "rand_like", "randn_like", "new_zeros", "new_ones", "new_empty", "new_full", "full_like", "new_tensor", "isnan",
    "isinf", "isfinite", "argmax", "argmin", "equal", "allclose", "is_contiguous", "data_ptr", "size", "dim",
    "register_hook", "retain_grad", "is_complex", "zero_",
    "__deepcopy__", "__reduce_ex__", "storage", "element_size", "get_device", "multinomial", "__bool__", "__float__",
    "__int__", "as_subclass", "numel", "nelement", "ndimension", "set_", "share_memory_", "untyped_storage"))))
