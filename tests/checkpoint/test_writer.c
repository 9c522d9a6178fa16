/* Checkpoints that are written: what is read back, what is refused, and that nothing is left behind. */
#define _XOPEN_SOURCE 700
#include "files.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bulk/threads.h"

enum { TENSORS = 5 };
static const uint64_t shape_a[] = {3, 4}, shape_b[] = {8}, shape_c[] = {2, 2, 2}, shape_e[] = {0, 7};
static const bnd_planned planned[TENSORS] = {
    {"b.weight", "F8_E4M3", 2, shape_a}, {"a.weight", "BF16", 1, shape_b},       {"c.scale", "F32", 0, NULL},
    {"d.codes", "F4", 3, shape_c},       {"e\xc3\xa9.empty", "I64", 2, shape_e},
};
static const uint64_t sizes[TENSORS] = {12, 16, 4, 4, 0};
static const bnd_safetensors_pair metadata[] = {{"format", "pt"}, {"rule", "floor"}};
static const bnd_side_file side[] = {{"config.json", "{\"x\": 1}\n", 9, NULL}};

static bnd_checkpoint_plan plan_of(uint64_t shard_size)
{
    return (bnd_checkpoint_plan){planned, TENSORS, metadata, 2, side, 1, shard_size};
}

static unsigned char byte_of(size_t tensor, uint64_t at)
{
    return (unsigned char)(1 + 37 * tensor + at);
}

static bnd_status put_tensor(bnd_checkpoint_writer *w, size_t tensor, bnd_error *why)
{
    unsigned char bytes[16];
    for (uint64_t k = 0; k < sizes[tensor]; k++) {
        bytes[k] = byte_of(tensor, k);
    }
    return bnd_checkpoint_writer_put(w, tensor, 0, bytes, (size_t)sizes[tensor], why);
}

static bnd_status write_all(const char *path, const bnd_checkpoint_plan *plan, bnd_error *why)
{
    bnd_checkpoint_writer *w = NULL;
    bnd_status status = bnd_checkpoint_writer_new(&w, path, plan, why);
    for (size_t i = TENSORS; status == BND_OK && i-- > 0;) {
        status = put_tensor(w, i, why);
    }
    if (status != BND_OK) {
        bnd_checkpoint_writer_free(w);
        return status;
    }
    return bnd_checkpoint_writer_finish(w, false, why);
}

static bool is_complete(const bnd_checkpoint *c)
{
    bool right = bnd_checkpoint_count(c) == TENSORS;
    for (size_t i = 0; right && i < TENSORS; i++) {
        const bnd_stored_tensor *t = bnd_checkpoint_find(c, planned[i].name);
        right = t != NULL && strcmp(t->dtype, planned[i].dtype) == 0 && t->size == sizes[i] &&
                t->rank == planned[i].rank &&
                (t->rank == 0 || memcmp(t->shape, planned[i].shape, t->rank * sizeof *t->shape) == 0);
        for (uint64_t k = 0; right && k < sizes[i]; k++) {
            right = t->data[k] == byte_of(i, k);
        }
    }
    return right;
}

static bool holds(const char *name, const char *text)
{
    char path[PATH_SIZE];
    size_t length;
    char *bytes = read_file(&length, in_folder(path, name));
    bool same = length == strlen(text) && memcmp(bytes, text, length) == 0;
    free(bytes);
    return same;
}

/* The number of names in a folder of the test's folder. */
static size_t count_names(const char *name)
{
    char path[PATH_SIZE];
    size_t count = 0;
    DIR *stream = opendir(in_folder(path, name));
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(stream);
    return count;
}

/* ---- what is read back ---- */

