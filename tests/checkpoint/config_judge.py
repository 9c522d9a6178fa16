"""Says whether a checkpoint's configuration is one that its loader takes, and whether its tensors are those that the
loader will look for. Written from the loaders' sources, without their code:

    vllm-project/compressed-tensors@ac8e2ba82f4e: src/compressed_tensors/quantization/quant_args.py, quant_scheme.py,
        quant_config.py, config/base.py
    vllm-project/vllm@0071b24bf8fe: vllm/model_executor/layers/quantization/fp8.py
    vllm-project/vllm@00155cdecca7: vllm/model_executor/layers/quantization/modelopt.py

    config_judge.py FOLDER ...     a line per problem; status 1 if there is one"""
import json
import os
import re
import struct
import sys

# ---- compressed-tensors: the models of its configuration ----

STATUS = ("initialized", "calibration", "frozen", "compressed", "decompressed")
FORMATS = ("dense", "sparse-bitmask", "sparse-24-bitmask", "int-quantized", "float-quantized", "naive-quantized",
           "pack-quantized", "marlin-24", "mixed-precision", "nvfp4-pack-quantized", "mxfp4-pack-quantized",
           "mxfp8-quantized")
STRATEGIES = ("tensor", "channel", "group", "block", "token", "tensor_group", "attn_head")
INPUT_STRATEGIES = ("token", "tensor", "group", "tensor_group", "attn_head")
DYNAMIC_STRATEGIES = ("token", "tensor", "tensor_group", "group")
ORDERS = ("group", "weight", "dynamic", "static")
INTEGERS = [f"W{w}A{a}" for w in range(2, 9) for a in (4, 8, 16) if w <= a and not (w == 8 and a == 8)]
PRESETS = ["UNQUANTIZED", "W4A16_ASYM", "W8A8", "INT8", "W4AFP8", "FP8", "FP8_DYNAMIC", "FP8_BLOCK", "NVFP4A16",
           "NVFP4", "MXFP4A16", "MXFP4", "MXFP8A16", "MXFP8"] + INTEGERS
DTYPES = ("float64", "double", "float32", "float", "float16", "half", "bfloat16", "float8_e4m3fn", "float8_e5m2",
          "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2", "uint8", "int8", "int16", "short",
          "int32", "int", "int64", "long", "bool", "uint16", "uint32", "uint64", "complex32", "chalf", "complex64",
          "cfloat", "complex128", "cdouble", "quint8", "qint8", "qint32", "quint4x2", "quint2x4", "bits8", "bits16",
          "bits1x8", "bits2x4", "bits4x2", "int1", "int2", "int3", "int4", "int5", "int6", "int7", "uint1", "uint2",
          "uint3", "uint4", "uint5", "uint6", "uint7")


