/* The library compared with the model: every code, scale and value, and no byte written beyond them. */
#include "attempts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16, GUARD_BYTE = 0x5a };

typedef struct answer {
    size_t count, scale_count;
    unsigned char *codes, *scales;
    float *values, *fake;
    float tensor;
    size_t codes_size, scales_size;
} answer;

static bool guarded(const unsigned char *memory, size_t size)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (memory[size + i] != GUARD_BYTE) {
            return false;
        }
    }
    return true;
}

static unsigned char *guarded_memory(size_t size)
{
    unsigned char *memory = memory_of(size + GUARD);
    memset(memory, GUARD_BYTE, size + GUARD);
    return memory;
}

static void close_answer(answer *a)
{
    free(a->codes);
    free(a->scales);
    free(a->values);
    free(a->fake);
}

static void make_room(answer *a, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    a->count = shape.outer * shape.length * shape.inner;
    a->scale_count = bnd_block_scales(block, shape);
    a->scales_size = bnd_block_scales_size(block, shape);
    a->codes_size = bnd_block_codes_size(block, shape, (bnd_packing)how->packing_out);
    a->codes = guarded_memory(a->codes_size);
    a->scales = guarded_memory(a->scales_size);
    a->values = (float *)(void *)guarded_memory(4 * a->count);
    a->fake = (float *)(void *)guarded_memory(4 * a->count);
    memcpy(a->fake, x, 4 * a->count);
}

/* The same with given scales, which stay as they are. */
static bool call_given(answer *a, const float *x, bnd_shape shape, const bnd_block *block,
                       const bnd_given_scales *given, const bnd_array *how)
{
    make_room(a, x, shape, block, how);
    memcpy(a->scales, given->scales, a->scales_size);
    a->tensor = block->tensor ? *given->tensor_scale : 1;
    return bnd_quantize_given_f32(a->codes, NULL, NULL, x, shape, block, given, how, NULL, NULL) == BND_OK &&
           bnd_dequantize_f32(a->values, a->codes, given->scales, a->tensor, shape, block, how, NULL) == BND_OK &&
           bnd_fake_quantize_given_f32(a->fake, a->fake, shape, block, given, how, NULL, NULL) == BND_OK &&
           guarded(a->codes, a->codes_size) && memcmp(a->scales, given->scales, a->scales_size) == 0 &&
           guarded((unsigned char *)a->values, 4 * a->count) && guarded((unsigned char *)a->fake, 4 * a->count);
}

static bool call_all(answer *a, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    make_room(a, x, shape, block, how);
    return bnd_quantize_f32(a->codes, a->scales, &a->tensor, x, shape, block, how, NULL, NULL) == BND_OK &&
           bnd_dequantize_f32(a->values, a->codes, a->scales, a->tensor, shape, block, how, NULL) == BND_OK &&
           bnd_fake_quantize_f32(a->fake, a->fake, shape, block, how, NULL, NULL) == BND_OK &&
           guarded(a->codes, a->codes_size) && guarded(a->scales, a->scales_size) &&
           guarded((unsigned char *)a->values, 4 * a->count) && guarded((unsigned char *)a->fake, 4 * a->count);
}

static void find_amax(double *amax, const float *x, size_t count, bnd_shape shape, const bnd_block *block, bool flush)
{
    for (size_t i = 0; i < count; i++) {
        double *largest = &amax[scale_of(block, shape, i)];
        double magnitude = fabs((double)x[i]);
        magnitude = flush && magnitude < 0x1p-126 ? 0 : magnitude;
        if (magnitude != magnitude || magnitude > *largest) { /* a NaN stays: nothing is larger */
            *largest = magnitude;
        }
    }
}

static bool same_value(uint32_t a, uint32_t b)
{
    bool nan_a = (a & 0x7fffffff) > 0x7f800000, nan_b = (b & 0x7fffffff) > 0x7f800000;
    return (nan_a && nan_b) || a == b;
}

static void print_place(const bnd_block *block, bnd_shape shape, const bnd_array *how, size_t i)
{
    printf("    %s rule=%s %s N=%u packing=%u shape %zu x %zu x %zu, %zu:", block->name,
           bnd_scale_rule_name((bnd_scale_rule)block->rule), bnd_rounding_name(bnd_rule_rounding(how->rule)),
           how->rule.random_bits, how->packing_out, shape.outer, shape.length, shape.inner, i);
}

