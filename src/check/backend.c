/* SPDX-License-Identifier: MIT */
/*
 * A backend, by playing the board (backends.md 1): how far the way to it goes,
 * its hello, what it asks of a list that shows what is lost (the simulator's
 * profile canary), and what comes when nobody speaks. sim/ plays; what goes over
 * the wire is judged here, and tells which stage it is.
 */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "check/exchange.h"
#include "cli/judged.h"
#include "cli/setup.h"
#include "cli/trace.h"
#include "diag/recognise.h"
#include "net/why.h"
#include "out/wrap.h"
#include "sim/fleet.h"

#define QUIET_MS 3000 /* without --for */
/* And the quiet: a backend that never is, ends there. */
#define RUN_MS INT64_C(60000)
#define LOST_SHOWN 8

enum stage { NAME, TCP, TLS, UPGRADE, HELLO, INIT, LIST, QUIET, BYE, STAGES };

static const char *const names[STAGES + 1] = { "name",	  "tcp",   "tls",
					       "upgrade", "hello", "init",
					       "list",	  "quiet", "bye" };

static int64_t quiet_of(const struct checkup *k)
{
	return k->options->quiet ? k->options->quiet : QUIET_MS;
}

struct talk {
	struct checkup *k;
	struct board_ws_url url;
	enum stage at; /* the one that is not over */
	int64_t since_us; /* when the one before was */
	uint32_t seen; /* requests */
	unsigned lists, calls, others; /* of them */
	char *over; /* the connection is: why; NULL */
};

/* "3 ms", since the stage before. */
static const char *took(struct talk *t, int64_t now_us, char room[TEXT_ROOM])
{
	const int64_t us = now_us - t->since_us;

	t->since_us = now_us;
	return text_microseconds(us > 0 ? us : 0, room, TEXT_ROOM);
}

static void tell(struct talk *t, enum stage_verdict verdict, const char *words)
{
	check_stage(t->k, names[t->at], verdict, "%s", words);
	t->at++;
}

/* ---- the way there ---- */

static void tell_passed(struct talk *t)
{
	char port[32];

	if (t->at == NAME) {
		tell(t, STAGE_OK, t->url.host);
	} else if (t->at == TCP) {
		snprintf(port, sizeof(port), "port %u", (unsigned)t->url.port);
		tell(t, STAGE_OK, port);
	} else if (!t->url.tls) {
		tell(t, STAGE_SKIPPED, "none: the address is ws://");
	} else {
		tell(t, STAGE_OK,
		     t->k->in->app->config.insecure ?
			     "the certificate was not checked (--insecure)" :
			     "the certificate is one that is trusted here");
	}
}

static void tell_opened(struct talk *t, int64_t now_us)
{
	char time[TEXT_ROOM];

	while (t->at < UPGRADE)
		tell_passed(t);
	check_stage(t->k, names[t->at++], STAGE_OK, "101, %s after dialling",
		    took(t, now_us, time));
}

/* The stage at which dialling ended. */
static enum stage stage_of(const struct talk *t, int reason)
{
	switch (reason) {
	case WHY_NO_HOST:
	case WHY_NO_NAMESERVER:
		return NAME;
	case WHY_NO_CONNECTION:
		return TCP;
	case WHY_TLS:
	case WHY_TLS_SILENT:
	case WHY_BAD_CACERT:
		return TLS;
	case WHY_WENT: /* in TLS, or behind it: not known */
		return t->url.tls ? TLS : UPGRADE;
	default:
		return UPGRADE;
	}
}

static void tell_not_opened(struct talk *t, struct error *why)
{
	const enum stage at = stage_of(t, why->reason);

	while (t->at < at)
		tell_passed(t);
	exchange_failure(t->k, why,
			 WITH_BOARD | WITH_WS | (t->url.tls ? 0 : WITH_PLAIN));
	tell(t, STAGE_FAIL, why->text);
}

/* ---- what is said ---- */

static void tell_hello(struct talk *t, int64_t now_us)
{
	const char *session = t->k->diag->session_id;
	char time[TEXT_ROOM];

	check_stage(t->k, names[t->at++], STAGE_OK, "after %s, %s%s",
		    took(t, now_us, time),
		    *session ? "session " : "no session_id", session);
}