static void test_shards(void)
{
    char path[PATH_SIZE];
    bnd_error why;
    bnd_checkpoint_plan plan = plan_of(24);
    open_folder();
    CU_ASSERT_EQUAL_FATAL(write_all(in_folder(path, "out"), &plan, &why), BND_OK);
    CU_ASSERT_EQUAL(count_names(""), 1);
    CU_ASSERT_EQUAL(count_names("out"), 4);
    bnd_checkpoint *c = open_named("out", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_TRUE(is_complete(c));
    CU_ASSERT_EQUAL(bnd_checkpoint_files(c), 2);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_file_name(c, 0), "model-00001-of-00002.safetensors");
    CU_ASSERT_EQUAL(bnd_checkpoint_find(c, "b.weight")->file, 0);
    CU_ASSERT_EQUAL(bnd_checkpoint_find(c, "a.weight")->file, 1);
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_metadata(c, "rule"), "floor");
    CU_ASSERT_STRING_EQUAL(bnd_checkpoint_text(c, "config.json", NULL), side[0].text);
    bnd_checkpoint_free(c);
    CU_ASSERT_TRUE(holds("out/model.safetensors.index.json",
                         "{\n  \"metadata\": {\n    \"total_size\": 36\n  },\n  \"weight_map\": {\n"
                         "    \"a.weight\": \"model-00002-of-00002.safetensors\",\n"
                         "    \"b.weight\": \"model-00001-of-00002.safetensors\",\n"
                         "    \"c.scale\": \"model-00002-of-00002.safetensors\",\n"
                         "    \"d.codes\": \"model-00002-of-00002.safetensors\",\n"
                         "    \"e\xc3\xa9.empty\": \"model-00002-of-00002.safetensors\"\n  }\n}\n"));
    plan.shard_size = 1; /* each tensor is larger; the empty one goes with the one before */
    CU_ASSERT_EQUAL_FATAL(write_all(in_folder(path, "small/"), &plan, &why), BND_OK);
    c = open_named("small", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_TRUE(is_complete(c));
    CU_ASSERT_EQUAL(bnd_checkpoint_files(c), 4);
    bnd_checkpoint_free(c);
    close_folder();
}

/* One file: the bytes that bnd_safetensors_write makes, as a file and in a folder. */
static void test_one(void)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    bnd_error why;
    bnd_checkpoint_plan plan = plan_of(0);
    bnd_safetensor entries[TENSORS];
    unsigned char data[TENSORS][16];
    open_folder();
    for (size_t i = 0; i < TENSORS; i++) {
        for (uint64_t k = 0; k < sizes[i]; k++) {
            data[i][k] = byte_of(i, k);
        }
        entries[i] = (bnd_safetensor){.name = planned[i].name,
                                      .dtype = planned[i].dtype,
                                      .rank = planned[i].rank,
                                      .shape = planned[i].shape,
                                      .data = data[i]};
    }
    in_folder(path, "expected.safetensors");
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(path, entries, TENSORS, metadata, 2, &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(write_all(in_folder(other, "out"), &plan, &why), BND_OK);
    plan.side_count = 0;
    CU_ASSERT_EQUAL_FATAL(write_all(in_folder(other, "x.safetensors"), &plan, &why), BND_OK);
    static const char *const names[] = {"out/model.safetensors", "x.safetensors"};
    size_t expected_length, length;
    char *expected = read_file(&expected_length, path);
    for (size_t i = 0; i < 2; i++) {
        char *bytes = read_file(&length, in_folder(other, names[i]));
        CU_ASSERT_TRUE(length == expected_length && memcmp(bytes, expected, length) == 0);
        free(bytes);
    }
    free(expected);
    CU_ASSERT_EQUAL(count_names("out"), 2);
    CU_ASSERT_EQUAL(count_names(""), 3);
    close_folder();
}

/* A folder that is empty is replaced, also through a link; its permissions stay. A file is copied next to the tensors.
 */
static void test_folders(void)
{
    char path[PATH_SIZE], from[PATH_SIZE], link[PATH_SIZE];
    bnd_error why;
    struct stat about;
    open_folder();
    put_text("from.txt", "copied");
    const bnd_side_file copied = {"to.txt", NULL, 0, in_folder(from, "from.txt")};
    bnd_checkpoint_plan plan = plan_of(0);
    plan.side = &copied;
    CU_ASSERT_EQUAL(mkdir(in_folder(path, "out"), 0750), 0);
    CU_ASSERT_EQUAL(symlink("out", in_folder(link, "link")), 0);
    CU_ASSERT_EQUAL_FATAL(write_all(link, &plan, &why), BND_OK);
    CU_ASSERT_TRUE(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    CU_ASSERT_TRUE(stat(path, &about) == 0 && (about.st_mode & 0777) == 0750);
    CU_ASSERT_TRUE(holds("out/to.txt", "copied"));
    plan.count = 0; /* a checkpoint of no tensors */
    bnd_checkpoint_writer *w;
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_new(&w, in_folder(path, "none"), &plan, &why), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_finish(w, false, &why), BND_OK);
    bnd_checkpoint *c = open_named("none", NULL, &why);
    CU_ASSERT_TRUE(c != NULL && bnd_checkpoint_count(c) == 0 && bnd_checkpoint_metadata_count(c) == 2);
    bnd_checkpoint_free(c);
    close_folder();
}

/* Every part by another thread, every byte on its own. */
typedef struct piecewise {
    bnd_checkpoint_writer *writer;
    bool failed;
} piecewise;

