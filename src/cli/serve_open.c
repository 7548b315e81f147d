/* SPDX-License-Identifier: MIT */
/* Commands that open what serve is to keep open, started from behind its fences. */
#include "cli/serve_open.h"

#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "serve/record.h"
#include "serve/serve.h"

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

struct opening_of {
	struct serve *server;
	char *name;
};

static void on_open_line(void *owner, bool is_err, const char *line)
{
	const struct opening_of *o = owner;

	(void)is_err;
	records_add(serve_records(o->server), RECORD_EXEC, LEVEL_INFO, NULL,
		    NULL, "--open %s: %s", o->name, line);
}

static void on_open_ended(void *owner, int status)
{
	struct opening_of *o = owner;

	if (status)
		records_add(serve_records(o->server), RECORD_EXEC, LEVEL_BAD,
			    NULL, NULL,
			    "--open %s: it could not be opened (status %d)",
			    o->name, status);
	mem_free(o->name);
	mem_free(o);
}

static void open_server(struct serve *s, struct loop *l, const char *folder,
			const char *name)
{
	static const struct child_events events = { .line = on_open_line,
						    .ended = on_open_ended };
	CLEANUP(words_done) struct words argv = { 0 };
	CLEANUP(mem_free_ptr)
	char *socket = mem_printf("MCPCTL_SOCKET=%s", serve_socket(s));
	const char *const env[] = { socket, NULL };
	CLEANUP(error_reset) struct error why = { 0 };
	struct opening_of *o = mem_zalloc(sizeof(*o));
	struct child *child;

	open_words(&argv, folder, name);
	o->server = s;
	o->name = mem_strdup(name);

	const struct child_options options = { .argv = argv.word,
					       .env = env,
					       .secrets = true,
					       .out = CHILD_PIPE,
					       .err = CHILD_PIPE };

	if (child_start(&child, l, &options, &events, o, &why) == 0)
		return;
	records_add(serve_records(s), RECORD_EXEC, LEVEL_BAD, NULL, NULL,
		    "--open %s: %s", name, why.text);
	mem_free(o->name);
	mem_free(o);
}

void serve_open_all(struct serve *s, struct loop *l, const char *folder,
		    const struct words *names)
{
	for (size_t i = 0; i < names->count; i++)
		open_server(s, l, folder, names->word[i]);
}

void serve_open_allow(const char *folder, const struct words *names)
{
	for (size_t i = 0; i < names->count; i++) {
		CLEANUP(words_done) struct words argv = { 0 };

		open_words(&argv, folder, names->word[i]);
		spawner_allow((const char *const *)argv.word, 0, NULL);
	}
}
