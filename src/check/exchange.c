/* SPDX-License-Identifier: MIT */
#include "check/exchange.h"

#include <arpa/inet.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/trace.h"
#include "net/endpoint.h"
#include "net/why.h"
#include "sim/identity.h"

#define AT_ONCE_US 1000000 /* behind the head */

/* ---- who asks ---- */

static int check_id(const char *option, const char *id, struct error *err)
{
	if (!id || identity_is_plain(id))
		return 0;
	return error_set(err, ERR_USAGE,
			 "--%s: 1 to 128 plain letters are expected", option);
}

/* Global options of other conversations than this one. */
static int check_globals(const struct config *c, const char *subject,
			 struct error *err)
{
	const struct {
		const char *option;
		bool given;
	} odd[] = {
		{ "header", c->headers.count > 0 },
		{ "token-file",
		  c->token_file && strcmp(subject, "backend") != 0 },
		{ "proxy", c->proxy != NULL },
		{ "resolve", c->resolve.count > 0 },
		{ "env", c->env.count > 0 },
		{ "cwd", c->cwd != NULL },
		{ "save-images", c->save_images != NULL },
		{ "no-init", c->no_init },
		{ "all", c->all },
	};

	for (size_t i = 0; i < COUNT(odd); i++) {
		if (odd[i].given)
			return error_set(err, ERR_USAGE,
					 "check %s has no use for '--%s'",
					 subject, odd[i].option);
	}
	return 0;
}

int board_self_open(struct board_self *b, const struct checkup *k,
		    struct error *err)
{
	static const struct trace_role role = { .as = "check", .device = true };
	const struct check_options *o = k->options;
	struct app *app = k->in->app;

	*b = (struct board_self){ .trust = { app->config.cacert,
					     app->config.insecure },
				  .opened_us = loop_now_us() };
	if (check_globals(&app->config, k->in->argv[0], err) ||
	    check_id("device-id", o->device_id, err) ||
	    check_id("client-id", o->client_id, err) ||
	    (b->trust.cacert && why_check_cacert(b->trust.cacert, err)) ||
	    app_open_loop(app, err))
		return -1;
	if (trace_begin(app, &role, err))
		return -1;
	b->profile = profile_load(PROFILE_DEFAULT, NULL, err);
	if (!b->profile)
		return -1;
	b->device_id = o->device_id ? o->device_id : b->profile->device_id;
	b->client_id = o->client_id ? o->client_id : b->profile->client_id;
	return 0;
}

void board_self_done(struct board_self *b)
{
	profile_free(b->profile);
}

int exchange_url(struct board_ws_url *out, const struct board_self *b,
		 const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(text);

	if (!text_starts(text, "http://") && !text_starts(text, "https://"))
		return error_set(
			err, ERR_USAGE,
			"'%.200s': an address with http:// or https:// is expected",
			shown);
	if (board_ws_url_parse(out, text, err)) {
		err->kind = ERR_USAGE; /* what a board would do */
		return -1;
	}
	out->trust = &b->trust;
	return 0;
}

void exchange_trace(const struct checkup *k, const struct board_self *b,
		    enum diag_leg leg, struct trace *t)
{
	struct app *app = k->in->app;

	t->at_us = loop_now_us() - b->opened_us;
	t->kind = "text";
	t->id = b->device_id;
	t->leg = diag_leg_name(leg);
	if (app->out.verbose)
		render_trace(&app->out, t);
	trace_write(app, t);
}

void exchange_trace_answer(const struct checkup *k, const struct board_self *b,
			   enum diag_leg leg, const struct exchange *x)
{
	struct trace t = { .data = buf_string(&x->body),
			   .len = x->body.len,
			   .status = x->status };

	if (!x->head)
		return;
	t.head = (struct span){ x->head, strlen(x->head) };
	exchange_trace(k, b, leg, &t);
}

int64_t exchange_until(const struct checkup *k)
{
	const int64_t timeout = k->in->app->config.timeout;

	return timeout ? loop_now() + timeout : LOOP_FOREVER;
}

/* ---- the way ---- */

void way_look(struct way *w, const struct tcp *t)
{
	w->connected = tcp_ends(t, w->own, w->peer);
	w->secured = tcp_tls_facts(t, &w->tls);
}

void exchange_name(struct error *why, const struct board_ws_url *u)
{
	if (why->kind && why->reason != WHY_STATUS &&
	    why->reason != WHY_REDIRECT && why->reason != WHY_TLS)
		error_prefix(why, "%.100s:%u", u->host, (unsigned)u->port);
}

void exchange_failure(struct checkup *k, struct error *why, unsigned with)
{
	const struct why_facts facts = { .what = (enum why)why->reason,
					 .with = with,
					 .number = why->code };
	const char *name =
		*why->finding ? why->finding : why_find(&facts)->finding;
	int code = name ? finding_by_name(name) : -1;

	/* Those say what a server of MCP owes: a board's peer is none. */
	if (code < 0 || (code >= P713 && code <= P715))
		return;
	error_finding(why, name);
	diag_found(k->diag, (enum diag_code)code, (struct span){ 0 }, "%s",
		   why->text);
}

void exchange_no_hello(struct checkup *k, const char *instead)
{
	static const enum diag_code told[] = { B202, B204, B205,
					       B209, B210, B265 };

	for (size_t i = 0; i < COUNT(told); i++) {
		if (diag_count(k->diag, told[i]))
			return;
	}
	diag_found(k->diag, B209, (struct span){ 0 }, "%s", instead);
}

