"""Wrapped models in the ways in which PyTorch's functions are called: in place, by name, with parts, and with weights
that change behind the wrapper's back. PyTorch without the wrapper is the judge."""
import collections
import contextlib
import dataclasses
import unittest

import support

torch = support.torch()

import libbinade as bd  # noqa: E402
import libbinade.torch as bt  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

EXACT = "act=fp32,dact=fp32"  # rounds nothing, and computes everything with the simulator
W, KERNEL = torch.linspace(-1, 1, 16).reshape(4, 4), torch.linspace(-1, 1, 12).reshape(2, 3, 2)


class Small(nn.Module):
    def __init__(self, f):
        super().__init__()
        torch.manual_seed(1)
        self.linear, self.f = nn.Linear(4, 4), f

    def forward(self, x):
        return self.f(self.linear(x))


def method(name, *args):
    """The method that writes in place, of a tensor that the model has made."""
    def f(y):
        z = y * 1.5
        getattr(z, name)(*args)
        return z
    return f


def module(made):
    def f(y):
        made(y)
        return y
    return f


def before_the_sum(y):
    z = F.relu(y, True)
    return y + z


FUNCTIONS = {
    "in place": (
        module(nn.ReLU(inplace=True)), module(nn.SiLU(inplace=True)), before_the_sum, method("clamp_", -1, 1),
        method("clamp_min_", 0), method("sin_"), method("relu_"), method("unsqueeze_", 0), method("t_"),
        method("transpose_", 0, 1), lambda y: F.celu_(y * 1), lambda y: F.threshold_(y * 1, 0.1, 0.0),
        lambda y: F.leaky_relu(y * 1, inplace=True), lambda y: F.elu(y * 1, inplace=True),
        lambda y: F.hardswish(y * 1, inplace=True), lambda y: F.selu(y * 1, inplace=True),
        lambda y: F.mish(y * 1, inplace=True), lambda y: F.relu6(y * 1, inplace=True),
        lambda y: F.hardtanh(y * 1, -1, 1, True), lambda y: F.dropout(y * 1, 0.0, True, True),
        lambda y: F.relu(y, False)),
    "by name": (
        lambda y: F.linear(input=y, weight=W, bias=None), lambda y: torch.softmax(input=y, dim=-1),
        lambda y: torch.matmul(input=y, other=W), lambda y: y.mm(mat2=W), lambda y: torch.sum(input=y, dim=1),
        lambda y: F.gelu(input=y), lambda y: torch.addmm(input=W[0], mat1=y, mat2=W), lambda y: y.add(other=1.5),
        lambda y: torch.pow(input=y, exponent=2), lambda y: torch.add(y, y, alpha=2), lambda y: F.silu(input=y),
        lambda y: F.conv1d(input=y[None], weight=KERNEL), lambda y: torch.flatten(input=y),
        lambda y: torch.transpose(input=y, dim0=0, dim1=1),
        lambda y: F.cross_entropy(input=y, target=torch.tensor([1, 2, 0]))),
    "parts": (
        lambda y: F.softplus(y[0]), lambda y: torch.sin(y[1:]), lambda y: F.mse_loss(y[0], y[1]), lambda y: y[0].std(),
        lambda y: torch.tanh(y[None]), lambda y: torch.cos(y[...]), lambda y: torch.dot(y[0], y[1])),
}


def results(f, recipe):
    """What a model gives, and the gradients of its weight and input."""
    model = Small(f)
    if recipe is not None:
        bt.wrap(model, recipe)
    x = torch.linspace(-2, 2, 12).reshape(3, 4).requires_grad_(True)
    y = model(x)
    y.square().sum().backward()
    return y.detach().as_subclass(torch.Tensor), model.linear.weight.grad, x.grad


class Functions(unittest.TestCase):
    def test_as_without(self):
        for kind, functions in FUNCTIONS.items():
            for i, f in enumerate(functions):
                with self.subTest(kind=kind, function=i):
                    for a, b in zip(results(f, None), results(f, EXACT)):
                        self.assertEqual(a.shape, b.shape)
                        self.assertTrue(torch.allclose(a, b, rtol=1e-5, atol=1e-5))

    def test_rounded(self):
        for kind, functions in FUNCTIONS.items():
            for i, f in enumerate(functions):
                with self.subTest(kind=kind, function=i):
                    y = results(f, "bf16-sr")[0]
                    self.assertTrue(torch.equal(y, y.bfloat16().float()))

    def test_not_covered(self):
        model = bt.wrap(Small(lambda y: torch.dot(y[0], y[1])), "bf16-sr")
        model(torch.ones(3, 4))
        self.assertEqual(bt.not_covered(model), {"dot": 1})

    def test_out(self):
        model, there = bt.wrap(Small(lambda y: torch.add(y, y, out=there)), "bf16-amp"), torch.empty(0)
        with torch.no_grad():
            y = model(torch.ones(1, 4))
        self.assertTrue(torch.equal(y, there))
        self.assertRaises(RuntimeError, model, torch.ones(1, 4).requires_grad_(True))

    def test_out_in_another_type(self):
        for there in (torch.zeros(1, 4, dtype=torch.int64), torch.zeros(1, 4, dtype=torch.bool)):
            model = bt.wrap(Small(lambda y, there=there: torch.add(y, y, out=there)), "bf16-amp")
            with torch.no_grad(), self.assertRaisesRegex(RuntimeError, "can't be cast"):
                model(torch.ones(1, 4))

    def test_complex_in_place(self):
        with self.assertRaisesRegex(RuntimeError, "can't be cast"):
            bt.wrap(Small(method("mul_", 1j)), "bf16-amp")(torch.ones(1, 4))

    def test_masks(self):
        """A mask may have more dimensions than what it hides."""
        mask = torch.ones(1, 1, 3, 3, dtype=torch.bool).triu(1)
        for a, b in zip(*(results(lambda y: torch.softmax((y[:, :3] * 1).masked_fill(mask, float("-inf")), -1), recipe)
                          for recipe in (None, EXACT))):
            self.assertEqual(a.shape, b.shape)
            self.assertTrue(torch.allclose(a, b, rtol=1e-5, atol=1e-5))

    def test_padding(self):
        """Of F.embedding -1 is the last row, of torch.embedding it is none."""
        for function, last in ((lambda w, i: F.embedding(i, w, padding_idx=-1), 0),
                               (lambda w, i: torch.embedding(w, i, -1), 1)):
            model = nn.Module()
            model.w, model.forward = nn.Parameter(torch.ones(4, 2)), lambda i, f=function: f(model.w, i)
            bt.wrap(model, "bf16-amp")
            model(torch.tensor([0, 3])).sum().backward()
            self.assertEqual(model.w.grad.tolist(), [[1, 1], [0, 0], [0, 0], [last, last]])


