#!/bin/sh
# --update of the golden runs: lines that "..." stood for stay left out, changed ones are written, exit statuses too.
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
runs() { # runs OPTION...: the transcript `page.txt`
    ${BND_RUNNER-} "$build/tests/cli/transcript" "$@" --bin "$build" page.txt >said 2>&1
}
# updated EXPECTED PRINTED WANTED: an expectation becomes another where a command prints something
updated() {
    printf '%b' "$2" >output
    { echo '$ cat '"$scratch/output" && printf '%b' "$1"; } >page.txt
    { echo '$ cat '"$scratch/output" && printf '%b' "$3"; } >wanted.txt
    runs --update
    equal "$(cat page.txt)" "$(cat wanted.txt)" && runs
}
check "an expectation that is met stays" updated '...\nb 2\n...\n' 'a\nb 2\nc\n' '...\nb 2\n...\n'
check "a changed line is written" updated '...\nb 2\n...\n' 'a\nb 3\nc\n' '...\nb 3\n...\n'
check "the last lines" updated 'title\n...\nb 2\nc 3\n' 'title\nx\ny\nb 5\nc 3\n' 'title\n...\nb 5\nc 3\n'
check "the first lines" updated 'title 1\nsecond\n...\n' 'title 2\nsecond\nx\ny\n' 'title 2\nsecond\n...\n'
check "a line between is dropped" updated '...\nb 2\nc\nd 3\n...\n' 'a\nb 2\nd 3\ne\n' '...\nb 2\nd 3\n...\n'
check "a line with another first word" updated 'a\n...\nb = 512\n...\n' 'a\nx\nc is 512\ny\n' 'a\n...\nc is 512\n...\n'
check "the line that has more in common" updated '...\nb 2 3\n...\n' 'b 7 2\nx\nb 2 4\nb 1 1\n' '...\nb 2 4\n...\n'
check "one ... for two" updated 'a\n...\nb\n...\n' 'a\nc\nd\n' 'a\n...\n'
check "a line between is added" updated '...\nb 2\nd 3\n...\n' 'a\nb 2\nc\nd 3\ne\n' '...\nb 2\nc\nd 3\n...\n'
check "without ... all of it" updated 'a\nb\n' 'c\nd\na\n' 'c\nd\na\n'
check "nothing as it was" updated 'a\n...\n' 'b\nc\n' 'b\nc\n'
check "nothing printed" updated 'a\n...\n' '' ''
conclude
