#!/bin/sh
# Runs the code of doc/reference/random-bits.md beside this build's library. Skipped (77) without Python 3.8, or if that cannot load
# this build's library.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys; sys.exit(sys.version_info < (3, 8))' "Python 3.8"
find_library
BINADE_LIBRARY=$library exec "$python" "$top/tests/python/random_bits.py" "$top" "$build"
