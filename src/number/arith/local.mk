# Layer 4: one operation: the exact result, rounded once.
binadeinclude_HEADERS += include/binade/arith.h
libbinade_number_la_SOURCES += \
	src/number/arith/arith.h \
	src/number/arith/quick_shared.h \
	src/number/arith/quick_template.h \
	src/number/arith/sum.c \
	src/number/arith/wide.h \
	src/number/arith/wide.c \
	src/number/arith/elementary.h \
	src/number/arith/elementary.c \
	src/number/arith/quotient.c \
	src/number/arith/erf.c \
	src/number/arith/elementary_limits.c \
	src/number/arith/exact_operations.c \
	src/number/arith/operate.c \
	src/number/arith/compare.c \
	src/number/arith/named_calls.c \
	src/number/arith/quick_wide.c \
	src/number/arith/quick.c
