/* Arrays of floats, by every back end that this machine supports: codes, packed or not, and rounded numbers,
 * compared with the codec. The other checks compare the codec with the oracle. */
#include "base/bits.h"
#include "verify/verify.h"

#include <string.h>

#include "base/base.h"

enum { CHUNK = 1 << 11, SEED = 113 };

/* A chunk: what goes in, what the codec says, what came. */
typedef struct chunk {
    size_t n;
    uint64_t first;
    unsigned bytes; /* of an unpacked code */
    float x[CHUNK], want_values[CHUNK], got_values[CHUNK];
    uint64_t want[CHUNK];
    unsigned char want_codes[8 * CHUNK], codes[8 * CHUNK];
} chunk;

static unsigned bytes_of(const bnd_format *f)
{
    return f->width <= 8 ? 1 : f->width <= 16 ? 2 : f->width <= 32 ? 4 : 8;
}

static uint64_t code_at(const unsigned char *codes, unsigned bytes, size_t i)
{
    uint64_t code = 0;
    for (unsigned byte = 0; byte < bytes; byte++) {
        code |= (uint64_t)codes[i * bytes + byte] << 8 * byte;
    }
    return code;
}

/* ---- what the codec says ---- */

static void ask_the_codec(chunk *c, const bndi_inquiry *q, uint64_t index)
{
    const bnd_rule carry = {.nan = BND_NAN_PROPAGATE};
    uint64_t all = bndi_float_count(q);
    unsigned bits = bnd_rule_random_bits(q->rule);
    c->first = index * CHUNK;
    c->n = all - c->first < CHUNK ? (size_t)(all - c->first) : CHUNK;
    c->bytes = bytes_of(&q->f);
    for (size_t i = 0; i < c->n; i++) {
        uint32_t word = bndi_float_at(q, c->first + i);
        memcpy(&c->x[i], &word, sizeof word);
        uint64_t random = bits == 0 ? 0 : bnd_random_bits(SEED, 0, c->first + i, bits);
        c->want[i] = bnd_encode_float(&q->f, c->x[i], q->rule, random).code;
        word = (uint32_t)bnd_encode_exact(&q->fp32, bnd_unpack(&q->f, c->want[i]), carry, 0).code;
        memcpy(&c->want_values[i], &word, sizeof word);
        for (unsigned byte = 0; byte < c->bytes; byte++) {
            c->want_codes[i * c->bytes + byte] = (unsigned char)(c->want[i] >> 8 * byte);
        }
    }
}

/* ---- what a back end says ---- */

static void count_chunk(bndi_piece *p, const chunk *c, bnd_backend backend, const char *call, bool encodes, bool called)
{
    const bndi_inquiry *q = p->q;
    bool same = called && (encodes ? memcmp(c->codes, c->want_codes, c->n * c->bytes) == 0
                                   : memcmp(c->got_values, c->want_values, c->n * sizeof *c->x) == 0);
    if (same) {
        p->out->cases += c->n;
        return;
    }
    char what[sizeof((bnd_verify_counterexample *)0)->what];
    bndi_text text = bndi_text_in(what, sizeof what);
    bndi_text_string(&text, bnd_backend_name(backend));
    bndi_text_char(&text, ' ');
    bndi_text_string(&text, call);
    bool decodes = !encodes && strcmp(call, "round") != 0;
    for (size_t i = 0; i < c->n; i++) {
        bnd_result want = {.code = encodes ? c->want[i] : bndi_bits_of_float(c->want_values[i])},
                   got = {.code = encodes ? code_at(c->codes, c->bytes, i) : bndi_bits_of_float(c->got_values[i])};
        bnd_verify_counterexample *e = bndi_count_case(p, called && want.code == got.code, what, got, want);
        if (e != NULL) {
            e->operands = 1;
            e->from[0] = decodes ? q->f : q->fp32;
            e->codes[0] = decodes ? c->want[i] : bndi_bits_of_float(c->x[i]);
            e->to = encodes ? q->f : q->fp32;
            e->code_only = true;
        }
    }
}

static void check_by(bndi_piece *p, chunk *c, bnd_backend backend)
{
    const bndi_inquiry *q = p->q;
    const bnd_verify_candidate *on = &q->candidate;
    bnd_context context = {.backend = (uint8_t)backend, .threads = 1};
    bnd_array how = {.context = &context,
                     .rule = q->rule,
                     .seed = SEED,
                     .first = c->first,
                     .packing_in = BND_PACKING_UNPACKED,
                     .packing_out = BND_PACKING_UNPACKED};
    bool called = on->encode_array(c->codes, c->x, c->n, &q->f, &how, NULL, NULL) == BND_OK;
    count_chunk(p, c, backend, "encode", true, called);
    called = on->decode_array(c->got_values, c->want_codes, c->n, &q->f, &how, NULL) == BND_OK;
    count_chunk(p, c, backend, "decode", false, called);
    called = on->round_array(c->got_values, c->x, c->n, &q->f, &how, NULL, NULL) == BND_OK;
    count_chunk(p, c, backend, "round", false, called);
    if (q->f.width != 8 * c->bytes) { /* packed otherwise than unpacked: there and back */
        how.packing_in = how.packing_out = BND_PACKING_PACKED;
        called = on->encode_array(c->codes, c->x, c->n, &q->f, &how, NULL, NULL) == BND_OK &&
                 on->decode_array(c->got_values, c->codes, c->n, &q->f, &how, NULL) == BND_OK;
        count_chunk(p, c, backend, "packed", false, called);
    }
}

static void check_chunk(bndi_piece *p, uint64_t index)
{
    chunk c;
    ask_the_codec(&c, p->q, index);
    for (int backend = BND_BACKEND_PORTABLE; backend < BND_BACKEND_COUNT; backend++) {
        if (bnd_backend_here((bnd_backend)backend)) {
            check_by(p, &c, (bnd_backend)backend);
        }
    }
}

static uint64_t chunks(const bndi_inquiry *q)
{
    return (bndi_float_count(q) + CHUNK - 1) / CHUNK;
}

static double chunk_cost(const bndi_inquiry *q)
{
    return (double)CHUNK * (q->f.width > 32 ? 200.0 : 75.0);
}

const bndi_verify_row bndi_verify_arrays = {.name = "arrays",
                                            .title =
                                                "the same floats as arrays, in every back end: encode, decode, round",
                                            .rounds = true,
                                            .at_once = 1 << 4,
                                            .indices = chunks,
                                            .cost = chunk_cost,
                                            .check = check_chunk};