static void tell_init(struct talk *t, int64_t now_us)
{
	CLEANUP(buf_done) struct buf name = { 0 }, evidence = { 0 };
	const bool early = diag_count(t->k->diag, B201) > 0;
	char time[TEXT_ROOM];

	if (!recognise_backend(t->k->diag, &name, &evidence))
		buf_text(&evidence, "it does not say who it is");
	else if (!name.len)
		buf_text(&evidence, ": nobody who is known");
	check_stage(t->k, names[t->at++], STAGE_OK, "%s%s, %s%s%s%s",
		    early ? "before the hello" : "after ",
		    early ? "" : took(t, now_us, time),
		    name.len ? "most likely " : "", buf_string(&name),
		    name.len ? ": " : "", buf_string(&evidence));
}

static void tell_list(struct talk *t, int64_t now_us)
{
	CLEANUP(buf_done) struct buf asked = { 0 };
	char time[TEXT_ROOM];

	wrap_count(&asked, t->lists, "request");
	check_stage(t->k, names[t->at++], STAGE_OK,
		    "to the last page, %s, %s; user-only tools %s",
		    buf_string(&asked), took(t, now_us, time),
		    t->k->diag->user_tools ? "asked for, too" :
					     "not asked for");
}

/* Which stages are over by what was said so far. */
static void advance(struct talk *t, int64_t now_us)
{
	const struct diag *d = t->k->diag;

	if (t->at == HELLO && d->server_hello)
		tell_hello(t, now_us);
	if (t->at == INIT && d->initialized)
		tell_init(t, now_us);
	if (t->at == INIT && d->listed)
		tell(t, STAGE_ODD, "did not come before the list");
	if (t->at == LIST && d->listed && !d->more_pages)
		tell_list(t, now_us);
}

static void count_requests(struct talk *t)
{
	const struct diag *d = t->k->diag;

	for (; t->seen < d->requests; t->seen++) {
		const uint8_t method = d->asked[t->seen % ASKED_KEPT].method;

		if (method == ASKED_LIST)
			t->lists++;
		else if (method == ASKED_CALL)
			t->calls++;
		else if (method != ASKED_INITIALIZE)
			t->others++;
	}
}

static void on_trace(void *owner, const struct trace *frame)
{
	struct talk *t = owner;
	struct app *app = t->k->in->app;
	const bool text = strcmp(frame->kind, "text") == 0;
	const struct diag_frame f = { .at_us = frame->at_us,
				      .leg = LEG_WS,
				      .kind = text ? FRAME_IS_TEXT :
						     FRAME_IS_BINARY,
				      .from_device = frame->outgoing,
				      .data = frame->data,
				      .len = frame->len };

	if (app->out.verbose)
		render_trace(&app->out, frame);
	trace_write(app, frame);
	if (strcmp(frame->kind, "ready") == 0)
		tell_opened(t, frame->at_us);
	if (strcmp(frame->kind, "closed") == 0)
		t->over = mem_strndup(frame->data, frame->len);
	if (!text && strcmp(frame->kind, "binary") != 0)
		return;
	diag_feed(t->k->diag, &f);
	count_requests(t);
	advance(t, frame->at_us);
}

/* What no frame shows, and what never came: the board knows. */
static void on_found(void *owner, const char *device, const struct finding *f,
		     const char *detail)
{
	const struct talk *t = owner;

	(void)device;
	if (detail && diag_count(t->k->diag, f->code) == 0)
		diag_found(t->k->diag, f->code, (struct span){ 0 }, "%s",
			   detail);
}

/* ---- the end ---- */

static void tell_no_hello(struct talk *t, const struct sim_summary *sum)
{
	CLEANUP(mem_free_ptr)
	char *words = mem_printf("none came that a board takes%s%s%s%s",
				 sum->said ? "; the backend said: " : "",
				 sum->said ? sum->said : "",
				 t->over ? "; " : "", t->over ? t->over : "");

	tell(t, STAGE_FAIL, words);
}

static void tell_lost(struct talk *t, const struct sim_named *lost)
{
	const struct words *n = &lost->name;
	CLEANUP(buf_done) struct buf words = { 0 };

	if (!t->lists) {
		tell(t, STAGE_ODD, "no tools/list came: it knows no tool");
		return;
	}
	wrap_count(&words, t->lists, "request");
	buf_text(&words, ", not to the last page; ");
	wrap_count(&words, n->count, "tool");
	buf_text(&words, " lost:");
	for (size_t i = 0; i < n->count && i < LOST_SHOWN; i++)
		buf_printf(&words, " %s", n->word[i]);
	if (n->count > LOST_SHOWN)
		buf_printf(&words, " … %zu more", n->count - LOST_SHOWN);
	tell(t, STAGE_ODD, buf_string(&words));
}

