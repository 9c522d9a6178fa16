# Test vectors: written, answered, judged.
labinclude_HEADERS += include/binade-lab/vectors.h
libbinade_laboratory_la_SOURCES += \
	src/check/vectors/vectors.c \
	src/check/vectors/vectors.h \
	src/check/vectors/alike.c \
	src/check/vectors/alike.h \
	src/check/vectors/answer.c \
	src/check/vectors/boundaries.c \
	src/check/vectors/cases.c \
	src/check/vectors/cases.h \
	src/check/vectors/check.c \
	src/check/vectors/check.h \
	src/check/vectors/coverage.c \
	src/check/vectors/coverage.h \
	src/check/vectors/explain.c \
	src/check/vectors/lines.c \
	src/check/vectors/results.c \
	src/check/vectors/sample.c \
	src/check/vectors/strata.c \
	src/check/vectors/strata.h \
	src/check/vectors/suspects.c
