# shellcheck shell=sh disable=SC2154  # variables are shared with the files that source this one
# Sourced by tools/demo and tools/check: what is needed, how to see whether it is here, and which package has it.
# A need has a short name (compiler, mpfr ...). Nothing here calls a package manager while nothing is missing.

# What configure lets the library look for (bnd_openblas in configure.ac).
openblas_names='libopenblas.so.0 libopenblas.so.3 libopenblas.so libopenblas.dylib libopenblas.0.dylib
    /opt/homebrew/opt/openblas/lib/libopenblas.dylib /usr/local/opt/openblas/lib/libopenblas.dylib'

# compiles PROGRAM FLAGS...: whether a compiler of this machine makes a program of it.
compiles() {
    program=$1
    shift
    for candidate in ${CC:+"$CC"} gcc cc clang; do
        # shellcheck disable=SC2086  # CC may be a command with arguments
        printf '%s\n' "$program" | $candidate -x c - -o "$scratch/probe" "$@" >/dev/null 2>&1 && return 0
    done
    return 1
}

module_flags() { # module_flags MODULE FALLBACK: what a compiler needs to use a library
    for asked in pkg-config pkgconf; do
        "$asked" --cflags --libs "$1" 2>/dev/null && return 0
    done
    echo "$2"
}

# has_python MODULES: whether Debian's Python, or the PATH's, has these modules.
has_python() {
    /usr/bin/python3 -c "import $*" >/dev/null 2>&1 || python3 -c "import $*" >/dev/null 2>&1
}

# shellcheck disable=SC2046,SC2086  # flags and names are words
is_here() { # is_here NEED
    case $1 in
    compiler) compiles '#include <stdio.h>
int main(void) { return puts("") < 0; }' ;;
    make | autoconf | automake | clang | verilator) command -v "$1" >/dev/null 2>&1 ;;
    libtool) command -v libtoolize >/dev/null 2>&1 || command -v glibtoolize >/dev/null 2>&1 ;;
    pkg-config) command -v pkg-config >/dev/null 2>&1 || command -v pkgconf >/dev/null 2>&1 ;;
    gmp) compiles '#include <gmp.h>
int main(void) { mpz_t z; mpz_init(z); mpz_clear(z); return 0; }' $(module_flags gmp -lgmp) ;;
    mpfr) compiles '#include <mpfr.h>
#if MPFR_VERSION < MPFR_VERSION_NUM(4, 1, 0)
#error "too old"
#endif
int main(void) { mpfr_t x; mpfr_init2(x, 53); mpfr_clear(x); return 0; }' \
        $(module_flags mpfr -lmpfr) $(module_flags gmp -lgmp) ;;
    jansson) compiles '#include <jansson.h>
#if JANSSON_VERSION_HEX < 0x020b00
#error "too old"
#endif
int main(void) { return json_null() == NULL; }' $(module_flags jansson -ljansson) ;;
    cunit) compiles '#include <CUnit/Basic.h>
int main(void) { return (int)CU_initialize_registry(); }' $(module_flags cunit -lcunit) ;;
    clang-runtime) sanitizes clang ;;
    # What builds the page, as configure looks for it (m4/page.m4).
    webassembly) printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' |
        ${WASM_CC:-clang} --target=wasm32-wasi -x c - -o "$scratch/probe.wasm" >/dev/null 2>&1 ;;
    node) for candidate in node nodejs; do
        "$candidate" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2>/dev/null && return 0
    done && false ;;
    esbuild) command -v esbuild >/dev/null 2>&1 ;;
    chromium) command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
        command -v google-chrome-stable >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 ;;
    numpy) has_python numpy ;;
    pytest) has_python numpy, pytest ;;
    python-pip) has_python numpy, venv, ensurepip, pip ;;
    random123) compiles '#include <Random123/philox.h>
int main(void) { return 0; }' ;;
    openblas) compiles '#include <dlfcn.h>
int main(int argc, char **names)
{
    for (int i = 1; i < argc; i++) {
        if (dlopen(names[i], RTLD_NOW)) {
            return 0;
        }
    }
    return 1;
}' -ldl && "$scratch/probe" $openblas_names ;;
    *) die "is_here: no need is called $1" ;;
    esac
}

sanitizes() { # sanitizes COMPILER: whether it builds with the address and the undefined-behaviour sanitizer
    printf 'int main(void) { return 0; }\n' |
        "$1" -fsanitize=address,undefined -x c - -o "$scratch/sanitized" >/dev/null 2>&1
}

package_manager() {
    for manager in apt-get dnf pacman apk brew; do
        command -v "$manager" >/dev/null 2>&1 && echo "$manager" && return
    done
}

# The version of a library that is here and too old, in words; nothing where it is not here.
too_old() { # too_old NEED
    case $1 in
    mpfr) header=mpfr.h macro=MPFR_VERSION_STRING least=4.1 ;;
    jansson) header=jansson.h macro=JANSSON_VERSION least=2.11 ;;
    *) return 0 ;;
    esac
    for candidate in ${CC:+"$CC"} gcc cc clang; do
        # shellcheck disable=SC2046,SC2086  # flags are words, and CC may be a command with arguments
        version=$(printf '#include <%s>\nbnd_version %s\n' "$header" "$macro" |
            $candidate -E $(module_flags "$1" "") - 2>/dev/null | sed -n 's/^bnd_version "\(.*\)"$/\1/p')
        [ -z "$version" ] || {
            say "$1 $version is here, which is too old: $least or newer is needed. Where the package is no newer," \
                "build the library and set $(echo "$1" | tr '[:lower:]' '[:upper:]')_CFLAGS and _LIBS (configure --help)."
            return 0
        }
    done
}

