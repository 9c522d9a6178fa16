#!/bin/sh
# numpy as the judge of our .npy files: it reads what the command writes, and the command reads what it writes.
# numpy.sh [JUDGE]: another program to ask. PYTHON names a Python with numpy; otherwise the first of Debian's own and of
# PATH that has it.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
for python in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    "$python" -c 'import numpy' >/dev/null 2>&1 && break
    python=
done
if [ -z "$python" ]; then
    echo "no Python with numpy here (Debian, Ubuntu: python3-numpy): not compared"
    exit 77
fi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" && BND_COMMAND="${BND_RUNNER:+$BND_RUNNER }$build/binade" "$python" "${1:-$top/tests/store/numpy_judge.py}"
