#!/bin/sh
# Runs every tools/dev/check-* that looks at the tree: layers, lists, words and so on.
top=$(cd "$(dirname "$0")/.." && pwd)
BINADE=${BND_BUILD:-$top/build}/binade
export BINADE
passed=0
failed=0
for check in layers order lists words version headers freestanding examples generated; do
    if "$top/tools/dev/check-$check"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "tools/dev/check-$check failed"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