class Weights(unittest.TestCase):
    """Weights are those of the moment, however they were written to."""

    def test_between_passes(self):
        x = torch.ones(1, 4)
        model = bt.wrap(nn.Linear(4, 1), "bf16-amp")
        model(x)
        model.load_state_dict({"weight": torch.ones(1, 4), "bias": torch.zeros(1)})
        self.assertEqual(model(x).item(), 4)
        model.weight.data.mul_(2)
        self.assertEqual(model(x).item(), 8)
        with torch.no_grad():
            model.weight.detach().numpy()[:] = 3
            self.assertEqual(model(x).item(), 12)
            model.weight.fill_(1)
        model(x).sum().backward()
        model.weight.data = torch.full((1, 4), 0.5)
        self.assertEqual(model(x).item(), 2)

    def losses(self, recipe, make, change):
        torch.manual_seed(2)
        model, x = nn.Linear(4, 1), torch.ones(2, 4)
        if recipe is not None:
            bt.wrap(model, recipe)
        optimizer, found = make(model, recipe), []
        for _ in range(5):
            loss = (model(x) - 3).square().mean()
            loss.backward()
            found.append(loss.item())
            change(model, optimizer)
            model.zero_grad()
        return found

    def test_by_hand(self):
        """Updates without an optimizer, and clamped weights."""
        def descend(model, _):
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-0.05)

        def clamp(model, optimizer):
            optimizer.step()
            for p in model.parameters():
                p.data.clamp_(-0.1, 0.1)

        def sgd(model, recipe):
            return torch.optim.SGD(model.parameters(), 0.05) if recipe is None else bt.optim.SGD(model, lr=0.05)
        for make, change in ((lambda *_: None, descend), (sgd, clamp)):
            theirs, ours = (self.losses(recipe, make, change) for recipe in (None, EXACT))
            for a, b in zip(theirs, ours):
                self.assertAlmostEqual(a, b, delta=1e-4 * abs(a) + 1e-6)


@dataclasses.dataclass(frozen=True)
class Given:
    logits: torch.Tensor
    count: int = 3


@dataclasses.dataclass
class Tree:
    x: torch.Tensor
    parent: object = None
    parts: list = dataclasses.field(default_factory=list)


class Holder:
    def __init__(self, logits):
        self.logits = logits


class Outputs(unittest.TestCase):
    """The loss scale, where the model gives more than tensors."""

    def gradient(self, f, loss, recipe="fp16-amp"):
        model = Small(f)
        if recipe is not None:
            bt.wrap(model, recipe)
            bt.optim.SGD(model, lr=0.1)
        loss(model(torch.ones(2, 4))).backward()
        return model.linear.weight.grad

    def test_dataclasses(self):
        def square(out):
            return out.logits.square().mean()
        self.assertTrue(torch.allclose(self.gradient(Given, square, None), self.gradient(Given, square), rtol=1e-2))

    def test_dataclasses_in_a_cycle(self):
        tree = Tree(torch.ones(2, 4))
        tree.parts.append(Tree(torch.full((2, 4), 3.0), tree))
        model = Small(lambda y: y)
        plain = (model.linear(tree.x), model.linear(tree.parts[0].x))
        model.forward = lambda t: Tree(model.linear(t.x), t, [Tree(model.linear(t.parts[0].x), t.parts[0].parent)])
        for recipe in (EXACT, "bf16-amp"):
            with torch.inference_mode(recipe == EXACT):
                out = bt.wrap(model, recipe)(tree)
            for y, expected in zip((out.x, out.parts[0].x), plain):
                self.assertIs(type(y), bt._session.Rounded)
                y = y.detach().as_subclass(torch.Tensor)
                torch.testing.assert_close(y, expected.detach(), rtol=0.02, atol=0.02)
            self.assertIs(out.parts[0].parent.parts[0].parent, out.parts[0].parent)
            bt.unwrap(model)

    def test_refused(self):
        """What cannot be seen is not divided by a scale that nobody has multiplied with."""
        with self.assertRaisesRegex(RuntimeError, "a gradient came back to the wrapped model without it"):
            self.gradient(Holder, lambda out: out.logits.square().mean())
        model = bt.wrap(Small(lambda y: setattr(model, "extra", y.square().mean()) or y), "fp16-amp")
        bt.optim.SGD(model, lr=0.1)
        model(torch.ones(2, 4))
        self.assertRaises(RuntimeError, model.extra.backward)
        (model(torch.ones(2, 4)).mean() + model.extra).backward()

    def test_into_integers(self):
        """A result does not go into integers, as in PyTorch."""
        y, count = bt.wrap(Small(F.gelu), "bf16-amp")(torch.ones(2, 4)), torch.tensor(0)
        for add in (count.add_, count.__iadd__):
            with self.assertRaisesRegex(RuntimeError, "can't be cast"):
                add(y.abs().sum())
        self.assertEqual(count.item(), 0)
        self.assertEqual(torch.zeros(2, 4, dtype=torch.bool).eq_(y).any().item(), False)

    def test_collected_in_tensors(self):
        """What the model gives may be put into tensors of the caller, with a loss scale and without."""
        def in_items(model, x, t):
            losses = torch.zeros(3)
            for k in range(3):
                losses[k] = F.cross_entropy(model(x * k), t)
            return losses.sum()

        def by_add(model, x, t):
            total = torch.zeros(())
            for k in range(3):
                total.add_(F.cross_entropy(model(x * k), t))
            return total

        def by_plus(model, x, t):
            total = torch.zeros(())
            for k in range(3):
                total += F.cross_entropy(model(x * k), t)
            return total

        def outputs(model, x, t):
            kept = torch.zeros(3, 5, 4)
            for k in range(3):
                kept[k] = model(x * k)
            return F.cross_entropy(kept.flatten(0, 1), t.repeat(3)) * 3

        def copied(model, x, t):
            return F.cross_entropy(torch.zeros(5, 4).copy_(model(x)), t)
        torch.manual_seed(6)
        x, t = torch.randn(5, 4), torch.randint(4, (5,))
        for f in (in_items, by_add, by_plus, outputs, copied):
            plain = Small(F.gelu)
            expected = f(plain, x, t)
            expected.backward()
            for recipe in ("base=fp16-amp,loss_scale=1024", "bf16-amp"):
                model = bt.wrap(Small(F.gelu), recipe)
                bt.optim.SGD(model, lr=0.1)
                loss = f(model, x, t)
                loss.backward()
                self.assertAlmostEqual(loss.item(), expected.item(), delta=0.02 * expected.item())
                torch.testing.assert_close(model.linear.weight.grad, plain.linear.weight.grad, rtol=0.03, atol=3e-3)


