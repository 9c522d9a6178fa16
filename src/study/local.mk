# Layer 9: many runs.
binadeinclude_HEADERS += include/binade/study.h
libbinade_internal_la_SOURCES += \
	src/study/autopsy.c \
	src/study/autopsy.h \
	src/study/bytes.c \
	src/study/checkpoint.c \
	src/study/compare.c \
	src/study/config.c \
	src/study/csv.c \
	src/study/directory.c \
	src/study/findings.c \
	src/study/healing.c \
	src/study/line.c \
	src/study/lines.c \
	src/study/log.c \
	src/study/names.c \
	src/study/points.c \
	src/study/prepare.c \
	src/study/read.c \
	src/study/record.c \
	src/study/run.c \
	src/study/sheet.c \
	src/study/steps.c \
	src/study/sweep.c \
	src/study/verdict.c \
	src/study/study.h