def whole(value):
    """An integer as pydantic reads one: 8, 8.0, True, "8"; None if it is none."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return int(value) if abs(value) < 2.0 ** 63 and value == int(value) else None
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d+(_\d+)*(\.0*)?\s*", value):
        return int(value.strip().split(".")[0].replace("_", ""))
    return None


def truth(value):
    if isinstance(value, str):
        words = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False, "y": True,
                 "n": False, "t": True, "f": False, "1": True, "0": False}
        return words.get(value.lower())
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else None


class Args:
    """Reads an object of arguments; `problems` gets what its loader refuses."""

    KEYS = ("num_bits", "type", "symmetric", "group_size", "strategy", "block_structure", "dynamic", "actorder",
            "scale_dtype", "zp_dtype", "observer", "observer_kwargs")

    def __init__(self, value, where, problems):
        self.where, self.problems = where, problems
        self.strategy = self.group_size = self.block = None
        self.dynamic, self.bits, self.kind, self.symmetric, self.actorder, self.zp = False, 8, "int", True, None, None
        self.scale = None
        if not isinstance(value, dict):
            return self.refuse("is not an object")
        for key in value:
            if key not in self.KEYS:
                self.refuse(f"has the unknown key {key!r}")
        before = len(problems)
        for key in self.KEYS:
            if key in value:
                getattr(self, "read_" + key)(value[key])
        if len(problems) == before:
            self.together()

    def refuse(self, what):
        self.problems.append(f"{self.where} {what}")

    def word(self, key, value, words):
        if not isinstance(value, str) or value.lower() not in words:
            return self.refuse(f"has {key} {value!r}")
        return value.lower()

    def read_num_bits(self, value):
        self.bits = whole(value)
        if self.bits is None:
            self.refuse(f"has num_bits {value!r}")

    def read_type(self, value):
        self.kind = self.word("type", value, ("int", "float"))

    def read_symmetric(self, value):
        self.symmetric = truth(value)
        if self.symmetric is None:
            self.refuse(f"has symmetric {value!r}")

    def read_group_size(self, value):
        if value is None:
            return
        self.group_size = None if isinstance(value, str) else whole(value)
        if self.group_size is None or self.group_size < -1:
            self.refuse(f"has group_size {value!r}")

    def read_strategy(self, value):
        if value is not None:
            self.strategy = self.word("strategy", value, STRATEGIES)

    def read_block_structure(self, value):
        if isinstance(value, str):
            parts = value.split("x")
            try:
                value = [int(part) for part in parts]
            except ValueError:
                return self.refuse(f"has block_structure {value!r}")
        if value is None:
            return
        if not isinstance(value, list) or len(value) != 2 or not all(isinstance(v, int) and v > 0 for v in value):
            return self.refuse(f"has block_structure {value!r}")
        self.block = value

    def read_dynamic(self, value):
        if isinstance(value, str):
            self.dynamic = self.word("dynamic", value, ("local",))
        else:
            self.dynamic = truth(value)
            if self.dynamic is None:
                self.refuse(f"has dynamic {value!r}")

    def read_actorder(self, value):
        if isinstance(value, bool):
            self.actorder = "group" if value else None
        elif isinstance(value, str):
            self.actorder = self.word("actorder", value, ORDERS)
        elif value is not None:
            self.actorder = value
            if value not in (0, 1):
                self.refuse(f"has actorder {value!r}")

    def dtype(self, key, value):
        if value is None:
            return None
        if not isinstance(value, str) or value.removeprefix("torch.") not in DTYPES:
            self.refuse(f"has {key} {value!r}")
        return value

    def read_scale_dtype(self, value):
        self.scale = self.dtype("scale_dtype", value)

    def read_zp_dtype(self, value):
        self.zp = self.dtype("zp_dtype", value)

    def read_observer(self, value):
        if value is not None and not isinstance(value, str):
            self.refuse(f"has observer {value!r}")

    def read_observer_kwargs(self, value):
        if not isinstance(value, dict):
            self.refuse(f"has observer_kwargs {value!r}")

    def together(self):
        """What members must be, given the others."""
        grouped = self.group_size is not None and self.group_size > 0
        if self.strategy is None:
            if self.group_size == 0:
                return self.refuse("has group_size 0 and no strategy")
            self.strategy = "group" if grouped else "tensor" if self.group_size is None else "channel"
        if self.strategy == "token" and not self.dynamic:
            self.refuse("has strategy token, and is not dynamic")
        if self.strategy in ("group", "tensor_group") and not grouped:
            self.refuse(f"has strategy {self.strategy}, and no group_size")
        if grouped and self.strategy not in ("group", "tensor_group"):
            self.refuse(f"has group_size {self.group_size}, and strategy {self.strategy}")
        if (self.strategy == "block") != (self.block is not None):
            self.refuse(f"has strategy {self.strategy}, and block_structure {self.block}")
        if self.actorder in ("group", "dynamic") and self.strategy not in ("group", "tensor_group"):
            self.refuse(f"has actorder {self.actorder}, and strategy {self.strategy}")
        if self.dynamic and self.strategy not in DYNAMIC_STRATEGIES:
            self.refuse(f"is dynamic, and has strategy {self.strategy}")
        if self.dynamic == "local" and self.strategy != "tensor_group":
            self.refuse(f"is dynamic local, and has strategy {self.strategy}")
        if self.zp is None and self.kind == "float" and self.bits not in (4, 8):
            self.refuse(f"has float of {self.bits} bits")


def texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


SCHEME_KEYS = ("targets", "weights", "input_activations", "output_activations", "format")


def read_scheme(name, value, problems):
    """The parts of a group of config_groups as Args; None for parts that it has not."""
    where = f"config_groups.{name}"
    if isinstance(value, list):
        if not texts(value):
            problems.append(f"{where} has targets that are not texts")
        elif name.upper() not in PRESETS:
            problems.append(f"{where} is not the name of a preset")
        return {}
    if not isinstance(value, dict):
        problems.append(f"{where} is not an object")
        return {}
    for key in value:
        if key not in SCHEME_KEYS:
            problems.append(f"{where} has the unknown key {key!r}")
    if not texts(value.get("targets")):
        problems.append(f"{where} has no list of targets")
    parts = {}
    for part in ("weights", "input_activations", "output_activations"):
        if value.get(part) is not None:
            parts[part] = Args(value[part], f"{where}.{part}", problems)
    inputs = parts.get("input_activations")
    if inputs and inputs.strategy is not None and inputs.strategy not in INPUT_STRATEGIES:
        problems.append(f"{where}.input_activations has strategy {inputs.strategy}")
    for part in ("input_activations", "output_activations"):
        if part in parts and parts[part].actorder is not None:
            problems.append(f"{where}.{part} has actorder")
    format_ = value.get("format")
    if format_ is not None and (format_ not in FORMATS or format_ == "mixed-precision"):
        problems.append(f"{where} has format {format_!r}")
    return parts


def judge_compressed_tensors(config, problems):
    """Unknown keys are refused in groups and their arguments, and skipped in the configuration itself."""
    groups = config.get("config_groups")
    if not isinstance(groups, dict):
        problems.append("config_groups is missing or not an object")
        groups = {}
    schemes = {name: read_scheme(name, value, problems) for name, value in groups.items()}
    for key, allowed in (("quant_method", str), ("format", str)):
        if key in config and not isinstance(config[key], allowed):
            problems.append(f"{key} is {config[key]!r}")
    if "quantization_status" in config and config["quantization_status"] not in STATUS:
        problems.append(f"quantization_status is {config['quantization_status']!r}")
    ratio = config.get("global_compression_ratio")
    if ratio is not None and (isinstance(ratio, str) and not re.fullmatch(r"[-+0-9.eE]+", ratio)
                              or not isinstance(ratio, (int, float, str))):
        problems.append(f"global_compression_ratio is {ratio!r}")
    if config.get("ignore") is not None and not texts(config["ignore"]):
        problems.append("ignore is not a list of texts")
    if config.get("kv_cache_scheme") is not None:
        Args(config["kv_cache_scheme"], "kv_cache_scheme", problems)
    return schemes


# ---- vLLM: fp8 and ModelOpt ----

def judge_fp8(config, problems):
    if "activation_scheme" not in config:
        problems.append("activation_scheme is missing")
    elif config["activation_scheme"] not in ("static", "dynamic"):
        problems.append(f"activation_scheme is {config['activation_scheme']!r}")
    size = config.get("weight_block_size")
    if size is not None:
        if not isinstance(size, list) or len(size) != 2:
            problems.append(f"weight_block_size is {size!r}")
        if config.get("activation_scheme") != "dynamic":
            problems.append("weight_block_size needs activation_scheme dynamic")
    for key in ("ignored_layers", "modules_to_not_convert"):
        if config.get(key) is not None and not texts(config[key]):
            problems.append(f"{key} is not a list of texts")


ALGORITHMS = ("FP8", "FP8_PER_CHANNEL_PER_TOKEN", "FP8_PB_WO", "NVFP4", "W4A16_NVFP4", "MXFP8", "MIXED_PRECISION")


MIXED_ALGORITHMS = ("FP8", "NVFP4", "W4A16_NVFP4", "MXFP8")


def judge_modelopt(config, problems):
    """`config`: hf_quant_config.json, or quantization_config of config.json."""
    inner = config.get("quantization", config)
    if not isinstance(inner, dict):
        return problems.append("quantization is not an object")
    algorithm = inner.get("quant_algo")
    if not algorithm:
        problems.append("quant_algo is missing")
    elif str(algorithm).upper() not in ALGORITHMS:
        problems.append(f"quant_algo is {algorithm!r}")
    layers = inner.get("quantized_layers")
    if str(algorithm).upper() == "MIXED_PRECISION":
        if not isinstance(layers, dict) or not layers:
            problems.append("quantized_layers is missing or empty")
            layers = {}
        for name, layer in layers.items():  # vLLM leaves layers with any other word as they are
            if not isinstance(layer, dict) or str(layer.get("quant_algo")).upper() not in MIXED_ALGORITHMS:
                problems.append(f"quantized_layers: {name} has {layer!r}")
    excluded = inner.get("exclude_modules" if inner is not config else "ignore", [])
    if not isinstance(excluded, list):
        problems.append("the list of modules that are left is not a list")
    if inner.get("group_size") is not None and whole(inner["group_size"]) is None:
        problems.append(f"group_size is {inner['group_size']!r}")
    kv = inner.get("kv_cache_quant_algo") if inner is not config else None
    if kv is not None and not isinstance(kv, str):
        problems.append(f"kv_cache_quant_algo is {kv!r}")


# ---- tensors: what the loader of each method creates for a linear ----

def up(a, b):
    return -(-a // b)


def wanted_packed(args, rows, words):
    """Integers in words of 32 bits."""
    groups_ = words * 32 // args.bits // args.group_size if args.strategy == "group" else 1
    out = {"weight_packed": (("I32",), [rows, words]), "weight_scale": (("BF16", "F16", "F32"), [rows, groups_]),
           "weight_shape": (("I64", "I32"), [2])}
    if not args.symmetric:
        out["weight_zero_point"] = (("I32",), [up(rows * args.bits, 32), groups_])
    return out


def wanted(args, inputs, rows, columns):
    """Tensors of a linear in compressed-tensors: {name: (dtypes, shape)}."""
    scales = ("BF16", "F16", "F32")
    if args.kind == "float" and args.bits == 4:
        second = args.strategy == "tensor_group"
        if args.group_size is None:
            return {"weight_packed": (("U8",), None)}  # no server has such a scheme
        out = {"weight_packed": (("U8",), [rows, columns // 2]),
               "weight_scale": (("F8_E4M3",) if second else ("U8",), [rows, columns // args.group_size])}
        if second:
            out["weight_global_scale"] = (("F32",), [1])
            if inputs and inputs.dynamic is not True:
                out["input_global_scale"] = (("F32",), [1])
        return out
    dtype = "F8_E4M3" if args.kind == "float" else "I8"
    shape = {"tensor": [1], "channel": [rows, 1], "block": None, "group": None}[args.strategy]
    if args.strategy == "block":
        shape = [up(rows, args.block[0]), up(columns, args.block[1])]
    if args.strategy == "group":
        shape = [rows, columns // args.group_size]
        scales = ("U8",) if args.scale in ("torch.uint8", "uint8") else scales
    out = {"weight": ((dtype,), [rows, columns]), "weight_scale": (scales, shape)}
    if inputs and not inputs.dynamic:
        out["input_scale"] = (scales, [1])
    return out


def matches(name, pattern):
    if pattern.startswith("re:"):
        return re.match(pattern[3:], name) is not None
    return name == pattern


def compare(stem, have, want, problems):
    for part, (dtypes, shape) in want.items():
        if part not in have:
            problems.append(f"{stem}.{part} is missing")
        elif have[part][0] not in dtypes or have[part][1] != shape:
            problems.append(f"{stem}.{part} is {have[part]}, and should be {dtypes} {shape}")
    for part in set(have) - set(want) - {"bias", "k_scale", "v_scale"}:
        problems.append(f"{stem}.{part} is not of this scheme")


def wanted_fp8(config, rows, columns):
    """Tensors of a linear in fp8."""
    size = config.get("weight_block_size")
    out = {"weight": (("F8_E4M3",), [rows, columns])}
    if size:
        out["weight_scale_inv"] = (("F32", "BF16"), [up(rows, size[0]), up(columns, size[1])])
    else:
        out["weight_scale"] = (("F32",), [])
    if config["activation_scheme"] == "static":
        out["input_scale"] = (("F32",), [])
    return out


def wanted_modelopt(config, rows, columns):
    """Tensors of a linear in ModelOpt's algorithms."""
    algorithm = config["quant_algo"].upper()
    fp8 = {"weight": (("F8_E4M3",), [rows, columns])}
    if algorithm == "FP8":
        return dict(fp8, weight_scale=(("F32",), []), input_scale=(("F32",), []))
    if algorithm == "FP8_PER_CHANNEL_PER_TOKEN":
        return dict(fp8, weight_scale=(("F32",), [rows]))
    if algorithm == "FP8_PB_WO":
        return dict(fp8, weight_scale=(("F32",), [up(rows, 128), 1, up(columns, 128), 1]))
    if algorithm == "MXFP8":
        return dict(fp8, weight_scale=(("U8",), [rows, columns // 32]))
    out = {"weight": (("U8",), [rows, columns]), "weight_scale": (("F8_E4M3",), [rows, 2 * columns // 16]),
           "weight_scale_2": (("F32",), [])}
    return dict(out, input_scale=(("F32",), [])) if algorithm == "NVFP4" else out


def judge_others(config, left, wanted_, tensors, problems):
    """Each linear has the tensors of the method, unless the configuration leaves it, or servers never quantize it."""
    for stem, have in linears(tensors).items():
        skipped = stem == "lm_head" or stem.endswith(".gate") or stem in left
        if skipped and set(have) <= {"weight", "bias"} and have["weight"][0] in ("BF16", "F16", "F32"):
            continue
        if stem in left:
            problems.append(f"{stem} is quantized, and left by the configuration")
        elif "weight" not in have:
            problems.append(f"{stem}.weight is missing")
        elif stem not in config.get("quantized_layers", {stem: config}):
            problems.append(f"{stem} is quantized, and not in quantized_layers")
        else:
            own = config.get("quantized_layers", {stem: config})[stem]
            compare(stem, have, wanted_(own, *have["weight"][1]), problems)


def linears(tensors):
    """Parts of what may be a linear: {stem: {part: (dtype, shape)}}."""
    out = {}
    for name, entry in tensors.items():
        stem, _, part = name.rpartition(".")
        out.setdefault(stem, {})[part] = (entry["dtype"], entry["shape"])
    return {stem: parts for stem, parts in out.items()
            if any(part in parts and len(parts[part][1]) == 2 for part in ("weight", "weight_packed"))
            and not stem.endswith(("embed_tokens", "token_embd", "norm", "layernorm"))}


def judge_tensors(config, schemes, tensors, problems):
    """Each linear that a group targets has the group's tensors; any other has one weight that is not quantized."""
    for stem, have in linears(tensors).items():
        ignored = any(matches(stem, pattern) for pattern in config.get("ignore") or [])
        chosen = None
        for name, group in config["config_groups"].items():
            targets = group if isinstance(group, list) else group["targets"]
            if any(target == "Linear" or matches(stem, target) for target in targets):
                chosen = chosen or name
        if ignored or chosen is None:
            if set(have) - {"weight", "bias"} or have["weight"][0] not in ("BF16", "F16", "F32"):
                problems.append(f"{stem} is quantized, and ignored by the configuration")
            continue
        parts = schemes[chosen]
        if "weights" not in parts:
            continue  # a preset: its arguments are not in the configuration
        rows, columns = have["weight"][1] if "weight" in have else have["weight_packed"][1]
        if (config["config_groups"][chosen].get("format") or config.get("format")) == "pack-quantized":
            compare(stem, have, wanted_packed(parts["weights"], rows, columns), problems)
            continue
        compare(stem, have, wanted(parts["weights"], parts.get("input_activations"), rows,
                                   columns if "weight" in have else 2 * columns), problems)


def headers(folder):
    tensors = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".safetensors"):
            with open(os.path.join(folder, name), "rb") as file:
                size = struct.unpack("<Q", file.read(8))[0]
                tensors.update(json.loads(file.read(size)))
    tensors.pop("__metadata__", None)
    return tensors


def judge_folder(folder):
    """The problems of a checkpoint in a folder. No quantization_config: none."""
    problems = []
    config, model = {}, ""
    path = os.path.join(folder, "config.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            try:
                config = json.load(file)
            except ValueError as error:
                return [f"config.json: {error}"]
        model = config.get("model_type")
        config = config.get("quantization_config") or {}
    method = config.get("quant_method")
    if method == "compressed-tensors":
        schemes = judge_compressed_tensors(config, problems)
        if not problems:
            judge_tensors(config, schemes, headers(folder), problems)
    elif method == "fp8":
        judge_fp8(config, problems)
        if not problems and model != "deepseek_v4":  # which has a loader of its own
            left = (config.get("ignored_layers") or []) + (config.get("modules_to_not_convert") or [])
            judge_others(config, left, wanted_fp8, headers(folder), problems)
    elif method == "modelopt":
        judge_modelopt(config, problems)
        if not problems:
            judge_others(config, config.get("ignore") or [], wanted_modelopt, headers(folder), problems)
        path = os.path.join(folder, "hf_quant_config.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = json.load(file)
            judge_modelopt(text, problems)
            for key in ("quant_algo", "quantized_layers"):
                if text["quantization"].get(key) != config.get(key):
                    problems.append(f"hf_quant_config.json and config.json have different {key}")
    return problems


if __name__ == "__main__":
    found = [f"{folder}: {problem}" for folder in sys.argv[1:] for problem in judge_folder(folder)]
    print("\n".join(found) or f"{len(sys.argv) - 1} configurations are what their loaders take")
    sys.exit(bool(found))
