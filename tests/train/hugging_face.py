"""GPT-2's and Llama's checkpoints under Hugging Face's names. The loss that `binade evaluate` prints for fp32 is that
of models in numpy (fp64) and in PyTorch (fp32, where it is installed) that share no code with the library, within 1e-5.
The losses of steps with SGD are those of PyTorch's autograd, also with --blocks unit. What is missing, left over or not
supported is named.

Weights are random. BND_COMMAND is the command."""
import functools
import json
import os
import struct
import subprocess

import numpy as np

from checks import check, conclude

try:
    import torch
except ImportError:
    torch = None

COMMAND = os.environ["BND_COMMAND"].split()
CONTEXT, LIMIT = 24, 1e-5
GPT2 = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 40, "vocab_size": 70,
        "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "bos_token_id": 1, "summary_type": "cls_index"}
LLAMA = {"model_type": "llama", "hidden_size": 32, "intermediate_size": 56, "num_hidden_layers": 2,
         "rope_scaling": None, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 70,
         "rope_theta": 500.0, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu"}

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}  # of its four frequencies one stays, one is mixed, two are divided


# ---- checkpoints ----

def gpt2_weights(random, depth=2):
    d, v, made = 32, 70, {"wte.weight": (70, 32), "wpe.weight": (40, 32), "ln_f.weight": (32,), "ln_f.bias": (32,)}
    for i in range(depth):
        for part, shape in (("ln_1", (d,)), ("attn.c_attn", (d, 3 * d)), ("attn.c_proj", (d, d)), ("ln_2", (d,)),
                            ("mlp.c_fc", (d, 4 * d)), ("mlp.c_proj", (4 * d, d))):
            made[f"h.{i}.{part}.weight"], made[f"h.{i}.{part}.bias"] = shape, shape[-1:]
    return {name: draw(random, name, shape) for name, shape in made.items()}


def llama_weights(random, tied, depth=2):
    d, kv, f, made = 32, 16, 56, {"model.embed_tokens.weight": (70, 32), "model.norm.weight": (32,)}
    for i in range(depth):
        for part, shape in (("input_layernorm", (d,)), ("self_attn.q_proj", (d, d)), ("self_attn.k_proj", (kv, d)),
                            ("self_attn.v_proj", (kv, d)), ("self_attn.o_proj", (d, d)),
                            ("post_attention_layernorm", (d,)), ("mlp.gate_proj", (f, d)), ("mlp.up_proj", (f, d)),
                            ("mlp.down_proj", (d, f))):
            made[f"model.layers.{i}.{part}.weight"] = shape
    if not tied:
        made["lm_head.weight"] = (70, d)
    return {name: draw(random, name, shape) for name, shape in made.items()}


def draw(random, name, shape):
    x = random.standard_normal(shape) * 0.15
    return (x + 1 if ("ln_" in name or "norm" in name) and name.endswith("weight") else x).astype(np.float32)


def as_bf16(x):
    """Cut to 16 bits: what is left is a bf16."""
    return (x.view(np.uint32) & 0xffff0000).view(np.float32)


