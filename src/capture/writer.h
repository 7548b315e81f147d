/* SPDX-License-Identifier: MIT */
/*
 * A capture being written: a line for each event, secrets masked before they
 * reach the file, the same secret by the same name (***1, ***2, …). The file is
 * 0600. A full disk is told once, and what was lost stands in the file as an
 * event as soon as there is room.
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include "base/error.h"
#include "capture/event.h"

struct capture_writer;

struct capture_how {
	const char *path; /* "-" is no file: refused; NULL: into line */
	/* Without path, each line without its end. false: it is lost, errno. */
	bool (*line)(void *owner, struct span line);
	const char *as; /* "proxy", "serve", "listen", "client", "sim" */
	const char *upstream; /* NULL */
	bool audio; /* keep the bytes of binary frames and of audio over UDP */
	const char *
		made; /* UTC, when it began (a copy of another); NULL: now. Times are not replaced then. */
	/* At once, the first time that something is lost; may be NULL. */
	void (*trouble)(void *owner, const struct error *why);
	void *owner;
};

/*
 * NULL: err (ERR_OUTPUT, also where somebody else writes to that file;
 * ERR_USAGE for "-"). Strings are borrowed for the call.
 */
struct capture_writer *capture_create(const struct capture_how *how,
				      struct error *err);
/* Returns its number. Nothing is judged, nothing waits. */
uint64_t capture_write(struct capture_writer *w, const struct capture_event *e);
/* A number for a new connection. */
uint32_t capture_connection(struct capture_writer *w);
/* Microseconds since it began. */
int64_t capture_now(const struct capture_writer *w);
/* Where the names of secrets come from: those of file `scope` (base/mask). */
void capture_secrets_from(struct capture_writer *w, unsigned scope);
/*
 * The same file for reading, yours to close. -1: it is none that can be read
 * at any place, or another one has its name by now.
 */
int capture_reader(const struct capture_writer *w);
/* How many secrets were masked. */
size_t capture_secrets(const struct capture_writer *w);
/* Something was lost. */
bool capture_failed(const struct capture_writer *w);
/* NULL is fine. -1: something was lost, err says how much (ERR_OUTPUT). */
int capture_close(struct capture_writer *w, struct error *err);

#endif
