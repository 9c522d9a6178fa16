# shellcheck shell=sh disable=SC2034  # the variable is for the scripts that source this one
# Sets program to the command of the build in $build. In a build with shared libraries libtool puts a script there, which
# takes longer than most runs and is not the process that a test wants to signal: then it is the program behind it.
program=$build/binade
if [ "$(head -c 2 "$program" 2>/dev/null)" = '#!' ] &&
    LD_LIBRARY_PATH=$build/.libs "$build/.libs/binade" --version >/dev/null 2>&1; then
    program=$build/.libs/binade
    LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi
