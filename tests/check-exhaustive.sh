#!/bin/sh
# What `make check-exhaustive` runs: `binade verify --exhaustive` in parts, then the programs of tests/exhaustive named as
# arguments, each in full. Each has a state file in the build folder, so that one that was stopped continues.
# ROWS, MODES and JOBS (environment, or make's command line) choose a part: ROWS=fp16,e4m3 MODES=rne JOBS=2.
build=${BND_BUILD:-$(cd "$(dirname "$0")/.." && pwd)/build}
passed=0
failed=0
skipped=0

count() { # count STATUS
    case $1 in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
}

# ---- this build, compared with the oracle ----

# verify NAME CHECKS FORMATS
verify() {
    set -- "$1" --exhaustive --check "$2" --format "${ROWS:-$3}" --state "$build/tests/exhaustive/verify-$1.state"
    name=$1
    shift
    [ -z "${MODES-}" ] || set -- "$@" --round "$MODES"
    [ -z "${JOBS-}" ] || set -- "$@" --threads "$JOBS"
    echo "verify $name: $*"
    "$build/binade" verify "$@"
    count $?
}
verify floats from-float fp16,bf16,tf32,e4m3,e5m2,e2m1
verify midpoints midpoints fp16,bf16,dlfloat16,p3109-all
# The check encode compares the table of the oracle's answers, which judges operations, with the oracle.
verify operations encode,unary,binary,fma fp16,bf16,dlfloat16,e4m3,e5m2
verify functions functions,unary fp16,bf16,dlfloat16,ocp,fnuz,e4m3ieee,e3m4,e4m3b11fnuz,p3109,e1m14none,e2m13,e3m12fn,e4m11fnuz,e6m9nosub,e7m8,e8m7b200,e9m6,e10m5,e11m4,binary15p15ue,binary15p7sf
verify bits bits fp64

# ---- compared with something else ----

for name in "$@"; do
    program=$build/tests/exhaustive/$name
    takes=$("$program" --help 2>/dev/null)
    option() { # option --NAME VALUE: the program gets it if it takes it and there is a value
        case $takes in
        *"$1 "*) [ -z "$2" ] || arguments="$arguments $1 $2" ;;
        esac
    }
    arguments=
    option --rows "${ROWS-}"
    option --modes "${MODES-}"
    option --jobs "${JOBS-}"
    option --state "$program.state"
    case $takes in
    *'--all '*) arguments="$arguments --all" ;;
    esac
    echo "$name$arguments"
    # shellcheck disable=SC2086  # arguments are words
    "$program" $arguments
    count $?
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
