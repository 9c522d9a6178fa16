/* The instructions of Hopper's tensor cores, and the accumulators hopper-* of binade: random tiles through both, bit
 * for bit. For a card of NVIDIA's of compute capability 9.0 and CUDA 12.8 or newer; nothing builds or runs it by itself.
 *
 * From the root of the sources, after configure and make in build/:
 *
 *     nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -I. -Iinclude -Xcompiler -fopenmp \
 *         -o build/check-tensor-cores tools/dev/check-tensor-cores.cu build/.libs/libbinade.a
 *     build/check-tensor-cores [TILES [VECTORS]]
 *
 * TILES: tiles of 64 x 8 results per instruction and kind of data, 2048 if it is not given. VECTORS: a file, into which
 * some rows, columns and results of the card are written; tests/matmul/h200.def is a part of one.
 *
 * A tile is C + A B with the k of one instruction, or of eight, one after another. All NaNs count as the same.
 * tf32 operands have their low 13 bits set, which the instruction ignores.
 *
 * Of mma.sync with FP8 operands there is no unit: the compiler converts to fp16, multiplies the steps with k mod 4 < 2
 * and then the others, from 0, and adds C at the end. That is what is compared there.
 *
 * Exit status: 0 nothing differs, 1 something does, 2 it could not be done. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include <binade/matmul.h>

namespace {

enum status { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };
enum unit { WGMMA, MMA };
enum { ROWS = 64, COLUMNS = 8, BYTES = 32, RESULTS = ROWS * COLUMNS, CHAIN = 8 };

struct instruction {
    enum unit unit;
    bool half; /* C and D in fp16 */
    const char *name, *a, *b, *accumulator;
};

enum result { FP32, FP16 };

const instruction instructions[] = {
#define INSTRUCTION(unit, result, types, tail, a, b, accumulator) {unit, result == FP16, types, a, b, accumulator},
#include "tools/dev/tensor_instructions.def"
#undef INSTRUCTION
};
const int instruction_count = sizeof instructions / sizeof instructions[0];

/* ---- the card ---- */

/* Where a matrix lies in shared memory: without swizzling, 8 rows of 16 bytes are together, those of the next 16 bytes
 * of the same rows follow 128 bytes later, those of the next 8 rows 256 bytes later. */
__device__ uint64_t descriptor(const void *at)
{
    const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(at));
    return (address & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}

/* The four results of a thread, as fp32 or as pairs of fp16. */
struct results {
    float f[4];
    uint32_t h[2];
};

#define WGMMA_FP32(types, tail)                                                                                        \
    asm volatile("{.reg .pred p; setp.eq.u32 p, 1, 1; wgmma.mma_async.sync.aligned.m64n8" types                        \
                 " {%0, %1, %2, %3}, %4, %5, p, 1, 1" tail ";}"                                                        \
                 : "+f"(r->f[0]), "+f"(r->f[1]), "+f"(r->f[2]), "+f"(r->f[3])                                          \
                 : "l"(a), "l"(b))
#define WGMMA_FP16(types, tail)                                                                                        \
    asm volatile("{.reg .pred p; setp.eq.u32 p, 1, 1; wgmma.mma_async.sync.aligned.m64n8" types                        \
                 " {%0, %1}, %2, %3, p, 1, 1" tail ";}"                                                                \
                 : "+r"(r->h[0]), "+r"(r->h[1])                                                                        \
                 : "l"(a), "l"(b))
