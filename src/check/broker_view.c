/* SPDX-License-Identifier: MIT */
/*
 * `check broker URL`: what a broker does for a board (device.md 2.2). Two
 * connections: the board, which never subscribes, and the reader, which sees
 * what the broker passes on.
 */
#include "check/broker_view.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/text.h"
#include "check/planned.h"
#include "cli/setup.h"
#include "diag/facts.h"
#include "mcp/opening.h"
#include "net/mqtt.h"
#include "wire/broker_topic.h"

#define UP_TOPIC "device-server" /* what official backends give */
#define DOWN_MAC "devices/p2p/{mac}"
#define DOWN_ID "devices/p2p/{client_id}"
#define BOARD_PORT_TLS 8883
#define ANSWER_MS 3000
#define SETTLE_MS 1000 /* a broker that ends a connection has done so */
#define ACCEPT_MS 11000 /* the module's own limit comes before */
#define NO_PROOF ((struct span){ 0 })

/* Firmware drops a message of another type; backends do likewise. */
#define TEST_START "{\"type\":\"mcpctl\",\"check\":\""

/* ---- verdicts ---- */

bool broker_judge_tls(struct diag *d, uint16_t port, const struct error *why)
{
	if (port != BOARD_PORT_TLS || !why->kind)
		return false;
	diag_found(d, M403, NO_PROOF, "%s", why->text);
	return true;
}

bool broker_judge_down(struct diag *d, const struct broker_fate *f)
{
	if (f->came || !f->seen)
		return false;
	diag_found(d, M402, NO_PROOF, "published to %.80s, waited 3 s",
		   f->topic);
	return true;
}

/* Bytes that a backend's broker does not take, and some more; 0: none known. */
static size_t broker_large(void)
{
	const struct backend_fact *of;
	const size_t most = backend_message_max(&of);

	return most + most / 10;
}

bool broker_judge_large(struct diag *d, const struct broker_fate *f)
{
	if (f->came || (!f->seen && !f->ended))
		return false;
	diag_found(d, M405, NO_PROOF,
		   f->ended ? "%zu bytes: it ended the connection" :
			      "%zu bytes did not come through within 3 s",
		   broker_large());
	return true;
}

bool broker_judge_ended(struct diag *d, const struct error *why)
{
	if (!why->kind)
		return false;
	diag_found(d, M414, NO_PROOF, "%s", why->text);
	return true;
}

bool broker_judge_connect(struct diag *d, const struct error *why)
{
	if (!why->kind)
		return false;
	diag_found(d, M401, NO_PROOF, "%s", why->text);
	return true;
}

/* ---- connections ---- */

struct broker_check;

struct party { /* one connection */
	struct broker_check *of;
	struct mqtt_client *client; /* NULL: none */
	bool open, over, closed;
	struct error why; /* it is over */
	bool heard; /* any message */
	/* Those of ours: */
	bool came_up, came_down, came_large, came_mark;
};

struct broker_check {
	struct checkup *k;
	struct loop *loop;
	const struct mqtt_table *table;
	struct endpoint to;
	struct party board, reader;
	char *up, *down, *mark; /* topics */
	char *filter; /* all down topics */
	char nonce[RANDOM_HEX_SIZE];
	bool stirred; /* something happened */
	struct error stop; /* Ctrl-C */
	uint64_t retained; /* messages; the first: */
	struct buf kept;
	char *kept_topic;
};

static void on_connected(void *owner)
{
	struct party *p = owner;

	p->open = p->of->stirred = true;
}

static void on_lost(void *owner, const struct error *why)
{
	struct party *p = owner;

	error_copy(&p->why, why);
	p->over = p->of->stirred = true;
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct party *p = owner;
	const struct broker_check *b = p->of;
	const bool own = len >= sizeof(TEST_START) &&
			 memmem(data, len, b->nonce, strlen(b->nonce));

	p->heard = p->of->stirred = true;
	if (!own)
		return;
	if (strcmp(topic, b->mark) == 0)
		p->came_mark = true;
	else if (strcmp(topic, b->down) == 0)
		p->came_down = true;
	else if (broker_large() > 0 && len >= broker_large())
		p->came_large = true;
	else
		p->came_up = true;
}

/* Kept by the broker for whoever subscribes. */
static void on_retained(void *owner, const char *topic, const void *data,
			size_t len)
{
	struct party *p = owner;
	struct broker_check *b = p->of;

	b->stirred = true;
	if (b->retained++ > 0)
		return;
	b->kept_topic = mem_strdup(topic);
	buf_add(&b->kept, data, len < PROOF_MAX ? len : PROOF_MAX);
}

