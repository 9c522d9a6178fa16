#!/bin/sh
# tests/page/links.tsv, from command to fragment: `binade show ... --link` prints the fragment of each line of the rooms
# number and libraries. tests/page/links.mjs reads the same lines from fragment to command.
table=$(cd "$(dirname "$0")/.." && pwd)/page/links.tsv
. "$(dirname "$0")/checks.sh"
BINADE_PAGE=/tmp/binade.html
export BINADE_PAGE
binade() { ${BND_RUNNER-} "$program" "$@"; }
works() { binade "$@" >/dev/null 2>&1; }
tab=$(printf '\t')

lines=0
while IFS=$tab read -r fragment line; do
    case $fragment in
    '#number'* | '#libraries'*)
        lines=$((lines + 1))
        eval "set -- $line"
        shift
        check "$line" equal "$(binade show --link "$@")" "file:///tmp/binade.html$fragment"
        check "$line works" works show "$@"
        ;;
    esac
done <"$table"
check 'the table has lines of both rooms' [ "$lines" -ge 20 ]

check 'a relative page' equal "$(BINADE_PAGE='a b.html' binade show 1 -f fp16 --link)" "file://$(pwd)/a%20b.html#number/fp16/1"
check 'a page on the web' equal "$(BINADE_PAGE=https://example.org/b.html binade show 1 -f fp16 --link)" \
    'https://example.org/b.html#number/fp16/1'
check 'a page on the web has no path: the one on this machine is meant' \
    equal "$(BINADE_PAGE=https://example.org/b.html binade page --path)" "$(BINADE_PAGE='' binade page --path)"
check 'values of standard input' equal "$(echo 1 2/3 | binade show - -f fp16 --link)" \
    'file:///tmp/binade.html#number/fp16/1,2%2F3'
check 'no value' equal "$(binade show - --link 2>&1 </dev/null)" \
    'binade show: standard input has no value to link to'
check 'members of a group are listed' equal "$(binade show 1 -f mx --link)" \
    'file:///tmp/binade.html#number/e4m3,e5m2,e8m0,e2m3,e3m2,e2m1/1'
conclude
