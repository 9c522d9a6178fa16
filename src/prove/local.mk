# Layer 8: this build against the oracle.
binadeinclude_HEADERS += include/binade/prove.h
libbinade_internal_la_SOURCES += \
	src/prove/proof.c \
	src/prove/proof.h \
	src/prove/proof_answers.c \
	src/prove/proof_answers.h \
	src/prove/proof_arrays.c \
	src/prove/proof_codes.c \
	src/prove/proof_functions.c \
	src/prove/proof_judge.c \
	src/prove/proof_narrow.c \
	src/prove/proof_narrow.h \
	src/prove/proof_numbers.c \
	src/prove/proof_operands.c \
	src/prove/proof_operands.h \
	src/prove/proof_operations.c \
	src/prove/vectors.c \
	src/prove/vectors.h \
	src/prove/vectors_alike.c \
	src/prove/vectors_alike.h \
	src/prove/vectors_answer.c \
	src/prove/vectors_boundaries.c \
	src/prove/vectors_cases.c \
	src/prove/vectors_cases.h \
	src/prove/vectors_check.c \
	src/prove/vectors_check.h \
	src/prove/vectors_coverage.c \
	src/prove/vectors_coverage.h \
	src/prove/vectors_explain.c \
	src/prove/vectors_lines.c \
	src/prove/vectors_results.c \
	src/prove/vectors_sample.c \
	src/prove/vectors_strata.c \
	src/prove/vectors_strata.h \
	src/prove/vectors_suspects.c
