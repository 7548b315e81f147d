/* SPDX-License-Identifier: MIT */
/* Until the peer is back. */
#include "cli/stay.h"

#include "cli/app.h"

enum { AGAIN_MS = 1000 };

/* The peer went, or did not come yet; what is wrong otherwise stays so. */
static bool may_be_back(const struct stay *s, const struct error *err)
{
	return s->follow && !*s->stop &&
	       (err->kind == ERR_CONNECT || err->kind == ERR_TIMEOUT);
}

/* 1: the time is over; so it is where -1 comes without an error. */
static int try_again(const struct stay *s, int64_t deadline, struct error *err)
{
	struct app *app = s->connection->app;
	int64_t wait = app->config.wait, left = deadline - loop_now();
	int status;

	error_reset(err);
	connection_close(s->connection);
	if (left <= 0)
		return 1;
	if (!app_listens(app) &&
	    loop_stay(app->loop, NULL,
		      loop_now() + (left < AGAIN_MS ? left : AGAIN_MS), err))
		return -1;
	if (deadline != LOOP_FOREVER && (!wait || wait > left))
		app->config.wait = left;
	status = s->again(s->owner, err);
	app->config.wait = wait;
	return status;
}

int stay_until_back(const struct stay *s, int64_t deadline, struct error *err)
{
	struct connection *c = s->connection;
	int status = -1;

	if (!may_be_back(s, err))
		return -1;
	render_note(&c->app->out, "%s; staying until it is back (Ctrl-C ends)",
		    err->text);
	c->again = true;
	while (status < 0 && may_be_back(s, err))
		status = try_again(s, deadline, err);
	c->again = false;
	return status < 0 && err->kind == ERR_NONE ? 1 : status;
}
