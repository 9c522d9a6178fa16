/* The groups of tests of recipes in runs, and what they share. */
#ifndef TESTS_TRAIN_RECIPES_H
#define TESTS_TRAIN_RECIPES_H

#include "tests.h"

extern CU_TestInfo recipe_memory_tests[];
extern CU_TestInfo recipe_bit_tests[];
extern CU_TestInfo recipe_scale_tests[];
extern CU_TestInfo recipe_place_tests[];
extern CU_TestInfo layer_tests[];

/* Two blocks, with all of a transformer's kinds of parameters. */
bnd_training small_transformer(const char *recipe);

/* Of n elements: how many blocks of `size`. */
size_t blocks(size_t n, size_t size);

#endif
