#!/bin/sh
# What a golden run cannot show of `binade cast`: nothing partial stays behind where a signal, a full disk or a limit
# ends it; memory is constant; permissions are kept; a bar appears where it is asked for.
# shellcheck disable=SC2012,SC3045  # names are plain here, and a shell without ulimit -v is found out
. "$(dirname "$0")/checks.sh"

# shellcheck disable=SC2086  # BND_RUNNER may have arguments
binade() { ${BND_RUNNER-} "$program" "$@"; }
only() { # only FILE...: nothing else is here
    equal "$(echo *)" "$*"
}

# A signal in the middle: the output's old bytes stay, the temporary file goes.
interrupt() { # interrupt SIGNAL
    mkfifo pipe
    exec 3<>pipe # for both, so that nobody waits for the other end
    printf before >out
    # shellcheck disable=SC2086
    ${BND_RUNNER-} "$program" cast --from fp32 --to bf16 pipe out 2>/dev/null 3<&- &
    process=$!
    head -c 3000000 /dev/zero >&3 &
    feeder=$!
    tries=0
    while [ "$(echo out.*.part)" = 'out.*.part' ] && [ "$tries" -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    check "a temporary file stands beside (SIG$1)" test -n "$(ls out.*.part 2>/dev/null)"
    kill -"$1" "$process"
    wait "$process"
    ended=$?
    kill "$feeder" 2>/dev/null
    exec 3>&-
    check "SIG$1 ends it" test "$ended" -gt 128
    check "the old output is there after SIG$1" equal "$(cat out)" before
    rm -f pipe
    check "nothing else is there after SIG$1" only out
    rm -f out
}
for name in TERM HUP; do # SIGINT is ignored in what a shell has put in the background
    if sh -c "kill -$name \$\$; exit 0" 2>/dev/null; then
        skip "SIG$name, which the caller ignores (nohup)"
    else
        interrupt "$name"
    fi
done

# A file larger than allowed, as a disk that fills up: 512-byte blocks.
head -c 4000000 /dev/zero >in
check "a limit on files is said" equal "$(
    ulimit -f 1000
    binade cast --from fp32 --to fp16 in out 2>&1
    echo "status $?"
)" "binade cast: out cannot be written: File too large
status 3"
check "no partial file" only in
printf before >out
(
    ulimit -f 1000
    binade cast --from fp32 --to fp16 in out 2>/dev/null
)
check "the old file is still there" equal "$(cat out)" before
rm -f out

# Permissions: those of the file that is replaced, or those of any new file.
umask 022
binade cast --from fp32 --to fp16 in out
check "a new file's permissions" equal "$(ls -l out | cut -c1-10)" -rw-r--r--
chmod 600 out
binade cast --from fp32 --to fp16 in out
check "a replaced file's permissions" equal "$(ls -l out | cut -c1-10)" -rw-------
ln -s out link
binade cast --from fp32 --to e4m3 in link
check "a link stays a link" test -L link
check "and leads to what was written" equal "$(wc -c <out | tr -d ' ')" 1000000
rm -f out link

# Standard error closed: no message may end up in the data.
(binade cast --from fp32 --to fp16 --stats in out 2>&-)
check "nothing but data in the output" equal "$(wc -c <out | tr -d ' ')" 2000000
rm -f out in

# A gibibyte through 256 MiB of address space; sanitizers and emulators need more for themselves.
if (ulimit -v 262144 && binade --version) >/dev/null 2>&1; then
    dd if=/dev/zero of=large bs=1 count=0 seek=1073741824 2>/dev/null
    (ulimit -v 262144 && binade cast -j 1 --from fp32 --to e4m3 large /dev/null)
    check "memory is constant" equal "$?" 0
    printf before >out
    check "a block format needs memory, and says so" equal "$(
        ulimit -v 262144
        binade cast -j 1 --from fp32 --via mxfp8 large out 2>&1 | cut -c 1-37
    )" "binade cast: out of memory: large has"
    rm -f large
    check "nothing partial is left of it" only out
    check "and the old output is there" equal "$(cat out)" before
    rm -f out
else
    skip "limited memory: the program does not start in 256 MiB"
fi

# The bar: on no terminal only where it is asked for.
head -c 8000000 /dev/zero >in
check "no bar on a pipe" equal "$(binade cast --from fp32 --to fp16 in out 2>&1)" ""
check "a bar where it is asked for" equal \
    "$(binade cast --from fp32 --to fp16 --progress=always in out 2>&1 | tr '\r' '\n' | tail -n 1 | cut -c1-60)" \
    "cast [########################] 100%  7.63 MiB of 7.63 MiB, "
rm -f in out
check "nothing is left" only '*'

conclude
