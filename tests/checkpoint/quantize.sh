#!/bin/sh
# `binade quantize` next to the model in Python: decoded values of all layouts, codes and scales of 20 ways to quantize,
# configurations and tensors that loaders take. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right provenance || exit 1
# shellcheck disable=SC2086  # a runner may have arguments
"$python" "$top/tests/checkpoint/quantize_judge.py" "$made" ${BND_RUNNER:+$BND_RUNNER} "$program"
