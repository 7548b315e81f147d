/* SPDX-License-Identifier: MIT */
/*
 * A backend, by playing the board (backends.md 1): how far the way to it goes,
 * OTA and activation if that is its address, its hello, what it asks of a list
 * that shows what is lost (the simulator's profile canary), what comes when
 * nobody speaks, and what it does with a text, if there is one. sim/ plays.
 */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "check/board_talk.h"
#include "check/exchange.h"
#include "check/ota_ask.h"
#include "check/planned.h"
#include "cli/setup.h"
#include "net/endpoint.h"
#include "sim/board_ota.h"
#include "sim/fleet.h"
#include "sim/identity.h"
#include "sim/pretend.h"

/*
 * --plan: nothing is sent. The board that is played says what it would say, in
 * its own bytes: to nobody, who greets it as a backend does.
 */

#define SESSION "(as the backend says)"

struct backend_plan {
	struct checkup *k;
	struct pretend device;
	const char *what; /* what is said now is; NULL: it is not shown */
	bool gone;
};

static void on_text(void *owner, const char *text, size_t len)
{
	struct backend_plan *p = owner;
	CLEANUP(buf_done) struct buf said = { 0 };

	buf_add(&said, text, len);
	if (p->what)
		planned(p->k, RISK_LOOK, p->what, &said);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	(void)owner;
	(void)data;
	(void)len;
}

static void on_audio(void *owner, const struct udp_offer *offer)
{
	(void)owner;
	(void)offer;
}

static void on_drop(void *owner)
{
	(void)owner;
}

static void on_note(void *owner, enum pretend_note what, const char *text)
{
	(void)owner;
	(void)what;
	(void)text;
}

static const struct pretend_events events = {
	.text = on_text,
	.binary = on_binary,
	.audio = on_audio,
	.drop = on_drop,
	.note = on_note,
};

static void on_closed(void *owner)
{
	struct backend_plan *p = owner;

	p->gone = true;
}

/* ---- what is said ---- */

static void greet(struct backend_plan *p, bool mqtt)
{
	static const char ws[] =
		"{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"" SESSION
		"\"}";
	static const char udp[] =
		"{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"" SESSION
		"\",\"udp\":{\"server\":\"127.0.0.1\",\"port\":1,\"key\":\"00000000000000000000000000000000\",\"nonce\":\"01000000000000000000000000000000\"}}";

	p->what = "the session begins";
	if (mqtt)
		pretend_text(&p->device, udp, strlen(udp));
	else
		pretend_text(&p->device, ws, strlen(ws));
}

static void show_talk(struct backend_plan *p, bool mqtt)
{
	const char *say = p->k->options->say;

	p->what = mqtt ? "hello, at a broker once it was quiet for 1.5 s" :
			 "hello, at a WebSocket";
	pretend_open(&p->device);
	if (mqtt)
		pretend_begin_session(&p->device);
	greet(p, mqtt);
	p->what = NULL;
	planned(p->k, RISK_LOOK,
		"answers to initialize, tools/list and tools/call, as it asks",
		NULL);
	p->what = "what --say has the user say";
	if (say)
		pretend_say_words(&p->device, say);
	p->what = "the session ends";
}

static void show_board(struct backend_plan *p, const struct board_self *self,
		       const struct profile *canary, bool mqtt)
{
	struct loop *l = p->k->in->app->loop;
	const struct pretend_config config = { .loop = l,
					       .profile = canary,
					       .events = &events,
					       .owner = p,
					       .mqtt = mqtt,
					       .frame_version = 1 };

	pretend_init(&p->device, &config, self->device_id, self->client_id);
	show_talk(p, mqtt);
	pretend_end_session(&p->device);
	p->what = NULL;
	p->gone = false;
	pretend_close(&p->device, on_closed);
	loop_drain(l, &p->gone, LOOP_FOREVER);
}

/* Of OTA both: where it leads is not known. */
/* url: one that check backend takes. -1 (ERR_USAGE): a board could not dial it. */
static int backend_plan_show(struct checkup *k, const struct board_self *self,
			     const char *url, struct error *err)
{
	const bool http = text_starts(url, "http");
	struct backend_plan p = { .k = k };
	struct profile *canary = profile_load("canary", NULL, err);
	int status;

	if (!canary)
		return -1;
	status = http ? ota_plan(k, self, url, err) : 0;
	if (!status && !text_starts(url, "mqtt"))
		show_board(&p, self, canary, false);
	if (!status && !text_starts(url, "ws"))
		show_board(&p, self, canary, true);
	profile_free(canary);
	if (!status)
		planned_end(k, http ? ", of one way or the other" : "");
	return status;
}

