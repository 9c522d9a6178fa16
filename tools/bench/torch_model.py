"""The models of model.c in PyTorch, for `binade bench`: torch_model.py MODEL DIRECTORY.

Weights and batch are the fp32 numbers of DIRECTORY/weights, one array after another. Then a line of standard input is
a command: "check" writes the gradients of all parameters to DIRECTORY/gradients and answers with the loss; "time N"
answers with the seconds that N passes took, "adamw N" and "foreach N" with those of N steps of torch.optim.AdamW, its
loop over tensors and its lists of them, "ready" with 1; where there is no PyTorch, every answer is 0. A step of the
perceptron draws its batch as ours does: normal numbers, and the class that a planted map gives each row. The
transformer has one batch all the time: a loop in Python over the symbols of a chain would be no fair match."""

import math
import sys
import time

import openblas_core

openblas_core.choose()
try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError:
    print(0, flush=True)
    sys.exit()

torch.set_num_threads(1)

WIDTHS = (784, 256, 256, 10)
ROWS = 128
BATCH, CONTEXT, WIDTH, HEADS, BLOCKS, VOCABULARY = 16, 64, 128, 4, 4, 65


def linear(outputs, inputs):
    return [(outputs, inputs), (outputs,)]


def norm():
    return [(WIDTH,), (WIDTH,)]


def mlp_shapes():
    shapes = [s for i in range(3) for s in linear(WIDTHS[i + 1], WIDTHS[i])]
    return shapes, (ROWS, WIDTHS[0]), (ROWS,)


def mlp(p, x, targets):
    h = F.relu(F.linear(x, p[0], p[1]))
    h = F.relu(F.linear(h, p[2], p[3]))
    return F.cross_entropy(F.linear(h, p[4], p[5]), targets)


def transformer_shapes():
    shapes = [(VOCABULARY, WIDTH), (CONTEXT, WIDTH)]
    for _ in range(BLOCKS):
        shapes += norm() + linear(3 * WIDTH, WIDTH) + linear(WIDTH, WIDTH)
        shapes += norm() + linear(4 * WIDTH, WIDTH) + linear(WIDTH, 4 * WIDTH)
    return shapes + norm() + [(VOCABULARY, WIDTH)], (BATCH, CONTEXT), (BATCH * CONTEXT,)


MASK = torch.tril(torch.ones(CONTEXT, CONTEXT)) == 0


def block(x, p):
    head = WIDTH // HEADS
    h = F.linear(F.layer_norm(x, (WIDTH,), p[0], p[1]), p[2], p[3])
    q, k, v = (t.view(BATCH, CONTEXT, HEADS, head).transpose(1, 2) for t in h.split(WIDTH, dim=2))
    scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(head))
    scores = F.softmax(scores.masked_fill(MASK, -math.inf), dim=-1)
    y = (scores @ v).transpose(1, 2).reshape(BATCH, CONTEXT, WIDTH)
    x = x + F.linear(y, p[4], p[5])
    h = F.gelu(F.linear(F.layer_norm(x, (WIDTH,), p[6], p[7]), p[8], p[9]))
    return x + F.linear(h, p[10], p[11])


def transformer(p, x, targets):
    h = F.embedding(x, p[0]) + p[1]
    for i in range(BLOCKS):
        h = block(h, p[2 + 12 * i : 14 + 12 * i])
    h = F.linear(F.layer_norm(h, (WIDTH,), p[-3], p[-2]), p[-1])
    return F.cross_entropy(h.view(-1, VOCABULARY), targets)


def main():
    name, directory = sys.argv[1:]
    model, shapes = {"mlp": (mlp, mlp_shapes), "transformer": (transformer, transformer_shapes)}[name]
    numbers, at, arrays = np.fromfile(f"{directory}/weights", np.float32), 0, []
    parameters, of_input, of_targets = shapes()
    for shape in parameters + [of_input, of_targets]:
        count = math.prod(shape)
        arrays.append(torch.from_numpy(numbers[at : at + count].reshape(shape).copy()))
        at += count
    assert at == numbers.size
    p, x, targets = arrays[:-2], arrays[-2], arrays[-1].long()
    x = x.long() if name == "transformer" else x
    for t in p:
        t.requires_grad_(True)

    planted = torch.randn(WIDTHS[0], WIDTHS[-1], dtype=torch.float64)

    def draw():
        if name != "mlp":
            return x, targets
        drawn = torch.randn(ROWS, WIDTHS[0])
        return drawn, torch.argmax(drawn.double() @ planted, dim=1)

    def step(x=x, targets=targets):
        loss = model(p, x, targets)
        loss.backward()
        return loss

    def drop():
        for t in p:
            t.grad = None

    def train(optimizer, count):
        for _ in range(count):
            optimizer.zero_grad(set_to_none=True)
            step(*draw())
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    optimizers = {name: torch.optim.AdamW(p, lr=1e-4, foreach=name == "foreach") for name in ("adamw", "foreach")}
    for line in sys.stdin:
        command = line.split()
        if command[0] == "ready":
            print(1, flush=True)
        elif command[0] == "check":
            loss = step().item()
            np.concatenate([t.grad.numpy().ravel() for t in p]).tofile(f"{directory}/gradients")
            drop()
            print(repr(loss), flush=True)
        else:
            begun = time.perf_counter()
            if command[0] in optimizers:
                train(optimizers[command[0]], int(command[1]))
            else:
                for _ in range(int(command[1])):
                    step()
                    drop()
            print(repr(time.perf_counter() - begun), flush=True)


main()
