#!/bin/sh
# Runs the tests of runs, costs and checkpoints in Python with this build's libraries. Skipped (77) as run.sh is.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' "Python 3.8 with numpy (Debian, Ubuntu: python3-numpy)"
find_library
PYTHONPATH=$top/tools/python BINADE_LIBRARY=$(dirname "$library") BND_BUILD=$build
export PYTHONPATH BINADE_LIBRARY BND_BUILD
for file in "$top"/tests/python/test_[!br]*.py; do
    "$python" "$file" -q || exit 1
done
