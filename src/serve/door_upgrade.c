/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket knocks: path, token and names are judged before the upgrade is
 * answered (device.md 1.2); then it becomes a device.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "net/knock.h"
#include "serve/device.h"
#include "serve/door_private.h"

static int refuse_path(struct door *d, const struct who *who, const char *path,
		       const char **reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("refused: it dialled '%.120s', not '%.120s'",
				path, d->server->config.path);
	struct record *r =
		door_record(d, who, RECORD_REFUSED, LEVEL_WARN, text);

	record_hint(r, "reboot the board, so that OTA tells it the right path; "
		       "without --path any is accepted");
	*reason = "no WebSocket at this path";
	return 404;
}

static int refuse_token(struct door *d, const struct who *who,
			enum token_verdict verdict, const char **reason)
{
	static const char *const texts[] = {
		[TOKEN_MISSING] = "refused: it gave no token",
		[TOKEN_WRONG] = "refused: its token is wrong",
		[TOKEN_OF_ANOTHER] = "refused: its token is another board's, "
				     "and this Device-Id has not got it",
	};
	struct record *r =
		door_record(d, who, RECORD_REFUSED, LEVEL_WARN, texts[verdict]);

	record_hint(r, verdict == TOKEN_OF_ANOTHER ?
			       "a token belongs to the Device-Id in its line "
			       "of --token-file, whatever the Client-Id is" :
			       "reboot the board, so that OTA gives it the "
			       "token, or add its own to --token-file");
	/* What it guessed right is not told to it. */
	*reason = verdict == TOKEN_MISSING ? "a token is needed" :
					     "the token is wrong";
	return 401;
}

static int refuse_name(struct door *d, const struct who *who,
		       const char **reason)
{
	const struct who nobody = { .address = who->address };

	door_record(d, &nobody, RECORD_REFUSED, LEVEL_WARN,
		    "refused: its Device-Id or Client-Id has more than 127 "
		    "bytes");
	*reason = "Device-Id and Client-Id have 127 characters at most";
	return 403;
}

static bool too_long(const char *id)
{
	return id && strlen(id) > ID_MAX;
}

static bool same_host(const char *with_port, const struct authority *a)
{
	struct authority b;

	return with_port &&
	       !authority_parse(&b, with_port, strlen(with_port), NULL) &&
	       b.has_port && text_same(a->host, b.host);
}

/*
 * By which address of ours it came. Firmware leaves the port out of Host in
 * this request, though not in the OTA question (device.md 1.2, 5.1).
 */
static const char *reached(struct gate *g, const struct front_head *head,
			   const char *id)
{
	const char *host = knock_host(head);
	struct memory *m = &g->door->memory;
	const struct told *t = memory_find(m, id);
	struct buf text = { 0 };
	struct authority a;
	const char *kept;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return memory_host(m, host);
	if (t && same_host(t->host, &a))
		return t->host;
	authority_print(&text, a.host, g->port == 80 ? 0 : g->port);
	kept = memory_host(m, buf_string(&text));
	buf_done(&text);
	return kept ? kept : memory_host(m, head->local);
}

/* Takes the descriptor, in any case but NULL. */
static int let_in(struct gate *g, int fd, const struct front_head *head,
		  const struct who *who, const char **reason)
{
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(head);
	struct door *d = g->door;
	struct error err = { 0 };
	struct peer_info peer = { .address = head->address,
				  .headers = head->headers,
				  .path = path,
				  .device_id = who->device_id,
				  .client_id = who->client_id,
				  .ota = door_asked(d, who->device_id),
				  .protocol_version =
					  knock_protocol_version(head),
				  .envelope = true };
	struct device *device = device_new(d->server, &peer, false);

	if (!device) {
		*reason = "busy: no more devices are accepted";
		return 503;
	}
	device->reached = reached(g, head, who->device_id);
	if (d->ws_table->adopt(&device->transport, fd, &peer,
			       (size_t)d->server->config.message_max, &err)) {
		device_discard(device);
		door_record(d, who, RECORD_REFUSED, LEVEL_BAD, err.text);
		error_reset(&err);
		return 0;
	}
	device->transport.ops = &d->ws_table->dial;
	if (!who->device_id)
		record_hint(door_record(d, who, RECORD_ODD, LEVEL_WARN,
					"it sent no Device-Id: it is known by "
					"its Client-Id or address only"),
			    "a stock board always sends the header Device-Id");
	return 0;
}

int door_upgrade(void *gate, int fd, const struct front_head *head,
		 const char **reason)
{
	struct gate *g = gate;
	struct server *s = g->door->server;
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);
	struct who who = { id, client, head->address };
	enum token_verdict verdict;

	if (too_long(id) || too_long(client))
		return refuse_name(g->door, &who, reason);
	if (s->config.path && !knock_path_fits(s->config.path, head->path))
		return refuse_path(g->door, &who, head->path, reason);
	verdict = tokens_judge(&s->tokens, id, client, token);
	if (verdict != TOKEN_FITS)
		return refuse_token(g->door, &who, verdict, reason);
	return let_in(g, fd, head, &who, reason);
}
