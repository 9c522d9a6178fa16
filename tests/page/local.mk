# run.sh tests the page in node, and in a chromium with a driver of our own.

# The page's reading of JSON against jansson.
UNIT_TESTS += tests/page/test_jansson
tests_page_test_jansson_SOURCES = tests/page/describe_template.h tests/page/jansson_page.c tests/page/jansson_real.c \
	tests/page/test_jansson.c

# Many numbers, natively and as WebAssembly: tests/page/wasm.mjs compares the two.
check_PROGRAMS += tests/page/bits
tests_page_bits_SOURCES = tests/page/bits.c
if HAVE_PAGE_TOOLS
check_DATA += tools/page/bits.wasm
CLEANFILES += tools/page/bits.wasm
tools/page/bits.wasm: tests/page/bits.c tools/page/binade.html
	$(AM_V_GEN)$(MAKE) -s -f $(top_srcdir)/tools/page/wasm.mk TOP='$(top_srcdir)' OUT=tools/page WASM_CC='$(WASM_CC)' \
		VERSION='$(PACKAGE_VERSION)' $@
endif

EXTRA_DIST += \
	tests/page/address.mjs \
	tests/page/array.mjs \
	tests/page/array_files.mjs \
	tests/page/block.mjs \
	tests/page/browser.mjs \
	tests/page/chart.mjs \
	tests/page/check.mjs \
	tests/page/checkpoint.mjs \
	tests/page/chromium.mjs \
	tests/page/core.mjs \
	tests/page/driver.mjs \
	tests/page/files.mjs \
	tests/page/formats.mjs \
	tests/page/hostile.mjs \
	tests/page/keys.mjs \
	tests/page/libraries.mjs \
	tests/page/links.mjs \
	tests/page/links.tsv \
	tests/page/native.mjs \
	tests/page/nonsense.mjs \
	tests/page/number.mjs \
	tests/page/page.mjs \
	tests/page/quotients.mjs \
	tests/page/run.mjs \
	tests/page/run.sh \
	tests/page/speed.mjs \
	tests/page/sum.mjs \
	tests/page/train.mjs \
	tests/page/wasm.mjs \
	tests/page/watch.mjs
