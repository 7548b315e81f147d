/* SPDX-License-Identifier: MIT */
/*
 * The bridge as a server, asked anything: each line of the input is a message of a
 * host. A line that begins with '=' is what the board answers to the call that is
 * with it; '!': it went instead; '~': it sleeps or wakes; '-': the newest question
 * is abandoned. What comes back is JSON, and once for each question.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "bridge/bridge_host.h"
#include "cli/app.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define QUESTIONS_MAX 64

struct asked {
	void *question; /* NULL: it was answered at once */
	unsigned done;
	bool abandoned;
};

static struct app app;
static struct bridge bridge;
static struct bridge_options options = { .generic = true };
static struct bridge_peer peer;
static struct bridge_call *started;

static int play_start(void *owner, struct bridge_call *c, int64_t timeout,
		      struct error *err)
{
	(void)owner;
	(void)timeout;
	(void)err;
	started = c;
	return 0;
}

static void play_drop(void *owner, struct bridge_call *c)
{
	(void)owner;
	(void)c;
	started = NULL;
}

static const struct peer_kind played = { .start = play_start,
					 .drop = play_drop };

static void must_be_json(const char *text, size_t len)
{
	if (len && json_check(text, len, NULL))
		abort();
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	(void)owner;
	must_be_json(text, len);
	return true;
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct asked *a = owner;

	if (a->done++ || a->abandoned)
		abort();
	must_be_json(reply, len);
}

static const struct mcp_hearer hearer = { .done = on_done, .tell = on_tell };

static void set_up(void)
{
	static const char tools[] =
		"{\"name\":\"self.a\",\"inputSchema\":{\"type\":\"object\","
		"\"properties\":{\"n\":{\"type\":\"integer\",\"default\":3},"
		"\"t\":{\"type\":\"string\"}},\"required\":[\"n\"]}},"
		"{\"name\":\"self.get_b\",\"annotations\":{\"priority\":1}},"
		"{\"name\":\"self.reboot\"}";
	struct tool_list list = { 0 };
	struct bridge_list *l;

	if (tool_list_add_text(&list, tools, sizeof(tools) - 1, NULL))
		abort();
	l = bridge_list_new("list", &list);
	app_init(&app);
	app.config.quiet = true;
	bridge = (struct bridge){ .app = &app,
				  .options = &options,
				  .rules = { .generic = true },
				  .timeout = 3600000,
				  .wait = 3600000,
				  .log = -1,
				  .show_at = LOOP_FOREVER };
	peer = (struct bridge_peer){ .kind = &played,
				     .prefix = mem_strdup("b"),
				     .id = mem_strdup("02:01"),
				     .device = true,
				     .wants_all = true,
				     .state = PEER_READY,
				     .changed = &bridge.changed,
				     .woken = &bridge.woken };
	bridge_peer_list(&peer, l);
	bridge_list_release(l);
	bridge.peer = mem_zalloc(sizeof(struct bridge_peer *));
	bridge.peer[bridge.count++] = &peer;
}

static void tear_down(void)
{
	bridge_peer_done(&peer);
	shown_tools_done(&bridge.shown);
	given_names_done(&bridge.given);
	given_names_done(&bridge.items);
	words_done(&bridge.lines);
	mem_free(bridge.peer);
	app_done(&app);
	started = NULL;
}

static void end_call(const char *reply, size_t len, bool lost)
{
	struct bridge_call *c = TAKE(started);

	if (!c)
		return;
	if (lost || message_decode(&c->reply, reply, len, &c->why)) {
		if (lost)
			error_set(&c->why, ERR_CONNECT, "gone");
		c->end = CALL_LOST;
	} else {
		c->end = CALL_ANSWERED;
	}
}

static void take(const struct answerer *a, void *client, struct asked *asked,
		 size_t *count, const char *line, size_t len)
{
	const struct mcp_said said = { line, len, NULL };
	struct asked *newest = *count ? &asked[*count - 1] : NULL;

	if (len && *line == '=') {
		end_call(line + 1, len - 1, false);
	} else if (len && *line == '!') {
		end_call(NULL, 0, true);
	} else if (len && *line == '~') {
		bridge_peer_state(&peer,
				  peer.state == PEER_READY ? PEER_AWAY :
							     PEER_READY,
				  NULL);
		bridge.on_change(bridge.owner);
	} else if (len && *line == '-' && newest && newest->question &&
		   !newest->done && !newest->abandoned) {
		newest->abandoned = true;
		a->abandon(newest->question);
	} else if (*count < QUESTIONS_MAX) {
		newest = &asked[(*count)++];
		newest->question = a->hear(client, &said, &hearer, newest);
		if (!newest->question && newest->done != 1)
			abort();
	}
	bridge_peer_tend(&peer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct asked asked[QUESTIONS_MAX] = { 0 };
	const char *at = (const char *)data, *end = at + size;
	struct bridge_host *host;
	const struct answerer *a;
	size_t count = 0;
	void *client;

	set_up();
	host = bridge_host_new(&bridge);
	a = bridge_host_answerer(host);
	client = a->client_new(a->owner);
	a->reach(client, on_tell, NULL);
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		take(a, client, asked, &count, at, (size_t)(line_end - at));
		at = line_end + 1;
	}
	a->client_free(client);
	bridge_host_free(host);
	tear_down();
	return 0;
}