#define MMA_FP32(types)                                                                                                \
    asm volatile("mma.sync.aligned.m16n8" types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"     \
                 : "+f"(r->f[0]), "+f"(r->f[1]), "+f"(r->f[2]), "+f"(r->f[3])                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MMA_FP16(types)                                                                                                \
    asm volatile("mma.sync.aligned.m16n8" types " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                     \
                 : "+r"(r->h[0]), "+r"(r->h[1])                                                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/* Rows of the table have numbers, which have to be known where a kernel is compiled. A unit has its own operands. */
enum {
#define INSTRUCTION(unit, result, types, tail, a, b, accumulator) NUMBER(__LINE__),
#define NUMBER(line)                                              NUMBERED(line)
#define NUMBERED(line)                                            ROW_##line
#include "tools/dev/tensor_instructions.def"
#undef INSTRUCTION
};

template <int number> __device__ void multiply(results *r, uint64_t a, uint64_t b)
{
#define DO_WGMMA(number_of, result, types, tail)                                                                       \
    if constexpr (number == number_of) {                                                                               \
        WGMMA_##result(types, tail);                                                                                   \
    }
#define DO_MMA(number_of, result, types, tail)
#define INSTRUCTION(unit, result, types, tail, a, b, accumulator) DO_##unit(NUMBER(__LINE__), result, types, tail)
#include "tools/dev/tensor_instructions.def"
#undef DO_WGMMA
#undef DO_MMA
}

template <int number> __device__ void multiply(results *r, const uint32_t *a, const uint32_t *b)
{
#define DO_WGMMA(number_of, result, types, tail)
#define DO_MMA(number_of, result, types, tail)                                                                         \
    if constexpr (number == number_of) {                                                                               \
        MMA_##result(types);                                                                                           \
    }
#include "tools/dev/tensor_instructions.def"
#undef INSTRUCTION
}

constexpr bool is_wgmma[] = {
#define INSTRUCTION(unit, result, types, tail, a, b, accumulator) unit == WGMMA,
#include "tools/dev/tensor_instructions.def"
#undef INSTRUCTION
};

/* A tile per block of 128 threads; its results, a word each. Thread t has two neighbours of row `row` and two of row
 * `row` + 8, in all of these instructions. */
template <int number>
__global__ void tiles_on_card(uint32_t *d, const uint8_t *a, const uint8_t *b, const uint32_t *c, int steps, bool half)
{
    __shared__ __align__(1024) uint8_t shared_a[ROWS * BYTES], shared_b[COLUMNS * BYTES];
    const int t = static_cast<int>(threadIdx.x), lane = t % 32, row = t / 32 * 16 + lane / 4, column = lane % 4 * 2;
    const size_t at[4] = {static_cast<size_t>(row * COLUMNS + column), static_cast<size_t>(row * COLUMNS + column + 1),
                          static_cast<size_t>((row + 8) * COLUMNS + column),
                          static_cast<size_t>((row + 8) * COLUMNS + column + 1)};
    c += static_cast<size_t>(blockIdx.x) * RESULTS;
    d += static_cast<size_t>(blockIdx.x) * RESULTS;
    a += static_cast<size_t>(blockIdx.x) * steps * ROWS * BYTES;
    b += static_cast<size_t>(blockIdx.x) * steps * COLUMNS * BYTES;
    results r;
    for (int i = 0; i < 4; i++) {
        r.f[i] = __uint_as_float(c[at[i]]);
    }
    r.h[0] = (c[at[0]] & 0xffff) | c[at[1]] << 16;
    r.h[1] = (c[at[2]] & 0xffff) | c[at[3]] << 16;
    for (int s = 0; s < steps; s++, a += ROWS * BYTES, b += COLUMNS * BYTES) {
        if constexpr (is_wgmma[number]) {
            __syncthreads();
            for (int i = t; i < ROWS * BYTES; i += 128) {
                shared_a[(i / BYTES / 8 * 2 + i % BYTES / 16) * 128 + i / BYTES % 8 * 16 + i % 16] = a[i];
            }
            for (int i = t; i < COLUMNS * BYTES; i += 128) {
                shared_b[i % BYTES / 16 * 128 + i / BYTES * 16 + i % 16] = b[i];
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            multiply<number>(&r, descriptor(shared_a), descriptor(shared_b));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            for (int i = 0; i < 4; i++) {
                asm volatile("" : "+f"(r.f[i])::"memory");
            }
            asm volatile("" : "+r"(r.h[0]), "+r"(r.h[1])::"memory");
        } else {
            const auto word = [lane](const uint8_t *from, int i) {
                return *reinterpret_cast<const uint32_t *>(from + i + lane % 4 * 4);
            };
            const uint32_t of_a[4] = {word(a, row * BYTES), word(a, (row + 8) * BYTES), word(a, row * BYTES + 16),
                                      word(a, (row + 8) * BYTES + 16)};
            const uint32_t of_b[2] = {word(b, lane / 4 * BYTES), word(b, lane / 4 * BYTES + 16)};
            multiply<number>(&r, of_a, of_b);
        }
    }
    for (int i = 0; i < 4; i++) {
        d[at[i]] = half ? r.h[i / 2] >> i % 2 * 16 & 0xffff : __float_as_uint(r.f[i]);
    }
}

bool worked(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "check-tensor-cores: %s: %s\n", what, cudaGetErrorString(error));
    }
    return error == cudaSuccess;
}

