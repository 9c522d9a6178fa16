/* What study/ shares between its files. A run writes lines; a record is their sum, for lines just written or read back.
 *
 * A run directory has config.json (what defines the run: equal texts are equal runs), metrics.jsonl (one line per step,
 * cut back to the checkpoint's step on resume, locked while a process writes), summary.json (present if the run is
 * complete) and checkpoint.safetensors. All runs are checked for errors before the first step of any of them. The
 * context's threads run one run each.
 *
 * A comparison pairs runs with those of a reference and measures gaps; verdict.c has the rules and the words. Each
 * validation is made twice, in the recipe and in fp32, and the fp32 value decides. An autopsy lifts parts of the recipe
 * to fp32, or lowers them into it, and attributes the gap; it searches the smallest set of parts that heals the run,
 * and repeats the run with every cast and update counted. A point of a sweep is a number, from which its task and
 * directory follow, so the directories on disk show which work is finished. Under mpirun rank 0 distributes the
 * numbers. */
#ifndef BINADE_SRC_STUDY_H
#define BINADE_SRC_STUDY_H

#include <binade-lab/autopsy.h>
#include <binade-lab/study.h>
#include <binade-lab/sweep.h>

#include "train/train.h" /* numbers in JSON */

/* ---- text that grows ---- */

typedef struct bndi_bytes {
    char *at; /* length bytes and a 0 byte; NULL if empty */
    size_t length, room;
    bool failed; /* there was no memory for some of it */
} bndi_bytes;

void bndi_bytes_write(void *bytes, const char *text, size_t length); /* of a bnd_lab_json, too */
void bndi_bytes_free(bndi_bytes *bytes);
BND_CHECKED bnd_status bndi_bytes_check(const bndi_bytes *bytes, bnd_error *why);

/* ---- columns: what a line and a row of CSV have of a point ---- */

typedef enum bndi_kind { BNDI_COLUMN_NUMBER, BNDI_COLUMN_COUNT, BNDI_COLUMN_FLAG } bndi_kind;
typedef struct bndi_column {
    const char *key;
    uint8_t kind;
    bool always; /* present in every line */
    size_t at;   /* in bnd_point */
} bndi_column;
enum {
    BNDI_COLUMNS = 18,
    BNDI_COLUMN_STEP = 0,
    BNDI_COLUMN_LOSS = 1,
    BNDI_COLUMN_VALIDATION = 2,
    BNDI_COLUMN_VALIDATION_FP32 = 3,
    BNDI_COLUMN_TRAIN_LOSS = 4,
    BNDI_COLUMN_ENDED = 16,
    BNDI_COLUMN_CLIP_FACTOR = 17
};
extern const bndi_column bndi_columns[BNDI_COLUMNS];

/* Whether two keys of a file are the same. Some keys had another name in older versions: that is the same key. */
bool bndi_same_key(const char *a, size_t a_length, const char *b, size_t b_length);

double bndi_column_number(const bnd_point *point, const bndi_column *column);
uint64_t bndi_column_count(const bnd_point *point, const bndi_column *column);

/* false: the column is a validation that was not made, the run did not end at this point, or does not clip. */
bool bndi_column_measured(const bnd_point *point, size_t column);

/* A point of which nothing is known. */
bnd_point bndi_point_none(void);

/* Sets what the column says; false if a count is not an integer from 0 to 2^53, or a flag is not 0 or 1. */
BND_CHECKED bool bndi_column_set(bnd_point *point, size_t column, double x);

/* ---- records ---- */

void bndi_record_none(bnd_record *record);
BND_CHECKED bnd_status bndi_record_add(bnd_record *record, const bnd_point *point, bnd_error *why);

/* Steps and roles come in order. Of the steps that are not sampled only the last one's are kept. */
BND_CHECKED bnd_status bndi_record_add_histogram(bnd_record *record, const bnd_histogram *histogram, bnd_error *why);

/* The loss at the end and the median time, once all points are there. */
BND_CHECKED bnd_status bndi_record_finish(bnd_record *record, bnd_error *why);

/* What does not change from step to step is in a line only where it is new: bytes by role and FLOPs of a step. Row 0 ..
 * BNDI_STEADY-1. */
enum { BNDI_STEADY = 6 * BND_ROLE_COUNT + 5 };
uint64_t *bndi_steady(bnd_record *record, size_t row, char key[BNDI_KEY_SIZE]);

/* The chance level: what the record says, or its first loss that is a number, or infinity. */
double bndi_record_cap(const bnd_record *record);

