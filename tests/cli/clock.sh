#!/bin/sh
# A monotonic clock that runs backwards, as a virtual machine's may, does not keep `binade train` from ending: what
# measures the machine counts its rounds too. The clock is put before the C library's by LD_PRELOAD.
binade=${BND_BUILD:?}/binade
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/clock.c" <<'CLOCK'
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static long seconds = 1000000;
    (void)clock;
    *t = (struct timespec){.tv_sec = seconds--, .tv_nsec = 0};
    return 0;
}
CLOCK
skips() {
    echo "1 skipped: the clock: $1"
    exit 77
}
command -v timeout >/dev/null 2>&1 || skips "timeout is not here"
# shellcheck disable=SC2086  # CC may be a command with arguments
${CC:-cc} -shared -fPIC -o "$scratch/clock.so" "$scratch/clock.c" 2>/dev/null || skips "no shared library to preload"
LD_PRELOAD=$scratch/clock.so "$binade" --version >/dev/null 2>&1 ||
    skips "this build does not run with a library before its own (AddressSanitizer does not)"
LD_PRELOAD=$scratch/clock.so timeout 60 "$binade" train --model linear --width 4 --steps 2 --recipe fp32 \
    --out "$scratch/run" >"$scratch/output" 2>&1 || {
    echo "clock: train under a clock that runs backwards: exit status $?"
    tail -n 5 "$scratch/output"
    exit 1
}
echo "clock: train ends under a clock that runs backwards"
