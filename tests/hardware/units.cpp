// units UNIT [MUTANT] answers test vectors on standard input, a line each, as `binade vectors check -- units UNIT` asks.
// units UNIT survey VECTORS reads a file of `binade vectors gen` and prints, for every mutant, how many lines it gets
// wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vadd_bf16.h"
#include "Vadd_e4m3ieee.h"
#include "Vadd_fp16.h"
#include "Vadd_fp32.h"
#include "Vcvt_nan.h"
#include "Vcvt_sat.h"
#include "Vmul_bf16.h"
#include "Vmul_e4m3ieee.h"
#include "Vmul_fp16.h"
#include "Vmul_fp32.h"

namespace {

struct answer {
    uint64_t code, flags;
};

struct unit {
    virtual ~unit() = default;
    virtual answer ask(const uint64_t *operands, unsigned mutant) = 0;
};

template <class model> struct unit_of_two : unit {
    model m;
    answer ask(const uint64_t *operands, unsigned mutant) override
    {
        m.a = static_cast<decltype(+m.a)>(operands[0]);
        m.b = static_cast<decltype(+m.b)>(operands[1]);
        m.mut = static_cast<CData>(mutant);
        m.eval();
        return {m.y, m.flags};
    }
};

template <class model> struct unit_of_one : unit {
    model m;
    answer ask(const uint64_t *operands, unsigned mutant) override
    {
        m.a = static_cast<IData>(operands[0]);
        m.mut = static_cast<CData>(mutant);
        m.eval();
        return {m.y, m.flags};
    }
};

struct row {
    const char *name;
    unsigned operands, digits, mutants; // digits of the result
    std::unique_ptr<unit> (*make)();
};

template <class u> std::unique_ptr<unit> make()
{
    return std::make_unique<u>();
}

constexpr unsigned ADD = 69, MUL = 64, CVT = 63;
const row rows[] = {
    {"add_fp16", 2, 4, ADD, make<unit_of_two<Vadd_fp16>>},         {"add_bf16", 2, 4, ADD, make<unit_of_two<Vadd_bf16>>},
    {"add_fp32", 2, 8, ADD, make<unit_of_two<Vadd_fp32>>},         {"add_e4m3ieee", 2, 2, ADD, make<unit_of_two<Vadd_e4m3ieee>>},
    {"mul_fp16", 2, 4, MUL, make<unit_of_two<Vmul_fp16>>},         {"mul_bf16", 2, 4, MUL, make<unit_of_two<Vmul_bf16>>},
    {"mul_fp32", 2, 8, MUL, make<unit_of_two<Vmul_fp32>>},         {"mul_e4m3ieee", 2, 2, MUL, make<unit_of_two<Vmul_e4m3ieee>>},
    {"cvt_sat", 1, 2, CVT, make<unit_of_one<Vcvt_sat>>},           {"cvt_nan", 1, 2, CVT, make<unit_of_one<Vcvt_nan>>},
};

// Reads up to `most` hexadecimal numbers; false where there are fewer.
bool read(uint64_t *out, const char *text, unsigned most)
{
    for (unsigned i = 0; i < most; i++) {
        char *end;
        out[i] = std::strtoull(text, &end, 16);
        if (end == text) {
            return false;
        }
        text = end;
    }
    return true;
}

int serve(const row &r, unsigned mutant)
{
    std::unique_ptr<unit> u = r.make();
    char line[256];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        uint64_t operands[2];
        if (!read(operands, line, r.operands)) {
            return 1;
        }
        answer y = u->ask(operands, mutant);
        std::printf("%0*llX %02llX\n", static_cast<int>(r.digits), static_cast<unsigned long long>(y.code),
                    static_cast<unsigned long long>(y.flags));
    }
    return 0;
}

int survey(const row &r, const char *path)
{
    std::vector<uint64_t> lines;
    std::FILE *in = std::fopen(path, "r");
    char line[256];
    if (in == nullptr) {
        std::perror(path);
        return 1;
    }
    const unsigned fields = r.operands + 2;
    while (std::fgets(line, sizeof line, in) != nullptr) {
        uint64_t numbers[4];
        if (line[0] != '#' && read(numbers, line, fields)) {
            lines.insert(lines.end(), numbers, numbers + fields);
        }
    }
    std::fclose(in);
    std::unique_ptr<unit> u = r.make();
    for (unsigned mutant = 0; mutant <= r.mutants; mutant++) {
        unsigned long long wrong = 0;
        for (size_t i = 0; i < lines.size(); i += fields) {
            answer y = u->ask(&lines[i], mutant);
            wrong += y.code != lines[i + r.operands] || y.flags != lines[i + r.operands + 1];
        }
        std::printf("%u %llu\n", mutant, wrong);
    }
    return lines.empty() ? 1 : 0;
}

} // namespace

double sc_time_stamp()
{
    return 0;
}

int main(int argc, char **argv)
{
    for (const row &r : rows) {
        if (argc >= 2 && std::strcmp(argv[1], r.name) == 0) {
            return argc >= 4 && std::strcmp(argv[2], "survey") == 0
                       ? survey(r, argv[3])
                       : serve(r, argc >= 3 ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
        }
    }
    std::fprintf(stderr, "units: UNIT [MUTANT | survey VECTORS]; units are");
    for (const row &r : rows) {
        std::fprintf(stderr, " %s", r.name);
    }
    std::fprintf(stderr, "\n");
    return 2;
}
