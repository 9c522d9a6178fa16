# Layer 4: one operation: the exact result, rounded once.
binadeinclude_HEADERS += include/binade/arith.h
libbinade_internal_la_SOURCES += \
	src/arith/arith.h \
	src/arith/compare.c \
	src/arith/elementary.c \
	src/arith/elementary.h \
	src/arith/function.c \
	src/arith/normal.c \
	src/arith/operate.c \
	src/arith/operation.c \
	src/arith/quick.c \
	src/arith/quick.h \
	src/arith/quick_wide.c \
	src/arith/quick_ways.h \
	src/arith/quotient.c \
	src/arith/single.c \
	src/arith/sum.c \
	src/arith/wide.c \
	src/arith/wide.h
