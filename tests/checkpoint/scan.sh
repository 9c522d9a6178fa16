#!/bin/sh
# `binade scan` next to the model in Python: counts and sums of squares, which are exact before they are rounded once.
# Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right || exit 1
# shellcheck disable=SC2086  # a runner may have arguments
"$python" "$top/tests/checkpoint/scan_judge.py" "$made" ${BND_RUNNER:+$BND_RUNNER} "$program"
