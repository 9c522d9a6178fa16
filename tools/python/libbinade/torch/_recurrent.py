"""Recurrent networks: a step of time is two linear layers and a few operations."""
import torch
import torch.nn.functional as F

from ._handlers import handles


def _recurrent(kind, *names):
    def handler(place, x, *rest):
        packed = isinstance(rest[0], torch.Tensor) and rest[0].dtype == torch.int64 and not isinstance(rest[1], bool)
        if packed:
            return NotImplemented
        state, weights, has_bias, layers, dropout, train, both, batch_first = rest
        h0, c0 = (state[0], state[1]) if kind == "lstm" else (state, None)
        directions, per = (2 if both else 1), (4 if has_bias else 2)
        x = place.view(x, lambda x: x.transpose(0, 1)) if batch_first else x
        if len(weights) != layers * directions * per:
            return NotImplemented  # projections
        hs, cs = [], []
        for layer in range(layers):
            outs = []
            for direction in range(directions):
                i = layer * directions + direction
                w = weights[i * per:(i + 1) * per] + ([] if has_bias else [None, None])
                h = place.part(h0, lambda h: h[i])
                c = place.part(c0, lambda c: c[i]) if c0 is not None else None
                steps = range(len(x)) if direction == 0 else reversed(range(len(x)))
                ys = {}
                for step in steps:
                    now = place.part(x, lambda x: x[step])
                    h, c = _CELLS[kind](place, now, h, c, *w)
                    ys[step] = h
                outs.append(place.call(torch.stack, [ys[s] for s in range(len(x))]))
                hs.append(h)
                cs.append(c)
            x = outs[0] if directions == 1 else place.call(torch.cat, outs, -1)
            if dropout and train and layer + 1 < layers:
                x = place.call(F.dropout, x, dropout)
        y = place.view(x, lambda x: x.transpose(0, 1)) if batch_first else x
        h = place.call(torch.stack, hs)
        return (y, h, place.call(torch.stack, cs)) if kind == "lstm" else (y, h)
    handles(*names)(handler)


def _both(place, x, h, w, u, b, c):
    return place.call(F.linear, x, w, b), place.call(F.linear, h, u, c)


def _simple(f):
    def cell(place, x, h, c, *w):
        a, b = _both(place, x, h, *w)
        return place.call(f, place.call(torch.add, a, b)), None
    return cell


def _lstm_cell(place, x, h, c, *w):
    a, b = _both(place, x, h, *w)
    i, f, g, o = place.call(torch.chunk, place.call(torch.add, a, b), 4, -1)
    kept = place.call(torch.mul, place.call(torch.sigmoid, f), c)
    new = place.call(torch.mul, place.call(torch.sigmoid, i), place.call(torch.tanh, g))
    c = place.call(torch.add, kept, new)
    return place.call(torch.mul, place.call(torch.sigmoid, o), place.call(torch.tanh, c)), c


def _gru_cell(place, x, h, c, *w):
    a, b = _both(place, x, h, *w)
    ar, az, an = place.call(torch.chunk, a, 3, -1)
    br, bz, bn = place.call(torch.chunk, b, 3, -1)
    r = place.call(torch.sigmoid, place.call(torch.add, ar, br))
    z = place.call(torch.sigmoid, place.call(torch.add, az, bz))
    n = place.call(torch.tanh, place.call(torch.add, an, place.call(torch.mul, r, bn)))
    return place.call(torch.add, n, place.call(torch.mul, z, place.call(torch.sub, h, n))), None


_CELLS = {"lstm": _lstm_cell, "gru": _gru_cell, "rnn_tanh": _simple(torch.tanh), "rnn_relu": _simple(torch.relu)}
for _kind in _CELLS:
    _recurrent(_kind, f"torch.{_kind}")


def _cell(kind, name):
    @handles(f"torch.{name}")
    def handler(place, x, state, w, u, b=None, c=None):
        h, old = state if kind == "lstm" else (state, None)
        h, new = _CELLS[kind](place, x, h, old, w, u, b, c)
        return (h, new) if kind == "lstm" else h


for _kind in _CELLS:
    _cell(_kind, f"{_kind}_cell")
