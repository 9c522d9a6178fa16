"""Tensors of the simulator and tensors of PyTorch: an engine, its run, and one operation forward and backward."""
import ctypes
import weakref

import torch

from .. import _types as t
from .._native import call, lib

FP32 = t.bnd_format()
call("bnd_format_parse", ctypes.byref(FP32), b"fp32")
ROLES = {lib.bnd_role_name(role).decode(): role for role in range(t.BND_ROLE_COUNT)}


# Tensors of any class are torch's own tensors within this.
Plain = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction
NO_CHECKPOINTS = ("torch.utils.checkpoint cannot be used in a wrapped model, because the simulator would not see what "
                  "is recomputed: switch gradient checkpointing off")
_NO_SECOND = ("create_graph=True cannot be used in a wrapped model, because the simulator has no gradients of "
              "gradients (gradient penalties, torch.autograd.functional.hessian): leave create_graph out, or compute "
              "this loss under the recipe fp32 or after libbinade.torch.unwrap(model)")


def policy_of(recipe):
    """The policy of a recipe: a name, settings, or a policy."""
    if isinstance(recipe, t.bnd_policy):
        return recipe
    if not isinstance(recipe, str):
        raise TypeError(f"a recipe is a str such as 'nvfp4' or 'base=bf16-amp,v=bf16', not {type(recipe).__name__}")
    policy = t.bnd_policy()
    call("bnd_policy_parse", ctypes.byref(policy), recipe.encode())
    return policy


def is_plain(policy):
    """Whether nothing is cast under this policy: PyTorch computes everything itself."""
    plain = t.bnd_policy()
    return bool(lib.bnd_policy_same(ctypes.byref(policy), ctypes.byref(plain)))


def same_format(a, b):
    return a is b or bool(lib.bnd_format_same(ctypes.byref(a), ctypes.byref(b)))


def shape_of(sizes):
    return (ctypes.c_size_t * max(1, len(sizes)))(*sizes)


class Handle:
    """A tensor of the engine, which is released with this object."""

    __slots__ = ("pointer", "run", "__weakref__")

    def __init__(self, pointer, run):
        self.pointer, self.run = pointer, run

    def release(self):
        pointer, self.pointer = self.pointer, None
        if pointer and self.run.pointer:
            lib.bnd_tensor_release(pointer)

    __del__ = release


def _dense(x):
    """A tensor's numbers as fp32, side by side."""
    return x.detach().to(torch.float32).contiguous()


