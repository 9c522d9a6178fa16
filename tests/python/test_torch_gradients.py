"""libbinade.torch: gradients. The loss scale on each way back, and sums of gradients."""
import copy
import unittest

import support

torch = support.torch()

import libbinade.torch as bt  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

SCALED = "fp16-amp"  # dynamic, from 65536


class Double(torch.autograd.Function):
    """A function that torch shows to no mode and to no class of tensors."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, d):
        return d * 2


def small(recipe=SCALED, exceptions=None, make=None, wrapped=True):
    torch.manual_seed(0)
    model = make() if make else nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4))
    if wrapped:
        bt.wrap(model, recipe, exceptions=exceptions)
    return model


def data():
    torch.manual_seed(1)
    return torch.randn(16, 8), torch.randint(4, (16,))


def by_backward(loss, parameters, d=None):
    loss.backward(d)


def by_autograd(loss, parameters, d=None):
    torch.autograd.backward(loss, d)


def by_list(loss, parameters, d=None):
    torch.autograd.backward([loss], [torch.ones(()) if d is None else d])


def by_grad(loss, parameters, d=None):
    for p, made in zip(parameters, torch.autograd.grad(loss, parameters, d)):
        p.grad = made


WAYS = (by_backward, by_autograd, by_list, by_grad)


class LossScale(unittest.TestCase):
    def losses(self):
        """Losses of the model's output: torch's own, and one of a function that the recipe does not see."""
        return (lambda y, t: F.cross_entropy(y, t), lambda y, t: Double.apply(F.cross_entropy(y, t)),
                lambda y, t: F.cross_entropy(Double.apply(y), t),
                lambda y, t: Double.apply(y).square().mean() + y.abs().mean())

    def after(self, way, loss_of, steps=4):
        """Losses, gradients of the first step that is not skipped, and parameters after some."""
        model, (x, t) = small(), data()
        optimizer, losses, gradients = bt.optim.SGD(model, lr=0.1), [], None
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_of(model(x), t)
            way(loss, list(model.parameters()))
            if gradients is None and all(torch.isfinite(p.grad).all() for p in model.parameters()):
                gradients = [p.grad.clone() for p in model.parameters()]  # the weights are those of the start
            optimizer.step()
            losses.append(loss.item())
        return losses, gradients, [p.detach() for p in model.parameters()], optimizer

    def test_each_way_back(self):
        for i, loss_of in enumerate(self.losses()):
            plain, (x, t) = small(wrapped=False), data()
            loss_of(plain(x), t).backward()
            losses, gradients, expected, optimizer = self.after(by_backward, loss_of)
            self.assertGreater(optimizer.loss_scale, 1000)
            for p, d in zip(plain.parameters(), gradients):
                self.assertTrue(torch.allclose(p.grad, d, rtol=0.02, atol=2e-3), (i, p.grad, d))
            for way in WAYS[1:]:
                other = self.after(way, loss_of)
                self.assertEqual(losses, other[0], (i, way))
                for a, b in zip(gradients + expected, other[1] + other[2]):
                    self.assertTrue(torch.equal(a, b), (i, way))

    def test_scale_is_applied(self):
        """Gradients of the order of 2^-30 are zero in fp16, unless they are scaled."""
        plain, (x, t) = small(wrapped=False), data()
        F.cross_entropy(plain(x), t).backward()
        for way in WAYS:
            for factor, f in ((1, lambda loss: loss), (2, Double.apply)):
                model = small()
                bt.optim.SGD(model, lr=0.1)
                loss = f(F.cross_entropy(model(x), t))
                way(loss, list(model.parameters()), torch.tensor(2.0**-26))
                for p, q in zip(model.parameters(), plain.parameters()):
                    made = p.grad * 2.0**26 / factor
                    self.assertTrue(torch.allclose(made, q.grad, rtol=0.1, atol=2e-3), (way, factor))

    def test_changed_in_place(self):
        """loss.div_(4), and the model's output changed: the gradient has the factor, or the call is refused."""
        for recipe in (SCALED, "bf16-amp"):
            plain, (x, t) = small(recipe), data()
            F.cross_entropy(plain(x), t).backward()
            for way in WAYS:
                model = small(recipe)
                loss = F.cross_entropy(model(x), t)
                loss.div_(4)
                if way in (by_autograd, by_list):
                    self.assertRaisesRegex(RuntimeError, "changed in place", way, loss, list(model.parameters()))
                    continue
                way(loss, list(model.parameters()))
                for p, q in zip(model.parameters(), plain.parameters()):
                    self.assertTrue(torch.allclose(4 * p.grad, q.grad, rtol=0.02, atol=1e-3), (recipe, way))
            model, other = small(recipe), small(recipe)
            y = model(x)
            y.mul_(4)
            y.sum().backward()
            (other(x) * 4).sum().backward()
            for p, q in zip(model.parameters(), other.parameters()):
                self.assertTrue(torch.allclose(p.grad, q.grad, rtol=0.02, atol=1e-3), recipe)

    def test_optimizers_are_not_copied(self):
        for make in (lambda: bt.optim.SGD(small(), lr=0.1),
                     lambda: bt.optim.AdamW([nn.Parameter(torch.ones(3))], recipe="bf16-sr")):
            self.assertRaisesRegex(TypeError, "state_dict", copy.deepcopy, make())
        self.assertRaisesRegex(TypeError, "plain tensor", bt.optim.AdamW, [torch.zeros(3, requires_grad=True)],
                               recipe="bf16-sr")

    def test_loss_is_recorded(self):
        for way in WAYS:
            for recipe in (SCALED, "bf16-amp"):
                model, (x, t) = small(recipe), data()
                optimizer = bt.optim.SGD(model, lr=0.1)
                with bt.record(model) as record:
                    loss = F.cross_entropy(model(x), t)
                    way(loss, list(model.parameters()))
                    optimizer.step()
                self.assertEqual(record.losses, [loss.item()], way)

    def test_clipping(self):
        """What a caller does with gradients holds for what they are without the scale."""
        plain, (x, t) = small(wrapped=False), data()
        F.cross_entropy(plain(x), t).backward()
        expected = nn.utils.clip_grad_norm_(plain.parameters(), 0.1)
        model = small()
        before = [p.detach().clone() for p in model.parameters()]
        optimizer = bt.optim.SGD(model, lr=1.0)
        F.cross_entropy(model(x), t).backward()
        self.assertAlmostEqual(float(nn.utils.clip_grad_norm_(model.parameters(), 0.1)), float(expected), delta=0.01)
        optimizer.step()
        for p, q, old in zip(model.parameters(), plain.parameters(), before):
            self.assertTrue(torch.allclose(old - p.detach(), q.grad, rtol=0.03, atol=1e-3))

    def test_what_is_not_wrapped(self):
        """Inputs, a part of the model in front of the wrapped one, and a head behind it."""
        x, t = data()
        found = []
        for wrapped in (False, True):
            torch.manual_seed(2)
            front, middle, head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 4)
            leaf = x.clone().requires_grad_()
            if wrapped:
                bt.wrap(middle, SCALED)
                bt.optim.SGD(middle, lr=0.1)
            F.cross_entropy(head(middle(front(leaf).tanh()) + leaf), t).backward()
            found.append([leaf.grad] + [p.grad for m in (front, middle, head) for p in m.parameters()])
        for a, b in zip(*found):
            self.assertTrue(torch.allclose(a, b, rtol=0.02, atol=2e-3))

    def test_exceptions(self):
        """Parts with another recipe, with a loss scale or without."""
        x, t = data()
        plain = small(wrapped=False)
        F.cross_entropy(plain(x), t).backward()
        for recipe, other in ((SCALED, "fp32"), (SCALED, "bf16-amp"), ("bf16-amp", SCALED), ("fp32", SCALED)):
            model = small(recipe, {"2": other})
            before = [p.detach().clone() for p in model.parameters()]
            optimizer = bt.optim.SGD(model, lr=1.0)
            F.cross_entropy(model(x), t).backward()
            optimizer.step()
            for p, q, old in zip(model.parameters(), plain.parameters(), before):
                self.assertTrue(torch.allclose(p.grad, q.grad, rtol=0.03, atol=4e-3), (recipe, other))
                self.assertTrue(torch.allclose(old - p.detach(), q.grad, rtol=0.03, atol=4e-3), (recipe, other))

    def test_parts_skip_together(self):
        for recipe, other in ((SCALED, "fp32"), ("fp32", SCALED), (SCALED, "base=fp16-amp,dact=bf16")):
            for at in (0, 2):
                model = small(recipe, {"2": other})
                optimizer = bt.optim.AdamW(model, lr=1.0)
                before = [p.detach().clone() for p in model.parameters()]
                F.cross_entropy(model(data()[0]), data()[1]).backward()
                model[at].weight.grad[0, 0] = float("inf")
                optimizer.step()
                for p, old in zip(model.parameters(), before):
                    self.assertTrue(torch.equal(p, old), (recipe, other, at))

    def test_own_functions_inside(self):
        class Model(nn.Module):
            def __init__(self, mixed=False):
                super().__init__()
                self.a, self.b, self.mixed = nn.Linear(8, 8), nn.Linear(8, 4), mixed

            def forward(self, x):
                h = bt.quantize(self.a(x), "e4m3")
                if self.mixed:
                    h = Both.apply(h, self.a.bias)
                return self.b(Double.apply(h).double().float())

        class Both(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                return x + y

            @staticmethod
            def backward(ctx, d):
                return d, d.sum(0)
        x, t = data()
        plain, model = small(make=Model, wrapped=False), small(make=Model)
        bt.optim.SGD(model, lr=0.1)
        for m in (plain, model):
            F.cross_entropy(m(x), t).backward()
        for p, q in zip(plain.parameters(), model.parameters()):
            self.assertTrue(torch.allclose(p.grad, q.grad, rtol=0.05, atol=0.01))
        model = small(make=lambda: Model(True))
        bt.optim.SGD(model, lr=0.1)
        with self.assertRaisesRegex(RuntimeError, "different scales"):
            model(x)

    def test_hooks(self):
        """Gradients of what the model gave: by a hook, retained, and by torch.autograd.grad."""
        x, t = data()
        found = []
        for wrapped in (False, True):
            model, seen = small(wrapped=wrapped), []
            if wrapped:
                bt.optim.SGD(model, lr=0.1)
            y = model(x)
            y.register_hook(seen.append)
            loss = F.cross_entropy(y, t) + Double.apply(y).mean()
            d, = torch.autograd.grad(loss, y, retain_graph=True)
            y.retain_grad()
            loss.backward()
            self.assertTrue(torch.equal(y.grad, d))
            found.append([d, seen[-1], model[0].weight.grad])
            y = model(x)
            y.register_hook(lambda d: d * 3)
            model.zero_grad()
            F.cross_entropy(y, t).backward()
            found[-1].append(model[0].weight.grad)
        for a, b in zip(*found):
            self.assertTrue(torch.allclose(a, b, rtol=0.02, atol=1e-3))

    def test_graph_twice(self):
        for recipe in (SCALED, "bf16-amp"):
            for way in (torch.autograd.backward, torch.Tensor.backward,
                        lambda loss, **how: torch.autograd.grad(loss, list(model.parameters()), **how)):
                model, (x, t) = small(recipe), data()
                bt.optim.SGD(model, lr=0.1)
                loss = F.cross_entropy(model(x), t)
                way(loss, retain_graph=True)
                loss.backward()
                with self.assertRaisesRegex(RuntimeError, "second time"):
                    way(loss)

    def test_checkpoints_are_refused(self):
        from torch.utils.checkpoint import checkpoint

        class Model(nn.Module):
            def __init__(self, reentrant):
                super().__init__()
                self.a, self.b, self.reentrant = nn.Linear(8, 8), nn.Linear(8, 4), reentrant

            def forward(self, x):
                return self.b(checkpoint(self.a, x, use_reentrant=self.reentrant))

        class Last(nn.Module):
            """What is recomputed is the output of the model, where gradients leave it."""

            def __init__(self, reentrant):
                super().__init__()
                self.a, self.reentrant = nn.Linear(8, 4), reentrant

            def forward(self, x):
                return checkpoint(self.a, x, use_reentrant=self.reentrant)
        for kind, reentrant in ((Model, False), (Model, True), (Last, False), (Last, True)):
            model, (x, t) = small("bf16-amp", make=lambda: kind(reentrant)), data()
            with self.assertRaisesRegex(RuntimeError, "torch.utils.checkpoint cannot be used"):
                F.cross_entropy(model(x.requires_grad_()), t).backward()


class OfGradients(unittest.TestCase):
    """The simulator has no gradients of gradients: they are refused, not computed without the simulator's part."""

    def penalty(self, model):
        """The gradient penalty of a critic, as in WGAN-GP."""
        x = data()[0].requires_grad_()
        d, = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        (d.norm(dim=1) - 1).square().mean().backward()
        return [p.grad for p in model.parameters()]

    def test_refused(self):
        for recipe in ("bf16-amp", SCALED, "act=fp32,dact=fp32"):
            for exceptions in (None, {"2": "fp32"}):
                with self.assertRaisesRegex(RuntimeError, "create_graph=True cannot be used in a wrapped model"):
                    self.penalty(small(recipe, exceptions))
        model = small("bf16-amp", make=lambda: nn.Linear(8, 1))
        with self.assertRaisesRegex(RuntimeError, "gradients of gradients"):
            torch.autograd.functional.hessian(lambda x: model(x).square().sum(), data()[0][0])

    def test_fp32_has_them(self):
        for mine, theirs in zip(self.penalty(small("fp32")), self.penalty(small(wrapped=False))):
            self.assertEqual(mine is None, theirs is None)
            self.assertTrue(mine is None or torch.equal(mine, theirs))
            self.assertTrue(mine is None or mine.dim() < 2 or bool(mine.any()))


if __name__ == "__main__":
    unittest.main()
