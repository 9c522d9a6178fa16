"""libbinade.torch: quantize, wrap, optimizers and record."""
import doctest
import unittest

import support

torch = support.torch()

import libbinade as bd  # noqa: E402
import libbinade.torch as bt  # noqa: E402
import torch_models as models  # noqa: E402
import torch.nn.functional as F  # noqa: E402

LIKE_TRAIN = ("fp32", "bf16-amp", "bf16-sr", "fp8-current", "mxfp8", "nvfp4")
RECIPES = ("fp32", "bf16-amp", "fp16-amp", "bf16-sr", "fp8-current", "mxfp8", "nvfp4", "fp8-lm")


class Quantize(unittest.TestCase):
    def test_values(self):
        x = torch.randn(8, 256) * 100
        for f in ("e4m3", "bf16", "e2m1", "e5m2"):
            self.assertTrue(torch.equal(bt.quantize(x, f), bd.round(x, f)))
        for block in ("mxfp8", "nvfp4", "e4m3/tile:1x128"):
            self.assertTrue(torch.equal(bt.quantize(x, block), bd.fake_quantize(x, block)))
        self.assertTrue(torch.equal(bt.quantize(x, "e4m3", scale="tile:1x128"), bd.fake_quantize(x, "e4m3/tile:1x128")))
        self.assertTrue(torch.equal(bt.quantize(x, "e4m3", rounding="sr", seed=7), bd.round(x, "e4m3", "sr", seed=7)))

    def test_types_and_strides(self):
        x = torch.randn(16, 24)
        for y in (x.t(), x[:, ::3], x[3:5], x.unsqueeze(0).expand(3, 16, 24), x[0, 0]):
            self.assertTrue(torch.equal(bt.quantize(y, "e4m3"), bd.round(y.contiguous(), "e4m3")))
        for dtype in (torch.bfloat16, torch.float16):
            y = bt.quantize(x.to(dtype), "e4m3")
            self.assertEqual(y.dtype, dtype)
            self.assertTrue(torch.equal(y.float(), bd.round(x.to(dtype).float(), "e4m3")))
        with self.assertRaisesRegex(TypeError, "float64"):
            bt.quantize(x.double(), "e4m3")
        with self.assertRaises(bd.Error):
            bt.quantize(x, "bogus")
        with self.assertRaises(bd.Error):
            bt.quantize(x, "e4m3", backward="bogus")

    def test_in_place(self):
        x = torch.randn(4, 64)
        place, expected = x.data_ptr(), bd.round(x.clone(), "e4m3")
        y = bt.quantize(x, "e4m3", inplace=True)
        self.assertEqual(y.data_ptr(), place)
        self.assertTrue(torch.equal(x, expected))
        for view in (torch.randn(6, 8)[:, ::2], torch.randn(6, 8).bfloat16()):
            expected = bt.quantize(view.clone(), "e2m1")
            bt.quantize(view, "e2m1", inplace=True)
            self.assertTrue(torch.equal(view, expected))
        x = torch.randn(8, requires_grad=True)
        y = x * 1
        bt.quantize(y, "e4m3", inplace=True).sum().backward()
        self.assertTrue(torch.equal(x.grad, torch.ones(8)))

    def test_backward(self):
        x, d = torch.tensor([0.3, 500.0, -500.0, 2.0]), torch.tensor([1.1, 2.2, 3.3, 4.4])
        for backward, expected in (("straight-through", d), ("clipped", d * torch.tensor([1.0, 0, 0, 1])),
                                   ("e5m2", bd.round(d, "e5m2")), (lambda d: 2 * d, 2 * d)):
            leaf = x.clone().requires_grad_()
            bt.quantize(leaf, "e4m3", overflow="saturate", backward=backward).backward(d)
            self.assertTrue(torch.equal(leaf.grad, expected), backward)
        leaf = torch.tensor([[1.0, 7.9, 6.0, 0.1]]).requires_grad_()  # floor: a scale of 1, and 7.9 is beyond 6
        bt.quantize(leaf, "mxfp4", rule="floor", backward="clipped").sum().backward()
        self.assertEqual(leaf.grad.tolist(), [[1, 0, 1, 1]])

    def clipped(self, x, block, **how):
        """The gradient of numbers with a gradient of 1 each."""
        leaf = x.clone().requires_grad_()
        bt.quantize(leaf, block, backward="clipped", **how).sum().backward()
        return leaf.grad

    def test_clipped_by_the_largest_element(self):
        """Integers of any width, and value sets, which have no codes."""
        for block, x in (("int4/row", [1, 2, -15.9, 14]), ("int8/row", [1, 2, -255.9, 254]),
                         ("int2/row", [0.5, 0, -1.9, 1]), ("p3emin-2emax3/row", [1, 2, -127, 112])):
            found = self.clipped(torch.tensor([x], dtype=torch.float32), block, rule="floor")
            self.assertEqual(found.tolist(), [[1, 1, 0, 1]], block)
        torch.manual_seed(1)
        x = torch.randn(8, 64) * 10
        for values, codes in (("p2emin0emax2", "e2m1"), ("p3emin-2emax3", "e3m2ieee"), ("p4emin-6emax8", "e4m3none")):
            for scale, rule in (("row", "floor"), ("mx", "even"), ("tile:2x8", "nearest"), ("row:16", "ct")):
                pair = [self.clipped(x, f"{element}/{scale}", rule=rule) for element in (values, codes)]
                self.assertTrue(torch.equal(*pair), (values, scale))
        with self.assertRaisesRegex(ValueError, "cannot be used with the rule mse and p2emin0emax2"):
            self.clipped(x, "p2emin0emax2/row", rule="mse")

    def test_seed_of_torch(self):
        x = torch.randn(1000)
        torch.manual_seed(5)
        a, b = bt.quantize(x, "e4m3", rounding="sr"), bt.quantize(x, "e4m3", rounding="sr")
        torch.manual_seed(5)
        self.assertTrue(torch.equal(a, bt.quantize(x, "e4m3", rounding="sr")))
        self.assertFalse(torch.equal(a, b))


