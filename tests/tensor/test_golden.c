/* The engine against PyTorch: the graphs of golden/, and what torch made of them (tools/dev/make-goldens.py, which says
 * how a file is written). On every back end, whose bits must be the same. */
#include "base/bits.h"
#include "tests.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS_MOST = 64, NAME_SIZE = 24, NUMBERS_MOST = 1 << 14, LINE_SIZE = 256 };
static const double LIMIT = 1e-5; /* of the largest number of a tensor */

typedef struct named {
    char name[NAME_SIZE];
    bnd_tensor *tensor;
} named;

/* A file on its way, and the case that it is at. */
typedef struct graph {
    const char *file, *at;
    bnd_backend backend;
    bnd_engine *engine;
    char title[LINE_SIZE];
    named tensors[TENSORS_MOST];
    size_t count, cases, compared;
    double worst;
    uint64_t digest; /* of every number that was compared */
    float numbers[NUMBERS_MOST], expected[NUMBERS_MOST];
} graph;

static bool holds(const graph *g, bool condition, const char *what, const char *name)
{
    if (!condition) {
        printf("\n    %s, \"%s\": %s: %s\n", g->file, g->title, name, what);
    }
    CU_ASSERT_TRUE(condition);
    return condition;
}

static void must_hold(const graph *g, bool condition, const char *what, const char *name)
{
    if (!holds(g, condition, what, name)) {
        CU_FAIL_FATAL("the file and the engine do not go together");
    }
}

static void must_succeed(const graph *g, bnd_status status, const bnd_error *why, const char *name)
{
    must_hold(g, status == BND_OK, status == BND_OK ? "" : why->message, name);
}

/* ---- text ---- */

/* The next word of the line, "" at its end. */
static void next_word(graph *g, char *word, size_t size)
{
    size_t n = 0;
    while (*g->at == ' ') {
        g->at++;
    }
    for (; *g->at != 0 && !isspace((unsigned char)*g->at); g->at++) {
        if (n + 1 < size) {
            word[n++] = *g->at;
        }
    }
    word[n] = 0;
}

static void rest_of_line(graph *g, char *text, size_t size)
{
    size_t n = strcspn(g->at, "\n");
    snprintf(text, size, "%.*s", (int)n, g->at);
    g->at += n;
}

/* "3 4 : " and twelve numbers, over as many lines as it takes. */
static size_t read_numbers(graph *g, size_t *shape, size_t *rank, const char *name)
{
    char *end;
    size_t count = 1;
    *rank = 0;
    while (*g->at == ' ') {
        g->at++;
    }
    while (*g->at != ':') {
        must_hold(g, *rank < BND_TENSOR_RANK_MAX && isdigit((unsigned char)*g->at), "has no shape", name);
        shape[*rank] = strtoul(g->at, &end, 10);
        count *= shape[(*rank)++];
        g->at = end + strspn(end, " ");
    }
    g->at++;
    must_hold(g, count <= NUMBERS_MOST, "has more numbers than this test has room for", name);
    for (size_t i = 0; i < count; i++) {
        g->expected[i] = strtof(g->at, &end);
        must_hold(g, end != g->at, "has fewer numbers than its shape says", name);
        g->at = end;
    }
    return count;
}

/* ---- tensors ---- */

static bnd_tensor *find(const graph *g, const char *name)
{
    for (size_t i = g->count; i-- > 0;) {
        if (strcmp(g->tensors[i].name, name) == 0) {
            return g->tensors[i].tensor;
        }
    }
    must_hold(g, false, "the tensor does not exist", name);
    return NULL;
}

static void put(graph *g, const char *name, bnd_tensor *t)
{
    must_hold(g, g->count < TENSORS_MOST && strlen(name) < NAME_SIZE, "too many tensors, or too long a name", name);
    memcpy(g->tensors[g->count].name, name, strlen(name) + 1);
    g->tensors[g->count++].tensor = t;
}

static void make_tensor(graph *g, bool leaf)
{
    char name[NAME_SIZE];
    size_t shape[BND_TENSOR_RANK_MAX], rank;
    bnd_tensor *t = NULL;
    bnd_error why;
    bnd_format fp32 = format_named("fp32");
    next_word(g, name, sizeof name);
    (void)read_numbers(g, shape, &rank, name);
    must_succeed(g, bnd_tensor_from_f32(&t, g->engine, &fp32, g->expected, shape, rank, BND_ROLE_DATA, &why), &why,
                 name);
    bnd_tensor_want_gradient(t, leaf);
    put(g, name, t);
}

static uint32_t bits_of(float x)
{
    uint32_t bits = bndi_bits_of_float(x);
    return isnan(x) ? 0x7fc00000 : bits;
}

/* FNV-1a, a number at a time. */
static void digest(graph *g, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g->digest = (g->digest ^ bits_of(g->numbers[i])) * UINT64_C(0x100000001b3);
    }
}

