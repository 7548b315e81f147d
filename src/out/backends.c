/* SPDX-License-Identifier: MIT */
/*
 * Hazards of backends for one tool, each from what that backend's code does.
 */
#include "out/backends.h"
#include "base/mem.h"
#include "mcp/rules.h"
#include "mcp/tools.h"

#include <string.h>

#define FIRMWARE_TOOL_MAX 7959 /* bytes of one tool that it can list */

/* Whether this page begins where it does for who asks without user-only tools. */
static bool same_start(const struct tool_list *list, size_t page)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->tool[i].user_only && list->tool[i].page < page)
			return false;
	}
	return true;
}

bool backend_visible(const struct tool_list *list, size_t *out)
{
	size_t kept = 0, on_page = 0, page = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];

		if (t->user_only)
			continue;
		if (t->page != page) {
			kept += on_page;
			on_page = 0;
			page = t->page;
		}
		if (kept + ++on_page > BACKEND_TOOLS_MAX) {
			*out = kept;
			return same_start(list, page);
		}
	}
	*out = kept + on_page;
	return true;
}

/* How many tools a backend sees before this one. */
static size_t seen_before(const struct tool_list *list, const struct tool *t)
{
	size_t n = 0;
	for (size_t i = 0; i < list->count && &list->tool[i] != t; i++)
		n += !list->tool[i].user_only;
	return n;
}

static void add(struct words *out, char *text)
{
	words_add(out, text);
	mem_free(text);
}

static void note_place(const struct tool_list *list, const struct tool *t,
		       struct words *out)
{
	size_t place = seen_before(list, t) + 1, visible;
	bool known = backend_visible(list, &visible);

	if (!known && place > BACKEND_TOOLS_MAX)
		add(out,
		    mem_printf(
			    "it is number %zu: the MQTT gateway and the Java server keep %d tools",
			    place, BACKEND_TOOLS_MAX));
	else if (known && place > visible)
		add(out,
		    mem_printf(
			    "it is number %zu: the MQTT gateway and the Java server keep %d tools, drop the page that would pass that, and see only the first %zu",
			    place, BACKEND_TOOLS_MAX, visible));
	if (t->page > 0 && same_start(list, t->page))
		add(out,
		    mem_printf(
			    "it is on page %zu: the Rust server asks for the first page only",
			    t->page + 1));
}

static void note_name(const struct tool *t, struct words *out)
{
	CLEANUP(buf_done) struct buf wide = { 0 };
	CLEANUP(buf_done) struct buf dots = { 0 };
	tool_sanitise(t->name, SANITISE_WIDE, &wide);
	tool_sanitise(t->name, SANITISE_DOTS, &dots);
	bool wide_same = strcmp(buf_string(&wide), t->name) == 0;
	bool dots_same = strcmp(buf_string(&dots), t->name) == 0;
	if (wide_same && dots_same)
		return;
	if (strcmp(buf_string(&wide), buf_string(&dots)) == 0)
		add(out,
		    mem_printf(
			    "the model knows it as '%s': the Python, Java and Go servers change the name",
			    buf_string(&wide)));
	else if (dots_same)
		add(out,
		    mem_printf(
			    "the model knows it as '%s' behind the Python and Java servers; the Go servers keep the name, which many models refuse",
			    buf_string(&wide)));
	else
		add(out,
		    mem_printf(
			    "the model knows it as '%s' behind the Python and Java servers, as '%s' behind the Go servers",
			    buf_string(&wide), buf_string(&dots)));
}

static void note_collision(const struct tool_list *list, const struct tool *t,
			   struct words *out)
{
	const struct tool *wide = tool_collision(list, t, SANITISE_WIDE);
	const struct tool *dots = tool_collision(list, t, SANITISE_DOTS);
	if (t->duplicate)
		words_add(
			out,
			"another tool of the same name stands before it: which one is called depends on the backend");
	if (wide && !wide->user_only && strcmp(wide->name, t->name) != 0)
		add(out,
		    mem_printf(
			    "its changed name is that of '%s' too: behind the Python server only the last of the two can be called",
			    wide->name));
	if (dots && dots != wide && !dots->user_only &&
	    strcmp(dots->name, t->name) != 0)
		add(out,
		    mem_printf(
			    "behind the Go servers its changed name is that of '%s' too",
			    dots->name));
}

static void note_size(const struct tool *t, struct words *out)
{
	size_t len = tool_text(t).len;
	if (len > FIRMWARE_TOOL_MAX)
		add(out,
		    mem_printf(
			    "its JSON has %zu bytes: stock firmware cannot list a tool above %d, and the MQTT gateway drops a device that sends more than %d at once",
			    len, FIRMWARE_TOOL_MAX, GATEWAY_MESSAGE_MAX));
}

static void note_silence(const struct tool *t, struct words *out)
{
	if (silent_tool(t->name))
		words_add(
			out,
			"firmware drops the connection instead of answering: backends wait until their time is over");
}

void backend_notes(const struct tool_list *list, const struct tool *t,
		   struct words *out)
{
	if (t->user_only)
		words_add(
			out,
			"it is user-only: no backend lists it for the model; a call by name works all the same");
	if (!t->user_only) {
		note_place(list, t, out);
		note_name(t, out);
		note_collision(list, t, out);
	}
	note_size(t, out);
	note_silence(t, out);
}
