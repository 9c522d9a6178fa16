"""The kernels that OpenBLAS, and so PyTorch, computes with. OpenBLAS chooses them by the processor's number, and a release
that does not know the number chooses those of a core of 2004. A comparison with these would flatter us."""

import os
import subprocess
import sys

WITH_AVX512 = ("SkylakeX", "Cooperlake", "SapphireRapids")
WITH_AVX2 = ("Haswell", "Zen", "Excavator")
ASK = """
import ctypes
name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
name.restype = ctypes.c_char_p
print(name().decode())
"""


def features():
    try:
        with open("/proc/cpuinfo") as file:
            return next((set(line.split()) for line in file if line.startswith("flags")), set())
    except OSError:
        return set()


def choose():
    """Removes variables for OpenBLAS from the environment, and sets OPENBLAS_CORETYPE if its own choice is older than
    the processor's vector instructions. Call it before numpy or PyTorch is loaded. Returns the core; "" if unknown."""
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]
    core = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True).stdout.strip()
    here = features()
    if core and core not in WITH_AVX512 + WITH_AVX2 and {"avx2", "fma"} <= here:
        core = "SkylakeX" if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= here else "Haswell"
        os.environ["OPENBLAS_CORETYPE"] = core
    return core