class Run:
    """A run of the simulator with the parameters of a model: what the recipe keeps of them, steps, statistics."""

    def __init__(self, policy, optimizer="adamw", seed=0):
        self.pointer, self.training = None, t.bnd_training()
        call("bnd_training_default", ctypes.byref(self.training), b"own", optimizer.encode(), b"fp32")
        self.training.policy, self.training.seed_rounding = policy, seed
        context = t.bnd_context(backend=t.BND_BACKEND_BEST, threads=torch.get_num_threads())
        pointer = ctypes.c_void_p()
        call("bnd_run_new_own", ctypes.byref(pointer), ctypes.byref(self.training), ctypes.byref(context))
        self.pointer = pointer.value
        self.engine = lib.bnd_run_engine(self.pointer)
        self.policy = policy
        self.in_step = self.in_evaluation = False
        weakref.finalize(self, lib.bnd_run_free, self.pointer)

    def __del__(self):
        self.pointer = None

    # ---- parameters ----

    def add(self, name, values, decays):
        """Adds a parameter; returns its index."""
        index, x = ctypes.c_size_t(), _dense(values)
        sizes = tuple(x.shape) or (1,)
        call("bnd_run_add_parameter", ctypes.byref(index), self.pointer, name.encode(), x.data_ptr(), shape_of(sizes),
             len(sizes), decays)
        return index.value

    def part(self, index, role):
        """The engine's tensor of a parameter, or of what the optimizer keeps of it; None: there is none."""
        return lib.bnd_run_parameter(self.pointer, index, role)

    def read(self, index, role, like):
        """Its numbers, as a tensor of this shape."""
        out = torch.empty(like.shape, dtype=torch.float32)
        call("bnd_tensor_read_f32", out.data_ptr(), out.numel(), self.part(index, role))
        return out

    def write(self, index, role, values):
        x = _dense(values)
        call("bnd_tensor_write_f32", self.part(index, role), x.data_ptr(), x.numel(), t.bnd_rule())

    # ---- steps ----

    def begin(self):
        if not self.in_step:
            call("bnd_run_begin_step", self.pointer)
            self.in_step = True

    def give_up(self):
        if self.in_step:
            self.in_step = False
            step = t.bnd_step()
            call("bnd_run_end_step", ctypes.byref(step), self.pointer, None)

    def update(self, loss, rates):
        step, self.in_step = t.bnd_step(), False
        call("bnd_run_update", ctypes.byref(step), self.pointer, loss, rates)
        return step

    # ---- tensors ----

    def stored(self, x):
        """x as the recipe stores a parameter, with its scales."""
        pointer, sizes = ctypes.c_void_p(), tuple(x.shape) or (1,)
        call("bnd_tensor_new_for", ctypes.byref(pointer), self.engine, shape_of(sizes), len(sizes), t.BND_ROLE_PARAM)
        kept, x, out = Handle(pointer.value, self), _dense(x), torch.empty(x.shape, dtype=torch.float32)
        call("bnd_tensor_write_f32", kept.pointer, x.data_ptr(), x.numel(), t.bnd_rule())
        call("bnd_tensor_read_f32", out.data_ptr(), out.numel(), kept.pointer)
        return out

    def tensor(self, x, f, role):
        """A tensor of the engine with these numbers."""
        x, pointer, sizes = _dense(x), ctypes.c_void_p(), tuple(x.shape)
        call("bnd_tensor_from_f32", ctypes.byref(pointer), self.engine, ctypes.byref(f), x.data_ptr(), shape_of(sizes),
             len(sizes), role)
        return pointer.value

    def apply(self, operation, pointers, attributes=None):
        out, count = ctypes.c_void_p(), len(pointers)
        operands = (ctypes.c_void_p * count)(*pointers)
        call("bnd_tensor_apply", ctypes.byref(out), operation, operands, count,
             ctypes.byref(attributes) if attributes is not None else None)
        return out.value


class Node:
    """What the simulator knows of a tensor of PyTorch: its format, its parameter, and how many gradients meet in it.

    `parameter` is the parameter that the tensor is, or is the transpose of (`turned`); `whole` is the parameter that it
    is, or shows a part of, and `stored` says that its numbers are those that the recipe stores of it. `known`: the
    recipe holds for the tensor. `pending` is the role by which a result in another type is rounded when it is float32
    again."""

    __slots__ = ("format", "role", "uses", "parts", "parameter", "turned", "whole", "stored", "known", "pending",
                 "__weakref__")

    def __init__(self, f=FP32, role=t.BND_ROLE_ACT, known=True, pending=None):
        self.format, self.role, self.uses, self.parts = f, role, 0, 0
        self.parameter, self.turned, self.whole, self.stored = None, False, None, False
        self.known, self.pending = known, pending

    def of_part(self):
        """The node of a tensor with some of these numbers."""
        node = Node(self.format, self.role, self.known, self.pending)
        node.whole, node.stored = self.whole, self.stored
        return node

    def additions(self):
        """How many additions made its gradient: the simulator rounds each."""
        return self.parts + max(0, self.uses - (0 if self.parts else 1))


class Operand:
    """An operand of an operation: the run's own parameter, or numbers in a format."""

    __slots__ = ("format", "role", "parameter", "shape", "needed")

    def __init__(self, f, role, parameter=None, shape=None, needed=False):
        self.format, self.role, self.parameter, self.shape = f, role, parameter, shape
        self.needed = needed  # by the backward pass, which reads a parameter where it is