def write(path, tensors, kind):
    header, data, at = {}, [], 0
    for name, x in tensors.items():
        words = (x.view(np.uint32) >> 16).astype(np.uint16) if kind == "BF16" else \
            x.astype(np.float16) if kind == "F16" else x
        raw = np.ascontiguousarray(words).tobytes()
        header[name] = {"dtype": kind, "shape": list(x.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    kinds = {"F32": np.float32, "F64": np.float64, "I32": np.int32}
    return {name: np.frombuffer(data[8 + size + e["data_offsets"][0]:8 + size + e["data_offsets"][1]],
                                kinds[e["dtype"]]).reshape(e["shape"]) for name, e in header.items() if
            e["dtype"] in kinds}


def folder(name, config, tensors, kind="F32", shards=1):
    os.makedirs(name, exist_ok=True)
    with open(f"{name}/config.json", "w", encoding="ascii") as file:
        json.dump(config, file)
    names, where = sorted(tensors), {}
    for i in range(shards):
        part = f"model-{i + 1:05}-of-{shards:05}.safetensors" if shards > 1 else "model.safetensors"
        mine = names[i::shards]
        where.update((n, part) for n in mine)
        write(f"{name}/{part}", {n: tensors[n] for n in mine}, kind)
    if shards > 1:
        with open(f"{name}/model.safetensors.index.json", "w", encoding="ascii") as file:
            json.dump({"metadata": {}, "weight_map": where}, file)


# ---- the models; `m` is numpy in fp64, or torch ----

class Numpy:
    exp, tanh, sqrt = np.exp, np.tanh, np.sqrt

    @staticmethod
    def of(x):
        return np.asarray(x, np.float64)

    @staticmethod
    def whole(x):
        return np.asarray(x, np.int64)

    @staticmethod
    def mean(x):
        return x.mean(-1, keepdims=True)

    @staticmethod
    def turned(x, *axes):
        return x.transpose(axes)

    @staticmethod
    def joined(parts):
        return np.concatenate(parts, -1)

    @staticmethod
    def log_softmax(x):
        x = x - x.max(-1, keepdims=True)
        return x - np.log(np.exp(x).sum(-1, keepdims=True))


class Torch:
    @staticmethod
    def of(x):
        return torch.as_tensor(np.array(x, np.float32))

    @staticmethod
    def whole(x):
        return torch.as_tensor(np.array(x, np.int64))

    @staticmethod
    def mean(x):
        return x.mean(-1, keepdim=True)

    @staticmethod
    def turned(x, *axes):
        return x.permute(*axes)

    @staticmethod
    def joined(parts):
        return torch.cat(parts, -1)

    @staticmethod
    def log_softmax(x):
        return torch.log_softmax(x, -1)


if torch is not None:
    Torch.exp, Torch.tanh, Torch.sqrt = torch.exp, torch.tanh, torch.sqrt


def attend(m, q, k, v, heads, kv):
    """(b, t, columns) each; head i of the queries uses head i // (heads / kv) of keys and values."""
    b, t, d = q.shape[0], q.shape[1], q.shape[2] // heads
    q = m.turned(q.reshape(b, t, kv, heads // kv, d), 0, 2, 3, 1, 4)
    k = m.turned(k.reshape(b, t, kv, 1, d), 0, 2, 3, 1, 4)
    v = m.turned(v.reshape(b, t, kv, 1, d), 0, 2, 3, 1, 4)
    scores = q @ m.turned(k, 0, 1, 2, 4, 3) / d ** 0.5 + m.of(np.triu(np.full((t, t), -1e30), 1))
    return m.turned(m.exp(m.log_softmax(scores)) @ v, 0, 3, 1, 2, 4).reshape(b, t, heads * d)


def entropy(m, logits, y):
    logs = m.log_softmax(logits)
    rows, steps = np.indices(y.shape)
    return -logs[m.whole(rows), m.whole(steps), m.whole(y)].mean()


def gelu_tanh(m, u):
    return 0.5 * u * (1 + m.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u * u * u)))


def gpt2(m, w, x, y):
    def norm(a, name):
        c = a - m.mean(a)
        return c / m.sqrt(m.mean(c * c) + 1e-5) * w[name + ".weight"] + w[name + ".bias"]

    def dense(a, name):
        return a @ w[name + ".weight"] + w[name + ".bias"]

    a = w["wte.weight"][m.whole(x)] + w["wpe.weight"][:x.shape[1]]
    for i in range(sum(n.endswith("ln_1.weight") for n in w)):
        qkv = dense(norm(a, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn")
        mixed = attend(m, qkv[..., :32], qkv[..., 32:64], qkv[..., 64:], 4, 4)
        a = a + dense(mixed, f"h.{i}.attn.c_proj")
        u = dense(norm(a, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        a = a + dense(gelu_tanh(m, u), f"h.{i}.mlp.c_proj")
    return entropy(m, norm(a, "ln_f") @ m.turned(w["wte.weight"], 1, 0), y)


def llama3_frequencies(frequencies, scaling):
    """As transformers' _compute_llama3_parameters has them."""
    factor, original = scaling["factor"], scaling["original_max_position_embeddings"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    waves = 2 * np.pi / frequencies
    smooth = (original / waves - low) / (high - low)
    found = np.where(waves > original / low, frequencies / factor, frequencies)
    mixed = (1 - smooth) * frequencies / factor + smooth * frequencies
    return np.where((waves >= original / high) & (waves <= original / low), mixed, found)


def llama(m, w, x, y, scaling=None, theta=500.0, act="silu"):
    d = 8
    frequencies = theta ** (-np.arange(d // 2) / (d // 2))
    if scaling is not None:
        linear = scaling.get("rope_type", scaling.get("type")) == "linear"
        frequencies = frequencies / scaling["factor"] if linear else llama3_frequencies(frequencies, scaling)
    angles = np.arange(x.shape[1])[:, None] * frequencies
    cos, sin = m.of(np.cos(np.tile(angles, 2)))[:, None], m.of(np.sin(np.tile(angles, 2)))[:, None]

    def norm(a, name):
        return a / m.sqrt(m.mean(a * a) + 1e-5) * w[name + ".weight"]

    def dense(a, name):
        return a @ m.turned(w[name + ".weight"], 1, 0)

    def rope(a):
        b, t, n = a.shape
        h = a.reshape(b, t, n // d, d)
        return (h * cos + m.joined([-h[..., d // 2:], h[..., :d // 2]]) * sin).reshape(b, t, n)

    a = w["model.embed_tokens.weight"][m.whole(x)]
    for i in range(sum(n.endswith("q_proj.weight") for n in w)):
        p = f"model.layers.{i}."
        n = norm(a, p + "input_layernorm")
        q, k, v = (dense(n, f"{p}self_attn.{c}_proj") for c in "qkv")
        a = a + dense(attend(m, rope(q), rope(k), v, 4, 2), p + "self_attn.o_proj")
        n = norm(a, p + "post_attention_layernorm")
        g = dense(n, p + "mlp.gate_proj")
        g = g / (1 + m.exp(-g)) if act == "silu" else gelu_tanh(m, g)
        a = a + dense(g * dense(n, p + "mlp.up_proj"), p + "mlp.down_proj")
    a = norm(a, "model.norm")
    return entropy(m, a @ m.turned(w.get("lm_head.weight", w["model.embed_tokens.weight"]), 1, 0), y)


def munit(w, x, y, tau):
    """A transformer under munit Scaling (arXiv:2502.05967), with the roots of softmax: weights of deviation 1, products
    over sqrt(inputs), the head over its inputs, norms at the end of branches, sums that keep a variance of 1."""
    def norm(a, name):
        c = a - a.mean(-1, keepdim=True)
        return c / torch.sqrt((c * c).mean(-1, keepdim=True) + 1e-5) * w[name + ".gain"] + w[name + ".bias"]

    def dense(a, name):
        m = w[name + ".weight"]
        return a @ m.T / m.shape[1] ** 0.5 + w[name + ".bias"]

    def attention(a, i):
        b, t, d = a.shape
        q, k, v = (z.reshape(b, t, 4, d // 4).transpose(1, 2) for z in dense(a, f"blocks.{i}.qkv").split(d, -1))
        scores = (q @ k.transpose(-1, -2) / (d // 4) ** 0.5).masked_fill(torch.triu(torch.ones(t, t), 1) > 0, -1e30)
        return dense((torch.exp(torch.log_softmax(scores, -1) / 2) @ v).transpose(1, 2).reshape(b, t, d),
                     f"blocks.{i}.projection")

    a = w["tokens"][x] + w["positions"]
    for i in range(2):
        a = (1 - tau) ** 0.5 * a + tau ** 0.5 * norm(attention(a, i), f"blocks.{i}.norm1")
        u = dense(torch.nn.functional.gelu(dense(a, f"blocks.{i}.up")), f"blocks.{i}.down")
        a = (1 - tau) ** 0.5 * a + tau ** 0.5 * norm(u, f"blocks.{i}.norm2")
    logits = norm(a, "norm") @ w["head"].T / w["head"].shape[1]
    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


# ---- questions ----

def ask(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)


def evaluated(*arguments):
    done = ask("evaluate", *arguments, "--recipe", "fp32", "--context", str(CONTEXT), "--batches", "1", "--json")
    check(done.returncode == 0, f"evaluate {arguments}: {done.stderr}")
    text = json.loads(done.stdout)
    text = text["checkpoints"][0] if "checkpoints" in text else text
    return [row for row in text["recipes"] if row["recipe"] == "fp32"][0]["loss"]


def loss_of(model, tensors, window):
    """The last window of the data is the only one that validation has."""
    x, y = window[None, :-1], window[None, 1:]
    expected = [float(model(Numpy, {n: Numpy.of(t) for n, t in tensors.items()}, x, y))]
    if torch is not None:
        expected.append(float(model(Torch, {n: Torch.of(t) for n, t in tensors.items()}, x, y)))
    return expected


def losses(name, model, tensors, tokens, *arguments):
    got = evaluated(*arguments, "--data", "tokens.npy")
    for expected in loss_of(model, tensors, tokens[-(CONTEXT + 1):]):
        check(abs(got - expected) < LIMIT, f"{name}: {got} instead of {expected}")


def steps(name, model, tensors, path):
    """Three steps of SGD at a rate that changes the loss."""
    done = ask("train", "--config", f"{path}/config.json", "--init", path, "--data", "tokens.npy", "--recipe", "fp32",
               "--optimizer", "sgd", "--lr", "0.5", "--wd", "0", "--steps", "3", "--batch", "4", "--context",
               str(CONTEXT), "--out", name, "--dump-batches", f"{name}.batches", "--dump-init", f"{name}.init",
               "--plot", "none", "--progress", "never")
    check(done.returncode == 0, f"train {name}: {done.stderr}")
    again = read(f"{name}.init")
    plain = {n.replace("transformer.", ""): x for n, x in again.items()}
    check(plain.keys() == tensors.keys() and all(np.array_equal(plain[n], tensors[n]) for n in tensors),
          f"{name}: --dump-init has other weights")
    with open(f"{name}/metrics.jsonl", encoding="ascii") as file:
        got = [json.loads(line)["train/loss"] for line in file]
    if torch is None:
        return
    batches, w = read(f"{name}.batches"), {n: Torch.of(t).clone().requires_grad_() for n, t in tensors.items()}
    for i in range(3):
        loss = model(Torch, w, batches["x"][i], batches["y"][i])
        check(abs(got[i] - float(loss)) < LIMIT, f"{name}, step {i}: {got[i]} instead of {float(loss)}")
        loss.backward()
        with torch.no_grad():
            for x in w.values():
                x -= 0.5 * x.grad
                x.grad = None
    check(got[2] < got[0] - 1e-3, f"{name}: nothing was learned: {got}")


def deep(random, tokens):
    """As many blocks as GPT-2 XL (580 tensors) and Llama 3.1 405B (1136) have."""
    small, large = gpt2_weights(random, 48), llama_weights(random, False, 126)
    folder("deep-gpt2", {**GPT2, "n_layer": 48}, small)
    losses("48 blocks of gpt2", gpt2, small, tokens, "deep-gpt2")
    steps("deep-gpt2-run", gpt2, small, "deep-gpt2")
    folder("deep-llama", {**LLAMA, "num_hidden_layers": 126}, large)
    losses("126 blocks of llama", llama, large, tokens, "deep-llama")
    refused("depth", "at most 4095 parameter tensors", {**GPT2, "n_layer": 400}, small)


def unit():
    """A step in fp64: the loss, and the weights that SGD at a rate of 1 leaves, which are their gradients."""
    done = ask("train", "--blocks", "unit,tau=0.4,sqrt_softmax", "--width", "16", "--vocabulary", "24", "--context", "12",
               "--recipe", "pure=fp64", "--optimizer", "sgd", "--lr", "1", "--wd", "0", "--steps", "2", "--schedule",
               "constant", "--out", "unit", "--dump-batches", "unit.batches", "--dump-init", "unit.init", "--plot",
               "none", "--progress", "never")
    check(done.returncode == 0, f"train unit: {done.stderr}")
    if torch is None:
        return
    with open("unit/pure=fp64-0/metrics.jsonl", encoding="ascii") as file:
        got = [json.loads(line)["train/loss"] for line in file]
    w = {n: torch.tensor(x.astype(np.float64)).requires_grad_() for n, x in read("unit.init").items()}
    for name, x in w.items():
        spread = float(x.std()) if x.ndim == 2 else 1
        check(abs(spread - 1) < 0.1, f"unit: {name} has the deviation {spread}")
    batches = read("unit.batches")
    for i in range(2):
        loss = munit(w, torch.as_tensor(np.array(batches["x"][i], np.int64)),
                     torch.as_tensor(np.array(batches["y"][i], np.int64)), 0.4)
        check(abs(got[i] - float(loss)) < 1e-6, f"unit, step {i}: {got[i]} instead of {float(loss)}")
        loss.backward()
        with torch.no_grad():
            for x in w.values():
                x -= x.grad
                x.grad = None
    for name, x in read("unit/pure=fp64-0/checkpoint.safetensors").items():
        if name in w:
            worst = float(np.abs(x - w[name].detach().numpy()).max())
            check(worst < 1e-6, f"unit: {name} differs by {worst} after two steps")
    check(got[1] < got[0] - 1e-3, f"unit: nothing was learned: {got}")


# What transformers 5.17 makes of RoPE's keys: (keys, scaling, theta). Each is read in both orders of all keys.
DEFAULT, LINEAR = {"rope_type": "default"}, {"rope_type": "linear", "factor": 3.0}
ROPES = (
    ({}, None, 1e4),
    ({"rope_theta": 500}, None, 500),
    ({"rope_parameters": {**DEFAULT, "rope_theta": 500.0}, "rope_theta": 10000.0}, None, 500),
    ({"rope_parameters": {**LLAMA3, "rope_theta": 900.0}, "rope_theta": 10000.0}, LLAMA3, 900),
    ({"rope_scaling": {**LINEAR, "rope_theta": 900}, "rope_parameters": {**DEFAULT, "rope_theta": 500}}, LINEAR, 900),
    ({"rope_scaling": {**DEFAULT, "rope_theta": 500}, "rope_parameters": {**LINEAR, "rope_theta": 900.0}}, None, 500),
    ({"rope_scaling": DEFAULT, "rope_parameters": {**LINEAR, "rope_theta": 900.0}, "rope_theta": 500.0}, None, 500),
    ({"rope_scaling": {"rope_theta": 500.0}, "rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, None, 500),
    ({"rope_scaling": None, "rope_parameters": LINEAR, "rope_theta": 500.0}, LINEAR, 500),
    ({"rope_scaling": {}, "rope_parameters": LINEAR, "rope_theta": 500.0}, LINEAR, 500),
    ({"rope_parameters": {"rope_theta": 500.0}, "rope_theta": None}, None, 500),
    ({"rope_parameters": {"type": "yarn", **LINEAR, "partial_rotary_factor": 1}, "partial_rotary_factor": 1.0},
     LINEAR, 1e4),
    ({"rope_parameters": {k: v for k, v in LLAMA3.items() if k[0] != "o"}, "max_position_embeddings": 64},
     LLAMA3, 1e4),
    ({"rope_theta": 500, "partial_rotary_factor": None, "rope_interleaved": False, "chunk_size_feed_forward": 0,
      "layer_types": ["full_attention"] * 2, "pruned_heads": {}, "is_decoder": True, "temperature": 0.7, "top_p": 0.9,
      "no_repeat_ngram_size": 2, "encoder_no_repeat_ngram_size": 0, "begin_suppress_tokens": [1], "max_length": 20,
      "torchscript": False, "eos_token_id": [1, 2], "attention_dropout": 0.1, "mlp_bias": False}, None, 500),
)


def ropes(large, tokens):
    bare = {k: v for k, v in LLAMA.items() if k not in ("rope_theta", "rope_scaling")}
    found = set()
    for keys, scaling, theta in ROPES:
        for config in ({**bare, **keys}, dict(reversed({**bare, **keys}.items()))):
            folder("ropes", config, large)
            losses(f"llama, {keys}", functools.partial(llama, scaling=scaling, theta=theta), large, tokens, "ropes")
        found.add(round(loss_of(functools.partial(llama, scaling=scaling, theta=theta), large,
                                tokens[-(CONTEXT + 1):])[0], 4))
    check(len(found) == len({(str(s), t) for _, s, t in ROPES}), f"the keys change the loss: {found}")


def refused(what, message, config, tensors, *arguments):
    folder("wrong", config, tensors)
    done = ask("evaluate", "wrong", "--data", "tokens.npy", "--recipe", "fp32", "--context", str(CONTEXT), *arguments)
    check(done.returncode != 0 and message in done.stderr, f"{what}: {done.returncode} {done.stderr}")


def main():
    random = np.random.default_rng(7)
    tokens = random.integers(0, 60, 120)
    np.save("tokens.npy", tokens.astype(np.int32))
    small, large, tied = gpt2_weights(random), llama_weights(random, False), llama_weights(random, True)
    masks = {f"h.{i}.attn.bias": np.ones((1, 1, 40, 40), np.float32) for i in range(2)}
    head = {"lm_head.weight": small["wte.weight"]}
    folder("gpt2", GPT2, {**small, **masks, **head})
    losses("gpt2", gpt2, small, tokens, "gpt2")
    losses("a file and a config", gpt2, small, tokens, "gpt2/model.safetensors", "--config", "gpt2/config.json")
    half = {n: x.astype(np.float16).astype(np.float32) for n, x in small.items()}
    folder("half", GPT2, {"transformer." + n: x for n, x in half.items()}, "F16", 3)
    losses("gpt2 with its prefix, F16, shards", gpt2, half, tokens, "half")
    folder("llama", LLAMA, large, shards=2)
    losses("llama", llama, large, tokens, "llama")
    linear = {"type": "linear", "factor": 3.0}
    for scaling in (LLAMA3, linear, {"rope_type": "default"}):
        folder("scaled", {**LLAMA, "rope_scaling": scaling}, large)
        losses(f"llama, {scaling}", functools.partial(llama, scaling=scaling if "factor" in scaling else None), large,
               tokens, "scaled")
    differences = [abs(loss_of(functools.partial(llama, scaling=s), large, tokens[-(CONTEXT + 1):])[0] -
                       loss_of(llama, large, tokens[-(CONTEXT + 1):])[0]) for s in (LLAMA3, linear)]
    check(min(differences) > 100 * LIMIT, f"scaled frequencies change the loss: {differences}")
    ropes(large, tokens)
    for act in ("gelu_new", "gelu_pytorch_tanh"):
        folder("gated", {**LLAMA, "hidden_act": act}, large)
        losses(f"llama, {act}", functools.partial(llama, act=act), large, tokens, "gated")
    brief = {n: as_bf16(x) for n, x in tied.items()}
    folder("tied", {**LLAMA, "tie_word_embeddings": True}, brief, "BF16")
    losses("llama, tied, BF16", llama, brief, tokens, "tied")
    deep(random, tokens)
    unit()
    steps("gpt2-run", gpt2, small, "gpt2")
    steps("llama-run", llama, large, "llama")
    losses("of a run", gpt2, {n.replace("transformer.", ""): x for n, x in read("gpt2-run.init").items()}, tokens,
           "gpt2-run.init", "--config", "gpt2/config.json")

    less = {n: x for n, x in large.items() if n != "model.layers.1.mlp.up_proj.weight"}
    name = "model.layers.0.self_attn.k_proj.weight"
    refused("missing", '"model.layers.1.mlp.up_proj.weight" (56, 32) is missing', LLAMA, less)
    refused("left over", "'model.layers.2.mlp.up_proj.weight'", LLAMA,
            {**large, "model.layers.2.mlp.up_proj.weight": np.zeros((56, 32), np.float32)})
    refused("shape", f'"{name}" has the shape (32, 32); this model needs (16, 32)', LLAMA,
            {**large, name: np.zeros((32, 32), np.float32)})
    refused("another head", "'lm_head.weight'", {**LLAMA, "tie_word_embeddings": True}, large)
    for key, value, message in (
            ("rope_scaling", {"rope_type": "llama3", "factor": 8.0}, 'of the rope_type llama3 needs "low_freq_factor"'),
            ("rope_scaling", {"rope_type": "yarn", "factor": 8.0}, "the rope_type 'yarn'; it must be default"),
            ("rope_scaling", {**LLAMA3, "high_freq_factor": 1.0}, "rope_high above rope_low"),
            ("rope_scaling", {**LLAMA3, "original_max_position_embeddings": 2.5}, "must be a whole number"),
            ("rope_scaling", {**LLAMA3, "factor": 0.5}, "rope_factor must be at least 1"),
            ("rope_scaling", {**LLAMA3, "factor": None}, '"factor" must be a number above 0'),
            ("rope_scaling", {"type": "linear", "factor": 2.0, "low_freq_factor": 1.0}, "has a member that is not"),
            ("rope_scaling", 7, '"rope_scaling" must be an object or null'),
            ("rope_parameters", [1], '"rope_parameters" must be an object or null'),
            ("rope_scaling", {"type": 7}, "has a rope_type that is not a string; it must be default"),
            ("rope_scaling", {**LLAMA3, "original_max_position_embeddings": None}, "must be a number above"),
            ("rope_parameters", {"rope_type": "default", "factor": 2.0}, 'has a member that is not known'),
            ("rope_parameters", {"rope_type": "default", "partial_rotary_factor": 0.5},
             '"partial_rotary_factor" is supported as 1 only'),
            ("partial_rotary_factor", 0.5, '"partial_rotary_factor" is supported as 1 only'),
            ("rope_theta", None, '"rope_theta" must be a number above 0'),
            ("rope_interleaved", True, '"rope_interleaved" is supported as false only'),
            ("chunk_size_feed_forward", 2, '"chunk_size_feed_forward" is supported as 0 only'),
            ("layer_types", ["full_attention", "sliding_attention"], '"layer_types" is supported as full_attention'),
            ("layer_types", "full_attention", '"layer_types" is supported as full_attention only'),
            ("layer_types", ["full_attention"] * 3, '"layer_types" has 3 entries, and the model has 2 layers'),
            ("pruned_heads", {"0": [1]}, '"pruned_heads" is not known'),
            ("top_kk", 1, '"top_kk" is not known'),
            ("rope_parameters", {"rope_type": "default", "rope_theta": "500"}, '"rope_theta" must be a number'),
            ("attention_bias", True, '"attention_bias" is supported as false only'),
            ("hidden_act", "gelu_fast", '"hidden_act" must be gelu_new, gelu_pytorch_tanh, gelu, relu, silu or swish'),
            ("sliding_window", 4096, '"sliding_window" is not known'),
            ("quantization_config", {"bits": 4}, '"quantization_config" is not known'),
            ("model_type", "mistral", "\"model_type\" is 'mistral'; it must be gpt2 or llama"),
            ("hidden_size", -3, '"hidden_size" must be a whole number'),
            ("num_key_value_heads", 3, "4 heads are not divisible by 3 heads of keys and values")):
        refused(key, message, {**LLAMA, key: value}, large)
    if torch is None:
        print("without PyTorch: its losses and gradients were not compared")
    conclude()


main()
