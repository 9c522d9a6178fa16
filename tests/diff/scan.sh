#!/bin/sh
# quantize, then diff with the input: the sums of squares are exactly those that scan predicts. Skipped (77) without
# Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" provenance || exit 1
"$python" "$top/tests/diff/scan.py" "$program" "$made"
