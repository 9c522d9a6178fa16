/* binade block: one block of numbers that share a scale, under several scale rules. */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_number(void *state, const given *v, size_t index)
{
    block_question *q = state;
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    (void)index;
    bnd_rounded r = round_given(v, fp32, (bnd_rule){0}, 0);
    uint32_t bits = (uint32_t)bnd_pack(fp32, r.value);
    q->numbers = allocate(q->numbers, q->count + 1, sizeof *q->numbers);
    block_number *n = &q->numbers[q->count++];
    n->input = copy_text(v->input);
    memcpy(&n->x, &bits, sizeof bits);
    if ((r.flags & BND_FLAG_OVERFLOW) != 0) {
        note(q->common.command, "%.64s is beyond fp32, the format of the input, and counts as an infinity", v->input);
    } else if (r.value.kind == BND_KIND_ZERO && v->exact.kind == BND_KIND_FINITE) {
        note(q->common.command, "%.64s is too small for fp32, the format of the input, and counts as zero", v->input);
    }
    return GO_ON;
}

/* Does the name end in a scale rule, as mxfp4:floor? */
static bool has_rule(const bnd_block *block, const char *name)
{
    const char *colon = strrchr(name, ':');
    bnd_block copy = *block;
    return colon != NULL && bnd_scale_rule_parse(&copy, colon + 1, NULL) == BND_OK;
}

static int read_block(block_question *q, const char *name)
{
    bnd_error why;
    bnd_format f;
    bnd_status status = bnd_block_parse(&q->block, name, &why);
    if (status != BND_OK && bnd_format_parse(&f, name, NULL) == BND_OK) {
        return complain(q->common.command,
                        "%s is a format without scales; name a block format, such as %s/mx or mxfp4 ('binade formats' "
                        "lists them)",
                        name, name);
    }
    if (status != BND_OK) {
        return fail(q->common.command, "", status, &why);
    }
    q->one_rule = has_rule(&q->block, name);
    return GO_ON;
}

static int want_all(block_question *q)
{
    if (q->one_rule) {
        q->wanted[q->wanted_count++] = bnd_scale_rule_name((bnd_scale_rule)q->block.rule);
        return GO_ON;
    }
    for (const char *name; (name = block_rule_at(&q->block, q->wanted_count)) != NULL;) {
        q->wanted[q->wanted_count++] = name;
    }
    return GO_ON;
}

static int refuse_rule(const block_question *q, const char *name, size_t length)
{
    char available[128] = "";
    size_t used = 0;
    const char *rule;
    for (size_t at = 0; (rule = block_rule_at(&q->block, at)) != NULL && used < sizeof available; at++) {
        used += (size_t)snprintf(available + used, sizeof available - used, "%s%s", at > 0 ? ", " : "", rule);
    }
    return complain(q->common.command, "scale rule '%.*s' is not available for %s (available: %s)",
                    (int)(length < 64 ? length : 64), name, q->block.name, available);
}

static int want_listed(block_question *q)
{
    for (const char *list = q->rules;;) {
        size_t length = strcspn(list, ","), at = 0;
        const char *rule;
        while ((rule = block_rule_at(&q->block, at)) != NULL &&
               (strlen(rule) != length || strncmp(rule, list, length) != 0)) {
            at++;
        }
        if (rule == NULL) {
            return refuse_rule(q, list, length);
        }
        if (q->wanted_count == MOST_BLOCK_RULES) {
            return complain(q->common.command, "--rule takes at most %d rules", (int)MOST_BLOCK_RULES);
        }
        q->wanted[q->wanted_count++] = rule;
        if (list[length] == '\0') {
            return GO_ON;
        }
        list += length + 1;
    }
}

static int read_tensor_scale(block_question *q)
{
    given v;
    if (!q->block.tensor) {
        return complain(q->common.command, "--tensor-scale cannot be used with %s, which has no scale of the tensor",
                        q->block.name);
    }
    int status = read_value(&v, &q->common, q->tensor_text, strlen(q->tensor_text), "--tensor-scale ");
    if (status == GO_ON) {
        const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
        uint32_t bits = (uint32_t)bnd_pack(fp32, round_given(&v, fp32, (bnd_rule){0}, 0).value);
        memcpy(&q->tensor_scale, &bits, sizeof bits);
        if (!(q->tensor_scale > 0) || isinf(q->tensor_scale)) {
            status = complain(q->common.command, "--tensor-scale must be a positive number of fp32, got '%.64s'",
                              q->tensor_text);
        }
    }
    clear_value(&v);
    return status;
}

