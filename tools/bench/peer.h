/* PyTorch for comparison: torch_model.py in its own process, with the weights and the batch of a model. */
#ifndef BINADE_TOOLS_PEER_H
#define BINADE_TOOLS_PEER_H

#include "model.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct peer {
    pid_t process; /* 0: it is not here */
    FILE *to, *from;
    char folder[64];
} peer;

/* The script is `make bench`'s to name. Says on standard error why there is nothing to compare with. */
void peer_open(peer *p, const model_row *what, const model *m);
void peer_close(peer *p);

/* Sends a command, and hears a number. */
bool peer_ask(peer *p, const char *command, size_t n, double *answer);

/* A file of the folder that both write to. */
FILE *peer_file(const peer *p, const char *name, const char *how);

#endif
