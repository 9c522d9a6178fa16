UNIT_TESTS += tests/oracle/test_oracle
tests_oracle_test_oracle_SOURCES = \
	tests/oracle/test_engines.c tests/oracle/test_hardware.c tests/oracle/test_known.c \
	tests/oracle/test_limits.c tests/oracle/test_operations.c tests/oracle/test_oracle.c tests/oracle/tests.h
