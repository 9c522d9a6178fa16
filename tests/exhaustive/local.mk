# The long-running checks: `make check-exhaustive` runs `binade verify --exhaustive`, which compares with the oracle, and
# these programs, which compare with something else. That takes hours; `make check-exhaustive ROWS=fp16,e4m3
# MODES=rne,rtz JOBS=2` runs a part. A stopped check resumes.
EXHAUSTIVE = \
	tests/exhaustive/bulk tests/exhaustive/causes tests/exhaustive/decimals tests/exhaustive/large
EXTRA_PROGRAMS += $(EXHAUSTIVE)
CLEANFILES += $(EXHAUSTIVE)
EXHAUSTIVE_SHARED = tests/exhaustive/common.h tests/exhaustive/options.c tests/exhaustive/pool.c tests/exhaustive/state.c
EXHAUSTIVE_SAMPLE = tests/exhaustive/sample.c tests/exhaustive/sample.h
tests_exhaustive_bulk_SOURCES = $(EXHAUSTIVE_SHARED) tests/exhaustive/bulk.c
tests_exhaustive_decimals_SOURCES = $(EXHAUSTIVE_SHARED) tests/exhaustive/decimals.c
tests_exhaustive_large_SOURCES = $(EXHAUSTIVE_SHARED) tests/exhaustive/large.c
tests_exhaustive_causes_SOURCES = $(STUDY_CAUSES) tests/exhaustive/causes.c

# `make check` runs a stratified part of these. Random calls share files with tests that need CUnit.
if HAVE_CUNIT
check_PROGRAMS += tests/exhaustive/arrays tests/exhaustive/products
TESTS += tests/exhaustive/arrays tests/exhaustive/products
RANDOM_CALLS = tests/exhaustive/arrays$(EXEEXT) tests/exhaustive/products$(EXEEXT)
RANDOM_CALLS_NAMES = arrays products
endif
tests_exhaustive_arrays_SOURCES = $(EXHAUSTIVE_SHARED) $(BULK_MODEL) tests/bulk/draws.c tests/bulk/draws.h \
	tests/exhaustive/random.c tests/exhaustive/random.h tests/exhaustive/arrays.c
tests_exhaustive_products_SOURCES = $(EXHAUSTIVE_SHARED) $(BULK_MODEL) tests/bulk/draws.c tests/bulk/draws.h \
	tests/matmul/model.c tests/matmul/model.h tests/exhaustive/random.c tests/exhaustive/random.h \
	tests/exhaustive/products.c
check_PROGRAMS += tests/exhaustive/cuda tests/exhaustive/cuda_dialects tests/exhaustive/hardware
TESTS += tests/exhaustive/cuda tests/exhaustive/cuda_dialects tests/exhaustive/hardware
tests_exhaustive_hardware_SOURCES = $(EXHAUSTIVE_SHARED) $(EXHAUSTIVE_SAMPLE) tests/exhaustive/hardware.c

# CUDA's headers are C++, and need nothing of its library.
EXTRA_DIST += tests/exhaustive/cuda_conversions.def tests/exhaustive/cuda_judge.cc
if HAVE_CUDA
CUDA_DEFINES = -DBND_HAVE_CUDA
CUDA_OBJECTS = tests/exhaustive/cuda_judge.$(OBJEXT)
CLEANFILES += $(CUDA_OBJECTS)
endif
tests/exhaustive/cuda_judge.$(OBJEXT): tests/exhaustive/cuda_judge.cc tests/exhaustive/cuda_conversions.def \
		tests/exhaustive/cuda_judge.h include/binade/format.h
	$(AM_V_GEN)$(MKDIR_P) tests/exhaustive && $(CXX) -std=c++17 -fno-exceptions -fno-rtti $(CUDA_CPPFLAGS) $(PUBLIC_CPPFLAGS) \
		-O2 -g -c -o $@ $(top_srcdir)/tests/exhaustive/cuda_judge.cc
tests_exhaustive_cuda_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_DEFINES)
tests_exhaustive_cuda_LDADD = $(CUDA_OBJECTS) $(LDADD)
tests_exhaustive_cuda_DEPENDENCIES = $(CUDA_OBJECTS) libtestsupport.la libbinade-internal.la
tests_exhaustive_cuda_SOURCES = $(EXHAUSTIVE_SHARED) $(EXHAUSTIVE_SAMPLE) tests/exhaustive/cuda_judge.h tests/exhaustive/cuda.c
tests_exhaustive_cuda_dialects_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_DEFINES)
tests_exhaustive_cuda_dialects_LDADD = $(CUDA_OBJECTS) $(LDADD)
tests_exhaustive_cuda_dialects_DEPENDENCIES = $(CUDA_OBJECTS) libtestsupport.la libbinade-internal.la
tests_exhaustive_cuda_dialects_SOURCES = $(EXHAUSTIVE_SHARED) $(EXHAUSTIVE_SAMPLE) tests/exhaustive/cuda_judge.h tests/exhaustive/cuda_dialects.c

check-exhaustive: binade$(EXEEXT) $(EXHAUSTIVE) $(RANDOM_CALLS) amalgamation/binade.c libtestsupport.la tests/exhaustive/cuda$(EXEEXT) tests/exhaustive/hardware$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/hardware/run.sh --long || test $$? = 77
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/amalgamation.sh --long
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/fuzz/simulator.sh 50000 || test $$? = 77
	@$(AM_TESTS_ENVIRONMENT) ROUNDS=1000 LENGTH=1048576 $(SHELL) $(top_srcdir)/tests/page/run.sh \
		$(abs_top_srcdir)/tests/page/nonsense.mjs || test $$? = 77
	@$(AM_TESTS_ENVIRONMENT) ROWS='$(ROWS)' MODES='$(MODES)' JOBS='$(JOBS)' \
	$(SHELL) $(top_srcdir)/tests/check-exhaustive.sh causes $(RANDOM_CALLS_NAMES) bulk large cuda hardware
.PHONY: check-exhaustive
EXTRA_DIST += tests/check-exhaustive.sh
