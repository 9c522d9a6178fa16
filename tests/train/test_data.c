#include "tests.h"
CU_TestInfo data_tests[] = {CU_TEST_INFO_NULL};
