"""What people hand to the simulator, damaged at random: config.json of GPT-2 and Llama, folders of weights with index
and shards, tokenizer.json, recipes with settings of layers, options of blocks, initial weights, tokens and orders in
.npy, directories of runs. Each case is a call of the command, which has to accept it, or refuse it with exit status 2
or 3 and one message: no crash, no report of a sanitizer, no leak, no more than 20 seconds of CPU and 2 GiB.

BND_COMMAND is the command; the argument is the number of cases (default 200), a second one the seed. A case that fails
is kept in the folder that FUZZ_KEEP names, with its command line."""
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys

COMMAND = os.environ["BND_COMMAND"].split()
KEEP = os.environ.get("FUZZ_KEEP")
SECONDS, BYTES = 20, 2 << 30
TINY = ["--steps", "1", "--batch", "1", "--plot", "none", "--progress", "never"]
SIZES = ["--width", "8", "--depth", "1", "--heads", "2", "--context", "4"]
ODD = (None, True, False, 0, -1, 1, 2, 3, 7, 2**25, 2**31, 2**32 + 1, 2**63, 2**64, 10**30, 0.5, -0.0, 1e-320, 1e300,
       "", "a", "0", "nan", "\x00", "\x1b[2J", "\ud800", "é" * 50, "x" * 3000, [], [1], {}, {"a": {}}, [[[]]])