class Own(torch.autograd.Function):
    """A function of the user's own, whose backward pass makes products, too."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, d):
        x, w = ctx.saved_tensors
        return d @ w.t(), x.t() @ d


PRODUCTS = {
    "linalg.matmul": torch.linalg.matmul, "rmatmul": lambda x, w: w.__rmatmul__(x),
    "multi_dot": lambda x, w: torch.linalg.multi_dot([x, w]), "chain_matmul": torch.chain_matmul,
    "addmm_": lambda x, w: torch.zeros(16, 8).addmm_(x, w), "tensordot": lambda x, w: torch.tensordot(x, w, 1),
    "tensordot by axes": lambda x, w: torch.tensordot(x, w.t(), ([-1], [1])),
    "einsum": lambda x, w: torch.einsum("...i,io->...o", x, w),
    "einsum of more axes": lambda x, w: torch.einsum("... i, i o", x.reshape(2, 4, 2, 32), w).reshape(16, 8),
    "linear of one output": lambda x, w: torch.stack([F.linear(x, w[:, i]) for i in range(8)], -1),
    "einsum with one element": lambda x, w: torch.einsum(
        "...ij,...jk->...ik", x.reshape(4, 1, 4, 32), w.expand(1, 3, 32, 8)).reshape(48, 8),
}
SPARSE = torch.eye(16).flip(0).to_sparse()
NOT_COVERED = {
    "vecdot": ("linalg_vecdot", lambda x, w: torch.linalg.vecdot(x[:, :8], w[:16])),
    "linear of float64": ("linear", lambda x, w: F.linear(x.double(), w.t().double()).float()),
    "cov": ("cov", lambda x, w: torch.cov(x @ w)), "corrcoef": ("corrcoef", lambda x, w: torch.corrcoef(x @ w)),
    "sparse": ("mm", lambda x, w: torch.spmm(SPARSE, x @ w)), "sparse @": ("matmul", lambda x, w: SPARSE @ (x @ w)),
    "CSR": ("matmul", lambda x, w: SPARSE.to_sparse_csr() @ (x @ w)),
    "sparse addmm": ("addmm", lambda x, w: torch.addmm(torch.zeros(16, 8), SPARSE, x @ w)),
    "conv_tbc": ("conv_tbc", lambda x, w: torch.conv_tbc(x[None], w[None], torch.zeros(8))),
    "matrix_power": ("matrix_power", lambda x, w: torch.matrix_power(w[:8], 2)),
    "of an input alone": ("kron", lambda x, w: w.sum() + torch.kron(x, x)[:2]),
    "in a function": ("OwnBackward", Own.apply),
}


class Matrix(nn.Module):
    def __init__(self, f):
        super().__init__()
        torch.manual_seed(2)
        self.w, self.f = nn.Parameter(torch.randn(32, 8)), f

    def forward(self, x):
        return self.f(x, self.w)


class Products(unittest.TestCase):
    def results(self, f, recipe):
        torch.manual_seed(3)
        x, model = torch.randn(16, 32, requires_grad=True), Matrix(f)
        model = bt.wrap(model, recipe) if recipe else model
        y = model(x)
        (y * torch.linspace(-1, 1, y.numel()).reshape(y.shape)).sum().backward()
        return y.detach().as_subclass(torch.Tensor), x.grad, model.w.grad, bt.not_covered(model) if recipe else {}

    def test_other_names_of_a_product(self):
        """By an exact recipe they are PyTorch's; in E4M3 all three passes are those of x @ w."""
        for name, f in PRODUCTS.items():
            with self.subTest(name):
                for mine, theirs in zip(self.results(f, EXACT)[:3], self.results(f, None)):
                    torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)
                y, dx, dw, missing = self.results(f, "gemm=e4m3,acc=fp64")
                self.assertEqual(missing, {})
                if len(y) != 16:
                    continue  # the same product three times
                for mine, theirs in zip((y, dx, dw), self.results(torch.matmul, "gemm=e4m3,acc=fp64")):
                    torch.testing.assert_close(mine, theirs, rtol=1e-6, atol=1e-6)

    def test_those_that_are_not_covered_are_named(self):
        for about, (name, f) in NOT_COVERED.items():
            with self.subTest(about):
                self.assertEqual(self.results(f, "gemm=e4m3")[3], {name: 1})
                y = self.results(f, "bf16-sr")[0]
                self.assertTrue(torch.equal(y, y.bfloat16().float()))

    def test_products_of_inputs_alone_are_not_rounded(self):
        """Angles of rotary positions stay in fp32."""
        t, f = torch.arange(16.0), torch.linspace(0.1, 1, 8)
        y = self.results(lambda x, w: (x @ w) * 0 + torch.outer(t, f), "act=fp32,gemm=e4m3")[0]
        self.assertTrue(torch.equal(y, torch.outer(t, f)))
        seen = []
        self.results(lambda x, w: seen.append(torch.outer(t, f)) or x @ w, "bf16-pure")
        self.assertTrue(torch.equal(seen[0], torch.outer(t, f)))

    def test_wrong_axes_are_pytorchs_error(self):
        for dims in (3, ([1], [0, 1]), ([0], [0])):
            with self.subTest(dims=dims), self.assertRaises((RuntimeError, IndexError)):
                self.results(lambda x, w, dims=dims: torch.tensordot(x, w, dims), "gemm=e4m3")

    def test_sums_of_one_operand_are_no_products(self):
        self.assertEqual(self.results(lambda x, w: torch.einsum("...i->...", x @ w), "gemm=e4m3")[3], {})

    def test_scripts_are_refused(self):
        script = torch.jit.script(nn.Linear(3, 4))
        for model in (script, nn.Sequential(script)):
            with self.assertRaisesRegex(TypeError, "torch.jit"):
                bt.wrap(model, "mxfp8")


