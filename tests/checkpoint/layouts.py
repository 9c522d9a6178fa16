"""Right checkpoints of every layout, from a small model in bf16.

Each function of the table RIGHT returns a Checkpoint. The layouts were read in the sources that its row names, as
repository@commit:path. Weights that the model cannot quantize in a layout stay bf16."""
import copy
import json

import numpy as np

from checkpoint_files import Checkpoint
from small_formats import (E2M1, E4M3, E5M2, bf16, e8m0, f32, from_bf16, groups, int8, nvfp4_scales, pack_high_first,
                           pack_low_first, power_of_two, spread, swizzle, to_bf16)

CT = "vllm-project/compressed-tensors@ac8e2ba82f4e:src/compressed_tensors/"
MODELOPT = "NVIDIA/Model-Optimizer@a2fbac7bad8a:modelopt/torch/"
DEEPSEEK = "deepseek-ai/DeepSeek-V3@9b4e9788e4a3:"
VLLM_FP8 = "vllm-project/vllm@0071b24bf8fe:vllm/model_executor/layers/quantization/fp8.py"
VLLM_MODELOPT = "vllm-project/vllm@00155cdecca7:vllm/model_executor/layers/quantization/modelopt.py"
KITCHEN = "Comfy-Org/comfy-kitchen@0935c34bea1b:comfy_kitchen/backends/eager/quantization.py"
COMFY = "Comfy-Org/ComfyUI@"
LLAMA_CPP = "ggml-org/llama.cpp@150f157acf0f:gguf-py/gguf/quants.py"
TRANSFORMERS = "huggingface/transformers@"
MLX = "ml-explore/mlx@846d176227a0:mlx/ops.cpp"

RIGHT = {}


def right(name, layout, *sources, notes=()):
    """A row of RIGHT: the layout of its quantized weights (by parts of names, if there are several), "" for none; codes
    of notes that a linter may give."""
    def keep(make):
        RIGHT[name] = (make, layout, sources, notes)
        return make
    return keep


# ---- the model ----

