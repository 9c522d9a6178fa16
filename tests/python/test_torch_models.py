"""libbinade.torch on models that know nothing of formats: wrap, record, optimizers."""
import copy
import ctypes
import doctest
import inspect
import io
import json
import os
import subprocess
import tempfile
import unittest

import support

torch = support.torch()

import libbinade.torch as bt  # noqa: E402
import torch_models as models  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from libbinade import _types as t  # noqa: E402
from libbinade._native import call, lib  # noqa: E402
from torch import nn  # noqa: E402

RECIPES = ("fp32", "bf16-amp", "fp16-amp", "bf16-sr", "fp8-unscaled", "fp8-current", "mxfp8", "nvfp4", "fp8-lm")
EVERYWHERE = "act=fp32,dact=fp32"  # the simulator computes all functions, and rounds nothing below fp32


def trained(kind, recipe=None, optimizer=None, steps=4, watch=None):
    """A model of this kind after a few steps, and its losses."""
    torch.manual_seed(0)
    model, batches = kind(), [kind.batch() for _ in range(steps)]
    if recipe is not None:
        bt.wrap(model, recipe)
    made = (optimizer or (lambda m: torch.optim.AdamW(m.parameters(), lr=1e-2)))(model)
    torch.manual_seed(1)
    if watch is None:
        return model, models.train(model, made, batches)
    with watch(model) as record:
        return record, models.train(model, made, batches)


def lines_of(reference):
    """What the study of the library writes about the same run: the lines of metrics.jsonl, the products' keys."""
    task, record = t.bnd_task(), t.bnd_record()
    lib.bnd_task_default(ctypes.byref(task), ctypes.byref(reference.training))
    with tempfile.TemporaryDirectory() as folder:
        task.directory, task.statistics, task.places = os.path.join(folder, "run").encode(), True, True
        context = t.bnd_context(threads=1)
        call("bnd_study_run", ctypes.byref(record), ctypes.byref(task), 1, ctypes.byref(context), None, None)
        lib.bnd_record_close(ctypes.byref(record))
        with open(os.path.join(folder, "run", "metrics.jsonl"), encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
    kept = ("loss", "train/grad_norm", "update/nonzero", "update/lost", "update/ratio")
    begins = ("gemm_", "blocks.1.up/gemm_", "grad/")
    return [{key: x for key, x in line.items() if key in kept or key.startswith(begins)} for line in lines]


class Models(unittest.TestCase):
    def test_fp32_is_torch(self):
        for kind in models.MODELS:
            plain, wrapped = trained(kind), trained(kind, "fp32")
            self.assertEqual(plain[1], wrapped[1], kind.__name__)
            for p, q in zip(plain[0].parameters(), wrapped[0].parameters()):
                self.assertTrue(torch.equal(p, q), kind.__name__)

    def test_every_function_is_right(self):
        """In fp32 the simulator's functions and gradients are torch's, but for the order of sums."""
        for kind in models.MODELS:
            plain = trained(kind, optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.1))
            wrapped = trained(kind, EVERYWHERE, lambda m: torch.optim.SGD(m.parameters(), lr=0.1))
            self.assertEqual(bt.not_covered(wrapped[0]), {}, kind.__name__)
            for a, b in zip(plain[1], wrapped[1]):
                self.assertAlmostEqual(a, b, delta=2e-5, msg=kind.__name__)
            for p, q in zip(plain[0].parameters(), wrapped[0].parameters()):
                self.assertTrue(torch.allclose(p, q, rtol=1e-3, atol=2e-5), kind.__name__)

    def test_recipes(self):
        for kind in models.MODELS:
            for recipe in RECIPES:
                with self.subTest(f"{kind.__name__} {recipe}"):
                    record, losses = trained(kind, recipe, lambda m: bt.optim.AdamW(m, lr=1e-2), 3, bt.record)
                    self.assertEqual(len(record.points), 3)
                    self.assertTrue(all(0 < x < 10 for x in losses), losses)
                    self.assertEqual(record.losses, losses)
                    if recipe in ("fp8-unscaled", "nvfp4"):
                        worst = record.underflows()[0]
                        self.assertGreater(worst.underflow_percent, 0)
                        self.assertTrue(worst.role.startswith("gemm_"), worst)
                        self.assertNotEqual(worst.place, "")

    def test_learns(self):
        for kind in models.MODELS:
            torch.manual_seed(0)
            model, batch = kind(), kind.batch()
            bt.wrap(model, "mxfp8")
            losses = models.train(model, bt.optim.AdamW(model, lr=1e-2), [batch] * 12)
            self.assertLess(losses[-1], 0.7 * losses[0], kind.__name__)

    def test_numbers_are_those_of_the_format(self):
        model = bt.wrap(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3)), "bf16-sr")
        y = model(torch.randn(4, 8))
        self.assertTrue(torch.equal(y, y.bfloat16().float()))
        self.assertTrue(all(torch.equal(p, p.bfloat16().float()) for p in model.parameters()))


