# The command. It sees the installed API and nothing else of the library.
bin_PROGRAMS += binade
binade_CPPFLAGS = $(PUBLIC_CPPFLAGS) $(POSIX_CPPFLAGS)
binade_CFLAGS = $(AM_CFLAGS) -pthread $(MPI_CFLAGS)
binade_LDADD = libbinade.la $(LIBM) $(MPI_LIBS)
binade_SOURCES = \
	tools/binade/arguments.c \
	tools/binade/cast.h \
	tools/binade/cast_blocks.c \
	tools/binade/cast_convert.c \
	tools/binade/cast_input.c \
	tools/binade/cast_kind.c \
	tools/binade/cast_output.c \
	tools/binade/cast_pipeline.c \
	tools/binade/cast_stats.c \
	tools/binade/calc.h \
	tools/binade/calc_json.c \
	tools/binade/calc_text.c \
	tools/binade/characters.c \
	tools/binade/cmd_bench.c \
	tools/binade/cmd_calc.c \
	tools/binade/cmd_cast.c \
	tools/binade/cmd_compare.c \
	tools/binade/cmd_cost.c \
	tools/binade/cmd_formats.c \
	tools/binade/cmd_help.c \
	tools/binade/cmd_prove.c \
	tools/binade/cmd_range.c \
	tools/binade/cmd_show.c \
	tools/binade/cmd_sweep.c \
	tools/binade/cmd_table.c \
	tools/binade/cmd_train.c \
	tools/binade/cmd_vectors.c \
	tools/binade/command.h \
	tools/binade/completion.c \
	tools/binade/cost.h \
	tools/binade/cost_ask.c \
	tools/binade/cost_print.c \
	tools/binade/explain.c \
	tools/binade/formats.h \
	tools/binade/formats_blocks.c \
	tools/binade/help.c \
	tools/binade/look.c \
	tools/binade/look.h \
	tools/binade/main.c \
	tools/binade/options.c \
	tools/binade/print.c \
	tools/binade/print.h \
	tools/binade/process.c \
	tools/binade/process.h \
	tools/binade/progress.c \
	tools/binade/progress.h \
	tools/binade/prove.h \
	tools/binade/show_table.c \
	tools/binade/sweep.h \
	tools/binade/sweep_mpi.c \
	tools/binade/sweep_result.c \
	tools/binade/table.c \
	tools/binade/train_autopsy.c \
	tools/binade/train_columns.c \
	tools/binade/train_live.c \
	tools/binade/train_notes.c \
	tools/binade/train_options.c \
	tools/binade/train_plot.c \
	tools/binade/train_recipes.c \
	tools/binade/train_result.c \
	tools/binade/train_table.c \
	tools/binade/train_table.h \
	tools/binade/train_texts.c \
	tools/binade/training.h \
	tools/binade/value.c \
	tools/binade/value.h \
	tools/binade/vectors.h \
	tools/binade/vectors_coverage.c \
	tools/binade/vectors_drive.c \
	tools/binade/vectors_judge.c \
	tools/binade/vectors_stream.c \
	tools/binade/version.c