/* Were both trained on the same data, as far as the records say? */
bool bndi_record_same_data(const bnd_record *a, const bnd_record *b);
/* Has it made any step? One that ended or was validated has, even if no point is kept. */
bool bndi_record_has_steps(const bnd_record *record);
/* Have both steps, and do they overlap? */
bool bndi_record_same_steps(const bnd_record *a, const bnd_record *b);
/* Models of one name and one number of parameters, as far as both are known. */
bool bndi_record_same_model(const bnd_record *a, const bnd_record *b);
/* Is one of two runs of a recipe a repeat of the other? They have the same seeds of initialisation and data. Logs, and
 * models of other programs, whose seeds are not known, have the same losses, too. */
bool bndi_record_repeats(const bnd_record *a, const bnd_record *b);

/* ---- settings in which runs differ ---- */

/* What a difference is about. Seeds, and what has no influence on numbers, is none. */
enum {
    BNDI_SETTING_SETUP = 1,  /* a gap is not one of the recipe alone */
    BNDI_SETTING_CHOSEN = 2, /* the optimizer and its rate, which may be compared on purpose */
    BNDI_SETTING_LENGTH = 4, /* steps, where they do not change the schedule */
    BNDI_SETTING_RECIPE = 8,
    BNDI_SETTING_ANY = 15
};

typedef struct bndi_setting {
    char key[32], value[32], other[32]; /* as the configurations have them, shortened */
} bndi_setting;

/* Finds the settings of these kinds in which two runs differ, as far as both have a configuration that says so; at most
 * `most` are written. Returns: how many there are. */
size_t bndi_settings_apart(bndi_setting *out, size_t most, const bnd_record *record, const bnd_record *other,
                           unsigned kinds);

/* Same model, and no other difference that is not one of recipe, optimizer or length? */
bool bndi_record_same_setup(const bnd_record *a, const bnd_record *b);

/* ---- lines ---- */

/* Statistics of a step's casts: BND_ROLE_COUNT entries for the whole run, then as many for each of its `places`. */
typedef struct bndi_counts {
    bnd_stats *at; /* NULL: casts are not counted */
    unsigned places;
    const bnd_run *run;
} bndi_counts;

/* Writes a line of metrics.jsonl with its line feed. `known` holds the values that the lines before it gave, and is
   updated. */
void bndi_line_write(bndi_bytes *out, const bnd_point *point, const bndi_counts *counts, const bnd_record *now,
                     bnd_record *known);

/* The step's totals of what is counted. */
void bndi_line_count(bnd_point *point, const bndi_counts *counts);

/* Keeps the histograms of the step. */
BND_CHECKED bnd_status bndi_line_keep_histograms(bnd_record *record, uint64_t step, const bndi_counts *counts,
                                                 bnd_error *why);

/* Notes in which step each role first overflowed, or underflowed to zero. */
void bndi_line_note_firsts(bnd_record *record, uint64_t step, const bndi_counts *counts);

/* ---- configurations ---- */

void bndi_config_write(bndi_bytes *out, const bnd_task *task, const bnd_record *record);
void bndi_summary_write(bndi_bytes *out, const bnd_record *record);

/* Sets what a configuration says of a record. */
BND_CHECKED bnd_status bndi_config_read(bnd_record *out, const char *text, size_t length, bnd_error *why);

/* Is this text a JSON object that describes a run with this number of steps? */
bool bndi_autopsy_is_of(const bndi_bytes *text, uint64_t steps);

/* Is it the same run? Refused with what differs. How often it is saved does not count. */
BND_CHECKED bnd_status bndi_config_same(const bndi_bytes *there, const bndi_bytes *asked, bnd_error *why);

/* Refuses a text that is not a whole JSON object, as one that was cut. */
BND_CHECKED bnd_status bndi_config_check(const bndi_bytes *text, bnd_error *why);

/* Fails: the file whose hash has this key in a configuration is not what it was. `before` and `after` stand around the
 * sentence. */
bnd_status bndi_content_changed(const char *key, uint64_t there, uint64_t asked, const char *before, const char *after,
                                bnd_error *why);

/* ---- files ---- */

/* "NAME: " before the message. */
bnd_status bndi_within(bnd_error *why, const char *name, bnd_status status);

/* DIRECTORY/NAME; NULL without memory. The caller frees it. */
char *bndi_path(const char *directory, const char *name);

/* A small file as a whole; at most a MiB. */
BND_CHECKED bnd_status bndi_file_read(bndi_bytes *out, const char *path, bnd_error *why);

/* A file of these bytes, which has its name when it is complete and on the disk. */
BND_CHECKED bnd_status bndi_bytes_save(const bndi_bytes *text, const char *path, bnd_error *why);