def with_item(value):
    def f(h):
        y = h * 1
        y[:, 0] = value
        return y
    return f


def put(h, f):
    y = h * 1
    f(y)
    return y


CONSTANTS = {
    "clamp_min": lambda h: h.clamp_min(0.1), "where": lambda h: torch.where(h > 0, h, torch.tensor(0.1)),
    "masked_fill": lambda h: h.masked_fill(h > 0, 0.1), "an integer": lambda h: h.masked_fill(h > 0, -1000001),
    "masked_fill_": lambda h: (h * 1).masked_fill_(h > 0, 0.1), "pad": lambda h: F.pad(h, (1, 1), value=0.1),
    "max": lambda h: torch.max(h, torch.tensor(0.1)), "cat": lambda h: torch.cat([h, torch.full((16, 1), 0.1)], -1),
    "a number into a part": with_item(0.1), "numbers into a part": with_item(torch.full((16,), 0.1)),
    "sums from zero": lambda h: torch.zeros(16, 8).add_(h).add_(0.1),
    "an integer into a part": with_item(-1000001), "pad by an integer": lambda h: F.pad(h, (1, 1), value=100001),
    "clamp_min by an integer": lambda h: h.clamp_min(100001),
    "where with an integer": lambda h: torch.where(h > 0, h, 100001),
    "fill_": lambda h: put(h, lambda y: y[:, 0].fill_(0.1)),
    "fill_ by an integer": lambda h: put(h, lambda y: y[:, 0].fill_(100001)),
    "copy_": lambda h: put(h, lambda y: y[:, 0].copy_(torch.full((16,), 0.1))),
    "fill_diagonal_": lambda h: put(h, lambda y: y.fill_diagonal_(0.1)),
    "fill_ of a row": lambda h: put(h, lambda y: y[0].fill_(0.1)),
    "fill_diagonal_ by name": lambda h: put(h, lambda y: y.fill_diagonal_(fill_value=0.1)),
    "integers into a part": with_item(torch.arange(1000001, 1000017)),
    "doubles into a part": with_item(torch.linspace(0.1, 0.9, 16, dtype=torch.float64)),
    "copy_ of doubles": lambda h: put(h, lambda y: y[0].copy_(torch.linspace(0.1, 0.9, 8, dtype=torch.float64))),
    "where with integers": lambda h: torch.where(h > 0, h, torch.arange(1000001, 1000009)),
    "masked_fill by an integer tensor": lambda h: h.masked_fill(h > 0, torch.tensor(1000001)),
    "cat with integers": lambda h: torch.cat([h, torch.full((16, 1), 1000001)], -1),
}


class Constants(unittest.TestCase):
    def test_what_they_bring_is_rounded(self):
        for name, f in CONSTANTS.items():
            for recipe in ("bf16-pure", "bf16-master"):
                with self.subTest(name, recipe=recipe):
                    model = bt.wrap(Matrix(lambda x, w, f=f: f(x @ w)), recipe)
                    torch.manual_seed(3)
                    y = model(torch.randn(16, 32))
                    y.sum().backward()
                    for x in (y.detach().as_subclass(torch.Tensor), model.w.grad):
                        self.assertTrue(torch.equal(x, x.bfloat16().float()))

    def test_masks_keep_their_infinities(self):
        model = bt.wrap(Matrix(lambda x, w: (x @ w).masked_fill(torch.ones(16, 8) > 0, float("-inf"))), "e4m3-pure")
        y = model(torch.randn(16, 32)).detach().as_subclass(torch.Tensor)
        self.assertTrue(bool((y == float("-inf")).all()))
        model = bt.wrap(Matrix(lambda x, w: with_item(float("-inf"))(x @ w)), "e4m3-pure")
        self.assertTrue(bool((model(torch.randn(16, 32))[:, 0] == float("-inf")).all()))


    def test_what_only_moves_is_not_rounded(self):
        """Indices and masks are not numbers of the result, which keeps the format that it has."""
        index, mask = torch.tensor([[0, 1]] * 16), torch.tensor([0, 1] * 4, dtype=torch.uint8)
        for f in (lambda h: h.gather(1, index), lambda h: h.index_select(1, index[0]), lambda h: h.take(index),
                  lambda h: torch.where(h > 0, h, torch.tensor(0)), lambda h: h.masked_fill(mask.bool(), 0)):
            y = bt.wrap(Matrix(lambda x, w, f=f: f(F.softmax(x @ w, -1))), "act=e4m3,careful=fp32")
            y = y(torch.linspace(-1, 1, 512).reshape(16, 32)).detach().as_subclass(torch.Tensor)
            self.assertFalse(torch.equal(y, bd.round(y, "e4m3")))


class Weighted(nn.Module):
    """Small weights, which are zero in E4M3 without a scale."""

    def __init__(self, f, shape):
        super().__init__()
        torch.manual_seed(1)
        self.w, self.f = nn.Parameter(torch.randn(shape) * 1e-3), f

    def forward(self, x):
        return self.f(x, self.w)


