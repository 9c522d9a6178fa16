#!/bin/sh
# Writes what was measured into doc/dev/experiment-log.md, between <!-- measured NAME --> and <!-- end -->; blocks whose
# experiment has not been finished here stay as they are.
. "$(dirname "$0")/lib.sh"
page=$top/doc/dev/experiment-log.md
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
awk -v results="$results" '
    /^<!-- end -->$/ { skip = 0 }
    !skip { print }
    /^<!-- measured / {
        block = results "/" $3 "/block.md"
        if ((getline line <block) > 0) {
            print line
            while ((getline line <block) > 0) print line
            close(block)
            skip = 1
        }
    }' "$page" >"$new" || exit 1
cmp -s "$new" "$page" || {
    cat "$new" >"$page"
    echo "written: doc/dev/experiment-log.md"
}
