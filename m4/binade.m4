# What configure.ac asks in more than one place.

# BND_TO_INSTALL(WHAT, DEBIAN, FEDORA, ARCH, ALPINE, BREW)
# Adds a paragraph to $bnd_missing that says what is missing and which package has it; BND_OLDER_HERE may have found
# an older version.
AC_DEFUN([BND_TO_INSTALL], [
AS_IF([test -n "$bnd_older"],
  [bnd_missing="$bnd_missing
  $1 is needed; version $bnd_older is here, which is too old.
  Where the package is no newer than that, build the library and name it by its _CFLAGS and _LIBS (configure --help):"],
  [bnd_missing="$bnd_missing
  $1 is missing. It is in the package"])
bnd_older=
bnd_missing="$bnd_missing
    Debian, Ubuntu   $2
    Fedora           $3
    Arch             $4
    Alpine           $5
    macOS (brew)     $6"])

# BND_OLDER_HERE(NAME, HEADER, MAJOR, MINOR, PATCH): sets bnd_older to the version that HEADER says, where it is here.
AC_DEFUN([BND_OLDER_HERE], [
AS_ECHO(["#include <$2>
bnd_version $3 $4 $5"]) >conftest.c
bnd_older=`$CC -E $CPPFLAGS $CFLAGS $$1_CFLAGS conftest.c 2>/dev/null |
  $SED -n 's/^bnd_version \(@<:@0-9@:>@*\) \(@<:@0-9@:>@*\) \(@<:@0-9@:>@*\)$/\1.\2.\3/p'`
rm -f conftest.c
])

# BND_SHARED_LINK: ends configure where GMP, MPFR and jansson cannot become part of a shared library, as their static
# archives often cannot.
AC_DEFUN([BND_SHARED_LINK], [
AC_MSG_CHECKING([whether a shared library links with GMP, MPFR and jansson])
bnd_saved_CFLAGS=$CFLAGS
bnd_saved_LIBS=$LIBS
CFLAGS="$CFLAGS $GMP_CFLAGS $MPFR_CFLAGS $JANSSON_CFLAGS -fPIC -shared"
LIBS="$JANSSON_LIBS $MPFR_LIBS $GMP_LIBS"
AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <gmp.h>
#include <mpfr.h>
#include <jansson.h>
int bnd_unit(const char *text)
{
    mpfr_t x;
    mpz_t z;
    mpfr_init2(x, 53);
    mpz_init(z);
    int status = mpfr_set_str(x, text, 10, MPFR_RNDN) + mpfr_get_z(z, x, MPFR_RNDN) + (json_null() != NULL);
    mpz_clear(z);
    mpfr_clear(x);
    return status;
}]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([a shared library cannot be linked with $LIBS (config.log says why).
  Static archives (.a) of GMP, MPFR or jansson are the usual cause: name the shared ones by GMP_LIBS, MPFR_LIBS and
  JANSSON_LIBS, or configure with --disable-shared.])])
CFLAGS=$bnd_saved_CFLAGS
LIBS=$bnd_saved_LIBS
])

# BND_LINK_OPTION(VARIABLE, OPTION): sets VARIABLE to OPTION if the linker takes it for shared libraries.
AC_DEFUN([BND_LINK_OPTION], [
AC_MSG_CHECKING([whether the linker has $2])
bnd_saved_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -fPIC -shared $2"
AC_LINK_IFELSE([AC_LANG_SOURCE([[int bnd_unit(int x) { return x; }]])],
  [AC_MSG_RESULT([yes])
   $1="$2"],
  [AC_MSG_RESULT([no])])
LDFLAGS=$bnd_saved_LDFLAGS
])

# BND_LIBRARY(NAME, MODULES, LIBS, PROLOGUE, BODY)
# Looks for a library by the first of MODULES that pkg-config knows, or by LIBS where it knows none, and links a program.
# Sets bnd_have_NAME to yes or no, and NAME_CFLAGS and NAME_LIBS, which the caller of configure may set instead.
AC_DEFUN([BND_LIBRARY], [
AC_ARG_VAR([$1_CFLAGS], [C compiler flags for $1, instead of what pkg-config says])
AC_ARG_VAR([$1_LIBS], [linker flags for $1, instead of what pkg-config says])
AC_MSG_CHECKING([for $1])
bnd_cflags=
bnd_libs="$3"
bnd_module_$1=
for bnd_module in $2; do
  AS_IF([test -n "$PKG_CONFIG" && "$PKG_CONFIG" --exists $bnd_module >/dev/null 2>&1],
    [bnd_cflags=`"$PKG_CONFIG" --cflags $bnd_module`; bnd_libs=`"$PKG_CONFIG" --libs $bnd_module`
     bnd_module_$1=$bnd_module
     break])
done
AS_IF([test -n "${$1_LIBS+set}"], [bnd_module_$1=])
AS_IF([test -z "${$1_CFLAGS+set}"], [$1_CFLAGS=$bnd_cflags])
AS_IF([test -z "${$1_LIBS+set}"], [$1_LIBS=$bnd_libs])
bnd_saved_CFLAGS=$CFLAGS
bnd_saved_LIBS=$LIBS
CFLAGS="$CFLAGS $$1_CFLAGS"
LIBS="$$1_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([$4], [$5])], [bnd_have_$1=yes], [bnd_have_$1=no])
CFLAGS=$bnd_saved_CFLAGS
LIBS=$bnd_saved_LIBS
AC_MSG_RESULT([$bnd_have_$1])
])

# BND_PC_LIBRARY(NAME, VERSION): names a library that BND_LIBRARY found in binade.pc, as a module or by its flags.
AC_DEFUN([BND_PC_LIBRARY],
[AS_IF([test -n "$bnd_module_$1"],
  [BND_PC_REQUIRES="${BND_PC_REQUIRES:+$BND_PC_REQUIRES, }$bnd_module_$1$2"],
  [BND_PC_LIBS="${BND_PC_LIBS:+$BND_PC_LIBS }$$1_LIBS"])])

# BND_SWITCH(NAME, HELP): --enable-NAME, off unless asked for; sets enable_NAME to yes or no.
AC_DEFUN([BND_SWITCH], [AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2])], [], [enable_$1=no])])