template <int number = 0>
void launch(int wanted, unsigned tiles, uint32_t *d, const uint8_t *a, const uint8_t *b, const uint32_t *c, int steps,
            bool half)
{
    if constexpr (number < instruction_count) {
        if (wanted == number) {
            tiles_on_card<number><<<tiles, 128>>>(d, a, b, c, steps, half);
        } else {
            launch<number + 1>(wanted, tiles, d, a, b, c, steps, half);
        }
    }
}

/* ---- data ---- */

/* The operands of some tiles, and two answers. */
struct work {
    const instruction *of;
    bnd_format a_format, b_format, c_format;
    int steps;
    size_t tiles;
    std::vector<uint8_t> a, b;
    std::vector<uint32_t> c, card, ours;
};

struct generator {
    uint64_t state;
    uint64_t next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double normal()
    {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += uniform();
        }
        return sum;
    }
    int within(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
};

enum kind { CODES, NORMAL, FROM_ZERO, CANCELLING, NEAR_ONE, SPARSE, TINY, SPECIAL, LARGE, LONG, KINDS };
const char *const kind_names[] = {"all codes", "normal", "C = 0", "cancelling", "near 1",
                                  "zeros",     "tiny",   "special", "large",    "chains of 8"};

uint64_t code_of(const bnd_format *f, double x)
{
    return bnd_encode(f, x, bnd_rule{}, 0).code;
}

bool is_number(const bnd_format *f, uint64_t code)
{
    return std::isfinite(bnd_decode(f, code));
}

uint64_t mask_of(const bnd_format *f)
{
    return (uint64_t{1} << f->width) - 1;
}

uint64_t any_number(const bnd_format *f, generator *g)
{
    uint64_t code;
    do {
        code = g->next() & mask_of(f);
    } while (!is_number(f, code));
    return code;
}

double near_one(generator *g, int spread)
{
    return std::ldexp(1 + g->uniform(), g->within(2 * spread + 1) - spread) * (g->next() & 1 ? -1 : 1);
}

/* An operand. Exponents of bf16 and tf32 are halved, so that products and sums stay within fp32. */
uint64_t operand(const bnd_format *f, kind of, generator *g, size_t k)
{
    const bool wide = f->emin == -126;
    const int least = wide ? -63 : f->emin, most = wide ? 63 : f->emax;
    switch (of) {
    case CODES:
        return any_number(f, g);
    case SPECIAL:
        return g->within(100) == 0 ? g->next() & mask_of(f) : any_number(f, g);
    case CANCELLING:
    case NEAR_ONE:
        return code_of(f, near_one(g, 1 + static_cast<int>(k % 3)));
    case SPARSE:
        switch (g->within(8)) {
        case 0:
            return any_number(f, g);
        case 1:
            return code_of(f, std::ldexp(1 + g->uniform(), f->emin - g->within(4)));
        case 2:
        case 3:
            return code_of(f, near_one(g, 6));
        default:
            return code_of(f, g->next() & 1 ? -0.0 : 0.0);
        }
    case TINY:
        return code_of(f, std::ldexp(g->normal(), least + 2 - g->within(10)));
    case LARGE:
        return code_of(f, std::ldexp(1 + g->uniform() / 2, most - g->within(3)) * (g->next() & 1 ? -1 : 1));
    default:
        return code_of(f, g->normal());
    }
}

double start(const bnd_format *f, kind of, generator *g)
{
    switch (of) {
    case CODES:
    case SPARSE:
        return std::ldexp(g->normal(), g->within(60) - 30);
    case FROM_ZERO:
        return 0;
    case CANCELLING:
        return std::ldexp(g->normal(), -g->within(16));
    case NEAR_ONE:
        return near_one(g, 20);
    case TINY:
        return g->within(3) == 0 ? 0 : std::ldexp(g->normal(), f->emin + 4 - g->within(27));
    case SPECIAL: {
        const int which = g->within(64);
        return which == 0 ? INFINITY : which == 1 ? -INFINITY : which == 2 ? NAN : g->normal();
    }
    case LARGE:
        return std::ldexp(1 + g->uniform(), f->emax - g->within(3)) * (g->next() & 1 ? -1 : 1);
    default:
        return 6 * g->normal();
    }
}