static void put_byte(void *job, size_t i, bool in_order)
{
    piecewise *p = job;
    (void)in_order;
    size_t tensor = 0;
    while (i >= sizes[tensor]) {
        i -= (size_t)sizes[tensor++];
    }
    unsigned char byte = byte_of(tensor, i);
    if (bnd_checkpoint_writer_put(p->writer, tensor, i, &byte, 1, NULL) != BND_OK) {
        p->failed = true;
    }
}

static void test_pieces(void)
{
    char path[PATH_SIZE];
    bnd_error why;
    bnd_checkpoint_plan plan = plan_of(16);
    piecewise p = {.failed = false};
    open_folder();
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_new(&p.writer, in_folder(path, "out"), &plan, &why), BND_OK);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0); /* not before it is complete */
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_put(p.writer, TENSORS, 0, "", 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_put(p.writer, 2, 4, "x", 1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_put(p.writer, 2, UINT64_MAX, "xx", 2, &why), BND_BAD_ARGUMENT);
    bnd_lab_parallel(4, BNDI_AS_ASKED, put_byte, &p, 36);
    CU_ASSERT_FALSE(p.failed);
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_finish(p.writer, true, &why), BND_OK);
    bnd_checkpoint *c = open_named("out", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_TRUE(is_complete(c));
    bnd_checkpoint_free(c);
    close_folder();
}

/* ---- many shards ---- */

enum { SHARDS = 100, OPEN = 32 };

static size_t open_files(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 4 * SHARDS; fd++) {
        struct stat about;
        count += fstat(fd, &about) == 0;
    }
    return count;
}

static void put_part(void *job, size_t i, bool in_order)
{
    piecewise *p = job;
    unsigned char byte = (unsigned char)(i / SHARDS + i);
    (void)in_order;
    if (bnd_checkpoint_writer_put(p->writer, i % SHARDS, i / SHARDS, &byte, 1, NULL) != BND_OK) {
        p->failed = true;
    }
}

/* More files than may be open: a few stay open, whatever the number of threads. */
static void test_many_shards(void)
{
    static const uint64_t shape[] = {5};
    char path[PATH_SIZE], names[SHARDS][8];
    bnd_planned tensors[SHARDS];
    bnd_error why;
    for (size_t i = 0; i < SHARDS; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        tensors[i] = (bnd_planned){names[i], "U8", 1, shape};
    }
    const bnd_checkpoint_plan plan = {tensors, SHARDS, NULL, 0, NULL, 0, 5};
    piecewise p = {.failed = false};
    open_folder();
    size_t before = open_files();
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_new(&p.writer, in_folder(path, "out"), &plan, &why), BND_OK);
    bnd_lab_parallel(6, BNDI_AS_ASKED, put_part, &p, 5 * SHARDS);
    CU_ASSERT_FALSE(p.failed);
    CU_ASSERT_EQUAL(open_files() - before, OPEN); /* they stay open, and no more of them */
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_finish(p.writer, false, &why), BND_OK);
    CU_ASSERT_EQUAL(open_files(), before);
    bnd_checkpoint *c = open_named("out", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    size_t wrong = 0;
    for (size_t i = 0; i < 5 * SHARDS; i++) {
        wrong += bnd_checkpoint_find(c, names[i % SHARDS])->data[i / SHARDS] != (unsigned char)(i / SHARDS + i);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_checkpoint_free(c);
    close_folder();
}

/* ---- what is refused ---- */

static void refused(const char *name, const bnd_checkpoint_plan *plan, bnd_status status, const char *message)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_checkpoint_writer *w = NULL;
    size_t before = count_names("");
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_new(&w, in_folder(path, name), plan, &why), status);
    CU_ASSERT_PTR_NULL(w);
    if (strstr(why.message, message) == NULL) {
        printf("\nexpected ...%s..., got %s\n", message, why.message);
        CU_FAIL("another message");
    }
    CU_ASSERT_EQUAL(count_names(""), before);
}

