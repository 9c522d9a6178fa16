# Published results at small scale, and doc/dev/experiment-log.md with their results: `make experiments NAMES='fp8 mx'` runs some of
# them; BND_EXPERIMENT_SCALE=10 makes ten times the steps. Complete runs are not repeated.
EXTRA_DIST += \
	tests/experiments/accumulators.sh tests/experiments/attention.sh tests/experiments/failing.sh \
	tests/experiments/flash.py tests/experiments/flash.sh \
	tests/experiments/fp8.sh tests/experiments/fp8large.sh tests/experiments/fp8lm.sh tests/experiments/large.sh \
	tests/experiments/lib.sh \
	tests/experiments/micikevicius.sh tests/experiments/mx.sh tests/experiments/mx8.sh tests/experiments/nvfp4.sh \
	tests/experiments/optimizers.py tests/experiments/optimizers.sh \
	tests/experiments/page.sh tests/experiments/quantizers.py tests/experiments/quantizers.sh \
	tests/experiments/run.sh tests/experiments/student.sh \
	tests/experiments/threshold.py tests/experiments/threshold.sh \
	tests/experiments/verdicts.sh tests/experiments/zamirai.sh
check_PROGRAMS += tests/experiments/resample
tests_experiments_resample_SOURCES = tests/experiments/resample.c
experiments: binade$(EXEEXT) tests/experiments/resample$(EXEEXT) tests/tensor/cast_through$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/experiments/run.sh $(NAMES)
.PHONY: experiments