def noise(seed, count):
    """Numbers that look normal, with standard deviation 1: the same on every machine and in every numpy."""
    n = np.arange(1, count + 1, dtype="u8") * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed * 0x1234567 & (2**64 - 1))
    n = (n ^ (n >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    n = (n ^ (n >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    n = n ^ (n >> np.uint64(31))
    parts = sum(((n >> np.uint64(16 * k)) & np.uint64(0xFFFF)).astype("f8") for k in range(4))
    return (parts - 2 * 65535) / 37837.0


def matrix(seed, *shape):
    """Weights in bf16. Rows differ in size, as those of trained models do; one number per row stands out."""
    values = noise(seed, int(np.prod(shape))).reshape(shape) * 0.02
    if len(shape) > 1:
        rows = np.ldexp(1.0, np.arange(shape[-2]) * 7 % 5 - 2)
        values = values * rows[:, None]
        values[..., seed % shape[-1]] *= 3
    return bf16(values)


class Model:
    """Names and weights, llama's or a mixture of experts."""

    def __init__(self, hidden=32, inner=64, kv=16, vocab=40, layers=1, experts=0, tied=False):
        self.hidden, self.inner, self.kv, self.vocab = hidden, inner, kv, vocab
        self.layers, self.experts, self.tied = layers, experts, tied
        self.weights, self.linears = {}, []
        seed = iter(range(1, 10000))

        def linear(name, outer, inner_):
            self.weights[name + ".weight"] = matrix(next(seed), outer, inner_)
            self.linears.append(name)

        self.weights["model.embed_tokens.weight"] = matrix(next(seed), vocab, hidden)
        for n in range(layers):
            at = f"model.layers.{n}."
            self.weights[at + "input_layernorm.weight"] = bf16(1 + matrix(next(seed), hidden))
            for name, outer in (("q", hidden), ("k", kv), ("v", kv)):
                linear(f"{at}self_attn.{name}_proj", outer, hidden)
            linear(at + "self_attn.o_proj", hidden, hidden)
            self.weights[at + "post_attention_layernorm.weight"] = bf16(1 + matrix(next(seed), hidden))
            if experts:
                self.weights[at + "mlp.gate.weight"] = matrix(next(seed), experts, hidden)
            for expert in range(max(experts, 1)):
                mlp = f"{at}mlp.experts.{expert}." if experts else at + "mlp."
                linear(mlp + "gate_proj", inner, hidden)
                linear(mlp + "up_proj", inner, hidden)
                linear(mlp + "down_proj", hidden, inner)
        self.weights["model.norm.weight"] = bf16(1 + matrix(next(seed), hidden))
        if not tied:
            self.weights["lm_head.weight"] = matrix(next(seed), vocab, hidden)
        self.routers = [name[:-7] for name in self.weights if name.endswith("mlp.gate.weight")]

    def config(self, quantization=None, **more):
        kind = "mixtral" if self.experts else "llama"
        config = {"architectures": ["MixtralForCausalLM" if self.experts else "LlamaForCausalLM"],
                  "hidden_act": "silu", "hidden_size": self.hidden, "intermediate_size": self.inner,
                  "max_position_embeddings": 64, "model_type": kind, "num_attention_heads": self.hidden // 8,
                  "num_hidden_layers": self.layers, "num_key_value_heads": self.kv // 8, "rms_norm_eps": 1e-05,
                  "tie_word_embeddings": self.tied, "torch_dtype": "bfloat16", "vocab_size": self.vocab}
        if self.experts:
            config.update(num_local_experts=self.experts, num_experts_per_tok=1)
        config.update(more)
        if quantization is not None:
            config["quantization_config"] = copy.deepcopy(quantization)  # damage changes it in place
        return config

    def family(self, name):
        """The linears that a server makes one matrix of: q, k, v; gate and up."""
        for members in (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")):
            stem, last = name.rsplit(".", 1)
            if last in members:
                return [f"{stem}.{member}" for member in members]
        return [name]

    def amax(self, name):
        """The largest magnitude of all linears of the family."""
        return max(float(np.abs(self.weights[member + ".weight"]).max()) for member in self.family(name))


def plain(checkpoint, name, weight, dtype="BF16", stored=None):
    """A tensor that is not quantized."""
    data = {"BF16": to_bf16, "F32": f32, "F16": lambda x: x.astype("f2")}[dtype](weight)
    checkpoint.add(stored or name, dtype, weight.shape, data)
    checkpoint.decoded[name] = from_bf16(data) if dtype == "BF16" else data.astype("f4")
    checkpoint.plain.add(name)


def scalar(checkpoint, name, value, shape=()):
    checkpoint.add(name, "F32", shape, np.full(shape, value, "f4"))


def assemble(model, put, config=None, quantized=None):
    """All weights in the model's order: `put` for those that are quantized, bf16 for the others."""
    checkpoint = Checkpoint()
    quantized = model.linears if quantized is None else quantized
    for name, weight in model.weights.items():
        stem = name[:-7]
        if stem in quantized:
            put(checkpoint, stem, weight.astype("f8"))
        else:
            plain(checkpoint, name, weight)
    checkpoint.config = config
    return checkpoint


def put_fp8(checkpoint, stem, weight, scale, rows, columns, element=E4M3):
    """Codes and decoded weights for scales (fp64, a matrix of tiles). The scales are not stored here."""
    each = spread(scale, rows, columns, weight.shape)
    codes = element.encode(weight, each)
    checkpoint.add(stem + ".weight", "F8_E4M3" if element is E4M3 else "F8_E5M2", weight.shape, codes)
    checkpoint.decoded[stem + ".weight"] = f32(element.decode(codes) * each)


# ---- compressed-tensors ----

def ct_args(num_bits, type_, strategy, dynamic=False, **more):
    args = {"actorder": None, "block_structure": None, "dynamic": dynamic, "group_size": None, "num_bits": num_bits,
            "observer": None if dynamic is True else "memoryless_minmax", "observer_kwargs": {}, "scale_dtype": None,
            "strategy": strategy, "symmetric": True, "type": type_, "zp_dtype": None}
    args.update(more)
    return args


def ct_group(format_, weights, inputs=None, targets=("Linear",)):
    return {"format": format_, "input_activations": inputs, "output_activations": None, "targets": list(targets),
            "weights": weights}


def ct_config(groups_, ignore, format_):
    return {"config_groups": groups_, "format": format_, "global_compression_ratio": None, "ignore": list(ignore),
            "kv_cache_scheme": None, "quant_method": "compressed-tensors", "quantization_status": "compressed",
            "sparsity_config": {}, "transform_config": {}, "version": "0.14.0"}


def ct_ignore(model):
    return model.routers + ([] if model.tied else ["lm_head"])


FP8_TENSOR = ct_args(8, "float", "tensor")
FP8_CHANNEL = ct_args(8, "float", "channel")
FP8_TOKEN = ct_args(8, "float", "token", True)


def put_ct_tensor(static):
    def put(checkpoint, stem, weight):
        scale = float(bf16(groups(weight, *weight.shape) / 448)[0, 0])
        put_fp8(checkpoint, stem, weight, np.full((1, 1), scale), *weight.shape)
        checkpoint.add(stem + ".weight_scale", "BF16", [1], to_bf16(np.full(1, scale)))
        if static:
            checkpoint.add(stem + ".input_scale", "BF16", [1], to_bf16(np.full(1, 0.0147)))
    return put


def put_ct_channel(dtype):
    def put(checkpoint, stem, weight):
        scale = groups(weight, 1, weight.shape[1]) / 448
        scale = (bf16(scale) if dtype == "BF16" else f32(scale)).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 1, weight.shape[1])
        checkpoint.add(stem + ".weight_scale", dtype, scale.shape, to_bf16(scale) if dtype == "BF16" else f32(scale))
    return put


@right("ct-fp8-tensor-static", "compressed-tensors/fp8-tensor", CT + "compressors/naive_quantized/base.py")
def ct_fp8_tensor_static():
    model = Model()
    groups_ = {"group_0": ct_group("float-quantized", FP8_TENSOR,
                                   ct_args(8, "float", "tensor", observer="static_minmax"))}
    return assemble(model, put_ct_tensor(True),
                    model.config(ct_config(groups_, ct_ignore(model), "float-quantized")))


@right("ct-fp8-channel", "compressed-tensors/fp8-row", CT + "quantization/quant_scheme.py",
       "NVIDIA/TensorRT-LLM#15415")
def ct_fp8_channel():
    """In shards; the group has the name of its preset."""
    model = Model(layers=2)
    groups_ = {"FP8_DYNAMIC": ct_group("float-quantized", FP8_CHANNEL, FP8_TOKEN)}
    checkpoint = assemble(model, put_ct_channel("BF16"),
                          model.config(ct_config(groups_, ct_ignore(model), "float-quantized")))
    checkpoint.shards = 3
    return checkpoint


@right("ct-fp8-weight-only", "compressed-tensors/fp8-row", CT + "compressors/naive_quantized/base.py")
def ct_fp8_weight_only():
    model = Model()
    return assemble(model, put_ct_channel("F32"), model.config(ct_config(
        {"group_0": ct_group("naive-quantized", FP8_CHANNEL)}, ct_ignore(model), "naive-quantized")))


@right("ct-fp8-preset", "compressed-tensors/fp8-row", CT + "quantization/quant_config.py")
def ct_fp8_preset():
    """A group may be a preset's name and its targets."""
    model = Model()
    return assemble(model, put_ct_channel("BF16"), model.config(ct_config(
        {"FP8_DYNAMIC": ["Linear"]}, ct_ignore(model), "float-quantized")))


@right("ct-fp8-moe", "compressed-tensors/fp8-row", CT + "quantization/quant_config.py")
def ct_fp8_moe():
    model = Model(experts=2)
    return assemble(model, put_ct_channel("BF16"), model.config(ct_config(
        {"group_0": ct_group("float-quantized", FP8_CHANNEL, FP8_TOKEN)}, ct_ignore(model), "float-quantized")))


BLOCKY = {"hidden": 160, "inner": 136, "kv": 32}  # no multiples of 128, and more than one block


def put_block(suffix, dtype, power=False):
    def put(checkpoint, stem, weight):
        scale = groups(weight, 128, 128) / 448
        if power:
            scale = np.ldexp(1.0, power_of_two(groups(weight, 128, 128), E4M3, "rceil"))
        scale = (bf16(scale) if dtype == "BF16" else f32(scale)).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 128, 128)
        checkpoint.add(stem + suffix, dtype, scale.shape, to_bf16(scale) if dtype == "BF16" else f32(scale))
    return put


@right("ct-fp8-block", "compressed-tensors/fp8-block", CT + "quantization/quant_scheme.py")
def ct_fp8_block():
    model = Model(**BLOCKY)
    weights = ct_args(8, "float", "block", block_structure=[128, 128])
    inputs = ct_args(8, "float", "group", True, group_size=128)
    return assemble(model, put_block(".weight_scale", "BF16"), model.config(ct_config(
        {"group_0": ct_group("float-quantized", weights, inputs)}, ct_ignore(model), "float-quantized")))


NVFP4_ARGS = ct_args(4, "float", "tensor_group", group_size=16, scale_dtype="torch.float8_e4m3fn")
NVFP4_INPUTS = ct_args(4, "float", "tensor_group", "local", group_size=16, scale_dtype="torch.float8_e4m3fn",
                       observer="static_minmax")


def put_ct_nvfp4(model, inputs):
    def put(checkpoint, stem, weight):
        divisor = f32(448.0 * 6.0 / model.amax(stem))
        factor = float(f32(1.0 / float(divisor)))
        scales = nvfp4_scales(weight, factor)
        each = spread(E4M3.decode(scales), 1, 16, weight.shape) * factor
        codes = E2M1.encode(weight, each)
        checkpoint.add(stem + ".weight_packed", "U8", [weight.shape[0], weight.shape[1] // 2], pack_low_first(codes))
        checkpoint.add(stem + ".weight_scale", "F8_E4M3", scales.shape, scales)
        scalar(checkpoint, stem + ".weight_global_scale", divisor, (1,))
        if inputs:
            scalar(checkpoint, stem + ".input_global_scale", f32(448.0 * 6.0 / 9.25), (1,))
        checkpoint.decoded[stem + ".weight"] = f32(E2M1.decode(codes) * each)
    return put


@right("ct-nvfp4", "compressed-tensors/nvfp4", CT + "compressors/nvfp4/base.py", CT + "quantization/utils/helpers.py")
def ct_nvfp4():
    model = Model()
    return assemble(model, put_ct_nvfp4(model, True), model.config(ct_config(
        {"group_0": ct_group("nvfp4-pack-quantized", NVFP4_ARGS, NVFP4_INPUTS)}, ct_ignore(model),
        "nvfp4-pack-quantized")))


@right("ct-nvfp4a16", "compressed-tensors/nvfp4", CT + "compressors/nvfp4/base.py")
def ct_nvfp4a16():
    model = Model(tied=True)
    return assemble(model, put_ct_nvfp4(model, False), model.config(ct_config(
        {"group_0": ct_group("nvfp4-pack-quantized", NVFP4_ARGS)}, ["lm_head"], "nvfp4-pack-quantized")))


@right("ct-nvfp4-moe", "compressed-tensors/nvfp4", CT + "compressors/nvfp4/base.py")
def ct_nvfp4_moe():
    model = Model(experts=2)
    return assemble(model, put_ct_nvfp4(model, True), model.config(ct_config(
        {"group_0": ct_group("nvfp4-pack-quantized", NVFP4_ARGS, NVFP4_INPUTS)}, ct_ignore(model),
        "nvfp4-pack-quantized")))


def put_mx(codes_name, scales_name, element, rule, scale_dtype="U8"):
    """Blocks of 32 with exponent bytes."""
    def put(checkpoint, stem, weight):
        scales = (power_of_two(groups(weight, 1, 32), element, rule) + 127).astype("u1")
        each = spread(e8m0(scales), 1, 32, weight.shape)
        codes = element.encode(weight, each)
        if element is E2M1:
            checkpoint.add(stem + codes_name, "U8", [weight.shape[0], weight.shape[1] // 2], pack_low_first(codes))
        else:
            checkpoint.add(stem + codes_name, "F8_E4M3", weight.shape, codes)
        checkpoint.add(stem + scales_name, scale_dtype, scales.shape, scales)
        checkpoint.decoded[stem + ".weight"] = f32(element.decode(codes) * each)
    return put


@right("ct-mxfp4", "compressed-tensors/mxfp4", CT + "compressors/mxfp4/base.py",
       CT + "quantization/utils/mxfp_utils.py")
def ct_mxfp4():
    model = Model()
    weights = ct_args(4, "float", "group", group_size=32, scale_dtype="torch.uint8")
    inputs = ct_args(4, "float", "group", True, group_size=32, scale_dtype="torch.uint8")
    return assemble(model, put_mx(".weight_packed", ".weight_scale", E2M1, "ct"), model.config(ct_config(
        {"group_0": ct_group("mxfp4-pack-quantized", weights, inputs)}, ct_ignore(model), "mxfp4-pack-quantized")))


@right("ct-mxfp8", "compressed-tensors/mxfp8", CT + "compressors/mxfp8/base.py")
def ct_mxfp8():
    model = Model()
    weights = ct_args(8, "float", "group", group_size=32, scale_dtype="torch.uint8")
    inputs = ct_args(8, "float", "group", True, group_size=32, scale_dtype="torch.uint8")
    return assemble(model, put_mx(".weight", ".weight_scale", E4M3, "ct"), model.config(ct_config(
        {"group_0": ct_group("mxfp8-quantized", weights, inputs)}, ct_ignore(model), "mxfp8-quantized")))


@right("ct-mixed", {".mlp.": "compressed-tensors/nvfp4", "": "compressed-tensors/fp8-row"}, "charlie12345/ROCmFPX#79",
       notes=("layout-mixed",))
def ct_mixed():
    """FP8 by channels for attention, NVFP4 for the MLP."""
    model = Model()
    nvfp4, fp8 = put_ct_nvfp4(model, False), put_ct_channel("BF16")

    def put(checkpoint, stem, weight):
        (nvfp4 if ".mlp." in stem else fp8)(checkpoint, stem, weight)
    groups_ = {"group_0": ct_group("float-quantized", FP8_CHANNEL, FP8_TOKEN, ["re:.*self_attn.*_proj$"]),
               "group_1": ct_group("nvfp4-pack-quantized", NVFP4_ARGS, None, ["re:.*mlp\\.(gate|up|down)_proj$"])}
    return assemble(model, put, model.config(ct_config(groups_, ct_ignore(model), "mixed-precision")))


@right("ct-mixed-static", {".mlp.": "compressed-tensors/nvfp4", "": "compressed-tensors/fp8-tensor"},
       CT + "quantization/quant_config.py", notes=("layout-mixed",))
def ct_mixed_static():
    """FP8 by tensors for attention, NVFP4 for the MLP, both with static input scales."""
    model = Model()
    nvfp4, fp8 = put_ct_nvfp4(model, True), put_ct_tensor(True)

    def put(checkpoint, stem, weight):
        (nvfp4 if ".mlp." in stem else fp8)(checkpoint, stem, weight)
    groups_ = {"group_0": ct_group("float-quantized", FP8_TENSOR,
                                   ct_args(8, "float", "tensor", observer="static_minmax"), ["re:.*self_attn.*_proj$"]),
               "group_1": ct_group("nvfp4-pack-quantized", NVFP4_ARGS, NVFP4_INPUTS,
                                   ["re:.*mlp\\.(gate|up|down)_proj$"])}
    return assemble(model, put, model.config(ct_config(groups_, ct_ignore(model), "mixed-precision")))


def put_int8(checkpoint, stem, weight):
    scale = bf16(groups(weight, 1, weight.shape[1]) / 127.5)
    each = spread(scale.astype("f8"), 1, weight.shape[1], weight.shape)
    codes = int8(weight, each)
    checkpoint.add(stem + ".weight", "I8", weight.shape, codes)
    checkpoint.add(stem + ".weight_scale", "BF16", scale.shape, to_bf16(scale))
    checkpoint.decoded[stem + ".weight"] = f32(codes * each)


@right("ct-int8", "compressed-tensors/int8-row", CT + "compressors/naive_quantized/base.py")
def ct_int8():
    model = Model()
    groups_ = {"group_0": ct_group("int-quantized", ct_args(8, "int", "channel"), ct_args(8, "int", "token", True))}
    return assemble(model, put_int8, model.config(ct_config(groups_, ct_ignore(model), "int-quantized")))


# ---- fp8 of vLLM, SGLang and transformers; DeepSeek ----

def put_fp8_tensor(static):
    def put(checkpoint, stem, weight):
        scale = float(f32(groups(weight, *weight.shape) / 448)[0, 0])
        put_fp8(checkpoint, stem, weight, np.full((1, 1), scale), *weight.shape)
        scalar(checkpoint, stem + ".weight_scale", scale)
        if static:
            scalar(checkpoint, stem + ".input_scale", f32(9.25 / 448))
    return put


@right("fp8-tensor-dynamic", "fp8/tensor", VLLM_FP8)
def fp8_tensor_dynamic():
    model = Model()
    return assemble(model, put_fp8_tensor(False), model.config(
        {"activation_scheme": "dynamic", "ignored_layers": ["lm_head"], "quant_method": "fp8"}))


@right("fp8-tensor-static", "fp8/tensor", VLLM_FP8)
def fp8_tensor_static():
    model = Model()
    return assemble(model, put_fp8_tensor(True), model.config(
        {"activation_scheme": "static", "ignored_layers": ["lm_head"], "quant_method": "fp8"}))


BLOCK_CONFIG = {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [128, 128]}


def as_deepseek(model):
    return {"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "n_routed_experts": model.experts,
            "moe_intermediate_size": model.inner, "num_nextn_predict_layers": 0}


@right("fp8-block-deepseek-v3", "fp8/block", DEEPSEEK + "README_WEIGHTS.md", DEEPSEEK + "inference/kernel.py", VLLM_FP8)
def fp8_block_deepseek_v3():
    """In shards; the configuration has no list of what stays bf16, as the published one."""
    model = Model(**BLOCKY, experts=2)
    checkpoint = assemble(model, put_block(".weight_scale_inv", "F32"),
                          model.config(dict(BLOCK_CONFIG), **as_deepseek(model)))
    checkpoint.metadata, checkpoint.shards = {}, 2
    return checkpoint


@right("fp8-block-ue8m0", "fp8/block", DEEPSEEK + "inference/configs/config_v3.1.json",
       DEEPSEEK + "inference/kernel.py")
def fp8_block_ue8m0():
    """V3.1: fp32 scales that are powers of two."""
    model = Model(**BLOCKY)
    return assemble(model, put_block(".weight_scale_inv", "F32", True),
                    model.config(dict(BLOCK_CONFIG, scale_fmt="ue8m0"), **as_deepseek(model)))


@right("fp8-block-qwen3", "fp8/block", TRANSFORMERS + "0095b9765393:src/transformers/integrations/finegrained_fp8.py")
def fp8_block_qwen3():
    model = Model(**BLOCKY)
    stay = ["lm_head", "model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm"]
    return assemble(model, put_block(".weight_scale_inv", "BF16"),
                    model.config(dict(BLOCK_CONFIG, modules_to_not_convert=stay), model_type="qwen3",
                                 architectures=["Qwen3ForCausalLM"]))


@right("deepseek-v4", {".experts.": "deepseek/mxfp4", "": "deepseek/fp8-block"}, "vllm-project/vllm#51946",
       "vllm-project/vllm docs: vllm.models.deepseek_v4.quant_config", notes=("layout-mixed",))
def deepseek_v4():
    """Second-hand: from what servers say that they load."""
    shape = {"hidden": 160, "inner": 160}
    checkpoint = Checkpoint()
    experts = put_mx(".weight", ".scale", E2M1, "rceil", "F8_E8M0")

    def dense(stem, weight):
        tile = groups(weight, 128, 128)
        scales = (power_of_two(tile, E4M3, "rceil") + 127).astype("u1")
        put_fp8(checkpoint, stem, weight, e8m0(scales), 128, 128)
        checkpoint.add(stem + ".scale", "F8_E8M0", scales.shape, scales)

    plain(checkpoint, "embed.weight", matrix(1, 40, shape["hidden"]))
    plain(checkpoint, "layers.0.attn_norm.weight", bf16(1 + matrix(2, shape["hidden"])))
    for seed, (name, outer) in enumerate((("wq_a", 144), ("wkv", 64), ("wo_b", 160))):
        dense(f"layers.0.attn.{name}", matrix(10 + seed, outer, shape["hidden"]).astype("f8"))
    plain(checkpoint, "layers.0.ffn_norm.weight", bf16(1 + matrix(3, shape["hidden"])))
    plain(checkpoint, "layers.0.ffn.gate.weight", matrix(4, 2, shape["hidden"]))
    for expert in range(2):
        for seed, name in enumerate(("w1", "w2", "w3")):
            experts(checkpoint, f"layers.0.ffn.experts.{expert}.{name}",
                    matrix(20 + 3 * expert + seed, 160, 160).astype("f8"))
            stored = checkpoint.tensors[f"layers.0.ffn.experts.{expert}.{name}.weight"]
            stored.dtype = "I8"
    for seed, name in enumerate(("w1", "w2", "w3")):
        dense(f"layers.0.ffn.shared_experts.{name}", matrix(40 + seed, 160, 160).astype("f8"))
    plain(checkpoint, "norm.weight", bf16(1 + matrix(5, shape["hidden"])))
    plain(checkpoint, "head.weight", matrix(6, 40, shape["hidden"]))
    checkpoint.metadata = {}
    checkpoint.config = {"architectures": ["DeepseekV4ForCausalLM"], "expert_dtype": "fp4", "hidden_size": 160,
                         "model_type": "deepseek_v4", "moe_intermediate_size": 160, "n_routed_experts": 2,
                         "n_shared_experts": 1, "num_hidden_layers": 1, "tie_word_embeddings": False,
                         "torch_dtype": "bfloat16", "vocab_size": 40,
                         "quantization_config": dict(BLOCK_CONFIG, scale_fmt="ue8m0")}
    return checkpoint


# ---- gpt-oss ----

@right("gpt-oss", "gpt-oss/mxfp4", TRANSFORMERS + "0189b1d09a03:src/transformers/integrations/mxfp4.py")
def gpt_oss():
    """Experts as blocks of 32 codes and exponent bytes; gate and up are alternate rows."""
    experts, hidden, inner = 2, 64, 32
    checkpoint = Checkpoint()

    def packed(name, *shape):
        weight = matrix(len(name) + shape[1], *shape).astype("f8").reshape(-1, shape[-1])
        scales = (power_of_two(groups(weight, 1, 32), E2M1, "floor") + 127).astype("u1")
        each = spread(e8m0(scales), 1, 32, weight.shape)
        codes = E2M1.encode(weight, each)
        blocks = shape[-1] // 32
        checkpoint.add(name + "_blocks", "U8", [shape[0], shape[1], blocks, 16], pack_low_first(codes))
        checkpoint.add(name + "_scales", "U8", [shape[0], shape[1], blocks], scales)
        plain(checkpoint, name + "_bias", matrix(7 + shape[1], shape[0], shape[1]))
        checkpoint.decoded[name] = f32(E2M1.decode(codes) * each).reshape(shape)

    at = "model.layers.0."
    plain(checkpoint, "model.embed_tokens.weight", matrix(1, 40, hidden))
    plain(checkpoint, at + "input_layernorm.weight", bf16(1 + matrix(2, hidden)))
    for seed, (name, outer) in enumerate((("q", hidden), ("k", 16), ("v", 16), ("o", hidden))):
        plain(checkpoint, f"{at}self_attn.{name}_proj.weight", matrix(30 + seed, outer, hidden))
        plain(checkpoint, f"{at}self_attn.{name}_proj.bias", matrix(40 + seed, outer))
    plain(checkpoint, at + "self_attn.sinks", matrix(50, 8))
    plain(checkpoint, at + "post_attention_layernorm.weight", bf16(1 + matrix(3, hidden)))
    plain(checkpoint, at + "mlp.router.weight", matrix(4, experts, hidden))
    plain(checkpoint, at + "mlp.router.bias", matrix(5, experts))
    packed(at + "mlp.experts.gate_up_proj", experts, 2 * inner, hidden)
    packed(at + "mlp.experts.down_proj", experts, hidden, inner)
    plain(checkpoint, "model.norm.weight", bf16(1 + matrix(6, hidden)))
    plain(checkpoint, "lm_head.weight", matrix(8, 40, hidden))
    checkpoint.config = {"architectures": ["GptOssForCausalLM"], "hidden_size": hidden, "intermediate_size": inner,
                         "model_type": "gpt_oss", "num_attention_heads": 8, "num_hidden_layers": 1,
                         "num_key_value_heads": 2, "num_local_experts": experts, "tie_word_embeddings": False,
                         "vocab_size": 40,
                         "quantization_config": {"modules_to_not_convert": [
                             "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"],
                             "quant_method": "mxfp4"}}
    return checkpoint


# ---- ModelOpt, SGLang ----

def modelopt(algorithm, group_size=None, kv=None, **config_group):
    """hf_quant_config.json, and quantization_config of config.json."""
    quantization = {"quant_algo": algorithm, "kv_cache_quant_algo": kv}
    if group_size:
        quantization["group_size"] = group_size
    quantization["exclude_modules"] = ["lm_head"]
    producer = {"name": "modelopt", "version": "0.44.0"}
    config = {}
    if config_group:
        config["config_groups"] = {"group_0": dict(config_group, targets=["Linear"])}
    config.update(ignore=["lm_head"], quant_algo=algorithm)
    if kv:
        config["kv_cache_scheme"] = {"dynamic": False, "num_bits": 8, "type": "float"}
    config.update(producer=producer, quant_method="modelopt")
    return {"producer": producer, "quantization": quantization}, config


STATIC_8 = {"dynamic": False, "num_bits": 8, "type": "float"}


def put_modelopt_fp8(model):
    def put(checkpoint, stem, weight):
        scale = float(f32(model.amax(stem) / 448))
        put_fp8(checkpoint, stem, weight, np.full((1, 1), scale), *weight.shape)
        scalar(checkpoint, stem + ".weight_scale", scale)
        scalar(checkpoint, stem + ".input_scale", f32(9.25 / 448))
    return put


@right("modelopt-fp8", "modelopt/fp8-tensor", MODELOPT + "export/quant_utils.py",
       MODELOPT + "export/convert_hf_config.py")
def modelopt_fp8():
    model = Model()
    text, config = modelopt("FP8", input_activations=STATIC_8, weights=STATIC_8)
    checkpoint = assemble(model, put_modelopt_fp8(model), model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


@right("modelopt-fp8-channel", "modelopt/fp8-row", MODELOPT + "export/quant_utils.py", VLLM_MODELOPT)
def modelopt_fp8_channel():
    model = Model()
    text, config = modelopt("FP8_PER_CHANNEL_PER_TOKEN")

    def put(checkpoint, stem, weight):
        scale = f32(groups(weight, 1, weight.shape[1]) / 448).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 1, weight.shape[1])
        checkpoint.add(stem + ".weight_scale", "F32", [weight.shape[0]], f32(scale))
    checkpoint = assemble(model, put, model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


@right("modelopt-fp8-block", "modelopt/fp8-block", MODELOPT + "quantization/qtensor/fp8_tensor.py", VLLM_MODELOPT)
def modelopt_fp8_block():
    model = Model(hidden=256, inner=128, kv=128)
    text, config = modelopt("FP8_PB_WO")

    def put(checkpoint, stem, weight):
        scale = f32(groups(weight, 128, 128) / 448).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 128, 128)
        checkpoint.add(stem + ".weight_scale", "F32", [scale.shape[0], 1, scale.shape[1], 1], f32(scale))
    checkpoint = assemble(model, put, model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


def put_modelopt_nvfp4(model, kv):
    def put(checkpoint, stem, weight):
        second = f32(model.amax(stem) / (6.0 * 448.0))
        scales = nvfp4_scales(weight, second)
        each = spread(E4M3.decode(scales), 1, 16, weight.shape) * float(second)
        codes = E2M1.encode(weight, each)
        checkpoint.add(stem + ".weight", "U8", [weight.shape[0], weight.shape[1] // 2], pack_low_first(codes))
        checkpoint.add(stem + ".weight_scale", "F8_E4M3", scales.shape, scales)
        scalar(checkpoint, stem + ".weight_scale_2", second)
        scalar(checkpoint, stem + ".input_scale", f32(9.25 / (6.0 * 448.0)))
        if kv and stem.endswith("k_proj"):
            scalar(checkpoint, stem + ".k_scale", f32(0.0423))
        if kv and stem.endswith("v_proj"):
            scalar(checkpoint, stem + ".v_scale", f32(0.0117))
        checkpoint.decoded[stem + ".weight"] = f32(E2M1.decode(codes) * each)
    return put


FOUR = {"dynamic": False, "num_bits": 4, "type": "float", "group_size": 16}


@right("modelopt-nvfp4", "modelopt/nvfp4", MODELOPT + "quantization/qtensor/nvfp4_tensor.py",
       MODELOPT + "export/quant_utils.py")
def modelopt_nvfp4():
    """With scales of the KV cache."""
    model = Model()
    text, config = modelopt("NVFP4", 16, "FP8", input_activations=FOUR, weights=FOUR)
    checkpoint = assemble(model, put_modelopt_nvfp4(model, True), model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


@right("modelopt-nvfp4-config", "modelopt/nvfp4", MODELOPT + "export/convert_hf_config.py", VLLM_MODELOPT)
def modelopt_nvfp4_config():
    """Without hf_quant_config.json."""
    model = Model(experts=2)
    config = modelopt("NVFP4", 16, input_activations=FOUR, weights=FOUR)[1]
    config["ignore"] = ["lm_head"] + model.routers
    return assemble(model, put_modelopt_nvfp4(model, False), model.config(config))


@right("modelopt-mixed", {".mlp.": "modelopt/nvfp4", "": "modelopt/fp8-tensor"},
       "NVIDIA/Model-Optimizer@0030d2b307ba:modelopt/torch/export/convert_hf_config.py", VLLM_MODELOPT,
       notes=("layout-mixed",))
def modelopt_mixed():
    """FP8 for attention, NVFP4 for the MLP, both with static input scales."""
    model = Model()
    fp8, nvfp4 = put_modelopt_fp8(model), put_modelopt_nvfp4(model, False)

    def put(checkpoint, stem, weight):
        (nvfp4 if ".mlp." in stem else fp8)(checkpoint, stem, weight)
    layers = {name: {"quant_algo": "NVFP4", "group_size": 16} if ".mlp." in name else {"quant_algo": "FP8"}
              for name in model.linears}
    config = modelopt("MIXED_PRECISION")[1]
    config["config_groups"] = {
        "group_0": {"input_activations": STATIC_8, "weights": STATIC_8,
                    "targets": sorted(name for name in layers if ".mlp." not in name)},
        "group_1": {"input_activations": FOUR, "weights": FOUR,
                    "targets": sorted(name for name in layers if ".mlp." in name)}}
    config["quantized_layers"] = layers
    return assemble(model, put, model.config(config))


@right("modelopt-mxfp8", "modelopt/mxfp8", MODELOPT + "quantization/qtensor/mxfp8_tensor.py")
def modelopt_mxfp8():
    model = Model()
    text, config = modelopt("MXFP8", 32)
    checkpoint = assemble(model, put_mx(".weight", ".weight_scale", E4M3, "rceil"), model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


@right("sglang-mxfp8", "sglang/mxfp8", "sgl-project/sglang#33500")
def sglang_mxfp8():
    model = Model()
    return assemble(model, put_mx(".weight", ".weight_scale_inv", E4M3, "rceil"), model.config(
        {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "mxfp8", "weight_block_size": [1, 32],
         "modules_to_not_convert": ["lm_head"], "scale_fmt": "ue8m0"}))


# ---- ComfyUI ----

DIFFUSION = (("double_blocks.0.img_attn.qkv", 96, 32), ("double_blocks.0.img_attn.proj", 32, 32),
             ("double_blocks.0.img_mlp.0", 64, 32), ("single_blocks.0.linear1", 160, 32))


def diffusion(put):
    checkpoint = Checkpoint()
    checkpoint.file, checkpoint.metadata = "model.safetensors", {}
    plain(checkpoint, "img_in.weight", matrix(1, 32, 16))
    plain(checkpoint, "img_in.bias", matrix(2, 32))
    for seed, (stem, outer, inner) in enumerate(DIFFUSION):
        put(checkpoint, stem, matrix(10 + seed, outer, inner).astype("f8"))
        plain(checkpoint, stem + ".bias", matrix(20 + seed, outer))
    plain(checkpoint, "final_layer.linear.weight", matrix(3, 16, 32))
    return checkpoint


@right("comfy-fp8", "comfyui/fp8-tensor", COMFY + "311c01406130:QUANTIZATION.md",
       COMFY + "0271a469fe29:comfy/quant_ops.py")
def comfy_fp8():
    checkpoint = diffusion(put_fp8_tensor(True))
    layers = {stem: {"format": "float8_e4m3fn"} for stem, _, _ in DIFFUSION}
    checkpoint.metadata = {"_quantization_metadata": json.dumps({"format_version": "1.0", "layers": layers})}
    return checkpoint


@right("comfy-fp8-e5m2", "comfyui/fp8-e5m2-tensor", COMFY + "0271a469fe29:comfy/quant_ops.py")
def comfy_fp8_e5m2():
    def put(checkpoint, stem, weight):
        scale = float(f32(groups(weight, *weight.shape) / 57344)[0, 0])
        put_fp8(checkpoint, stem, weight, np.full((1, 1), scale), *weight.shape, E5M2)
        scalar(checkpoint, stem + ".weight_scale", scale)
        config = json.dumps({"format": "float8_e5m2"}).encode()
        checkpoint.add(stem + ".comfy_quant", "U8", [len(config)], config)
    return diffusion(put)


@right("comfy-fp8-old", "comfyui/scaled-fp8", COMFY + "a125cd84b054:comfy/model_detection.py",
       COMFY + "a125cd84b054:comfy/ops.py")
def comfy_fp8_old():
    def put(checkpoint, stem, weight):
        scale = float(f32(groups(weight, *weight.shape) / 448)[0, 0])
        put_fp8(checkpoint, stem, weight, np.full((1, 1), scale), *weight.shape)
        scalar(checkpoint, stem + ".scale_weight", scale)
    checkpoint = diffusion(put)
    checkpoint.add("scaled_fp8", "F8_E4M3", [0], b"")
    return checkpoint


@right("comfy-nvfp4", "comfyui/nvfp4", KITCHEN, COMFY + "0271a469fe29:comfy/quant_ops.py")
def comfy_nvfp4():
    """Codes with the even element in the high bits, scales in the order of cuBLAS."""
    def put(checkpoint, stem, weight):
        second = f32(float(np.abs(weight).max()) / (6.0 * 448.0))
        scales = nvfp4_scales(weight, second)
        each = spread(E4M3.decode(scales), 1, 16, weight.shape) * float(second)
        codes = E2M1.encode(weight, each)
        checkpoint.add(stem + ".weight", "U8", [weight.shape[0], weight.shape[1] // 2], pack_high_first(codes))
        stored = swizzle(scales)
        checkpoint.add(stem + ".weight_scale", "F8_E4M3", stored.shape, stored)
        scalar(checkpoint, stem + ".weight_scale_2", second)
        config = json.dumps({"format": "nvfp4"}).encode()
        checkpoint.add(stem + ".comfy_quant", "U8", [len(config)], config)
        checkpoint.decoded[stem + ".weight"] = f32(E2M1.decode(codes) * each)
    return diffusion(put)


# ---- GGUF ----

TYPES = {"F32": ("F32", 0, 1, 4), "F16": ("F16", 1, 1, 2), "BF16": ("BF16", 30, 1, 2), "Q4_0": ("Q4_0", 2, 32, 18),
         "Q8_0": ("Q8_0", 8, 32, 34), "MXFP4": ("MXFP4", 39, 32, 17), "NVFP4": ("NVFP4", 40, 64, 36)}


def halves(codes, length):
    """Codes of blocks, two to a byte: the first half of a block low, the second half high."""
    codes = codes.reshape(-1, 2, length // 2)
    return (codes[:, 0] | (codes[:, 1] << 4)).astype("u1")


def plus_zero(values):
    """ggml has a table of integers: the code of -0 gives 0."""
    return values + 0.0


def gguf_blocks(kind, weight):
    """The bytes of a matrix and its values (without the second scale of NVFP4)."""
    flat = weight.reshape(-1, 64 if kind == "NVFP4" else 32)
    if kind == "Q8_0":
        d = (groups(flat, 1, 32) / 127).astype("f4").astype("f2")
        each = np.repeat(d.astype("f8"), 32, axis=1)
        codes = int8(flat, np.where(each > 0, each, 1))
        data = np.concatenate([d.view("u1"), codes.view("u1")], axis=1)
        values = codes * each
    elif kind == "Q4_0":
        first = np.take_along_axis(flat, np.abs(flat).argmax(axis=1)[:, None], axis=1)
        d = (first / -8).astype("f4").astype("f2")
        each = np.repeat(d.astype("f8"), 32, axis=1)
        codes = np.clip(np.floor(flat / np.where(each == 0, 1, each) + 8.5), 0, 15).astype("u1")
        data = np.concatenate([d.view("u1"), halves(codes, 32)], axis=1)
        values = (codes.astype("f8") - 8) * each
    elif kind == "MXFP4":
        e = (power_of_two(groups(flat, 1, 32), E2M1, "floor") + 127).astype("u1")
        each = np.repeat(e8m0(e), 32, axis=1)
        codes = E2M1.encode(flat, each)
        data = np.concatenate([e, halves(codes, 32)], axis=1)
        values = plus_zero(E2M1.decode(codes)) * each
    else:
        second = float(f32(np.abs(weight).max() / (6.0 * 448.0)))
        d = nvfp4_scales(flat, second)
        each = np.repeat(E4M3.decode(d), 16, axis=1)
        codes = E2M1.encode(flat, each * second)
        data = np.concatenate([d, halves(codes, 16).reshape(-1, 32)], axis=1)
        return data, (plus_zero(E2M1.decode(codes)) * each * second).reshape(weight.shape), second
    return data, values.reshape(weight.shape), None


GGUF_NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
              "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
              "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}


def make_gguf(kind):
    model = Model(hidden=64, inner=128, kv=32)
    checkpoint = Checkpoint("gguf")
    checkpoint.file = f"model-{kind}.gguf"
    checkpoint.metadata = {"general.architecture": "llama", "general.name": "fixture", "general.file_type": 1,
                           "llama.block_count": 1, "llama.embedding_length": 64, "llama.feed_forward_length": 128,
                           "llama.attention.head_count": 8, "llama.attention.head_count_kv": 4,
                           "llama.attention.layer_norm_rms_epsilon": 1e-5}
    for name, weight in model.weights.items():
        stem = name[:-7]
        if stem.startswith("model.layers."):
            layer, rest = stem[13:].split(".", 1)
            stored = f"blk.{layer}.{GGUF_NAMES[rest]}"
        else:
            stored = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}[stem]
        second = None
        if weight.ndim == 1:
            put, data, values = "F32", weight, weight
        elif kind in ("F16", "BF16") or stem not in model.linears:
            put = kind if kind in ("F16", "BF16") else "F16"
            data = weight.astype("f2") if put == "F16" else to_bf16(weight)
            values = data.astype("f4") if put == "F16" else from_bf16(data)
        else:
            put = kind
            data, values, second = gguf_blocks(kind, weight.astype("f8"))
        checkpoint.add(stored + ".weight", TYPES[put], weight.shape, data)
        checkpoint.decoded[stored + ".weight"] = f32(values)
        if put in ("F32", "F16", "BF16"):
            checkpoint.plain.add(stored + ".weight")
        if second is not None:
            checkpoint.add(stored + ".scale", TYPES["F32"], [1], f32(np.full(1, second)))
            checkpoint.add(stored + ".input_scale", TYPES["F32"], [1], f32(np.full(1, 9.25 / 2688)))
    return checkpoint


for _kind in ("MXFP4", "NVFP4", "Q8_0", "Q4_0", "F16", "BF16"):
    right(f"gguf-{_kind.lower()}", f"gguf/{_kind.lower()}" if _kind not in ("F16", "BF16") else "", LLAMA_CPP)(
        lambda kind=_kind: make_gguf(kind))


# ---- MLX ----

@right("mlx", "mlx/affine", MLX)
def mlx():
    """Four bits, groups of 32, a scale and a bias for each."""
    model = Model()

    def put(checkpoint, stem, weight):
        blocks = weight.reshape(weight.shape[0], -1, 32)
        scale = bf16((blocks.max(axis=2) - blocks.min(axis=2)) / 15)
        bias = bf16(blocks.min(axis=2))
        s, b = (np.repeat(part.astype("f8"), 32, axis=1) for part in (scale, bias))
        codes = np.clip(np.rint((weight - b) / s), 0, 15).astype("u4")
        words = sum(codes[:, k::8] << np.uint32(4 * k) for k in range(8)).astype("u4")
        checkpoint.add(stem + ".weight", "U32", words.shape, words)
        checkpoint.add(stem + ".scales", "BF16", scale.shape, to_bf16(scale))
        checkpoint.add(stem + ".biases", "BF16", bias.shape, to_bf16(bias))
        checkpoint.decoded[stem + ".weight"] = f32(codes * s + b)
    checkpoint = assemble(model, put, model.config())
    checkpoint.metadata = {"format": "mlx"}
    checkpoint.config["quantization"] = {"group_size": 32, "bits": 4, "mode": "affine"}
    checkpoint.config["quantization_config"] = {"group_size": 32, "bits": 4, "mode": "affine"}
    return checkpoint


# ---- without quantization ----

def nothing(*_):
    raise AssertionError("nothing is quantized here")


@right("plain-bf16", "")
def plain_bf16():
    model = Model()
    return assemble(model, nothing, model.config(), [])


@right("plain-bf16-wide", "")
def plain_bf16_wide():
    """Matrices of several tiles of 128 x 128, which do not divide them."""
    model = Model(**BLOCKY)
    return assemble(model, nothing, model.config(), [])


@right("plain-bf16-sharded", "")
def plain_bf16_sharded():
    model = Model(layers=2, experts=2)
    checkpoint = assemble(model, nothing, model.config(), [])
    checkpoint.shards = 4
    return checkpoint


@right("plain-fp32-tied", "")
def plain_fp32_tied():
    model = Model(tied=True)
    checkpoint = Checkpoint()
    for name, weight in model.weights.items():
        plain(checkpoint, name, weight, "F32")
    checkpoint.config = dict(model.config(), torch_dtype="float32")
    return checkpoint


@right("plain-npy", "")
def plain_npy():
    checkpoint = Checkpoint("npy")
    checkpoint.file = "weight.npy"
    checkpoint.decoded, checkpoint.plain = {"weight": matrix(1, 24, 40)}, {"weight"}
    return checkpoint


@right("plain-fp4", "", "safetensors/safetensors#839")
def plain_fp4():
    """Dtypes of four and eight bits without scales. The shape of F4 counts elements, not bytes."""
    checkpoint = Checkpoint()
    checkpoint.file = "model.safetensors"
    codes = (np.abs(noise(3, 12 * 16)) * 5).astype("u1").reshape(12, 16) & 15
    checkpoint.add("codes", "F4", codes.shape, pack_low_first(codes))
    checkpoint.decoded["codes"] = f32(E2M1.decode(codes))
    exponents = (120 + np.abs(noise(4, 12)) * 3).astype("u1")
    checkpoint.add("exponents", "F8_E8M0", exponents.shape, exponents)
    checkpoint.decoded["exponents"] = f32(e8m0(exponents))
    small = E4M3.encode(matrix(5, 8, 8).astype("f8"), np.full((8, 8), 2.0 ** -6))
    checkpoint.add("small", "F8_E4M3", small.shape, small)
    checkpoint.decoded["small"] = f32(E4M3.decode(small))
    checkpoint.plain.update(checkpoint.decoded)
    return checkpoint