static void test_refused(void)
{
    static const uint64_t huge[] = {(uint64_t)1 << 40, (uint64_t)1 << 40};
    static const uint64_t odd[] = {3};
    static const bnd_planned twice[] = {{"a", "U8", 1, odd}, {"b", "U8", 1, odd}, {"a", "U8", 1, odd}};
    static const bnd_planned wrong[] = {
        {"a", "FP8", 1, odd}, {"a", "F32", 2, huge}, {"a", "F4", 1, odd}, {"\xff", "U8", 1, odd}};
    static const char *const reasons[] = {"not a dtype", "more elements", "fill whole bytes", "UTF-8"};
    static const bnd_side_file sides[] = {
        {"../x", "", 0, NULL}, {"model.safetensors", "", 0, NULL}, {"", "", 0, NULL}, {"x", NULL, 0, "/nonexistent/x"}};
    char path[PATH_SIZE];
    bnd_checkpoint_plan plan = plan_of(0);
    open_folder();
    put_text("file", "");
    CU_ASSERT_EQUAL(mkdir(in_folder(path, "full"), 0777), 0);
    put_text("full/x", "");
    refused("full", &plan, BND_BAD_STREAM, "is not empty");
    refused("file", &plan, BND_BAD_STREAM, "is not a folder");
    refused("no/where", &plan, BND_BAD_STREAM, "No such file");
    refused("x.safetensors", &plan, BND_BAD_ARGUMENT, "a single file has no files next to it");
    plan.side_count = 0;
    put_text("old.safetensors", "something");
    refused("old.safetensors", &plan, BND_BAD_STREAM, "is there already, and is not empty");
    plan.shard_size = 1000;
    refused("x.safetensors", &plan, BND_BAD_ARGUMENT, "cannot be used with a shard size");
    plan = plan_of(0);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        plan.side = &sides[i];
        refused("out", &plan, i == 3 ? BND_BAD_STREAM : BND_BAD_ARGUMENT, "");
    }
    plan = (bnd_checkpoint_plan){.tensors = twice, .count = 3, .shard_size = 3};
    refused("out", &plan, BND_BAD_ARGUMENT, "two tensors have the name 'a'");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        plan = (bnd_checkpoint_plan){.tensors = &wrong[i], .count = 1};
        refused("out", &plan, BND_BAD_ARGUMENT, reasons[i]);
        refused("x.safetensors", &plan, BND_BAD_ARGUMENT, reasons[i]);
    }
    close_folder();
}

/* A disk without room is noticed before the work is done, and nothing is left. */
static void test_full_disk(void)
{
    static const uint64_t large[] = {100000};
    static const bnd_planned tensors[] = {{"a", "U8", 1, large}};
    const bnd_checkpoint_plan plan = {.tensors = tensors, .count = 1};
    struct rlimit before, limit;
    open_folder();
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 50000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    refused("out", &plan, BND_BAD_STREAM, "model.safetensors: cannot be written: File too large");
    refused("x.safetensors", &plan, BND_BAD_STREAM, "cannot be written: File too large");
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    close_empty_folder();
}

/* Freed without an end, removed as a signal's handler does, or someone has taken the name meanwhile. */
static void test_unfinished(void)
{
    char path[PATH_SIZE];
    bnd_error why;
    bnd_checkpoint_writer *w;
    bnd_checkpoint_plan plan = plan_of(20), single = plan_of(0);
    single.side_count = 0;
    open_folder();
    for (int removed = 0; removed < 2; removed++) {
        for (int one = 0; one < 2; one++) {
            CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_new(&w, in_folder(path, one ? "x.safetensors" : "out"),
                                                            one ? &single : &plan, &why),
                                  BND_OK);
            CU_ASSERT_EQUAL(put_tensor(w, 0, &why), BND_OK);
            CU_ASSERT_EQUAL(count_names(""), 1);
            if (removed) {
                bnd_checkpoint_writer_remove(w);
                CU_ASSERT_EQUAL(count_names(""), 0);
            }
            bnd_checkpoint_writer_free(w);
            CU_ASSERT_EQUAL(count_names(""), 0);
        }
    }
    bnd_checkpoint_writer_free(NULL);
    CU_ASSERT_EQUAL_FATAL(bnd_checkpoint_writer_new(&w, in_folder(path, "out"), &plan, &why), BND_OK);
    CU_ASSERT_EQUAL(mkdir(path, 0777), 0);
    put_text("out/mine", "");
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_finish(w, false, &why), BND_BAD_STREAM);
    CU_ASSERT_EQUAL(count_names(""), 1);
    CU_ASSERT_TRUE(holds("out/mine", ""));
    close_folder();
}

/* A FIFO without a reader is refused, and not waited for. */
static void test_fifo(void)
{
    char path[PATH_SIZE];
    bnd_error why = {.message = ""};
    bnd_checkpoint_writer *w = NULL;
    bnd_checkpoint_plan single = plan_of(0);
    single.side_count = 0;
    open_folder();
    CU_ASSERT_EQUAL_FATAL(mkfifo(in_folder(path, "x.safetensors"), 0666), 0);
    CU_ASSERT_EQUAL(bnd_checkpoint_writer_new(&w, path, &single, &why), BND_BAD_STREAM);
    CU_ASSERT_STRING_EQUAL(why.message, "is there already, and is not a file; choose another name");
    CU_ASSERT_EQUAL(count_names(""), 1);
    close_folder();
}

