# The page in a browser: a driver of chromium, and the tests that use it.
EXTRA_DIST += \
	tests/page/browser.mjs \
	tests/page/check.mjs \
	tests/page/chromium.mjs \
	tests/page/driver.mjs \
	tests/page/keys.mjs \
	tests/page/links.mjs \
	tests/page/links.tsv \
	tests/page/watch.mjs