PARTS = {
    "whole": ((4,), lambda x, w: x * w), "one number": ((), lambda x, w: x * w),
    "view": ((4,), lambda x, w: x * w.view(1, 1, -1)), "None": ((4,), lambda x, w: x * w[None]),
    "chunk": ((6, 4), lambda x, w: F.linear(x, w.chunk(2)[1])), "rows": ((6, 4), lambda x, w: F.linear(x, w[1:])),
    "a matrix": ((2, 4, 5), lambda x, w: x @ w[0]), "turned": ((4, 3), lambda x, w: x * w.t()),
    "a copy": ((3, 4), lambda x, w: x * w.t().flatten()[:4]), "cat": ((6, 4), lambda x, w: x @ torch.cat([w, w]).t()),
    "detach": ((2, 4), lambda x, w: x * w.detach()[0, :] + 0 * w.sum()),
    "data": ((2, 4), lambda x, w: x * w.data[0] + 0 * w.sum()),
    "groups": ((6, 2, 2), lambda x, w: F.conv1d(x.t()[None], w, groups=2)),
    "transposed": ((4, 6, 2), lambda x, w: F.conv_transpose1d(x.t()[None], w)),
    "bilinear": ((5, 4, 4), lambda x, w: F.bilinear(x, x, w)),
    "not the simulator's": ((2, 4), lambda x, w: torch.hypot(x, w[0])),
}


class Stored(unittest.TestCase):
    """Parts and views of a parameter have the numbers that the recipe stores. The judge is PyTorch, with weights that
    were rounded whole by libbinade.round and fake_quantize."""

    X = torch.randn(3, 4, generator=torch.Generator().manual_seed(2))

    def compare(self, f, shape, param, rounded, exact="act=fp32,dact=fp32,master=fp32,"):
        model, theirs = Weighted(f, shape), Weighted(f, shape)
        with torch.no_grad():
            theirs.w.copy_(rounded(theirs.w.detach().reshape(1, -1)).reshape(shape))
        bt.wrap(model, exact + param)
        for grad in (True, False):
            with contextlib.nullcontext() if grad else torch.no_grad():
                y, expected = model(self.X), theirs(self.X)
            torch.testing.assert_close(y.detach().as_subclass(torch.Tensor), expected.detach(), rtol=1e-5, atol=1e-9)
            if grad:
                y.sum().backward()
                expected.sum().backward()
                torch.testing.assert_close(model.w.grad, theirs.w.grad, rtol=1e-5, atol=1e-6)
        self.assertEqual(bt.not_covered(model), {})

    def test_parts(self):
        for about, (shape, f) in PARTS.items():
            for param in ("e4m3", "e4m3/tensor", "transient:e4m3/tensor"):
                def rounded(w):
                    return bd.fake_quantize(w, "e4m3/tensor") if "/" in param else bd.round(w, "e4m3")
                with self.subTest(about, param=param):
                    self.compare(f, shape, "param=" + param, rounded)

    def test_loss_scale(self):
        """Parts of a parameter under a loss scale have the gradient without it."""
        for about in ("view", "chunk", "rows", "a matrix", "groups", "transposed", "not the simulator's"):
            shape, f = PARTS[about]
            plain, model = Weighted(f, shape), Weighted(f, shape)
            bt.wrap(model, "loss_scale=1024,act=fp32,dact=fp32")
            bt.optim.SGD(model, lr=0.1)
            for m in (plain, model):
                m(self.X).square().sum().backward()
            torch.testing.assert_close(model.w.grad, plain.w.grad, rtol=1e-4, atol=1e-7, msg=about)

    def test_written_in_forward(self):
        """What a forward pass writes to a parameter is not rounded to act, as in an average of weights."""
        def f(x, w):
            with torch.no_grad():
                w.mul_(0.999)
                w.data.mul_(0.999)
                w[0].add_(1e-3)
            return x * w[0]
        for recipe in ("bf16-master", "bf16-amp"):
            model, plain = Weighted(f, (2, 4)), Weighted(f, (2, 4))
            bt.wrap(model, recipe)
            for _ in range(3):
                model(self.X)
                plain(self.X)
            self.assertTrue(torch.equal(model.w, plain.w), recipe)

    def test_parts_are_read_once(self):
        """A forward pass reads a parameter once for all its parts, and again after it was written to."""
        reads, own = [], bt._place.Place._stored
        bt._place.Place._stored = lambda place, p: reads.append(p) or own(place, p)
        try:
            model = bt.wrap(Weighted(lambda x, w: sum(x @ w[i] for i in range(6)), (6, 4, 4)), "bf16-pure")
            for passes in (1, 2):
                model(self.X)
                self.assertEqual(len(reads), passes)
        finally:
            bt._place.Place._stored = own

    def test_parts_after_a_write(self):
        """A part with a recipe of its own, which writes to the model's weight between its uses."""
        for write in (lambda w: w.mul_(1.5), lambda w: w.data.mul_(1.5)):
            def f(x):
                y = x * model.w[0]
                with torch.no_grad():
                    write(model.w)
                return y + x * model.w[1]
            model = Weighted(lambda x, w: model.part(x), (2, 4))
            model.part = nn.Module()
            model.part.forward = f
            w = model.w.detach().reshape(1, -1)
            one, two = (bd.fake_quantize(x, "e4m3/tensor").reshape(2, 4) for x in (w, w * 1.5))
            bt.wrap(model, "gemm=bf16", exceptions={"part": "act=fp32,dact=fp32,master=fp32,param=e4m3/tensor"})
            y = model(self.X).detach().as_subclass(torch.Tensor)
            torch.testing.assert_close(y, self.X * one[0] + self.X * two[1], rtol=1e-5, atol=1e-9)

    def test_a_weight_of_another_part(self):
        """A part with a recipe of its own that uses the model's weight stores it in its own format."""
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(1)
                self.first, self.head = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
                self.head.weight = self.first.weight
                with torch.no_grad():
                    self.head.weight.mul_(1e-3)

            def forward(self, x):
                return self.head(x)
        plain, exact = Tied(), "act=fp32,dact=fp32,master=fp32,param=e4m3/tensor"
        model = bt.wrap(Tied(), "gemm=bf16", exceptions={"head": exact})
        expected = self.X @ bd.fake_quantize(plain.head.weight.detach().reshape(1, -1), "e4m3/tensor").reshape(4, 4).t()
        y = model(self.X).detach().as_subclass(torch.Tensor)
        torch.testing.assert_close(y, expected, rtol=1e-5, atol=1e-9)

    def test_renormalized(self):
        """max_norm changes the parameter itself, as PyTorch does."""
        plain = nn.Embedding(4, 8, max_norm=1.0)
        for recipe in ("act=fp32,dact=fp32", "bf16-pure", "bf16-amp"):
            for bag in (False, True):
                make = nn.EmbeddingBag if bag else nn.Embedding
                theirs, mine = (make(4, 8, max_norm=1.0) for _ in range(2))
                for m in (theirs, mine):
                    m.load_state_dict(plain.state_dict())
                bt.wrap(mine, recipe)
                i, close = torch.tensor([[0, 2]]), 0 if recipe.startswith("act") else 0.02
                mine(i).sum().backward()
                theirs(i).sum().backward()
                torch.testing.assert_close(mine.weight, theirs.weight, rtol=close, atol=close)
                torch.testing.assert_close(mine.weight.grad, theirs.weight.grad)
                torch.testing.assert_close(mine(i).detach().as_subclass(torch.Tensor), theirs(i).detach(),
                                           rtol=close, atol=close)


