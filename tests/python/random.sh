#!/bin/sh
# Runs the code of doc/random-bits.md beside this build's library. Skipped (77) without Python 3, or where Python cannot
# load this build's library.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
skip() {
    echo "skipped: $1"
    exit 77
}

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1 || skip "no Python 3.8"
[ -z "${BND_RUNNER-}" ] || skip "this build's library is for another machine"
library=
for candidate in "$build"/.libs/libbinade.so "$build"/.libs/libbinade.dylib; do
    [ -f "$candidate" ] && library=$candidate
done
[ -n "$library" ] || skip "this build has no shared library"
if ${NM:-nm} -D "$library" 2>/dev/null | grep -q -e __asan_ -e __ubsan_; then
    skip "the sanitizers of this build are not in Python"
fi
BINADE_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1 exec "$python" "$top/tests/python/test_random.py" "$top" "$build"
