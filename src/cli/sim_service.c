/* SPDX-License-Identifier: MIT */
/* Runs a pretend service at a port, and shows what happens there. */
#include "cli/sim_service.h"

static void show_line(void *owner, const char *text)
{
	render_note(owner, "%s", text);
}

static void show_listening(void *owner, const char *url)
{
	render_note(owner, "listening at %s", url);
}

int sim_service_run(struct app *app, const struct sim_service *o,
		    struct error *err)
{
	const struct service_listen_options options = { .listen = o->listen,
							.admit = o->admit,
							.run_for = o->run_for };
	const struct service_listen_observer observer = { show_listening,
							  show_line,
							  &app->out };
	struct service_config config = { .outside = o->outside,
					 .line = show_line,
					 .owner = &app->out };
	struct service *s;
	int status;

	if (app_open_loop(app, err))
		return -1;
	config.loop = config.outside.loop = app->loop;
	s = service_load(o->profile, &config, err);
	if (!s)
		return -1;
	status = service_listen(app->loop, s, &options, &observer, err);
	service_free(s);
	return status;
}