/* tf32 lies in the upper bits of a word. */
uint32_t in_memory(const bnd_format *f, uint64_t code, generator *g)
{
    return static_cast<uint32_t>(f->width == 19 ? code << 13 | (g->next() & 0x1fff) : code);
}

size_t bytes_of(const bnd_format *f)
{
    return f->width == 19 ? 4 : f->width / 8;
}

/* `rows` rows of 32 bytes. */
void fill(uint8_t *x, size_t rows, const bnd_format *f, kind of, generator *g)
{
    const size_t bytes = bytes_of(f), n = rows * BYTES / bytes, steps = BYTES / bytes;
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = operand(f, of, g, i % steps);
        if (of == CANCELLING && i % 2 == 1) { /* the opposite of the one before, or next to it */
            code = before ^ uint64_t{1} << (f->width - 1) ^ static_cast<uint64_t>(g->within(4) == 0);
        }
        before = code;
        const uint32_t word = in_memory(f, code, g);
        std::memcpy(x + i * bytes, &word, bytes);
    }
}

void prepare(work *w, kind of, uint64_t seed)
{
    const size_t steps = static_cast<size_t>(w->steps), size_a = steps * ROWS * BYTES, size_b = steps * COLUMNS * BYTES;
    w->a.assign(w->tiles * size_a, 0);
    w->b.assign(w->tiles * size_b, 0);
    w->c.assign(w->tiles * RESULTS, 0);
    w->card.assign(w->tiles * RESULTS, 0);
    w->ours.assign(w->tiles * RESULTS, 0);
#pragma omp parallel for
    for (size_t tile = 0; tile < w->tiles; tile++) {
        generator g = {seed + (tile << 12)};
        g.state = g.next();
        fill(w->a.data() + tile * size_a, steps * ROWS, &w->a_format, of, &g);
        fill(w->b.data() + tile * size_b, steps * COLUMNS, &w->b_format, of == CANCELLING ? NEAR_ONE : of, &g);
        for (size_t i = 0; i < RESULTS; i++) {
            w->c[tile * RESULTS + i] = static_cast<uint32_t>(code_of(&w->c_format, start(&w->c_format, of, &g)));
        }
    }
}

/* ---- answers ---- */

