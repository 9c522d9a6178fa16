# Layer 9: many runs.
labinclude_HEADERS += include/binade-lab/study.h include/binade-lab/sweep.h include/binade-lab/autopsy.h
libbinade_laboratory_la_SOURCES += \
	src/sim/study/study.h \
	src/sim/study/text_buffer.c \
	src/sim/study/file_lines.c \
	src/sim/study/run_names.c \
	src/sim/study/record.c \
	src/sim/study/verdict.c \
	src/sim/study/config.c \
	src/sim/study/metrics_line.c \
	src/sim/study/run_directory.c \
	src/sim/study/log_columns.c \
	src/sim/study/points.h \
	src/sim/study/points_columns.c \
	src/sim/study/points_json.c \
	src/sim/study/points_csv.c \
	src/sim/study/points_read.c \
	src/sim/study/config_read.c \
	src/sim/study/settings.c \
	src/sim/study/record_read.c \
	src/sim/study/record_csv.c \
	src/sim/study/metrics_csv.c \
	src/sim/study/checkpoint.c \
	src/sim/study/run_prepare.c \
	src/sim/study/run_steps.c \
	src/sim/study/runs.c \
	src/sim/study/pairs.h \
	src/sim/study/pairs.c \
	src/sim/study/compare.c \
	src/sim/study/curve.c \
	src/sim/study/recipe_choice.c \
	src/sim/study/summary.c \
	src/sim/study/summary_numbers.c \
	src/sim/study/sweep.c \
	src/sim/study/conclusion.c \
	src/sim/study/notes.c \
	src/sim/study/trained_weights.c \
	src/sim/study/evaluate.c \
	src/sim/study/findings.c \
	src/sim/study/autopsy_outcome.c \
	src/sim/study/healing.c \
	src/sim/study/autopsy.h \
	src/sim/study/autopsy.c