# BND_NEED_FLAGS(WHAT, FLAGS): adds FLAGS to every compilation and link of the project, or ends configure.
AC_DEFUN([BND_NEED_FLAGS], [
AC_MSG_CHECKING([whether $CC takes $2])
bnd_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $2"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([$1 needs a compiler that compiles and links with $2; $CC does not (see config.log).
  Under Debian and Ubuntu, clang's runtime for it is in the package libclang-rt-VERSION-dev.])])
CFLAGS=$bnd_saved_CFLAGS
BND_CFLAGS="$BND_CFLAGS $2"
BND_LDFLAGS="$BND_LDFLAGS $2"
BND_INSTRUMENT_FLAGS="$BND_INSTRUMENT_FLAGS $2"
])

# BND_OPENMP_RUNTIME: which library must a program name that links the static library? $OPENMP_CFLAGS would do for the
# library's own compiler only, because another compiler has another OpenMP runtime. Sets BND_OPENMP_LIBS.
AC_DEFUN([BND_OPENMP_RUNTIME], [
AC_MSG_CHECKING([for the OpenMP runtime that static programs link])
BND_OPENMP_LIBS=
AC_LANG_CONFTEST([AC_LANG_PROGRAM([[#include <omp.h>]], [[
int sum = 0;
#pragma omp parallel reduction(+ : sum)
sum += omp_get_thread_num();
return sum < 0;]])])
for bnd_libs in -lgomp -lomp -liomp5; do
  AS_IF([$CC $CPPFLAGS $CFLAGS $OPENMP_CFLAGS -c conftest.c -o conftest.$OBJEXT >&AS_MESSAGE_LOG_FD 2>&1 &&
         $CC $CFLAGS $LDFLAGS conftest.$OBJEXT -o conftest$EXEEXT $bnd_libs >&AS_MESSAGE_LOG_FD 2>&1],
    [BND_OPENMP_LIBS=$bnd_libs; break])
done
rm -f conftest.c conftest.$OBJEXT conftest$EXEEXT
AS_IF([test -z "$BND_OPENMP_LIBS"], [BND_OPENMP_LIBS=$OPENMP_CFLAGS])
AC_MSG_RESULT([$BND_OPENMP_LIBS])
])

# BND_BACKEND(NAME, WORD, FLAGS, SOURCE): does the compiler make SOURCE with FLAGS? Then BNDI_WITH_NAME is defined everywhere,
# HAVE_NAME is true for automake, and NAME_FLAGS holds the flags.
AC_DEFUN([BND_BACKEND], [
AC_MSG_CHECKING([whether $CC compiles for $2])
bnd_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $3"
AC_COMPILE_IFELSE([AC_LANG_SOURCE([$4])], [bnd_have_$1=yes], [bnd_have_$1=no])
CFLAGS=$bnd_saved_CFLAGS
AC_MSG_RESULT([$bnd_have_$1])
AS_IF([test "$bnd_have_$1" = yes],
  [BND_CFLAGS="$BND_CFLAGS -DBNDI_WITH_$1"
   bnd_backends="$bnd_backends, $2"])
AM_CONDITIONAL([HAVE_$1], [test "$bnd_have_$1" = yes])
AC_SUBST([$1_FLAGS], ["$3"])
])