static bool fails(struct checkup *k, const char *stage, struct error *why)
{
	exchange_failure(k, why, 0);
	check_stage(k, stage, STAGE_FAIL, "%s", why->text);
	return false;
}

static bool is_name(const char *host)
{
	struct in_addr address;

	return inet_pton(AF_INET, host, &address) != 1;
}

static void tell_tls(struct checkup *k, const struct tls_facts *f)
{
	char days[32] = "";

	if (f->days < 0)
		snprintf(days, sizeof(days), ", expired");
	else if (f->days != INT_MAX)
		snprintf(days, sizeof(days), ", %d day%s left", f->days,
			 f->days == 1 ? "" : "s");
	check_stage(k, "tls", STAGE_OK, "%s%s%s%s%s", f->version,
		    *f->issuer ? ", by " : "", f->issuer, days,
		    k->in->app->config.insecure ?
			    "; the certificate was not checked" :
			    "");
}

bool way_tell(struct checkup *k, const struct way *w, const char *host,
	      bool tls, struct error *why)
{
	const bool unknown =
		!w->connected && (why->reason == WHY_NO_HOST ||
				  why->reason == WHY_NO_NAMESERVER);

	if (unknown)
		return fails(k, "name", why);
	if (is_name(host) && w->connected)
		check_stage(k, "name", STAGE_OK, "%s is %.*s", host,
			    (int)address_host_length(w->peer), w->peer);
	else if (is_name(host))
		check_stage(k, "name", STAGE_OK, "%s has an address", host);
	if (!w->connected)
		return fails(k, "tcp", why);
	check_stage(k, "tcp", STAGE_OK, "%s", w->peer);
	if (!tls)
		return true;
	if (!w->secured)
		return fails(k, "tls", why);
	tell_tls(k, &w->tls);
	return true;
}

bool way_tell_cut(struct checkup *k, const struct way *w, bool tls,
		  const struct error *why)
{
	if (!w->connected) {
		check_stage(k, "tcp", check_verdict(why), "%s", why->text);
		return false;
	}
	check_stage(k, "tcp", STAGE_OK, "%s", w->peer);
	if (!tls)
		return true;
	if (w->secured)
		tell_tls(k, &w->tls);
	else
		check_stage(k, "tls", check_verdict(why), "%s", why->text);
	return w->secured;
}

/* ---- one request ---- */

static void take_headers(struct exchange *x)
{
	const struct board_reply *r = &x->http.reply;

	struct trace seen;

	if (r->has_head) {
		board_http_trace_reply(&seen, r);
		x->head = mem_strndup(seen.head.text, seen.head.len);
	}
	x->location = mem_strdup(r->location);
	x->content_type = mem_strdup(r->type);
	x->content_encoding = mem_strdup(r->coding);
	x->chunked = r->chunked;
	x->has_length = r->has_length;
	x->length = r->length < 0 ? 0 : r->length;
}

/* All that is gone when it is closed. */
static void take(struct exchange *x)
{
	const struct board_reply *r = &x->http.reply;
	size_t waiting = tcp_waiting(&x->http.tcp);

	x->over_us = loop_now_us();
	way_look(&x->way, &x->http.tcp);
	x->status = r->status > 0 ? r->status : 0;
	take_headers(x);
	buf_init(&x->body, 0);
	buf_add(&x->body, buf_string(&r->body), r->body.len);
	x->sent = !x->http.asked     ? 0 :
		  waiting < x->asked ? x->asked - waiting :
				       0;
	x->over = true;
	board_http_close(&x->http);
}

static void on_answered(void *owner, const char *body, size_t len)
{
	struct exchange *x = owner;

	(void)body;
	(void)len;
	x->answered = true;
	take(x);
	x->closed_at_once = x->head_us && x->over_us - x->head_us < AT_ONCE_US;
}

static void on_failed(void *owner, enum http_failure what,
		      const struct error *why)
{
	struct exchange *x = owner;

	x->failure = what;
	error_copy(&x->why, why);
	take(x);
}

static void on_asks(void *owner, const struct buf *request)
{
	const struct exchange *x = owner;
	const struct exchange_order *o = x->order;
	struct trace t;

	board_http_trace_request(&t, request, o->body);
	exchange_trace(o->k, o->self, o->leg, &t);
}

/* The end tells where it ends only if no length does. */
static void on_head(void *owner)
{
	struct exchange *x = owner;
	const struct board_reply *r = &x->http.reply;

	if (!r->chunked && r->length < 0)
		x->head_us = loop_now_us();
}

static void on_closed(void *owner)
{
	struct exchange *x = owner;

	x->closed = true;
}

static const struct board_http_events events = {
	.asks = on_asks,
	.answered = on_answered,
	.failed = on_failed,
	.head = on_head,
	.closed = on_closed,
};

int exchange_make(struct exchange *x, const struct exchange_order *o,
		  struct buf *request, struct error *err)
{
	struct loop *l = o->k->in->app->loop;
	int status;

	*x = (struct exchange){ .order = o,
				.asked = request->len,
				.begun_us = loop_now_us() };
	board_http_open(&x->http, l, o->u, request, &events, x);
	status = loop_wait(l, &x->over, exchange_until(o->k), err);
	if (status)
		way_look(&x->way, &x->http.tcp);
	board_http_close(&x->http);
	loop_drain(l, &x->closed, LOOP_FOREVER);
	exchange_name(&x->why, o->u);
	return status;
}

void exchange_done(struct exchange *x)
{
	mem_free(x->head);
	mem_free(x->location);
	mem_free(x->content_type);
	mem_free(x->content_encoding);
	buf_done(&x->body);
	error_reset(&x->why);
}