class Functions(unittest.TestCase):
    """Functional calls take the same way as modules."""

    def outcome(self, f, recipe="fp8-current+fp32", seed=2):
        """f(x, w, b) and the gradients under a recipe."""
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(seed)
                self.w, self.b = nn.Parameter(torch.randn(6, 8)), nn.Parameter(torch.randn(6))

            def forward(self, x):
                return f(x, self.w, self.b)
        model = Model()
        x = torch.randn(4, 8, requires_grad=True)
        bt.wrap(model, recipe)
        y = model(x)
        (y * torch.arange(1.0, 7)).sum().backward()
        return [z.detach().as_subclass(torch.Tensor) for z in (y, x.grad, model.w.grad, model.b.grad)]

    def test_same_as_linear(self):
        expected = self.outcome(F.linear)
        for f in (lambda x, w, b: x @ w.t() + b, lambda x, w, b: torch.addmm(b, x, w.t()),
                  lambda x, w, b: torch.matmul(x, w.T) + b, lambda x, w, b: torch.einsum("ij,kj->ik", x, w) + b):
            for a, b in zip(expected, self.outcome(f)):
                self.assertTrue(torch.equal(a, b))

    def test_attention(self):
        torch.manual_seed(3)
        q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))

        def by_hand(q, k, v):
            scores = (q @ k.transpose(-1, -2)) * 0.5
            return scores.masked_fill(torch.ones(5, 5).triu(1) == 1, float("-inf")).softmax(-1) @ v

        class Model(nn.Module):
            def forward(self, q, k, v):
                return by_hand(q, k, v)
        model = bt.wrap(Model(), "bf16-amp")
        y = model(q, k, v)
        self.assertTrue(torch.allclose(by_hand(q, k, v), y.as_subclass(torch.Tensor), atol=0.05))
        self.assertTrue(torch.equal(y, y.bfloat16().float()))
        attention = getattr(F, "scaled_dot_product_attention", None)
        if attention is not None:
            Model.forward = lambda self, q, k, v: attention(q, k, v, is_causal=True)
            self.assertTrue(torch.equal(y, bt.wrap(Model(), "bf16-amp")(q, k, v)))

    def test_roles_of_attention(self):
        """Operands and results of the two products, each rounded by its own role."""
        attention = getattr(F, "scaled_dot_product_attention", None)
        if attention is None:  # PyTorch 1.13
            def attention(q, k, v):
                return torch._C._nn._scaled_dot_product_attention(q, k, v)[0]
        torch.manual_seed(5)
        q, k, v = (torch.randn(2, 5, 4) for _ in range(3))

        class Model(nn.Module):
            def forward(self, q, k, v):
                return attention(q, k, v)

        def expected(low):
            def b(x, role):
                return x.bfloat16().float() if role in low else x
            s = b(b(q, "q") @ b(k, "k").transpose(-1, -2), "s")
            return b(b((s * 0.5).softmax(-1), "p") @ b(v, "v"), "o")
        for low in ("q", "k", "s", "p", "v", "o", "pv"):
            recipe = ",".join(["act=fp32", "careful=fp32"] + [f"attn.{role}=bf16" for role in low])
            y = bt.wrap(Model(), recipe)(q, k, v).as_subclass(torch.Tensor)
            self.assertTrue(torch.allclose(expected(low), y, atol=2e-6 if "o" not in low else 1e-2), recipe)
            self.assertFalse(torch.allclose(expected(""), y, atol=2e-6), recipe)

    def test_multihead_attention(self):
        torch.manual_seed(4)
        plain = nn.MultiheadAttention(8, 2, batch_first=True)
        x = torch.randn(2, 5, 8)
        expected = plain(x, x, x)[0]
        for recipe, close in ((EVERYWHERE, 1e-5), ("bf16-amp", 0.02)):
            for need in (True, False):
                model = bt.wrap(copy.deepcopy(plain), recipe)
                y = model(x, x, x, need_weights=need)[0]
                self.assertTrue(torch.allclose(expected, y.as_subclass(torch.Tensor), atol=close), recipe)
                self.assertEqual(bt.not_covered(model), {})

    def test_graph_twice(self):
        for keep in (True, False):
            model = bt.wrap(nn.Linear(4, 2), "bf16-amp")
            loss = model(torch.randn(3, 4)).sum()
            loss.backward(retain_graph=keep)
            once = model.weight.grad.clone()
            if keep:
                loss.backward()
                self.assertTrue(torch.equal(model.weight.grad, 2 * once))
            else:
                with self.assertRaisesRegex((ValueError, RuntimeError), "already|second time"):
                    loss.backward()

    def test_not_covered(self):
        model = bt.wrap(nn.LSTM(4, 6, proj_size=2), "bf16-amp")
        model(torch.randn(3, 1, 4))[0].sum().backward()
        self.assertEqual(list(bt.not_covered(model)), ["lstm"])

    def test_other_products(self):
        """Modules whose products are made of moved numbers: in fp32 they are torch's, gradients too."""
        pair = (torch.randn(5, 3), torch.randn(5, 2))
        cases = [(nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1), (torch.randn(2, 4, 5),)),
                 (nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2), (torch.randn(2, 4, 5, 3),)),
                 (nn.ConvTranspose2d(4, 2, (2, 3), dilation=2, bias=False), (torch.randn(4, 5, 3),)),
                 (nn.ConvTranspose3d(2, 3, 2, stride=2), (torch.randn(1, 2, 3, 2, 2),)),
                 (nn.Conv1d(2, 3, 4, padding="same"), (torch.randn(2, 2, 9),)),
                 (nn.Bilinear(3, 2, 4), pair), (nn.Bilinear(3, 2, 4, bias=False), pair)]
        cases += [(nn.Conv2d(2, 3, 3, padding=1, padding_mode=mode), (torch.randn(2, 2, 5, 5),))
                  for mode in ("reflect", "replicate", "circular")]
        for plain, inputs in cases:
            made = []
            for recipe in (None, EVERYWHERE, "fp8-current+fp32"):
                model = copy.deepcopy(plain)
                if recipe is not None:
                    bt.wrap(model, recipe)
                x = [x.clone().requires_grad_() for x in inputs]
                y = model(*x)
                (y * y).sum().backward()
                made.append([y.as_subclass(torch.Tensor)] + [z.grad for z in [*x, *model.parameters()]])
                self.assertEqual(bt.not_covered(model) if recipe is not None else {}, {}, plain)
            for a, b, rounded in zip(*made):
                self.assertTrue(torch.allclose(a, b, rtol=1e-4, atol=1e-4), plain)
            self.assertFalse(torch.equal(made[0][0], made[2][0]), plain)
            self.assertTrue(torch.allclose(made[0][0], made[2][0], atol=0.5), plain)


