/* SPDX-License-Identifier: MIT */
/*
 * To a backend, what a device said: a simulated board (sim) with the profile
 * that is made of the capture, so that each request is answered as the same one
 * was.
 */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "capture/clone.h"
#include "cli/setup.h"
#include "replay/replay.h"
#include "sim/fleet.h"
#include "sim/sim.h"

#define QUIET_MS 3000 /* it is over once nothing came for so long */

static void on_line(void *owner, uint64_t device, const char *text)
{
	struct replay *r = owner;

	(void)device;
	render_note(&r->in->app->out, "%s", text);
}

static bool is_conversation(const struct trace *t)
{
	return strcmp(t->kind, "text") == 0 &&
	       (!t->leg || strcmp(t->leg, "ota") != 0);
}

static void on_trace(void *owner, const struct trace *t)
{
	struct replay *r = owner;

	if (is_conversation(t) && r->is.bytes < STEPS_BYTES_MAX)
		replay_heard(r, t->outgoing ? FROM_DEVICE : FROM_BACKEND,
			     r->was.item[0].leg, t->at_us,
			     (struct span){ t->data, t->len });
}

static void on_listening(void *owner, const char *url)
{
	(void)owner;
	(void)url;
}

static bool is_ota(const char *url)
{
	return strncmp(url, "http://", 7) == 0 ||
	       strncmp(url, "https://", 8) == 0;
}

static int dial(struct replay *r, const char *profile, struct error *err)
{
	struct app *app = r->in->app;
	const char *to = r->in->argv[1];
	CLEANUP(mem_free_ptr) char *token = NULL;
	const struct sim_observer observer = { .line = on_line,
					       .listening = on_listening,
					       .trace = on_trace,
					       .owner = r };
	struct sim_options o = { .profile = r->path,
				 .profile_text = profile,
				 .device_id = r->o->device_id,
				 .client_id = r->o->client_id,
				 .cacert = app->config.cacert,
				 .insecure = app->config.insecure,
				 .quiet = app->config.wait ? app->config.wait :
							     QUIET_MS };
	struct sim_summary seen = { 0 };
	int status;

	if (secret_read(&token, app->config.token_file, "MCPCTL_SIM_TOKEN",
			err) ||
	    app_open_loop(app, err))
		return -1;
	o.token = token;
	*(is_ota(to) ? &o.ota : &o.connect) = to;
	status = sim_run(app->loop, &o, &observer, &seen, err);
	sim_summary_done(&seen);
	/* What is found is not what this is about. */
	if (status && err->kind == ERR_UNMET) {
		error_reset(err);
		status = 0;
	}
	return status;
}

int replay_as_device(struct replay *r, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *profile =
		clone_device(&r->was, r->was.item[0].device, r->path, err);

	if (!profile)
		return -1;
	json_print(&text, profile);
	return dial(r, buf_string(&text), err);
}
