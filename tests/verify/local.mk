UNIT_TESTS += tests/verify/test_verify
tests_verify_test_verify_SOURCES = \
	tests/verify/test_proofs.c tests/verify/test_verify.c tests/verify/tests.h