static void compare_scales(comparison *b, const answer *a, const float *x, const double *amax, double tensor,
                           bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    for (size_t g = 0; g < a->scale_count; g++) {
        uint64_t got = model_scale_code(block, a->scales, g), want = model_scale(block, amax[g], tensor, x, shape, g);
        if (comparison_note(b, got == want)) {
            print_place(block, shape, how, g);
            printf(" amax %a: scale 0x%llx, not 0x%llx\n", amax[g], (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static void compare_element(comparison *b, const answer *a, size_t i, float x, double tensor, bnd_shape shape,
                            const bnd_block *block, const bnd_array *how)
{
    size_t g = scale_of(block, shape, i);
    double scale = scale_value(block, a->scales, g);
    uint64_t want = model_element(block, x, scale, tensor, how, i);
    uint64_t got = code_at(a->codes, block, (bnd_packing)how->packing_out, i);
    if (comparison_note(b, got == model_stored_code(block, want))) {
        print_place(block, shape, how, i);
        printf(" %a / (%a * %a): code 0x%llx, not 0x%llx\n", (double)x, scale, tensor, (unsigned long long)got,
               (unsigned long long)model_stored_code(block, want));
    }
    /* An int8 has one zero: its values come from the code. */
    double element = model_value_of_element(block, want) + (block->integer ? 0.0 : -0.0);
    uint32_t value = model_value(element, scale, tensor);
    uint32_t back = bndi_bits_of_float(a->values[i]), fake = bndi_bits_of_float(a->fake[i]);
    if (comparison_note(b, same_value(back, value) && same_value(fake, value))) {
        print_place(block, shape, how, i);
        printf(" %a / (%a * %a): value 0x%08x in place 0x%08x, not 0x%08x\n", (double)x, scale, tensor, back, fake,
               value);
    }
}

void check_block(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_array *how)
{
    answer a = {.tensor = 1};
    bool called = call_all(&a, x, shape, block, how);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call failed, or wrote behind its output\n");
    }
    double *amax = memory_of(a.scale_count * sizeof(double)), tensor = 1, largest = 0;
    find_amax(amax, x, a.count, shape, block, how->rule.flush_in);
    for (size_t g = 0; g < a.scale_count; g++) {
        largest = amax[g] > largest && !isinf(amax[g]) ? amax[g] : largest;
    }
    if (block->tensor) {
        tensor = model_tensor_scale(block, largest);
        if (comparison_note(b, (double)a.tensor == tensor)) {
            print_place(block, shape, how, 0);
            printf(" tensor's scale %a, not %a\n", (double)a.tensor, tensor);
        }
    }
    compare_scales(b, &a, x, amax, tensor, shape, block, how);
    for (size_t i = 0; i < a.count; i++) {
        compare_element(b, &a, i, x[i], tensor, shape, block, how);
    }
    free(amax);
    close_answer(&a);
}

void check_given(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, const bnd_given_scales *given,
                 const bnd_array *how)
{
    answer a = {.tensor = 1};
    bool called = call_given(&a, x, shape, block, given, how);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call with given scales failed, or wrote behind its output\n");
    }
    for (size_t i = 0; i < a.count; i++) {
        compare_element(b, &a, i, x[i], (double)a.tensor, shape, block, how);
    }
    close_answer(&a);
}

void check_scales(comparison *b, const float *x, bnd_shape shape, const bnd_block *block, float tensor,
                  const bnd_array *how)
{
    answer a = {.tensor = tensor, .count = shape.outer * shape.length * shape.inner};
    const bnd_given_scales given = {.tensor_scale = &tensor};
    a.scale_count = bnd_block_scales(block, shape);
    a.scales_size = bnd_block_scales_size(block, shape);
    a.scales = guarded_memory(a.scales_size);
    double *amax = memory_of(a.scale_count * sizeof(double));
    bool called = bnd_quantize_given_f32(NULL, a.scales, NULL, x, shape, block, &given, how, NULL, NULL) == BND_OK &&
                  guarded(a.scales, a.scales_size);
    if (comparison_note(b, called)) {
        print_place(block, shape, how, 0);
        printf(" a call for scales failed, or wrote behind its output\n");
    }
    find_amax(amax, x, a.count, shape, block, how->rule.flush_in);
    compare_scales(b, &a, x, amax, block->tensor ? (double)tensor : 1, shape, block, how);
    free(amax);
    close_answer(&a);
}
