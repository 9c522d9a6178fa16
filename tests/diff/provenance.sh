#!/bin/sh
# `binade diff` finds how each of 42 checkpoints was made from its base: all codes and scales are reproduced, and the way
# in which the model in Python made them is among those that it names. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" provenance || exit 1
"$python" "$top/tests/diff/provenance.py" "$program" "$made"
