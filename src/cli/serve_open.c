/* SPDX-License-Identifier: MIT */
/* Commands that open what serve is to keep open, started from behind its fences. */
#include "cli/serve_open.h"

#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/pause.h"
#include "base/spawner.h"
#include "base/text.h"
#include "net/endpoint.h"
#include "serve/record.h"
#include "serve/serve.h"

enum { FIRST_MS = 2000, MOST_MS = 60000 };

struct serve_opening {
	struct serve_openings *of;
	char *name;
	struct child *child; /* NULL: none runs */
	struct timer again;
	int64_t pause; /* ms, before it was tried last */
	bool open, over; /* it was opened; it never will be */
};

struct serve_openings {
	struct serve *server;
	struct loop *loop;
	char *folder, *socket; /* "MCPCTL_SOCKET=…" */
	struct serve_opening *item;
	size_t count, closed;
};

/* What is typed in the folder where serve was started; its helper has left it. */
static void open_words(struct words *out, const char *folder, const char *name)
{
	static const char line[] =
		"cd \"$1\" && exec \"$2\" open --idle 0 \"$3\"";
	const char *const words[] = { "sh", "-c", line, "sh", folder };
	CLEANUP(mem_free_ptr) char *self = file_program();

	for (size_t i = 0; i < COUNT(words); i++)
		words_add(out, words[i]);
	words_add(out, self ? self : "mcpctl");
	words_add(out, name);
}

static void tell(const struct serve_opening *o, enum record_level level,
		 const char *text)
{
	CLEANUP(mem_free_ptr) char *name = endpoint_without_password(o->name);

	records_add(serve_records(o->of->server), RECORD_EXEC, level, NULL,
		    NULL, "--open %s: %s", name, text);
}

/* One that may be opened yet is waited for. */
static void tell_serve(const struct serve_openings *all)
{
	size_t tried = 0;

	for (size_t i = 0; i < all->count; i++)
		tried += !all->item[i].open && !all->item[i].over;
	serve_awaits(all->server, tried > 0);
}

static void try_later(struct serve_opening *o, const char *why)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	char time[32];

	o->pause = pause_longer(o->pause, FIRST_MS, MOST_MS);
	text = mem_printf("%s; it is tried again in %s", why,
			  text_milliseconds(o->pause, time, sizeof(time)));
	tell(o, LEVEL_BAD, text);
	timer_start(&o->again, o->pause);
}

static void on_line(void *owner, bool is_err, const char *line)
{
	(void)is_err;
	tell(owner, LEVEL_INFO, line);
}

static void on_ended(void *owner, int status)
{
	struct serve_opening *o = owner;
	CLEANUP(mem_free_ptr)
	char *why = mem_printf("it could not be opened (status %d)", status);

	o->child = NULL;
	o->open = status == 0;
	o->over = status == ERR_USAGE;
	if (o->over) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("%s, and is not tried again", why);

		tell(o, LEVEL_BAD, text);
	} else if (!o->open) {
		try_later(o, why);
	}
	tell_serve(o->of);
}

static void open_server(void *owner)
{
	static const struct child_events events = { .line = on_line,
						    .ended = on_ended };
	struct serve_opening *o = owner;
	CLEANUP(words_done) struct words argv = { 0 };
	const char *const env[] = { o->of->socket, NULL };
	CLEANUP(error_reset) struct error why = { 0 };

	open_words(&argv, o->of->folder, o->name);

	const struct child_options options = { .argv = argv.word,
					       .env = env,
					       .secrets = true,
					       .out = CHILD_PIPE,
					       .err = CHILD_PIPE };

	if (child_start(&o->child, o->of->loop, &options, &events, o, &why) ==
	    0)
		return;
	o->child = NULL;
	try_later(o, why.text);
}

struct serve_openings *serve_open_all(struct serve *s, struct loop *l,
				      const char *folder,
				      const struct words *names)
{
	struct serve_openings *all;

	if (!names->count)
		return NULL;
	all = mem_zalloc(sizeof(*all));
	all->server = s;
	all->loop = l;
	all->folder = mem_strdup(folder);
	all->socket = mem_printf("MCPCTL_SOCKET=%s", serve_socket(s));
	all->count = names->count;
	all->item = mem_zalloc(names->count * sizeof(*all->item));
	for (size_t i = 0; i < names->count; i++) {
		struct serve_opening *o = &all->item[i];

		o->of = all;
		o->name = mem_strdup(names->word[i]);
		timer_open(&o->again, l, open_server, o);
		open_server(o);
	}
	tell_serve(all);
	return all;
}

bool serve_open_failed(const struct serve_openings *all)
{
	for (size_t i = 0; all && i < all->count; i++) {
		if (!all->item[i].over)
			return false;
	}
	return all;
}

static void on_timer_closed(void *owner)
{
	struct serve_opening *o = owner;
	struct serve_openings *all = o->of;

	mem_free(o->name);
	if (++all->closed < all->count)
		return;
	mem_free(all->folder);
	mem_free(all->socket);
	mem_free(all->item);
	mem_free(all);
}

void serve_open_stop(struct serve_openings *all)
{
	for (size_t i = 0, count = all ? all->count : 0; i < count; i++) {
		struct serve_opening *o = &all->item[i];

		if (o->child)
			child_abandon(TAKE(o->child));
		timer_close(&o->again, on_timer_closed);
	}
}

void serve_open_allow(const char *folder, const struct words *names)
{
	for (size_t i = 0; i < names->count; i++) {
		CLEANUP(words_done) struct words argv = { 0 };

		open_words(&argv, folder, names->word[i]);
		spawner_allow((const char *const *)argv.word, 0, NULL);
	}
}