class LikeTrain(unittest.TestCase):
    """The transformer of `binade train` in PyTorch, wrapped: the same losses."""

    def compare(self, recipe, steps):
        reference = models.Reference(recipe, steps)
        training, model = reference.training, reference.model()
        bt.wrap(model, recipe, seed=training.seed_rounding)
        groups = reference.groups(model)
        optimizer = bt.optim.AdamW(model, lr=training.lr, groups=groups)
        worst = 0.0
        for step in range(steps):
            x, y = reference.batch(step)
            loss = F.cross_entropy(model(x).view(-1, training.vocabulary), y.view(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            made = reference.step()
            worst = max(worst, abs(made.loss - loss.item()))
            if recipe != "fp32":
                last = optimizer.last_step
                self.assertEqual((made.loss, made.updates, made.lost, made.gradient_norm),
                                 (last.loss, last.updates, last.lost, last.gradient_norm), (recipe, step))
        reference.close()
        self.assertLessEqual(worst, 0 if recipe != "fp32" else 1e-5, recipe)

    def test_losses(self):
        for recipe in LIKE_TRAIN:
            with self.subTest(recipe):
                self.compare(recipe, 12)

    def test_other_recipes(self):
        for recipe in ("fp16-amp", "bf16-kahan", "fp8-delayed", "adam8bit", "mxfp4", "base=bf16-pure,dact=bf16:sr"):
            with self.subTest(recipe):
                self.compare(recipe, 4)


class Doctests(unittest.TestCase):
    def test_examples(self):
        for module in (bt._quantize, bt._wrap, bt.optim):
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            self.assertGreater(result.attempted, 0, module.__name__)


if __name__ == "__main__":
    unittest.main()
