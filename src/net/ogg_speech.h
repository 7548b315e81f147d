/* SPDX-License-Identifier: MIT */
/* The table's speech: a file as packets for a board. */
#ifndef NET_OGG_SPEECH_H
#define NET_OGG_SPEECH_H

#include "base/error.h"
#include "net/ogg.h"

int ogg_speech(struct speech *out, const void *file, size_t len, int frame_ms,
	       struct error *err);

#endif
