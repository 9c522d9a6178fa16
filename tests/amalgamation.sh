#!/bin/sh
# binade.h and binade.c, which `make amalgamation` writes, in a folder of their own: with each compiler that is here they
# compile without a warning, build doc/examples/first.c with one command, and the program prints what it prints with the
# library. binade.h is C++20, and binade.c links as WebAssembly with nothing missing but four functions.
# The programs are compiled with -O0 and without unrolled kernels (BNDI_INSTRUMENTED), which would take minutes. --long compiles
# them with -O2 as a user does, for every C standard, and runs the number library's tests with binade.c in its place.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BND_BUILD:-$top/build}
: "${CC:=cc}"
long=false
[ "${1:-}" = --long ] && long=true
[ -f "$build/amalgamation/binade.c" ] || {
    echo "run make amalgamation first"
    exit 99
}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cp "$build/amalgamation/binade.c" "$build/amalgamation/binade.h" "$top/doc/examples/first.c" "$folder"
cd "$folder" || exit 99
passed=0
failed=0
skipped=''
check() { # check NAME COMMAND...: it succeeds and prints nothing
    name=$1
    shift
    if "$@" >said 2>&1 && ! [ -s said ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $name: $*"
        head -20 said
    fi
}
skip() {
    skipped="$skipped${skipped:+; }$1"
}
prints_the_same() { # prints_the_same PROGRAM
    "./$1" >printed && cmp printed expected
}
starts_no_threads() { # starts_no_threads OBJECT
    ! ${NM:-nm} -u "$1" | grep -iE 'omp|getpid'
}
first_word() {
    echo "${1%% *}"
}
warnings='-Wall -Wextra -Wconversion -Wshadow -Werror'

# ---- what the library prints ----

"$build/doc/examples/first" >expected || {
    echo "doc/examples/first does not run: make check builds it"
    exit 99
}

# ---- gcc and clang ----

compilers="$CC"
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        skip "$compiler"
    elif [ "$(first_word "$CC")" != $compiler ]; then
        compilers="$compilers
$compiler"
    fi
done
fast='-O0 -DBNDI_INSTRUMENTED' standards='c17 c2x'
$long && fast=-O2 standards='c17 gnu17 c2x c23'
seen=''
while read -r compiler; do
    # shellcheck disable=SC2086  # CC may be a command with arguments, here and below
    version=$($compiler --version 2>/dev/null | head -1)
    case $seen in *"<$version>"*) continue ;; esac
    seen="$seen<$version>"
    for standard in $standards; do
        if echo 'int unit;' | $compiler -std=$standard -fsyntax-only -x c - 2>/dev/null; then
            check "$compiler -std=$standard" $compiler -std=$standard -O2 $warnings -fsyntax-only binade.c
        fi
    done
    check "$compiler, one command" $compiler -std=c17 $fast -I. first.c binade.c -lm -o first
    check "$compiler, what first.c prints" prints_the_same first
    check "$compiler, portable" $compiler -std=c17 -O0 -DBND_NO_SIMD -I. first.c binade.c -lm -o portable
    check "$compiler, what portable first.c prints" prints_the_same portable
    if echo '#include <omp.h>' | $compiler -fopenmp -fsyntax-only -x c - 2>/dev/null; then
        check "$compiler -fopenmp" $compiler -std=c17 -O2 -fopenmp $warnings -fsyntax-only binade.c
        check "$compiler -fopenmp, freestanding" $compiler -std=c17 $fast -fopenmp -DBND_FREESTANDING -c binade.c -o unit.o
        check "$compiler -fopenmp, freestanding: no threads" starts_no_threads unit.o
    else
        skip "$compiler -fopenmp"
    fi
    if $compiler -std=c17 -ffast-math -fsyntax-only binade.c >/dev/null 2>&1; then
        failed=$((failed + 1))
        echo "FAIL: $compiler -ffast-math is not refused"
    else
        passed=$((passed + 1))
    fi
done <<END
$compilers
END

# ---- C++ ----

printf '#include "binade.h"\nint main() { return bnd_format_count() == 0; }\n' >header.cc
for compiler in g++ clang++; do
    if command -v $compiler >/dev/null 2>&1; then
        check "$compiler -std=c++20" $compiler -std=c++20 -Wall -Wextra -Wshadow -Werror -fsyntax-only header.cc
    else
        skip "$compiler"
    fi
done

# ---- WebAssembly, without a C library ----

linker=$(command -v wasm-ld || command -v wasm-ld-14)
if echo 'int unit;' | clang --target=wasm32 -c -x c - -o probe.o 2>/dev/null && [ -n "$linker" ]; then
    printf '%s\n' memcpy memmove memset memcmp >allowed
    for simd in '' -msimd128; do
        check "wasm32 $simd" clang --target=wasm32 -ffreestanding -nostdlib -std=c17 $fast $warnings $simd -c binade.c -o wasm.o
        check "wasm32 $simd, linked" "$linker" --no-entry --export-all --strip-all --allow-undefined-file=allowed -o binade.wasm wasm.o
        $long && [ -f binade.wasm ] && echo "binade.wasm $simd: $(wc -c <binade.wasm) bytes"
    done
else
    skip "clang with a WebAssembly target, and wasm-ld"
fi

# ---- the number library's tests ----

# A test sees internal names too: those are hidden for other libraries, and not for objects that binade.o is linked with.
if $long; then
    # shellcheck disable=SC2086
    check "$CC -O2" $CC -std=c17 -O2 $warnings -c binade.c -o binade.o
    for room in base format codec arith text bulk block matmul; do
        program=tests_${room}_test_$room
        printf 'include Makefile\nshow:\n\t@echo $(AM_CPPFLAGS) $(CUNIT_CFLAGS); echo $(LDADD) $(%s_LDFLAGS); echo $(%s_SOURCES); echo $(PACKAGE_VERSION)\n' $program $program >"$folder/show.mk"
        (cd "$build" && make -s -f "$folder/show.mk" show) >shown
        flags=$(sed -n 1p shown)
        libraries=$(sed -n 2p shown | sed 's/libbinade-internal\.la/libbinade-laboratory.la/')
        version=$(sed -n 4p shown)
        sources=$(sed -n 3p shown | tr ' ' '\n' | sed -n "s|.*\.c\$|$top/&|p")
        # shellcheck disable=SC2086
        (cd "$build" && objects='' && for source in $sources; do
            $CC -std=c17 -O1 -ffp-contract=off $flags "-DPACKAGE_VERSION=\"$version\"" -c "$source" -o "$folder/$(basename "$source" .c).test.o" || exit 1
            objects="$objects $folder/$(basename "$source" .c).test.o"
        done && ./libtool --quiet --tag=CC --mode=link $CC -o "$folder/test_$room" $objects "$folder/binade.o" $libraries) >said 2>&1 &&
            "./test_$room" >said 2>&1
        if [ $? = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL: tests/$room with binade.c"
            tail -20 said
        fi
    done
fi

echo "$passed passed, $failed failed${skipped:+, $(echo "$skipped" | tr ';' '\n' | wc -l | tr -d ' ') skipped: $skipped}"
[ "$failed" = 0 ]
