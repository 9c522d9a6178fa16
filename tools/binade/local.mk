# The command. Of the library it sees the installed API, and of store/ the headers that tools/dev/check-layers names.
bin_PROGRAMS += binade
COMMAND_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/src/files $(POSIX_CPPFLAGS) -I$(top_srcdir)/tools/binade \
	-DPKGDATADIR='"$(pkgdatadir)"'
binade_CPPFLAGS = $(COMMAND_CPPFLAGS)
binade_CFLAGS = $(AM_CFLAGS) -pthread $(MPI_CFLAGS)
binade_LDADD = libbinade-lab.la libbinade.la $(LIBM) $(MPI_LIBS)
binade_SOURCES = \
	tools/binade/main.c \
	tools/binade/common/arguments.c \
	tools/binade/common/characters.c \
	tools/binade/common/command.h \
	tools/binade/common/help.c \
	tools/binade/common/messages.c \
	tools/binade/common/options.c \
	tools/binade/common/page.c \
	tools/binade/common/page.h \
	tools/binade/common/print.c \
	tools/binade/common/print.h \
	tools/binade/common/process.c \
	tools/binade/common/process.h \
	tools/binade/common/progress.c \
	tools/binade/common/progress.h \
	tools/binade/common/recipes.c \
	tools/binade/common/recipes.h \
	tools/binade/common/rules.c \
	tools/binade/common/svg.c \
	tools/binade/common/svg.h \
	tools/binade/common/table.c \
	tools/binade/common/values.c \
	tools/binade/common/version.c \
	tools/binade/bench/cmd_bench.c \
	tools/binade/block/block.h \
	tools/binade/block/cmd_block.c \
	tools/binade/block/print.c \
	tools/binade/block/scales.c \
	tools/binade/calc/calc.h \
	tools/binade/calc/cmd_calc.c \
	tools/binade/calc/json.c \
	tools/binade/calc/text.c \
	tools/binade/cast/blocks.c \
	tools/binade/cast/cast.h \
	tools/binade/cast/cmd_cast.c \
	tools/binade/cast/convert.c \
	tools/binade/cast/input.c \
	tools/binade/cast/kind.c \
	tools/binade/cast/output.c \
	tools/binade/cast/pipeline.c \
	tools/binade/cast/stats.c \
	tools/binade/compare/cmd_compare.c \
	tools/binade/cost/ask.c \
	tools/binade/cost/cmd_cost.c \
	tools/binade/cost/cost.h \
	tools/binade/cost/memory_picture.c \
	tools/binade/cost/options.c \
	tools/binade/cost/print.c \
	tools/binade/cost/roofline_picture.c \
	tools/binade/cost/trained.c \
	tools/binade/diff/cmd_diff.c \
	tools/binade/diff/diff.h \
	tools/binade/diff/json.c \
	tools/binade/diff/text.c \
	tools/binade/evaluate/cmd_evaluate.c \
	tools/binade/evaluate/evaluate.h \
	tools/binade/evaluate/print.c \
	tools/binade/formats/blocks.c \
	tools/binade/formats/cmd_formats.c \
	tools/binade/formats/facts.c \
	tools/binade/formats/formats.h \
	tools/binade/help/cmd_help.c \
	tools/binade/help/completion.c \
	tools/binade/help/full.c \
	tools/binade/help/help.h \
	tools/binade/help/man.c \
	tools/binade/help/page.c \
	tools/binade/help/page.h \
	tools/binade/lint/cmd_lint.c \
	tools/binade/lint/lint.h \
	tools/binade/lint/print.c \
	tools/binade/lint/layouts.c \
	tools/binade/lint/tables.c \
	tools/binade/page/cmd_page.c \
	tools/binade/quantize/cmd_quantize.c \
	tools/binade/quantize/print.c \
	tools/binade/quantize/quantize.h \
	tools/binade/range/bars.c \
	tools/binade/range/cmd_range.c \
	tools/binade/range/picture.c \
	tools/binade/range/range.h \
	tools/binade/report/cmd_report.c \
	tools/binade/report/commands.c \
	tools/binade/report/curves.c \
	tools/binade/report/html.c \
	tools/binade/report/html.h \
	tools/binade/report/parts.h \
	tools/binade/report/recipes.c \
	tools/binade/report/report.c \
	tools/binade/report/report.h \
	tools/binade/report/runs.c \
	tools/binade/report/sweeps.c \
	tools/binade/scan/cmd_scan.c \
	tools/binade/scan/data.c \
	tools/binade/scan/scan.h \
	tools/binade/scan/text.c \
	tools/binade/show/cmd_show.c \
	tools/binade/show/dialects.c \
	tools/binade/show/draw.c \
	tools/binade/show/explain.c \
	tools/binade/show/gap.c \
	tools/binade/show/json.c \
	tools/binade/show/link.c \
	tools/binade/show/look.c \
	tools/binade/show/picture.c \
	tools/binade/show/look.h \
	tools/binade/show/table.c \
	tools/binade/show/value.c \
	tools/binade/show/value.h \
	tools/binade/sweep/cmd_sweep.c \
	tools/binade/sweep/mpi.c \
	tools/binade/sweep/result.c \
	tools/binade/sweep/summary.c \
	tools/binade/sweep/sweep.h \
	tools/binade/table/cmd_table.c \
	tools/binade/train/autopsy.c \
	tools/binade/train/autopsy_text.c \
	tools/binade/train/choices.c \
	tools/binade/train/cmd_train.c \
	tools/binade/train/columns.c \
	tools/binade/train/conclusion.c \
	tools/binade/train/dump.c \
	tools/binade/train/failure.c \
	tools/binade/train/live.c \
	tools/binade/train/memory.c \
	tools/binade/train/notes.c \
	tools/binade/train/options.c \
	tools/binade/train/peak.c \
	tools/binade/train/plot.c \
	tools/binade/train/rates.c \
	tools/binade/train/read_runs.c \
	tools/binade/train/recipes.c \
	tools/binade/train/result.c \
	tools/binade/train/table.c \
	tools/binade/train/table.h \
	tools/binade/train/tasks.c \
	tools/binade/train/texts.c \
	tools/binade/train/training.h \
	tools/binade/vectors/cmd_vectors.c \
	tools/binade/vectors/coverage.c \
	tools/binade/vectors/describe.c \
	tools/binade/vectors/drive.c \
	tools/binade/vectors/judge.c \
	tools/binade/vectors/report.c \
	tools/binade/vectors/stream.c \
	tools/binade/vectors/vectors.h \
	tools/binade/verify/candidate.c \
	tools/binade/verify/candidate.h \
	tools/binade/verify/cmd_verify.c \
	tools/binade/verify/print.c \
	tools/binade/verify/state.c \
	tools/binade/verify/verify.h

# The texts of its man pages, in C.
nodist_binade_SOURCES = tools/binade/help/man_text.c
EXTRA_DIST += tools/binade/help/texts.awk
CLEANFILES += tools/binade/help/man_text.c
tools/binade/help/man_text.c: $(MANUAL_TEXT) tools/binade/help/texts.awk
	$(AM_V_GEN)$(MKDIR_P) tools/binade/help
	$(AM_V_at)to=$$(pwd)/$@ && cd $(srcdir) && LC_ALL=C $(AWK) -f tools/binade/help/texts.awk $(MANUAL_TEXT) >"$$to.new" && mv "$$to.new" "$$to"
