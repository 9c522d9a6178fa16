"""Time of a training step in each recipe over that in fp32: recipe_steps.py FOLDER [--large TEXT].

FOLDER has the shared libraries (build/.libs). All runs are in one process, on one thread, and take turns, a step each;
what is compared is the median of their CPU time, so that other programs on the machine matter little. Two tables are
printed: the default transformer in every recipe, without and with statistics of roles; and with --large a transformer
of 10.9 million parameters that reads the bytes of TEXT."""

import ctypes
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
os.environ["BINADE_LIBRARY"] = sys.argv[1]

from libbinade import _types as t  # noqa: E402
from libbinade._native import call, lib  # noqa: E402

LARGE = {"width": 384, "depth": 6, "heads": 6, "context": 256, "batch": 16, "vocabulary": 0}
LARGE_RECIPES = ("fp32", "bf16-amp", "bf16-sr", "fp8-current", "mxfp8", "nvfp4")
ROUNDS, LARGE_ROUNDS = 15, 3


class Run:
    """A run, and the CPU seconds of its steps after the first one."""

    def __init__(self, recipe, counts, settings):
        training, context = t.bnd_training(), t.bnd_context(threads=1)
        call("bnd_training_default", ctypes.byref(training), b"transformer", b"adamw", recipe.encode())
        for name, value in settings.items():
            setattr(training, name, value)
        pointer = ctypes.c_void_p()
        call("bnd_run_new", ctypes.byref(pointer), ctypes.byref(training), ctypes.byref(context))
        self.pointer, self.seconds, self.step = pointer.value, [], t.bnd_step()
        if counts:
            call("bnd_engine_take_statistics", lib.bnd_run_engine(self.pointer), 1)
        self.make_step()
        self.seconds.clear()

    def make_step(self):
        begun = time.process_time()
        call("bnd_run_step", ctypes.byref(self.step), self.pointer)
        self.seconds.append(time.process_time() - begun)

    def free(self):
        lib.bnd_run_free(self.pointer)


def ratios(recipes, counts, settings, rounds):
    """Of each recipe the median seconds, and those over fp32's. The first recipe is fp32; some go with it at a time."""
    found, some = [], 5
    for at in range(1, len(recipes), some):
        runs = [Run(recipe, counts, settings) for recipe in recipes[:1] + recipes[at:at + some]]
        for _ in range(rounds):
            for run in runs:
                run.make_step()
        medians = [statistics.median(run.seconds) for run in runs]
        found += [(seconds, seconds / medians[0]) for seconds in medians[0 if at == 1 else 1:]]
        for run in runs:
            run.free()
    return found


def print_table(title, recipes, settings, rounds):
    """A row has a recipe and, where there is one, the same with fp32 around the products of layers."""
    both = [ratios(recipes, counts, settings, rounds) for counts in (False, True)]
    cells = {name: f"{one[1]:.2f} | {other[1]:.2f}" for name, one, other in zip(recipes, *both)}
    print(f"| {title} | ratio | with statistics | `+fp32`: ratio | with statistics |\n| --- | --- | --- | --- | --- |")
    for name in recipes:
        if not name.endswith("+fp32"):
            print(f"| `{name}` | {cells[name]} | {cells.get(name + '+fp32', '- | -')} |")
    print(f"\nfp32: {both[0][0][0] * 1e3:.1f} ms, with statistics {both[1][0][0] * 1e3:.1f} ms", flush=True)


def main():
    recipes = tuple(lib.bnd_recipe_name(i).decode() for i in range(lib.bnd_recipe_count()))
    print_table("default transformer", recipes, {}, ROUNDS)
    if "--large" in sys.argv:
        settings = dict(LARGE, data=os.fsencode(sys.argv[sys.argv.index("--large") + 1]), source=b"")
        print()
        print_table("10.9 million parameters", LARGE_RECIPES, settings, LARGE_ROUNDS)


main()