static void tell_quiet(struct talk *t)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	char time[TEXT_ROOM];

	wrap_count(&words, t->calls, "call");
	buf_text(&words, " of tools, ");
	wrap_count(&words, t->others, "other request");
	text_milliseconds(quiet_of(t->k), time, sizeof(time));
	if (!t->over)
		buf_printf(&words,
			   loop_now_us() - t->k->begun_us < RUN_MS * 1000 ?
				   "; then nothing for %s" :
				   "; it was never silent for %s",
			   time);
	tell(t, STAGE_OK, buf_string(&words));
}

static void tell_rest(struct talk *t, const struct sim_summary *sum)
{
	if (t->at == HELLO && sum->dialled)
		tell_no_hello(t, sum);
	if (t->at == INIT && sum->welcomed)
		tell(t, STAGE_ODD, "initialize did not come");
	if (t->at == LIST && sum->welcomed)
		tell_lost(t, &sum->lost_tools);
	if (t->at == QUIET)
		tell_quiet(t);
	if (t->at == BYE)
		tell(t, t->over ? STAGE_ODD : STAGE_OK,
		     t->over ? t->over :
			       "hung up by us, as a board does: no Close");
	check_stopped(t->k);
}

/* ---- */

static int read_url(struct board_ws_url *out, const char *url,
		    struct error *err)
{
	if (strncmp(url, "ws://", 5) != 0 && strncmp(url, "wss://", 6) != 0) {
		error_set(
			err, ERR_USAGE,
			"check backend '%.200s': an address with ws:// or wss:// is expected",
			url);
		return error_hint(
			err, "of a broker: mcpctl sim canary --connect %.200s",
			strncmp(url, "mqtt", 4) == 0 ? url : "mqtt://…");
	}
	if (board_ws_url_parse(out, url, err) == 0)
		return 0;
	err->kind = ERR_USAGE;
	return -1;
}

static int prepare(const struct checkup *k, char **token, struct error *err)
{
	static const struct trace_role role = { .as = "check", .device = true };
	struct app *app = k->in->app;

	if (secret_read(token, app->config.token_file, "MCPCTL_SIM_TOKEN",
			err) ||
	    findings_open(app, err) || app_open_loop(app, err))
		return -1;
	return trace_begin(app, &role, err);
}

/* It could not be made: nobody was reached, or nobody let us in. */
static bool is_failure(const struct error *why)
{
	return why->kind != ERR_NONE && why->kind != ERR_UNMET;
}

static int finish(struct talk *t, const struct sim_summary *sum,
		  struct error *why, struct error *err)
{
	if (why->kind == ERR_USAGE || why->kind == ERR_INTERRUPTED ||
	    !sum->devices) {
		error_copy(err, why);
		return -1;
	}
	if (!sum->dialled)
		tell_not_opened(t, why);
	tell_rest(t, sum);
	if (!is_failure(why))
		return check_end(t->k, err);
	error_copy(err, why);
	return -1;
}

int check_backend(struct checkup *k, const char *url, struct error *err)
{
	const struct config *config = &k->in->app->config;
	struct sim_options o = {
		.profile = "canary",
		.connect = url,
		.device_id = k->options->device_id,
		.client_id = k->options->client_id,
		.quiet = quiet_of(k),
		.run_for = RUN_MS + quiet_of(k),
		.cacert = config->cacert,
		.insecure = config->insecure,
	};
	CLEANUP(mem_free_ptr) char *token = NULL;
	CLEANUP(error_reset) struct error why = { 0 };
	struct sim_summary sum = { 0 };
	struct talk t = { .k = k };
	const struct sim_observer observer = { .found = on_found,
					       .trace = on_trace,
					       .owner = &t };
	int status;

	k->plan = names;
	k->subject = "D"; /* our own canary is meant to be odd */
	if (read_url(&t.url, url, err))
		return -1;
	status = prepare(k, &token, err);
	if (status == 0) {
		o.token = token;
		k->diag->about = (struct diag_about){ .board = true,
						      .protocol_version = 1 };
		diag_start(k->diag);
		sim_run(k->in->app->loop, &o, &observer, &sum, &why);
		status = finish(&t, &sum, &why, err);
	}
	sim_summary_done(&sum);
	mem_free(t.over);
	board_ws_url_done(&t.url);
	return status;
}
