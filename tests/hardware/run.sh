#!/bin/sh
# Units in SystemVerilog, right and with one fault each: an adder and a multiplier in fp16, bf16 and fp32, and fp32 to
# e4m3 with and without saturation. `binade vectors check` must find nothing wrong with the right ones, and the cases
# that it asks by default must catch every mutant that is not equivalent to the right unit.
#
# run.sh [--long]: --long also asks each mutant by a pipe, and the right units many more cases (minutes). UNITS names
# some of the units.
# Skipped where Verilator 5 or a C++ compiler is missing.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
. "$top/tests/support/program.sh"
binade="${BND_RUNNER:+$BND_RUNNER }$program"
here=$top/tests/hardware
work=$build/tests/hardware.units # not where sources are, should the build be in their folder
long=${1-}

# Mutants that compute what the right unit computes, and why. "UNIT MUTANT": where the default has every combination of
# codes (e4m3ieee), that none of them differs is the demonstration.
# add_e4m3ieee 3, 61: with 3 fraction bits these inputs of the sticky bit are always 0.
# add_e4m3ieee 63: there is no distance above 3 and below 3.
# mul_e4m3ieee 6: no product of two odd numbers of at most 4 bits is a tie from 2 on that goes up.
# mul_e4m3ieee 11: no product of 4-bit significands begins with four ones.
# cvt_nan 23, 24: without saturation infinities and signaling NaNs have the same answer, 7f and invalid.
equivalent='add_e4m3ieee 3
add_e4m3ieee 61
add_e4m3ieee 63
mul_e4m3ieee 6
mul_e4m3ieee 11
cvt_nan 23
cvt_nan 24'

skip() {
    echo "1 skipped: $1"
    exit 77
}
command -v verilator >/dev/null 2>&1 || skip "Verilator (Debian, Ubuntu: verilator)"
version=$(verilator --version | sed -n 's/^Verilator \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 5 ] || skip "Verilator 5 or newer (this is $(verilator --version))"
compiler=${CXX:-c++}
command -v "$compiler" >/dev/null 2>&1 || skip "units in SystemVerilog, which need a C++ compiler ($compiler)"

# ---- one program of all units: units UNIT [MUTANT] ----

verilate() { # verilate NAME MODULE PARAMETER...
    name=$1
    module=$2
    shift 2
    verilator --cc -O3 -Wall -Wno-fatal --prefix "V$name" -Mdir "$work/V$name" --top-module "$module" "$@" "$here/$module.sv"
}

# clang uses gcc's libatomic for what it does not inline.
links() {
    # shellcheck disable=SC2086  # options are words
    $compiler all.o verilated.o threads.o -pthread -o units.new 2>/dev/null ||
        $compiler all.o verilated.o threads.o -pthread -latomic -o units.new
}

make_units() {
    cd "$work" || return 1
    for unit in add mul; do
        verilate "${unit}_fp16" "f$unit" -GE=5 -GF=10 && verilate "${unit}_bf16" "f$unit" -GE=8 -GF=7 &&
            verilate "${unit}_fp32" "f$unit" -GE=8 -GF=23 && verilate "${unit}_e4m3ieee" "f$unit" -GE=4 -GF=3 || return 1
    done
    verilate cvt_sat cvt "-GSATURATE=1'b1" && verilate cvt_nan cvt "-GSATURATE=1'b0" || return 1
    for source in V*/*.cpp "$here/units.cpp"; do
        printf '#undef VL_PCH_INCLUDED\n#include "%s"\n' "$source" # which newer Verilators define once a unit
    done >all.cpp
    root=$(verilator --getenv VERILATOR_ROOT)/include
    includes="-I. -isystem $root -isystem $root/vltstd"
    for folder in V*/; do
        includes="$includes -I$folder"
    done
    options="-std=c++17 -O1 -w -DVM_TRACE=0 -DVM_COVERAGE=0 -DVM_SC=0"
    # shellcheck disable=SC2086  # options are words
    {
        $compiler $options $includes -c "$root/verilated.cpp" -o verilated.o &
        $compiler $options $includes -c "$root/verilated_threads.cpp" -o threads.o &&
            $compiler $options $includes -c all.cpp -o all.o && wait $! &&
            links && mv units.new units
    }
}

stale() {
    [ ! -x "$work/units" ] || [ -n "$(find "$here" -newer "$work/units" -type f)" ]
}
if stale; then
    rm -rf "$work" && mkdir -p "$work" || exit 99
    make_units >"$work/build.log" 2>&1 || {
        cat "$work/build.log"
        echo "the units cannot be built"
        exit 1
    }
fi
cd "$work" || exit 99

# ---- what each unit is asked ----

question() { # question UNIT: what `binade vectors` is told
    case $1 in
    cvt_sat) echo "--op convert --in fp32 --out e4m3 --nan canonical --overflow saturate" ;;
    cvt_nan) echo "--op convert --in fp32 --out e4m3 --nan canonical --overflow format" ;;
    *) echo "--op ${1%_*} --in ${1#*_}" ;;
    esac
}

