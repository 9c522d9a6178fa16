#!/usr/bin/python3
"""Writes tests/tensor/golden/*.txt: small graphs, and what PyTorch makes of them (Debian: python3-torch,
python3-numpy).

A file is a list of cases, which tests/tensor/test_golden.c reads, runs and compares:

    case NAME
    leaf x 3 4 : NUMBERS                        a tensor that wants a gradient (data: one that does not)
    y = layer_norm x gain bias number=1e-5      a step: an operation or a view, its operands, its attributes
    y = einsum a b : b s h, b t h -> b s t
    want y 3 4 : NUMBERS                        within 1e-5 of the largest
    bits y 3 4 : NUMBERS                        the same numbers exactly
    back y WEIGHT                               gradients of WEIGHT y, y a tensor of one element
    gradient x 3 4 : NUMBERS

Numbers are the shortest decimals that are these fp32 numbers and no others. The steps below are run in torch as they
are written, on one thread, from fixed seeds. Not here: dropout, whose random bits are the engine's own."""
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "tensor", "golden")
FORMATS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


# ---- operations ----

def axes(a, tensor):
    return tuple(a["axis"]) if "axis" in a else tuple(range(tensor.dim()))


def layer_norm(a, x, gain=None, bias=None):
    return F.layer_norm(x, x.shape[-1:], gain, bias, a["number"])


def rms_norm(a, x, gain=None):
    y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + a["number"])
    return y if gain is None else y * gain


def masked(a, x):
    outside = torch.ones(x.shape[-2:], dtype=torch.bool).triu(int(a["number"]) + 1)
    return x.masked_fill(outside, -float("inf"))


def cross_entropy(a, logits, targets):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1).long())


def cut(a, x):
    first, count, step = a["first"], a["count"], a["step"]
    picked = torch.arange(count) * step + first
    return x.index_select(a["axis"][0], picked)


def linear(a, x, w, bias=None):
    return F.linear(x, w.t() if a.get("flag") else w, bias)


def along(f):
    return lambda a, x: f(x, dim=a["axis"][0] if "axis" in a else -1)


def reduced(f):
    return lambda a, x: f(x, dim=axes(a, x), keepdim=bool(a.get("keep")))


OPERATIONS = {
    "add": lambda a, x, y: x + y,
    "sub": lambda a, x, y: x - y,
    "mul": lambda a, x, y: x * y,
    "div": lambda a, x, y: x / y,
    "pow": lambda a, x: x ** a["number"],
    "scale": lambda a, x: x * a["number"],
    "shift": lambda a, x: x + a["number"],
    "maximum": lambda a, x, y: torch.maximum(x, y),
    "minimum": lambda a, x, y: torch.minimum(x, y),
    "neg": lambda a, x: -x,
    "abs": lambda a, x: x.abs(),
    "exp": lambda a, x: x.exp(),
    "log": lambda a, x: x.log(),
    "sqrt": lambda a, x: x.sqrt(),
    "rsqrt": lambda a, x: x.rsqrt(),
    "tanh": lambda a, x: x.tanh(),
    "erf": lambda a, x: x.erf(),
    "sigmoid": lambda a, x: x.sigmoid(),
    "relu": lambda a, x: x.relu(),
    "gelu": lambda a, x: F.gelu(x),
    "gelu_tanh": lambda a, x: F.gelu(x, approximate="tanh"),
    "silu": lambda a, x: F.silu(x),
    "triu": lambda a, x: x.triu(int(a["number"])),
    "tril": lambda a, x: x.tril(int(a["number"])),
    "masked": masked,
    "copy": lambda a, x: x.clone(),
    "cast": lambda a, x: x.to(FORMATS[a["format"]]),
    "sum": reduced(torch.sum),
    "mean": reduced(torch.mean),
    "max": reduced(torch.amax),
    "min": reduced(torch.amin),
    "logsumexp": reduced(torch.logsumexp),
    "softmax": along(torch.softmax),
    "log_softmax": along(torch.log_softmax),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "embedding": lambda a, table, indices: F.embedding(indices.long(), table),
    "cross_entropy": cross_entropy,
    "matmul": lambda a, x, y: x @ y,
    "linear": linear,
    "transpose": lambda a, x: x.transpose(*a["axis"]),
    "permute": lambda a, x: x.permute(*a["axis"]),
    "slice": cut,
    "select": lambda a, x: x.select(a["axis"][0], a["first"]),
    "reshape": lambda a, x: x.reshape(a["shape"]),
    "broadcast": lambda a, x: x.expand(a["shape"]),
    "unsqueeze": lambda a, x: x.unsqueeze(a["axis"][0]),
    "squeeze": lambda a, x: x.squeeze(a["axis"][0]),
}