class Rotary(nn.Module):
    """Angles that are computed in forward, and buffers that a forward pass changes."""

    def __init__(self, angles):
        super().__init__()
        self.linear, self.angles = nn.Linear(4, 4), angles
        self.register_buffer("frequencies", 1 / 10000 ** (torch.arange(0, 8, 2) / 8))
        self.register_buffer("count", torch.tensor(0.0))
        self.register_buffer("mean", torch.ones(4))

    def forward(self, x):
        self.seen = self.angles(torch.arange(1000.0, 1004.0), self.frequencies)
        self.count += 1
        self.mean.mul_(0.999)
        h = self.linear(x)
        return h * self.seen.cos() + self.frequencies


ANGLES = (lambda t, f: t[:, None] * f, lambda t, f: torch.einsum("i,j->ij", t, f), torch.outer,
          lambda t, f: (f[None, :, None].float() @ t[None, None, :].float()).transpose(1, 2)[0],
          lambda t, f: torch.cat([torch.outer(t, f)[:, :2], torch.outer(t, f)[:, 2:]], -1) * 1.0)


class Untouched(unittest.TestCase):
    """What no tensor of the recipe has touched is PyTorch's, bit for bit."""

    def test_angles_and_buffers(self):
        for angles in ANGLES:
            for recipe in ("bf16-amp", "bf16-master", "mxfp8", "e4m3-pure"):
                model, plain = bt.wrap(Rotary(angles), recipe), Rotary(angles)
                for _ in range(3):
                    y = model(torch.ones(4, 4)).detach().as_subclass(torch.Tensor)
                    plain(torch.ones(4, 4))
                for name in ("seen", "count", "mean"):
                    self.assertTrue(torch.equal(getattr(model, name), getattr(plain, name)), (recipe, name))
                if recipe in ("bf16-master", "e4m3-pure"):
                    self.assertTrue(torch.equal(y, y.bfloat16().float()), recipe)

    def test_what_the_recipe_holds_for(self):
        """The model's inputs, also by parts, and what a part in fp32 makes, with gradients and without."""
        functions = (lambda x: x * 0.3, lambda x: x[1:].sin(), lambda x: F.silu(x), lambda x: x @ x.t(), torch.hypot,
                     lambda x: torch.zeros(3, 4).copy_(x) * 0.3, lambda x: put(torch.zeros(3, 4), lambda y: y.add_(x)),
                     lambda x: F.silu(x.data), lambda x: F.silu(bt.quantize(x * 1, "e5m2")))

        class Model(nn.Module):
            def __init__(self, f, part):
                super().__init__()
                torch.manual_seed(4)
                self.part, self.f = nn.Linear(4, 4) if part else None, f

            def forward(self, x):
                x = self.part(x) if self.part is not None else x
                return self.f(x, x) if self.f is torch.hypot else self.f(x)
        for i, f in enumerate(functions):
            for part in (False, True):
                for grad in (True, False):
                    with self.subTest(i, part=part, grad=grad), torch.set_grad_enabled(grad):
                        model = bt.wrap(Model(f, part), "bf16-pure", exceptions={"part": "fp32"} if part else None)
                        y = model(torch.linspace(-1, 1, 24).reshape(6, 4)[3:]).detach().as_subclass(torch.Tensor)
                        self.assertTrue(torch.equal(y, y.bfloat16().float()))


    def test_buffers_that_are_returned(self):
        """A buffer that the model returns stays PyTorch's in the model."""
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)
                self.register_buffer("count", torch.tensor(1000.0))
                self.register_buffer("shift", torch.full((4,), 0.123))

            def forward(self, x):
                self.count += 1
                self.product = self.shift * 1.7
                return self.linear(x) + self.shift, self.count, self.shift
        for grad in (True, False):
            model, expected = bt.wrap(Model(), "bf16-pure"), torch.full((4,), 0.123) * 1.7
            for i in range(3):
                with torch.set_grad_enabled(grad):
                    y, count, shift = model(torch.ones(2, 4))
                    rounded = (shift * 1.7).detach().as_subclass(torch.Tensor)
                self.assertEqual((count.item(), model.count.item()), (1001.0 + i,) * 2)
                self.assertTrue(torch.equal(model.product, expected))
                self.assertTrue(torch.equal(rounded, bd.round(expected, "bf16")))


def loop(x, zeros=torch.zeros):
    y = zeros(4, 4)
    for i in range(4):
        y[i] = x[i]
    return F.silu(y)


def after_a_meeting(x):
    y = torch.zeros(4, 4)
    torch.add(x, y)
    y[0] = x[0]
    return F.silu(y)


def by_view(x):
    """The doubles of a buffer change x; then a view of x is written to."""
    x = x * 1
    x.mul_(torch.linspace(0.1, 0.9, 4, dtype=torch.float64))
    x.view(16)[0:4].fill_(8.0)
    return x


