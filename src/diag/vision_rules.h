/* SPDX-License-Identifier: MIT */
/*
 * The answer to a board's picture, and the address that it is told to send it
 * to (device.md 3.4, 6; backends.md 4): codes V501 to V509. Pure.
 */
#ifndef DIAG_VISION_RULES_H
#define DIAG_VISION_RULES_H

#include "diag/answer.h"
#include "diag/diag.h"
#include "diag/reach.h"

/* All is lent; NULL and 0 are what is not known or was not there. */
struct vision_answer {
	int64_t at_us;
	int status; /* 0: the connection ended without an answer of HTTP */
	const char *content_type, *location;
	bool has_length, chunked; /* the answer */
	int64_t length; /* Content-Length, if has_length */
	const char *body; /* without chunks; as far as it was read */
	size_t len;
	bool more; /* of the body, that was not read */
	enum answer_part part;
	bool half_way; /* it came, or the end did, before all was sent */
	size_t sent; /* bytes of the upload until then */
};

void diag_vision(struct diag *d, const struct vision_answer *a);

#define VISION_WORDS 160

/*
 * capabilities.vision.url of an initialize: the JSON value as it stands in its
 * frame (text NULL: vision has no url). V506 or V509 and why, or -1. Where no
 * board is asked for its camera the address harms nobody, but is told all the
 * same: the backend meant it.
 */
int vision_url_fault(struct span url, const struct reach_from *from,
		     char words[VISION_WORDS]);
/* The same raised, of the frame f. */
void diag_vision_url(struct diag *d, const struct diag_frame *f,
		     struct span url, const struct reach_from *from);

#endif