#define QUIET_MS 3000 /* without --for */
/* And the quiet: a backend that never is, ends there. */
#define RUN_MS INT64_C(60000)
#define SAY_MS INT64_C(20000) /* for each message, once something was said */
#define WORDS_MAX 1000 /* bytes of --say */

struct backend {
	struct checkup *k;
	const char *url;
	struct sim_options sim;
	struct board_talk talk;
	const char *plan[TALK_STAGES + 2];
	/* Where to; owned. */
	char *target; /* of MQTT, with a client id */
	struct endpoint mqtt;
	struct board_ws_url ws;
	struct broker_where broker;
	struct ota_told told;
	char *token, *password; /* owned */
};

static bool is_http(const char *url)
{
	return text_starts(url, "http://") || text_starts(url, "https://");
}

static bool is_mqtt(const char *url)
{
	return text_starts(url, "mqtt://") || text_starts(url, "mqtts://");
}

/* ---- what was given ---- */

static int check_say(const char *say, struct error *err)
{
	const size_t len = say ? strlen(say) : 0;

	if (!say || (len > 0 && len <= WORDS_MAX && text_is_utf8(say, len) &&
		     !text_has_control(say)))
		return 0;
	return error_set(err, ERR_USAGE,
			 "--say: 1 to %d bytes of plain text are expected",
			 WORDS_MAX);
}

/* Secrets that the address has no use for. */
static int check_secrets(const struct config *c, const char *url,
			 struct error *err)
{
	if (c->token_file && is_mqtt(url))
		return error_set(
			err, ERR_USAGE,
			"option '--token-file': a broker takes none, but a password (--mqtt-password-file)");
	if (c->mqtt_password_file && !is_mqtt(url))
		return error_set(
			err, ERR_USAGE,
			"option '--mqtt-password-file' is for an address with mqtt://");
	return 0;
}

static int check_url(const char *url, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(url);

	if (is_http(url) || is_mqtt(url) || text_starts(url, "ws://") ||
	    text_starts(url, "wss://"))
		return 0;
	return error_set(
		err, ERR_USAGE,
		"check backend '%.200s': an address with ws:// or wss://, mqtt:// or mqtts://, or that of OTA with http:// or https:// is expected",
		shown);
}

/* The official shape (device.md 2.1), of the board that is played. */
static char *make_client_id(const struct board_self *self)
{
	CLEANUP(mem_free_ptr) char *mac = mem_strdup(self->device_id);

	for (char *c = mac; *c; c++)
		if (*c == ':')
			*c = '_';
	return mem_printf("GID_test@@@%s@@@%s", mac, self->client_id);
}

/* With a client id behind the host, where the user gave none. */
static char *whole_target(const char *url, const struct board_self *self)
{
	const char *host = strstr(url, "://") + 3;
	const size_t len = strcspn(host, "/?");
	const char *rest = host + len + (host[len] == '/');
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (*rest && *rest != '?')
		return mem_strdup(url);
	id = make_client_id(self);
	return mem_printf("%.*s/%s%s", (int)(host + len - url), url, id, rest);
}

static int read_mqtt(struct backend *b, const struct board_self *self,
		     struct error *err)
{
	struct board_talk_to *to = &b->talk.to;

	b->target = whole_target(b->url, self);
	if (endpoint_parse(&b->mqtt, b->target, "the argument", err))
		return -1;
	if (b->mqtt.topic_down)
		return error_set(
			err, ERR_USAGE,
			"'%.200s': down= is a topic to subscribe to, which stock firmware never does",
			b->url);
	*to = (struct board_talk_to){ .mqtt = true,
				      .tls = endpoint_has(&b->mqtt, SCHEME_TLS),
				      .host = b->mqtt.host,
				      .port = b->mqtt.port,
				      .client_id = b->mqtt.path };
	b->sim.connect = b->target;
	return 0;
}

static void go_to_ws(struct backend *b, const char *url)
{
	b->talk.to = (struct board_talk_to){ .tls = b->ws.tls,
					     .host = b->ws.host,
					     .port = b->ws.port };
	b->sim.connect = url;
}

static int read_ws(struct backend *b, struct error *err)
{
	if (board_ws_url_parse(&b->ws, b->url, err)) {
		err->kind = ERR_USAGE;
		return -1;
	}
	go_to_ws(b, b->url);
	return 0;
}

