# Layer 9: many runs.
labinclude_HEADERS += include/binade-lab/study.h
libbinade_laboratory_la_SOURCES += \
	src/sim/study/autopsy.c \
	src/sim/study/autopsy.h \
	src/sim/study/bytes.c \
	src/sim/study/checkpoint.c \
	src/sim/study/compare.c \
	src/sim/study/config.c \
	src/sim/study/csv.c \
	src/sim/study/directory.c \
	src/sim/study/findings.c \
	src/sim/study/healing.c \
	src/sim/study/line.c \
	src/sim/study/lines.c \
	src/sim/study/log.c \
	src/sim/study/names.c \
	src/sim/study/points.c \
	src/sim/study/prepare.c \
	src/sim/study/read.c \
	src/sim/study/record.c \
	src/sim/study/run.c \
	src/sim/study/sheet.c \
	src/sim/study/steps.c \
	src/sim/study/sweep.c \
	src/sim/study/verdict.c \
	src/sim/study/study.h