static const struct mqtt_client_events events = {
	.connected = on_connected,
	.message = on_message,
	.retained = on_retained,
	.lost = on_lost,
};

/* As is given, or as a board would: public authorities, nothing else. */
static int party_open(struct broker_check *b, struct party *p,
		      const char *client_id, bool as_board, struct error *err)
{
	struct mqtt_options options = mqtt_options_to(&b->to);

	options.client_id = client_id;
	if (as_board) {
		options.tls = true;
		options.insecure = false;
		options.cacert = NULL;
	}
	*p = (struct party){ .of = b };
	p->client = b->table->client_open(b->loop, &options, &events, p, err);
	return p->client ? 0 : -1;
}

static void on_closed(void *owner)
{
	struct party *p = owner;

	p->closed = true;
}

static void party_close(struct party *p)
{
	CLEANUP(error_reset) struct error err = { 0 };

	if (!p->client)
		return;
	p->of->table->client_close(TAKE(p->client), on_closed);
	/* It takes a second at most (net/mqtt_client.c). */
	while (!p->closed)
		loop_stay(p->of->loop, &p->closed, LOOP_FOREVER, &err);
	error_reset(&p->why);
}

/* Until the bool is set or the party is over. False: time, or over. */
static bool party_wait(struct party *p, const bool *done, int64_t ms)
{
	struct broker_check *b = p->of;
	const int64_t until = loop_now() + ms;

	while (!*done && !p->over && !b->stop.kind && loop_now() < until) {
		b->stirred = false;
		loop_stay(b->loop, &b->stirred, until, &b->stop);
	}
	return *done;
}

static bool party_accepted(struct party *p)
{
	return party_wait(p, &p->open, ACCEPT_MS);
}

/* A message of ours that knows itself again, of so many bytes at least. */
static void add_test(struct buf *out, const struct broker_check *b, size_t size)
{
	buf_printf(out, TEST_START "%s\",\"pad\":\"", b->nonce);
	while (out->len + 2 < size)
		buf_char(out, '.');
	buf_text(out, "\"}");
}

static void party_say(struct party *p, const char *topic, size_t size)
{
	const struct broker_check *b = p->of;
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	add_test(&text, b, size);
	b->table->publish(p->client, topic, text.data, text.len, &err);
}

/* ---- the stages ---- */

static bool is_name_failure(const struct error *why)
{
	return why->reason == WHY_NO_HOST || why->reason == WHY_NO_NAMESERVER;
}

/* Not reached, or refused: where it ended, and what was not asked then. */
static int tell_failure(struct broker_check *b, struct error *err)
{
	struct error *why = &b->board.why;

	if (b->stop.kind)
		return -1;
	if (!why->kind)
		error_set(why, ERR_TIMEOUT, "'%s' did not answer", b->to.host);
	if (is_name_failure(why)) {
		diag_found(b->k->diag, N101, NO_PROOF, "%s", why->text);
		check_stage(b->k, "name", STAGE_FAIL, "%s", why->text);
	} else {
		check_stage(b->k, "name", STAGE_OK, "%s", b->to.host);
		broker_judge_connect(b->k->diag, why);
		check_stage(b->k, "connect", STAGE_FAIL, "%s", why->text);
	}
	check_stage(b->k, "stopped", STAGE_SKIPPED,
		    "up, down, retained, limit, tls: not reached");
	check_end(b->k, err);
	error_reset(err);
	error_copy(err, why);
	if (!is_name_failure(why))
		error_finding(err, "M401"); /* as it is told above */
	return -1;
}

static int connect_board(struct broker_check *b, struct error *err)
{
	const int64_t begun = loop_now_us();
	char took[TEXT_ROOM];

	if (party_open(b, &b->board, b->to.path, false, err))
		return -1;
	if (!party_accepted(&b->board))
		return tell_failure(b, err);
	check_stage(b->k, "name", STAGE_OK, "%s", b->to.host);
	check_stage(
		b->k, "connect", STAGE_OK,
		"MQTT 3.1.1%s, accepted after %s as %s",
		!endpoint_has(&b->to, SCHEME_TLS) ? "" :
		b->to.insecure ? " in TLS, certificate not verified" :
				 " in TLS",
		text_microseconds(loop_now_us() - begun, took, sizeof(took)),
		b->to.path);
	return 0;
}

