"""What judges in Python share: checks that are counted, and arrays of any bits. The scripts that run them put it on the
path. Only `sample` needs numpy."""
import sys

passed = failed = 0


def check(holds, what):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print("does not hold:", what)


def sample(dtype, shape):
    """Any bits: subnormal numbers, infinities and NaNs are among them."""
    import numpy as np
    count = int(np.prod(shape, dtype=np.int64))
    generator = np.random.default_rng(count)
    return generator.integers(0, 256, count * np.dtype(dtype).itemsize, "u1").view(dtype).reshape(shape).copy()


def conclude(*others):
    """Prints how many checks held, with the versions of Python, of numpy if used, and of `others`; ends the program."""
    numpy = [f"numpy {sys.modules['numpy'].__version__}"] if "numpy" in sys.modules else []
    print(", ".join([f"Python {sys.version.split()[0]}", *numpy, *others]) + f": {passed} passed, {failed} failed")
    sys.exit(failed > 0)
