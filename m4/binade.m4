# What configure.ac asks in more than one place.

# BND_TO_INSTALL(WHAT, DEBIAN, FEDORA, ARCH, ALPINE, BREW)
# Adds a paragraph to $bnd_missing that says what is missing and which package has it.
AC_DEFUN([BND_TO_INSTALL], [bnd_missing="$bnd_missing
  $1 is missing. It is in the package
    Debian, Ubuntu   $2
    Fedora           $3
    Arch             $4
    Alpine           $5
    macOS (brew)     $6"])

# BND_LIBRARY(NAME, MODULE, LIBS, PROLOGUE, BODY)
# Looks for a library by pkg-config's MODULE, or by LIBS where pkg-config does not know it, and links a program with it.
# Sets bnd_have_NAME to yes or no, and NAME_CFLAGS and NAME_LIBS, which the caller of configure may set instead.
AC_DEFUN([BND_LIBRARY], [
AC_ARG_VAR([$1_CFLAGS], [C compiler flags for $1, instead of what pkg-config says])
AC_ARG_VAR([$1_LIBS], [linker flags for $1, instead of what pkg-config says])
AC_MSG_CHECKING([for $1])
AS_IF([test -n "$PKG_CONFIG" && "$PKG_CONFIG" --exists $2 >/dev/null 2>&1],
  [bnd_cflags=`"$PKG_CONFIG" --cflags $2`; bnd_libs=`"$PKG_CONFIG" --libs $2`],
  [bnd_cflags=; bnd_libs="$3"])
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
