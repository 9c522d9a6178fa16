#!/bin/sh
# The tests of the page: every file here that ends with finish() (check.mjs), by node, against the page that this build made
# or the release holds. Without a chromium the files that need no browser run. ONLY=words runs the cases whose name
# contains them; names after run.sh run those files only.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
. "$top/tests/support/program.sh"
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
BND_COMMAND=$program
export BND_PAGE BND_BUILD BND_COMMAND
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome-stable || command -v google-chrome)}

# What a browser or a killed test leaves goes with this folder.
TMPDIR=$(mktemp -d) && export TMPDIR || exit 99
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP

[ $# -gt 0 ] || set -- "$top"/tests/page/*.mjs
skipped=
for file; do
    shift
    grep -q '^await finish()' "$file" || continue
    if [ -z "$browser" ] && grep -q '[ {]open[ ,}].*browser.mjs' "$file"; then
        skipped=yes
        continue
    fi
    set -- "$@" "$file"
done
"$node" "$top/tests/page/files.mjs" "$@"
status=$?
[ -z "$skipped" ] || echo '1 skipped: the page in a browser (Debian: chromium)'
exit $status
