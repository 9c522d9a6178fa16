#!/usr/bin/env python3
"""Times of libbinade.torch: quantize compared with a copy and with torch's own cast, and steps of a wrapped GPT
compared with plain PyTorch, with the memory that they add. Processor time, the least of several, on one thread.

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


def main():
    torch.set_num_threads(1)
    x = torch.randn(1 << 24)
    out = torch.empty_like(x)
    print(f"16 Mi numbers, ms: copy {least(lambda: out.copy_(x)):.0f}, "
          f"torch to bfloat16 {least(lambda: x.to(torch.bfloat16)):.0f}, "
          f"quantize e4m3 {least(lambda: bt.quantize(x, 'e4m3')):.0f}, "
          f"in place {least(lambda: bt.quantize(out, 'e4m3', inplace=True)):.0f}, "
          f"stochastic {least(lambda: bt.quantize(out, 'e4m3', rounding='sr', seed=1, inplace=True)):.0f}, "
          f"tiles of 1x128 {least(lambda: bt.quantize(x.view(-1, 4096), 'e4m3/tile:1x128')):.0f}, "
          f"round to out {least(lambda: bd.round(x, 'e4m3', out=out)):.0f}")
    first = None
    for recipe in RECIPES:
        made = subprocess.run([sys.executable, __file__, recipe], capture_output=True, text=True, check=True)
        ms, mib = json.loads(made.stdout)
        first = first or (ms, mib)
        print(f"{recipe:12} {ms:7.0f} ms per step, {ms / first[0]:.2f} times plain; {mib:5.0f} MiB, "
              f"{mib / first[1]:.2f} times plain")


if __name__ == "__main__":
    one(sys.argv[1]) if len(sys.argv) > 1 else main()
