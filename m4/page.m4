# BND_PAGE: what builds and tests the page. WASM_CC, NODE, ESBUILD, CHROMIUM; HAVE_PAGE_TOOLS, HAVE_PAGE; bnd_page says it.

# BND_PAGE_LACK(WHAT, PACKAGES OF DEBIAN)
AC_DEFUN([BND_PAGE_LACK], [bnd_page_lacks="${bnd_page_lacks:+$bnd_page_lacks, }$1 (Debian: $2)"])

# The first of CLANGS that compiles and links for WASI with SIMD.
AC_DEFUN([BND_WASM_CC], [
  AC_ARG_VAR([WASM_CC], [clang that makes WebAssembly with wasi-libc and lld, for the page])
  AC_MSG_CHECKING([for a clang that makes WebAssembly])
  cat >conftest.c <<'WASM'
#include <math.h>
#include <stdio.h>
#include <wasm_simd128.h>
__attribute__((export_name("run"))) int run(int n) { printf("%g\n", ldexp(1.0, n)); return wasm_v128_any_true(wasm_i32x4_splat(n)); }
WASM
  bnd_wasm_cc=
  for bnd_candidate in ${WASM_CC:-clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14}; do
    AS_IF([$bnd_candidate --target=wasm32-wasi -O2 -msimd128 -mexec-model=reactor conftest.c -o conftest.wasm >&AS_MESSAGE_LOG_FD 2>&1 &&
           test -s conftest.wasm], [bnd_wasm_cc=$bnd_candidate; break])
  done
  rm -f conftest.c conftest.wasm
  WASM_CC=$bnd_wasm_cc
  AC_MSG_RESULT([${WASM_CC:-no}])
  AS_IF([test -z "$WASM_CC"], [BND_PAGE_LACK([clang with wasi-libc], [clang lld wasi-libc libclang-rt-dev-wasm32])])
])

AC_DEFUN([BND_NODE], [
  AC_ARG_VAR([NODE], [node 18 or newer, for the page])
  AC_CHECK_PROGS([NODE], [node nodejs])
  AS_IF([test -n "$NODE" && $NODE -e 'process.exit(Number(process.versions.node.split(".")@<:@0@:>@) >= 18 ? 0 : 1)' 2>&AS_MESSAGE_LOG_FD],
    [], [NODE=; BND_PAGE_LACK([node 18 or newer], [nodejs])])
])

AC_DEFUN([BND_PAGE], [
  AC_ARG_ENABLE([page], [AS_HELP_STRING([--disable-page], [do not build the page, binade.html])], [], [enable_page=yes])
  bnd_page_lacks=
  BND_WASM_CC
  BND_NODE
  AC_ARG_VAR([ESBUILD], [esbuild, for the page])
  AC_CHECK_PROGS([ESBUILD], [esbuild])
  AS_IF([test -z "$ESBUILD"], [BND_PAGE_LACK([esbuild], [esbuild])])
  AC_ARG_VAR([CHROMIUM], [chromium, for the tests of the page])
  AC_PATH_PROGS([CHROMIUM], [chromium chromium-browser google-chrome-stable google-chrome])

  bnd_page_tools=no
  bnd_page_here=yes
  AS_IF([test "$enable_page" = no], [bnd_page_here=no; bnd_page="not built: --disable-page"; bnd_page_lacks=--disable-page],
    [test -z "$bnd_page_lacks"], [bnd_page_tools=yes; bnd_page="built"],
    [test -f "$srcdir/tools/page/binade.html"], [bnd_page="that of the release"],
    [bnd_page_here=no; bnd_page="not built: missing $bnd_page_lacks"; bnd_page_lacks="missing $bnd_page_lacks"])
  AS_IF([test "$bnd_page_here" = yes && test -z "$CHROMIUM"],
    [bnd_page="$bnd_page; not tested in a browser: chromium is missing (Debian: chromium)"])
  AC_SUBST([PAGE_LACKS], [$bnd_page_lacks])
  AM_CONDITIONAL([HAVE_PAGE_TOOLS], [test "$bnd_page_tools" = yes])
  AM_CONDITIONAL([HAVE_PAGE], [test "$bnd_page_here" = yes])
])