bool ask_card(work *w)
{
    const bool half = w->of->half;
    uint8_t *a = nullptr, *b = nullptr;
    uint32_t *c = nullptr, *d = nullptr;
    const size_t size = w->c.size() * sizeof(uint32_t);
    bool good = worked(cudaMalloc(&a, w->a.size()), "memory of the card") &&
                worked(cudaMalloc(&b, w->b.size()), "memory of the card") &&
                worked(cudaMalloc(&c, size), "memory of the card") &&
                worked(cudaMalloc(&d, size), "memory of the card") &&
                worked(cudaMemcpy(a, w->a.data(), w->a.size(), cudaMemcpyHostToDevice), "copying A") &&
                worked(cudaMemcpy(b, w->b.data(), w->b.size(), cudaMemcpyHostToDevice), "copying B") &&
                worked(cudaMemcpy(c, w->c.data(), size, cudaMemcpyHostToDevice), "copying C");
    if (good) {
        launch(static_cast<int>(w->of - instructions), static_cast<unsigned>(w->tiles), d, a, b, c, w->steps, half);
        good = worked(cudaGetLastError(), w->of->name) &&
               worked(cudaMemcpy(w->card.data(), d, size, cudaMemcpyDeviceToHost), w->of->name);
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    return good;
}

/* The order of the k of a product, and whether C comes in at the end: mma.sync with FP8. */
bool goes_by_fp16(const work *w)
{
    return w->of->unit == MMA && w->a_format.width == 8;
}

/* The numbers of `rows` rows of a tile, in the order of k. */
void numbers_of(float *out, const work *w, const bnd_format *f, const std::vector<uint8_t> &x, size_t tile, size_t rows)
{
    const size_t bytes = bytes_of(f), n = BYTES / bytes, depth = n * static_cast<size_t>(w->steps);
    for (size_t step = 0; step < static_cast<size_t>(w->steps); step++) {
        for (size_t row = 0; row < rows; row++) {
            const uint8_t *from = x.data() + ((tile * static_cast<size_t>(w->steps) + step) * rows + row) * BYTES;
            for (size_t k = 0; k < n; k++) {
                const size_t place = goes_by_fp16(w) ? k % 4 / 2 * 16 + k / 4 * 2 + k % 2 : k;
                uint32_t word = 0;
                std::memcpy(&word, from + k * bytes, bytes);
                out[row * depth + step * n + place] =
                    static_cast<float>(bnd_decode(f, f->width == 19 ? word >> 13 : word));
            }
        }
    }
}

/* One tile; steps of mma.sync with FP8 one at a time, since C is added after each. */
bnd_status our_tile(work *w, const bnd_accumulator *accumulator, size_t tile, bnd_error *why)
{
    const size_t depth = BYTES / bytes_of(&w->a_format) * static_cast<size_t>(w->steps);
    const bool late = goes_by_fp16(w), half = w->of->half;
    std::vector<float> a(ROWS * depth), b(COLUMNS * depth), d(RESULTS), s(RESULTS);
    numbers_of(a.data(), w, &w->a_format, w->a, tile, ROWS);
    numbers_of(b.data(), w, &w->b_format, w->b, tile, COLUMNS);
    for (size_t i = 0; i < RESULTS; i++) {
        d[i] = static_cast<float>(bnd_decode(&w->c_format, w->c[tile * RESULTS + i]));
    }
    bnd_gemm how = {};
    how.accumulator = *accumulator;
    how.a.row = static_cast<ptrdiff_t>(depth);
    how.a.column = 1;
    how.b.row = 1;
    how.b.column = static_cast<ptrdiff_t>(depth);
    how.add = !late;
    bnd_format fp16;
    bnd_status status = bnd_format_parse(&fp16, "fp16", why); /* the instruction takes FP8 as fp16 */
    how.round_a = late ? &fp16 : &w->a_format;
    how.round_b = late ? &fp16 : &w->b_format;
    const size_t at_once = late ? BYTES : depth;
    for (size_t k = 0; k < depth && status == BND_OK; k += at_once) {
        float *c = late ? s.data() : d.data();
        status = bnd_gemm_f32(c, ROWS, COLUMNS, a.data() + k, b.data() + k, at_once, &how, why);
        for (size_t i = 0; i < RESULTS && late; i++) {
            const double sum = static_cast<double>(d[i]) + static_cast<double>(s[i]); /* exact in fp16's range */
            d[i] = half ? static_cast<float>(bnd_decode(&fp16, code_of(&fp16, sum))) : d[i] + s[i];
        }
    }
    for (size_t i = 0; i < RESULTS; i++) {
        w->ours[tile * RESULTS + i] = static_cast<uint32_t>(code_of(&w->c_format, static_cast<double>(d[i])));
    }
    return status;
}

bool ask_binade(work *w)
{
    bnd_accumulator accumulator;
    bnd_error why;
    if (bnd_accumulator_parse(&accumulator, w->of->accumulator, &why) != BND_OK) {
        std::fprintf(stderr, "check-tensor-cores: %s\n", why.message);
        return false;
    }
    int failed = 0;
#pragma omp parallel for reduction(+ : failed)
    for (size_t tile = 0; tile < w->tiles; tile++) {
        bnd_error reason;
        failed += our_tile(w, &accumulator, tile, &reason) != BND_OK;
    }
    if (failed > 0) {
        std::fprintf(stderr, "check-tensor-cores: %s: binade refused a product\n", w->of->name);
    }
    return failed == 0;
}

bool same(const bnd_format *f, uint32_t x, uint32_t y)
{
    return x == y || (std::isnan(bnd_decode(f, x)) && std::isnan(bnd_decode(f, y)));
}

/* ---- the report ---- */

/* Some results: the codes of a row of A, of a column of B, of C and of D. */
void write_vectors(std::FILE *out, const work *w)
{
    for (size_t i = 0; i < 2; i++) {
        const size_t row = 45 * i, column = 5 * i, tile = i * w->tiles / 2;
        const size_t at = tile * RESULTS + row * COLUMNS + column;
        std::fprintf(out, "VECTOR(\"%s\", \"%s\", \"%s\", \"%s\", 0x%x, 0x%x,\n       \"", w->of->accumulator, w->of->a,
                     w->of->b, w->c_format.name, static_cast<unsigned>(w->c[at]), static_cast<unsigned>(w->card[at]));
        for (size_t k = 0; k < BYTES; k++) {
            std::fprintf(out, "%02x", static_cast<unsigned>(w->a[(tile * ROWS + row) * BYTES + k]));
        }
        std::fprintf(out, "\",\n       \"");
        for (size_t k = 0; k < BYTES; k++) {
            std::fprintf(out, "%02x", static_cast<unsigned>(w->b[(tile * COLUMNS + column) * BYTES + k]));
        }
        std::fprintf(out, "\")\n");
    }
}

status compare(const instruction *of, size_t tiles, std::FILE *vectors)
{
    work w = {};
    bnd_error why;
    uint64_t compared = 0, different = 0;
    w.of = of;
    if (bnd_format_parse(&w.a_format, of->a, &why) != BND_OK || bnd_format_parse(&w.b_format, of->b, &why) != BND_OK ||
        bnd_format_parse(&w.c_format, of->half ? "fp16" : "fp32", &why) != BND_OK) {
        std::fprintf(stderr, "check-tensor-cores: %s\n", why.message);
        return TROUBLE;
    }
    for (int data = 0; data < KINDS; data++) {
        w.steps = data == LONG ? static_cast<int>(CHAIN) : 1;
        w.tiles = data == LONG ? (tiles + CHAIN - 1) / CHAIN : tiles;
        prepare(&w, static_cast<kind>(data), static_cast<uint64_t>((of - instructions) * KINDS + data + 1) << 40);
        if (!ask_card(&w) || !ask_binade(&w)) {
            return TROUBLE;
        }
        uint64_t here = 0;
        for (size_t i = 0; i < w.card.size(); i++) {
            if (!same(&w.c_format, w.card[i], w.ours[i]) && here++ < 3) {
                std::printf("    %s, result %zu, C %x: card %x, binade %x\n", kind_names[data], i,
                            static_cast<unsigned>(w.c[i]), static_cast<unsigned>(w.card[i]),
                            static_cast<unsigned>(w.ours[i]));
            }
        }
        compared += w.card.size();
        different += here;
        if (vectors != nullptr && w.steps == 1 && !goes_by_fp16(&w)) {
            write_vectors(vectors, &w);
        }
    }
    std::printf("%-5s %-30s %-17s %llu compared, %llu different\n", of->unit == WGMMA ? "wgmma" : "mma", of->name,
                of->accumulator, static_cast<unsigned long long>(compared), static_cast<unsigned long long>(different));
    std::fflush(stdout);
    return different == 0 ? SAME : DIFFERENT;
}

} // namespace

int main(int argc, char **argv)
{
    cudaDeviceProp card;
    const long tiles = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2048;
    if (argc > 3 || tiles < 1 || tiles > 1000000) {
        std::fprintf(stderr, "usage: check-tensor-cores [TILES [VECTORS]], with 1 to 1000000 tiles\n");
        return TROUBLE;
    }
    if (!worked(cudaGetDeviceProperties(&card, 0), "asking the card")) {
        return TROUBLE;
    }
    std::FILE *vectors = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
    if (argc > 2 && vectors == nullptr) {
        std::perror(argv[2]);
        return TROUBLE;
    }
    std::printf("%s, compute capability %d.%d\n", card.name, card.major, card.minor);
    status worst = SAME;
    for (int i = 0; i < instruction_count && worst != TROUBLE; i++) {
        worst = std::max(worst, compare(&instructions[i], static_cast<size_t>(tiles), vectors));
    }
    if (vectors != nullptr) {
        std::fclose(vectors);
    }
    std::printf("%s\n", worst == SAME ? "nothing differs" : worst == DIFFERENT ? "something differs" : "not done");
    return worst;
}
