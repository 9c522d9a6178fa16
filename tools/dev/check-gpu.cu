/* Every float through a graphics card's own conversions and through ours: all 2^32 inputs of each conversion that CUDA
 * has, bit for bit. For a machine with a card of NVIDIA's and CUDA 12.8 or newer; nothing builds or runs it by itself.
 *
 * From the root of the sources, after configure and make in build/:
 *
 *     nvcc -O2 -std=c++17 -arch=native -I. -Iinclude -Xcompiler -fopenmp -o build/check-gpu tools/dev/check-gpu.cu \
 *         build/.libs/libbinade.a
 *     build/check-gpu
 *
 * The instructions for fp6, fp4 and e8m0 belong to one architecture each, and nvcc makes them only where it is named:
 * -arch=sm_100a or sm_120a, say, instead of native. What the card, or this build for it, has no instruction for, CUDA's
 * headers compute on the card; the report says for each conversion which it was.
 *
 *     build/check-gpu --host    without a card: the same comparison with what the headers compute on the processor,
 *                               which shows that this program compares what it should
 *
 * Exit status: 0 nothing differs, 1 something does, 2 it could not be done. Takes a few minutes on a few cores. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <binade/bulk.h>

namespace {

enum status { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

/* ---- the conversions ---- */

/* What a conversion needs for an instruction: see cuda_conversions.def. The kernel below says what there is. */
enum maker { ANY, HEADERS, AMPERE, ADA, HOPPER, SHORT, MAKERS };

/* Row `number` of the table, on the card or on the host: a switch, since a card cannot take the host's functions. */
__host__ __device__ uint32_t convert(int number, float x)
{
    int row = 0;
#define CONVERSION(name, format, dialect, rounding, maker, code)                                                       \
    if (number == row++) {                                                                                             \
        return code;                                                                                                   \
    }
#include "tests/exhaustive/cuda_conversions.def"
#undef CONVERSION
    return 0;
}

struct conversion {
    const char *name, *row, *dialect;
    int rounding;
    enum maker maker;
};

const conversion conversions[] = {
#define CONVERSION(name, format, dialect, rounding, maker, code) {name, format, dialect, rounding, maker},
#include "tests/exhaustive/cuda_conversions.def"
#undef CONVERSION
};
const int conversion_count = sizeof conversions / sizeof conversions[0];

/* ---- the card ---- */

const uint64_t ALL = UINT64_C(1) << 32, CHUNK = UINT64_C(1) << 24;

/* Codes of the floats from `first` on, in as many bytes as binade writes. */
template <int number, typename code> __global__ void convert_on_card(code *out, uint32_t first)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = static_cast<code>(convert(number, __uint_as_float(first + i)));
}

__global__ void ask_for_instructions(bool *has)
{
    has[ANY] = true;
    has[HEADERS] = false;
#if defined(__CUDA_ARCH__)
    has[AMPERE] = __CUDA_ARCH__ >= 800;
    has[ADA] = __CUDA_ARCH__ >= 890;
    has[HOPPER] = __CUDA_ARCH__ >= 900;
    has[SHORT] = __CUDA_FP8_INTERNAL_CAN_RELY_ON_PTX_FOR_SHORTTYPESCVT__ != 0;
#endif
}

bool worked(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "check-gpu: %s: %s\n", what, cudaGetErrorString(error));
    }
    return error == cudaSuccess;
}

template <typename code> using launcher = void (*)(code *out, uint32_t first);

template <int number, typename code> void launch(code *out, uint32_t first)
{
    const unsigned threads = 256;
    convert_on_card<number><<<static_cast<unsigned>(CHUNK / threads), threads>>>(out, first);
}

/* launch<0>, launch<1>, ...: the row has to be known where a kernel is compiled. */
template <typename code, int number = 0> launcher<code> launcher_of(int wanted)
{
    if constexpr (number < conversion_count) {
        return wanted == number ? launch<number, code> : launcher_of<code, number + 1>(wanted);
    }
    return nullptr;
}

/* A source of CUDA's codes, chunk by chunk: a card, or the host. */
struct source {
    bool on_card;
    void *device; /* CHUNK codes of up to two bytes */
    bool has_instruction[MAKERS];
};

bool open_card(source *s)
{
    int count = 0, version = 0, driver = 0;
    cudaDeviceProp card;
    bool *has;
    if (!worked(cudaGetDeviceCount(&count), "looking for a card") || count == 0 ||
        !worked(cudaGetDeviceProperties(&card, 0), "asking the card") ||
        !worked(cudaRuntimeGetVersion(&version), "asking for CUDA's version") ||
        !worked(cudaDriverGetVersion(&driver), "asking for the driver's version")) {
        return false;
    }
    std::printf("%s, compute capability %d.%d, CUDA %d.%d, driver for %d.%d\n", card.name, card.major, card.minor,
                version / 1000, version % 1000 / 10, driver / 1000, driver % 1000 / 10);
    if (!worked(cudaMalloc(&s->device, CHUNK * sizeof(uint16_t)), "memory of the card") ||
        !worked(cudaMalloc(&has, MAKERS * sizeof *has), "memory of the card") ||
        !worked(cudaMemset(has, 0, MAKERS * sizeof *has), "memory of the card")) {
        return false;
    }
    ask_for_instructions<<<1, 1>>>(has);
    bool asked = worked(cudaGetLastError(), "a kernel (was nvcc told this card's architecture?)") &&
                 worked(cudaMemcpy(s->has_instruction, has, sizeof s->has_instruction, cudaMemcpyDeviceToHost),
                        "what the card has");
    cudaFree(has);
    return asked;
}

