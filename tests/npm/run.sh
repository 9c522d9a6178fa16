#!/bin/sh
# The npm package, installed into an empty folder: its results against the native library's, its own part, the examples of
# its pages, and its types where a tsc is here.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
node=${NODE:-node}
clang=${WASM_CC:-clang}
skip() {
    echo "1 skipped: $1"
    exit 77
}
command -v "$node" >/dev/null 2>&1 || skip "the npm package: node"
command -v wasm-ld >/dev/null 2>&1 || skip "the npm package: wasm-ld"
echo 'int unit;' | $clang --target=wasm32 -msimd128 -c -x c - -o /dev/null 2>/dev/null || skip "the npm package: clang for wasm32"
[ -z "${BND_RUNNER-}" ] || skip "the npm package: a native library for this machine"

make -s -C "$build" npm >/dev/null || exit 1
package=$(ls "$build"/tools/npm/binade-*.tgz) || exit 1
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
if command -v npm >/dev/null 2>&1; then
    npm_config_cache=$folder/cache npm install --offline --no-audit --no-fund "$package" >said 2>&1 || {
        cat said
        exit 1
    }
    installed="npm install"
else
    mkdir -p node_modules && tar xzf "$package" && mv package node_modules/binade || exit 1
    installed="unpacked, without npm"
fi
# The sizes of the README, in KB, are those of the package: within a tenth, since compilers differ.
size_told() { # size_told WHAT BYTES
    told=$(grep -o "[0-9]* KB $1" node_modules/binade/README.md) && kb=${told%% *} && off=$(($2 - 1000 * kb)) &&
        [ "${off#-}" -le $(($2 / 10)) ] && return
    echo "FAIL: README.md of the package says '$told', and there are $2 bytes"
    return 1
}
sizes_told() {
    size_told "to download" "$(wc -c <"$package")" &&
        size_told unpacked "$(find node_modules/binade/ -type f -exec cat {} + | wc -c)"
}
failed=0
check() {
    "$@" || failed=1
}
TMPDIR=$folder # what a browser leaves goes with the folder
export TMPDIR
cp "$top"/tests/npm/*.mjs .
"$build/tests/npm/native" . || exit 99
mkdir again && cp "$build/tools/npm/binade.wasm" again && version=${package##*/binade-} &&
    TZ=Asia/Tokyo sh "$top/tools/npm/make-package" again "${version%.tgz}" \
        "$(cd "$top" && ls tools/npm/*.md tools/npm/*.js tools/npm/*.d.ts tools/npm/lib/*.js)" >/dev/null
check sizes_told
check cmp "$package" "again/${package##*/}" # the same files give the same bytes
check "$node" compare.mjs . "$build/tests/npm/native"
check "$node" api.mjs
check "$node" examples.mjs node_modules/binade/README.md "$top/doc/how-to/use-from-javascript.md" "$top/doc/reference/javascript.md"
if command -v tsc >/dev/null 2>&1; then
    check tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext node_modules/binade/*.d.ts
else
    echo "1 skipped: the package's types: tsc"
fi
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -n "$browser" ]; then
    check "$node" "$top/tests/npm/element.mjs" .
else
    echo "1 skipped: the element of the npm package: chromium"
fi
echo "installed by $installed: $(basename "$package")"
exit $failed
