/* SPDX-License-Identifier: MIT */
/*
 * What happened in serve, for whoever shows it. The parts of serve append;
 * the main line (cli/cmd_serve) takes and renders. Bounded: of a flood the
 * oldest are kept, the rest is counted.
 */
#ifndef SERVE_RECORD_H
#define SERVE_RECORD_H

#include "base/asides.h"
#include "base/buf.h"

#define RECORDS_MAX 4096

enum record_kind {
	RECORD_LISTENING, /* text: addresses, one a line */
	RECORD_OTA,
	RECORD_ACTIVATE,
	RECORD_BROWSER,
	RECORD_VISION, /* a picture came: detail has file, bytes, type, width, height, question */
	RECORD_UPLOAD, /* self.screen.snapshot */
	RECORD_NOISE, /* no HTTP, TLS, slow, too large */
	RECORD_REFUSED, /* path, token, no Device-Id, a limit */
	RECORD_CONNECTED,
	RECORD_HELLO,
	RECORD_READY, /* initialized and listed */
	RECORD_FAILED, /* stays connected, but something is wrong: text says what */
	RECORD_GONE,
	RECORD_REPLACED,
	RECORD_MESSAGE, /* listen, abort, goodbye, iot, … */
	RECORD_NOTIFICATION,
	RECORD_REQUEST, /* the device asked (answered -32601) */
	RECORD_AUDIO, /* of a device: when it begins; verbose: each second */
	RECORD_UTTERANCE, /* what it said is a file; or is not: voice_members */
	RECORD_ODD, /* dropped before anybody could look at it */
	RECORD_FINDING, /* new for that board; detail has the finding */
	RECORD_ATTACHED, /* a command came; RECORD_DETACHED it went (both verbose) */
	RECORD_DETACHED,
	RECORD_BROKER, /* up, down, started again */
	RECORD_EXEC, /* a command of --exec started or ended */
	RECORD_RELOAD,
	RECORD_BREAKER, /* of a device: it opened or closed */
	RECORD_ENROLLED, /* OTA signs for a board from now on */
	RECORD_TOLD, /* a board is told another address than before */
	RECORD_CLAIM, /* a device calls itself by another's name */
	RECORD_MISSING, /* OTA sent it to the broker, and it has not come */
	RECORD_FENCES, /* what serve gave up (verbose) */
	RECORD_LEASE, /* a lease began or ended; detail has its boards, and lease */
	RECORD_POWER, /* a board was switched by --power-cmd, or was not */
	RECORD_SERIAL, /* a line of a board's serial log, or of its port */
	RECORD_STOPPING,
	RECORD_DROPPED, /* records were lost: count */
	RECORD_MORE /* were like those that were told; detail has "of", their kind */
};

enum record_level {
	LEVEL_DEBUG,
	LEVEL_INFO,
	LEVEL_GOOD,
	LEVEL_WARN,
	LEVEL_BAD
};

/* Of RECORD_BROKER; "state" in its detail. */
enum broker_news {
	NEWS_OTHER,
	NEWS_UP,
	NEWS_DOWN,
	NEWS_SAID,
	NEWS_JOINED,
	NEWS_LOST
};

/* All owned; texts may hold what a peer sent. NULL where it does not apply. */
struct record {
	enum record_kind kind;
	enum record_level level;
	enum broker_news broker;
	int64_t at_ms; /* Unix time */
	char *device; /* Device-Id, else client id */
	char *alias, *address;
	bool is_id; /* device is no alias, though it reads like one */
	char *text; /* one line, or more; no final newline */
	char *hint; /* what to do next */
	char *detail; /* members of a JSON object without its braces, for -o json: "\"bytes\":5" */
	uint64_t count;
	struct record *next;
};

struct records {
	struct record *first, **last;
	size_t count;
	uint64_t dropped;
	bool *wake; /* set true at each record; may be NULL */
	bool verbose; /* those of LEVEL_DEBUG are kept too */
	struct asides asides; /* of whom is not known */
};

void records_init(struct records *r, bool *wake);
void records_done(struct records *r);

/* Append; returns the record to be completed at once, or NULL if it is not kept. */
struct record *records_add(struct records *r, enum record_kind kind,
			   enum record_level level, const char *device,
			   const char *address, const char *format, ...)
	PRINTF_LIKE(6, 7);
/*
 * About somebody: strangers cause any number, so ASIDES_TOLD of a kind are told
 * in a minute; of whom has listed its tools, which takes more than a connection,
 * RECORDS_READY. The others are counted (RECORD_MORE). Known are those of
 * devices.json, enrolled ones, and who showed a token: they are told always.
 */
#define RECORDS_READY 1000
enum record_about { ABOUT_KNOWN, ABOUT_READY, ABOUT_STRANGER };
struct serve;
struct who;
/* As records_add. NULL too if it was counted. */
struct record *record_about(struct serve *s, enum record_about about,
			    enum record_kind kind, enum record_level level,
			    const struct who *who, const char *text);
/* Those that were counted are told: their minute is over, or serve ends. */
void records_tell_more(struct records *r);
/* record_about somebody by names, with the alias. */
struct record *record_of(struct serve *s, const struct who *who,
			 enum record_kind kind, enum record_level level,
			 const char *text);
/* r NULL is fine; texts are copied. */
void record_hint(struct record *r, const char *hint);
/* Takes the memory of detail. */
void record_detail(struct record *r, struct buf *detail);
/* `"name":"value"`, with a comma unless first; nothing if value is NULL. */
void record_member(struct buf *out, const char *name, const char *value);
/* What can happen very often is told once in 10 s. */
struct seldom {
	int64_t until; /* loop_now() ms: not told again before */
	uint64_t more; /* that were not told */
};
/*
 * Somebody was refused (LEVEL_BAD), as records_add; NULL too if that kind was
 * told within 10 s. The record's count is of all since the last.
 */
struct record *records_seldom(struct records *r, struct seldom *kind,
			      const char *device, const char *address,
			      const char *text);
/* The oldest, yours (record_free), or NULL. A RECORD_DROPPED follows what was kept. */
struct record *records_take(struct records *r);
void record_free(struct record *r);

/* The word in JSON: "ready", "ota", …; and of the level. */
const char *record_kind_name(enum record_kind kind);
const char *record_level_name(enum record_level level);

#endif
