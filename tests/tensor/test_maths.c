/* placeholder */
#include "tests.h"
CU_TestInfo maths_tests[] = {CU_TEST_INFO_NULL};
