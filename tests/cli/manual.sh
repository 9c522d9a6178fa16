#!/bin/sh
# The manual pages of the command: every example works, every page named under SEE ALSO exists, and the pages are true
# roff where a checker is there. The examples run in the order of the commands in one folder, so that `binade compare
# runs` finds what an example of `binade train` has written.
pages=$(cd "$(dirname "$0")/../.." && pwd)/doc/man
. "$(dirname "$0")/checks.sh"
PATH=${program%/*}:$PATH
export PATH

# run LINE: it succeeds. `binade diff` of files that differ ends with 1.
run() {
    sh -c "$1" >out 2>err && return
    status=$?
    case $1 in *"binade diff "*) [ "$status" -eq 1 ] && return ;; esac
    head -n 3 err
    false
}

# A page that holds a report and nothing else: the real one may not be built.
printf '<script type="application/json" id="binade-report">null</script>\n' >page.html
BINADE_PAGE=$PWD/page.html
export BINADE_PAGE

binade help --examples >examples
while IFS= read -r line; do
    case $line in
    '# '*) ;;
    *) check "example: $line" run "$line" ;;
    esac
done <examples

count() { binade help --examples "$1" | grep -c '^# '; }
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "  $1 is not from $2 to $3"; false; }; }
for command in show formats table range calc cast quantize relayout diff train compare report evaluate scan sweep cost vectors verify bench help; do
    check "3 to 6 examples of $command" between "$(count "$command")" 3 6
done

for page in "$pages"/*.1; do
    name=${page##*/}
    for other in $(sed -n 's/^\.BR \([a-z0-9_\\-]*\) (\([13]\)),*$/\1.\2/p' "$page" | tr -d '\\'); do
        check "$name: $other exists" test -f "$pages/$other"
    done
    grep -q '^\.so ' "$page" && continue
    for section in "EXIT STATUS" "SEE ALSO"; do
        check "$name has $section" grep -q "^\.SH $section\$" "$page"
    done
    [ "$name" = binade.1 ] || check "$name has examples" grep -q '^\.SH EXAMPLES$' "$page"
    check "$name has a date" grep -q '^\.TH [A-Z\\-]* 1 "20[0-9][0-9]-[01][0-9]-[0-3][0-9]" "binade ' "$page"
done

# An entry without a term does not become a page.
printf '# a section\n\n- term: text\n\n- no term\n\n- A sentence. Then a colon: text\n' >faulty.text
awk -f "$pages/../../tools/binade/help/texts.awk" faulty.text >/dev/null 2>faults || :
check "entries without a term are faults" equal "$(grep -c 'faulty.text: an entry must be' faults)" 2

if command -v mandoc >/dev/null; then
    for page in "$pages"/*.1; do
        grep -q '^\.so ' "$page" || check "${page##*/} is true roff" mandoc -T lint -W error "$page"
    done
else
    skip "mandoc"
fi
if command -v groff >/dev/null; then
    for page in "$pages"/*.1; do
        grep -q '^\.so ' "$page" || check "groff has no warning for ${page##*/}" equal "$(groff -man -Tascii -ww -z "$page" 2>&1)" ""
    done
else
    skip "groff"
fi
conclude
