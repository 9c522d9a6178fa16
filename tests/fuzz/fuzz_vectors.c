/* Any bytes as a header of test vectors, a newline, and a line of them. What is accepted must hold its promises, and
 * the program aborts where it does not. */
#include "tests/fuzz/fuzz.h"

#include <binade-lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An accepted header is written in a way that reads as the same. */
static void require_header(const bnd_vectors *v)
{
    char text[1024];
    bnd_vectors again;
    size_t length = bnd_vectors_print_header(text, sizeof text, v);
    require(length < sizeof text, "a header is short");
    require(bnd_vectors_parse_header_n(&again, text, length, NULL) == BND_OK, "a header reads back");
    require(again.kind == v->kind && again.operation == v->operation && again.operands == v->operands &&
                memcmp(&again.rule, &v->rule, sizeof v->rule) == 0 && bnd_format_same(&again.out, &v->out),
            "a header says what it is about");
    require(v->operands > 0 && v->operands <= BND_VECTOR_OPERANDS_MAX, "there are operands");
}

/* A line is judged, explained, and its right answer agrees. */
static void require_judged(const bnd_vectors *v, bnd_vector_line *line)
{
    bnd_vector_check *check;
    bnd_vector_options how = {.flags_mask = 127};
    bnd_vector_suspect suspects[2];
    bnd_result want;
    bool agrees;
    char why[400];
    for (unsigned i = 0; line->has_operands && i < v->operands; i++) {
        const bnd_format *f = bnd_vectors_format(v, i);
        require(f->width == 64 || line->operands[i] >> f->width == 0, "operands are codes");
    }
    require(bnd_vector_check_new(&check, v, how, NULL) == BND_OK, "there is memory");
    require(bnd_vector_check_line(&agrees, &want, check, line, NULL) == BND_OK, "a line is judged");
    require(bnd_vector_explain(why, sizeof why, v, line->operands, line->random) < sizeof why, "a reason is short");
    line->code = want.code;
    line->flags = want.flags;
    line->has_flags = true;
    require(bnd_vector_check_line(&agrees, &want, check, line, NULL) == BND_OK && agrees, "the right answer agrees");
    size_t found = bnd_vector_check_suspects(suspects, 2, check);
    require(found > 0 && suspects[0].left_over <= 1, "a rule explains what it answers");
    bnd_vector_check_free(check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t first = end != NULL ? (size_t)(end - data) : size, rest = end != NULL ? size - first - 1 : 0;
    char *header = tight_copy(data, first), *text = tight_copy(end != NULL ? end + 1 : data, rest);
    static uint64_t operands[BND_VECTOR_OPERANDS_MAX];
    bnd_vectors v;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_vectors_parse_header_n(&v, header, first, &why);
    if (status != BND_OK) {
        require_explained(status, &why, first);
    } else {
        bnd_vector_line line = {.operands = operands};
        require_header(&v);
        memset(operands, 0, sizeof operands);
        status = bnd_vector_parse_n(&line, &v, rest % 2 == 0 ? BND_VECTOR_ANSWER_WHOLE : BND_VECTOR_ANSWER_ANY, text,
                                    rest, &why);
        if (status != BND_OK) {
            require_explained(status, &why, rest);
        } else {
            require_judged(&v, &line);
        }
    }
    free(text);
    free(header);
    return 0;
}

void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const headers[] = {
        "# binade-vectors 1 op=add in=fp16,fp16 out=fp16 round=rne overflow=format nan=canonical\n3C00 4000 4200 00",
        "// binade-vectors 1 op=convert in=fp32 out=e4m3 round=sr:5 overflow=saturate flags=lab\n43E80001_1F_7E_25",
        "binade-vectors 1 op=dot:2 in=e4m3,e5m2 out=fp32 nan=x86 tininess=before\nBC 03 5B EC C3B40000 00",
        "# binade-vectors 1 op=sqrt in=e8m0 out=e2m1 no-nan=zero negative=magnitude zero=nan ties=code\n7F 2 00",
        "# binade-vectors 1 op=fma in=e4m3,e5m2,fp32 out=e6m9b12fn round=rup\nBC 03 AE444DFF 1234",
    };
    static const char alphabet[] = "0123456789abcdefABCDEF =:,_\n\t#xmnort";
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[512];
        const char *text = headers[bnd_random(seed, i, 0) % (sizeof headers / sizeof headers[0])];
        size_t size = strlen(text);
        memcpy(data, text, size);
        for (uint64_t k = bnd_random(seed, i, 1) % 6; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            size_t at = r % 2 == 0 ? size - 1 - (r >> 8) % 20 : (r >> 8) % size; /* lines more often than headers */
            data[at] = fuzz_byte(r, alphabet);
        }
        size -= bnd_random(seed, i, 20) % 16 == 0 ? bnd_random(seed, i, 21) % size : 0;
        fuzz_input(data, size);
    }
}
