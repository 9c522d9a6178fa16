#include "tests.h"
CU_TestInfo model_tests[] = {CU_TEST_INFO_NULL};