class Wrapping(unittest.TestCase):
    def model(self):
        torch.manual_seed(5)
        return nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4))

    def test_refused(self):
        with self.assertRaisesRegex(TypeError, "float64"):
            bt.wrap(self.model().double(), "bf16-amp")
        with self.assertRaisesRegex(ValueError, "nothing"):
            bt.wrap(self.model(), "nothing")
        with self.assertRaises(TypeError):
            bt.wrap(torch.ones(3), "bf16-amp")
        model = bt.wrap(self.model(), "bf16-amp")
        with self.assertRaisesRegex(ValueError, "wrapped already"):
            bt.wrap(model, "bf16-amp")
        with self.assertRaisesRegex(TypeError, "cannot be copied"):
            copy.deepcopy(model)
        with self.assertRaisesRegex(TypeError, "cannot be saved"):
            torch.save(model, io.BytesIO())
        with self.assertRaisesRegex(ValueError, "not wrapped"):
            bt.unwrap(self.model())
        with self.assertRaisesRegex(TypeError, "say which"):
            bt.optim.AdamW(self.model())

    def test_types_that_change(self):
        """A parameter that is no longer fp32 is refused in the next forward pass and step."""
        for change, name in ((nn.Module.double, "float64"), (nn.Module.bfloat16, "bfloat16"),
                             (nn.Module.half, "float16")):
            for recipe in ("bf16-amp", "fp8-current", "gemm=e4m3", "bf16-pure"):
                model = bt.wrap(self.model(), recipe)
                optimizer, x = bt.optim.SGD(model, lr=0.1), torch.ones(2, 8)
                model(x).sum().backward()
                change(model)
                for call_it in (lambda: model(x.to(model[0].weight.dtype)), optimizer.step):
                    with self.assertRaisesRegex(TypeError, f"parameter '0.weight' is torch.{name} on cpu; wrap needs"):
                        call_it()
                model.float()(x)

    def test_one_wrap(self):
        """Neither a part of a wrapped model nor a model with a wrapped part is wrapped again."""
        inner = bt.wrap(self.model(), "bf16-amp")
        with self.assertRaisesRegex(ValueError, "module '1.0' is wrapped already"):
            bt.wrap(nn.Sequential(nn.GELU(), nn.Sequential(inner)), "fp32")
        with self.assertRaisesRegex(ValueError, "a part of a Sequential that is wrapped already"):
            bt.wrap(inner[0], "fp32")
        part = bt.unwrap(inner)[0]
        bt.wrap(part, "fp32")
        bt.wrap(nn.Sequential(bt.unwrap(part)), "fp32")

    def test_parts_of_a_model_that_is_gone(self):
        part = self.model()
        bt.wrap(nn.Sequential(part, nn.GELU()), "bf16-amp")
        self.assertIs(bt.wrap(part, "fp32"), part)

    def test_signature(self):
        model = self.model()
        before = inspect.signature(model.forward)
        bt.wrap(model, "bf16-amp", exceptions={"0": "fp32"})
        self.assertEqual(inspect.signature(model.forward), before)
        self.assertEqual(inspect.signature(model[0].forward), inspect.signature(nn.Linear.forward).replace(
            parameters=list(inspect.signature(nn.Linear.forward).parameters.values())[1:]))
        self.assertRaises(Exception, torch.jit.script, model)  # it would be scripted without the recipe

    def test_unwrap(self):
        model, x = self.model(), torch.randn(2, 8)
        before, keys = model(x), set(model.__dict__)
        bt.wrap(model, "e4m3-pure")
        self.assertFalse(torch.equal(before, model(x).as_subclass(torch.Tensor)))
        bt.unwrap(model)
        self.assertEqual(set(model.__dict__), keys)
        self.assertIs(type(model(x)), torch.Tensor)
        model = self.model()
        bt.wrap(model, "bf16-amp")(x)
        self.assertTrue(torch.equal(before, bt.unwrap(model)(x)))

    def test_looking_changes_nothing(self):
        """Forward passes without gradients in between: the same training, and the same numbers twice."""
        made = []
        for looks in (False, True):
            model = bt.wrap(self.model(), "nvfp4")
            optimizer = bt.optim.AdamW(model, lr=1e-2)
            torch.manual_seed(6)
            batches = [((torch.randn(5, 8),), torch.randint(4, (5,))) for _ in range(3)]
            losses = []
            for batch in batches:
                losses += models.train(model, optimizer, [batch])
                if looks:
                    with torch.no_grad():
                        a, b = model(torch.ones(1, 8)), model(torch.ones(1, 8))
                    self.assertTrue(torch.equal(a, b))
            made.append(losses)
        self.assertEqual(*made)


