"""What the judges in numpy share: checks that are counted, and arrays of any bits. tests/store/numpy.sh puts it on the
path."""
import sys

import numpy as np

passed = failed = 0


def check(holds, what):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print("does not hold:", what)


def sample(dtype, shape):
    """Any bits: subnormal numbers, infinities and NaNs are among them."""
    count = int(np.prod(shape, dtype=np.int64))
    generator = np.random.default_rng(count)
    return generator.integers(0, 256, count * np.dtype(dtype).itemsize, "u1").view(dtype).reshape(shape).copy()


def conclude():
    """Prints how many checks held, and ends the program."""
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}: {passed} passed, {failed} failed")
    sys.exit(failed > 0)
