#!/bin/sh
# `binade relayout` there and back, of every right checkpoint that it takes: the same tensors in the same order, the same
# configs and the same metadata. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right || exit 1
"$python" "$top/tests/diff/relayout.py" "$program" "$made"