package_of() { # package_of MANAGER NEED: nothing where it has none
    case $1:$2 in
    apt-get:compiler) echo gcc libc6-dev ;;
    apt-get:mpfr) echo libmpfr-dev ;;
    apt-get:gmp) echo libgmp-dev ;;
    apt-get:jansson) echo libjansson-dev ;;
    apt-get:cunit) echo libcunit1-dev ;;
    apt-get:numpy | dnf:numpy) echo python3-numpy ;;
    apt-get:pytest | dnf:pytest) echo python3-pytest ;;
    apt-get:python-pip) echo python3-venv python3-pip ;;
    dnf:python-pip) echo python3-pip ;;
    apt-get:random123) echo librandom123-dev ;;
    apt-get:openblas) echo libopenblas0 ;;
    pacman:numpy | pacman:pytest | pacman:python-pip) echo "python-${2#python-}" ;;
    apk:numpy | apk:pytest) echo "py3-$2" ;;
    apk:python-pip) echo py3-pip ;;
    brew:python-pip) echo python ;;
    apt-get:webassembly) echo clang lld wasi-libc libclang-rt-dev-wasm32 ;;
    apt-get:node | dnf:node | pacman:node | apk:node) echo nodejs ;;
    pacman:webassembly | apk:webassembly) echo clang lld wasi-libc wasi-compiler-rt ;;
    dnf:webassembly | dnf:esbuild | brew:webassembly | brew:chromium) ;;
    apt-get:clang-runtime) echo "libclang-rt-$(clang_major)-dev" ;;
    dnf:compiler) echo gcc glibc-devel ;;
    dnf:mpfr) echo mpfr-devel ;;
    dnf:gmp) echo gmp-devel ;;
    dnf:jansson) echo jansson-devel ;;
    dnf:cunit) echo CUnit-devel ;;
    dnf:pkg-config) echo pkgconf-pkg-config ;;
    apk:compiler) echo gcc musl-dev ;;
    apk:mpfr) echo mpfr-dev ;;
    apk:gmp) echo gmp-dev ;;
    apk:jansson) echo jansson-dev ;;
    apk:cunit) echo cunit-dev ;;
    brew:compiler | brew:clang) echo llvm ;;
    pacman:compiler) echo gcc ;;
    pacman:pkg-config | apk:pkg-config | brew:pkg-config) echo pkgconf ;;
    brew:clang-runtime) echo llvm ;;
    *:clang-runtime) echo compiler-rt ;;
    *:random123) ;;
    *) echo "$2" ;;
    esac
}

clang_major() {
    clang --version 2>/dev/null | sed -n 's/.*version \([0-9][0-9]*\).*/\1/p' | head -n 1
}

missing() { # missing NEED...: prints those that are not here
    for need in "$@"; do
        is_here "$need" || echo "$need"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    elif command -v doas >/dev/null 2>&1; then
        doas "$@"
    else
        echo "needs root, sudo or doas to run: $*"
        return 1
    fi
}

call_manager() { # call_manager MANAGER PACKAGE...
    manager=$1
    shift
    case $manager in
    apt-get)
        [ -n "${lists_updated-}" ] || as_root apt-get -q update </dev/null ||
            echo "apt-get update failed: trying with the old lists"
        lists_updated=yes
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
            install --no-install-recommends "$@" </dev/null
        ;;
    dnf) as_root dnf -y --setopt=install_weak_deps=False install "$@" </dev/null ;;
    pacman) as_root pacman -Sy --noconfirm --needed "$@" </dev/null ;;
    apk) as_root apk add --no-progress "$@" </dev/null ;;
    brew) brew install --quiet "$@" </dev/null ;;
    esac
}

# shellcheck disable=SC2086,SC2116  # needs are words
# provide NEED...: installs what is missing of it, or says what is missing; fails where something still is.
provide() {
    lacking=$(missing "$@")
    [ -z "$lacking" ] && return 0
    manager=$(package_manager)
    packages=
    for need in $lacking; do
        package=$(package_of "${manager:-apt-get}" "$need")
        packages="$packages${package:+ $package}"
    done
    for need in $lacking; do
        too_old "$need"
    done
    [ -n "$packages" ] || {
        say "Missing here: $(echo $lacking). $manager has no package of it that this script knows."
        return 1
    }
    if [ "$no_install" = yes ] || [ -z "$manager" ]; then
        say "Missing here: $(echo $lacking). Packages${manager:+ for $manager}:$packages"
        if [ "$no_install" = yes ]; then
            say "Nothing was installed, because of --no-install."
        else
            say "No package manager that this script knows (apt-get, dnf, pacman, apk, brew) is here: install these first."
        fi
        return 1
    fi
    say "Installing with $manager:$packages"
    call_manager "$manager" $packages >>"$logs/install.log" 2>&1 || {
        say "$manager did not install them; the end of $logs/install.log:"
        tail -n 12 "$logs/install.log"
        return 1
    }
    lacking=$(missing "$@")
    [ -z "$lacking" ] || {
        say "Still missing after installing: $(echo $lacking) (see $logs/install.log)"
        return 1
    }
    provided=yes
}
