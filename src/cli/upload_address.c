/* SPDX-License-Identifier: MIT */
/* One question to serve on the connection of the session. */
#include "cli/upload_address.h"

#include "base/mem.h"
#include "net/attach.h"

enum { ASK_MS = 10000 };

struct address_asked {
	struct app *app;
	bool answered;
	char *url, *why; /* owned; NULL */
};

static void keep(void *owner, const char *url, size_t len, const char *nearest,
		 const char *broke)
{
	struct address_asked *asked = owner;

	(void)nearest;
	asked->answered = true;
	asked->url = url ? mem_strndup(url, len) : NULL;
	asked->why = mem_strdup(broke);
	session_wake(asked->app->session);
}

static int no_serve(struct error *err)
{
	error_set(err, ERR_USAGE,
		  "option '--upload' is for a device of a running serve");
	return error_hint(err, "start 'mcpctl serve', which takes the picture; "
			       "or give the device an address of yours: "
			       "url=http://…");
}

int upload_address(struct app *app, char **out, struct error *err)
{
	struct transport *t = session_transport(app->session);
	struct address_asked asked = { .app = app };
	int64_t timeout = app->config.timeout;
	int status;

	if (t->ops != &attach_ops)
		return no_serve(err);
	if (attach_ask_upload(t, keep, &asked, err) != 0)
		return -1;
	status = session_watch(app->session, &asked.answered,
			       loop_now() + (timeout ? timeout : ASK_MS), err);
	attach_ask_tool(t, NULL, NULL, NULL, NULL);
	*out = asked.url;
	if (asked.answered && !asked.url)
		status = error_set(err, ERR_CONNECT, "%s",
				   asked.why ? asked.why :
					       "serve gave no address");
	else if (!asked.answered && status == 0)
		status = error_set(err, ERR_TIMEOUT,
				   "serve gave no address in time");
	mem_free(asked.why);
	return status;
}
