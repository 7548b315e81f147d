/* SPDX-License-Identifier: MIT */
/* A capture as pcapng on stdout: capture pcap (capture/pcap.h). */
#ifndef REPLAY_PACKETS_H
#define REPLAY_PACKETS_H

#include "out/render.h"

/* -1: err; also where stdout is a terminal (ERR_USAGE). */
int packets_write(struct renderer *out, const char *path, struct error *err);

#endif