/* The operands after the first. */
static int read_numbers(block_question *q)
{
    settings others = q->common;
    others.operands++;
    others.operand_count--;
    int status = for_each_value(&others, add_number, q);
    size_t room = q->block.along * q->block.across;
    if (status == GO_ON && q->count == 0) {
        return complain(q->common.command, "expected the numbers of a block; try 'binade block %s 0.1 -0.7 3'",
                        q->block.name);
    }
    if (status == GO_ON && room > 0 && q->block.sharing != BND_SHARE_TENSOR && q->count > room) {
        return complain(q->common.command,
                        "a block of %s has %zu values, got %zu; 'binade cast --via %s' converts whole arrays",
                        q->block.name, room, q->count, q->block.name);
    }
    return status;
}

static void print(const block_question *q)
{
    if (q->common.output == OUTPUT_JSON) {
        block_print_json(q);
    } else if (q->common.output == OUTPUT_CSV) {
        block_print_csv(q);
    } else {
        block_print_text(q);
    }
}

static void forget(block_question *q)
{
    for (size_t i = 0; i < q->count; i++) {
        free(q->numbers[i].input);
    }
    for (size_t i = 0; i < q->wanted_count; i++) {
        free(q->results[i].elements);
    }
    free(q->numbers);
    clear_settings(&q->common);
}

static int run(const command *self, int argc, char **argv)
{
    block_question q = {.tensor_scale = 0};
    int status = read_arguments(&q, self, argc, argv);
    if (status == GO_ON && q.common.operand_count == 0) {
        status = complain(self, "expected a block format; try 'binade block mxfp4 0.1 -0.7 3'");
    }
    if (status == GO_ON) {
        status = read_block(&q, q.common.operands[0]);
    }
    if (status == GO_ON && q.tensor_text != NULL) {
        status = read_tensor_scale(&q);
    }
    if (status == GO_ON) {
        status = q.rules != NULL ? want_listed(&q) : want_all(&q);
    }
    if (status == GO_ON) {
        status = read_numbers(&q);
    }
    if (status == GO_ON) {
        status = block_answer(&q);
    }
    if (status == GO_ON) {
        print(&q);
    }
    forget(&q);
    return status == GO_ON ? FINE : status;
}

static const char *block_name_at(size_t at)
{
    static bnd_block row; /* until the next call */
    return bnd_block_at(&row, at) ? row.name : NULL;
}

static const option_row options[] = {
    {.name = "rule",
     .argument = "LIST",
     .help = "scale rules, separated by commas: floor, ceil, even, rceil, ct, mse; of NVFP4 nearest, 4/6, mse (default "
             "all of the block format)",
     INTO_TEXT(block_question, rules)},
    {.name = "tensor-scale",
     .argument = "X",
     .help = "the scale of the tensor that the block is a part of, a factor (NVFP4; default: as if the block were the "
             "whole tensor)",
     INTO_TEXT(block_question, tensor_text)},
    {.same = &row_round},
    {.same = &row_seed, .rare = 1},
    {.same = &row_json},
    {.same = &row_csv},
    {.same = &row_color, .rare = 1},
    {.same = &row_help},
    {.name = NULL},
};

static const command_example examples[] = {
    {"four numbers in MXFP4 under each scale rule", "binade block mxfp4 7 -0.4 1.3 0.02"},
    {"the same in NVFP4, with a scale of the tensor", "binade block nvfp4 7 -0.4 1.3 0.02 --tensor-scale 0.01"},
    {"one rule, every number exactly, as JSON", "binade block mxfp8:floor 448 449 511 --json"},
    {"numbers from standard input", "seq 1 32 | binade block mxfp4 - --rule floor,rceil"},
    {NULL, NULL},
};

const command command_block = {
    .name = "block",
    .summary = "one block of numbers that share a scale, under each scale rule",
    .group = GROUP_INSPECT,
    .operands = "BLOCK-FORMAT VALUE...",
    .first = COMPLETES_OPERANDS,
    .operand_name = block_name_at,
    .about =
        "Quantizes the numbers of one block and prints the scale, the elements and the errors that each scale rule "
        "gives. The rule with the smallest sum of squared errors is marked. A block format is mxfp8, mxfp6-e2m3, "
        "mxfp4, mxint8, nvfp4 and so on, or a format with its scaling, such as e4m3/row or int8/row:bf16.",
    .options = options,
    .examples = examples,
    .environment = READS_COLUMNS,
    .see_also = "formats cast show bnd_block(3)",
    .run = run,
};
