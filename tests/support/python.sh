# shellcheck shell=sh disable=SC2034  # variables are shared with the scripts that source this one
# What tests in Python share: a Python that has what they need, and this build's library.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
. "$top/tests/support/program.sh"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

skip() { # skip WHAT
    echo "1 skipped: $1"
    exit 77
}

# find_python STATEMENTS WHAT: sets python to the first of PYTHON, Debian's own and the PATH's in which these succeed.
find_python() {
    for python in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
        "$python" -c "$1" >/dev/null 2>&1 && return
    done
    skip "$2"
}

# Sets library to this build's shared library, if the Python of this machine can load it.
find_library() {
    [ -z "${BND_RUNNER-}" ] || skip "Python with this build's library, which is for another machine"
    library=
    for candidate in "$build"/.libs/libbinade.so "$build"/.libs/libbinade.dylib; do
        [ -f "$candidate" ] && library=$candidate
    done
    [ -n "$library" ] || skip "Python with a shared library, which this build does not have"
    if ${NM:-nm} -D "$library" 2>/dev/null | grep -q -e __asan_ -e __ubsan_; then
        skip "Python with this build's library, which needs sanitizers"
    fi
}
