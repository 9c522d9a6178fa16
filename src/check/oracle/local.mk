# Layer 3: the independent reference, on MPFR and GMP.
labinclude_HEADERS += include/binade-lab/oracle.h
libbinade_laboratory_la_SOURCES += \
	src/check/oracle/by_mpfr.c \
	src/check/oracle/format_values.c \
	src/check/oracle/exact_number.c \
	src/check/oracle/by_integers.c \
	src/check/oracle/results.c \
	src/check/oracle/answer.c \
	src/check/oracle/elementary.c \
	src/check/oracle/arithmetic.c \
	src/check/oracle/integer_parts.c \
	src/check/oracle/order.c \
	src/check/oracle/number_text.c \
	src/check/oracle/oracle.h \
	src/check/oracle/oracle.c \
	src/check/oracle/operation.c
