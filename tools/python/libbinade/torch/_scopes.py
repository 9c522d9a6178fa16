"""The parts of a wrapped model that have a recipe of their own: exceptions of wrap()."""
import copy
import inspect
import types


class Scope:
    """A module with its recipe, and everything in the module. The whole model is one; its name is empty."""

    __slots__ = ("name", "place")

    def __init__(self, name, place):
        self.name, self.place = name, place

    def holds(self, other):
        """Whether another scope is in this one."""
        return not self.name or other.name == self.name or other.name.startswith(self.name + ".")


def signature(forward):
    """What inspect.signature says of a forward; not __wrapped__, which torch.jit would script in its place."""
    try:
        return inspect.signature(forward)
    except (TypeError, ValueError):
        return None


class ScopedForward:
    """The forward pass of a module in its scope. It leaves the scope when forward raises, too, which hooks do not."""

    def __init__(self, module, scope, session):
        self.module, self.scope, self.session = module, scope, session
        self.own, self.inner = module.__dict__.get("forward"), module.forward
        self.__signature__ = signature(self.inner)
        module.__dict__["forward"] = self

    def __call__(self, *args, **kwargs):
        stack = self.session.stack
        stack.append(self.scope)
        try:
            return self.inner(*args, **kwargs)
        finally:
            stack.pop()

    def remove(self):
        del self.module.__dict__["forward"]
        if self.own is not None:
            self.module.__dict__["forward"] = self.own

    def __deepcopy__(self, memo):
        """Of a module that is copied: its copy is not wrapped."""
        if self.own is not None:
            return copy.deepcopy(self.own, memo)
        return types.MethodType(type(self.module).forward, memo.get(id(self.module), self.module))

    def __reduce__(self):
        return getattr, (self.module, "forward")  # of a module without this


def origin(x):
    """The parameter that a tensor is a view of; a tensor that is none is itself."""
    node = getattr(x, "_node", None)
    if node is not None and node.whole is not None:
        return node.whole
    whole = x._base if x._is_view() else x
    return getattr(whole, "_of", whole)
