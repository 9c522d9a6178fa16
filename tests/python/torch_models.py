"""What the tests of libbinade.torch share: models as people write them, and the built-in transformer in PyTorch."""
import ctypes
import math
import unittest

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError:
    raise unittest.SkipTest("torch is not here (Debian, Ubuntu: python3-torch)") from None

from libbinade import _types as t
from libbinade._native import call, lib


# ---- the transformer of `binade train` ----

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.qkv = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.norm2, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(d // self.heads))
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
        return self.projection((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, vocabulary, width, depth, heads, context):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, symbols):
        x = self.tokens(symbols) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def numbers_of(handle):
    rank = lib.bnd_tensor_rank(handle)
    shape = (ctypes.c_size_t * rank).from_address(lib.bnd_tensor_shape(handle)) if rank else ()
    x = torch.empty(tuple(shape))
    call("bnd_tensor_read_f32", x.data_ptr(), x.numel(), handle)
    return x


class Reference:
    """A run of the simulator's own transformer: its weights, its batches and, step by step, its losses."""

    def __init__(self, recipe, steps, width=32, depth=2, context=16, batch=8):
        self.training = t.bnd_training()
        call("bnd_training_default", ctypes.byref(self.training), b"transformer", b"adamw", recipe.encode())
        self.training.width, self.training.depth, self.training.heads = width, depth, 4
        self.training.context, self.training.batch, self.training.steps = context, batch, steps
        self.training.seed_rounding = 3
        run, context_ = ctypes.c_void_p(), t.bnd_context(threads=1)
        call("bnd_run_new", ctypes.byref(run), ctypes.byref(self.training), ctypes.byref(context_))
        self.run, self.steps = run.value, steps
        self.training.vocabulary = lib.bnd_run_training(self.run).contents.vocabulary
        self.weights = {}
        for i in range(lib.bnd_run_parameters(self.run)):
            handle = (lib.bnd_run_parameter(self.run, i, t.BND_ROLE_MASTER)
                      or lib.bnd_run_parameter(self.run, i, t.BND_ROLE_PARAM))
            self.weights[lib.bnd_run_parameter_name(self.run, i).decode()] = numbers_of(handle)

    def batch(self, step):
        x, y = ctypes.c_void_p(), ctypes.c_void_p()
        call("bnd_run_batch", ctypes.byref(x), ctypes.byref(y), self.run, step)
        out = numbers_of(x.value).long(), numbers_of(y.value).long()
        lib.bnd_tensor_release(x)
        lib.bnd_tensor_release(y)
        return out

    def step(self):
        step = t.bnd_step()
        call("bnd_run_step", ctypes.byref(step), self.run)
        return step

    def close(self):
        lib.bnd_run_free(self.run)

    def model(self):
        """The same model in PyTorch, with the same weights."""
        s = self.training
        model = Transformer(s.vocabulary, s.width, s.depth, s.heads, s.context)
        named = dict(model.named_parameters())
        top = {"tokens": "tokens.weight", "positions": "positions.weight", "head": "head.weight"}
        with torch.no_grad():
            for name, x in self.weights.items():
                named[top.get(name, name.replace(".gain", ".weight"))].copy_(x)
        return model

    def groups(self, model):
        """The parameters with weight decay, and the others."""
        tables = ("tokens.weight", "positions.weight")
        decay = [p for name, p in model.named_parameters() if p.dim() > 1 and name not in tables]
        others = [p for name, p in model.named_parameters() if p.dim() == 1 or name in tables]
        return [{"params": decay, "weight_decay": self.training.weight_decay}, {"params": others, "weight_decay": 0.0}]


# ---- models that know nothing of formats ----

class Convolutions(nn.Module):
    """A residual network of convolutions."""

    def __init__(self):
        super().__init__()
        self.first, self.norm1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.second, self.norm2 = nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.BatchNorm2d(8)
        self.down = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.relu, self.pool, self.fc = nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Linear(16 * 2 * 2, 5)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        x = self.relu(self.norm1(self.first(x)))
        y = self.norm2(self.second(x))
        y += x
        y = self.pool(self.relu(self.down(self.relu(y))))
        return self.fc(self.dropout(torch.flatten(y, 1)))

    @staticmethod
    def batch():
        return (torch.randn(6, 3, 8, 8),), torch.randint(5, (6,))


class Recurrent(nn.Module):
    """An embedding, an LSTM, a GRU, and a layer over the last hidden state."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 12)
        self.lstm = nn.LSTM(12, 16, num_layers=2, batch_first=True, bidirectional=True)
        self.gru, self.out = nn.GRU(32, 16, batch_first=True), nn.Linear(16, 5)

    def forward(self, x):
        y, _ = self.lstm(self.embed(x))
        _, h = self.gru(y)
        return self.out(h[-1])

    @staticmethod
    def batch():
        return (torch.randint(11, (6, 7)),), torch.randint(5, (6,))


class Attention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.c_attn, self.c_proj, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads
        self.register_buffer("bias", torch.tril(torch.ones(context, context)).view(1, 1, context, context))

    def forward(self, x):
        b, n, d = x.size()
        q, k, v = self.c_attn(x).split(d, dim=2)
        q, k, v = (y.view(b, n, self.heads, d // self.heads).transpose(1, 2) for y in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(self.bias[:, :, :n, :n] == 0, float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, n, d))


class GPT(nn.Module):
    """A GPT as people write it: tied head, its own products, a loss inside."""

    def __init__(self, vocabulary=17, width=16, context=8, depth=2):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(nn.ModuleDict({
            "ln_1": nn.LayerNorm(width), "attn": Attention(width, 4, context), "ln_2": nn.LayerNorm(width),
            "mlp": nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))})
            for _ in range(depth))
        self.ln_f, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight
        self.gate = nn.Parameter(torch.eye(width))

    def forward(self, x):
        h = self.wte(x) + self.wpe(torch.arange(x.size(1)))
        for block in self.h:
            h = h + block["attn"](block["ln_1"](h))
            h = h + block["mlp"](block["ln_2"](h))
        h = torch.einsum("bnd,de->bne", h, self.gate)
        return self.head(self.ln_f(h)).mean(1)

    @staticmethod
    def batch():
        return (torch.randint(17, (4, 8)),), torch.randint(17, (4,))


MODELS = (Convolutions, Recurrent, GPT)


def train(model, optimizer, batches, watch=None):
    """A loop as people write it; returns the losses."""
    losses = []
    for inputs, target in batches:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(*inputs), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
