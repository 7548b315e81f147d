/* SPDX-License-Identifier: MIT */
/*
 * A warm call over WebSocket through the whole client (session, link, ws)
 * against a simulated board in another process, both on one core.
 * call COUNT URL prints "P50 P99 P50" in microseconds, the last with the engine
 * (diag/diag.h) reading along, in every second of twice as many calls.
 */
#include <sched.h>

#include "base/mem.h"
#include "base/module.h"
#include "diag/diag.h"
#include "mcp/client.h"
#include "mcp/content.h"
#include "mcp/opening.h"
#include "mcp/rules.h"
#include "net/ws.h"
#include "samples.h"

static void ignore_event(void *owner, const struct event *e)
{
	(void)owner, (void)e;
}

static struct diag judge = { .about = { .board = true, .bare = true } };
static bool judging = true;

static void judge_frame(void *owner, bool outgoing, enum frame_kind kind,
			struct span frame, const struct json_places *at)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .from_device = !outgoing,
				      .data = frame.text,
				      .len = frame.len,
				      .at = at };

	(void)owner;
	if (judging && kind == FRAME_TEXT)
		diag_feed(&judge, &f);
}

/* From here on every second sample is judged. */
static int run(struct client *c, size_t count, double *sample,
	       struct error *err)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct result result = { 0 };
		double start;

		judging = i % 2 == 1;
		start = now_us();

		if (client_call_tool(c, "self.audio_speaker.set_volume",
				     "{\"volume\":50}", &result, err))
			return -1;
		sample[i] = now_us() - start;
		result_done(&result);
	}
	return 0;
}

static void print(double *sample, size_t count)
{
	double *judged = mem_zalloc(count * sizeof(*judged));

	for (size_t i = 0; i < count; i++) {
		judged[i] = sample[2 * i + 1];
		sample[i] = sample[2 * i];
	}
	qsort(sample, count, sizeof(*sample), sample_compare);
	qsort(judged, count, sizeof(*judged), sample_compare);
	printf("%.1f %.1f %.2f\n", sample[count / 2], sample[count * 99 / 100],
	       judged[count / 2]);
	mem_free(judged);
}

static int measure(size_t count, const char *url, struct error *err)
{
	struct session_observer observer = { .event = ignore_event,
					     .frame = judge_frame };
	struct session_config config = { .rules = &mcp_rules,
					 .dialect = DIALECT_PLAIN };
	const struct ws_table *ws = module_table("ws", WS_TABLE, err);
	double *sample = mem_zalloc(2 * count * sizeof(*sample));
	struct client_config none = { 0 };
	struct endpoint to = { 0 };
	struct session *session;
	struct client client;
	struct loop *loop;

	if (!ws || loop_new(&loop, err) ||
	    endpoint_parse(&to, url, "the argument", err) ||
	    session_open(&session, loop, &ws->dial, &to, &config, &observer,
			 err) ||
	    session_wait_up(session, err) ||
	    client_open(&client, session, &none, err) ||
	    run(&client, count / 10 + 1, sample, err) ||
	    run(&client, 2 * count, sample, err))
		return -1;
	print(sample, count);
	client_done(&client);
	session_free(session);
	endpoint_done(&to);
	loop_free(loop);
	mem_free(sample);
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	cpu_set_t one;

	if (argc != 3)
		return 2;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	mem_init();
	if (measure(strtoul(argv[1], NULL, 10), argv[2], &err) == 0)
		return 0;
	fprintf(stderr, "call: %s\n", err.text);
	return 1;
}
