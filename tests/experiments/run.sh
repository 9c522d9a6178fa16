#!/bin/sh
# What `make experiments` runs: all experiments, or those that are named (NAMES='zamirai mx'), and the pages; then it
# prints the table of claims. One that was stopped goes on where it was: runs that are complete are on disk. An
# experiment is a file here that begins and finishes.
. "$(dirname "$0")/lib.sh"
here=$top/tests/experiments
passed=0
failed=0
[ -x "$binade" ] || {
    echo "experiments: no binade in $build; build it first" >&2
    exit 2
}
# shellcheck disable=SC2086  # names are words
[ $# -gt 0 ] || set -- $experiments
claims_of() { echo "$results/$1/claims"; }
for name; do
    [ -f "$here/$name.sh" ] || {
        echo "experiments: there is no $name.sh" >&2
        failed=$((failed + 1))
        continue
    }
    rm -f "$(claims_of "$name")"
    if sh "$here/$name.sh"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    sh "$here/page.sh" || exit 1
done
echo "$passed experiments came out as their page expects, $failed did not. Paper | claim | numbers here | verdict:"
for name; do
    if [ -f "$(claims_of "$name")" ]; then
        sed 's/^| \[\([^]]*\)\]([^)]*) | \[\(.*\)\]([^)]*) | \(.*\) | \*\(.*\)\* | FIGURE .*/\1 | \2 | \3 | \4/' "$(claims_of "$name")"
    else
        echo "$name | not finished | |"
    fi
done
[ "$failed" = 0 ]
