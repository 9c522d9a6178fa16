#!/bin/sh
# What `make check-exhaustive` runs: the programs of tests/exhaustive named as arguments, each in full, each with a
# state file in the build folder, so that one that is stopped goes on where it was.
# ROWS, MODES and JOBS (environment, or make's command line) choose a part: ROWS=fp16,e4m3 MODES=rne JOBS=2.
build=${BND_BUILD:-$(cd "$(dirname "$0")/.." && pwd)/build}
passed=0
failed=0
skipped=0
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
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
