/* SPDX-License-Identifier: MIT */
/*
 * What a server asks for that refuses a request: WWW-Authenticate (RFC 9110,
 * 11.6.1; RFC 6750, 3; RFC 9728, 5.1). Pure; all of it is a stranger's text.
 */
#ifndef WIRE_CHALLENGE_H
#define WIRE_CHALLENGE_H

#include "base/base.h"

#define CHALLENGE_MAX 16384 /* bytes of the field that are looked at */
#define CHALLENGE_VALUE_MAX 4096 /* bytes of one parameter */

/* Of the challenges for Bearer; each NULL if it is not told, or no text. */
struct challenge {
	bool bearer; /* there is one */
	char *resource_metadata, *scope, *error, *error_description;
};

/*
 * field: all fields of that name, a comma between. What the first challenge
 * for Bearer leaves out is taken from the next. What is broken is passed over.
 * field NULL: none. challenge_done releases it.
 */
void challenge_read(struct challenge *out, const char *field);
void challenge_done(struct challenge *c);

#endif
