# Layer 3: the independent judge, on MPFR and GMP.
binadeinclude_HEADERS += include/binade/oracle.h
libbinade_internal_la_SOURCES += \
	src/oracle/by_integers.c \
	src/oracle/by_mpfr.c \
	src/oracle/elementary.c \
	src/oracle/judge.c \
	src/oracle/number.c \
	src/oracle/operation.c \
	src/oracle/oracle.c \
	src/oracle/oracle.h \
	src/oracle/shape.c \
	src/oracle/text.c
