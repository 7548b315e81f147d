/* SPDX-License-Identifier: MIT */
/*
 * Tools and lists of them: decoded, kept, found. And members of an object in
 * the order of their names, for tool_diff.c: so that what a peer made large is
 * compared in little time.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "base/json.h"
#include "mcp/name_set.h"
#include "mcp/types.h"

struct tool_members {
	const cJSON **item; /* borrowed */
	size_t count;
};
/* Of a name that stands twice the first; object may be NULL. */
void tool_members_of(struct tool_members *out, const cJSON *object);
void tool_members_done(struct tool_members *m);

/* The names of an object's members, the texts of an array; NULL: none. */
void tool_names_add(struct name_set *out, const cJSON *from);

/*
 * The whole object as received, byte for byte; lent by the list. The places in
 * a page are found at the first question, so a listing that asks for none does
 * not pay for them. Empty for a tool that is of no list.
 */
struct span tool_text(const struct tool *t);
void tool_list_done(struct tool_list *l);

/*
 * Add the tools of one tools/list result; takes the message. -1 (ERR_PROTOCOL,
 * detail the frame): no result.tools array. Elements that are no objects are
 * skipped and added to *skipped (may be NULL).
 */
int tool_list_add_take(struct tool_list *l, struct message *page,
		       size_t *skipped, struct error *err);

/*
 * The same of the JSON of tools with commas between them, as if they had come on
 * one page; copied. -1 also if that is no JSON.
 */
int tool_list_add_text(struct tool_list *l, const char *text, size_t len,
		       struct error *err);

/* {"name":…,"arguments":…}, what tools/call asks with, appended. arguments: JSON. */
void tool_call_params(struct buf *out, const char *name, const char *arguments);

/* Only those for which keep says so stay; the pages stay whole. */
void tool_list_filter(struct tool_list *l,
		      bool (*keep)(void *owner, const struct tool *t),
		      void *owner);

/* It is for nothing but tasks, as it says (execution.taskSupport). */
bool tool_is_task_only(const struct tool *t);

/* The first tool of that name; NULL. */
const struct tool *tool_list_find(const struct tool_list *l, const char *name);

/*
 * The tool that a user who reads about it names by word: of that name, else the
 * only one that ends so behind a dot ("set_volume",
 * "audio_speaker.set_volume"). NULL: none does, or, with -1 (ERR_USAGE),
 * several do (which).
 */
int tool_list_named(const struct tool_list *l, const char *word,
		    const struct tool **out, struct error *err);
/*
 * The same for a user who calls it: NULL with -1 (ERR_USAGE), too, where it must
 * be called by its whole name since it is for users only or destroys something
 * (mcp/tool_effect.h).
 */
int tool_list_meant(const struct tool_list *l, const char *word,
		    const struct tool **out, struct error *err);

/* Whether name ends with ending behind a dot. */
bool tool_name_ends(const char *name, const char *ending);

/*
 * The name nearest to a wrong one; NULL. A last part ("set_volume" for
 * "self.audio_speaker.set_volume") counts as near.
 */
const char *tool_list_nearest(const struct tool_list *l, const char *name);

/* The same of any names; what is returned is one of them. */
const char *tool_name_nearest(const char *const *names, size_t count,
			      const char *name);

/*
 * Word: found in name, title, description or an argument's name, without case.
 * With * ? [: glob on the name. NULL: all.
 */
bool tool_matches(const struct tool *t, const char *word_or_glob);

/* For qsort of pointers to tools: by name, those of one name as listed. */
int tool_by_name(const void *a, const void *b);
void tool_sanitise(const char *name, enum sanitise_rule rule, struct buf *out);

/* The first other tool whose name collides after that rule; NULL. */
const struct tool *tool_collision(const struct tool_list *l,
				  const struct tool *t,
				  enum sanitise_rule rule);

#endif
