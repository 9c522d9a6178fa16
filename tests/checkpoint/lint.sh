#!/bin/sh
# `binade lint` over right and damaged checkpoints: silent on the right ones, and each damage by its word. Skipped (77)
# without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right damaged || exit 1
# shellcheck disable=SC2086  # a runner may have arguments
"$python" "$top/tests/checkpoint/lint_judge.py" "$made" ${BND_RUNNER:+$BND_RUNNER} "$program"
