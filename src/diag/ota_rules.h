/* SPDX-License-Identifier: MIT */
/*
 * The answer to a board's OTA question, judged as the board reads it (device.md
 * 1.2, 5; backends.md 2): codes O301 to O321. Pure; who speaks HTTP, on
 * whichever side, fills the answer in.
 */
#ifndef DIAG_OTA_RULES_H
#define DIAG_OTA_RULES_H

#include "diag/answer.h"
#include "diag/diag.h"
#include "diag/reach.h"

/* All is lent; NULL and 0 are what is not known or was not there. */
struct ota_answer {
	int64_t at_us;
	int status; /* 0: there was no answer of HTTP, and nothing is judged */
	const char *location, *content_type, *content_encoding;
	bool has_length, chunked;
	bool closed_at_once; /* the server closed right behind it */
	int64_t length; /* Content-Length, if has_length */
	const char *body; /* without chunks; as far as it was read */
	size_t len;
	bool more; /* of the body, that was not read */
	const char *cut; /* why it did not come whole; NULL: it did */
	enum answer_part part;
	/* of the question */
	struct reach_from from;
	const char *board_version; /* application.version in it */
};

/* What was found, a bit a code. */
#define OTA_BIT(code) ((uint32_t)1 << ((code)-O301))
uint32_t diag_ota(struct diag *d, const struct ota_answer *a);
/* One of these codes is an error. */
bool diag_ota_is_bad(uint32_t found);

#endif
