/* SPDX-License-Identifier: MIT */
/*
 * The broker of our own: mosquitto as a child process, with a configuration
 * and a secret in a private folder, and our plugin in it. Started again when
 * it dies.
 */
#ifndef SERVE_BROKER_H
#define SERVE_BROKER_H

#include <netdb.h>

#include "base/child.h"
#include "base/random.h"
#include "base/split.h"

struct broker;

struct broker_config { /* copied */
	const char *host; /* to listen on; NULL: all addresses */
	uint16_t port;
	const char *
		near; /* the private folder is made in this one; NULL: the temporary one */
	/* absolute, since it is read again; NULL: credentials are not checked */
	const char *key_file;
	const char *operator_file; /* the same; NULL: there is no operator */
	int64_t message_max; /* bytes */
	bool fenced; /* where a spawner starts it (base/spawner.h) */
};

/* From the loop only; texts are lent. */
struct broker_events {
	/* It listens. again: it had died before. */
	void (*up)(void *owner, bool again);
	/* It died, or could not be started; tried again in so many ms. */
	void (*down)(void *owner, const struct error *why, int64_t again_ms);
	/* A line of its own. bad: an error or warning. */
	void (*said)(void *owner, bool bad, const char *line);
};

/*
 * It listens when this returns 0 (or is slow at it: up comes later); no event
 * comes before. Runs the loop meanwhile. -1: mosquitto or the plugin is not
 * installed, the port is in use and by whom, mosquitto ended and what it said
 * (ERR_CONNECT); ERR_INTERRUPTED.
 */
int broker_open(struct broker **out, struct loop *l,
		const struct broker_config *config,
		const struct broker_events *events, void *owner,
		struct error *err);
/* What serve shows as its password. */
const char *broker_secret(const struct broker *b);
const char *broker_version(const struct broker *b); /* "2.0.11"; "" unknown */
/* The folder that its own is in, lent. */
const char *broker_folder(const struct broker *b);
int broker_pid(const struct broker *b); /* 0: it does not run */
/* It runs and answers nobody: it is ended, and started again. */
void broker_hung(struct broker *b);
/* It reads the key and the operator file again. */
void broker_reload(struct broker *b);
/* SIGTERM, then the folder is removed; then released, and closed(owner). */
void broker_close(struct broker *b, void (*closed)(void *owner), void *owner);

/* ---- what it is given ---- */

struct broker_files {
	char *folder; /* NULL: not made */
	char *config; /* its path */
	char secret
		[RANDOM_HEX_SIZE]; /* "": not made; stays when the folder goes */
};

/* mosquitto's path, yours. NULL (ERR_CONNECT): not installed; how to. */
char *broker_program(struct error *err);

#endif