/*
 * It subscribes to where boards publish, to what they are sent, and to a
 * topic of its own: when that one's message is back, all are in force, and
 * what was retained has come. False: the broker does not let us.
 */
static bool open_reader(struct broker_check *b)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *id = mem_printf("mcpctl-%.12s", b->nonce);
	struct party *r = &b->reader;

	if (party_open(b, r, id, false, &err))
		return false;
	if (b->table->subscribe(r->client, b->up, &err) ||
	    b->table->subscribe(r->client, b->filter, &err) ||
	    b->table->subscribe(r->client, b->down, &err) ||
	    b->table->subscribe(r->client, b->mark, &err) || !party_accepted(r))
		return false;
	party_say(r, b->mark, 0);
	return party_wait(r, &r->came_mark, ANSWER_MS);
}

#define HELLO                                                       \
	"{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","  \
	"\"features\":{\"mcp\":true},\"audio_params\":{\"format\":" \
	"\"opus\",\"sample_rate\":16000,\"channels\":1,"            \
	"\"frame_duration\":60}}"

static void ask_up(struct broker_check *b, bool reads)
{
	const int64_t begun = loop_now_us();
	CLEANUP(error_reset) struct error err = { 0 };
	char took[TEXT_ROOM];
	bool came;

	b->table->publish(b->board.client, b->up, HELLO, strlen(HELLO), &err);
	party_say(&b->board, b->up, 0);
	came = reads && party_wait(&b->reader, &b->reader.came_up, ANSWER_MS);
	if (b->stop.kind)
		return;
	if (!reads)
		check_stage(
			b->k, "up", STAGE_SKIPPED,
			"published to %s; a second client could read nothing there: whether it came is not known",
			b->up);
	else if (came)
		check_stage(b->k, "up", STAGE_OK,
			    "a test message to %s came through after %s", b->up,
			    text_microseconds(loop_now_us() - begun, took,
					      sizeof(took)));
	else
		check_stage(
			b->k, "up", STAGE_ODD,
			"a test message to %s did not come through within 3 s",
			b->up);
}

/* Whatever comes to the board, which subscribed to nothing, was pushed. */
static void ask_down(struct broker_check *b, bool reads)
{
	struct party *board = &b->board;
	struct broker_fate f = { .topic = b->down };

	if (reads)
		party_say(&b->reader, b->down, 0);
	f.came = party_wait(board, &board->heard, ANSWER_MS);
	if (b->stop.kind)
		return;
	f.ended = board->over;
	/* Only a message that the broker did pass on proves something. */
	f.seen = reads && b->reader.came_down && !f.ended;
	if (f.came)
		check_stage(
			b->k, "down", STAGE_OK,
			"a client that never subscribes gets what is sent to it");
	else if (broker_judge_down(b->k->diag, &f))
		check_stage(b->k, "down", STAGE_ODD,
			    "nothing came to a client that never subscribes");
	else if (broker_judge_ended(b->k->diag, &board->why))
		check_stage(b->k, "down", STAGE_ODD,
			    "the board's connection ended before");
	else
		check_stage(
			b->k, "down", STAGE_SKIPPED,
			"nothing came within 3 s, and the broker passed on no message of ours to %s: not known",
			b->down);
}

static void tell_kept(struct broker_check *b)
{
	diag_found(b->k->diag, M410,
		   (struct span){ buf_string(&b->kept), b->kept.len },
		   "at %.90s", b->kept_topic);
	check_stage(b->k, "retained", STAGE_ODD,
		    "%llu message%s kept for boards below %s",
		    (unsigned long long)b->retained,
		    b->retained == 1 ? "" : "s", b->filter);
}

static void tell_retained(struct broker_check *b, bool reads)
{
	if (!reads)
		check_stage(
			b->k, "retained", STAGE_SKIPPED,
			"a second client could read nothing below %s: not known",
			b->filter);
	else if (!b->retained)
		check_stage(b->k, "retained", STAGE_OK, "nothing below %s",
			    b->filter);
	else
		tell_kept(b);
}

