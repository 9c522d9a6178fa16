# shellcheck shell=sh disable=SC2034,SC2154  # variables are shared with the files that source this one
# Sourced by tools/demo and tools/check: messages, options, logs, and the build in build/.
# The caller has set `top` (the root of the sources) and stands in it.

build=build
logs=$build/log
no_install=no
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

say() { printf '%s\n' "$@"; } # each argument is a line
die() {
    say "$@" >&2
    exit 1
}

# read_options USAGE ARGUMENTS...: the two options of both tools.
read_options() {
    usage=$1
    shift
    for option in "$@"; do
        case $option in
        --no-install) no_install=yes ;;
        -h | --help)
            say "$usage"
            exit 0
            ;;
        *)
            say "unknown option $option" "" "$usage" >&2
            exit 2
            ;;
        esac
    done
    case $top in
    *[[:space:]\\\"\#\$\&\'\`]*)
        die "The path of this folder has a space, a quote or another character that make cannot handle: $top" \
            "Move the folder to a path without any of these, and run this again."
        ;;
    esac
}

# configure and libtool are long scripts, and bash, which configure would choose, takes a third longer over them.
if [ -z "${CONFIG_SHELL-}" ] && command -v dash >/dev/null 2>&1; then
    CONFIG_SHELL=$(command -v dash)
    export CONFIG_SHELL
fi

jobs() { getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null || echo 2; }

# logged LOG COMMAND...: runs it with its output in LOG; on failure shows the end of it.
logged() {
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null && return 0
    say "That failed. The end of $log:"
    tail -n 40 "$log" | sed 's/^/    /'
    return 1
}

configure_is_old() {
    [ ! -f configure ] || [ ! -f Makefile.in ] ||
        [ -n "$(find configure.ac Makefile.am m4/binade.m4 src tools tests doc \
            \( -name local.mk -o -name configure.ac -o -name Makefile.am -o -name binade.m4 \) -newer configure)" ]
}

# What every build needs; the autotools only where configure has to be made.
build_needs() {
    echo compiler make pkg-config gmp mpfr jansson
    configure_is_old && echo autoconf automake libtool
    return 0
}

make_configure() {
    [ ! -f config.status ] ||
        die "The source folder itself is configured. Run 'make distclean' in it: $build/ is the place to build."
    configure_is_old || return 0
    say "Making configure (log: $logs/autoreconf.log)"
    command -v libtoolize >/dev/null 2>&1 || export LIBTOOLIZE=glibtoolize
    logged "$logs/autoreconf.log" autoreconf -fi || return 1
    touch configure
}

# configured DIRECTORY OPTION...: configures there, unless it is already so.
configured() {
    directory=$1
    shift
    [ -f "$directory/Makefile" ] && [ -z "$(find configure -newer "$directory/config.status")" ] &&
        [ "$(cat "$directory/configured-with" 2>/dev/null)" = "$*" ] && return 0
    mkdir -p "$directory"
    # Other options mean other flags, of which make knows nothing.
    [ -f "$directory/Makefile" ] && (cd "$directory" && make clean) >/dev/null 2>&1
    logged "$logs/configure-$(basename "$directory").log" in_folder "$directory" "$top/configure" "$@" || return 1
    echo "$*" >"$directory/configured-with"
}

in_folder() { # in_folder DIRECTORY COMMAND...
    (cd "$1" && shift && "$@")
}
