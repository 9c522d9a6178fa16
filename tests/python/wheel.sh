#!/bin/sh
# The wheel of this build, made by pip without its isolation and without a network, in a virtual environment of its own:
# it loads the libraries that it carries, and its tests and examples run. Skipped (77) without numpy, venv and pip.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy, venv, ensurepip, pip; sys.exit(sys.version_info < (3, 8))' \
    "Python 3.8 with numpy, venv and pip (Debian, Ubuntu: python3-numpy, python3-venv, python3-pip)"
find_library
[ "$(uname -s)" = Linux ] || skip "a wheel, which is tested on Linux"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PYTHONPATH BINADE_LIBRARY LD_LIBRARY_PATH
fail() {
    echo "$1"
    exit 1
}

"$python" -m venv --system-site-packages "$scratch/venv" || fail "no virtual environment can be made"
BINADE_BUILD=$build "$scratch/venv/bin/python" -m pip wheel -q --no-build-isolation --no-deps --no-index \
    --disable-pip-version-check -w "$scratch/made" "$top/tools/python" || fail "pip makes no wheel"
"$scratch/venv/bin/python" -m pip install -q --no-deps --no-index --disable-pip-version-check "$scratch"/made/*.whl ||
    fail "pip does not install the wheel"

cd "$scratch" || exit 1
cat >look.py <<'LOOK'
import importlib.metadata
import os

import libbinade as bd
from libbinade._native import lib

here = os.path.dirname(bd.__file__)
assert here.startswith(os.environ["SCRATCH"]), here
assert importlib.metadata.version("libbinade") == bd.__version__
assert bd.calc("fp16", "2049 + 1").value == "2048"  # of the laboratory
loaded = {line.split()[-1] for line in open("/proc/self/maps") if line.rstrip().endswith((".so", ".so.10", ".so.6", ".so.4"))}
for name in ("libbinade.so", "libbinade-lab", "libgmp", "libmpfr", "libjansson"):
    found = [path for path in loaded if os.path.basename(path).startswith(name)]
    assert found and all(path.startswith(os.path.join(here, "lib")) for path in found), (name, found)
LOOK
SCRATCH=$scratch "$scratch/venv/bin/python" look.py || fail "the wheel does not load what it carries"
BND_INSTALLED=1 BND_BUILD=$build PYTHON=$scratch/venv/bin/python sh "$top/tests/python/run.sh" \
    "$top/tests/python/test_arrays.py" "$top/tests/python/test_blocks.py" "$top/tests/python/test_documents.py" ||
    fail "the tests fail with the wheel"
echo "2 passed, 0 failed"