static int read_secrets(struct backend *b, struct error *err)
{
	const struct config *c = &b->k->in->app->config;

	if (is_mqtt(b->url))
		return secret_find(&b->password, "password file",
				   c->mqtt_password_file,
				   "MCPCTL_MQTT_PASSWORD", err);
	return secret_read(&b->token, c->token_file, "MCPCTL_SIM_TOKEN", err);
}

/* ---- OTA ---- */

/* Where its answer sends a board; MQTT wins (device.md 5.4). */
static bool follow(struct backend *b, const struct board_self *self,
		   struct error *why)
{
	const struct ota_reply *r = &b->told.reply;
	struct ota_fate fate = { .diag = b->k->diag };

	if (!r->mqtt) {
		if (!r->websocket_url ||
		    board_ws_url_parse(&b->ws, r->websocket_url, why))
			return false;
		go_to_ws(b, r->websocket_url);
		b->sim.frame_version = r->websocket_version;
		if (!b->token)
			b->sim.token = r->websocket_token;
		return true;
	}
	if (ota_broker(&b->broker, r->mqtt, &fate, why))
		return false;
	if (!b->broker.client_id)
		b->broker.client_id = identity_library(self->device_id);
	b->talk.to = (struct board_talk_to){ .mqtt = true,
					     .tls = b->broker.tls,
					     .host = b->broker.host,
					     .port = b->broker.port,
					     .client_id = b->broker.client_id };
	b->sim.connect = NULL;
	b->sim.broker = r->mqtt;
	return true;
}

/* A board gets no further; what was found goes first. */
static int held(struct checkup *k, const struct ota_told *t, struct error *err)
{
	const char *code = t->reply.activation_code;

	check_stopped(k);
	if (check_end(k, err))
		return -1;
	error_set(err, ERR_AUTH,
		  "the backend wants this board to be activated first%s%.40s",
		  code ? ", with the code " : "", code ? code : "");
	return error_hint(
		err, "%s there, then check again with the same --device-id",
		code ? "enter the code" : "activate the board");
}

static int nowhere(struct checkup *k, const struct error *why,
		   struct error *err)
{
	check_stopped(k);
	if (check_end(k, err))
		return -1;
	return error_set(err, ERR_CONNECT, "OTA leads a board nowhere%s%s",
			 why->kind ? ": " : "", why->kind ? why->text : "");
}

/* 0: it leads on; -1: it ended here. */
static int ask_ota(struct backend *b, const struct board_self *self,
		   struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct board_ws_url u;
	int status;

	if (exchange_url(&u, self, b->url, err))
		return -1;
	status = ota_ask(b->k, self, &u, b->url, &b->told, err);
	board_ws_url_done(&u);
	if (status || b->told.end == OTA_NO_WAY || b->told.end == OTA_SILENT) {
		check_stopped(b->k);
		if (!status)
			error_copy(err, &b->told.why);
		return -1;
	}
	if (b->told.end == OTA_HELD)
		return held(b->k, &b->told, err);
	if (b->told.end == OTA_LEADS_ON && follow(b, self, &why))
		return 0;
	return nowhere(b->k, &why, err);
}

/* ---- the conversation ---- */

/* The stages from here on; the way behind OTA begins anew. */
static void make_plan(struct backend *b, bool asks_ota)
{
	size_t n = 0;

	if (asks_ota) {
		b->plan[n++] = "ota";
		b->plan[n++] = "activate";
	}
	for (int i = asks_ota ? TALK_OPEN : TALK_NAME; i < TALK_STAGES; i++) {
		const char *name = board_talk_stage_name(
			&b->talk, (enum board_talk_stage)i);

		if (name)
			b->plan[n++] = name;
	}
	b->plan[n] = NULL;
	b->k->plan = b->plan;
	b->k->plan_from = b->k->stages;
}

/* It could not be made: nobody was reached, or nobody let us in. */
static bool is_failure(const struct board_talk *t, const struct error *why)
{
	if (why->kind == ERR_NONE || why->kind == ERR_UNMET)
		return false;
	/* No session: that is found. MCP went without one. */
	return !(t->to.mqtt && why->kind == ERR_CONNECT &&
		 t->k->diag->requests > 0);
}

static int finish(struct backend *b, const struct sim_summary *sum,
		  struct error *why, struct error *err)
{
	struct board_talk *t = &b->talk;