template <typename code> bool fill(source *s, int number, uint32_t first, code *codes)
{
    if (!s->on_card) {
#pragma omp parallel for
        for (int64_t i = 0; i < static_cast<int64_t>(CHUNK); i++) {
            uint32_t bits = first + static_cast<uint32_t>(i);
            float x;
            std::memcpy(&x, &bits, sizeof x);
            codes[i] = static_cast<code>(convert(number, x));
        }
        return true;
    }
    launcher_of<code>(number)(static_cast<code *>(s->device), first);
    return worked(cudaGetLastError(), conversions[number].name) &&
           worked(cudaMemcpy(codes, s->device, CHUNK * sizeof(code), cudaMemcpyDeviceToHost), conversions[number].name);
}

/* ---- the comparison ---- */

bool rule_of(const conversion *c, bnd_format *row, bnd_rule *rule)
{
    bnd_error why;
    size_t dialect;
    std::strcpy(why.message, "the dialect has no rule for this format");
    if (bnd_format_parse(row, c->row, &why) != BND_OK || bnd_dialect_parse(&dialect, c->dialect, &why) != BND_OK ||
        !bnd_dialect_rule(rule, dialect, row)) {
        std::fprintf(stderr, "check-gpu: %s: %s\n", c->name, why.message);
        return false;
    }
    if (c->rounding >= 0) {
        rule->rounding = static_cast<uint8_t>(c->rounding);
    }
    return true;
}

template <typename code>
uint64_t count_differences(const std::vector<code> &theirs, const std::vector<code> &ours, uint32_t first,
                           uint64_t shown)
{
    uint64_t different = 0;
    if (std::memcmp(theirs.data(), ours.data(), CHUNK * sizeof(code)) == 0) {
        return 0;
    }
    for (uint64_t i = 0; i < CHUNK; i++) {
        if (theirs[i] != ours[i] && shown + different++ < 5) {
            std::printf("    float 0x%08x: CUDA 0x%x, binade 0x%x\n", first + static_cast<uint32_t>(i), theirs[i],
                        ours[i]);
        }
    }
    return different;
}

/* All floats through one conversion; TROUBLE where that could not be done. */
template <typename code> status compare(source *s, int number, const bnd_context *context)
{
    const conversion *c = &conversions[number];
    bnd_format row;
    bnd_array how = {};
    bnd_error why;
    how.context = context;
    how.packing_out = BND_PACKING_UNPACKED;
    if (!rule_of(c, &row, &how.rule)) {
        return TROUBLE;
    }
    std::vector<uint32_t> bits(CHUNK);
    std::vector<code> theirs(CHUNK), ours(CHUNK);
    uint64_t different = 0;
    for (uint64_t first = 0; first < ALL; first += CHUNK) {
#pragma omp parallel for
        for (uint64_t i = 0; i < CHUNK; i++) {
            bits[i] = static_cast<uint32_t>(first + i);
        }
        if (!fill(s, number, static_cast<uint32_t>(first), theirs.data())) {
            return TROUBLE;
        }
        const float *x = reinterpret_cast<const float *>(bits.data());
        if (bnd_encode_f32(ours.data(), x, CHUNK, &row, &how, nullptr, &why) != BND_OK) {
            std::fprintf(stderr, "check-gpu: %s: %s\n", c->name, why.message);
            return TROUBLE;
        }
        different += count_differences(theirs, ours, static_cast<uint32_t>(first), different);
    }
    const char *by = !s->on_card                     ? "headers, on the host"
                     : s->has_instruction[c->maker] ? "an instruction"
                                                     : "headers, on the card";
    std::printf("%-20s %-22s %llu compared, %llu different\n", c->name, by, static_cast<unsigned long long>(ALL),
                static_cast<unsigned long long>(different));
    std::fflush(stdout);
    return different == 0 ? SAME : DIFFERENT;
}

} // namespace

int main(int argc, char **argv)
{
    source s = {};
    s.on_card = !(argc == 2 && std::strcmp(argv[1], "--host") == 0);
    if (argc > 1 && s.on_card) {
        std::fprintf(stderr, "check-gpu: takes --host or nothing\n");
        return TROUBLE;
    }
    bnd_context context;
    bnd_error why;
    if (bnd_context_init(&context, nullptr, 0, &why) != BND_OK) {
        std::fprintf(stderr, "check-gpu: %s\n", why.message);
        return TROUBLE;
    }
    if (s.on_card && !open_card(&s)) {
        return TROUBLE;
    }
    status worst = SAME;
    for (int number = 0; number < conversion_count; number++) {
        bnd_format row;
        bool wide = bnd_format_parse(&row, conversions[number].row, nullptr) == BND_OK && row.width > 8;
        status one = wide ? compare<uint16_t>(&s, number, &context) : compare<uint8_t>(&s, number, &context);
        worst = one > worst ? one : worst;
        if (one == TROUBLE) {
            break;
        }
    }
    cudaFree(s.device);
    std::printf("%s\n", worst == SAME ? "nothing differs" : worst == DIFFERENT ? "something differs" : "not done");
    return worst;
}
