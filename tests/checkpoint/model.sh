#!/bin/sh
# Compares the tests' model of small formats with definitions in rational numbers, and makes the checkpoints of
# tools/dev/make-checkpoint-fixtures.py twice: the same bytes. Skipped (77) without Python 3.9 and numpy.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' "Python 3.9 with numpy (Debian, Ubuntu: python3-numpy)"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
"$python" "$top/tests/checkpoint/check_small_formats.py" || exit 1
for turn in first second; do
    "$python" "$top/tools/dev/make-checkpoint-fixtures.py" "$made/$turn" || exit 1
done
if diff -r "$made/first" "$made/second" >/dev/null; then
    echo "1 passed, 0 failed: $(ls "$made"/first/right/*.json | wc -l) right checkpoints, $(ls "$made"/first/damaged/*.json | wc -l) damaged ones"
else
    echo "0 passed, 1 failed: two runs make different checkpoints"
    exit 1
fi
