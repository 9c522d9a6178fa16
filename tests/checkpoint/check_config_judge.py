"""Checks config_judge.py itself: it takes the right checkpoints of a folder, and refuses configurations that the loader
refuses.  check_config_judge.py FOLDER (of make-checkpoint-fixtures.py)"""
import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import config_judge  # noqa: E402
from checks import check, conclude  # noqa: E402
import rare_layouts  # noqa: E402,F401
from layouts import RIGHT  # noqa: E402

# What is changed in the arguments of the weights ("weights"), of the inputs, in the group or in the configuration.
REFUSED = [
    ("ct-fp8-channel", "weights", {"made_by": "a script"}), ("ct-fp8-channel", "weights", {"strategy": "row"}),
    ("ct-fp8-channel", "weights", {"strategy": "token"}), ("ct-fp8-channel", "weights", {"group_size": 128}),
    ("ct-fp8-channel", "weights", {"num_bits": "eight"}), ("ct-fp8-channel", "weights", {"num_bits": 6}),
    ("ct-fp8-channel", "weights", {"dynamic": None}), ("ct-fp8-channel", "weights", {"dynamic": True}),
    ("ct-fp8-channel", "weights", {"observer_kwargs": None}), ("ct-fp8-channel", "weights", {"type": "fp8"}),
    ("ct-fp8-channel", "weights", {"scale_dtype": "BF16"}), ("ct-fp8-channel", "weights", {"actorder": "group"}),
    ("ct-fp8-channel", "weights", {"block_structure": [128, 128]}),
    ("ct-fp8-block", "weights", {"block_structure": None}), ("ct-fp8-block", "weights", {"block_structure": [128]}),
    ("ct-fp8-block", "weights", {"block_structure": [128, 0]}), ("ct-nvfp4", "weights", {"group_size": None}),
    ("ct-nvfp4", "weights", {"group_size": -2}), ("ct-mxfp4", "weights", {"group_size": 0}),
    ("ct-nvfp4", "inputs", {"strategy": "group"}), ("ct-fp8-channel", "inputs", {"strategy": "channel"}),
    ("ct-fp8-channel", "inputs", {"actorder": "weight"}), ("ct-fp8-channel", "group", {"scale_rule": "even"}),
    ("ct-fp8-channel", "group", {"targets": None}), ("ct-fp8-channel", "group", {"targets": "Linear"}),
    ("ct-fp8-channel", "group", {"format": "mixed-precision"}), ("ct-fp8-channel", "group", {"format": "fp8"}),
    ("ct-fp8-channel", "config", {"config_groups": None}), ("ct-fp8-channel", "config", {"ignore": "lm_head"}),
    ("ct-fp8-channel", "config", {"config_groups": {"FP9": ["Linear"]}}),
    ("ct-fp8-channel", "config", {"quantization_status": "done"}), ("ct-fp8-channel", "config", {"format": None}),
    ("ct-fp8-channel", "config", {"kv_cache_scheme": {"num_bits": 8, "made_by": ""}}),
    ("fp8-tensor-dynamic", "config", {"activation_scheme": "token"}),
    ("fp8-block-qwen3", "config", {"activation_scheme": "static"}),
    ("fp8-block-qwen3", "config", {"weight_block_size": [128]}),
    ("modelopt-nvfp4-config", "config", {"quant_algo": None}),
    ("modelopt-nvfp4-config", "config", {"quant_algo": "FP4"}),
    ("modelopt-mixed", "config", {"quantized_layers": {}}),
    ("modelopt-mixed", "config", {"quantized_layers": {"model.layers.0.mlp.up_proj": {"quant_algo": "FP8_PB_WO"}}}),
    ("modelopt-nvfp4-config", "config", {"ignore": "lm_head"}),
]

# What the loader takes, though a reader of its documentation may not think so.
TAKEN = [
    ("ct-fp8-channel", "config", {"made_by": "a script"}), ("ct-fp8-channel", "config", {"version": "0.9.9.9"}),
    ("ct-fp8-channel", "config", {"config_groups": {"fp8_dynamic": ["Linear"]}}),
    ("ct-fp8-channel", "config", {"ignore": None}), ("ct-fp8-block", "weights", {"block_structure": "128x128"}),
    ("ct-fp8-channel", "weights", {"strategy": "CHANNEL"}), ("ct-fp8-channel", "weights", {"num_bits": "8"}),
    ("ct-nvfp4", "weights", {"scale_dtype": "float8_e4m3fn"}),
]

# Damage that this judge is not for: no quantization_config, a method that it does not know.
UNJUDGED = ("config-absent", "scale-missing-gpt-oss")

# Algorithms that ModelOpt writes and vLLM does not load.
UNKNOWN = ("modelopt-int8", "modelopt-mxfp4")

JUDGES = {"compressed-tensors": config_judge.judge_compressed_tensors, "fp8": config_judge.judge_fp8,
          "modelopt": config_judge.judge_modelopt}


def changed(name, place, change):
    config = copy.deepcopy(RIGHT[name][0]().config["quantization_config"])
    part = config
    if place != "config":
        part = next(iter(config["config_groups"].values()))
    if place in ("weights", "inputs"):
        part = part["weights" if place == "weights" else "input_activations"]
    part.update(change)
    problems = []
    JUDGES[config["quant_method"]](config, problems)
    return problems


def main():
    folder = os.path.join(sys.argv[1], "right")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            problems = config_judge.judge_folder(path)
            if name in UNKNOWN:
                named = problems and all(problem.startswith("quant_algo is") for problem in problems)
                check(named, f"{name}: {problems}")
            else:
                check(not problems, f"{name} is right: {problems}")
    folder = os.path.join(sys.argv[1], "damaged")
    for name in sorted(os.listdir(folder)):
        judged = name.startswith(("config-", "scale-", "shape-", "width-", "renamed-")) and name not in UNJUDGED
        if judged and not name.endswith(".json"):
            check(config_judge.judge_folder(os.path.join(folder, name)), f"{name} is damaged")
    for row in REFUSED:
        check(changed(*row), f"{row} is refused")
    for row in TAKEN:
        problems = changed(*row)
        check(not problems, f"{row} is taken: {problems}")
    conclude()


main()