static void ask_limit(struct broker_check *b, bool reads)
{
	struct party *board = &b->board;
	struct broker_fate f = { .topic = b->up };
	const size_t large = broker_large();

	if (board->over) {
		check_stage(b->k, "limit", STAGE_SKIPPED,
			    "the board's connection had ended");
		return;
	}
	if (large == 0) {
		check_stage(b->k, "limit", STAGE_SKIPPED,
			    "no backend is known to have one");
		return;
	}
	party_say(board, b->up, large);
	f.came = party_wait(board, &b->reader.came_large,
			    reads ? ANSWER_MS : SETTLE_MS);
	if (b->stop.kind)
		return;
	f.ended = board->over;
	/* One that did come through before: else it says nothing of the size. */
	f.seen = reads && b->reader.came_up;
	if (broker_judge_large(b->k->diag, &f))
		check_stage(b->k, "limit", STAGE_ODD,
			    "%zu bytes of a board are not taken", large);
	else
		check_stage(
			b->k, "limit", f.came ? STAGE_OK : STAGE_SKIPPED,
			f.came ?
				"%zu bytes of a board come through" :
				"%zu bytes were sent and the connection stands: whether they came is not known",
			large);
}

/* The board's view: it has public authorities, and TLS at that port alone. */
static void look_at_tls(struct broker_check *b)
{
	struct party board = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	if (b->to.port != BOARD_PORT_TLS) {
		check_stage(
			b->k, "tls",
			endpoint_has(&b->to, SCHEME_TLS) ? STAGE_ODD :
							   STAGE_SKIPPED,
			"boards speak plain MQTT at port %u: TLS at 8883 alone",
			(unsigned)b->to.port);
		return;
	}
	if (party_open(b, &board, b->to.path, true, &err)) {
		check_stage(b->k, "tls", STAGE_FAIL, "%s", err.text);
		return;
	}
	if (!party_accepted(&board) && !board.why.kind)
		error_set(&board.why, ERR_TIMEOUT, "it does not answer");
	if (!b->stop.kind) {
		bool bad = broker_judge_tls(b->k->diag, b->to.port, &board.why);
		check_stage(
			b->k, "tls", bad ? STAGE_ODD : STAGE_OK,
			bad ? "a board does not come through here" :
			      "a board comes through: public certificate, MQTT in TLS");
	}
	party_close(&board);
}

static void ask_all(struct broker_check *b)
{
	static void (*const stages[])(struct broker_check * b, bool reads) = {
		ask_up, ask_down, tell_retained, ask_limit
	};
	bool reads;

	if (!check_dares(b->k, RISK_ASK, COUNT(stages))) {
		check_stage(b->k, "asked", STAGE_SKIPPED,
			    "nothing (--risk ask sends 4 messages)");
		return;
	}
	reads = open_reader(b);
	for (size_t i = 0; i < COUNT(stages) && !b->stop.kind; i++)
		stages[i](b, reads);
}

/* ---- the whole ---- */

/* A client id where none is given: as the official gateway makes them. */
static char *make_id(const char nonce[RANDOM_HEX_SIZE])
{
	return mem_printf("GID_mcpctl@@@02_%.2s_%.2s_%.2s_%.2s_%.2s@@@%s",
			  nonce, nonce + 2, nonce + 4, nonce + 6, nonce + 8,
			  nonce + 10);
}

/* The URL with a client id in it; yours. */
static char *with_id(const char *url, const char *nonce)
{
	const char *colon = strstr(url, "://");
	const char *host = colon ? colon + 3 : url;
	size_t len = strcspn(host, "/?");
	const char *rest = host + len;
	CLEANUP(mem_free_ptr) char *id = make_id(nonce);

	if (*rest == '/' && rest[1] && rest[1] != '?')
		return mem_strdup(url);
	rest += *rest == '/';
	return mem_printf("%.*s/%s%s", (int)(host + len - url), url, id, rest);
}

/* What is wrong with it is told of the URL that was given. */
static int check_url(const char *whole, const char *given, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(given);
	CLEANUP(endpoint_done) struct endpoint e = { 0 };

	if (!text_starts(given, "mqtt://") && !text_starts(given, "mqtts://")) {
		error_set(err, ERR_USAGE, "'%.100s' is no broker", shown);
		return error_hint(err, "mqtt://HOST or mqtts://HOST");
	}
	if (!endpoint_read(&e, whole, "the argument", err))
		return 0;
	error_prefix(err, "target '%.100s'", shown);
	return error_hint(
		err,
		"expected mqtt://[USER@]HOST[:PORT][/CLIENT_ID][?up=TOPIC&down=TOPIC]");
}