def value_of(name, text):
    if name in ("axis", "shape"):
        return [int(x) for x in text.split(",")]
    return text if name == "format" else float(text) if name == "number" else int(text)


# ---- a case, and its file ----

def text_of(numbers):
    """Shortest decimals, eight a line."""
    words = [np.format_float_scientific(x, unique=True, trim="-", exp_digits=1) if x != 0 and not 1e-3 <= abs(x) < 1e6
             else np.format_float_positional(x, unique=True, trim="-") for x in numbers]
    return "".join("\n  " + " ".join(words[i:i + 8]) for i in range(0, len(words), 8))


class Case:
    def __init__(self, file, name, seed):
        self.file, self.tensors = file, {}
        self.random = np.random.RandomState(seed)
        file.lines.append("case " + name)

    def record(self, what, name, tensor):
        x = tensor.detach().to(torch.float32).contiguous().numpy()
        shape = " ".join(str(n) for n in x.shape)
        self.file.lines.append("%s %s %s:%s" % (what, name, shape + " " if shape else "", text_of(x.reshape(-1))))

    def make(self, what, name, numbers):
        x = torch.from_numpy(np.ascontiguousarray(numbers, dtype=np.float32))
        self.tensors[name] = x.requires_grad_(what == "leaf")
        self.record(what, name, x)

    def leaf(self, name, shape, low=-2.0, high=2.0):
        """Three decimals, so that the file is short."""
        self.make("leaf", name, np.round(self.random.uniform(low, high, shape), 3))

    def data(self, name, numbers):
        self.make("data", name, numbers)

    def step(self, line):
        self.file.lines.append(line)
        to, _, rest = line.partition(" = ")
        rest, _, pattern = rest.partition(" : ")
        words = rest.split()
        attributes = dict(w.split("=") for w in words[1:] if "=" in w)
        attributes = {k: value_of(k, v) for k, v in attributes.items()}
        operands = [self.tensors[w] for w in words[1:] if "=" not in w]
        if words[0] == "einsum":
            self.tensors[to] = torch.einsum(pattern.replace(" ", ""), *operands)
        else:
            self.tensors[to] = OPERATIONS[words[0]](attributes, *operands)

    def steps(self, text):
        for line in text.strip().splitlines():
            self.step(line.strip())

    def want(self, *names):
        for name in names:
            self.record("want", name, self.tensors[name])

    def bits(self, *names):
        for name in names:
            self.record("bits", name, self.tensors[name])

    def back(self, name, weight=1.0):
        self.file.lines.append("back %s %g" % (name, weight))
        (self.tensors[name] * weight).backward()
        for leaf, x in self.tensors.items():
            if x.is_leaf and x.requires_grad:
                self.record("gradient", leaf, x.grad)

    def weigh(self, name):
        """The sum of the tensor by random weights: every element has a gradient of its own."""
        shape = tuple(self.tensors[name].shape)
        self.data("weights", np.round(self.random.uniform(-1, 1, shape), 3))
        self.steps("weighed = mul %s weights\nloss = sum weighed" % name)
        self.back("loss")


