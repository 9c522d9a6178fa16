#!/bin/sh
# How fast `binade cast` is beside `cat file > other`, interleaved, and how much memory it takes at most.
#
#     tools/bench/cast.sh [MIB [ROUNDS]]       4096 MiB of fp32 and 5 rounds by default
#
# Needs about twice the space in TMPDIR (/tmp), which is given back. BINADE names the command; the one in build/ otherwise.
set -eu
size=${1:-4096}
rounds=${2:-5}
binade=${BINADE:-$(cd "$(dirname "$0")/../.." && pwd)/build/binade}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch"

# Ordinary numbers: random bytes, read as codes of fp16 (one in 32 is NaN or infinite, which no policy may slow down).
head -c 8388608 /dev/urandom | "$binade" cast --from fp16 --to fp32 - part
i=0
while [ "$i" -lt "$size" ]; do
    cat part
    i=$((i + 16))
done >in
cat in >/dev/null # into the cache, as far as it holds it

measure() { # measure NAME COMMAND...: seconds and KiB into the file NAME
    name=$1
    shift
    rm -f out
    sync
    began=$(date +%s.%N)
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f %M -o memory "$@"
    else
        "$@"
        echo 0 >memory
    fi
    echo "$(date +%s.%N) $began $(cat memory)" | awk '{ printf "%.3f %d\n", $1 - $2, $3 }' >>"$name"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    measure cat sh -c 'cat in >out'
    for format in bf16 e4m3 e3m2 fp32; do
        measure "$format" "$binade" cast --from fp32 --to "$format" in out
    done
    measure stats "$binade" cast --from fp32 --to e4m3 --json in out 2>/dev/null
    round=$((round + 1))
done

median() { sort -n "$1" | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }
peak() { awk '$2 > most { most = $2 } END { printf "%.1f", most / 1024 }' "$1"; }
base=$(median cat)
echo "$size MiB of fp32, medians of $rounds interleaved rounds; ratio: cat's time by its time"
printf '%-22s %8s %7s %9s\n' '' seconds ratio 'peak MiB'
printf '%-22s %8s %7s %9s\n' 'cat' "$base" 1.00 "$(peak cat)"
for name in bf16 e4m3 e3m2 fp32 stats; do
    time=$(median "$name")
    case $name in
    stats) what='fp32 to e4m3, --json' ;;
    *) what="fp32 to $name" ;;
    esac
    printf '%-22s %8s %7s %9s\n' "$what" "$time" "$(awk "BEGIN { printf \"%.2f\", $base / $time }")" "$(peak "$name")"
done
