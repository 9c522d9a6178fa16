#!/bin/sh
# `binade relayout` next to the model in Python: 40 ways from one layout into another keep every value, but for two scales
# that move by one ulp. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
[ -z "${BND_RUNNER-}" ] || skip "relayout of fixtures with programs for another machine"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right damaged || exit 1
"$python" "$top/tests/checkpoint/relayout_judge.py" "$made" "$build/tests/checkpoint/decoded" "$program"
