#!/bin/sh
# Runs every tools/dev/check-* that looks at the tree: layers, lists, words and so on.
top=$(cd "$(dirname "$0")/.." && pwd)
BINADE=${BND_BUILD:-$top/build}/binade
export BINADE
passed=0
failed=0
skipped=0
skips=
for check in layers order lists links names words comments messages version headers contracts freestanding examples generated; do
    status=0
    "$top/tools/dev/check-$check" || status=$?
    case $status in
    0) passed=$((passed + 1)) ;;
    77) # it said what is missing
        skipped=$((skipped + 1))
        skips="$skips${skips:+; }check-$check"
        ;;
    *)
        failed=$((failed + 1))
        echo "tools/dev/check-$check failed"
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped${skips:+: $skips}"
[ "$failed" = 0 ]
