"""What the tests of the package share: where the build is, arrays, comparisons."""
import os
import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not here (Debian, Ubuntu: python3-numpy)") from None

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BND_BUILD", os.path.join(TOP, "build"))
RANDOM = np.random.RandomState(1)


def bits_to_float32(count):
    """Random bits as float32: every exponent, NaNs and infinities too."""
    return RANDOM.randint(0, 2**32, count, np.uint64).astype(np.uint32).view(np.float32)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def spread(*shape):
    """Numbers of many magnitudes, from 2^-20 to 2^20."""
    return np.ldexp(normal(*shape), RANDOM.randint(-20, 20, shape))


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def command():
    """The path of the command `binade`; skips the test if there is none."""
    path = os.environ.get("BND_COMMAND") or os.path.join(BUILD, "binade")
    if not os.path.exists(path):
        raise unittest.SkipTest("the command binade is not built")
    return path


def torch():
    """The module torch; skips the test if it is not here."""
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest("torch is not here (Debian, Ubuntu: python3-torch)") from None
    return torch