class Optimizers(unittest.TestCase):
    def test_state(self):
        """A state that is loaded continues with the same bits."""
        for recipe in ("bf16-sr", "fp16-amp", "adam8bit", "bf16-kahan"):
            torch.manual_seed(7)
            batches = [((torch.randn(6, 8),), torch.randint(4, (6,))) for _ in range(6)]
            model = bt.wrap(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)), recipe)
            optimizer = bt.optim.AdamW(model, lr=1e-2)
            models.train(model, optimizer, batches[:3])
            other = bt.wrap(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)), recipe)
            again = bt.optim.AdamW(other, lr=5.0)
            with tempfile.TemporaryFile() as file:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
                file.seek(0)
                saved = torch.load(file)
            other.load_state_dict(saved["model"])
            again.load_state_dict(saved["optimizer"])
            expected = models.train(model, optimizer, batches[3:])
            self.assertEqual(expected, models.train(other, again, batches[3:]), recipe)

    def test_state_in_a_step(self):
        """A forward pass before the state is loaded begins a step, which is given up."""
        for recipe, exceptions in (("nvfp4", None), ("fp8-lm", None), ("fp16-amp", {"0": "bf16-sr"})):
            torch.manual_seed(7)
            batches = [((torch.randn(6, 8),), torch.randint(4, (6,))) for _ in range(6)]

            def made():
                torch.manual_seed(7)
                model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
                bt.wrap(model, recipe, exceptions=exceptions, seed=7)
                return model, bt.optim.AdamW(model, lr=1e-2)
            model, optimizer = made()
            models.train(model, optimizer, batches[:3])
            saved = copy.deepcopy(model.state_dict()), optimizer.state_dict()
            expected = models.train(model, optimizer, batches[3:])
            other, again = made()
            other(batches[0][0][0])
            for _ in range(2):  # the second time: back from a step with gradients
                other.load_state_dict(saved[0])
                again.load_state_dict(saved[1])
                self.assertEqual(expected, models.train(other, again, batches[3:]), recipe)
                other(batches[0][0][0]).sum().backward()

    def test_settings_that_change(self):
        """A setting that the constructor refuses is refused in the groups, too, and momentum needs a place."""
        def made(kind, **options):
            w = nn.Parameter(torch.ones(3))
            w.grad = torch.ones(3)
            return w, kind([w], recipe="fp32", lr=0.1, **options)
        for key in ("maximize", "amsgrad"):
            w, optimizer = made(bt.optim.AdamW)
            optimizer.param_groups[0][key] = True
            with self.assertRaisesRegex(TypeError, f"has no {key}"):
                optimizer.step()
            self.assertTrue(torch.equal(w, torch.ones(3)))
        w, optimizer = made(bt.optim.SGD)
        torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=9)
        with self.assertRaisesRegex(ValueError, "the momentum was 0 when the optimizer was made"):
            optimizer.step()
        mine, other = made(bt.optim.SGD, momentum=0.9), nn.Parameter(torch.ones(3))
        other.grad = torch.ones(3)
        theirs = torch.optim.SGD([other], lr=0.1, momentum=0.9)
        schedules = [torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=9) for o in (mine[1], theirs)]
        for momentum in (None, None, 0.0, 0.0):
            for optimizer in (mine[1], theirs):
                if momentum is not None:
                    optimizer.param_groups[0]["momentum"] = momentum
                optimizer.step()
            for schedule in schedules:
                schedule.step()
            self.assertTrue(torch.allclose(mine[0], other, rtol=1e-6))

    def test_sparse_gradients(self):
        torch.manual_seed(9)
        table, i = torch.randn(5, 4), torch.tensor([1, 3, 3])
        for recipe in ("fp32", "act=fp32,dact=fp32", "base=fp16-amp,act=fp32,dact=fp32,careful=fp32"):
            found = []
            for sparse in (False, True):
                model = bt.wrap(nn.Embedding(5, 4, sparse=sparse, _weight=table.clone()), recipe)
                optimizer = bt.optim.SGD(model, lr=0.5)
                model(i).square().sum().backward()
                self.assertEqual(model.weight.grad.is_sparse, sparse)
                optimizer.step()
                found.append(model.weight.detach())
            torch.testing.assert_close(*found)
            self.assertFalse(torch.equal(found[0], table))

    def test_like_torch(self):
        """fp32: the numbers of torch.optim, but for rounding."""
        for ours, theirs in ((bt.optim.SGD, torch.optim.SGD), (bt.optim.AdamW, torch.optim.AdamW),
                             (bt.optim.Adam, torch.optim.Adam)):
            for options in ({"lr": 0.05}, {"lr": 0.01, "weight_decay": 0.1}):
                torch.manual_seed(8)
                p, q = (nn.Parameter(torch.ones(5)) for _ in range(2))
                a, b = ours([p], recipe="fp32", **options), theirs([q], **options)
                for _ in range(4):
                    p.grad = torch.randn(5)
                    q.grad = p.grad.clone()
                    a.step()
                    b.step()
                self.assertTrue(torch.allclose(p, q, rtol=1e-6), (ours, options))

    def test_arguments(self):
        """What torch.optim has and is not here is refused, for all parameters and in groups."""
        w = nn.Parameter(torch.ones(3))
        for kind, options, why in ((bt.optim.SGD, {"nesterov": True}, "no nesterov"),
                                   (bt.optim.SGD, {"dampening": 0.1}, "no dampening"),
                                   (bt.optim.AdamW, {"amsgrad": True}, "no amsgrad"),
                                   (bt.optim.Adam, {"maximize": True}, "no maximize"),
                                   (bt.optim.Lion, {"eps": 1e-8}, "unknown argument 'eps'"),
                                   (bt.optim.AdamW, {"momentum": 0.9}, "unknown argument 'momentum'")):
            with self.assertRaisesRegex(TypeError, why):
                kind([w], recipe="fp32", **options)
            with self.assertRaisesRegex(TypeError, why):
                kind([{"params": [w], **options}], recipe="fp32")
        bt.optim.SGD([w], recipe="fp32", nesterov=False, dampening=0, foreach=True, maximize=False)
        optimizer = bt.optim.AdamW([w], recipe="fp32", amsgrad=False)
        with self.assertRaisesRegex(ValueError, "cannot be added later"):
            optimizer.add_param_group({"params": [nn.Parameter(torch.ones(2))]})

    def test_groups(self):
        """Momentum in one group alone; parameters that the optimizer does not have stay; one optimizer per model."""
        p, q = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
        ours = bt.optim.SGD([{"params": [p], "momentum": 0.9}], recipe="fp32", lr=0.1)
        theirs = torch.optim.SGD([{"params": [q], "momentum": 0.9}], lr=0.1)
        for _ in range(3):
            p.grad, q.grad = torch.ones(3), torch.ones(3)
            ours.step()
            theirs.step()
        self.assertTrue(torch.allclose(p, q, rtol=1e-6))
        model = bt.wrap(nn.Linear(4, 2), "bf16-amp")
        before = model.bias.detach().clone()
        first = bt.optim.AdamW(model, groups=[{"params": [model.weight]}])
        model(torch.ones(1, 4)).sum().backward()
        first.step()
        self.assertTrue(torch.equal(model.bias, before))
        bt.optim.AdamW(model)
        with self.assertRaisesRegex(RuntimeError, "another optimizer"):
            first.step()

    def test_changed_gradients(self):
        """What the caller does to gradients counts: clipping, and accumulation over several batches."""
        model = bt.wrap(nn.Linear(4, 1, bias=False), "bf16-amp")
        optimizer = bt.optim.SGD(model, lr=1.0)
        before = model.weight.detach().clone()
        for _ in range(2):
            model(torch.ones(1, 4)).sum().backward()
        with torch.no_grad():
            model.weight.grad.clamp_(max=0.5)
        optimizer.step()
        self.assertTrue(torch.allclose(before - model.weight.detach(), torch.full((1, 4), 0.5)))
        optimizer.zero_grad()
        optimizer.step()
        self.assertTrue(torch.allclose(before - model.weight.detach(), torch.full((1, 4), 0.5)))

    def test_scheduler(self):
        model = bt.wrap(nn.Linear(4, 2), "bf16-amp")
        optimizer = bt.optim.AdamW(model, lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        for expected in (0.1, 0.05, 0.025):
            models.train(model, optimizer, [((torch.randn(2, 4),), torch.randint(2, (2,)))])
            self.assertEqual(optimizer.last_step.lr, expected)
            schedule.step()

    def test_parameters_of_a_wrapped_model(self):
        """An optimizer of a wrapped model's parameters updates that model, as one of the model itself does."""
        def after(parameters_only):
            torch.manual_seed(3)
            model = bt.wrap(torch.nn.Linear(4, 2), "mxfp8")
            opt = bt.optim.AdamW(model.parameters() if parameters_only else model, lr=0.1)
            before = model.weight.detach().clone()
            model(torch.ones(3, 4)).pow(2).mean().backward()
            opt.step()
            self.assertFalse(torch.equal(before, model.weight))
            return model.weight.detach().clone()
        self.assertTrue(torch.equal(after(True), after(False)))
        model = bt.wrap(torch.nn.Linear(4, 2), "mxfp8")
        with self.assertRaises(ValueError):
            bt.optim.AdamW(model.parameters(), recipe="bf16-sr")

    def test_bytes(self):
        model = bt.wrap(nn.Linear(64, 64, bias=False), "bf16-master")
        n = 64 * 64
        self.assertEqual(bt.optim.AdamW(model).bytes(), {"param": 2 * n, "master": 4 * n, "m": 4 * n, "v": 4 * n})


class Recording(unittest.TestCase):
    def test_like_train(self):
        """Counts and histograms of the products are those of the simulator's own run."""
        recipe = "fp8-unscaled"
        reference = models.Reference(recipe, 2)
        model = reference.model()
        bt.wrap(model, recipe, seed=reference.training.seed_rounding)
        optimizer = bt.optim.AdamW(model, lr=reference.training.lr, groups=reference.groups(model))
        with bt.record(model) as record:
            for step in range(2):
                x, y = reference.batch(step)
                optimizer.zero_grad()
                F.cross_entropy(model(x).view(-1, reference.training.vocabulary), y.view(-1)).backward()
                optimizer.step()
        mine = record.points
        theirs = lines_of(reference)
        reference.close()
        for a, b in zip(mine, theirs):
            for key in b:
                self.assertEqual(a[key], b[key], key)
            self.assertGreater(len(b), 100)

    def test_directory(self):
        binade = support.command()
        with tempfile.TemporaryDirectory() as folder:
            for recipe in ("fp32", "nvfp4"):
                torch.manual_seed(9)
                model = bt.wrap(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), recipe)
                batches = [((torch.randn(8, 8),), torch.randint(4, (8,))) for _ in range(20)]
                with bt.record(model, os.path.join(folder, recipe + "-0")):
                    models.train(model, bt.optim.AdamW(model, lr=1e-2), batches)
            for name in ("config.json", "summary.json"):
                with open(os.path.join(folder, "nvfp4-0", name), encoding="utf-8") as f:
                    self.assertEqual(json.load(f)["recipe"], "nvfp4")
            made = subprocess.run([binade, "compare", folder, "--json"], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertIn("nvfp4", made.stdout)
            made = subprocess.run([binade, "report", folder, "--json"], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            model = bt.wrap(nn.Linear(2, 2), "fp32")
            with self.assertRaisesRegex(ValueError, "already holds a run"):
                bt.record(model, os.path.join(folder, "fp32-0")).__enter__()

    def test_another_optimizer(self):
        for recipe in ("fp32", "fp8-unscaled"):
            model = bt.wrap(nn.Linear(4, 2), recipe)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with bt.record(model) as record:
                losses = models.train(model, optimizer, [((torch.randn(3, 4),), torch.randint(2, (3,)))] * 3)
            self.assertEqual(record.losses, losses)

    def test_looking_is_not_counted(self):
        counted = []
        for looks in (False, True):
            torch.manual_seed(10)
            model = bt.wrap(nn.Linear(4, 2), "fp8-unscaled")
            optimizer = bt.optim.SGD(model, lr=0.1)
            with bt.record(model) as record:
                for _ in range(2):
                    if looks:
                        with torch.no_grad():
                            model(torch.full((3, 4), 1e-9))
                    models.train(model, optimizer, [((torch.ones(3, 4),), torch.zeros(3).long())])
            counted.append([(c.place, c.role, c.elements, c.to_zero) for c in record.counts()])
        self.assertEqual(*counted)


class Doctests(unittest.TestCase):
    def test_examples(self):
        self.assertEqual(doctest.testmod(bt._record).failed, 0)

    def test_page(self):
        path = os.path.join(support.TOP, "doc/how-to/train-your-pytorch-model-in-fp8.md")
        failed, tried = doctest.testfile(path, module_relative=False, encoding="utf-8")
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 10)


if __name__ == "__main__":
    unittest.main()
