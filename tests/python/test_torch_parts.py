"""libbinade.torch: parts of a model with recipes of their own, and weights that change between the passes."""
import copy
import pickle
import unittest

import support

torch = support.torch()

import libbinade.torch as bt  # noqa: E402
import torch_models as models  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402


class Fails(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x):
        raise RuntimeError("this module does not work")


class Catches(nn.Module):
    """A model that goes on where a part of it fails."""

    def __init__(self):
        super().__init__()
        self.first, self.part = nn.Linear(8, 8), Fails()

    def forward(self, x):
        try:
            x = self.part(x)
        except RuntimeError:
            pass
        return self.first(x)


class Uses(nn.Module):
    """A model that uses the weights of `head` by a function of them."""

    def __init__(self, product):
        super().__init__()
        self.first, self.head, self.product = nn.Linear(8, 8), nn.Linear(8, 4), product

    def forward(self, x):
        return self.product(self.head, self.first(x))


USES = (lambda head, x: F.linear(x, head.weight, head.bias), lambda head, x: x @ head.weight.t() + head.bias,
        lambda head, x: torch.addmm(head.bias, x, head.weight.T))


def made(kind, *arguments):
    torch.manual_seed(5)
    return kind(*arguments)


def sequence():
    return made(lambda: nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4)))


def bare(x):
    return x.detach().as_subclass(torch.Tensor)


class Exceptions(unittest.TestCase):
    X = torch.linspace(-1, 1, 24).reshape(3, 8)

    def test_modules(self):
        plain = sequence()
        all_fp8 = bt.wrap(sequence(), "fp8-unscaled+fp32")(self.X)
        none = bt.wrap(sequence(), "fp8-unscaled+fp32", exceptions={"*": "fp32"})(self.X)
        last = bt.wrap(sequence(), "fp8-unscaled+fp32", exceptions={"2": "fp32"})(self.X)
        self.assertTrue(torch.equal(plain(self.X), bare(none)))
        self.assertFalse(torch.equal(all_fp8, last))
        with self.assertRaisesRegex(ValueError, "no module has a name like 'heads'"):
            bt.wrap(plain, "bf16-amp", exceptions={"0": "fp32", "heads": "fp32"})
        self.assertNotIn("forward", plain[0].__dict__)

    def test_training(self):
        model = bt.wrap(sequence(), "nvfp4", exceptions={"2": "bf16-sr"})
        optimizer = bt.optim.AdamW(model, lr=1e-2)
        torch.manual_seed(5)
        x, y = torch.randn(16, 8), torch.randint(4, (16,))
        losses = models.train(model, optimizer, [((x,), y)] * 8)
        self.assertLess(losses[-1], losses[0])
        self.assertTrue(torch.equal(model[2].weight, model[2].weight.bfloat16().float()))

    def test_weights_that_another_module_uses(self):
        called = lambda head, x: head(x)  # noqa: E731
        for recipe, other in (("gemm=e4m3", "fp32"), ("fp32", "gemm=e4m3"), ("gemm=e4m3", "gemm=e2m1")):
            want = made(Uses, called)(self.X) if other == recipe else \
                bt.wrap(made(Uses, called), recipe, exceptions={"head": other})(self.X)
            self.assertFalse(torch.equal(bare(want), bare(bt.wrap(made(Uses, called), recipe)(self.X))))
            for product in USES:
                model = bt.wrap(made(Uses, product), recipe, exceptions={"head": other})
                self.assertTrue(torch.equal(bare(model(self.X)), bare(want)), (recipe, other))

    def attention(self, recipe, exceptions):
        """The result of an attention, and the products' casts of weights that were recorded."""
        model, x = made(lambda: nn.MultiheadAttention(8, 2, batch_first=True)), self.X[None]
        bt.wrap(model, recipe, exceptions=exceptions)
        with bt.record(model) as record:
            y = model(x, x, x)[0]
            y.sum().backward()
        return bare(y), {c.place for c in record.counts() if c.role == "gemm_fwd.w"}

    def test_attention(self):
        """PyTorch's attention uses the weights of its module out_proj in one function with its own."""
        plain, e4m3 = self.attention("fp32", None), self.attention("gemm=e4m3", None)
        self.assertEqual((plain[1], e4m3[1]), (set(), {"in_proj_weight", "out_proj"}))
        most = self.attention("gemm=e4m3", {"out_proj": "fp32"})
        self.assertEqual(most[1], {"in_proj_weight"})
        last = self.attention("fp32", {"out_proj": "gemm=e4m3"})
        self.assertEqual(last[1], {"out_proj"})
        self.assertEqual(len({y.numpy().tobytes() for y, _ in (plain, e4m3, most, last)}), 4)

    def test_weights_that_two_modules_share(self):
        """Where the whole model has a weight, too, a function that the model calls follows the model's recipe."""
        def result(product, exceptions):
            model = made(Uses, product)
            model.head = nn.Linear(8, 8, bias=False)
            model.head.weight = model.first.weight
            return bare(bt.wrap(model, "gemm=e4m3", exceptions=exceptions)(self.X))
        by_module, by_weight = (lambda head, x: head(x)), (lambda head, x: F.linear(x, head.weight))
        self.assertTrue(torch.equal(result(by_weight, {"head": "fp32"}), result(by_module, None)))
        self.assertFalse(torch.equal(result(by_module, {"head": "fp32"}), result(by_module, None)))

    def test_a_part_that_fails(self):
        want = bt.wrap(made(Catches), "gemm=e4m3")(self.X)
        model = bt.wrap(made(Catches), "gemm=e4m3", exceptions={"part": "fp32"})
        self.assertTrue(torch.equal(want, model(self.X)))
        self.assertTrue(torch.equal(want, model(self.X)))

    def test_copies_of_a_part(self):
        model = sequence()
        keys = set(model[2].__dict__)
        bt.wrap(model, "gemm=e4m3", exceptions={"2": "fp32"})
        for part in (copy.deepcopy(model[2]), pickle.loads(pickle.dumps(model[2]))):
            self.assertIs(part.forward.__self__, part)
            self.assertTrue(torch.equal(part(self.X), F.linear(self.X, part.weight, part.bias)))
        bt.unwrap(model)
        self.assertEqual(set(model[2].__dict__), keys)


