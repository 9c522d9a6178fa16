#include "tests.h"
CU_TestInfo trap_tests[] = {CU_TEST_INFO_NULL};