class File:
    def __init__(self, name):
        self.name = name
        self.lines = ["# Made by tools/dev/make-goldens.py with torch %s, numpy %s." % (torch.__version__,
                                                                                        np.__version__)]
        self.cases = 0

    def case(self, name):
        self.cases += 1
        return Case(self, name, self.cases)

    def write(self):
        path = os.path.join(HERE, self.name)
        text = "\n".join(self.lines) + "\n"
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        print("%s: %d cases, %d bytes" % (os.path.normpath(path), self.cases, len(text)))


# ---- operations one by one ----

def layouts(case, name, shape, low, high):
    """The operand `name` as a transposed and as a strided view of a leaf; the views are its names with T and S."""
    turned = shape[:-2] + (shape[-1], shape[-2])
    case.leaf(name + "t", turned, low, high)
    case.leaf(name + "s", shape[:-1] + (2 * shape[-1],), low, high)
    case.step("%sT = transpose %st axis=-1,-2" % (name, name))
    case.step("%sS = slice %ss axis=%d first=1 count=%d step=2" % (name, name, len(shape) - 1, shape[-1]))


def map_cases(file):
    rows = [("neg", -2, 2, ""), ("abs", -2, 2, ""), ("exp", -3, 3, ""), ("log", 0.05, 4, ""), ("sqrt", 0.05, 4, ""),
            ("rsqrt", 0.05, 4, ""), ("tanh", -4, 4, ""), ("erf", -3, 3, ""), ("sigmoid", -8, 8, ""),
            ("relu", -2, 2, ""), ("gelu", -5, 5, ""), ("gelu_tanh", -5, 5, ""), ("silu", -8, 8, ""),
            ("pow", -2, 2, " number=3"), ("pow", 0.2, 2, " number=-1.5"), ("pow", 0.2, 2, " number=0.5"),
            ("scale", -2, 2, " number=0.3"), ("shift", -2, 2, " number=0.3"), ("copy", -2, 2, ""),
            ("triu", -2, 2, " number=1"), ("tril", -2, 2, " number=-1")]
    for name, low, high, attributes in rows:
        c = file.case(name + attributes)
        layouts(c, "x", (3, 7), low, high)
        c.step("y = %s xT%s" % (name, attributes))
        c.step("z = %s xS%s" % (name, attributes))
        c.want("y", "z")
        c.step("both = mul y z")
        c.weigh("both")


def pair_cases(file):
    for name in ("add", "sub", "mul", "div", "maximum", "minimum"):
        low = 0.3 if name == "div" else -2
        for first, second in (((4, 5), (4, 5)), ((2, 4, 5), (5,)), ((4, 1), (3, 1, 5)), ((4, 5), ())):
            c = file.case("%s of %s and %s" % (name, first, second))
            c.leaf("a", first, low, 2)
            c.leaf("b", second, low, 2)
            c.step("y = %s a b" % name)
            c.want("y")
            c.weigh("y")
        c = file.case(name + " of views")
        layouts(c, "a", (4, 5), low, 2)
        c.step("y = %s aT aS" % name)
        c.want("y")
        c.weigh("y")
    c = file.case("equal numbers")
    c.make("leaf", "a", [[1, 2, 3], [0, -1, 2]])
    c.make("leaf", "b", [[1, 1, 4], [0, -1, 3]])
    c.steps("u = maximum a b\nv = minimum a b\nw = abs a\nx = relu a\nuv = mul u b\nwx = add w x\n"
            "y = add uv wx\nz = mul v y")
    c.want("u", "v", "w", "x")
    c.weigh("z")


