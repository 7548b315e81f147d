/* SPDX-License-Identifier: MIT */
/*
 * What the files of a held device share: device.c (its life), device_frames.c
 * (what it says), device_audio.c, device_start.c (on its way to ready),
 * device_describe.c.
 */
#ifndef SERVE_DEVICE_PRIVATE_H
#define SERVE_DEVICE_PRIVATE_H

#include "serve/control.h"
#include "serve/device.h"
#include "serve/server_state.h"

/* ---- device.c ---- */

/* What a peer told, cut; yours. NULL for what is empty: then it was not told. */
char *device_keep(const char *text, size_t max);
/* What it holds counts no more as a stranger's, if its board is known. */
void device_said_hello(struct device *d);

/* ---- device_frames.c ---- */

void device_frame(struct device *d, enum frame_kind kind, const void *data,
		  size_t len);

/* ---- device_audio.c ---- */

void device_audio_take(struct device *d, const struct link_item *item,
		       const void *data, size_t len);
/* A voice session ended: what came in it is told. */
void device_audio_over(struct device *d);
/* The member "audio", appended with a comma in front. */
void device_audio_describe(struct buf *out, const struct device *d);

/* ---- device_start.c ---- */

/* The link is up: initialize it and list its tools, unless --no-init. */
void device_start(struct device *d);
/* Forget what is under way. */
void device_start_drop(struct device *d);
/* It offers no MCP, or something failed: stays connected. */
void device_unfit(struct device *d, enum device_state state,
		  const struct error *why);

/* ---- device_describe.c ---- */

/* It calls itself by what is another board's: told once. */
void device_tell_claim(struct device *d);
/* A record about d, to be completed; NULL if it is not kept. */
struct record *device_record(struct device *d, enum record_kind kind,
			     enum record_level level, const char *format, ...)
	PRINTF_LIKE(4, 5);

#endif
