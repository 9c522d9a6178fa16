/* Which back end works, and on how many cores. The environment is read here and nowhere else. */
#include "base/base.h"
#include "bulk/bulk.h"

#if !defined(__wasm__) && !defined(BND_FREESTANDING)
#include <stdlib.h>
#endif
#if defined(_OPENMP)
#include <omp.h>
#endif

enum { MOST_THREADS = 1024 };

static bnd_status too_many_threads(unsigned threads, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%u threads are too many; the limit is %u", threads,
                    (unsigned)MOST_THREADS);
}

/* ---- back ends ---- */

typedef struct back_end {
    const char *name;
    bool (*here)(void);                  /* can this machine run it? NULL: it is not in this build */
    void (*fill)(bndi_kernels *kernels); /* the kernels that it has */
    unsigned below;                      /* the back end whose kernels are used where it has none */
} back_end;

/* The portable one needs nothing, every 64-bit Arm has NEON, and a module with vectors of WebAssembly does not load
 * where they are missing. */
static bool always(void)
{
    return true;
}

#if defined(BNDI_WITH_AVX2) || defined(BNDI_WITH_AVX512)
static bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#endif

#if defined(BNDI_WITH_AVX512)
static bool cpu_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && cpu_has_avx2();
}
#endif

/* By bnd_backend, the preferred one last. */
static const back_end back_ends[BND_BACKEND_COUNT] = {
    [BND_BACKEND_BEST] = {"best", always, NULL, BND_BACKEND_PORTABLE},
    [BND_BACKEND_PORTABLE] = {"portable", always, bndi_fill_portable, BND_BACKEND_PORTABLE},
    [BND_BACKEND_AVX2] = {"avx2", BNDI_AVX2(cpu_has_avx2), BNDI_AVX2(bndi_fill_avx2), BND_BACKEND_PORTABLE},
    [BND_BACKEND_AVX512] = {"avx512", BNDI_AVX512(cpu_has_avx512), BNDI_AVX512(bndi_fill_avx512), BND_BACKEND_AVX2},
    [BND_BACKEND_NEON] = {"neon", BNDI_NEON(always), BNDI_NEON(bndi_fill_neon), BND_BACKEND_PORTABLE},
    [BND_BACKEND_WASM128] = {"wasm128", BNDI_WASM128(always), BNDI_WASM128(bndi_fill_wasm128), BND_BACKEND_PORTABLE},
};

const char *bnd_backend_name(bnd_backend backend)
{
    return (unsigned)backend < BND_BACKEND_COUNT ? back_ends[backend].name : "";
}

static bool is_here(unsigned backend)
{
    return backend < BND_BACKEND_COUNT && back_ends[backend].here != NULL && back_ends[backend].here();
}

static unsigned best_backend(void)
{
    unsigned backend = BND_BACKEND_COUNT - 1;
    while (!is_here(backend)) {
        backend--;
    }
    return backend;
}

bool bnd_backend_here(bnd_backend backend)
{
    return is_here((unsigned)backend);
}

bnd_backend bnd_backend_best(void)
{
    return (bnd_backend)best_backend();
}

static unsigned backend_of(const bnd_context *context)
{
    const unsigned asked = context != NULL ? context->backend : BND_BACKEND_BEST;
    return asked != BND_BACKEND_BEST && is_here(asked) ? asked : best_backend();
}

const void *bnd_lab_row_of(const bnd_context *context, const void *const rows[BND_BACKEND_COUNT])
{
    unsigned backend = backend_of(context);
    while (rows[backend] == NULL) {
        backend = back_ends[backend].below;
    }
    return rows[backend];
}

/* Lowest first: each back end replaces what it does faster. */
static void fill_kernels(bndi_kernels *kernels, unsigned backend)
{
    if (backend != BND_BACKEND_PORTABLE) {
        fill_kernels(kernels, back_ends[backend].below);
    }
    if (back_ends[backend].fill != NULL) {
        back_ends[backend].fill(kernels);
    }
}

bndi_kernels bnd_lab_kernels_of(const bnd_context *context)
{
    bndi_kernels kernels;
    fill_kernels(&kernels, backend_of(context));
    return kernels;
}

/* ---- what a call is told to use ---- */