def row_cases(file):
    for name in ("sum", "mean", "max", "min", "logsumexp"):
        for attributes in ("", " axis=0", " axis=-1 keep=1", " axis=0,2", " axis=1,2 keep=1"):
            c = file.case(name + attributes)
            c.leaf("x", (3, 4, 5))
            c.step("v = transpose x axis=0,1")
            c.step("y = %s v%s" % (name, attributes))
            c.want("y")
            c.weigh("y")
    c = file.case("equal extremes")
    c.make("leaf", "x", [[3, 1, 3, 2], [-1, -1, -1, -1]])
    c.steps("y = max x axis=1\nz = min x axis=1\nboth = mul y z")
    c.weigh("both")
    for name in ("softmax", "log_softmax"):
        for attributes in ("", " axis=0", " axis=1"):
            c = file.case(name + attributes)
            c.leaf("x", (3, 4, 5), -6, 6)
            c.step("v = transpose x axis=0,2")
            c.step("y = %s v%s" % (name, attributes))
            c.want("y")
            c.weigh("y")
        c = file.case(name + " of 40 large ones")
        c.leaf("x", (2, 40), -80, 80)
        c.step("y = %s x" % name)
        c.want("y")
        c.weigh("y")
    c = file.case("softmax of what is masked")
    c.leaf("x", (2, 5, 5), -3, 3)
    c.steps("m = masked x number=0\ny = softmax m")
    c.want("y")
    c.weigh("y")
    for name, operands in (("layer_norm", ""), ("layer_norm", " gain"), ("layer_norm", " gain bias"), ("rms_norm", ""),
                           ("rms_norm", " gain")):
        c = file.case(name + operands)
        layouts(c, "x", (3, 20), -2, 2)
        for operand in operands.split():
            c.leaf(operand, (20,))
        c.step("y = %s xT%s number=1e-5" % (name, operands))
        c.step("z = %s xS%s number=1e-5" % (name, operands))
        c.step("both = mul y z")
        c.want("y", "z")
        c.weigh("both")
    c = file.case("embedding")
    c.leaf("table", (7, 6))
    c.data("indices", [[3, 0, 3], [6, 1, 3]])
    c.step("y = embedding table indices")
    c.want("y")
    c.weigh("y")
    c = file.case("embedding from a transposed table")
    c.leaf("stored", (6, 7))
    c.data("indices", [2, 2, 5])
    c.steps("table = transpose stored axis=0,1\ny = embedding table indices")
    c.want("y")
    c.weigh("y")
    for shape in ((6, 9), (2, 3, 9)):
        c = file.case("cross_entropy of %s" % (shape,))
        c.leaf("x", shape, -9, 9)
        c.data("targets", c.random.randint(0, 9, shape[:-1]))
        c.step("loss = cross_entropy x targets")
        c.want("loss")
        c.back("loss", 64)


def product_cases(file):
    for first, second in (((4, 6), (6, 5)), ((2, 4, 6), (6, 5)), ((2, 1, 4, 6), (3, 6, 5)), ((1, 6), (2, 6, 1))):
        c = file.case("matmul of %s and %s" % (first, second))
        c.leaf("a", first)
        c.leaf("b", second)
        c.step("y = matmul a b")
        c.want("y")
        c.weigh("y")
    c = file.case("matmul of views")
    layouts(c, "a", (2, 4, 5), -2, 2)
    c.steps("bT = transpose aS axis=1,2\ny = matmul aT bT")
    c.want("y")
    c.weigh("y")
    c = file.case("matmul of a long sum")
    c.leaf("a", (2, 300))
    c.leaf("b", (300, 2))
    c.step("y = matmul a b")
    c.want("y")
    c.weigh("y")
    for flag in (0, 1):
        for bias in ("", " bias"):
            c = file.case("linear flag=%d%s" % (flag, bias))
            layouts(c, "x", (2, 3, 6), -2, 2)
            c.leaf("w", (6, 5) if flag else (5, 6))
            if bias:
                c.leaf("bias", (5,))
            c.step("y = linear xT w%s flag=%d" % (bias, flag))
            c.step("z = linear xS w%s flag=%d" % (bias, flag))
            c.step("both = mul y z")
            c.want("y", "z")
            c.weigh("both")
    rows = [("b s h, b t h -> b s t", (2, 3, 4), (2, 5, 4)), ("i j, j k -> k i", (3, 4), (4, 5)),
            ("i j, i j ->", (3, 4), (3, 4)), ("i, j -> j i", (3,), (4,)), ("b i d, d -> b i", (2, 3, 4), (4,)),
            ("i j, k -> k", (3, 4), (5,)), ("h i d, h d j -> i h j", (2, 3, 4), (2, 4, 3))]
    for pattern, first, second in rows:
        c = file.case("einsum " + pattern)
        c.leaf("a", first)
        c.leaf("b", second)
        c.step("y = einsum a b : " + pattern)
        c.want("y")
        c.weigh("y")


