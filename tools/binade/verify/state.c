/* The state file of `binade verify --state FILE`: the progress of a run, so that an interrupted run can continue.
 *
 * Lines of text:
 *   binade verify state 1
 *   build HASH                 of the program and its libraries: other code must be verified again
 *   request TEXT               formats, checks, rules
 *   CHECK FORMAT MODES PLACE CASES MISMATCHES SECONDS SHOWN BYTES
 *                              a row of the table: the finished rounding modes, the place within the next one, and the
 *                              counterexamples as they are in memory, in hexadecimal
 *   end HASH                   of all lines before
 *
 * The file is written once per second and replaced atomically. */
#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/output_file.h"

/* ---- which code, which request ---- */

/* FNV-1a, from the hash of what was before. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
static const uint64_t of_nothing = UINT64_C(0xcbf29ce484222325);

/* 0 where the file cannot be read. */
static uint64_t hash_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    uint64_t hash = of_nothing;
    unsigned char block[1 << 14];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) {
        hash = hash_bytes(hash, block, got);
    }
    fclose(file);
    return hash;
}

/* A sum of hashes of all files whose code is mapped, independent of their order. On systems that do not list them it
 * is 0, and builds cannot be distinguished. */
static uint64_t build_hash(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    while (maps != NULL && getline(&line, &size, maps) > 0) {
        char *rights = strchr(line, ' '), *path = strchr(line, '/');
        if (rights != NULL && path != NULL && rights < path && rights[3] == 'x') {
            path[strcspn(path, "\n")] = '\0';
            sum += hash_of_file(path);
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    free(line);
    return sum;
}

static void add_request(long_text *text, const verify *v)
{
    add_text(text, "request");
    for (size_t i = 0; i < v->common.formats.count; i++) {
        add_text(text, " %s", v->common.formats.items[i].name);
    }
    for (size_t i = 0; i < v->rule_count; i++) {
        char *rounding = rounding_text(v->rules[i]);
        add_text(text, " %s", rounding);
        free(rounding);
    }
    add_text(text, " %s", bnd_overflow_name(bnd_rule_overflow(v->common.rule)));
    for (size_t i = 0; i < bnd_verify_check_count(); i++) {
        if (v->wanted[i]) {
            add_text(text, " %s", bnd_verify_check_name(i));
        }
    }
    add_text(text, v->exhaustive ? " exhaustive\n" : "\n");
}

static char *header_text(const verify *v)
{
    long_text text = {0};
    add_text(&text, "binade verify state 1\nbuild %016" PRIx64 "\n", v->build);
    add_request(&text, v);
    return text.text;
}

/* ---- writing ---- */

static char *examples_text(const bnd_verify_result *found)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = (size_t)found->shown * sizeof found->first[0];
    char *text = allocate(NULL, 2 * length + 1, 1);
    const unsigned char *bytes = (const unsigned char *)found->first;
    for (size_t i = 0; i < length; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * length] = '\0';
    return text;
}

static void add_result(long_text *text, const verify *v, const result *r)
{
    char *examples = examples_text(&r->found);
    double seconds = r->seconds + (r == v->current ? seconds_now() - v->current_began : 0);
    add_text(text, "%s %s %zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f %u %s\n", bnd_verify_check_name(r->check),
             v->common.formats.items[r->format].name, r->rules_done, r->place, r->found.cases, r->found.mismatches,
             seconds, r->found.shown, examples);
    free(examples);
}

static char *state_text(const verify *v)
{
    long_text text = {0};
    char *header = header_text(v);
    add_text(&text, "%s", header);
    free(header);
    for (size_t i = 0; i < v->result_count; i++) {
        add_result(&text, v, &v->results[i]);
    }
    add_text(&text, "end %016" PRIx64 "\n", hash_bytes(of_nothing, text.text, text.length));
    return text.text;
}

static bnd_status write_state(const verify *v, bnd_error *why)
{
    bnd_lab_output out;
    bnd_status status = bnd_lab_output_open(&out, v->state, why);
    if (status != BND_OK) {
        return status;
    }
    char *text = state_text(v);
    status = bnd_lab_output_write(&out, text, strlen(text), why);
    free(text);
    if (status != BND_OK) {
        bnd_lab_output_abandon(&out);
        return status;
    }
    return bnd_lab_output_finish(&out, false, why);
}

void verify_save_state(verify *v)
{
    bnd_error why;
    if (v->state == NULL || seconds_now() - v->saved_at < 1) {
        return;
    }
    if (write_state(v, &why) != BND_OK && !v->save_failed) {
        progress_end(&v->bar);
        note(v->common.command, "%s: %s; from here on the state is not saved", v->state, why.message);
        v->save_failed = true;
    }
    v->saved_at = seconds_now();
}

void verify_remove_state(const verify *v)
{
    if (v->state != NULL) {
        remove(v->state);
    }
}

/* ---- reading ---- */

/* A file line by line, with the hash of all lines and that of the lines before this one. */
typedef struct reader {
    FILE *file;
    char *line; /* without its end */
    size_t size;
    uint64_t hash, before;
} reader;

static bool next_line(reader *r)
{
    ssize_t length = getline(&r->line, &r->size, r->file);
    if (length <= 0) {
        return false;
    }
    r->before = r->hash;
    r->hash = hash_bytes(r->hash, r->line, (size_t)length);
    r->line[strcspn(r->line, "\n")] = '\0';
    return true;
}

static int value_of(char digit)
{
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool read_examples(bnd_verify_result *found, const char *digits)
{
    size_t length = (size_t)found->shown * sizeof found->first[0];
    unsigned char *bytes = (unsigned char *)found->first;
    if (strlen(digits) != 2 * length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        int high = value_of(digits[2 * i]), low = value_of(digits[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (unsigned char)(16 * high + low);
    }
    return true;
}

static bool read_result(saved_result *s, const char *line)
{
    char check[32] = "", format[BND_FORMAT_NAME_SIZE] = "";
    result *r = &s->result;
    int end = 0;
    *s = (saved_result){.result = {.rules_done = 0}};
    int fields =
        sscanf(line, "%31s %39s %zu %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %u %n", check, format, &r->rules_done,
               &r->place, &r->found.cases, &r->found.mismatches, &r->seconds, &r->found.shown, &end);
    memcpy(s->format, format, sizeof format);
    return fields == 8 && end > 0 && bnd_verify_check_parse(&r->check, check, NULL) == BND_OK &&
           r->found.shown <= BND_VERIFY_COUNTEREXAMPLES_MAX && read_examples(&r->found, line + end);
}

/* Up to the last line, whose hash says that the file is whole. */
static bool read_results(verify *v, reader *r)
{
    while (next_line(r)) {
        uint64_t hash;
        if (sscanf(r->line, "end %" SCNx64, &hash) == 1) {
            return hash == r->before && !next_line(r);
        }
        v->saved = allocate(v->saved, v->saved_count + 1, sizeof *v->saved);
        if (!read_result(&v->saved[v->saved_count++], r->line)) {
            return false;
        }
    }
    return false;
}

/* Whether the next line of the file is the one that `text` begins with. */
static bool is_line(reader *r, const char *text)
{
    size_t length = strcspn(text, "\n");
    return next_line(r) && strlen(r->line) == length && memcmp(r->line, text, length) == 0;
}

static int read_state(verify *v, reader *r)
{
    char *header = header_text(v), *build = strchr(header, '\n') + 1, *request = strchr(build, '\n') + 1;
    bool ours = is_line(r, header), same_build = ours && is_line(r, build), same_request = ours && is_line(r, request);
    free(header);
    if (!ours) {
        return complain(v->common.command, "%s is not a state file of binade verify; choose another file with --state",
                        v->state);
    }
    if (!same_request) {
        return complain(v->common.command,
                        "%s was saved by another request; remove it, or choose another file with --state", v->state);
    }
    if (!same_build) {
        note(v->common.command, "%s was saved by another build of binade: starting again", v->state);
        return GO_ON;
    }
    if (!read_results(v, r)) {
        return complain(v->common.command, "%s is damaged; remove it to start again", v->state);
    }
    return GO_ON;
}

int verify_load_state(verify *v)
{
    bnd_error why;
    if (v->state == NULL) {
        return GO_ON;
    }
    v->build = build_hash();
    FILE *file = fopen(v->state, "r");
    if (file == NULL && errno != ENOENT) {
        complain(v->common.command, "%s: %s", v->state, strerror(errno));
        return BAD_STREAM;
    }
    struct stat about;
    if (file != NULL && (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))) {
        fclose(file);
        return complain(v->common.command, "%s is not a file; choose a file with --state", v->state);
    }
    if (file != NULL) {
        reader r = {.file = file, .hash = of_nothing};
        int status = read_state(v, &r);
        free(r.line);
        fclose(file);
        return status;
    }
    /* Written immediately, so that an error in writing is reported before hours of work, not after. */
    bnd_status status = write_state(v, &why);
    return status == BND_OK ? GO_ON : fail(v->common.command, v->state, status, &why);
}

int verify_take_saved(verify *v, result *r)
{
    size_t at = (size_t)(r - v->results);
    if (at >= v->saved_count) {
        return GO_ON;
    }
    const saved_result *s = &v->saved[at];
    size_t format = r->format;
    if (s->result.check != r->check || strcmp(s->format, v->common.formats.items[format].name) != 0) {
        return complain(v->common.command, "%s is damaged; remove it to start again", v->state);
    }
    *r = s->result;
    r->format = format;
    return GO_ON;
}
