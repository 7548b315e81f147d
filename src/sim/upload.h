/* SPDX-License-Identifier: MIT */
/*
 * The board uploads a picture (device.md 6): request bytes as the firmware
 * sends them, and what the tool then answers.
 */
#ifndef SIM_UPLOAD_H
#define SIM_UPLOAD_H

#include "base/buf.h"
#include "base/error.h"
#include "diag/vision_rules.h"
#include "sim/board_http.h"
#include "sim/rule.h"

struct upload_order { /* lent during upload_start */
	enum rule_upload kind;
	const char *url;
	const struct photo *photo;
	const char *question, *token; /* RULE_PHOTO only; token NULL: none */
	const char *device_id, *client_id;
	const struct tls_trust *trust; /* of https; NULL: the system's */
};

/* From the loop only. */
struct upload_events {
	/*
	 * It is over, and so is the upload: what the tool answers, lent. Never
	 * called if the board hangs.
	 */
	void (*ended)(void *owner, bool failed, const char *text, size_t len);
	void (*line)(void *owner, const char *text);
	/* To be judged: the head as soon as it came, then the body; lent. */
	void (*answer)(void *owner, const struct vision_answer *a);
	void (*hung)(void *owner);
	/* What passed: the request, without its body; the answer. May be NULL. */
	void (*passed)(void *owner, struct trace *t);
};

struct upload;

/* NULL: the board cannot even connect to that address; why, in words. */
struct upload *upload_start(struct loop *l, const struct upload_order *order,
			    const struct upload_events *events, void *owner,
			    struct error *why);
/* What the tool answers if no connection comes about. */
void upload_unreachable(struct buf *out, enum rule_upload kind,
			const char *url);
/* No event any more; it is released by the loop. NULL is fine. */
void upload_abandon(struct upload *u);

/* The request: head, and the multipart body in chunks. */
void upload_request(struct buf *out, const struct board_ws_url *u,
		    const struct upload_order *o);

/*
 * What the pretend camera sees: a JPEG of its own, or one from a file.
 */

#define PHOTO_MAX (16u << 20) /* bytes */

struct photo {
	const void *data;
	size_t len;
};
extern const struct photo photo_builtin;

/*
 * Fill out, which is overwritten, not released. -1 (ERR_USAGE): it cannot be
 * read, is larger than PHOTO_MAX, or is no JPEG; out is empty then.
 */
int photo_read(struct buf *out, const char *file, struct error *err);

#endif