#if defined(BND_WITH_WRAP)
static void test_allocations(void)
{
    char path[PATH_SIZE];
    bnd_checkpoint_plan plan = plan_of(20), single = plan_of(0);
    single.side_count = 0;
    open_folder();
    for (int one = 0; one < 2; one++) {
        bnd_status status = BND_NO_MEMORY;
        uint64_t tries = 0;
        for (; status == BND_NO_MEMORY && tries < 1000; tries++) {
            int64_t living = allocations_living();
            bnd_error why = {.message = ""};
            in_folder(path, one ? "x.safetensors" : "out");
            allocations_fail(tries, false);
            status = write_all(path, one ? &single : &plan, &why);
            allocations_fail(UINT64_MAX, false);
            CU_ASSERT_EQUAL(allocations_living(), living);
            CU_ASSERT_TRUE(status == BND_OK || (why.message[0] != '\0' && count_names("") == (size_t)one));
        }
        CU_ASSERT_EQUAL(status, BND_OK);
        CU_ASSERT_TRUE(tries > 10);
    }
    close_folder();
}
#endif

/* ---- killed ---- */

/* What a checkpoint of the test's folder is: 0 nothing, 1 complete, -1 anything else. */
static int what_is(const char *name)
{
    char path[PATH_SIZE];
    bnd_error why;
    if (access(in_folder(path, name), F_OK) != 0) {
        return 0;
    }
    bnd_checkpoint *c = open_named(name, NULL, &why);
    bool complete = c != NULL && is_complete(c);
    bnd_checkpoint_free(c);
    return complete ? 1 : -1;
}

/* Writes checkpoints one after the other until it is killed. It says when it begins. */
static void write_for_ever(int tell)
{
    bnd_checkpoint_plan plan = plan_of(20), single = plan_of(0);
    single.side_count = 0;
    for (unsigned i = 0;; i++) {
        char name[32], path[PATH_SIZE];
        snprintf(name, sizeof name, i % 2 == 0 ? "k%u" : "k%u.safetensors", i);
        if (write_all(in_folder(path, name), i % 2 == 0 ? &plan : &single, NULL) != BND_OK ||
            (i == 0 && write(tell, "x", 1) != 1)) {
            _exit(1);
        }
    }
}

/* Killed at any moment: each name is of nothing or of a complete checkpoint. BND_TEST_KILLS sets how often. */
static void test_killed(void)
{
    const char *asked = getenv("BND_TEST_KILLS");
    unsigned kills = asked != NULL ? (unsigned)strtoul(asked, NULL, 10) : 100, complete = 0, wrong = 0;
    for (unsigned k = 0; k < kills; k++) {
        int ends[2];
        char byte;
        open_folder();
        CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
        pid_t child = fork();
        CU_ASSERT_TRUE_FATAL(child >= 0);
        if (child == 0) {
            write_for_ever(ends[1]);
        }
        close(ends[1]);
        CU_ASSERT_EQUAL(read(ends[0], &byte, 1), 1);
        struct timespec moment = {.tv_nsec = (long)(bnd_random(7, 0, k) % 3000000)}; /* any will do */
        nanosleep(&moment, NULL);
        CU_ASSERT_EQUAL(kill(child, SIGKILL), 0);
        int status;
        CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
        CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        close(ends[0]);
        for (unsigned i = 0, more = 2; more > 0; i++) { /* until two names in a row are of nothing */
            char name[32];
            snprintf(name, sizeof name, i % 2 == 0 ? "k%u" : "k%u.safetensors", i);
            int what = what_is(name);
            wrong += what < 0;
            complete += what > 0;
            more = what == 0 ? more - 1 : 2;
        }
        close_folder();
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(complete >= kills);
}

CU_TestInfo writer_tests[] = {
    {"shards", test_shards},
    {"one file", test_one},
    {"folders", test_folders},
    {"pieces", test_pieces},
    {"many shards", test_many_shards},
    {"refused", test_refused},
    {"a FIFO", test_fifo},
    {"full disk", test_full_disk},
    {"unfinished", test_unfinished},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_allocations},
#else
    ALLOCATIONS_SKIPPED,
#endif
    {"killed", test_killed},
    CU_TEST_INFO_NULL,
};
