# Benchmarks: `make bench` builds and runs them; BENCH= gives options, for example BENCH='--size L2 --case e4m3'.
EXTRA_PROGRAMS += tools/bench/bench
tools_bench_bench_CPPFLAGS = $(PUBLIC_CPPFLAGS) $(POSIX_CPPFLAGS)
tools_bench_bench_LDADD = libbinade.la $(LIBM)
tools_bench_bench_SOURCES = \
	tools/bench/bench.h \
	tools/bench/cases.c \
	tools/bench/main.c \
	tools/bench/run.c

BENCH =
bench: tools/bench/bench
	tools/bench/bench $(BENCH)
.PHONY: bench
