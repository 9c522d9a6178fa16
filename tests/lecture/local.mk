UNIT_TESTS += tests/lecture/lecture
tests_lecture_lecture_SOURCES = \
	tests/lecture/flops.c tests/lecture/lecture.c tests/lecture/lecture.h tests/lecture/memory.c \
	tests/lecture/models.c tests/lecture/pointers.c tests/lecture/precision.c tests/lecture/questions.c \
	tests/lecture/support.c
