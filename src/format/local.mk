# Layer 2: what a format is, the table of formats, rules and dialects.
binadeinclude_HEADERS += include/binade/format.h
libbinade_internal_la_SOURCES += \
	src/format/derive.c \
	src/format/dialect.c \
	src/format/dialects.def \
	src/format/format.c \
	src/format/format.h \
	src/format/formats.def \
	src/format/name.c \
	src/format/rule.c
