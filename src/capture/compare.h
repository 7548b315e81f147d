/* SPDX-License-Identifier: MIT */
/*
 * Two messages that should say the same, compared member by member. Left out is
 * what is another each time: ids, session_id, times, uuid, nonce and key, and
 * secrets that a capture has by a name only. Pure.
 */
#ifndef CAPTURE_COMPARE_H
#define CAPTURE_COMPARE_H

#include "base/json.h"

struct compare_rules {
	/* JSON Pointers into the message, where * is any one member; lent */
	const char *const *ignore;
	size_t count;
};

/* What is not the same: JSON texts, text NULL where it is not there. Lent. */
struct compare_difference {
	const char *pointer; /* as --ignore takes it; "": the whole */
	const char *was, *is;
};

/*
 * Each difference in the order of was. A text that is JSON in both is compared
 * as what it says, its pointer goes on within. What is no JSON is compared byte
 * by byte. found may be NULL. Returns how many.
 */
size_t compare_messages(struct span was, struct span is,
			const struct compare_rules *rules,
			void (*found)(void *owner,
				      const struct compare_difference *d),
			void *owner);

/* 0 if text can be a pointer of rules (RFC 6901). -1: ERR_USAGE. */
int compare_pointer_check(const char *text, struct error *err);

#endif