/* ---- logs of other programs ---- */

/* The names of columns, where they stand. */
typedef struct bndi_key {
    const char *at;
    size_t length;
} bndi_key;
typedef struct bndi_keys {
    bndi_key *at;
    size_t count, room;
} bndi_keys;
BND_CHECKED bnd_status bndi_keys_add(bndi_keys *keys, const char *at, size_t length, bnd_error *why);
void bndi_keys_free(bndi_keys *keys);

/* Which columns are the step and the loss. */
typedef struct bndi_log_names {
    char step[BNDI_KEY_SIZE], loss[BNDI_KEY_SIZE]; /* "": not chosen yet */
    bool foreign;                                  /* they are not called step and loss */
    bool only;                                     /* the caller named the loss only: no other column is used */
} bndi_log_names;

/* Chooses the columns that the caller named (NULL: none), or those known from other programs. An error lists the
 * columns of the file. */
BND_CHECKED bnd_status bndi_log_choose(bndi_log_names *out, const bndi_keys *keys, const bnd_log_columns *asked,
                                       bnd_error *why);

/* Adds the points of a log of another program to a record, as bndi_points_read does. */
BND_CHECKED bnd_status bndi_log_read(bnd_record *record, const char *path, const bnd_log_columns *asked,
                                     bnd_error *why);

/* Lines of a file, each at most four MiB, one after the other. */
typedef struct bndi_lines {
    int fd;
    char *buffer;
    size_t from, to, room; /* what was read and not given out yet */
    bool at_end;
    uint64_t number, offset; /* of the line given last, from 1; in the file, where it ends */
    bool ended;              /* it has its line feed */
} bndi_lines;
BND_CHECKED bnd_status bndi_lines_open(bndi_lines *out, const char *path, bnd_error *why);
/* The next line without its line feed; NULL at the end. It is valid until the next call. */
BND_CHECKED bnd_status bndi_lines_next(char **line, size_t *length, bndi_lines *lines, bnd_error *why);
void bndi_lines_close(bndi_lines *lines);

/* Parses Python's spellings of NaN and infinities, and those that accompany null: NaN, nan, Infinity, inf and so on. */
BND_CHECKED bool bndi_special(double *out, const char *text, size_t length);

enum { BNDI_FIELDS_MOST = 1 << 16 }; /* of a row of CSV: lines by place have tens of thousands */

/* Adds the points of a file to a record, `most` of them (UINT64_MAX: all): JSON lines, or CSV. *end is where they end
 * in the file, unless it is NULL; fewer than all are such as others can be written behind. */
BND_CHECKED bnd_status bndi_points_read(bnd_record *record, uint64_t *end, const char *path, uint64_t most,
                                        bnd_error *why);

/* `each` has the lines of a file of JSON lines, `most` of them, one after the other: each when it has been found to be
 * one that bndi_points_read takes. Memory is needed for one line, however many there are. */
typedef bnd_status bndi_each_line(void *data, const char *line, size_t length, bnd_error *why);
BND_CHECKED bnd_status bndi_points_each(const char *path, uint64_t most, bndi_each_line *each, void *data,
                                        bnd_error *why);

/* ---- run directories ---- */

/* What a directory has. */
typedef struct bndi_found {
    bool run;      /* steps of a run, or a checkpoint */
    bool finished; /* summary.json is there */
    bool config;
    bool checkpoint;
    uint64_t metrics; /* the size of metrics.jsonl, looked at before all else; 0: none */
} bndi_found;

bool bndi_is_directory(const char *path);

/* Fails if this is not a run directory; the error names a run inside it, if there is one. */
BND_CHECKED bnd_status bndi_directory_check_run(const char *directory, bnd_error *why);

/* Refuses what could not be written to. */
BND_CHECKED bnd_status bndi_directory_check(const char *directory, bnd_error *why);
BND_CHECKED bnd_status bndi_directory_check_above(const char *directory, bnd_error *why); /* the parent is not a run */
BND_CHECKED bnd_status bndi_directory_look(bndi_found *out, const char *directory, bnd_error *why);
BND_CHECKED bnd_status bndi_directory_make(const char *directory, bnd_error *why); /* and those above it */
BND_CHECKED bnd_status bndi_directory_write(const char *directory, const char *name, const bndi_bytes *text,
                                            bnd_error *why);

