/* A report as a page: the installed page with the report's JSON in the place that it has for one. */
#include "common/page.h"
#include "common/print.h"
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "store/output_file.h"

/* ---- files ---- */

enum { PAGE_MOST = 1 << 26 }; /* bytes; a page has less than 1 MB, a device may never end */

static bool read_file(long_text *out, const char *path)
{
    char piece[1 << 14];
    size_t length;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    while (out->length <= PAGE_MOST && (length = fread(piece, 1, sizeof piece, file)) > 0) {
        add_bytes(out, piece, length);
    }
    bool good = ferror(file) == 0;
    fclose(file);
    return good;
}

/* ---- JSON inside a script ---- */

/* So that no text can end the script, or the line of it: < > & and U+2028, U+2029, which are in strings only. Blanks
 * between values are left out. */
static void add_escaped(long_text *out, const long_text *json)
{
    bool in_string = false;
    for (size_t i = 0; i < json->length; i++) {
        const unsigned char c = (unsigned char)json->text[i];
        const char *rest = json->text + i;
        char code[8];
        bool separator = json->length - i >= 3 && c == 0xe2 && memcmp(rest, "\xe2\x80", 2) == 0 &&
                         ((unsigned char)rest[2] & 0xfe) == 0xa8;
        if (separator) {
            add_bytes(out, (unsigned char)rest[2] == 0xa8 ? "\\u2028" : "\\u2029", 6);
            i += 2;
        } else if (c == '<' || c == '>' || c == '&') {
            add_bytes(out, code, (size_t)snprintf(code, sizeof code, "\\u%04x", c));
        } else if (in_string && c == '\\') {
            size_t both = i + 1 < json->length ? 2 : 1;
            add_bytes(out, rest, both); /* a quote behind it does not end the string */
            i += both - 1;
        } else if (in_string || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) {
            add_bytes(out, rest, 1);
            in_string = in_string != (c == '"');
        }
    }
}

/* ---- the page ---- */

static const char marker[] = "<script type=\"application/json\" id=\"binade-report\">null</script>";

/* Where the place for a report begins; the length of the page where it has none, or two. */
static size_t place_of(const long_text *page)
{
    const size_t length = sizeof marker - 1;
    size_t found = page->length;
    for (size_t i = 0; i + length <= page->length; i++) {
        if (page->text[i] == '<' && memcmp(page->text + i, marker, length) == 0) {
            if (found != page->length) {
                return page->length;
            }
            found = i;
        }
    }
    return found;
}

static int read_page(long_text *page, size_t *place, const command *self)
{
    char *path = page_path();
    int status = BAD_STREAM;
    *place = 0;
    errno = 0;
    if (read_file(page, path)) {
        *place = place_of(page);
        status = *place < page->length ? GO_ON : BAD_STREAM;
        if (status != GO_ON) {
            complain(self, "%s: is not the page of binade: it has no place for a report", path);
        }
    } else if (errno == ENOENT) {
        complain(self, PAGE_MISSING, path);
    } else {
        complain(self, "%s: cannot be read: %s", path, strerror(errno));
    }
    free(path);
    return status;
}

/* A browser shows a page by the end of its name. */
static bool is_named_html(const char *file)
{
    const char *end = strrchr(file, '.');
    return end != NULL && (strcasecmp(end, ".html") == 0 || strcasecmp(end, ".htm") == 0);
}

/* Can the file be written? It stays as it is. To open a pipe or a device would be seen at its other end. */
static int check_output(const char *file, const command *self)
{
    struct stat about;
    bnd_lab_output out;
    bnd_error why;
    const bool exists = stat(file, &about) == 0;
    if (exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        return GO_ON;
    }
    if (!(exists && S_ISDIR(about.st_mode)) && !is_named_html(file)) {
        return complain(self, "%s: a report is an HTML page: its name must end in .html or .htm", file);
    }
    bnd_status status = bnd_lab_output_open(&out, file, &why);
    if (status != BND_OK) {
        return fail(self, file, status, &why);
    }
    bnd_lab_output_abandon(&out);
    return GO_ON;
}

int report_check(const char *file, const command *self)
{
    long_text page = {.text = NULL};
    size_t place;
    int status = file != NULL ? read_page(&page, &place, self) : GO_ON;
    status = status == GO_ON && file != NULL ? check_output(file, self) : status;
    free(page.text);
    return status;
}

void report_begin(bnd_lab_json *json, const char *kind)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "report", 1);
    bnd_lab_json_string(json, "binade", bnd_version());
    bnd_lab_json_string(json, "kind", kind);
}

int report_write(const char *file, const command *self, report_content *write, const void *state)
{
    long_text page = {.text = NULL}, report = {.text = NULL}, out = {.text = NULL};
    size_t place = 0;
    bnd_lab_json json;
    int status = read_page(&page, &place, self);
    if (status == GO_ON) {
        bnd_lab_json_begin(&json, add_bytes, &report);
        write(&json, state);
        add_bytes(&out, page.text, place + sizeof marker - 1 - strlen("null</script>"));
        add_escaped(&out, &report);
        size_t rest = place + sizeof marker - 1 - strlen("</script>");
        add_bytes(&out, page.text + rest, page.length - rest);
        status = save_text(self, file, &out);
    }
    free(out.text);
    free(report.text);
    free(page.text);
    return status;
}
