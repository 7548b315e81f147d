/* SPDX-License-Identifier: MIT */
/*
 * ping: is it there, and how fast. Any answer counts.
 */
#include "base/mem.h"
#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/round_trip.h"

#define COUNT_MAX 100000

struct ping_options {
	int64_t count, interval;
};

static const struct option_row ping_options[] = {
	{ .letter = 'c',
	  .name = "count",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct ping_options, count),
	  .min = 1,
	  .max = COUNT_MAX,
	  .brief = "ask N times; then loss and percentiles of each layer" },
	{ .letter = 'i',
	  .name = "interval",
	  .word = "TIME",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct ping_options, interval),
	  .min = 1,
	  .brief = "with --count: from one to the next; 1s if not given" },
	{ .name = NULL }
};

/* ---- many ---- */

enum { TCP, WS, LOOP, LAYERS };

struct pings {
	struct ping_layer layer[LAYERS];
	int64_t *took_us[LAYERS];
};

static void add(struct pings *p, int layer, int64_t us, bool lost)
{
	struct ping_layer *l = &p->layer[layer];

	if (us < 0 && !lost)
		return;
	if (us >= 0)
		p->took_us[layer][l->sent - l->lost] = us;
	l->sent++;
	l->lost += us < 0;
}

static void tell_all(struct renderer *r, struct pings *p)
{
	struct ping_layer there[LAYERS];
	struct pings_record record = { .layer = there };

	for (int i = 0; i < LAYERS; i++) {
		struct ping_layer *l = &p->layer[i];

		if (!l->sent)
			continue;
		ping_sort(p->took_us[i], l->sent - l->lost);
		l->took_us = p->took_us[i];
		there[record.count++] = *l;
	}
	if (record.count && r->ops->pings)
		r->ops->pings(r, &record);
}

/* -1: err ends it. A lost one does not. */
static int one_of_many(const struct invocation *in, struct pings *p,
		       struct error *err)
{
	struct app *app = in->app;
	struct ping_record record;
	CLEANUP(error_reset) struct error why = { 0 };
	bool lost = round_trip(in->connection, &record, &why) != 0;

	if (lost && why.kind != ERR_TIMEOUT) {
		error_copy(err, &why);
		return -1;
	}
	add(p, LOOP, lost ? -1 : record.took_us, lost);
	if (lost) {
		render_note(&app->out, "%s", why.text);
		return 0;
	}
	add(p, TCP, record.tcp_us, false);
	add(p, WS, record.ws_us, record.ws_silent);
	if (app->out.ops->ping)
		app->out.ops->ping(&app->out, &record);
	render_flush(&app->out);
	return 0;
}

static int many(const struct invocation *in, struct pings *p, struct error *err)
{
	const struct ping_options *o = in->options;
	const int64_t interval = o->interval ? o->interval : 1000;
	struct session *s = in->connection->session;
	int64_t next = loop_now();

	for (int64_t i = 0; i < o->count && !ferror(in->app->out.out); i++) {
		if (i > 0 && loop_now() < next &&
		    session_watch(s, NULL, next, err))
			return -1;
		next = loop_now() + interval;
		if (one_of_many(in, p, err))
			return -1;
	}
	if (p->layer[LOOP].lost < p->layer[LOOP].sent)
		return 0;
	error_set(err, ERR_TIMEOUT, "none of %zu pings was answered",
		  p->layer[LOOP].sent);
	silence_ask(in->connection, err);
	return -1;
}

static int ping_many(const struct invocation *in, struct error *err)
{
	const struct ping_options *o = in->options;
	struct pings p = { 0 };
	int status;

	p.layer[TCP].name = "tcp";
	p.layer[WS].name = "ws";
	p.layer[LOOP].name = in->connection->client.device ? "loop" : "mcp";
	for (int i = 0; i < LAYERS; i++)
		p.took_us[i] = mem_alloc((size_t)o->count * sizeof(int64_t));
	status = many(in, &p, err);
	tell_all(&in->app->out, &p);
	for (int i = 0; i < LAYERS; i++)
		mem_free(p.took_us[i]);
	return status;
}

static int ping_run(const struct invocation *in, struct error *err)
{
	const struct ping_options *o = in->options;
	struct app *app = in->app;
	struct ping_record record;

	if (o->count)
		return ping_many(in, err);
	if (round_trip(in->connection, &record, err)) {
		silence_ask(in->connection, err);
		return -1;
	}
	if (app->out.ops->ping)
		app->out.ops->ping(&app->out, &record);
	return 0;
}

/* Any answer counts. */
static bool judge(void *owner, struct all_row *row)
{
	(void)owner;
	if (row->reply.text) {
		error_reset(&row->error);
		buf_text(&row->summary, "alive");
	}
	return true;
}

static int ping_all(const struct invocation *in, struct error *err)
{
	const struct all_request rq = { .method = "ping" };
	const struct ping_options *o = in->options;

	if (o->count) {
		error_set(err, ERR_USAGE, "option '--count' is for one device");
		return error_hint(err, "pick it with -d");
	}
	return all_run(in->app, &rq, judge, NULL, err);
}

static const struct example ping_examples[] = {
	{ "sim: ping", "alive, ", 0 },
	{ "sim: ping --count 3 --interval 10ms", "3 sent, 0 lost", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_ping = {
	.name = "ping",
	.args = "",
	.brief = "one round trip, through each layer",
	.text = "A board answers in layers, and each of them lives in another task: tcp, its network chip (the kernel's own measure; nothing is sent for it); ws, its network task, by a WebSocket Ping; loop, its main loop, by MCP's ping. "
		"Firmware has no ping and answers with an error; it is alive all the same, so any answer counts (-v mentions the error). "
		"Only the layers that there are are shown: MQTT has no Ping to a board, and TCP leads to the broker; where there is one alone, it is 'alive, 4 ms'. What is no board has 'mcp' in place of 'loop'. Through serve, tcp and ws are those of its connection to the board.\n"
		"\n"
		"Where no answer comes within --timeout, what each layer did is shown, as 'call' does it: status 4.\n"
		"\n"
		"--count asks again and again, a line for each, and ends with the loss and the percentiles of each layer. It is status 4 if none was answered.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_ANSWERS | CMD_MINOR,
	.options = ping_options,
	.options_size = sizeof(struct ping_options),
	.examples = ping_examples,
	.run = ping_run,
	.all = ping_all
};