/* Takes the directory above a run's for one call with several runs; *fd is closed to give it back, and may be -1. */
BND_CHECKED bnd_status bndi_directory_lock(int *fd, const char *run, bnd_error *why);
/* Succeeds also if the file does not exist. */
BND_CHECKED bnd_status bndi_directory_remove(const char *directory, const char *name, bnd_error *why);

/* metrics.jsonl, locked. Refused if it has not the size that was seen: another process was here. */
BND_CHECKED bnd_status bndi_metrics_open(int *fd, const char *directory, uint64_t seen, bnd_error *why);
BND_CHECKED bnd_status bndi_metrics_cut(int fd, uint64_t length, bnd_error *why);
/* A whole line, or nothing of it. */
BND_CHECKED bnd_status bndi_metrics_append(int fd, const bndi_bytes *line, bnd_error *why);
BND_CHECKED bnd_status bndi_metrics_sync(int fd, bnd_error *why);
void bndi_metrics_close(int fd);

/* ---- checkpoints ---- */

/* How a run is saved to disk and loaded. Tests replace it with something simpler. */
typedef struct bndi_keeper {
    bnd_status (*save)(const bnd_run *run, const char *path, bnd_error *why);
    bnd_status (*load)(bnd_run *run, const char *path, bnd_error *why);
    bnd_status (*change)(bnd_run *run, const bnd_policy *policy, bnd_error *why); /* the recipe */
    /* Refuses a file that was saved under another recipe; NULL: there is nothing to check. */
    bnd_status (*check)(const bnd_policy *policy, const char *path, bnd_error *why);
} bndi_keeper;
extern const bndi_keeper bndi_checkpoints;

/* ---- one run of a study ---- */

typedef struct bndi_session {
    const bnd_task *task;
    const bndi_keeper *keeper;
    bnd_context context;
    bnd_run *run;             /* NULL where it is made again when its turn comes */
    bnd_record record, known; /* known: what the lines have said */
    bndi_counts counts;       /* of the step */
    bndi_bytes config, line;
    bndi_found found;
    bool extends; /* a run of fewer steps is there, which is this one's beginning */
    uint64_t end; /* of the lines that are gone on with, in bytes */
    int metrics;  /* the file; -1: none */
    bnd_status status;
    bnd_error why;
} bndi_session;

/* Finds everything that can be known to be wrong; nothing is written. With `keeps` the run stays open for its turn. */
BND_CHECKED bnd_status bndi_session_prepare(bndi_session *s, bool keeps, bnd_error *why);
BND_CHECKED bnd_status bndi_session_make_directory(const bndi_session *s, bnd_error *why);

/* With the metrics locked, before the first step: is it still this run's directory? */
BND_CHECKED bnd_status bndi_session_claim(bndi_session *s, bnd_error *why);

/* The run where its checkpoint is, its statistics on. */
BND_CHECKED bnd_status bndi_session_open(bndi_session *s, bnd_error *why);

/* `work` with the path of its checkpoint. */
BND_CHECKED bnd_status bndi_session_checkpoint(bndi_session *s,
                                               bnd_status (*work)(bndi_session *s, const char *path, bnd_error *why),
                                               bnd_error *why);

/* Has it a directory that it writes? Of several ranks, rank 0 has. */
bool bndi_session_writes(const bndi_session *s);

/* Makes its steps, until `watch`, which is told after each, is false. */
typedef bool bndi_session_watch(void *data, const bndi_session *s);
BND_CHECKED bnd_status bndi_session_run(bndi_session *s, bndi_session_watch *watch, void *data, bnd_error *why);

/* But for the record, which is handed over. */
void bndi_session_release(bndi_session *s);

BND_CHECKED bnd_status bndi_study_run(bnd_record *records, const bnd_task *tasks, size_t count,
                                      const bnd_context *context, const bndi_keeper *keeper, bnd_study_watch *watch,
                                      void *data, bnd_error *why);

/* ---- comparing ---- */

/* Did more than half of a row's runs end below chance level? True where that level is not known. */
bool bndi_has_learned(const bnd_summary_row *row);

/* Have all runs of a row made all of their steps? */
bool bndi_is_finished(const bnd_summary_row *row);

/* The quantile 0.975 of Student's t with n >= 1 degrees of freedom. */
double bndi_student(size_t n);
double bndi_mean(const double *x, size_t n);
double bndi_deviation(const double *x, size_t n); /* the standard deviation, estimated from n numbers */

/* Is "k or more of n" unlikely (2.5 %) where both signs are as likely? */
bool bndi_sign_test(size_t k, size_t n);

/* What paired gaps say, where gaps up to the tolerance do not matter. */
bnd_verdict bndi_judge(const double *gaps, size_t n, double tolerance);

#endif
