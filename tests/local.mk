# What `make check` runs: a CUnit program per folder, the golden runs of the command, and the rules of the house. Each
# folder lists its own in a local.mk. BND_TEST_SCALE multiplies the number of random cases.
#
# A program of the tests needs its _SOURCES only: AM_CPPFLAGS and LDADD (Makefile.am) are those of tests.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	BND_BUILD='$(abs_top_builddir)'; export BND_BUILD; \
	CC='$(CC)'; export CC; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; export LSAN_OPTIONS; \
	NM='$(NM)'; export NM; \
	NODE='$(NODE)'; export NODE; \
	CHROMIUM='$(CHROMIUM)'; export CHROMIUM;
EXTRA_DIST += tests/lsan.supp

# Programs that contain these options see allocations fail: the linker leads the calls to support/allocations.c.
if HAVE_WRAP
WRAP_DEFINES = -DBND_WITH_WRAP
WRAP_OPTIONS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup,--wrap=realpath,--wrap=free
endif

# What tests share.
check_LTLIBRARIES = libtestsupport.la
libtestsupport_la_SOURCES = tests/support/decimals.c tests/support/decimals.h tests/support/machine.c tests/support/machine.h tests/support/memory.c tests/support/memory.h \
	tests/support/operands.c tests/support/operands.h tests/support/outcome.c tests/support/outcome.h \
	tests/support/plain.h
if HAVE_CUNIT
libtestsupport_la_SOURCES += tests/support/allocations.c tests/support/allocations.h tests/support/comparison.c \
	tests/support/comparison.h tests/support/folder.c tests/support/folder.h tests/support/suites.c tests/support/suites.h \
	tests/support/tensors.c tests/support/tensors.h
endif

# Tests begin in this order: those that take longest come first, so that none is left alone at the end.
UNIT_TESTS =
TESTS += tests/page/run.sh tests/cli/run.sh tests/amalgamation.sh tests/house.sh
if HAVE_CUNIT
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
include $(top_srcdir)/tests/bulk/local.mk
include $(top_srcdir)/tests/arith/local.mk
include $(top_srcdir)/tests/tensor/local.mk
include $(top_srcdir)/tests/train/local.mk
include $(top_srcdir)/tests/study/local.mk
include $(top_srcdir)/tests/block/local.mk
include $(top_srcdir)/tests/matmul/local.mk
include $(top_srcdir)/tests/text/local.mk
include $(top_srcdir)/tests/codec/local.mk
include $(top_srcdir)/tests/base/local.mk
include $(top_srcdir)/tests/format/local.mk
include $(top_srcdir)/tests/oracle/local.mk
include $(top_srcdir)/tests/calc/local.mk
include $(top_srcdir)/tests/report/local.mk
include $(top_srcdir)/tests/store/local.mk
include $(top_srcdir)/tests/tokens/local.mk
include $(top_srcdir)/tests/scan/local.mk
include $(top_srcdir)/tests/checkpoint/local.mk
include $(top_srcdir)/tests/lint/local.mk
include $(top_srcdir)/tests/convert/local.mk
include $(top_srcdir)/tests/diff/local.mk
include $(top_srcdir)/tests/policy/local.mk
include $(top_srcdir)/tests/lecture/local.mk
include $(top_srcdir)/tests/cost/local.mk
include $(top_srcdir)/tests/verify/local.mk
include $(top_srcdir)/tests/vectors/local.mk
include $(top_srcdir)/tests/cli/local.mk
include $(top_srcdir)/tests/page/local.mk
include $(top_srcdir)/tests/npm/local.mk
include $(top_srcdir)/tests/python/local.mk
include $(top_srcdir)/tests/torch/local.mk
include $(top_srcdir)/tests/hardware/local.mk
include $(top_srcdir)/tests/exhaustive/local.mk
include $(top_srcdir)/tests/experiments/local.mk
include $(top_srcdir)/tests/fuzz/local.mk

TESTS += tests/support/skipped.sh
EXTRA_DIST += tests/amalgamation.sh tests/house.sh tests/support/checks.py tests/support/program.sh tests/support/python.sh tests/support/skipped.sh

# What tools/check runs under the sanitizers: tests that run C code of that build. Left out are tests of other builds (the
# page, the npm package, the library in two files, Python's), of texts, and those that ask the command what the golden
# runs have asked it. tools/dev/check-builds clang-sanitize runs them all.
NOT_SANITIZED = \
	tests/amalgamation.sh tests/cli/completion.sh tests/cli/manual.sh tests/hardware/run.sh tests/house.sh \
	tests/npm/run.sh tests/page/run.sh tests/python/%.sh tests/support/skipped.sh tests/torch/%.sh tests/train/lost_updates.sh
check-sanitized:
	BND_GOLDEN=cli $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out $(NOT_SANITIZED),$(TESTS))'
.PHONY: check-sanitized
