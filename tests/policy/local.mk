UNIT_TESTS += tests/policy/test_policy
tests_policy_test_policy_SOURCES = \
	tests/policy/test_layers.c tests/policy/test_policy.c tests/policy/tests.h
