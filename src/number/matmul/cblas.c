/* OpenBLAS, loaded at run time: nothing is linked with it, and it is loaded only if a call requests it. A build
 * configured with --without-cblas never loads it. */
#include "matmul/matmul.h"

#if defined(BNDI_CBLAS)
#include <dlfcn.h>
#include <string.h>
#endif

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

typedef void sgemm_call(int order, int of_a, int of_b, int m, int n, int k, float alpha, const float *a, int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);
typedef void set_threads_call(int threads);
typedef char *core_name_call(void);

typedef struct library {
    sgemm_call *sgemm;
    set_threads_call *set_threads;
    core_name_call *core_name;
} library;

#if defined(BNDI_CBLAS)
/* The first of the names that is here. configure joins them by colons: each system has another one for OpenBLAS. */
static void *open_first(const char *names)
{
    enum { NAME_SIZE = 512 };
    char name[NAME_SIZE];
    void *handle = NULL;
    while (handle == NULL && *names != '\0') {
        size_t length = strcspn(names, ":");
        if (length > 0 && length < NAME_SIZE) {
            memcpy(name, names, length);
            name[length] = '\0';
            handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        names += length + (names[length] == ':');
    }
    return handle;
}
#endif

/* A library that is loaded stays so. Its address as a function: POSIX has it that this is one, C does not. */
static library find_openblas(void)
{
    library found = {.sgemm = NULL};
#if defined(BNDI_CBLAS)
    void *handle = open_first(BNDI_CBLAS);
    void *sgemm = handle != NULL ? dlsym(handle, "cblas_sgemm") : NULL;
    void *threads = handle != NULL ? dlsym(handle, "openblas_set_num_threads") : NULL;
    __builtin_memcpy(&found.sgemm, &sgemm, sizeof found.sgemm);
    void *core_name = handle != NULL ? dlsym(handle, "openblas_get_corename") : NULL;
    __builtin_memcpy(&found.set_threads, &threads, sizeof found.set_threads);
    __builtin_memcpy(&found.core_name, &core_name, sizeof found.core_name);
#endif
    return found;
}

bool bnd_cblas_here(void)
{
    return find_openblas().sgemm != NULL;
}

const char *bnd_cblas_core(void)
{
    const library blas = find_openblas();
    return blas.core_name != NULL ? blas.core_name() : "";
}

/* A matrix as CBLAS sees it: rows or columns side by side. */
static bool see(int *transposed, int *pitch, bnd_strides strides, size_t rows, size_t columns)
{
    const bool by_rows = strides.column == 1 || columns <= 1, by_columns = strides.row == 1 || rows <= 1;
    const ptrdiff_t least = (ptrdiff_t)(by_rows ? columns : rows);
    ptrdiff_t step = by_rows ? strides.row : strides.column;
    step = (by_rows ? rows : columns) <= 1 || step < 1 ? (least > 0 ? least : 1) : step;
    *transposed = by_rows ? AS_IT_IS : TRANSPOSED;
    *pitch = (int)step;
    return (by_rows || by_columns) && step >= least && step <= INT32_MAX && (strides.row >= 1 || rows <= 1) &&
           (strides.column >= 1 || columns <= 1);
}

bnd_status bndi_cblas_gemm(float *c, size_t m, size_t n, const float *a, const float *b, size_t k, const bnd_gemm *how,
                           bnd_error *why)
{
    int of_a, of_b, of_c, lda, ldb, ldc;
    const library blas = find_openblas();
    const bnd_status status = bndi_check_gemm(how, why);
    if (status != BND_OK) {
        return status;
    }
    if (blas.sgemm == NULL) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "accumulator cblas needs OpenBLAS, which is not installed or not part of this build; use accumulator fp32");
    }
    if (how->accumulator.promote != 0 || how->accumulator.rule.rounding != BND_ROUND_RNE) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "accumulator cblas takes no rounding mode and no promotion");
    }
    if (m > INT32_MAX || n > INT32_MAX || k > INT32_MAX || how->round_a != NULL || how->round_b != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "accumulator cblas cannot be used with rounded operands, or with more than %d rows or columns",
                        INT32_MAX);
    }
    if (!see(&of_a, &lda, bndi_strides_or(how->a, k), m, k) || !see(&of_b, &ldb, bndi_strides_or(how->b, n), k, n) ||
        !see(&of_c, &ldc, bndi_strides_or(how->c, n), m, n) || of_c != AS_IT_IS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "accumulator cblas needs A and B with contiguous rows or columns, and C with contiguous rows");
    }
    if (m == 0 || n == 0) {
        return BND_OK;
    }
    if (blas.set_threads != NULL) {
        uint32_t threads = how->context != NULL && how->context->threads > 0 ? how->context->threads : 1;
        blas.set_threads(threads < 1024 ? (int)threads : 1024);
    }
    blas.sgemm(ROW_MAJOR, of_a, of_b, (int)m, (int)n, (int)k, 1.0f, a, lda, b, ldb, how->add ? 1.0f : 0.0f, c, ldc);
    return BND_OK;
}
