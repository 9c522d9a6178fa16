#!/bin/sh
# What `make experiments` runs: all experiments, or those that are named (NAMES='zamirai mx'), and the page. One that
# was stopped goes on where it was: runs that are complete are on disk. An experiment is a file here that begins and
# finishes.
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0
[ -x "${BND_BUILD:-$here/../../build}/binade" ] || {
    echo "experiments: no binade in ${BND_BUILD:-build}; build it first" >&2
    exit 2
}
[ $# -gt 0 ] || set -- attention zamirai micikevicius fp8 fp8large mx fp8lm accumulators nvfp4 quantizers optimizers failing student verdicts
outcome_of() { echo "${BND_EXPERIMENTS:-${BND_BUILD:-$here/../../build}/tests/experiments/scale-${BND_EXPERIMENT_SCALE:-1}}/$1/outcome"; }
for name; do
    [ -f "$here/$name.sh" ] || {
        echo "experiments: there is no $name.sh" >&2
        failed=$((failed + 1))
        continue
    }
    rm -f "$(outcome_of "$name")"
    if sh "$here/$name.sh"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    sh "$here/page.sh" || exit 1
done
echo "$passed experiments came out as their page expects, $failed did not; the papers' claims:"
for name; do
    echo "    $name: $(cat "$(outcome_of "$name")" 2>/dev/null || echo "not finished")"
done
[ "$failed" = 0 ]