static void compare(graph *g, bool exactly, bool gradient)
{
    char name[NAME_SIZE];
    size_t shape[BND_TENSOR_RANK_MAX], rank;
    bnd_error why;
    next_word(g, name, sizeof name);
    const bnd_tensor *t = find(g, name);
    size_t count = read_numbers(g, shape, &rank, name);
    t = gradient ? bnd_tensor_gradient(t) : t;
    must_hold(g, t != NULL, "has no gradient", name);
    bool same_shape = bnd_tensor_rank(t) == rank;
    for (size_t i = 0; same_shape && i < rank; i++) {
        same_shape = bnd_tensor_shape(t)[i] == shape[i];
    }
    must_hold(g, same_shape, "has another shape", name);
    must_succeed(g, bnd_tensor_read_f32(g->numbers, count, t, &why), &why, name);
    double largest = 0, worst = 0;
    bool same_bits = true;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)g->numbers[i] - (double)g->expected[i]);
        same_bits = same_bits && bits_of(g->numbers[i]) == bits_of(g->expected[i]);
        largest = fmax(largest, fabs((double)g->expected[i]));
        worst = isnan(difference) ? INFINITY : fmax(worst, difference);
    }
    digest(g, count);
    g->compared += count;
    if (exactly) {
        (void)holds(g, same_bits, "the bits are not torch's", name);
        return;
    }
    g->worst = fmax(g->worst, largest > 0 ? worst / largest : worst > 0 ? INFINITY : 0);
    if (!holds(g, worst <= LIMIT * largest, gradient ? "torch has another gradient" : "torch has other numbers",
               name)) {
        printf("    by %g, the largest being %g\n", worst, largest);
    }
}

/* ---- steps ---- */

typedef struct step {
    char operation[NAME_SIZE];
    bnd_tensor *in[4];
    size_t operands;
    bnd_attributes attributes;
    bnd_format format;
    size_t shape[BND_TENSOR_RANK_MAX], rank, first, count;
    ptrdiff_t step;
} step;

/* "3,4": as axes and as extents. */
static void take_list(step *s, const char *text, bool axes)
{
    char *end;
    for (const char *at = text; *at != 0; at = *end == ',' ? end + 1 : end) {
        long number = strtol(at, &end, 10);
        if (end == at) {
            CU_FAIL_FATAL("a list of numbers is none");
        }
        if (axes) {
            s->attributes.axis[s->attributes.axes++] = (int)number;
        } else {
            s->shape[s->rank++] = (size_t)number;
        }
    }
}

static void take_attribute(const graph *g, step *s, const char *word)
{
    const char *value = strchr(word, '=') + 1;
    size_t length = (size_t)(value - word) - 1;
    bool axis = strncmp(word, "axis", length) == 0;
    if (axis || strncmp(word, "shape", length) == 0) {
        take_list(s, value, axis);
    } else if (strncmp(word, "number", length) == 0) {
        s->attributes.number[0] = strtod(value, NULL);
    } else if (strncmp(word, "keep", length) == 0) {
        s->attributes.keep = *value == '1';
    } else if (strncmp(word, "flag", length) == 0) {
        s->attributes.flag = *value == '1';
    } else if (strncmp(word, "first", length) == 0) {
        s->first = strtoul(value, NULL, 10);
    } else if (strncmp(word, "count", length) == 0) {
        s->count = strtoul(value, NULL, 10);
    } else if (strncmp(word, "step", length) == 0) {
        s->step = strtol(value, NULL, 10);
    } else {
        must_hold(g, strncmp(word, "format", length) == 0, "is no attribute", word);
        s->format = format_named(value);
        s->attributes.format = &s->format;
    }
}

static bnd_tensor_operation operation_named(const char *name)
{
    for (int i = BND_TENSOR_OP_NONE; i < BND_TENSOR_OP_COUNT; i++) {
        if (strcmp(bnd_tensor_operation_name((bnd_tensor_operation)i), name) == 0) {
            return (bnd_tensor_operation)i;
        }
    }
    return BND_TENSOR_OP_NONE;
}

/* Views have functions of their own; everything else is an operation of the table. */
static bnd_status run_step(bnd_tensor **out, step *s, const char *pattern, bnd_error *why)
{
    const char *name = s->operation;
    const int *axis = s->attributes.axis;
    bnd_tensor *x = s->in[0];
    if (strcmp(name, "einsum") == 0) {
        return bnd_tensor_einsum(out, pattern, s->in, s->operands, why);
    }
    if (strcmp(name, "transpose") == 0) {
        return bnd_tensor_transpose(out, x, axis[0], axis[1], why);
    }
    if (strcmp(name, "permute") == 0) {
        return bnd_tensor_permute(out, x, axis, s->attributes.axes, why);
    }
    if (strcmp(name, "slice") == 0) {
        return bnd_tensor_slice(out, x, axis[0], s->first, s->count, s->step, why);
    }
    if (strcmp(name, "select") == 0) {
        return bnd_tensor_select(out, x, axis[0], s->first, why);
    }
    if (strcmp(name, "reshape") == 0) {
        return bnd_tensor_reshape(out, x, s->shape, s->rank, why);
    }
    if (strcmp(name, "broadcast") == 0) {
        return bnd_tensor_broadcast(out, x, s->shape, s->rank, why);
    }
    if (strcmp(name, "unsqueeze") == 0) {
        return bnd_tensor_unsqueeze(out, x, axis[0], why);
    }
    return bnd_tensor_apply(out, operation_named(name), s->in, s->operands, &s->attributes, why);
}

