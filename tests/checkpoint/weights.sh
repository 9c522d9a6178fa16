#!/bin/sh
# What the library makes of checkpoints of all layouts, next to the model in Python that made them: weights, layouts,
# shapes and every bit of the decoded values. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right damaged || exit 1
# shellcheck disable=SC2086  # a runner may have arguments
"$python" "$top/tests/checkpoint/weights_judge.py" "$made" ${BND_RUNNER:+$BND_RUNNER} "$build/tests/checkpoint/decoded"
