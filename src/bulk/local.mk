# Layer 5: arrays.
binadeinclude_HEADERS += include/binade/bulk.h
libbinade_internal_la_SOURCES += \
	src/bulk/array.c \
	src/bulk/bulk.h \
	src/bulk/context.c \
	src/bulk/memory.c \
	src/bulk/plan.c \
	src/bulk/portable.c \
	src/bulk/stats.c \
	src/bulk/stats.h \
	src/bulk/words.h
