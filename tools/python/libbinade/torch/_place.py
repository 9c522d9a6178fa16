"""A part of a wrapped model with one recipe: its run in the engine, its parameters, and the operations there."""
import collections.abc
import dataclasses

import torch

from .. import _arrays
from .. import _types as t
from .._native import call, lib
from ._bridge import FP32, NO_CHECKPOINTS, Node, Operand, Operation, Run, attributes_of, is_plain, policy_of, \
    same_format
from ._scale import Enter, is_inside

_NAME = 63  # bytes of a parameter's name in a run
_MANY = 1 << 16  # what has more elements is searched for no tensors: a vocabulary would be at each call


def check_parameter(name, p):
    """Refuses a parameter that the simulator cannot store."""
    if p.dtype != torch.float32 or p.device.type != "cpu":
        raise TypeError(f"parameter {name!r} is {p.dtype} on {p.device}; wrap needs torch.float32 on the CPU, where "
                        "the recipe rounds: call model.float().cpu() first")


def tensors_in(x, seen=None):
    """The tensors in x. `seen` has the ids of the dataclasses that x is in: they may be in a cycle."""
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for y in x:
            yield from tensors_in(y, seen)
    elif isinstance(x, dict):
        yield from tensors_in(tuple(x.values()), seen)
    elif dataclasses.is_dataclass(x) and not isinstance(x, type) and id(x) not in (seen or ()):
        seen = set() if seen is None else seen
        seen.add(id(x))
        yield from tensors_in([getattr(x, field.name, None) for field in dataclasses.fields(x)], seen)


def given_in(x, objects=4, seen=None):
    """The tensors in what a model is given: those in mappings and in attributes of objects, too. `objects` is how many
    objects may be in one another."""
    seen = set() if seen is None else seen
    if isinstance(x, torch.Tensor):
        yield x
        return
    if isinstance(x, collections.abc.Mapping):
        inner = x.values()
    elif isinstance(x, (list, tuple)):
        inner = x
    elif hasattr(x, "__dict__") and not isinstance(x, (type, torch.nn.Module)) and not callable(x):
        inner = vars(x).values()
        objects -= not dataclasses.is_dataclass(x)
    else:
        return
    if objects >= 0 and id(x) not in seen and len(inner) <= _MANY:
        seen.add(id(x))
        for y in tuple(inner):
            yield from given_in(y, objects, seen)


