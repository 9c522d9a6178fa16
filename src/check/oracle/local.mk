# Layer 3: the independent judge, on MPFR and GMP.
labinclude_HEADERS += include/binade-lab/oracle.h
libbinade_laboratory_la_SOURCES += \
	src/check/oracle/by_integers.c \
	src/check/oracle/by_mpfr.c \
	src/check/oracle/elementary.c \
	src/check/oracle/judge.c \
	src/check/oracle/number.c \
	src/check/oracle/operation.c \
	src/check/oracle/oracle.c \
	src/check/oracle/oracle.h \
	src/check/oracle/shape.c \
	src/check/oracle/text.c
