#!/bin/sh
# The model of tests/checkpoint as the judge of weights: weights_judge.py says what it asks. Skipped (77) without Python
# 3.8 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' "Python 3.8 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" || exit 1
# shellcheck disable=SC2086  # BND_RUNNER is a command and its arguments
"$python" "$top/tests/checkpoint/weights_judge.py" "$made" ${BND_RUNNER-} "$build/tests/checkpoint/weights_through"
