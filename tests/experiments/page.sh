#!/bin/sh
# Writes what was measured into doc/dev/experiment-log.md, between <!-- measured NAME --> and <!-- end -->, and the rows
# of claims into doc/explanation/experiments.md, between <!-- claims --> and <!-- end -->. What belongs to an experiment
# that has not been finished here stays as it is.
. "$(dirname "$0")/lib.sh"
log=$top/doc/dev/experiment-log.md
table=$top/doc/explanation/experiments.md
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT

# changed FILE: the new text becomes the file, if it differs.
changed() {
    cmp -s "$new" "$1" || {
        cat "$new" >"$1"
        echo "written: ${1#"$top"/}"
    }
}
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
    }' "$log" >"$new" || exit 1
changed "$log"

# The figure of a claim is where the log has its experiment: the heading, as the link that it gets.
awk -v results="$results" -v names="$experiments" '
    FNR == 1 { file++ }
    file == 1 && /^## / {
        heading = tolower(substr($0, 4))
        gsub(/[^-a-z0-9_ ]/, "", heading)
        gsub(/ /, "-", heading)
    }
    file == 1 && /^<!-- measured / { of[$3] = heading }
    file == 2 && match($0, /NAMES=[a-z0-9]*` \|$/) { old[substr($0, RSTART + 6, RLENGTH - 9)] = old[substr($0, RSTART + 6, RLENGTH - 9)] $0 "\n" }
    file < 3 { next }
    /^<!-- end -->$/ { skip = 0 }
    !skip { print }
    /^<!-- claims -->$/ {
        print "\n| paper | claim | here | verdict | | remake |\n| --- | --- | --- | --- | --- | --- |"
        count = split(names, name)
        for (i = 1; i <= count; i++) {
            rows = results "/" name[i] "/claims"
            found = 0
            while ((getline line <rows) > 0) {
                sub(/FIGURE/, "[figure](../dev/experiment-log.md#" of[name[i]] ")", line)
                print line
                found = 1
            }
            if (!found) printf "%s", old[name[i]]
        }
        print ""
        skip = 1
    }' "$log" "$table" "$table" >"$new" || exit 1
changed "$table"
