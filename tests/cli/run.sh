#!/bin/sh
# Runs the golden runs of the command: tests/cli/*.txt, and the console blocks of the README and of doc/*/*.md.
# BND_BUILD is the build folder. BND_RUNNER, where it is set, runs this build's programs (an emulator, for example).
# BND_GOLDEN=cli leaves out the pages and the examples of the library: what they show has been compared with another build.
# With --update the expectations become what the command prints; read the difference before you keep it.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
. "$top/tests/support/program.sh"
bin=${program%/*}
if [ -n "${BND_RUNNER-}" ]; then
    bin=$(mktemp -d) || exit 99
    trap 'rm -rf "$bin"' EXIT
    for program in binade tests/cli/verify_wrong; do
        printf '#!/bin/sh\nexec %s "%s/%s" "$@"\n' "$BND_RUNNER" "$build" "$program" >"$bin/${program##*/}"
        chmod +x "$bin/${program##*/}"
    done
fi
PATH=$build/doc/examples:$PATH BINADE=$top # pages run their examples, and compile those that are plain C
export PATH BINADE
set -- "$@" --bin "$bin:$build/doc/examples:$build/tests/cli"
for file in "$top"/tests/cli/*.txt "$top"/README.md "$top"/doc/*/*.md; do
    case ${BND_GOLDEN-}:$file in
    cli:*.md | cli:*/examples.txt) ;;
    *) set -- "$@" "$file" ;;
    esac
done
# shellcheck disable=SC2086  # BND_RUNNER may have arguments
${BND_RUNNER-} "$build/tests/cli/transcript" "$@"
