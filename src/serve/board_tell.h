/* SPDX-License-Identifier: MIT */
/*
 * What a board is told, and what is told of it: frames, its breaker, audio,
 * records.
 */
#ifndef SERVE_BOARD_TELL_H
#define SERVE_BOARD_TELL_H

#include "serve/board.h"

/* A text frame as it is. -1 as transport send. */
int board_send(struct board *d, const char *text, size_t len,
	       struct error *err);
/* Speech, an Opus packet of 60 ms; another speaker is refused. -1: err. */
int board_speak(struct board *d, const void *speaker, const void *packet,
		size_t len, struct error *err);
/* A text frame of who speaks went: tts start begins anew, tts stop ends it. */
void board_spoke(struct board *d, const void *speaker, struct span frame);
/* The command goes: what it did not end is ended. */
void board_fall_silent(struct board *d, const void *speaker);
/* One frame, or the end with its errno, for --trace. */
void board_trace_end(const struct board *d, const char *reason,
		     const struct error *why);
void board_trace(const struct board *d, bool outgoing, const char *kind,
		 const void *data, size_t len);
/* A frame for the engine: before anything is made of it, or after it was sent. */
void board_judge(struct board *d, bool outgoing, enum frame_kind kind,
		 struct span frame, const struct json_places *at);
/* A text frame that came, or went, as far as it is about what it says. */
void board_hear(struct board *d, bool outgoing, struct span frame);
/* A packet came (link_events.audio); the voice session ended. */
void board_audio(void *owner, struct span frame, const struct error *problem);
void board_audio_over(struct board *d);

/*
 * Its circuit breaker: after 5 calls in a row without an answer others fail at
 * once for 60 s; then one may try. Gone with the connection.
 */

/* Before a command's request is sent. -1 (ERR_CONNECT): it is open. ping always
   passes. */
int board_admit(struct board *d, const char *method, struct error *err);
/* How a request ended: an answer came, none came in time, or nobody waited long enough to tell. */
void board_answered(struct board *d);
void board_unanswered(struct board *d);
void board_untold(struct board *d);

/* What came of its sound, in words; nothing where none came. */
void board_audio_words(struct buf *out, const struct board *d);
/* The object of wire/control_frames.h appended, without braces. */
void board_describe(struct buf *out, const struct board *d);
/* The same, as far as it is known, of a board that is enrolled and not here. */
void board_describe_away(struct buf *out, const struct serve *s,
			 const struct enrolled_board *b);
const char *board_state_name(enum board_state state);
/* As its object has it: of a server that is kept open "opening", "ended", too. */
const char *board_state_word(const struct board *d);

/* By a file, a token, a signed name; or the user opened it. */
bool board_is_known(const struct board *d);
/* It calls itself by what is another board's: told once. */
void board_tell_claim(struct board *d);
/* A record about d, to be completed; NULL if it is not kept. */
struct record *board_record(struct board *d, enum record_kind kind,
			    enum record_level level, const char *format, ...)
	PRINTF_LIKE(4, 5);
/* What a peer told, cut; yours. NULL for what is empty: then it was not told. */
char *board_keep(const char *text, size_t max);

#endif