UNSEEN = {
    "a part": lambda x: F.silu(x[0]), "rows": lambda x: F.silu(x[1:]), "the last": lambda x: x[-1].softmax(-1),
    "each": lambda x: torch.stack([F.silu(row) for row in x]), "of the input": None, "loop": loop,
    "loop like": lambda x: loop(x, lambda *shape: torch.zeros_like(x)), "new": lambda x: loop(x, x.new_zeros),
    "loop in double": lambda x: loop(x, lambda *shape: torch.zeros(shape, dtype=torch.float64)).float(),
    "after a meeting": after_a_meeting,
    "by indices": lambda x: F.silu(put(torch.zeros(4, 4), lambda y: y.__setitem__(torch.tensor([0, 1]), x[:2]))),
    "by a view": by_view,
}


class Unseen(unittest.TestCase):
    """What PyTorch 1.13 does not show: x[i] and y[i] = x, with gradients, without, and in inference mode."""

    MODES = (torch.enable_grad, torch.no_grad, torch.inference_mode)

    def model(self, f):
        model = Small(f)
        model.forward = (lambda x: f(model.linear(x))) if f is not None else lambda x: F.silu(x[0])
        return model

    def test_rounded(self):
        for name, f in UNSEEN.items():
            for mode in self.MODES:
                with self.subTest(name, mode=mode.__name__), mode():
                    x = torch.linspace(-1, 1, 16).reshape(4, 4)
                    expected = self.model(f)(x).detach()
                    y = bt.wrap(self.model(f), "bf16-pure")(x).detach().as_subclass(torch.Tensor)
                    self.assertTrue(torch.equal(y, y.bfloat16().float()))
                    torch.testing.assert_close(y, expected, rtol=0.05, atol=0.05)

    def test_constants_stay(self):
        """What is seen to be written by constants stays PyTorch's; so does a buffer that is written between passes."""
        def f(y):
            table = torch.zeros(4, 4)
            table[0], table[1, :], row = 0.1, torch.full((4,), 0.3), table[2]
            row.add_(0.7)
            model.seen = table * 1.7, model.table * 1.7
            return y + table + model.table
        for mode in self.MODES:
            model = Small(f)
            model.register_buffer("table", torch.full((4, 4), 0.123))
            bt.wrap(model, "bf16-pure")
            for i in range(2):
                with mode():
                    model(torch.ones(4, 4))
                expected = torch.tensor([0.1, 0.3, 0.7, 0])[:, None].expand(4, 4) * 1.7, model.table * 1.7
                for x, other in zip(model.seen, expected):
                    self.assertTrue(torch.equal(x, other), mode.__name__)
                model.table[i] = torch.full((4,), 0.7)

    def test_what_is_written_in_inference_mode(self):
        """Inputs and buffers of inference mode, which the model may write to."""
        with torch.inference_mode():
            model, cache, x = Small(None), {"k": [torch.zeros(2, 4)]}, torch.ones(2, 4)
            model.register_buffer("rows", torch.zeros(2, 4))

            def forward(x, cache):
                F.relu_(x.sub_(0.5))
                for i in range(2):
                    model.rows[i], cache["k"][0][i] = x[i], model.linear(x)[i]
                return F.silu(cache["k"][0])
            model.forward, rows, kept = forward, model.rows, cache["k"][0]
            y = bt.wrap(model, "bf16-pure")(x, cache).as_subclass(torch.Tensor)
            self.assertTrue(torch.equal(y, y.bfloat16().float()))
            self.assertEqual((x.tolist(), rows.tolist()), ([[0.5] * 4] * 2,) * 2)
            self.assertTrue(torch.equal(kept, model.linear(torch.full((2, 4), 0.5)).bfloat16().float()))


