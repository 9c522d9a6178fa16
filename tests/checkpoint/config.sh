#!/bin/sh
# The judge of configurations (config_judge.py) against right and damaged checkpoints. Skipped (77) without Python 3.9
# and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made" right damaged || exit 1
"$python" "$top/tests/checkpoint/check_config_judge.py" "$made"
