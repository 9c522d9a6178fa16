# Layer 2: what a format is, the table of formats, rules and dialects.
binadeinclude_HEADERS += include/binade/format.h
libbinade_number_la_SOURCES += \
	src/number/format/derive.c \
	src/number/format/dialects.def \
	src/number/format/dialect.c \
	src/number/format/rule.c \
	src/number/format/format.h \
	src/number/format/constant.h \
	src/number/format/formats.def \
	src/number/format/format.c \
	src/number/format/name.c