def view_cases(file):
    rows = ["permute x axis=2,0,1", "transpose x axis=0,-1", "reshape x shape=4,15", "select x axis=1 first=2",
            "slice x axis=2 first=1 count=2 step=2", "unsqueeze x axis=1", "broadcast u shape=6,3,4,5"]
    for row in rows:
        c = file.case(row)
        c.leaf("x", (3, 4, 5))
        c.step("u = unsqueeze x axis=0")
        c.step("v = " + row)
        c.step("y = tanh v")
        c.want("y")
        c.weigh("y")
    c = file.case("one leaf many times")
    c.leaf("x", (4, 4))
    c.steps("t = transpose x axis=0,1\ny = matmul x t\nrow = select x axis=0 first=1\nz = add y row\n"
            "s = sigmoid x\nw = mul z s")
    c.want("w")
    c.weigh("w")


# ---- whole graphs ----

MLP = """
h = linear x w1 b1
a = {0} h
o = linear a w2 b2
b = {0} o
logits = linear b w3 b3
loss = cross_entropy logits targets
"""


def mlp(file, activation):
    c = file.case("MLP with %s and cross-entropy" % activation)
    c.data("x", np.round(c.random.uniform(-1, 1, (16, 20)), 3))
    c.data("targets", c.random.randint(0, 10, 16))
    for i, (n, k) in enumerate(((24, 20), (18, 24), (10, 18))):
        c.leaf("w%d" % (i + 1), (n, k), -0.5, 0.5)
        c.leaf("b%d" % (i + 1), (n,), -0.5, 0.5)
    c.steps(MLP.format(activation))
    c.want("logits", "loss")
    c.back("loss")


BLOCK = """
e = embedding tokens indices
x = add e positions
n1 = layer_norm x g1 c1 number=1e-5
qkv = linear n1 wqkv bqkv
five = reshape qkv shape=2,6,3,2,8
heads = permute five axis=2,0,3,1,4
q = select heads axis=0 first=0
k = select heads axis=0 first=1
v = select heads axis=0 first=2
kt = transpose k axis=-1,-2
scores = matmul q kt
scaled = scale scores number=0.35355338
causal = masked scaled number=0
shares = softmax causal
mixed = matmul shares v
turned = transpose mixed axis=1,2
joined = reshape turned shape=2,6,16
projected = linear joined wo bo
y = add x projected
n2 = layer_norm y g2 c2 number=1e-5
up = linear n2 wup bup
act = gelu up
down = linear act wdown bdown
z = add y down
n3 = layer_norm z g3 c3 number=1e-5
logits = linear n3 tokens
loss = cross_entropy logits targets
"""


def transformer_leaves(c):
    c.data("indices", c.random.randint(0, 11, (2, 6)))
    c.data("targets", c.random.randint(0, 11, (2, 6)))
    shapes = {"tokens": (11, 16), "positions": (6, 16), "wqkv": (48, 16), "bqkv": (48,), "wo": (16, 16), "bo": (16,),
              "wup": (64, 16), "bup": (64,), "wdown": (16, 64), "bdown": (16,)}
    for name, shape in shapes.items():
        c.leaf(name, shape, -0.5, 0.5)
    for i in (1, 2, 3):
        c.leaf("g%d" % i, (16,), 0.5, 1.5)
        c.leaf("c%d" % i, (16,), -0.5, 0.5)


def transformer(file):
    c = file.case("pre-norm transformer block with a tied head")
    transformer_leaves(c)
    c.steps(BLOCK)
    c.want("shares", "z", "logits", "loss")
    c.back("loss")


# ---- casts ----

