#!/usr/bin/env python3
"""Times of libbinade.torch: quantize compared with a copy, with torch's own cast and with QPyTorch where Python finds
it (the package qtorch, or its extension quant_cpu alone), and steps of a wrapped GPT compared with plain PyTorch, with
the memory that they add. Processor time, the least of several, on one thread. "quantize": the first part alone.

PYTHONPATH=tools/python BINADE_LIBRARY=build/.libs BINADE_THREADS=1 python3 tests/python/bench_torch.py
"""
import json
import subprocess
import sys
import time

import torch

import libbinade as bd
import libbinade.torch as bt
import torch_models as models

RECIPES = ("plain", "fp32", "bf16-amp", "fp8-current", "mxfp8", "nvfp4")


def least(f, times=5):
    """Milliseconds of processor time."""
    found = []
    for _ in range(times):
        start = time.process_time()
        f()
        found.append(time.process_time() - start)
    return 1e3 * min(found)


def peak():
    """The most memory so far, in MiB, where the system says it."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) / 1024


def one(recipe):
    """A step of a GPT (4 blocks of width 256, 8 rows of 128) under a recipe; "plain": without libbinade."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = models.GPT(vocabulary=256, width=256, context=128, depth=4)
    batch = (torch.randint(256, (8, 128)),), torch.randint(256, (8,))
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")  # the peak starts again
    before = peak()
    if recipe != "plain":
        bt.wrap(model, recipe)
    optimizer = torch.optim.AdamW(model.parameters()) if recipe == "plain" else bt.optim.AdamW(model)
    print(json.dumps([least(lambda: models.train(model, optimizer, [batch]), 3), peak() - before]))


def qpytorch():
    """QPyTorch's rounding to 4 exponent and 3 fraction bits, by the name of its rounding; {}: it is not here."""
    try:
        from qtorch.quant import float_quantize
    except ImportError:
        try:
            import quant_cpu
        except ImportError:
            print("QPyTorch is not here: put the package qtorch, or its extension quant_cpu, into PYTHONPATH")
            return {}
        return {"nearest": lambda x: quant_cpu.float_quantize_nearest(x, 3, 4),
                "stochastic": lambda x: quant_cpu.float_quantize_stochastic(x, 3, 4)}
    return {how: lambda x, how=how: float_quantize(x, 4, 3, rounding=how) for how in ("nearest", "stochastic")}


def arrays():
    """16 Mi numbers: a line per way, and how many times as fast as QPyTorch's stochastic rounding it is."""
    x = torch.randn(1 << 24)
    out, codes = torch.empty_like(x), torch.empty(x.shape, dtype=torch.uint8)
    ways = {"copy": lambda: out.copy_(x), "torch to bfloat16": lambda: x.to(torch.bfloat16),
            "quantize e4m3": lambda: bt.quantize(x, "e4m3"), "round to out": lambda: bd.round(x, "e4m3", out=out),
            "quantize in place": lambda: bt.quantize(out, "e4m3", inplace=True),
            "quantize tiles of 1x128": lambda: bt.quantize(x.view(-1, 4096), "e4m3/tile:1x128"),
            "encode to codes": lambda: bd.encode(x, "e4m3", threads=1, out=codes)}
    for how in ("sr", "sr:16", "sr:8"):
        ways[f"round to out, {how}"] = lambda how=how: bd.round(x, "e4m3", how, seed=1, threads=1, out=out)
        ways[f"encode to codes, {how}"] = lambda how=how: bd.encode(x, "e4m3", how, seed=1, threads=1, out=codes)
    peers = {f"QPyTorch {how}": lambda f=f: f(x) for how, f in qpytorch().items()}
    times = {name: least(f, 2) for name, f in peers.items()}
    times.update((name, least(f)) for name, f in ways.items())
    slow = times.get("QPyTorch stochastic")
    for name, ms in times.items():
        print(f"{name:24} {ms:7.1f} ms" + (f" {slow / ms:7.1f} times QPyTorch stochastic" if slow else ""))


def main():
    torch.set_num_threads(1)
    arrays()
    if sys.argv[1:] == ["quantize"]:
        return
    first = None
    for recipe in RECIPES:
        made = subprocess.run([sys.executable, __file__, recipe], capture_output=True, text=True, check=True)
        ms, mib = json.loads(made.stdout)
        first = first or (ms, mib)
        print(f"{recipe:12} {ms:7.0f} ms per step, {ms / first[0]:.2f} times plain; {mib:5.0f} MiB, "
              f"{mib / first[1]:.2f} times plain")


if __name__ == "__main__":
    one(sys.argv[1]) if sys.argv[1:2] and sys.argv[1] in RECIPES else main()