	if (why->kind == ERR_USAGE || why->kind == ERR_INTERRUPTED ||
	    !sum->devices) {
		check_stopped(b->k);
		error_copy(err, why);
		return -1;
	}
	board_talk_end(t, sum, why);
	if (why->kind == ERR_CONNECT && sum->hellos && !sum->welcomed &&
	    !sum->said)
		error_set(why, ERR_CONNECT,
			  "no server hello came that a board takes%s%s",
			  t->over ? ": " : "", t->over ? t->over : "");
	if (why->kind == ERR_NONE && !board_talk_was_heard(t))
		error_set(why, ERR_CONNECT, "nothing came of the backend%s%s",
			  t->over ? ": " : "", t->over ? t->over : "");
	if (!is_failure(t, why))
		return check_end(b->k, err);
	if (t->to.mqtt && sum->dialled && !board_talk_was_heard(t) && !t->over)
		error_hint(
			why,
			"nobody answered behind the broker, or the broker delivers nothing to who never subscribes: mcpctl check broker");
	error_copy(err, why);
	return -1;
}

static int converse(struct backend *b, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct checkup *k = b->k;
	struct sim_summary sum = { 0 };
	const struct sim_observer observer = { .found = board_talk_found,
					       .trace = board_talk_trace,
					       .owner = &b->talk };
	int status;

	make_plan(b, false);
	k->diag->about = (struct diag_about){
		.board = true,
		.standby = b->talk.to.mqtt,
		.protocol_version =
			b->talk.to.mqtt	     ? 0 :
			b->sim.frame_version ? (int)b->sim.frame_version :
					       1,
		.from = { .asked = b->url },
	};
	diag_start(k->diag);
	b->talk.limit_us = loop_now_us() + b->sim.run_for * 1000;
	sim_run(k->in->app->loop, &b->sim, &observer, &sum, &why);
	status = finish(b, &sum, &why, err);
	sim_summary_done(&sum);
	return status;
}

static void order(struct backend *b, const struct board_self *self)
{
	const struct check_options *o = b->k->options;
	const int64_t timeout = b->k->in->app->config.timeout;
	const int64_t quiet = o->quiet ? o->quiet : QUIET_MS;
	const int64_t say_ms = timeout ? timeout : SAY_MS;

	b->sim = (struct sim_options){
		.profile = "canary",
		.connect = b->sim.connect,
		/* A client id that tells one is that board's. */
		.device_id = is_mqtt(b->url) ? o->device_id : self->device_id,
		.client_id = self->client_id,
		.token = b->token,
		.password = b->password,
		.quiet = quiet,
		.session = true,
		.say = o->say,
		.say_wait = say_ms,
		.run_for = RUN_MS + quiet + (o->say ? RUN_MS + say_ms : 0),
		.cacert = self->trust.cacert,
		.insecure = self->trust.insecure,
	};
	b->talk.quiet_ms = quiet;
	b->talk.say_ms = say_ms;
}

static int run(struct backend *b, const struct board_self *self,
	       struct error *err)
{
	int status = is_mqtt(b->url) ? read_mqtt(b, self, err) :
		     is_http(b->url) ? 0 :
				       read_ws(b, err);

	if (!status && b->k->options->plan)
		return backend_plan_show(b->k, self, b->url, err);
	if (status || read_secrets(b, err))
		return -1;
	order(b, self);
	make_plan(b, is_http(b->url));
	if (is_http(b->url) && ask_ota(b, self, err))
		return -1;
	return converse(b, err);
}

static void backend_done(struct backend *b)
{
	board_talk_done(&b->talk);
	mem_free(b->target);
	endpoint_done(&b->mqtt);
	board_ws_url_done(&b->ws);
	broker_where_done(&b->broker);
	ota_told_done(&b->told);
	mem_free(b->token);
	mem_free(b->password);
}

int check_backend_plan(struct checkup *k, struct error *err)
{
	return check_backend(k, k->in->argv[1], err);
}

int check_backend(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(board_self_done) struct board_self self = { 0 };
	CLEANUP(backend_done) struct backend b = { .k = k, .url = url };
	const struct config *c = &k->in->app->config;

	b.talk.k = k;
	k->subject = "D"; /* our own canary is meant to be odd */
	if (check_url(url, err) || check_say(k->options->say, err) ||
	    check_secrets(c, url, err) || board_self_open(&self, k, err))
		return -1;
	return run(&b, &self, err);
}
