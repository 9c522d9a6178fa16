# shellcheck shell=sh disable=SC2034  # variables are shared with the files that source this one
# What shell tests of the command share: a folder of their own, in which they begin, and checks that are counted.
build=${BND_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
. "$(dirname "$0")/../support/program.sh"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
passed=0
failed=0
skipped=0
skips=

# check WHAT COMMAND...
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "does not hold: $what"
    fi
}
equal() { [ "$1" = "$2" ] || { echo "  '$1' is not '$2'"; false; }; }

# skip WHAT: what cannot be checked on this machine.
skip() {
    skipped=$((skipped + 1))
    skips="${skips:+$skips; }$1"
}

# Can mpirun spread the command?
has_mpi() {
    [ -z "${BND_RUNNER-}" ] && command -v mpirun >/dev/null && ldd "$program" 2>/dev/null | grep -q libmpi
}

# Writes one_rank.sh: under mpirun `sh one_rank.sh RANK COMMAND...` runs a command that cannot begin on that rank.
write_one_rank() {
    cat >one_rank.sh <<'END'
[ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" = "$1" ] && export BINADE_BACKEND=none
shift
exec "$@"
END
}

# conclude: says how many, what was skipped, and whether all hold.
conclude() {
    echo "$passed passed, $failed failed, $skipped skipped${skips:+: $skips}"
    [ "$failed" = 0 ]
}
