/* Any bytes as a log of a run, or (behind a C) as the configuration of one. What is accepted must hold its promises,
 * and the program aborts where it does not. */
#include "tests/fuzz/fuzz.h"

#include <binade-lab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 16, ROOM = 96 };

/* A directory of this process, gone when it ends. */
static char folder[ROOM / 2], log_path[ROOM], config_path[ROOM];

static void remove_all(void)
{
    (void)unlink(log_path);
    (void)unlink(config_path);
    (void)rmdir(folder);
}

/* In memory, where there is such a place. */
static bool make_in(const char *place)
{
    snprintf(folder, sizeof folder, "%s/binade-fuzz-%ld", place, (long)getpid());
    return mkdir(folder, 0700) == 0;
}

static void make_folder(void)
{
    if (folder[0] == '\0') {
        require(make_in("/dev/shm") || make_in("/tmp"), "there is a folder to work in");
        snprintf(log_path, sizeof log_path, "%s/metrics.jsonl", folder);
        snprintf(config_path, sizeof config_path, "%s/config.json", folder);
        (void)atexit(remove_all);
    }
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL, "a file can be written");
    require(fwrite(bytes, 1, size, file) == size, "a file can be written");
    require(fclose(file) == 0, "a file can be written");
}

static void require_record(const bnd_record *r)
{
    uint64_t skipped = 0;
    for (size_t i = 0; i < r->count; i++) {
        skipped += r->points[i].skipped;
        require(i == 0 || r->points[i].step > r->points[i - 1].step, "steps ascend");
    }
    require(skipped == r->skipped, "sums are those of the points");
    double result = bnd_record_result(r);
    require(result == result, "a result is a number");
}

/* Fields of CSV as they come: every row has as many as the first. */
typedef struct fields {
    size_t commas, columns;
    bool quoted;
} fields;

static void count_fields(void *sink, const char *text, size_t length)
{
    fields *f = sink;
    for (size_t i = 0; i < length; i++) {
        f->quoted = f->quoted != (text[i] == '"');
        f->commas += text[i] == ',' && !f->quoted;
        if (text[i] == '\n') {
            f->columns = f->columns > 0 ? f->columns : f->commas + 1;
            require(!f->quoted && f->commas + 1 == f->columns, "a row has as many fields as the header");
            f->commas = 0;
        }
    }
}

static void require_sheet(void)
{
    fields f = {.columns = 0};
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_metrics_write_csv(log_path, count_fields, &f, &why);
    require(status == BND_OK ? f.columns > 0 : why.status == status && why.message[0] != '\0', "a refusal says why");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char line[] = "{\"step\": 0, \"loss\": 1}\n";
    bnd_record r;
    bnd_error why = {.status = BND_OK};
    bool config = size > 0 && data[0] == 'C';
    size = size < MOST ? size : MOST;
    make_folder();
    if (config) {
        write_bytes(log_path, line, sizeof line - 1);
        write_bytes(config_path, data + 1, size - 1);
    } else {
        write_bytes(log_path, data, size);
        require_sheet();
    }
    bnd_status status = bnd_record_read(&r, config ? folder : log_path, &why);
    if (status != BND_OK) {
        require(why.status == status && status == BND_BAD_FILE && why.message[0] != '\0', "a refusal says why");
    } else {
        require(r.count > 0, "a log has steps");
        require_record(&r);
        bnd_record_close(&r);
    }
    return 0;
}

/* Lines of logs and parts of configurations in a row, then up to three bytes replaced. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const pieces[] = {
        "{\"step\": 1, \"loss\": 2.5}\n",
        "{\"step\": 2, \"loss\": null, \"loss_is\": \"inf\", \"memory/peak\": 7}\n",
        "{\"loss\": NaN, \"step\": 3, \"x\": [1, {\"y\": \"}\"}], \"val/loss\": 1e-5}\r\n",
        "{\"step\": 4, \"loss\": -Infinity, \"train/skipped\": true}",
        "step,loss,val/loss,note\n",
        "5,2.5,,\"a, b\"\n",
        "6,nan,0x1p-3,x\n",
        "7,1e-400,1,y",
        "C{\"recipe\": \"x\", \"training\": {\"model\": \"m\", \"optimizer\": \"o\", ",
        "\"seed_init\": 1, \"seed_data\": 18446744073709551615, \"steps\": 9, \"lr\": 1e-3}, ",
        "\"model\": {\"parameters\": 3, \"floor\": 0.5, \"ignorance\": null}}\n",
    };
    static const char alphabet[] = "0123456789.eE-+{}[]\",:\n\\ntC_/";
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    for (uint64_t i = 0; i < count; i++) {
        char data[1024] = "";
        size_t size = 0, next = bnd_random(seed, i, 0) % PIECES;
        for (uint64_t k = 0; k < 1 + bnd_random(seed, i, 5) % 6; k++) {
            size += (size_t)snprintf(data + size, sizeof data - size, "%s", pieces[next]);
            uint64_t r = bnd_random(seed, i, 10 + k);
            next = r % 4 != 0 ? (next + 1) % PIECES : r / 4 % PIECES; /* mostly the one that follows */
        }
        for (uint64_t k = bnd_random(seed, i, 1) % 4; k > 0; k--) {
            uint64_t r = bnd_random(seed, i, 1 + k);
            data[r % size] = alphabet[(r >> 32) % (sizeof alphabet - 1)];
        }
        fuzz_input((const uint8_t *)data, size);
    }
}