class Place:
    """The parameters that one recipe holds for, and its engine: where functions are computed."""

    def __init__(self, session, recipe, seed):
        self.session, self.recipe = session, recipe
        self.policy = policy_of(recipe)
        self.plain = is_plain(self.policy)
        self.seed, self.run, self.optimizer = seed, None, None
        self.index, self.parameters, self.seen, self.stored = {}, [], [], []
        self.kept = {}  # what the recipe stores of parameters, whose parts a forward pass uses, by id
        self.backward_ran = False

    # ---- parameters ----

    def add(self, name, parameter, layer, flat):
        self.parameters.append((name, parameter, layer, flat))

    def open(self, optimizer="adamw"):
        """Makes the run with all parameters."""
        self.run = Run(self.policy, optimizer, self.seed)
        names, self.index, self.seen, self.stored = set(), {}, [], []
        for name, p, layer, flat in self.parameters:
            short = name if len(name) <= _NAME else name[:14] + "~" + name[-(_NAME - 15):]
            short = short + "_" if short.rpartition(".")[2] in ("m", "v", "master", "extra", "factors") else short
            while short in names:
                short = short[:-2] + "~" + chr(ord("a") + len(names) % 26)
            names.add(short)
            shape = (p.shape[0], p[0].numel()) if flat else tuple(p.shape) or (1,)
            i = self.run.add(short, p.detach().reshape(shape), layer)
            self.index[id(p)] = i
            self.stored.append(shape)
            self.seen.append(None)
            self._show(i)
        if not self.parameters:
            self.run.add("rest", torch.zeros(1), False)  # a run has at least one
        if self.session.places_wanted is not None:
            self.count(self.session.places_wanted)

    def _show(self, i):
        """What the run keeps, as the numbers of the parameter: its master where it has one."""
        p = self.parameters[i][1]
        role = t.BND_ROLE_MASTER if self.run.part(i, t.BND_ROLE_MASTER) else t.BND_ROLE_PARAM
        with torch.no_grad():
            p.data.copy_(self.run.read(i, role, p))
            self.seen[i] = p.detach().clone()

    def show_all(self):
        """After an update: the parameters that have other numbers have another version, as those of torch.optim."""
        for i, (_, p, _, _) in enumerate(self.parameters):
            before = self.seen[i]
            self._show(i)
            if not _same_bits(p, before):
                _arrays.written(p)

    def take(self):
        """Parameters that were written to since are read again. A write through .data has no version that says so."""
        self.kept.clear()
        for i, (name, p, _, _) in enumerate(self.parameters):
            check_parameter(name, p)
            if _same_bits(p, self.seen[i]):
                continue
            for role in (t.BND_ROLE_MASTER, t.BND_ROLE_PARAM):
                if self.run.part(i, role):
                    self.run.write(i, role, p)
            self._show(i)

    # ---- steps ----

    def begin(self):
        """The first forward pass of a step, or of one that has no gradients."""
        if self.run is None:
            self.open()
        if torch.is_grad_enabled() and self.run.in_step and self.backward_ran and self.optimizer is None:
            self.end_without_update()
        self.take()
        if torch.is_grad_enabled():
            self.begin_step()
        elif not self.run.in_step and not self.run.in_evaluation:
            call("bnd_run_begin_evaluation", self.run.pointer)
            self.run.in_evaluation = True

    def begin_step(self):
        if self.run.in_step:
            return
        if self.session.recorder is not None:
            lib.bnd_engine_reset_statistics(self.run.engine)  # what was counted since belongs to no step
        self.run.begin()
        self.backward_ran = False
        for i, (_, p, _, _) in enumerate(self.parameters):
            lib.bnd_tensor_want_gradient(self.run.part(i, t.BND_ROLE_PARAM), p.requires_grad)

    def end(self):
        self.kept.clear()
        if self.run is not None and self.run.in_evaluation:
            self.run.in_evaluation = False
            call("bnd_run_end_evaluation", self.run.pointer)

    def end_without_update(self):
        """The step ends; another optimizer has updated the parameters."""
        for i in range(len(self.parameters)):
            lib.bnd_tensor_drop_gradient(self.run.part(i, t.BND_ROLE_PARAM))
        self.session.note(self, self.run.update(self.session.loss, None))

    def update(self, rates, gradients):
        """The optimizer's update. `gradients` has a row per parameter, without the loss scale; None: no update."""
        run = self.run
        self.take()
        self.begin_step()
        scale, own = self.session.loss_scale(), lib.bnd_run_loss_scale(run.pointer)
        for i, d in enumerate(gradients):
            value = run.part(i, t.BND_ROLE_PARAM)
            have = lib.bnd_tensor_gradient(value)
            if d is None:
                lib.bnd_tensor_drop_gradient(value)
            elif not have or own != scale or not torch.equal(divided(_read(have, d), scale), d):
                x = (d.detach().to(torch.float32) * own).contiguous()
                lib.bnd_tensor_want_gradient(value, True)
                call("bnd_tensor_set_gradient", value, x.data_ptr(), x.numel())
        step = run.update(self.session.loss, rates)
        self.show_all()
        self.session.note(self, step)
        return step

    # ---- statistics ----

    def count(self, by_place):
        places = lib.bnd_run_places(self.run.pointer) if by_place else 1
        call("bnd_engine_take_statistics", self.run.engine, places)

    # ---- what functions call ----

    def which(self, x):
        """The index of a parameter; None: this tensor is not one."""
        return self.index.get(id(getattr(x, "_of", x)))

    def enter(self, x):
        """x in the part of the graph where gradients are multiplied by the loss scale: see _scale."""
        session = self.session
        if not (session.scaling and x.requires_grad and torch.is_grad_enabled()) or is_inside(x, session):
            return x
        y = Enter.apply(session, x)
        y._node = self.node(x)
        if id(x) in self.index:
            y._of = x
        return y

    def node(self, x):
        """What is known of a tensor; of a parameter, which it is."""
        node = getattr(x, "_node", None)
        if node is None:
            node = Node(known=self.session.knows(x))
            if id(x) in self.index and self.run is not None:
                node.parameter, node.whole, node.role = x, x, t.BND_ROLE_PARAM
            elif isinstance(x, torch.nn.Parameter):
                node.whole, node.role = x, t.BND_ROLE_PARAM
            if id(x) not in self.index and not (x.requires_grad and self.session.scaling):
                try:
                    x._node = node
                except AttributeError:
                    pass
        return node

    def op(self, operation, tensors, attributes=None, shapes=None):
        """An operation of the simulator."""
        operands, grad = [], torch.is_grad_enabled()
        tensors = [self.enter(x) for x in tensors]
        records = [grad and x.requires_grad for x in tensors]
        for i, x in enumerate(tensors):
            node, shape = self.node(x), (shapes or {}).get(i)
            index = self.which(x)
            if index is not None and self.stored[index] == (shape or tuple(x.shape)):
                operands.append(Operand(FP32, t.BND_ROLE_PARAM, index, needed=_needs(operation, i, records)))
            else:
                role = node.role if x.is_floating_point() else t.BND_ROLE_DATA
                tensors[i] = self.value(x)
                operands.append(Operand(node.format, role, shape=shape))
            if records[i]:
                node.uses += 1
                if type(x.grad_fn).__name__ == "CheckpointFunctionBackward":
                    raise RuntimeError(NO_CHECKPOINTS)
        node = Node()
        out = Operation.apply(self.run, operation, attributes, operands, node, records, self.session,
                              *tensors)
        out._node = node
        return out

    def call(self, f, *args, **kwargs):
        """Another function of PyTorch, as if the model had called it."""
        return self.session.dispatch(f, args, kwargs)

    def view(self, x, f):
        """f(x), the same numbers in another shape or type."""
        x = self.enter(x)
        node, y = self.node(x), f(x)
        if y is x or not isinstance(y, torch.Tensor) or not is_number(y):
            return y
        if node.pending is not None and y.dtype == torch.float32:
            return self.rounded(y, node.pending, [x])
        if node.whole is None:
            y._node = node
            return y
        y, seen = self._of_parameter(node, x, y, f)
        base = node.parameter
        if base is not None and base.dim() == 2 and y.dim() == 2 and y.data_ptr() == base.data_ptr():
            if y.shape == base.shape[::-1] and y.stride() == base.stride()[::-1]:
                seen.parameter, seen.turned = base, not node.turned  # a matrix may be turned
        y._node = seen
        return y

    def _of_parameter(self, node, x, y, f):
        """y = f(x), and its node, where x shows a parameter. What f copies is a copy of the stored numbers."""
        seen = node.of_part()
        if not node.stored and not all(_same_storage(z, x) for z in tensors_in(y)):
            y, seen.stored = f(self.value(x)), True
        return y, seen

    def recognize(self, x):
        """Notes what PyTorch 1.13 does not show: x[0], x[1:], x[None] and x[...] are views, and x[i] = y writes."""
        if not is_number(x):
            return
        base = x._base if x._is_view() else x
        if self.session.written_unseen(base):
            self.put_into(base)
            if x is not base and hasattr(x, "_node"):
                self.put_into(x)
        if not hasattr(x, "_node") and x is not base:
            if not hasattr(base, "_node") and not isinstance(base, torch.nn.Parameter):
                return
            whole = self.node(base)
            inside = not (self.session.scaling and x.requires_grad) or is_inside(x, self.session)
            if whole.whole is not None or inside:
                x._node = whole.of_part()
                whole.parts += bool(x.requires_grad)

    def part(self, x, f):
        """f(x), a part of its numbers, or several of them."""
        x = self.enter(x)
        node, y = self.node(x), f(x)
        seen = node
        if node.whole is not None:
            y, seen = self._of_parameter(node, x, y, f)
        for z in tensors_in(y):
            z._node = seen.of_part()
            node.parts += bool(z.requires_grad)
        return y

    def move(self, x, f):
        """f(x), the same numbers in another order, more than once, or with zeros."""
        x = self.enter(x)
        node, y = self.node(x), f(self.value(x))
        node.uses += bool(x.requires_grad)
        y._node = Node(node.format)
        return y

    def fill(self, x, node):
        """Notes that numbers of this node were put into x, and so into what x is a view of."""
        x._node = Node(node.format, pending=node.pending)
        if x._is_view():
            base = self.node(x._base)
            base.known, base.pending = True, base.pending if node.pending is None else node.pending

    def put_into(self, x):
        """Notes that numbers which the recipe holds for were put into x, which may have another type."""
        self.fill(x, Node(pending=None if x.dtype == torch.float32 else t.BND_ROLE_ACT))

    # ---- functions that the simulator does not have ----

    def role_format(self, role, tensors):
        """The format of a result, and its rule."""
        cast = self.policy.cast[role]
        if cast.given:
            return cast.format, cast.rule
        nodes = [self.node(x) for x in tensors]
        formats = [FP32 if n.role == t.BND_ROLE_PARAM else n.format for n in nodes]
        same = formats and all(same_format(f, formats[0]) for f in formats)
        return (formats[0] if same else FP32), t.bnd_rule()

    def rounded(self, x, role, tensors):
        """A result of PyTorch, rounded as results of this role are."""
        if not is_number(x) or not x.numel():
            return x
        f, rule = self.role_format(role, tensors)
        if x.dtype != torch.float32 or x.layout is not torch.strided:
            x._node = Node(f, pending=role)
            return x
        if same_format(f, FP32):
            x._node = Node()
            return x
        node = self.node(x)
        node.format = FP32
        y = self.op(t.BND_TENSOR_OP_CAST, [x], attributes_of(cast=(f, rule)))
        node.uses = 0  # the rounding is a part of the function
        return y

    def value(self, x):
        """x as the model computes with it: of a parameter and of a view of one, the numbers that the recipe stores."""
        if not x.is_floating_point() or not self.policy.cast[t.BND_ROLE_PARAM].given:
            return x
        node = self.node(x)
        p = node.whole
        if p is None or node.stored:
            return x
        if x.shape == p.shape and x.stride() == p.stride():
            kept = self._stored(p)
        else:
            kept = self._laid_out(p).as_strided(x.shape, x.stride(), x.storage_offset() - p.storage_offset()).clone()
        y = _Value.apply(x, kept)
        y._node = node.of_part()
        y._node.stored = True
        return y

    def _stored(self, p):
        """What the recipe stores of a parameter."""
        index = self.index.get(id(p))
        if index is not None and self.run.part(index, t.BND_ROLE_PARAM):
            return self.run.read(index, t.BND_ROLE_PARAM, p)
        return self.run.stored(p)

    def _laid_out(self, p):
        """The same, with the strides of the parameter. It is read once per forward pass: w[0], w[1], ... share it."""
        version = None if p.is_inference() else p._version
        if id(p) in self.kept and self.kept[id(p)][0] == version:
            return self.kept[id(p)][1]
        x = torch.empty_strided(p.shape, p.stride()).copy_(self._stored(p))
        if self.session.running is not None:
            self.kept[id(p)] = version, x
        return x


