/* PyTorch in its own process, controlled by lines of text. */
#include "peer.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_numbers(FILE *file, const bnd_tensor *t)
{
    size_t n = bnd_tensor_count(t);
    float *x = malloc(n * sizeof *x);
    bool good = x != NULL && bnd_tensor_read_f32(x, n, t, NULL) == BND_OK && fwrite(x, sizeof *x, n, file) == n;
    free(x);
    return good;
}

FILE *peer_file(const peer *p, const char *name, const char *how)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return fopen(path, how);
}

static bool write_weights(const peer *p, const model *m)
{
    FILE *file = peer_file(p, "weights", "wb");
    bool good = file != NULL;
    for (size_t i = 0; good && i < m->parameters; i++) {
        good = write_numbers(file, m->parameter[i]);
    }
    good = good && write_numbers(file, m->input) && write_numbers(file, m->targets);
    return (file == NULL || fclose(file) == 0) && good;
}

static void become_peer(const int *in, const int *out, const char *script, const char *name, const char *folder)
{
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[0]), close(in[1]), close(out[0]), close(out[1]);
    setenv("OMP_NUM_THREADS", "1", 1);
    execl("/usr/bin/python3", "/usr/bin/python3", script, name, folder, (char *)NULL);
    _exit(127);
}

bool peer_ask(peer *p, const char *command, size_t n, double *answer)
{
    return p->process > 0 && fprintf(p->to, "%s %zu\n", command, n) > 0 && fflush(p->to) == 0 &&
           fscanf(p->from, "%lf", answer) == 1;
}

void peer_close(peer *p)
{
    char path[128];
    static const char *const files[] = {"weights", "gradients"};
    if (p->process > 0) {
        fclose(p->to);
        fclose(p->from);
        waitpid(p->process, NULL, 0);
    }
    for (size_t i = 0; p->folder[0] != '\0' && i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", p->folder, files[i]);
        unlink(path);
    }
    rmdir(p->folder);
    *p = (peer){.process = 0};
}

void peer_open(peer *p, const model_row *what, const model *m)
{
    int in[2], out[2];
    double ready = 0;
    const char *script = getenv("BINADE_TORCH");
    *p = (peer){.folder = "/tmp/binade-bench-XXXXXX"};
    if (script == NULL) {
        *p = (peer){.process = 0};
        fprintf(stderr, "binade bench: nothing to compare with: `make bench` names the script in BINADE_TORCH\n");
        return;
    }
    if (mkdtemp(p->folder) == NULL || !write_weights(p, m) || pipe(in) != 0 || pipe(out) != 0) {
        fprintf(stderr, "binade bench: weights for PyTorch cannot be written to %s\n", p->folder);
        return;
    }
    signal(SIGPIPE, SIG_IGN); /* one who has gone is heard of by errors */
    fflush(stdout);
    p->process = fork();
    if (p->process == 0) {
        become_peer(in, out, script, what->name, p->folder);
    }
    close(in[0]), close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    if (!peer_ask(p, "ready", 0, &ready) || ready == 0) {
        fprintf(stderr, "binade bench: nothing to compare with: PyTorch is not installed for /usr/bin/python3\n");
        peer_close(p);
    }
}
