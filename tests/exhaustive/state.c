/* State files: text, written beside and renamed, so that a run that ends in the middle of anything can go on.
 *
 *   binade-exhaustive 1 PROGRAM BUILD STRIDE               BUILD: a hash of the program itself
 *   NAME \t PIECES \t DONE \t CHECKED \t FAILED \t SECONDS   a line a task; DONE: a digit for four pieces */
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a of the running program's file; 0 where it cannot be read, and then builds cannot be told apart. */
static uint64_t build_hash(void)
{
    FILE *self = fopen("/proc/self/exe", "rb");
    if (self == NULL) {
        return 0;
    }
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, self)) > 0;) {
        for (size_t i = 0; i < got; i++) {
            hash = (hash ^ block[i]) * UINT64_C(0x100000001b3);
        }
    }
    fclose(self);
    return hash;
}

static void write_header(char *out, size_t size, const request *r)
{
    snprintf(out, size, "binade-exhaustive 1 %s %016" PRIx64 " %" PRIu64 "\n", r->program, build_hash(), r->stride);
}

/* ---- writing ---- */

static bool complain(const request *r, const char *path)
{
    fprintf(stderr, "%s: %s: %s\n", r->program, path, strerror(errno));
    return false;
}

static void write_task(FILE *file, const task *t, const progress *p)
{
    fprintf(file, "%s\t%" PRIu64 "\t", t->name, t->pieces);
    for (uint64_t piece = 0; piece < t->pieces; piece += 4) {
        fprintf(file, "%x", p->done[piece / 8] >> piece % 8 & 15);
    }
    fprintf(file, "\t%" PRIu64 "\t%" PRIu64 "\t%.3f\n", p->checked, p->failed, p->seconds);
}

bool save_state(const request *r, const task *tasks, size_t count, const progress *progresses)
{
    if (r->state == NULL) {
        return true;
    }
    char beside[4096], header[256];
    if (snprintf(beside, sizeof beside, "%s.new", r->state) >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        return complain(r, r->state);
    }
    FILE *file = fopen(beside, "w");
    if (file == NULL) {
        return complain(r, beside);
    }
    write_header(header, sizeof header, r);
    fputs(header, file);
    for (size_t i = 0; i < count; i++) {
        write_task(file, &tasks[i], &progresses[i]);
    }
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    return (written && rename(beside, r->state) == 0) || complain(r, beside);
}

/* ---- reading ---- */

/* The bits of DONE, and how many of them are set; false where a digit is none. */
static bool read_done(progress *p, const char *digits, uint64_t pieces)
{
    static const char hexadecimal[] = "0123456789abcdef";
    for (uint64_t piece = 0; piece < pieces; piece += 4) {
        const char *digit = strchr(hexadecimal, digits[piece / 4]);
        if (digits[piece / 4] == '\0' || digit == NULL) {
            return false;
        }
        p->done[piece / 8] |= (uint8_t)((unsigned)(digit - hexadecimal) << piece % 8);
    }
    for (uint64_t piece = 0; piece < pieces; piece++) {
        p->pieces_done += p->done[piece / 8] >> piece % 8 & 1;
    }
    return digits[(pieces + 3) / 4] == '\0';
}

static bool read_task(char *line, const task *t, progress *p)
{
    char *fields[6] = {line};
    for (int i = 1; i < 6; i++) {
        fields[i] = strchr(fields[i - 1], '\t');
        if (fields[i] == NULL) {
            return false;
        }
        *fields[i]++ = '\0';
    }
    if (strcmp(fields[0], t->name) != 0 || strtoull(fields[1], NULL, 10) != t->pieces) {
        return false;
    }
    p->checked = strtoull(fields[3], NULL, 10);
    p->failed = strtoull(fields[4], NULL, 10);
    p->seconds = strtod(fields[5], NULL);
    return read_done(p, fields[2], t->pieces);
}

static bool read_tasks(FILE *file, char *line, int size, const task *tasks, size_t count, progress *progresses)
{
    for (size_t i = 0; i < count; i++) {
        if (fgets(line, size, file) == NULL || !read_task(line, &tasks[i], &progresses[i])) {
            return false;
        }
    }
    return fgets(line, size, file) == NULL;
}

bool load_state(const request *r, const task *tasks, size_t count, progress *progresses)
{
    FILE *file = r->state == NULL ? NULL : fopen(r->state, "r");
    if (file == NULL) {
        return r->state == NULL || errno == ENOENT || complain(r, r->state);
    }
    static char line[1 << 16];
    char header[256];
    write_header(header, sizeof header, r);
    size_t same = strlen("binade-exhaustive 1 ");
    bool ours = fgets(line, sizeof line, file) != NULL && strncmp(line, header, same) == 0;
    bool known = true;
    if (ours && strcmp(line, header) != 0) {
        size_t build = same + strlen(r->program) + 1;
        ours = strncmp(line, header, build) == 0 && strncmp(line + build, header + build, 16) != 0;
        if (ours) {
            fprintf(stderr, "%s: %s is of another build of this program: starting anew\n", r->program, r->state);
        }
    } else if (ours) {
        known = read_tasks(file, line, sizeof line, tasks, count, progresses);
    }
    fclose(file);
    if (!ours || !known) {
        fprintf(stderr, "%s: %s is not the state of this request; remove it, or name another file with --state\n",
                r->program, r->state);
        return false;
    }
    return true;
}
