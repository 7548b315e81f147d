/* SPDX-License-Identifier: MIT */
/*
 * The OTA address, asked as a board asks it, and followed to where its answer
 * sends a board (device.md 1, 2, 5): to a WebSocket as far as initialize, or to
 * a broker as far as CONNACK.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/exchange.h"
#include "check/visit.h"
#include "diag/ota_rules.h"
#include "net/why.h"
#include "wire/board_text.h"

/* ---- the question ---- */

static void fill(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

static void add_question(struct buf *out, const struct board_self *self,
			 const struct board_ws_url *u)
{
	struct ota_request about = self->profile->about;
	CLEANUP(mem_free_ptr)
	char *agent = mem_printf("%s/%s", about.board_name, about.version);

	fill(about.device_id, sizeof(about.device_id), self->device_id);
	fill(about.client_id, sizeof(about.client_id), self->client_id);
	fill(about.user_agent, sizeof(about.user_agent), agent);
	buf_init(out, 0);
	board_ws_ota_request(out, u, &about);
}

static void trace_body(const struct checkup *k, const struct board_self *self,
		       const struct buf *request)
{
	const char *body = strstr(buf_string(request), "\r\n\r\n") + 4;

	exchange_trace(k, self, LEG_OTA, true, body, strlen(body));
}

/* ---- the answer ---- */

static void judge(struct checkup *k, const struct board_self *self,
		  const struct exchange *x, const char *url)
{
	const struct ota_answer a = {
		.at_us = x->over_us,
		.status = x->status,
		.location = x->location,
		.content_type = x->content_type,
		.content_encoding = x->content_encoding,
		.has_length = x->has_length,
		.chunked = x->chunked,
		.closed_at_once = x->closed_at_once,
		.length = x->length,
		.body = buf_string(&x->body),
		.len = x->body.len,
		.from = { .board = x->way.own, .asked = url },
		.board_version = self->profile->about.version,
	};

	diag_ota(k->diag, &a);
}

static const char *framing(const struct exchange *x)
{
	return x->chunked    ? "chunked" :
	       x->has_length ? "Content-Length" :
			       "no length";
}

static void tell_answer(struct checkup *k, struct exchange *x)
{
	char took[TEXT_ROOM];

	text_microseconds(x->over_us - x->begun_us, took, sizeof(took));
	if (!x->status) {
		exchange_failure(k, &x->why, WITH_HTTP);
		check_stage(k, "ota", STAGE_FAIL, "%s", x->why.text);
	} else if (x->status != 200) {
		check_stage(k, "ota", STAGE_FAIL, "%d in %s, %zu B", x->status,
			    took, x->body.len);
	} else {
		check_stage(k, "ota", x->answered ? STAGE_OK : STAGE_FAIL,
			    "200 in %s, %zu B, %s%s%s", took, x->body.len,
			    framing(x), x->answered ? "" : "; ",
			    x->answered ? "" : x->why.text);
	}
}

/* ---- where it sends a board ---- */

/* What a board does not survive, or does not come behind (device.md 5.4). */
static bool is_deadly(const struct checkup *k)
{
	return diag_count(k->diag, O305) || diag_count(k->diag, O307);
}

static void stopped(struct checkup *k, const char *stages)
{
	check_stage(k, "stopped", STAGE_SKIPPED, "%s: not reached", stages);
}

/* True: a board waits here to be bound (device.md 5.3). */
static bool is_held(struct checkup *k, const struct ota_reply *r)
{
	if (!r->activation_code && !r->activation_challenge) {
		check_stage(k, "activate", STAGE_OK, "none is asked for");
		return false;
	}
	if (r->activation_code)
		check_stage(k, "activate", STAGE_ODD,
			    "a board shows the code %.40s and waits",
			    r->activation_code);
	else
		check_stage(k, "activate", STAGE_ODD,
			    "a board answers the challenge and waits");
	return true;
}

static int follow_mqtt(struct checkup *k, const struct board_self *self,
		       const struct ota_reply *r, struct error *err)
{
	struct board_endpoint e;
	const char *endpoint = json_string(r->mqtt, "endpoint");

	if (endpoint && board_endpoint_read(&e, endpoint))
		return visit_broker(k, self, r->mqtt, err);
	stopped(k, "connack");
	return 0;
}

static int follow_websocket(struct checkup *k, const struct board_self *self,
			    const struct ota_reply *r, const char *asked,
			    struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct visit_order order = {
		.self = self,
		.token = r->websocket_token,
		.frame_version = r->websocket_version,
		.asked = asked,
	};
	struct board_ws_url u;
	int status;

	if (!r->websocket_url ||
	    board_ws_url_parse(&u, r->websocket_url, &why)) {
		stopped(k, "upgrade, hello, init");
		return 0;
	}
	u.trust = &self->trust;
	status = visit_websocket(k, &order, &u, err);
	board_ws_url_done(&u);
	return status;
}

static int follow(struct checkup *k, const struct board_self *self,
		  const struct exchange *x, const char *asked,
		  struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct ota_reply r;
	int status = 0;

	if (!x->answered || is_deadly(k) ||
	    ota_reply_decode(&r, buf_string(&x->body), x->body.len, &why)) {
		stopped(k, "activate, upgrade, hello, init");
		return 0;
	}
	if (is_held(k, &r))
		stopped(k, r.mqtt ? "connack" : "upgrade, hello, init");
	else if (r.mqtt)
		status = follow_mqtt(k, self, &r, err);
	else
		status = follow_websocket(k, self, &r, asked, err);
	ota_reply_done(&r);
	return status;
}

/* ---- the whole ---- */

static int never_answered(struct checkup *k, const struct exchange *x,
			  struct error *err)
{
	stopped(k, x->way.connected ? "activate, upgrade, hello, init" :
				      "ota, activate, upgrade, hello, init");
	check_end(k, NULL);
	error_copy(err, &x->why);
	return -1;
}

/* What failed without a finding is a failure all the same. */
static int end(struct checkup *k, int status, struct error *failure,
	       struct error *err)
{
	int found = check_end(k, err);

	if (!status || (found && failure->kind != ERR_INTERRUPTED))
		return found;
	error_copy(err, failure);
	return -1;
}

static int look(struct checkup *k, const struct board_self *self,
		const struct board_ws_url *u, struct exchange *x,
		const char *url, struct error *err)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	int status;

	if (!way_tell(k, &x->way, u->host, u->tls, &x->why))
		return never_answered(k, x, err);
	exchange_trace(k, self, LEG_OTA, false, buf_string(&x->body),
		       x->body.len);
	judge(k, self, x, url);
	tell_answer(k, x);
	if (!x->status)
		return never_answered(k, x, err);
	status = follow(k, self, x, url, &failure);
	return end(k, status, &failure, err);
}

static int ask(struct checkup *k, const struct board_self *self,
	       const struct board_ws_url *u, const char *url, struct error *err)
{
	CLEANUP(exchange_done) struct exchange x = { 0 };
	struct buf request;

	add_question(&request, self, u);
	trace_body(k, self, &request);
	check_dares(k, RISK_LOOK, 1);
	if (exchange_make(&x, k, u, &request, err)) {
		check_stage(k, "ota", STAGE_FAIL, "%s", err->text);
		return -1;
	}
	return look(k, self, u, &x, url, err);
}

int check_ota(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(board_self_done) struct board_self self = { 0 };
	struct board_ws_url u;
	int status;

	k->subject = "D"; /* we are the device */
	if (board_self_open(&self, k, err) || exchange_url(&u, &self, url, err))
		return -1;
	status = ask(k, &self, &u, url, err);
	board_ws_url_done(&u);
	return status;
}
