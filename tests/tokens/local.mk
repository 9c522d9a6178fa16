UNIT_TESTS += tests/tokens/test_tokens
tests_tokens_test_tokens_SOURCES = tests/tokens/test_tokens.c
tests_tokens_test_tokens_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

check_PROGRAMS += tests/tokens/encode
tests_tokens_encode_SOURCES = tests/tokens/encode.c
TESTS += tests/tokens/agree.sh
EXTRA_DIST += tests/tokens/agree.sh tests/tokens/reference.py
