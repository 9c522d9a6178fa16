/* placeholder */
#include "tests.h"
CU_TestInfo policy_tests[] = {CU_TEST_INFO_NULL};