bnd_status bndi_check_reserved(uint64_t reserved, const char *type, bnd_error *why)
{
    return reserved == 0 ? BND_OK
                         : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                    "%s.reserved must be zero; set the whole structure to zero first", type);
}

/* All of its words or bytes in one. */
static uint64_t reserved_of(const bnd_array *how)
{
    const bnd_context *c = how->context;
    const uint64_t words = how->reserved[0] | how->reserved[1] | how->reserved[2] | how->reserved[3];
    return words | (c != NULL ? 0U + c->reserved[0] + c->reserved[1] + c->reserved[2] : 0U);
}

bnd_status bndi_check_choices(const bnd_array *how, bnd_error *why)
{
    const bnd_context *context = how->context;
    const bnd_status status = bndi_check_reserved(reserved_of(how), "bnd_array or bnd_context", why);
    if (status != BND_OK) {
        return status;
    }
    if (how->packing_in > BND_PACKING_UNPACKED || how->packing_out > BND_PACKING_UNPACKED) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown packing %u (available: 0 and 1)",
                        (unsigned)(how->packing_in > BND_PACKING_UNPACKED ? how->packing_in : how->packing_out));
    }
    if (context != NULL && (context->backend >= BND_BACKEND_COUNT || context->threads > MOST_THREADS)) {
        return context->threads > MOST_THREADS
                   ? too_many_threads(context->threads, why)
                   : bnd_fail(why, BND_BAD_ARGUMENT, 0, "unknown back end %u", (unsigned)context->backend);
    }
    return bnd_rule_check(how->rule, why);
}

bnd_status bnd_lab_check_context(const bnd_context *context, bnd_error *why)
{
    return bndi_check_choices(&(bnd_array){.context = context}, why);
}

/* ---- contexts by name, and from the environment ---- */

static const char *environment(const char *name)
{
#if defined(__wasm__) || defined(BND_FREESTANDING)
    (void)name;
    return NULL;
#else
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
#endif
}

/* `origin`: who names it, with a colon, or "". */
static bnd_status find_backend(uint8_t *out, const char *name, const char *origin, bnd_error *why)
{
    for (unsigned i = 0; i < BND_BACKEND_COUNT; i++) {
        if (!bndi_same_word(name, bndi_length(name), back_ends[i].name)) {
            continue;
        }
        if (!is_here(i)) {
            return bnd_fail(
                why, BND_BAD_ARGUMENT, 0,
                "%sback end '%s' is not available on this machine or in this build; the best available is '%s'", origin,
                name, back_ends[best_backend()].name);
        }
        *out = (uint8_t)i;
        return BND_OK;
    }
    return bnd_fail(why, BND_BAD_NAME, 0,
                    "%sunknown back end '%s' (available: best, portable, avx2, avx512, neon, wasm128)", origin, name);
}

static bnd_status threads_asked(uint32_t *out, const char *text, bnd_error *why)
{
    uint32_t count = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && count <= MOST_THREADS; at++) {
        count = 10 * count + (uint32_t)(*at - '0');
    }
    if (*at != '\0' || count == 0 || count > MOST_THREADS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "BINADE_THREADS is '%s'; it must be a number from 1 to %u", text,
                        (unsigned)MOST_THREADS);
    }
    *out = count;
    return BND_OK;
}

bool bnd_has_threads(void)
{
#if defined(_OPENMP)
    return true;
#else
    return false;
#endif
}

static uint32_t every_core(void)
{
#if defined(_OPENMP)
    int count = omp_get_num_procs();
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (uint32_t)count;
#else
    return 1;
#endif
}

bnd_status bnd_context_init(bnd_context *out, const char *backend, unsigned threads, bnd_error *why)
{
    bnd_context context = {.backend = BND_BACKEND_BEST, .threads = threads};
    const char *name = backend != NULL ? backend : environment("BINADE_BACKEND");
    bnd_status status = BND_OK;
    if (threads > MOST_THREADS) {
        return too_many_threads(threads, why);
    }
    if (name != NULL) {
        status = find_backend(&context.backend, name, backend != NULL ? "" : "BINADE_BACKEND: ", why);
    }
    if (status == BND_OK && threads == 0) {
        const char *text = environment("BINADE_THREADS");
        context.threads = every_core();
        if (text != NULL) {
            status = threads_asked(&context.threads, text, why);
        }
    }
    if (status == BND_OK) {
        *out = context;
    }
    return status;
}
