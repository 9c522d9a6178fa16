#!/bin/sh
# Runs the tests of tools/python/binade.py with this build's library. Skipped (77) where there is no Python 3 with numpy
# (PYTHON names one), or where it cannot load this build's library.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
skip() {
    echo "skipped: $1"
    exit 77
}

python=
for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$candidate" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "no Python 3.8 with numpy (Debian, Ubuntu: python3-numpy)"
[ -z "${BND_RUNNER-}" ] || skip "this build's library is for another machine"
library=
for candidate in "$build"/.libs/libbinade.so "$build"/.libs/libbinade.dylib; do
    [ -f "$candidate" ] && library=$candidate
done
[ -n "$library" ] || skip "this build has no shared library"
if ${NM:-nm} -D "$library" 2>/dev/null | grep -q -e __asan_ -e __ubsan_; then
    skip "the sanitizers of this build are not in Python"
fi

PYTHONPATH=$top/tools/python BINADE_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1 BND_BUILD=$build \
    exec "$python" "$top/tests/python/test_binade.py" "$@"
