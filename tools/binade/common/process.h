/* How the process begins and ends: its three standard streams, and signals. */
#ifndef BINADE_TOOLS_PROCESS_H
#define BINADE_TOOLS_PROCESS_H

#include "command.h"

#include <binade-lab/checkpoint.h>

/* First and last in main. The end writes what standard output still holds. It ends the process by SIGPIPE where the
 * reader of standard output has gone, and by the signal that stopped a command; otherwise it returns the exit status:
 * `status`, or BAD_STREAM with a message. */
void process_begin(void);
int process_end(int status);

/* Before that, for commands whose threads meet many times per millisecond: threads that wait sleep after some
 * microseconds. */
void process_wait_asleep(char **argv);

/* Was it closed when the process began? (/dev/stdin could be opened all the same.) */
bool standard_input_is_closed(void);

/* Standard output was not written, by this errno (0: not known); returns BAD_STREAM. Prints a message, but not where
 * its reader has gone. */
int output_failed(const command *self, int error);

/* Writes many bytes to standard output. False: it failed, and process_end says why. (A large write leaves nothing in
 * the buffer of stdout, so process_end could not find the reason by writing the rest.) */
bool output_bytes(const void *bytes, size_t length);

/* SIGINT, SIGTERM and SIGHUP ask to stop from here on, instead of ending the process; those that the caller ignores
 * stay ignored. A second signal ends the process. process_end passes the signal on. */
void stop_on_signals(void);
void end_on_signals(void); /* as before */
bool was_stopped(void);

/* As bnd_watch.output: the output that is removed if a mapped input cannot be read any more, because its file became
 * shorter or its disk fails. Then, in any command, the process ends with a message and BAD_STREAM. */
void process_writes(void *state, const bnd_checkpoint_writer *writer);

#endif