POWERS = (*range(11), *range(25, 64))  # those between are sizes that a model may have, and takes long to train with
GPT2 = {"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 8, "vocab_size": 256,
        "n_inner": None, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new", "initializer_range": 0.02}
LLAMA = {"model_type": "llama", "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1,
         "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "vocab_size": 256, "rope_theta": 500.0,
         "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8},
         "max_position_embeddings": 16, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": True}
TOKENIZER = {"version": "1.0", "truncation": None, "padding": None, "normalizer": {"type": "NFC"},
             "added_tokens": [{"id": 8, "content": "<b>", "special": True, "normalized": False}],
             "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
             "post_processor": None, "decoder": {"type": "ByteLevel"},
             "model": {"type": "BPE", "dropout": None, "ignore_merges": False,
                       "vocab": {"a": 0, "b": 1, "\u0120": 2, "ab": 3, "aba": 4, "\u010a": 5, "<": 6, ">": 7},
                       "merges": ["a b", ["ab", "a"]]}}
RECIPES = ("fp32", "bf16-amp", "mxfp8,blocks.0.*:fp32", "nvfp4,blocks.*.up:bf16", "v=e5m2,m=bf16:sr",
           "gemm=e4m3,blocks.first.*:fp32", "base=bf16-amp,dact=e5m2:sr,loss_scale=dynamic", "fp8-current,head:fp32",
           "blocks.1.*:fp32", "layers.0:pure=bf16", "accumulate=bf16,reduce=bf16/tree", "attn=bf16,ns=bf16,update=eco",
           "blocks.last2.*:bf16-amp", "tile=128x128,gemm_fwd.w=e4m3/tile", "reset=100,v=u8/256", "*.weight:bf16,*:fp32")
BLOCKS = ("norm=rmsnorm", "position=rope", "mlp=swiglu", "kv_heads=1", "qk_norm", "unit", "tau=0.4", "sqrt_softmax",
          "head_width=4", "mlp_width=12", "positions=9", "rope_theta=500", "z_loss=1e-4", "deviation=0.1", "no_bias")
WORDS = (":", ",", "=", ".", "*", "..", "0", "-1", "99999999999999999999", "1e400", "fp32", "bf16", "e9m9", "sr",
         "blocks", "[", "]", "@", "/", "%", "\n", " ", "é", "a" * 300, "base", "name", "0-1", "first", "last", ":fp32",
         "gemm", "tile")


# ---- damage ----

def damaged_text(r, text):
    """Words and characters put in, taken out, swapped, or doubled."""
    for _ in range(r.choice((1, 1, 2, 4))):
        at, end = sorted((r.randrange(len(text) + 1), min(len(text), r.randrange(len(text) + 1))))
        text = r.choice((text[:at] + r.choice(WORDS) + text[at:], text[:at] + text[end:], text[:end] + text[at:],
                         text[:at] + chr(r.choice((0x7f, 0x41, 0x30, 0x2c, 0xe9, 0x1b))) + text[at + 1:]))
    return text.replace("\x00", "")[:5000]


def places(value, path=()):
    """All places of a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from places(value[i], path + (i,))


def damaged_json(r, value):
    """The text of a value in which some members are odd, gone, doubled or renamed."""
    value = json.loads(json.dumps(value))
    for _ in range(r.choice((1, 1, 1, 2, 5))):
        path = r.choice(list(places(value)))
        if not path:
            continue
        inner = value
        for step in path[:-1]:
            inner = inner[step]
        what = r.randrange(5)
        if what == 0:
            del inner[path[-1]]
        elif what == 1 and isinstance(inner, dict):
            inner[damaged_text(r, str(path[-1]))] = inner.pop(path[-1])
        elif what == 2 and isinstance(inner[path[-1]], str):
            inner[path[-1]] = damaged_text(r, inner[path[-1]])
        elif what == 3 and isinstance(inner[path[-1]], (int, float)) and not isinstance(inner[path[-1]], bool):
            was = inner[path[-1]]
            inner[path[-1]] = r.choice((was * 2, was + 1, -was, 2**r.choice(POWERS)))
        else:
            inner[path[-1]] = copy.deepcopy(r.choice(ODD))
    text = json.dumps(value, ensure_ascii=r.random() < 0.8).encode("utf-8", "surrogatepass")
    if r.random() < 0.1:
        text = text.replace(b"{", b'{"model_type":"gpt2",', 1)
    return damaged_bytes(r, text, 0.2) if r.random() < 0.2 else text


def damaged_bytes(r, data, cut=0.3):
    data = bytearray(data)
    for _ in range(r.choice((1, 2, 8))):
        if data:
            data[r.randrange(len(data))] = r.choice((0, 255, 0x22, 0x7b, 0x5d, 0x30, 0x39, r.randrange(256)))
    return bytes(data[:r.randrange(len(data) + 1)] if r.random() < cut else data)


# ---- right files ----

def shapes(config):
    if config["model_type"] == "gpt2":
        d, made = 8, {"wte.weight": (256, 8), "wpe.weight": (8, 8), "ln_f.weight": (8,), "ln_f.bias": (8,)}
        for part, shape in (("ln_1", (d,)), ("attn.c_attn", (d, 3 * d)), ("attn.c_proj", (d, d)), ("ln_2", (d,)),
                            ("mlp.c_fc", (d, 4 * d)), ("mlp.c_proj", (4 * d, d))):
            made[f"h.0.{part}.weight"], made[f"h.0.{part}.bias"] = shape, shape[-1:]
        return made
    layer = {"input_layernorm": (8,), "self_attn.q_proj": (8, 8), "self_attn.k_proj": (4, 8),
             "self_attn.v_proj": (4, 8), "self_attn.o_proj": (8, 8), "post_attention_layernorm": (8,),
             "mlp.gate_proj": (12, 8), "mlp.up_proj": (12, 8), "mlp.down_proj": (8, 12)}
    return {"model.embed_tokens.weight": (256, 8), "model.norm.weight": (8,),
            **{f"model.layers.0.{part}.weight": shape for part, shape in layer.items()}}


def header_of(tensors):
    header, at = {}, 0
    for name, shape in tensors.items():
        size = 4
        for n in shape:
            size *= n
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    return header, at


def safetensors(header, size):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + struct.pack("<f", 0.01) * (size // 4)


def npy(descr, shape, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def weights(folder, config, r, damage):
    """A folder of weights, of which one thing is damaged: the config, the index, or a shard's header or bytes."""
    os.makedirs(folder)
    tensors = shapes(config)
    names = sorted(tensors)
    shards = r.choice((1, 1, 2, 3))
    what = r.choice(("config", "config", "index", "header", "bytes")) if damage else None
    where = {}
    for i in range(shards):
        part = f"model-{i + 1:05}-of-{shards:05}.safetensors" if shards > 1 else "model.safetensors"
        mine = {name: tensors[name] for name in names[i::shards]}
        where.update((name, part) for name in mine)
        header, size = header_of(mine)
        if what == "header" and i == 0:
            header = damaged_json(r, header)
        data = safetensors(header, size)
        write(f"{folder}/{part}", damaged_bytes(r, data) if what == "bytes" and i == 0 else data)
    if shards > 1 or what == "index":
        index = {"metadata": {"total_size": 1}, "weight_map": where}
        write(f"{folder}/model.safetensors.index.json",
              damaged_json(r, index) if what == "index" else json.dumps(index).encode())
    write(f"{folder}/config.json", damaged_json(r, config) if what == "config" else json.dumps(config).encode())


# ---- cases: the words of a command, for what they have written ----

def hugging_face(r):
    config = r.choice((GPT2, LLAMA))
    weights("folder", config, r, True)
    if r.random() < 0.5:
        return ["evaluate", "folder", "--data", "text", "--recipe", "mxfp8", "--context", "4", "--batches", "1"]
    return ["train", "--config", "folder/config.json", "--init", "folder", "--data", "text", "--recipe", "fp32",
            "--context", "4", *TINY]


def config_alone(r):
    write("config.json", damaged_json(r, r.choice((GPT2, LLAMA))))
    words = ["--width", "8"] if r.random() < 0.2 else []
    return ["train", "--config", "config.json", "--recipe", "fp32", *words, *TINY]


def tokenizer(r):
    value = json.loads(json.dumps(TOKENIZER))
    if r.random() < 0.5:
        pattern = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
                   " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
        value["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]}
    write("tokenizer.json", damaged_json(r, value) if r.random() < 0.8 else json.dumps(value).encode())
    text = "ab aba<b> abab  b\nab" * 9
    write("words", damaged_bytes(r, text.encode(), 0.1) if r.random() < 0.5 else damaged_text(r, text).encode())
    return ["train", "--data", "words", "--tokenizer", "tokenizer.json", "--recipe", "fp32", *SIZES, *TINY]


def recipe(r):
    text = damaged_text(r, r.choice(RECIPES) + r.choice(("", "," + r.choice(RECIPES))))
    if r.random() < 0.15:
        members = {"base": "bf16-amp", "v": "e5m2", "layers": "blocks.0.*:fp32", "loss_scale": 1024, "name": "mine"}
        write("mine.json", damaged_json(r, members))
        text = "mine.json"
    if r.random() < 0.3:
        return ["cost", "memory", "--recipe", text, "--model", r.choice(("gpt2", "llama-7b", "8b", "mlp"))]
    model = r.choice(("mlp", "transformer", "linear", "student", "llama"))
    sizes = {"mlp": ["--width", "8", "--inputs", "4"], "linear": ["--width", "4"], "student": ["--width", "4"]}
    autopsy = ["--autopsy"] if r.random() < 0.1 else []
    return ["train", "--model", model, "--recipe", text, *sizes.get(model, SIZES), *autopsy, *TINY]


def options(r):
    chosen = ",".join(r.sample(BLOCKS, r.randrange(1, 5)))
    more = [r.choice(("--lr", "--eps", "--wd", "--clip", "--betas", "--context", "--heads", "--kv", "--vocabulary",
                      "--micro-batches", "--ranks", "--seed-init", "--schedule", "--source", "--model", "--switch")),
            damaged_text(r, r.choice(("0.1", "0.9,0.99", "4", "1e-3", "wsd", "chain", "gpt2", "bf16-sr@1")))]
    model = r.choice(("transformer", "gpt2", "llama"))
    return ["train", "--model", model, "--blocks", damaged_text(r, chosen) if r.random() < 0.6 else chosen, "--recipe",
            "bf16-amp", *SIZES, *(more if r.random() < 0.5 else []), *TINY]


def initial(r):
    header, size = header_of({"layers.0.weight": (8, 4), "layers.0.bias": (8,), "layers.1.weight": (10, 8),
                              "layers.1.bias": (10,)})
    data = safetensors(damaged_json(r, header) if r.random() < 0.7 else header, size)
    write("init.safetensors", damaged_bytes(r, data) if r.random() < 0.5 else data)
    return ["train", "--model", "mlp", "--width", "8", "--depth", "1", "--inputs", "4", "--init", "init.safetensors",
            "--recipe", "bf16-amp", *TINY]


def tokens(r):
    kind, width = r.choice((("<i4", 4), ("<u2", 2), ("|u1", 1), ("<i8", 8)))
    data = npy(kind, "(90,)", b"".join((i % 7).to_bytes(width, "little") for i in range(90)))
    name = r.choice(("tokens.npy", "tokens.bin", "tokens"))
    write(name, damaged_bytes(r, data))
    typed = ["--data-type", r.choice(("int32", "uint8", "", "float", "int64"))] if r.random() < 0.4 else []
    order = []
    if r.random() < 0.3:
        write("order.npy", damaged_bytes(r, npy("<i4", r.choice(("(2,)", "(1, 2)")), b"\1\0\0\0\2\0\0\0")))
        order = ["--order", "order.npy"]
    return ["train", "--data", name, *typed, *order, "--recipe", "fp32", *SIZES, *TINY]


def run_directory(r):
    """A run that is continued, evaluated or compared, after one of its files was damaged."""
    shutil.copytree("run.good", "run")
    name = r.choice(("config.json", "metrics.jsonl", "summary.json", "checkpoint.safetensors"))
    with open(f"run/bf16-amp-0/{name}", "rb") as file:
        data = file.read()
    whole = name.endswith(".json") and r.random() < 0.7
    write(f"run/bf16-amp-0/{name}", damaged_json(r, json.loads(data)) if whole else damaged_bytes(r, data))
    if r.random() < 0.2:
        os.unlink("run/bf16-amp-0/" + r.choice(("summary.json", "metrics.jsonl", "config.json")))
    command = r.choice(("train", "train", "compare", "evaluate"))
    if command == "train":
        return ["train", "--recipe", "bf16-amp", *SIZES, "--batch", "1", "--plot", "none", "--progress", "never",
                "--steps", r.choice(("4", "6")), "--out", "run", "--resume"]
    more = ["--recipe", "mxfp8", "--batches", "1"] if command == "evaluate" else ["--plot", "none"]
    return [command, "run/bf16-amp-0", *more]


def log(r):
    rows = "\n".join(f"{i},{3.5 - i / 10:.3f},x" for i in range(6))
    lines = "\n".join(json.dumps({"_step": i, "train/loss": 3.5 - i / 10}) for i in range(6))
    text = r.choice(("Step,train/loss,note\n" + rows, "step;loss\n" + rows.replace(",", ";"), lines))
    write("log", damaged_bytes(r, text.encode(), 0.1))
    named = ["--loss-column", damaged_text(r, "train/loss")] if r.random() < 0.3 else []
    return ["compare", "run.good", "log", "--plot", "none", *named]


CASES = (hugging_face, hugging_face, config_alone, tokenizer, tokenizer, recipe, recipe, recipe, options, initial,
         tokens, run_directory, run_directory, log)
FILES = ("folder", "config.json", "tokenizer.json", "words", "mine.json", "init.safetensors", "tokens.npy",
         "tokens.bin", "tokens", "order.npy", "run", "log")


# ---- what must hold ----

def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def ask(words):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "BND_THREADS": "1",
                   "ASAN_OPTIONS": f"allocator_may_return_null=1:hard_rss_limit_mb={BYTES >> 20}:"
                                   f"max_allocation_size_mb={BYTES >> 20}"}
    try:
        return subprocess.run([*COMMAND, *words], capture_output=True, timeout=60 * SECONDS, check=False,
                              env=environment, stdin=subprocess.DEVNULL, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None


def wrong_with(done):
    """What is wrong with an answer; None if nothing is."""
    if done is None or done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"takes more than {SECONDS} seconds"
    said = done.stderr.decode("utf-8", "replace")
    if "LeakSanitizer has encountered a fatal error" in said:
        return None  # its tracer may die in the thread-local storage of OpenMP's threads: nothing is known of leaks
    if done.returncode not in (0, 1, 2, 3):
        return f"exit status {done.returncode}"
    if re.search(r"runtime error|Sanitizer", said):
        return "a sanitizer's report"
    if done.returncode in (2, 3) and not (said.startswith("binade") and said.count("\n") <= 3):
        return "a refusal without its message"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", said):
        return "a message with control characters"
    if re.search(r"\(null\)|: *$|: : ", said.strip()):
        return "a message that is not complete"
    return None


def keep(number, words, why, done):
    said = done.stderr.decode("utf-8", "replace")[:3000] if done is not None else ""
    print(f"case {number}: {why}: {words!r}\n{said}", flush=True)
    if KEEP:
        folder = f"{KEEP}/{number}"
        os.makedirs(folder, exist_ok=True)
        for name in FILES:
            if os.path.isdir(name):
                shutil.copytree(name, f"{folder}/{name}", dirs_exist_ok=True)
            elif os.path.exists(name):
                shutil.copy(name, folder)
        with open(f"{folder}/words", "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(words, file)


def clear():
    for name in FILES:
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.unlink(name)


def main():
    given = [int(x) for x in sys.argv[1:]]
    count, seed = (*given, *(200, 1)[len(given):])
    write("text", bytes(range(32, 127)) * 4)
    made = ask(["train", "--recipe", "bf16-amp", *SIZES, "--batch", "1", "--plot", "none", "--steps", "4", "--out",
                "run.good"])
    assert made is not None and made.returncode == 0, made and made.stderr
    failed, statuses, messages = 0, {}, {}
    for number in range(count):
        r = random.Random(f"{seed} {number}")
        clear()
        case = r.choice(CASES)
        words = case(r)
        done = ask(words)
        why = wrong_with(done)
        status = (case.__name__, done.returncode if done is not None else "time")
        statuses[status] = statuses.get(status, 0) + 1
        if done is not None and done.stderr:
            said = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "#", done.stderr.decode("utf-8", "replace"))
            messages.setdefault((case.__name__, said[:200]), done.stderr.decode("utf-8", "replace")[:400])
        if why is not None:
            failed += 1
            keep(number, words, why, done)
    if os.environ.get("FUZZ_MESSAGES"):
        for (name, _), said in sorted(messages.items()):
            print(f"{name}: {said.rstrip()}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(" ".join(f"{name}:{status}={n}" for (name, status), n in sorted(statuses.items(), key=str)))
    print(f"damaged input of the simulator, {count} cases in {used.ru_utime + used.ru_stime:.0f} s of CPU: "
          f"{count - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
