#!/bin/sh
# Runs the tests of the package libbinade (tools/python) with this build's libraries, by pytest where it is installed and
# by unittest otherwise. Skipped (77) without Python 3.8 and numpy (PYTHON names a Python), or if that cannot load this
# build's libraries. Arguments are files of tests: run.sh tests/python/test_arrays.py;
# without any, all of them run.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' "Python 3.8 with numpy (Debian, Ubuntu: python3-numpy)"
find_library
BND_BUILD=$build BND_COMMAND=$program
if [ -n "${BND_INSTALLED-}" ]; then # the package that this Python finds by itself, with its own libraries
    BND_COMMAND=$build/binade
    unset LD_LIBRARY_PATH
else
    PYTHONPATH=$top/tools/python BINADE_LIBRARY=$(dirname "$library")
    export PYTHONPATH BINADE_LIBRARY
fi
export BND_BUILD BND_COMMAND
[ $# -gt 0 ] || set -- "$top"/tests/python/test_*.py
if "$python" -c 'import pytest' 2>/dev/null; then
    exec "$python" -m pytest -q -p no:cacheprovider -p no:warnings "$@"
fi
status=0
for file; do
    "$python" -m unittest discover -q -s "$top/tests/python" -p "$(basename "$file")" || status=1
done
exit $status
