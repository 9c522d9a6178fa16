#!/bin/sh
# The tests of the page: every file here that ends with finish() (check.mjs), by node, against the page that this build made
# or the release holds. Without a chromium the files that need no browser run. ONLY=words runs the cases whose name
# contains them; names after run.sh run those files only.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
skip() {
    echo "1 skipped: $1"
    exit 77
}
node=${NODE:-node}
"$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2>/dev/null ||
    skip 'the page (node 18 or newer; Debian: nodejs)'
BND_PAGE=${BND_PAGE:-$build/tools/page/binade.html}
[ -f "$BND_PAGE" ] || BND_PAGE=$top/tools/page/binade.html
[ -f "$BND_PAGE" ] || skip 'the page, which was not built (configure says what is missing)'
BND_BUILD=$build
export BND_PAGE BND_BUILD
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome-stable || command -v google-chrome)}

# What a browser or a killed test leaves goes with this folder.
TMPDIR=$(mktemp -d) && export TMPDIR || exit 99
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP

[ $# -gt 0 ] || set -- "$top"/tests/page/*.mjs
passed=0
failed=0
skipped=
for file; do
    grep -q '^await finish()' "$file" || continue
    if [ -z "$browser" ] && grep -q '[ {]open[ ,}].*browser.mjs' "$file"; then
        skipped='the page in a browser (Debian: chromium)'
        continue
    fi
    began=$(date +%s)
    output=$("$node" "$file" 2>&1)
    status=$?
    counts=$(printf '%s\n' "$output" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' | tail -n 1)
    good=${counts% *} bad=${counts#* }
    if [ -z "$counts" ] || { [ "$status" != 0 ] && [ "$bad" = 0 ]; }; then
        good=0 bad=1
        echo "$(basename "$file") ended with status $status and no counts"
    fi
    [ "$bad" = 0 ] || printf '%s\n' "$output"
    echo "$(basename "$file"): $good passed, $bad failed, $(($(date +%s) - began)) s"
    passed=$((passed + good))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed${skipped:+, 1 skipped: $skipped}"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
