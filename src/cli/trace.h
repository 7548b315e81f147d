/* SPDX-License-Identifier: MIT */
/*
 * --trace: one JSON object a line for every frame, secrets masked:
 * {"t":µs,"dir":"in"|"out","kind":"text","size":N,"text":"…"}; "hex" instead
 * of "text" for what is no UTF-8; behind "t" the "device" that serve got it
 * from.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdio.h>

#include "rpc/session.h"

/* NULL (ERR_OUTPUT): the file cannot be written. */
FILE *trace_open(const char *path, struct error *err);

void trace_write(FILE *out, const struct trace *t);

/* Close; -1 (ERR_OUTPUT) if something was lost. NULL is fine. */
int trace_close(FILE *out, const char *path, struct error *err);

#endif
