#!/bin/sh
# Runs the tests of tools/python/binade.py with this build's library. Skipped (77) without Python 3.8 and numpy (PYTHON
# names a Python), or if that cannot load this build's library.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' "Python 3.8 with numpy (Debian, Ubuntu: python3-numpy)"
find_library
PYTHONPATH=$top/tools/python BINADE_LIBRARY=$library BND_BUILD=$build \
    exec "$python" "$top/tests/python/test_binade.py" "$@"
