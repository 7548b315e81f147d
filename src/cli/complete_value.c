/* SPDX-License-Identifier: MIT */
/*
 * Values of options, targets and devices, and words from the generators'
 * tables.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"

/* ---- words of a table ---- */

struct adding {
	struct completing *c;
	struct offer offer;
};

static void add_word(void *owner, const char *word, const char *brief)
{
	struct adding *a = owner;

	complete_add(a->c, &a->offer, word, brief);
}

void complete_source(struct completing *c, enum source_kind kind,
		     const struct offer *offer)
{
	struct adding a = { c, *offer };
	const char *before = offer->before ? offer->before : "";

	source_each_word(kind, add_word, &a);
	if (kind == SOURCE_FILES || kind == SOURCE_PROFILES)
		complete_files(c, before, strlen(before));
}

static void add_choices(struct completing *c, const char *choices,
			const struct offer *offer)
{
	while (*choices) {
		size_t len = strcspn(choices, " ");
		CLEANUP(mem_free_ptr) char *word = mem_strndup(choices, len);

		complete_add(c, offer, word, "");
		choices += len;
		choices += strspn(choices, " ");
	}
}

/* ---- targets and devices ---- */

/* An address follows, or may follow: "listen:", "ws://". */
static void add_target(void *owner, const char *word, const char *brief)
{
	struct adding *a = owner;
	size_t len = strlen(word);

	a->offer.open = len > 0 && strchr(":/", word[len - 1]);
	complete_add(a->c, &a->offer, word, brief);
}

/* "sim:./robot.json", "attach:/run/x.sock". */
static void add_target_files(struct completing *c, const struct offer *offer)
{
	static const char *const prefixes[] = { "sim:", "attach:" };

	for (size_t i = 0; i < COUNT(prefixes); i++) {
		const char *typed = offer->typed ? offer->typed : "";
		size_t len = strlen(prefixes[i]);

		if (!text_starts(typed, prefixes[i]) ||
		    !strchr("./~", typed[len]) || !typed[len])
			continue;
		CLEANUP(mem_free_ptr)
		char *keep =
			mem_printf("%s%s", offer->before ? offer->before : "",
				   prefixes[i]);
		complete_files(c, keep, strlen(keep));
	}
}

void complete_targets(struct completing *c, const struct offer *offer)
{
	struct adding a = { c, *offer };

	source_each_word(SOURCE_TARGETS, add_target, &a);
	add_target_files(c, offer);
}

static void add_named(void *owner, const struct named_entry *e)
{
	struct adding *a = owner;

	if (e->name && !e->hidden)
		complete_add(a->c, &a->offer, e->name,
			     e->problem ? e->problem : e->peer);
}

void complete_named(struct completing *c, const struct offer *offer)
{
	struct adding a = { c, *offer };
	const struct named_search search = position_search(c->position);

	named_targets(&search, add_named, &a);
}

void complete_devices(struct completing *c, const struct offer *offer)
{
	const struct schema_source *s = c->source;
	struct adding a = { c, *offer };

	s->devices(s->owner, offer->typed ? offer->typed : "", add_word, &a);
	complete_sort(c);
}

/* ---- values ---- */

/* Only the last of "3:late-reply,no-reply" is completed. */
static void complete_faults(struct completing *c, const char *before,
			    const char *typed)
{
	const char *last = typed + strlen(typed);

	while (last > typed && !strchr(":,", last[-1]))
		last--;
	CLEANUP(mem_free_ptr)
	char *head = mem_printf("%s%.*s", before, (int)(last - typed), typed);
	const struct offer offer = { .before = head, .typed = last };

	complete_source(c, SOURCE_FAULTS, &offer);
}

/* "junit:FILE", "tap:FILE". */
static void complete_report(struct completing *c, const char *before,
			    const char *typed)
{
	const char *colon = strchr(typed, ':');
	const struct offer offer = { .before = before,
				     .typed = typed,
				     .open = true };
	CLEANUP(buf_done) struct buf keep = { 0 };

	if (!colon) {
		complete_add(c, &offer, "junit:", "");
		complete_add(c, &offer, "tap:", "");
		return;
	}
	buf_printf(&keep, "%s%.*s", before, (int)(colon - typed) + 1, typed);
	complete_files(c, buf_string(&keep), keep.len);
}

/* "ask", "decline", …; "@FILE". */
static void complete_answers(struct completing *c, const char *before,
			     const char *typed, bool sampling)
{
	static const char *const words[] = { "accept-defaults", "ask", "cancel",
					     "decline" };
	struct offer offer = { .before = before, .typed = typed };

	if (*typed == '@') {
		CLEANUP(mem_free_ptr) char *keep = mem_printf("%s@", before);

		complete_files(c, keep, strlen(keep));
		return;
	}
	for (size_t i = 0; !sampling && i < COUNT(words); i++)
		complete_add(c, &offer, words[i], "");
	if (sampling)
		complete_add(c, &offer, "decline", "");
	offer.open = true;
	complete_add(c, &offer, "@", "what is answered, from a file");
	if (sampling)
		complete_add(c, &offer, "exec:", "ask this command");
}

/* Those that need more than the generators' tables; true: done. */
static bool complete_by_name(struct completing *c, const struct option_row *row,
			     const char *before, const char *typed)
{
	const struct offer offer = { .before = before, .typed = typed };

	if (strcmp(row->name, "device") == 0) {
		complete_devices(c, &offer);
	} else if (strcmp(row->name, "target") == 0) {
		complete_named(c, &offer);
		complete_targets(c, &offer);
	} else if (strcmp(row->name, "elicit") == 0 ||
		   strcmp(row->name, "sampling") == 0) {
		complete_answers(c, before, typed, *row->name == 's');
	} else if (strcmp(row->name, "fault") == 0) {
		complete_faults(c, before, typed);
	} else if (strcmp(row->name, "report") == 0) {
		complete_report(c, before, typed);
	} else if (strcmp(row->name, "expect") == 0 && *typed == '@') {
		CLEANUP(mem_free_ptr) char *keep = mem_printf("%s@", before);

		complete_files(c, keep, strlen(keep));
	} else {
		return false;
	}
	return true;
}

void complete_value(struct completing *c, const struct option_row *row,
		    const char *before, const char *typed)
{
	const struct offer offer = { .before = before, .typed = typed };

	if (row->type == OPTION_FLAG || complete_by_name(c, row, before, typed))
		return;
	if (row->type == OPTION_CHOICE)
		add_choices(c, row->choices, &offer);
	else
		complete_source(c, source_of_option(row), &offer);
}
