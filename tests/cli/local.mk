# Runs what stands in tests/cli/*.txt and in the console blocks of the Markdown pages.
check_PROGRAMS += tests/cli/transcript
tests_cli_transcript_CPPFLAGS = $(POSIX_CPPFLAGS) -I$(top_srcdir)
tests_cli_transcript_LDADD =
tests_cli_transcript_SOURCES = \
	tests/cli/compare.c tests/cli/merge.c tests/cli/shell.c tests/cli/text.c tests/cli/transcript.c tests/cli/transcript.h

# `binade verify` of something that is wrong.
check_PROGRAMS += tests/cli/verify_wrong
tests_cli_verify_wrong_CPPFLAGS = $(COMMAND_CPPFLAGS)
tests_cli_verify_wrong_LDADD = libbinade-lab.la libbinade.la $(LIBM)
tests_cli_verify_wrong_SOURCES = \
	tests/cli/verify_wrong.c tools/binade/common/arguments.c tools/binade/common/characters.c \
	tools/binade/common/help.c tools/binade/common/messages.c tools/binade/common/options.c \
	tools/binade/common/print.c tools/binade/common/progress.c tools/binade/common/rules.c \
	tools/binade/common/table.c tools/binade/common/values.c tools/binade/verify/cmd_verify.c tools/binade/verify/print.c \
	tools/binade/verify/state.c
TESTS += tests/cli/block.sh tests/cli/clock.sh tests/cli/cast_streams.sh tests/cli/completion.sh tests/cli/links.sh \
	tests/cli/manual.sh \
	tests/cli/process.sh tests/cli/quantize_killed.sh tests/cli/report_commands.sh tests/cli/sweep_killed.sh \
	tests/cli/train_ranks.sh \
	tests/cli/update.sh
EXTRA_DIST += \
	tests/cli/bench.txt tests/cli/block.sh tests/cli/block.txt tests/cli/calc.txt tests/cli/cast.txt \
	tests/cli/cast_streams.sh tests/cli/checks.sh \
	tests/cli/clock.sh tests/cli/compare.txt tests/cli/diff.txt tests/cli/completion.sh tests/cli/cost.txt tests/cli/evaluate.txt \
	tests/cli/examples.txt tests/cli/formats.txt tests/cli/help.txt tests/cli/inputs.txt tests/cli/layers.txt tests/cli/lint.txt tests/cli/layouts.txt tests/cli/links.sh tests/cli/manual.sh \
	tests/cli/process.sh \
	tests/cli/quantize.txt tests/cli/quantize_killed.sh tests/cli/range.txt tests/cli/relayout.txt tests/cli/report.txt tests/cli/report_commands.sh tests/cli/scan.txt tests/cli/run.sh tests/cli/show.txt tests/cli/sweep.txt tests/cli/sweep_killed.sh \
	tests/cli/train.txt tests/cli/train_parts.txt tests/cli/train_ranks.sh tests/cli/update.sh tests/cli/vectors.txt tests/cli/verify.txt
