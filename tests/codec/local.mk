UNIT_TESTS += tests/codec/test_codec
tests_codec_test_codec_SOURCES = \
	tests/codec/test_codec.c tests/codec/test_codes.c tests/codec/test_dialects.c tests/codec/test_float.c \
	tests/codec/test_midpoints.c tests/codec/test_order.c tests/codec/test_sources.c tests/codec/test_stochastic.c tests/codec/test_wide.c \
	tests/codec/test_witnesses.c tests/codec/tests.h