static void take_step(graph *g, const char *to)
{
    char word[LINE_SIZE], pattern[LINE_SIZE] = "";
    step s = {.operands = 0};
    bnd_tensor *out = NULL;
    bnd_error why;
    next_word(g, word, sizeof word);
    must_hold(g, strcmp(word, "=") == 0, "is no step", to);
    next_word(g, s.operation, sizeof s.operation);
    for (next_word(g, word, sizeof word); word[0] != 0; next_word(g, word, sizeof word)) {
        if (strcmp(word, ":") == 0) {
            rest_of_line(g, pattern, sizeof pattern);
        } else if (strchr(word, '=') != NULL) {
            take_attribute(g, &s, word);
        } else {
            must_hold(g, s.operands < 4, "has more operands than any operation takes", to);
            s.in[s.operands++] = find(g, word);
        }
    }
    must_succeed(g, run_step(&out, &s, pattern, &why), &why, to);
    put(g, to, out);
}

static void go_back(graph *g)
{
    char name[NAME_SIZE], weight[NAME_SIZE];
    bnd_error why;
    next_word(g, name, sizeof name);
    next_word(g, weight, sizeof weight);
    must_succeed(g, bnd_tensor_backward(find(g, name), strtod(weight, NULL), &why), &why, name);
}

/* ---- files ---- */

static void start_case(graph *g)
{
    bnd_context context = {.backend = (uint8_t)g->backend};
    bnd_error why;
    g->at += *g->at == ' ';
    rest_of_line(g, g->title, sizeof g->title);
    bnd_engine_free(g->engine);
    g->engine = NULL;
    g->count = 0;
    g->cases++;
    must_succeed(g, bnd_engine_new(&g->engine, &context, &why), &why, "engine");
}

static void take_line(graph *g)
{
    char word[LINE_SIZE];
    next_word(g, word, sizeof word);
    if (word[0] == '#') {
        rest_of_line(g, word, sizeof word);
    } else if (strcmp(word, "case") == 0) {
        start_case(g);
    } else if (strcmp(word, "leaf") == 0 || strcmp(word, "data") == 0) {
        make_tensor(g, word[0] == 'l');
    } else if (strcmp(word, "want") == 0 || strcmp(word, "bits") == 0 || strcmp(word, "gradient") == 0) {
        compare(g, word[0] == 'b', word[0] == 'g');
    } else if (strcmp(word, "back") == 0) {
        go_back(g);
    } else if (word[0] != 0) {
        take_step(g, word);
    }
    g->at += strspn(g->at, " \n");
}

static char *load(const char *name)
{
    enum { SIZE_MOST = 1 << 20 };
    char path[1024], *text = malloc(SIZE_MOST);
    snprintf(path, sizeof path, "%s/tests/tensor/golden/%s", BND_TEST_SOURCES, name);
    FILE *f = fopen(path, "r");
    size_t n = f != NULL && text != NULL ? fread(text, 1, SIZE_MOST - 1, f) : 0;
    if (n == 0 || n == SIZE_MOST - 1) {
        printf("\n    %s cannot be read whole\n", path);
        CU_FAIL_FATAL("a file is missing, or has grown too large");
    }
    fclose(f);
    text[n] = 0;
    return text;
}

/* The least number of cases and numbers says that nothing was passed over. */
static void run_file(const char *name, size_t cases, size_t numbers)
{
    char *text = load(name);
    graph *g = malloc(sizeof *g);
    uint64_t expected = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(g);
    for (unsigned backend = BND_BACKEND_PORTABLE; backend < BND_BACKEND_COUNT; backend++) {
        if (!bnd_backend_here((bnd_backend)backend)) {
            continue;
        }
        *g = (graph){.file = name, .at = text, .backend = (bnd_backend)backend, .digest = UINT64_C(0xcbf29ce484222325)};
        while (*g->at != 0) {
            take_line(g);
        }
        bnd_engine_free(g->engine);
        CU_ASSERT_TRUE(g->cases >= cases && g->compared >= numbers);
        CU_ASSERT_TRUE(expected == 0 || g->digest == expected);
        expected = g->digest;
        if (getenv("BND_TEST_VERBOSE") != NULL) {
            printf("\n    %s, %s: %zu cases, %zu numbers, worst %.2g\n", name, bnd_backend_name(g->backend), g->cases,
                   g->compared, g->worst);
        }
    }
    free(g);
    free(text);
}

static void test_operations(void)
{
    run_file("operations.txt", 121, 10000);
}

static void test_graphs(void)
{
    run_file("graphs.txt", 3, 5000);
}

static void test_casts(void)
{
    run_file("casts.txt", 8, 4000);
}

CU_TestInfo golden_tests[] = {
    {"operations", test_operations},
    {"graphs", test_graphs},
    {"casts inside", test_casts},
    CU_TEST_INFO_NULL,
};
