# Test vectors: writing, answering and checking them.
labinclude_HEADERS += include/binade-lab/vectors.h
libbinade_laboratory_la_SOURCES += \
	src/check/vectors/case_codes.c \
	src/check/vectors/lines_alike.h \
	src/check/vectors/lines_alike.c \
	src/check/vectors/vectors.h \
	src/check/vectors/vectors.c \
	src/check/vectors/answer.c \
	src/check/vectors/boundaries.c \
	src/check/vectors/coverage.h \
	src/check/vectors/coverage.c \
	src/check/vectors/explain.c \
	src/check/vectors/faults.h \
	src/check/vectors/faults.c \
	src/check/vectors/lines_check.h \
	src/check/vectors/lines_check.c \
	src/check/vectors/strata_results.c \
	src/check/vectors/rule_suspects.c \
	src/check/vectors/strata.h \
	src/check/vectors/strata.c \
	src/check/vectors/drawn_cases.c \
	src/check/vectors/cases.h \
	src/check/vectors/cases.c \
	src/check/vectors/hex_lines.c
