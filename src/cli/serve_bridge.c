/* SPDX-License-Identifier: MIT */
/* The bridge of a serve: started from behind its fences, looked after. */
#include "cli/serve_bridge.h"

#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "serve/record.h"
#include "serve/serve.h"

#define AGAIN_MS 5000

struct serve_bridge {
	struct serve *server;
	struct loop *loop;
	struct words argv;
	char *socket; /* "MCPCTL_SOCKET=…" */
	struct child *child; /* NULL: between two */
	struct timer again;
};

static void add_option(struct words *out, const char *option, const char *value)
{
	if (!value)
		return;
	words_add(out, option);
	words_add(out, value);
}

static void add_options(struct words *out, const char *option,
			const struct words *values)
{
	for (size_t i = 0; i < values->count; i++)
		add_option(out, option, values->word[i]);
}

/* What is shown there. */
static void add_rules(struct words *out, const struct serve_bridge_order *o)
{
	const struct {
		const char *option;
		bool given;
	} flags[] = { { "--user-tools", o->user_tools },
		      { "--read-only", o->read_only },
		      { "--keep-asleep", o->keep_asleep } };

	for (size_t i = 0; i < COUNT(flags); i++) {
		if (flags[i].given)
			words_add(out, flags[i].option);
	}
	add_options(out, "--allow", &o->allow);
	add_options(out, "--deny", &o->deny);
}

/* Its stdin ends with serve, whatever ends that: then it ends, too (--stdio). */
static void bridge_words(struct words *out, const char *folder,
			 const struct serve_bridge_order *o,
			 const struct config *c)
{
	static const char line[] = "cd \"$1\" && shift && exec \"$@\"";
	const char *const words[] = { "sh", "-c", line, "sh", folder };
	CLEANUP(mem_free_ptr) char *self = file_program();

	for (size_t i = 0; i < COUNT(words); i++)
		words_add(out, words[i]);
	words_add(out, self ? self : "mcpctl");
	words_add(out, "bridge");
	words_add(out, "--stdio");
	add_option(out, "--cacert", c->cacert);
	add_option(out, "--mqtt-password-file", c->mqtt_password_file);
	if (c->insecure)
		words_add(out, "--insecure");
	add_rules(out, o);
	add_option(out, "--mcp-mqtt", o->broker);
}

static void on_line(void *owner, bool is_err, const char *line)
{
	const struct serve_bridge *b = owner;

	/* Its stdout is for a host that never comes. */
	if (is_err)
		records_add(serve_records(b->server), RECORD_EXEC, LEVEL_INFO,
			    NULL, NULL, "--mcp-mqtt: %s", line);
}

static void on_ended(void *owner, int status)
{
	struct serve_bridge *b = owner;

	/* What it does not understand, it will not understand later. */
	const bool again = status != ERR_USAGE;

	b->child = NULL;
	records_add(serve_records(b->server), RECORD_EXEC, LEVEL_BAD, NULL,
		    NULL, "--mcp-mqtt: the bridge ended (status %d)%s", status,
		    again ? "; it is started again" : "");
	if (again)
		timer_start(&b->again, AGAIN_MS);
}

static void start_bridge(void *owner)
{
	static const struct child_events events = { .line = on_line,
						    .ended = on_ended };
	struct serve_bridge *b = owner;
	const char *const env[] = { b->socket, NULL };
	const struct child_options options = { .argv = b->argv.word,
					       .env = env,
					       .secrets = true,
					       .writable = true,
					       .out = CHILD_PIPE,
					       .err = CHILD_PIPE };
	CLEANUP(error_reset) struct error why = { 0 };

	if (child_start(&b->child, b->loop, &options, &events, b, &why) == 0)
		return;
	b->child = NULL;
	records_add(serve_records(b->server), RECORD_EXEC, LEVEL_BAD, NULL,
		    NULL, "--mcp-mqtt: %s", why.text);
	timer_start(&b->again, AGAIN_MS);
}

struct serve_bridge *serve_bridge_start(struct serve *s, struct loop *l,
					const char *folder,
					const struct serve_bridge_order *o,
					const struct config *c)
{
	struct serve_bridge *b;

	if (!o->broker)
		return NULL;
	b = mem_zalloc(sizeof(*b));
	b->server = s;
	b->loop = l;
	b->socket = mem_printf("MCPCTL_SOCKET=%s", serve_socket(s));
	bridge_words(&b->argv, folder, o, c);
	timer_open(&b->again, l, start_bridge, b);
	start_bridge(b);
	return b;
}

static void on_timer_closed(void *owner)
{
	struct serve_bridge *b = owner;

	words_done(&b->argv);
	mem_free(b->socket);
	mem_free(b);
}

void serve_bridge_stop(struct serve_bridge *b)
{
	if (!b)
		return;
	if (b->child)
		child_abandon(TAKE(b->child));
	timer_close(&b->again, on_timer_closed);
}

void serve_bridge_allow(const char *folder, const struct serve_bridge_order *o,
			const struct config *c)
{
	CLEANUP(words_done) struct words argv = { 0 };

	if (!o->broker)
		return;
	bridge_words(&argv, folder, o, c);
	spawner_allow((const char *const *)argv.word, 0, NULL);
}
