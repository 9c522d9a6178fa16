"""Muon of libbinade.torch: the steps of the published formula in PyTorch, and which parameters it updates."""
import unittest

import support

torch = support.torch()

import libbinade.torch as bt  # noqa: E402
from torch import nn  # noqa: E402


def direction(x):
    """Newton-Schulz as torch.optim.Muon of PyTorch 2.9 has it, in fp64."""
    x = x.T if x.shape[0] > x.shape[1] else x
    x = x / x.norm().clamp(min=1e-7)
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x


def published(w, gradients, lr, decay, ratio):
    """The steps of torch.optim.Muon, in fp64."""
    w, m = w.double(), torch.zeros_like(w).double()
    for g in gradients:
        m = m.lerp(g.double(), 0.05)
        o = direction(g.double().lerp(m, 0.95))
        w = w * (1 - lr * decay) - lr * ratio * (o.T if o.shape != w.shape else o)
    return w


class Muon(unittest.TestCase):
    def test_published(self):
        for rows, columns in ((3, 5), (7, 4), (1, 6)):
            for how, ratio in ((None, max(1, rows / columns) ** 0.5),
                               ("match_rms_adamw", 0.2 * max(rows, columns) ** 0.5)):
                torch.manual_seed(1)
                start = torch.randn(rows, columns)
                gradients = [torch.randn(rows, columns) for _ in range(4)]
                w = nn.Parameter(start.clone())
                optimizer = bt.optim.Muon([w], recipe="fp32", lr=0.05, weight_decay=0.2, adjust_lr_fn=how)
                for g in gradients:
                    w.grad = g
                    optimizer.step()
                expected = published(start, gradients, 0.05, 0.2, ratio).float()
                self.assertTrue(torch.allclose(w, expected, rtol=1e-5, atol=1e-6), (rows, columns, how))
                self.assertFalse(torch.equal(w, start))

    def test_others(self):
        """A bias has the bits of AdamW at a share of the rate; groups have rates of their own."""
        torch.manual_seed(2)
        w, b = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.randn(3))
        c = nn.Parameter(b.detach().clone())
        groups = [{"params": [w]}, {"params": [b], "lr": 0.4, "weight_decay": 0.0}]
        ours = bt.optim.Muon(groups, recipe="fp32", lr=0.1, adamw_ratio=0.25)
        theirs = bt.optim.AdamW([c], recipe="fp32", lr=0.1, betas=(0.9, 0.95), weight_decay=0.0)
        for _ in range(3):
            w.grad, b.grad = torch.randn(3, 3), torch.randn(3)
            c.grad = b.grad.clone()
            ours.step()
            theirs.step()
        self.assertTrue(torch.equal(b, c))

    def test_which_are_hidden(self):
        n = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 2))
        bt.wrap(n, "bf16-amp")
        kept = bt.optim.Muon(n).bytes()
        self.assertEqual(kept["m"] - kept["v"], 4 * 64)  # the matrix in the middle has no second moment
        tied = nn.Sequential(nn.Embedding(6, 8), nn.Linear(8, 8, bias=False), nn.Linear(8, 6, bias=False))
        tied[2].weight = tied[0].weight
        bt.wrap(tied, "bf16-amp")
        kept = bt.optim.Muon(tied).bytes()
        self.assertEqual(kept["m"] - kept["v"], 4 * 64)
        chosen = bt.wrap(nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)), "fp32")
        kept = bt.optim.Muon(chosen, hidden=[chosen[0].weight]).bytes()
        self.assertEqual(kept["m"] - kept["v"], 4 * 32)

    def test_state(self):
        """Saved and loaded into another optimizer: the same bits from there on."""
        torch.manual_seed(3)
        x = torch.randn(5, 4)
        model, other = (bt.wrap(nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 6), nn.Linear(6, 2)), "bf16-sr")
                        for _ in range(2))

        def steps(net, optimizer, n):
            for _ in range(n):
                optimizer.zero_grad()
                net(x).square().sum().backward()
                optimizer.step()
            return [p.detach().clone() for p in net.parameters()]

        optimizer, again = bt.optim.Muon(model, lr=0.01), bt.optim.Muon(other, lr=1.0)
        steps(model, optimizer, 2)
        saved = optimizer.state_dict()
        again.load_state_dict(saved)
        for p, q in zip(steps(model, optimizer, 2), steps(other, again, 2)):
            self.assertTrue(torch.equal(p, q))

    def test_refused(self):
        w, b = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2))
        for options, kind, why in (({"nesterov": False}, TypeError, "no nesterov"),
                                   ({"ns_steps": 6}, TypeError, "no ns_steps"),
                                   ({"eps": 1e-6}, TypeError, "no eps"), ({"foo": 1}, TypeError, "unknown argument"),
                                   ({"adjust_lr_fn": "x"}, ValueError, "adjust_lr_fn must be"),
                                   ({"hidden": [b]}, ValueError, "must be matrices")):
            with self.assertRaisesRegex(kind, why):
                bt.optim.Muon([w, b], recipe="fp32", **options)
        with self.assertRaisesRegex(TypeError, "takes a wrapped model"):
            bt.optim.Muon(5, recipe="fp32")
        bt.optim.Muon([w, b], recipe="fp32", nesterov=True, ns_steps=5, eps=1e-7, foreach=None)


if __name__ == "__main__":
    unittest.main()
