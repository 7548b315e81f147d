/* SPDX-License-Identifier: MIT */
/*
 * What the entries of a file would do, for whoever is asked whether to trust
 * it. All text of the file is made safe, each thing on a line of its own.
 */
#ifndef CLI_NAMED_H
#define CLI_NAMED_H

#include "base/json.h"
#include "cli/app.h"
#include "cli/named_file.h"
#include "net/endpoint.h"

/*
 * Lines for each entry: its name, what it runs or opens, where, what it sets
 * and sends, which variables it reads. Nothing of a program's words is hidden:
 * what looks like a secret could be a program. Nor is anything cut: false, an
 * entry needs more lines than anybody reads, and out is of no use.
 */
bool named_describe(struct buf *out, const cJSON *servers);

/*
 * The same of what differs, "-" before what is gone, "+" before what is new;
 * nothing if that is nothing: comments, order, secrets that are not shown.
 */
bool named_describe_change(struct buf *out, const cJSON *before,
			   const cJSON *now);

struct named_file;

struct named_search { /* lent */
	const char *config_file; /* --config; NULL */
	bool trust; /* --trust: a project's file is used as it is */
	/*
	 * The name stands in a file that is not trusted. 0: now it is; what was
	 * read counts, not what is there by then. NULL: it is refused.
	 */
	int (*ask)(void *owner, const struct named_file *f, struct error *err);
	void *owner;
};

/* What there is to say of an entry that was found; zeroed at first. */
struct named_found {
	struct error passed; /* why a file before it was of no use; ERR_NONE */
	char *own,
		*shadowed; /* the user's file, and a project's whose entry of that name does not count; NULL */
};
void named_found_done(struct named_found *f);

/*
 * The entry of that name as an endpoint: scheme, host, port, path, headers of a
 * "url"; argv, env, cwd of a "command"; ${VAR} and ${VAR:-default} expanded;
 * source is the file, foreign says that it is a project's. text: as the target
 * would be written, without secrets. -1 (ERR_USAGE): no file has it (the
 * nearest name, a file that may have it but is of no use, where it was looked
 * for), the file is not trusted, or the entry or the file is broken: which
 * file, where. found may be NULL.
 */
int named_target(struct endpoint *out, const char *name,
		 const struct named_search *search, struct named_found *found,
		 struct error *err);

/*
 * By what lists of a target are kept (cli/catalog_file.h): target itself, or
 * the text of what it names. Nobody is asked. Yours; NULL for NULL.
 */
char *named_target_text(const char *target, const struct named_search *search);

/* Not empty, and none that would be read as SCHEME:. */
bool named_can_be_given(const char *name);
/* Whether a file has an entry of that name, be it usable or not. */
bool named_target_exists(const char *name, const struct named_search *search);

/* An entry as it was found; lent. */
struct named_entry {
	const char *name, *file;
	const char *peer; /* as a target is written; without secrets */
	const char *problem; /* why it cannot be used; NULL */
	const char *client; /* whose file it is: "Cursor"; NULL: anybody's */
	bool hidden; /* another file before it has the same name */
	bool off; /* its client does not use it now; -t does */
	bool untrusted; /* problem says what to type; no variable was read */
};
/*
 * Each entry of all files in their order; a file that cannot be read is one
 * entry with name NULL. Asks nobody. Returns how many.
 */
size_t named_targets(const struct named_search *search,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner);

/* Its names may be used. */
bool named_trusted(const struct named_file *f);

/* "not trusted: mcpctl trust FILE"; NULL: it is. Yours. */
char *named_trust_problem(const struct named_file *f);

/*
 * ERR_USAGE: it is not trusted, why (NULL: nobody was asked), and what to
 * type. Returns -1.
 */
int named_trust_refuse(const struct named_file *f, const char *why,
		       struct error *err);

/*
 * What is to be read before it is trusted: all of it, or what differs from
 * what was trusted. False: it is too long to be shown.
 */
bool named_trust_question(struct buf *out, const struct named_file *f);

/*
 * Show what the file would do, or what changed, and ask; only "y" is yes. 0:
 * yes, and what was read is kept as trusted. -1: ERR_USAGE (no; nobody can be
 * asked; it is too long to be shown: what to type instead) or ERR_OUTPUT (it
 * could not be kept), or ended by a signal. Waits: never from a callback.
 */
int trust_ask(struct app *app, const struct named_file *f, struct error *err);

#endif