class Part(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.linear, self.f = nn.Linear(4, 4), f

    def forward(self, x):
        return self.f(self.linear(x))


def out_of(y):
    z = torch.empty(4, 4)
    torch.add(y, 1, out=z)
    return z


class WrittenBy(unittest.TestCase):
    """What functions of a part under fp32, or with out=, write to, follows the recipe where it is used."""

    PARTS = {"item": lambda y: put(torch.zeros(4, 4), lambda z: z.__setitem__((slice(None), slice(4)), y)),
             "copy_": lambda y: torch.zeros(4, 4).copy_(y), "data": lambda y: y.data,
             "add_": lambda y: put(torch.zeros(4, 4), lambda z: z.add_(y)),
             "loop": lambda y: put(torch.zeros(4, 4), lambda z: [z.__setitem__(i, y[i]) for i in range(4)])}

    def check(self, model, exceptions=None):
        y = bt.wrap(model, "bf16-pure", exceptions=exceptions)(torch.linspace(-1, 1, 16).reshape(4, 4))
        y = y.detach().as_subclass(torch.Tensor)
        self.assertTrue(torch.equal(y, y.bfloat16().float()))

    def test_a_part_in_fp32(self):
        for name, f in self.PARTS.items():
            for grad in (True, False):
                with self.subTest(name, grad=grad), torch.set_grad_enabled(grad):
                    torch.manual_seed(4)
                    self.check(nn.Sequential(Part(f), nn.SiLU()), {"0": "fp32"})

    def test_out(self):
        with torch.no_grad():
            self.check(Small(lambda y: F.silu(out_of(y))))


def rotated(h):
    q = torch.view_as_complex(h.reshape(16, 4, 2).contiguous())
    return torch.view_as_real(q * torch.polar(torch.ones(4), torch.arange(4.0))).flatten(1)


TYPES = {
    "complex": rotated, "fft": lambda h: torch.fft.fft(torch.fft.fft(h)).real, "imag": lambda h: torch.fft.fft(h).imag,
    "double": lambda h: (h.double() * 0.1).float(), "to": lambda h: (h.to(torch.float64) * 0.1).to(torch.float32),
    "type": lambda h: (h.type(torch.float64) * 0.1).type(torch.float32),
    "softmax": lambda h: F.softmax(h, -1, dtype=torch.float64).float(), "half": lambda h: (h.half() * 0.1).float(),
    "sum": lambda h: h.sum(-1, dtype=torch.float64).float(), "parts": lambda h: (h.double() * 0.1)[1:, :3].float(),
    "in place": lambda h: h.double().mul_(0.1).float(), "copy_": lambda h: torch.zeros(16, 8).copy_(h.double() * 0.1),
    "cat": lambda h: torch.cat([h.double() * 0.1, h.double()]).float(),
    "two types": lambda h: torch.add(h.double() * 0.1, h).float(),
    "copy_ into double": lambda h: torch.zeros(16, 8, dtype=torch.float64).copy_(h.double() * 0.1).float(),
    "item of double": lambda h: put(torch.zeros(16, 9, dtype=torch.float64), lambda z: z.__setitem__(
        (slice(None), slice(8)), h.double() * 0.1)).float()[:, :8],
    "sparse": lambda h: h.to_sparse().mul(0.1).to_dense(),
}


class OtherTypes(unittest.TestCase):
    """A result in another type is rounded when it is float32 again."""

    def test_rounded(self):
        for name, f in TYPES.items():
            for grad in (True, False):
                with self.subTest(name, grad=grad), torch.set_grad_enabled(grad):
                    torch.manual_seed(3)
                    x = torch.randn(16, 32)
                    y = bt.wrap(Matrix(lambda x, w, f=f: f(x @ w)), "bf16-pure")(x)
                    plain = f(x @ Matrix(None).w).detach()
                    y = y.detach().as_subclass(torch.Tensor)
                    self.assertTrue(torch.equal(y, y.bfloat16().float()))
                    torch.testing.assert_close(y, plain, rtol=0.1, atol=0.3)

    def test_by_its_own_role(self):
        """careful rounds what norms, softmax and losses give."""
        for f, careful in ((lambda h: F.softmax(h, -1, dtype=torch.float64).float(), True),
                           (lambda h: (h.double() * 0.1).float(), False), (lambda h: h.double().float(), True)):
            y = bt.wrap(Matrix(lambda x, w, f=f: f(F.softmax(x @ w, -1))), "act=e4m3,careful=bf16")(torch.ones(16, 32))
            y = y.detach().as_subclass(torch.Tensor)
            self.assertTrue(torch.equal(y, y.bfloat16().float()))
            self.assertEqual(torch.equal(y, bd.round(y, "e4m3")), not careful)


    def test_constants_in_them(self):
        """What is put into a float64 tensor keeps its range and its digits."""
        least = torch.finfo(torch.float64).min

        def softmax_of_masked(h):
            a = h.double()
            a[:, 1:] = least
            a[0, 0] = least
            return F.softmax(a, -1).float()

        def scaled(h):
            a = h.double()
            return (a.fill_(1e300) * 1e-300).float()

        def odd(h):
            a = h.double()
            a[:, 0] = 16777217.0
            return (a - 16777216).float()[:, 0]
        shares = torch.tensor([[0.125] * 8] + [[1.0] + [0.0] * 7] * 15)  # all alike in the first row
        for f, expected in ((softmax_of_masked, shares), (scaled, torch.ones(16, 8)), (odd, torch.ones(16))):
            model = bt.wrap(Matrix(lambda x, w, f=f: f(x @ w)), "bf16-pure")
            y = model(torch.ones(16, 32)).detach().as_subclass(torch.Tensor)
            self.assertTrue(torch.equal(y, expected), y)


class Inputs(unittest.TestCase):
    """A model may get its inputs in any object."""

    def test_in_objects(self):
        class Batch:
            def __init__(self, x):
                self.x = x

        def f(given, w):
            x = given.x if isinstance(given, Batch) else given["x"] if not isinstance(given, list) else given[0].x
            return x * 0.3
        x = torch.randn(16, 32)
        for given in (Batch(x), collections.UserDict(x=x), {"x": x}, [Batch(x)]):
            y = bt.wrap(Matrix(f), "bf16-pure")(given).detach().as_subclass(torch.Tensor)
            self.assertTrue(torch.equal(y, (x * 0.3).bfloat16().float()), type(given))
        a = Batch(x)
        a.itself, a.words = a, {str(i): i for i in range(100)}
        self.assertTrue(torch.equal(bt.wrap(Matrix(f), "bf16-pure")(a).detach().as_subclass(torch.Tensor),
                                    (x * 0.3).bfloat16().float()))


class Empty(unittest.TestCase):
    def test_no_rows(self):
        """As an expert without tokens has them."""
        for module, shape in ((nn.Linear(8, 4), (0, 8)), (nn.Conv1d(3, 4, 3), (0, 3, 8)),
                              (nn.Conv2d(3, 4, 3), (0, 3, 8, 8))):
            model = bt.wrap(nn.Sequential(module), "bf16-pure")
            self.assertEqual(model(torch.ones(shape)).shape, module(torch.ones(shape)).shape)
            self.assertEqual(bt.not_covered(model), {})


class TwoModels(unittest.TestCase):
    """One wrapped model's result goes into another one, as in a GAN."""

    def gradients(self, of_first, of_second):
        torch.manual_seed(0)
        x = torch.randn(8, 16)
        first, second = nn.Linear(16, 16), nn.Linear(16, 1)
        kept = [bt.optim.SGD(bt.wrap(model, recipe), lr=0.1)
                for model, recipe in ((first, of_first), (second, of_second)) if recipe]
        loss = second(first(x)).mean()
        loss.backward()
        self.assertIn(len(kept), (0, 2))
        return first.weight.grad, second.weight.grad

    def test_each_has_its_loss_scale(self):
        plain = self.gradients(None, None)
        for first in ("fp32", "bf16-amp", "bf16-master", "fp16-amp-noscale", "fp16-amp"):
            for second in ("fp32", "bf16-amp", "fp16-amp", "fp8-unit", "base=fp16-amp,loss_scale=1024"):
                with self.subTest(first, second=second):
                    for mine, theirs in zip(self.gradients(first, second), plain):
                        self.assertLess((mine - theirs).norm(), 0.05 * theirs.norm())


if __name__ == "__main__":
    unittest.main()
