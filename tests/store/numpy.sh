#!/bin/sh
# numpy as the judge of our .npy files: it reads what the command writes, and the command reads what it writes.
# numpy.sh [JUDGE]: another program to ask. Skipped (77) without numpy (PYTHON names a Python).
. "$(dirname "$0")/../support/python.sh"
find_python 'import numpy' "numpy (Debian, Ubuntu: python3-numpy)"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" && PYTHONPATH=$top/tests/support BND_COMMAND="${BND_RUNNER:+$BND_RUNNER }$program" "$python" "${1:-$top/tests/store/numpy_judge.py}"
