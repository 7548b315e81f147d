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
#include "serve/board.h"
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

/* What OTA told it beside our name, for it to tell us (door_device_url). */
static uint16_t port_told(const struct gate *g, const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = head_query_value(head->query, REACHED_PORT);
	int64_t port;

	if (!text || text_integer(text, 1, UINT16_MAX, &port))
		return g->port;
	return (uint16_t)port;
}

/*
 * By which address of ours it came; yours. Firmware leaves the port out of Host
 * in this request (device.md 1.2).
 */
static char *reached(const struct gate *g, const struct front_head *head)
{
	const char *host = knock_host(head);
	struct buf text = { 0 };
	struct authority a;
	uint16_t port;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return mem_strdup(host);
	port = port_told(g, head);
	authority_print(&text, a.host, port == 80 ? 0 : port);
	return buf_take(&text);
}

/* Takes the descriptor, in any case but NULL. */
static int let_in(struct gate *g, int fd, const struct front_head *head,
		  const struct who *who, const char **reason)
{
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(head);
	struct door *d = g->door;
	struct error err = { 0 };
	struct peer_info peer = {
		.address = head->address,
		.headers = head->headers,
		.path = path,
		.device_id = who->device_id,
		.client_id = who->client_id,
		.ota = door_asked(d, who->device_id, head->address),
		.protocol_version = knock_protocol_version(head),
		.envelope = true
	};
	struct board *device;

	if (share_is_over(head->share) &&
	    !board_make_room(d->server, head->share)) {
		*reason = "busy: too many connections of this address";
		return 503;
	}
	device = board_new(d->server, &peer, false);
	if (!device) {
		*reason = "busy: no more devices are accepted";
		return 503;
	}
	device->reached = reached(g, head);
	share_move(&device->share, head->share);
	share_hold(&device->share, 0);
	if (d->ws_table->adopt(&device->transport, fd, &peer,
			       (size_t)d->server->config.message_max, &err)) {
		board_discard(device);
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
	struct serve *s = g->door->server;
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
