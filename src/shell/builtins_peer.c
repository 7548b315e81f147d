/* SPDX-License-Identifier: MIT */
/*
 * use and reconnect: which peer the shell is on. What is wrong is said before
 * the one that is open is left.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/guards.h"
#include "cli/named_target.h"
#include "cli/serve_client.h"
#include "shell/shell.h"

static int show_peer(struct shell *s, struct error *err)
{
	const char *target = s->app->config.target;

	if (!target || shell_is_attached(s)) {
		char name[] = "devices";
		char *words[] = { name, NULL };

		return shell_words(s, words, 1, err);
	}
	fprintf(s->app->out.out, "%s\n", target);
	return 0;
}

int shell_check_target(const struct shell *s, const char *target,
		       const char *source, struct error *err)
{
	const struct transport_ops *ops;
	struct app other = *s->app;
	int status;

	other.endpoint = (struct endpoint){ 0 };
	other.config.target = target;
	other.config.device = NULL;
	other.target_source = source;
	status = app_setup(&other, &ops, err);
	endpoint_done(&other.endpoint);
	return status;
}

static int use_target(struct shell *s, const char *target, struct error *err)
{
	if (shell_check_target(s, target, "the command use", err) != 0)
		return -1;
	shell_peer_choose(s, target, NULL);
	return shell_peer_open(s, err);
}

/* use -- PROGRAM [ARG]... */
static int use_child(struct shell *s, size_t count, char *const *words,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *target = NULL;

	if (count == 0)
		return error_set(err, ERR_USAGE,
				 "behind '--' a program is missing");
	target = endpoint_child_text(words, count);
	return use_target(s, target, err);
}

/* How many devices of serve it means. -1: err. */
static int count_devices(struct shell *s, const char *pattern, int64_t *count,
			 struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct serve_client *serve;
	bool end = false;
	int status;

	if (serve_client_open(&serve, s->app, err) != 0)
		return -1;
	buf_text(&json, "{\"op\":\"devices\"");
	json_add_text(&json, "device", pattern);
	buf_char(&json, '}');
	status = serve_client_send(serve, &json, err);
	while (status == 0 && !end) {
		CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };

		status = serve_client_next(serve, loop_now() + 10000, &answer,
					   err);
		end = status == 0 && strcmp(answer.op, "end") == 0;
		*count += status == 0 && !end;
	}
	serve_client_free(serve);
	return status;
}

static int wrong_count(const char *device, int64_t count, struct error *err)
{
	if (count > 0)
		error_set(err, ERR_USAGE,
			  "%lld devices of the running serve fit '%s'",
			  (long long)count, device);
	else
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", device);
	return error_hint(err, "'devices' lists them");
}

/* Where another target is open, the running serve is meant. */
static int use_device(struct shell *s, const char *device, struct error *err)
{
	struct config *c = &s->app->config;
	const char *before = c->target;
	bool attached = shell_is_attached(s);
	CLEANUP(mem_free_ptr)
	char *target = mem_strdup(attached ? before : "attach:");
	int64_t count = 0;
	int status;

	c->target = target;
	status = count_devices(s, device, &count, err);
	c->target = before;
	if (status != 0 && !attached)
		return error_hint(err, "a target has ':', as 'use sim:', or is "
				       "a name of 'targets'; else a device of "
				       "'mcpctl serve' is meant");
	if (status != 0)
		return -1;
	if (count != 1)
		return wrong_count(device, count, err);
	shell_peer_choose(s, target, device);
	/* It is there: at a terminal too this does not last. */
	if (shell_peer_open(s, err) != 0)
		return -1;
	return app_connect(s->app, err);
}

/* A Device-Id has colons too. */
static bool is_target(const char *text)
{
	size_t len = strcspn(text, ":");

	if (!text[len])
		return false;
	for (const struct target_row *t = target_rows; t->scheme; t++) {
		if (strlen(t->scheme) == len &&
		    strncasecmp(t->scheme, text, len) == 0)
			return true;
	}
	return strstr(text, "://") != NULL;
}

static bool is_name(const struct shell *s, const char *text)
{
	const struct named_search search = {
		.config_file = s->app->config.config_file
	};

	return named_target_exists(text, &search);
}

int builtin_use(struct shell *s, int argc, char **argv, struct error *err)
{
	if (argc == 0)
		return show_peer(s, err);
	if (strcmp(argv[0], "--") == 0)
		return use_child(s, (size_t)argc - 1, argv + 1, err);
	if (argc > 1)
		return error_set(err, ERR_USAGE,
				 "'use' takes one word, or '--' and a program");
	if (is_target(argv[0]) || is_name(s, argv[0]))
		return use_target(s, argv[0], err);
	return use_device(s, argv[0], err);
}

int builtin_reconnect(struct shell *s, int argc, char **argv, struct error *err)
{
	(void)argc;
	(void)argv;
	/* Whoever asks for it wants it tried now. */
	guards_reset(s->app->guarding);
	return shell_peer_open(s, err);
}