# The operations whose backward pass multiplies by the other operand, and those that look at the operand itself.
_PRODUCTS = {t.BND_TENSOR_OP_MUL, t.BND_TENSOR_OP_LINEAR, t.BND_TENSOR_OP_MATMUL, t.BND_TENSOR_OP_LAYER_NORM,
             t.BND_TENSOR_OP_RMS_NORM}
_OF_ITSELF = {t.BND_TENSOR_OP_DIV, t.BND_TENSOR_OP_POW, t.BND_TENSOR_OP_MAXIMUM, t.BND_TENSOR_OP_MINIMUM,
              t.BND_TENSOR_OP_ABS, t.BND_TENSOR_OP_LOG, t.BND_TENSOR_OP_RSQRT, t.BND_TENSOR_OP_ERF,
              t.BND_TENSOR_OP_GELU, t.BND_TENSOR_OP_GELU_TANH, t.BND_TENSOR_OP_SILU, t.BND_TENSOR_OP_LOGSUMEXP}
_NORMS = {t.BND_TENSOR_OP_LAYER_NORM, t.BND_TENSOR_OP_RMS_NORM}


def _needs(operation, i, wanted):
    """Whether the backward pass of an operation needs the numbers of operand i, as PyTorch's does. `wanted` says which
    operands have a gradient."""
    if operation in _PRODUCTS and i < 2:
        return wanted[1 - i] or i == 0 and operation in _NORMS and wanted[0]
    return operation in _OF_ITSELF and any(wanted)


class _Value(torch.autograd.Function):
    """The stored value of a parameter; its gradient is the parameter's."""

    @staticmethod
    def forward(ctx, p, value):
        return value

    @staticmethod
    def backward(ctx, d):
        return d, None


def is_number(x):
    """Whether a tensor holds numbers that may be rounded, in any type."""
    return x.is_floating_point() or x.is_complex()


def storage_of(x):
    return getattr(x, "untyped_storage", x.storage)()


def _same_storage(x, y):
    return storage_of(x).data_ptr() == storage_of(y).data_ptr()


def _same_bits(p, seen):
    return p.shape == seen.shape and torch.equal(p.detach().view(torch.int32), seen.view(torch.int32))


def divided(x, scale):
    return x if scale == 1 else x / scale


def _read(pointer, like):
    out = torch.empty(like.shape, dtype=torch.float32)
    call("bnd_tensor_read_f32", out.data_ptr(), out.numel(), pointer)
    return out