def special_numbers():
    """Ties, limits, subnormal numbers and specials of both formats, and numbers of all sizes."""
    r = np.random.RandomState(7)
    bits = r.randint(0, 1 << 32, 160, dtype=np.uint64).astype(np.uint32).view(np.float32)
    bits = bits[np.isfinite(bits)]
    ties = [s * (1 + (k + d) * 2.0 ** -e) * 2.0 ** p for s in (1, -1)
            for e, p in ((8, 0), (11, 3), (8, -130), (11, -14))
            for k in (1, 2, 3) for d in (0, 2.0 ** -10, -2.0 ** -10)]
    small = [k * 2.0 ** -25 * (1 + d) for k in range(1, 8) for d in (0, 1e-6, -1e-6)]
    tiny = [k * 2.0 ** -134 for k in range(1, 8)] + [2.0 ** -149, 2.0 ** -126, 2.0 ** -127]
    ends = [65504, 65519.996, 65520, 65536, 3.3895314e38, 3.3961776e38, 3.4028235e38, 0.0, -0.0, np.inf, -np.inf,
            np.nan]
    middle = r.normal(0, 1, 60) * 2.0 ** r.randint(-16, 16, 60)
    return np.concatenate([bits, ties, small, tiny, ends, middle]).astype(np.float32)


def cast_cases(file):
    for name in ("bf16", "fp16"):
        c = file.case("numbers cast to " + name)
        c.data("x", special_numbers())
        c.steps("y = cast x format=%s\nz = cast y format=fp32" % name)
        c.bits("y", "z")
        c = file.case("a cast to %s and back in an MLP" % name)
        c.data("x", np.round(c.random.uniform(-1, 1, (16, 20)), 3))
        c.data("targets", c.random.randint(0, 10, 16))
        for i, (n, k) in enumerate(((24, 20), (10, 24))):
            c.leaf("w%d" % (i + 1), (n, k), -0.5, 0.5)
            c.leaf("b%d" % (i + 1), (n,), -0.5, 0.5)
        c.steps("h = linear x w1 b1\nlow = cast h format=%s\nhigh = cast low format=fp32\na = gelu high\n"
                "logits = linear a w2 b2\nloss = cross_entropy logits targets" % name)
        c.bits("low", "high")
        c.want("h", "logits", "loss")
        c.back("loss", 16)
        # Shapes that do not broadcast: torch rounds a product to bf16 before it sums a gradient, the engine after.
        c = file.case("operations in %s in the middle" % name)
        c.leaf("x", (5, 9))
        c.leaf("w", (5, 9))
        c.steps("l = cast x format=%s\nm = cast w format=%s\np = mul l m\ns = add p l\nu = sub s m\nq = neg u\n"
                "high = cast q format=fp32\ny = tanh high" % (name, name))
        c.bits("l", "m", "p", "s", "u", "q", "high")
        c.want("y")
        c.weigh("y")
    c = file.case("from fp16 to bf16 and back")
    c.data("x", special_numbers())
    c.steps("a = cast x format=fp16\nb = cast a format=bf16\nd = cast b format=fp16\ne = cast b format=fp32")
    c.bits("b", "d", "e")
    c = file.case("a cast to bf16 in the residual stream of a transformer block")
    transformer_leaves(c)
    c.steps(BLOCK.replace("y = add x projected", "low = cast projected format=bf16\nhigh = cast low format=fp32\n"
                          "y = add x high"))
    c.bits("low", "high")
    c.want("logits", "loss")
    c.back("loss", 256)


def main():
    os.makedirs(HERE, exist_ok=True)
    print("python %s, torch %s, numpy %s" % (sys.version.split()[0], torch.__version__, np.__version__))
    operations = File("operations.txt")
    for cases in (map_cases, pair_cases, row_cases, product_cases, view_cases):
        cases(operations)
    graphs = File("graphs.txt")
    mlp(graphs, "relu")
    mlp(graphs, "silu")
    transformer(graphs)
    casts = File("casts.txt")
    cast_cases(casts)
    for file in (operations, graphs, casts):
        file.write()


if __name__ == "__main__":
    main()