class Versions(unittest.TestCase):
    """The backward pass of a forward pass before a step() is refused where it needs the old weights, as in PyTorch."""

    def after_a_step(self, recipe, model):
        wrapped, x = bt.wrap(model, recipe), torch.ones(1, 2)
        optimizer, losses = bt.optim.SGD(wrapped, lr=1.0), [wrapped(x)[0, 0] * 0.01 for _ in range(2)]
        losses[0].backward()
        optimizer.step()
        losses[1].backward()

    def test_old_weights_are_missed(self):
        for recipe in ("fp32", "bf16-amp", "bf16-pure", "fp8-current", "fp16-amp", "base=fp16-amp,gemm=fp32"):
            two = made(lambda: nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)))
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation", msg=recipe):
                self.after_a_step(recipe, two)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            self.after_a_step("bf16-amp", made(lambda: nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))))

    def test_what_is_not_needed_may_change(self):
        for recipe in ("fp32", "bf16-amp", "fp16-amp"):
            self.after_a_step(recipe, made(nn.Linear, 2, 1))

    def test_passes_between_steps(self):
        """What the model itself writes to its parameters is not counted: a pass may follow a pass and a step."""
        model, x = bt.wrap(sequence(), "bf16-sr"), Exceptions.X
        optimizer = bt.optim.AdamW(model, lr=1e-2)
        for _ in range(3):
            one, other = model(x).sum(), model(x * 2).sum()
            with torch.no_grad():
                model(x)
            one.backward()
            other.backward()
            optimizer.step()
            version = model[0].weight._version
            model(x)
            self.assertEqual(model[0].weight._version, version)

    def test_seed_of_the_model(self):
        model = bt.wrap(sequence(), "bf16-sr", seed=3)
        with self.assertRaisesRegex(ValueError, "wrapped with the seed 3"):
            bt.optim.AdamW(model, seed=5)
        for how in ({"seed": 3}, {}):
            bt.optim.AdamW(model, **how)
        bt.optim.AdamW([nn.Parameter(torch.ones(2))], recipe="bf16-sr", seed=5)


class Places(unittest.TestCase):
    def test_parameters_of_the_model_itself(self):
        """A product is counted at its weight, not at its bias."""
        model = bt.wrap(nn.Linear(8, 4), "gemm=e4m3")
        with bt.record(model) as record:
            model(Exceptions.X).sum().backward()
        self.assertEqual({c.place for c in record.counts() if c.role.startswith("gemm")}, {"weight"})


if __name__ == "__main__":
    unittest.main()