def attributes_of(number=None, axes=(), keep=False, flag=False, cast=None, role=0):
    """The attributes of an operation."""
    a = t.bnd_attributes(keep=keep, flag=flag, axes=len(axes), role=role)
    if number is not None:
        a.number[0] = number
    for i, axis in enumerate(axes):
        a.axis[i] = axis
    if cast is not None:
        a.format, a.rule = ctypes.pointer(cast[0]), cast[1]
    return a


class Operation(torch.autograd.Function):
    """One operation of the simulator, forward and backward."""

    @staticmethod
    def forward(ctx, run, operation, attributes, operands, node, records, session, *tensors):
        made, pointers = [], []
        for x, o, wants in zip(tensors, operands, records):
            if o.parameter is not None:
                pointers.append(lib.bnd_run_use_parameter(run.pointer, o.parameter)
                                or run.part(o.parameter, t.BND_ROLE_PARAM))
                continue
            pointers.append(run.tensor(x if o.shape is None else x.reshape(o.shape), o.format, o.role))
            made.append(pointers[-1])
            if wants:
                lib.bnd_tensor_want_gradient(pointers[-1], True)
        first = next((o.parameter for o in operands if o.parameter is not None), None)
        if first is not None:  # a weight before its bias: it names the place of the operation
            lib.bnd_run_use_parameter(run.pointer, first)
        tape = any(records)
        lib.bnd_engine_set_tape(run.engine, tape)
        try:
            result = Handle(run.apply(operation, pointers, attributes), run)
        finally:
            lib.bnd_engine_set_tape(run.engine, True)
            for pointer in made:
                lib.bnd_tensor_release(pointer)
        rank = lib.bnd_tensor_rank(result.pointer)
        sizes = (ctypes.c_size_t * rank).from_address(lib.bnd_tensor_shape(result.pointer)) if rank else ()
        out = torch.empty(tuple(sizes), dtype=torch.float32)
        call("bnd_tensor_read_f32", out.data_ptr(), out.numel(), result.pointer)
        f = t.bnd_format.from_buffer_copy(lib.bnd_tensor_format(result.pointer).contents)
        node.format = FP32 if same_format(f, FP32) else f
        if tape:
            # Saved tensors are freed where the graph is not retained: the engine's tensor is released with this one.
            owner = torch.empty(0)
            owner._result = result
            ctx.save_for_backward(owner, *(x for x, o in zip(tensors, operands) if o.needed))
            ctx.node, ctx.run, ctx.session = node, run, session
            ctx.shapes = [tuple(x.shape) for x in tensors]
        else:
            result.release()
        return out

    @staticmethod
    def backward(ctx, d):
        if torch.is_grad_enabled():  # once_differentiable raises only where d itself has a gradient
            raise RuntimeError(_NO_SECOND)
        try:
            result = getattr(ctx.saved_tensors[0], "_result", None)
        except RuntimeError as error:  # checkpoints with use_reentrant=False: what is recomputed saves other tensors
            if "checkpoint.py" in str(error):
                raise RuntimeError(NO_CHECKPOINTS) from error
            raise
        if result is None:
            raise RuntimeError(NO_CHECKPOINTS)
        d = _dense(d)
        wanted = ctx.needs_input_grad[7:]
        outs = [torch.empty(shape, dtype=torch.float32) if wants else None for shape, wants in zip(ctx.shapes, wanted)]
        places = (ctypes.c_void_p * len(outs))(*(None if x is None else x.data_ptr() for x in outs))
        ctx.session.note_backward()
        call("bnd_tensor_pull", places, len(outs), result.pointer, d.data_ptr(), ctx.node.additions(), True)
        return (None,) * 7 + tuple(outs)
