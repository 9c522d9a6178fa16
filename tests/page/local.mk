# The page in a browser: a driver of chromium, and the tests that use it.
# The page's reading of JSON against jansson.
UNIT_TESTS += tests/page/test_jansson
tests_page_test_jansson_SOURCES = tests/page/describe_template.h tests/page/jansson_page.c tests/page/jansson_real.c \
	tests/page/test_jansson.c

EXTRA_DIST += \
	tests/page/browser.mjs \
	tests/page/check.mjs \
	tests/page/chromium.mjs \
	tests/page/driver.mjs \
	tests/page/keys.mjs \
	tests/page/links.mjs \
	tests/page/links.tsv \
	tests/page/native.mjs \
	tests/page/sum.mjs \
	tests/page/watch.mjs