failed=0
fail() {
    echo "FAIL: $1"
    failed=1
}

check_right() { # check_right UNIT OPTION...
    unit=$1
    shift
    # shellcheck disable=SC2046  # options are words
    $binade vectors check $(question "$unit") "$@" -- ./units "$unit" >report.txt || {
        head -n 8 report.txt
        fail "the right $unit does not agree $*"
    }
}

words() { # words TEXT: how many
    # shellcheck disable=SC2086  # words
    set -- $1
    echo $#
}

# Every mutant of a unit, on the lines that `vectors check` asks by default.
survey() { # survey UNIT
    # shellcheck disable=SC2046  # options are words
    if ! $binade vectors gen $(question "$1") >vectors.txt || ! ./units "$1" survey vectors.txt >survey.txt; then
        fail "$1 cannot be surveyed"
        return
    fi
    [ "$(sed -n 's/^0 //p' survey.txt)" = 0 ] || fail "$1: the right unit gets lines wrong"
    all=$(($(wc -l <survey.txt) - 1))
    survivors=$(awk '$1 != 0 && $2 == 0 { printf "%s%s", blank, $1; blank = " " }' survey.txt)
    expected=$(echo "$equivalent" | awk -v unit="$1" '$1 == unit { printf "%s%s", blank, $2; blank = " " }')
    [ "$survivors" = "$expected" ] || fail "$1: not caught: ${survivors:-none}; equivalent: ${expected:-none}"
    printf '%-14s %8d %8d %8d %8d\n' "$1" "$(($(wc -l <vectors.txt) - 1))" "$((all - $(words "$survivors")))" "$all" \
        "$(words "$expected")"
}

# By a pipe, as a person would ask.
check_mutant() { # check_mutant UNIT MUTANT
    # shellcheck disable=SC2046  # options are words
    $binade vectors check $(question "$1") --show 0 -- ./units "$1" "$2" >report.txt
    [ $? = 1 ] || fail "mutant $2 of $1 was not caught"
}

units=${UNITS:-add_fp16 add_bf16 add_fp32 add_e4m3ieee mul_fp16 mul_bf16 mul_fp32 mul_e4m3ieee cvt_sat cvt_nan}
printf '%-14s %8s %8s %8s %8s\n' unit lines caught mutants equivalent
for unit in $units; do
    check_right "$unit"
    survey "$unit"
done
check_mutant add_fp32 64 # the sticky bit is lost far away
check_mutant mul_fp16 6  # ties of products from 2 on are truncated
check_mutant cvt_sat 13  # exactly 480
check_mutant cvt_sat 27  # the shift amount has five bits

# The test bench of doc/tutorials/test-your-unit.md: the unit in SystemVerilog answers as the one in C does.
check_example() {
    question='--op convert --in fp32 --out e4m3 --overflow saturate'
    # shellcheck disable=SC2086  # options are words
    {
        verilator --binary -Mdir example "$top/doc/examples/unit_tb.sv" "$top/doc/examples/unit.sv" &&
            $binade vectors gen $question --memh >vectors.hex &&
            ./example/Vunit_tb +count="$(grep -vc '^//' vectors.hex)" &&
            awk '{ print $1 }' answers.txt | "$build/doc/examples/unit" >expected.txt &&
            awk '{ print $2 }' answers.txt | cmp - expected.txt && [ -s expected.txt ]
    } >example.log 2>&1 || fail "the test bench of the tutorial (see $work/example.log)"
}
if [ -x "$build/doc/examples/unit" ]; then
    if command -v g++ >/dev/null 2>&1; then # verilator --binary calls it by this name
        check_example
    else
        echo "1 skipped: the test bench of the tutorial (g++)"
    fi
fi
if [ "$long" = --long ]; then
    for unit in $units; do
        check_right "$unit" --level 2
        check_right "$unit" -n 3000000 --seed 1
        survey "$unit" >/dev/null
        for mutant in $(awk '$2 != 0 { print $1 }' survey.txt); do
            check_mutant "$unit" "$mutant"
        done
    done
fi
exit $failed