static int read_url(struct broker_check *b, const char *url, struct error *err)
{
	struct app *app = b->k->in->app;
	CLEANUP(mem_free_ptr) char *whole = with_id(url, b->nonce);
	const char *target = app->config.target, *source = app->target_source;
	const struct transport_ops *ops;
	int status;

	if (check_url(whole, url, err))
		return -1;
	app->config.target = whole;
	app->target_source = "the argument";
	status = setup_endpoint(&b->to, app, &ops, err);
	app->config.target = target;
	app->target_source = source;
	return status;
}

static void name_topics(struct broker_check *b)
{
	const char *up = b->to.topic_up ? b->to.topic_up : UP_TOPIC;
	const char *down = b->to.topic_down;
	struct buf u = { 0 }, d = { 0 }, f = { 0 };
	char mac[18];
	bool has_mac = client_id_mac(b->to.path, mac);

	if (!down)
		down = has_mac ? DOWN_MAC : DOWN_ID;
	topic_fill(&u, up, b->to.path, has_mac ? mac : NULL);
	topic_fill(&d, down, b->to.path, has_mac ? mac : NULL);
	topic_filter(&f, down);
	b->up = buf_take(&u);
	b->down = buf_take(&d);
	b->filter = buf_take(&f);
	b->mark = mem_printf("mcpctl-check/%s", b->nonce);
}

static void broker_check_done(struct broker_check *b)
{
	mem_free(b->up);
	mem_free(b->down);
	mem_free(b->filter);
	mem_free(b->mark);
	mem_free(b->kept_topic);
	buf_done(&b->kept);
	error_reset(&b->stop);
	endpoint_done(&b->to);
}

int check_broker(struct checkup *k, const char *url, struct error *err)
{
	struct app *app = k->in->app;
	CLEANUP(broker_check_done) struct broker_check b = { .k = k };
	int status = -1;

	random_hex(b.nonce);
	if (app_open_loop(app, err) || read_url(&b, url, err))
		return -1;
	b.loop = app->loop;
	b.table = module_table("mqtt", MQTT_TABLE, err);
	if (b.table) {
		name_topics(&b);
		status = connect_board(&b, err);
	}
	if (status == 0) {
		ask_all(&b);
		party_close(&b.board);
		if (!b.stop.kind)
			look_at_tls(&b);
		status = b.stop.kind ? -1 : check_end(k, err);
	}
	if (b.stop.kind)
		error_copy(err, &b.stop);
	party_close(&b.reader);
	party_close(&b.board);
	return status;
}

/* ---- --plan ---- */

#define PACKET "a packet of MQTT"

/* text NULL: a packet of MQTT that is no message. */
static void plan_at(const struct broker_check *b, enum check_risk risk,
		    const char *what, const char *where, const struct buf *text)
{
	CLEANUP(mem_free_ptr) char *words = mem_printf("%s %s", what, where);

	if (text)
		planned(b->k, risk, words, text);
	else
		planned_packet(b->k, risk, words, PACKET);
}

static void plan_questions(const struct broker_check *b)
{
	CLEANUP(buf_done) struct buf hello = { 0 }, test = { 0 }, large = { 0 };

	buf_printf(&large, "such a message of %zu bytes, to %s", broker_large(),
		   b->up);
	buf_text(&hello, HELLO);
	add_test(&test, b, 0);
	plan_at(b, RISK_ASK, "CONNECT and SUBSCRIBE, as another client, to",
		b->up, NULL);
	plan_at(b, RISK_ASK, "… and to", b->filter, NULL);
	plan_at(b, RISK_ASK, "its own message, to", b->mark, &test);
	plan_at(b, RISK_ASK, "what a board says first, to", b->up, &hello);
	plan_at(b, RISK_ASK, "whether it comes through, to", b->up, &test);
	plan_at(b, RISK_ASK, "whether the board gets it, to", b->down, &test);
	if (broker_large() > 0)
		planned_packet(b->k, RISK_ASK, "what backends do not take",
			       buf_string(&large));
}

int check_broker_plan(struct checkup *k, struct error *err)
{
	CLEANUP(broker_check_done) struct broker_check b = { .k = k };

	random_hex(b.nonce);
	if (read_url(&b, k->in->argv[1], err))
		return -1;
	name_topics(&b);
	plan_at(&b, RISK_LOOK, "CONNECT, as", b.to.path, NULL);
	if (k->options->risk >= RISK_ASK)
		plan_questions(&b);
	if (b.to.port == BOARD_PORT_TLS)
		planned_packet(k, RISK_LOOK,
			       "CONNECT in TLS, as a board sees it", PACKET);
	planned_end(k, "");
	return 0;
}
