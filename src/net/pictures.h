/* SPDX-License-Identifier: MIT */
/*
 * Pictures of the camera and of the screen that boards send to a port of ours
 * (device.md 6): checked, kept in a folder, and answered; with a fixed text, or
 * with what a command says of them. Which boards there are, and what is shown of
 * all that, is the owner's matter: serve, or net/camera.h.
 */
#ifndef NET_PICTURES_H
#define NET_PICTURES_H

#include "net/keep.h"
#include "net/passes.h"

#define VISION_PATH "/vision/explain"
#define PICTURE_MAX (8 << 20) /* bytes, where nothing else is said */

struct picture_rules { /* lent as long as pictures are taken */
	const char *save_images; /* folder; NULL: not kept */
	/* a command line for sh, gets FILE and QUESTION; NULL */
	const char *vision_exec;
	const char *vision_text; /* the answer without it; NULL: a fixed one */
	int64_t picture_max; /* bytes of an upload */
};

enum picture_event {
	PICTURE_CAME, /* and was answered */
	PICTURE_NOT_SAVED, /* it is answered all the same */
	PICTURE_REFUSED,
	PICTURE_NO_ROOM /* refused; may be told very often */
};

/* What happened; texts are lent. */
struct picture_news {
	enum picture_event event;
	bool upload; /* of the screen, by an address for one picture */
	bool bad; /* PICTURE_CAME: something is wrong with it, or its answer */
	struct who who; /* what we know, not what it told */
	const char *text;
	const char *hint; /* NULL */
	const char *file; /* PICTURE_CAME: where it is kept; NULL: nowhere */
	/* PICTURE_CAME: members of a JSON object; may be taken */
	struct buf *detail;
};

struct pictures_policy {
	/* The device whose connection's token was given (NULL: none), and that
	   the request names, if it names one. False: there is none. */
	bool (*by_token)(void *owner, const struct visit *v, const char *given,
			 struct who *out);
	/* The device that an address was made for, if it is connected. */
	bool (*by_id)(void *owner, const struct visit *v, const char *id,
		      struct who *out);
	/*
	 * A picture of the camera, before it is answered. True: the answer names
	 * it by `mark`. NULL: none is named.
	 */
	bool (*marks)(void *owner, const struct who *who, struct span picture,
		      char mark[RANDOM_HEX_SIZE]);
	void (*heard)(void *owner, const struct picture_news *n);
};

/* The member of an answer that is such a name. */
#define PICTURE_MARK "picture_id"

struct pictures {
	const struct pictures_policy *policy;
	void *owner; /* of the policy */
	struct loop *loop;
	struct budget *budget;
	const struct picture_rules *rules;
	struct passes passes;
	struct vision *jobs; /* whose answer is a command's matter */
	size_t job_count;
	int64_t exec_limit; /* ms */
	int (*space)(const char *folder,
		     struct disk_space *out); /* 0, or errno */
	unsigned number; /* of the next file */
};

/*
 * policy, owner, loop, budget and rules are filled by the owner, the rest is
 * zero. -1 (ERR_OUTPUT): the folder cannot be made, or written to.
 */
int pictures_open(struct pictures *ps, struct error *err);
/* Before the port closes: end what still runs; nobody is answered. */
void pictures_done(struct pictures *ps);

/* A request at the port. False: it is about no picture. */
bool pictures_http(struct pictures *ps, const struct visit *v);
/*
 * How many bytes a request with this head may have, beside what the port
 * allows: what is no picture is a question, and a picture is taken from whom we
 * know.
 */
size_t pictures_body_max(const struct pictures *ps, const struct visit *v);

/* BASE/upload/TOKEN, for one picture of that device within 10 minutes; yours. It holds a secret. */
char *pictures_address(struct pictures *ps, const char *base, const char *id);

#endif
