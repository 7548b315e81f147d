/* SPDX-License-Identifier: MIT */
/*
 * A frame in words, as a person reads it while it passes: what it asks or
 * answers, with its arguments, and how long the answer took. Whole, for -v, or
 * what counts of it, for a line among many.
 */
#ifndef OUT_FRAME_H
#define OUT_FRAME_H

#include "rpc/session.h"

#define FRAMES_KEPT 512 /* a power of 2 */
#define FRAME_METHOD 24

/* Questions that may be answered yet: most of the last ones. Starts zeroed. */
struct frames {
	struct frame_asked {
		uint64_t key; /* of device, direction and id; 0: free */
		int64_t at_us;
		char method[FRAME_METHOD]; /* its beginning */
	} asked[FRAMES_KEPT];
};

/* t asks that, by this id. */
void frames_ask(struct frames *f, const struct trace *t, struct span id,
		const char *method);
/* t answers it: what was asked, out of f; false: nobody knows. */
bool frames_answer(struct frames *f, const struct trace *t, struct span id,
		   struct frame_asked *out);

/*
 * `#3 tools/call self.x {"volume":3}`, `#3 result 0.40 ms "true"`,
 * `#3 error 4 ms {…}`, `notifications/x {…}`; a device's other messages as
 * `hello {…}`. Appended: secrets masked, made safe, on one line. f remembers
 * what was asked. False: it is none of these (broken JSON, a batch), and
 * nothing was appended.
 */
bool frame_describe(struct buf *out, struct frames *f, const struct trace *t);

/*
 * For a line of what passes: `call #3 self.x {"volume":3}`, `tools/list #4 12
 * tools, 3,100 B`, `hello v1 websocket mcp`. Appended raw: neither masked nor
 * made safe. *took_us: since what it answers was asked, -1: it answers nothing
 * that is known. False: it is no JSON, or no message that has a name; what was
 * appended then means nothing.
 */
bool frame_words(struct buf *out, struct frames *f, const struct trace *t,
		 int64_t *took_us);

#endif
