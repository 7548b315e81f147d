/* SPDX-License-Identifier: MIT */
/*
 * One device that serve holds: a transport, its link, and how far it came.
 * Small, since there may be 10,000: no tree, no timer of its own.
 */
#ifndef SERVE_BOARD_H
#define SERVE_BOARD_H

#include "base/random.h"
#include "diag/pace.h"
#include "mcp/listing.h"
#include "net/voice.h"
#include "rpc/link.h"
#include "serve/board_calls.h"
#include "serve/findings.h"
#include "serve/held.h"
#include "serve/record.h"
#include "serve/relay.h"
#include "serve/tool_lists.h"

struct breaker; /* mcp/guard.h */
struct enrolled_board; /* serve/tokens.h */
struct pages_health;
struct serve;
struct audience; /* serve/control.h: the commands attached to it */

enum board_state {
	DEVICE_CONNECTED, /* waits for its hello (or, over MQTT, needs none) */
	DEVICE_INITIALIZING,
	DEVICE_LISTING,
	DEVICE_READY, /* or: was not to be initialized (--no-init) */
	DEVICE_NO_MCP, /* its hello says features.mcp is false */
	DEVICE_FAILED /* initialize or the listing failed: reason */
};

/* Bytes of an id, as many as our broker allows; what is beyond it is cut. */
#define DEVICE_ID_MAX 1024

/* What only a device on its way to ready needs; freed then. */
struct board_start {
	struct relay relay;
	struct listing listing;
	struct tool_list tools;
	struct board *next_waiting; /* for its turn to be listed */
	bool waiting, has_turn;
};

struct board {
	struct serve *server;
	struct transport transport;
	struct share
		share; /* of a stranger, until it is known; see net/budget.h */
	struct link link; /* hello.json is dropped: see hello */
	enum board_state state;
	char *reason; /* why not ready; NULL */

	uint64_t number; /* of its connection, from 1 */
	char *id; /* Device-Id, else client id, else the address; lower case */
	char *device_id, *client_id; /* as told; NULL */
	char *address, *path;
	char *reached; /* HOST[:PORT] of ours that it dialled; NULL */
	char vision_token[RANDOM_HEX_SIZE]; /* of this connection; "" */
	char *board,
		*version; /* from OTA, or serverInfo, or User-Agent; NULL */
	char *server_name; /* of serverInfo, where it is not the board; NULL */
	const char *alias; /* lent by the aliases; NULL */
	char *headers; /* of its request, as JSON object, without secrets; NULL */
	uint8_t protocol_version; /* of its request; 0 */
	struct held *held; /* a server that is kept open; NULL: a board */
	bool mqtt;
	/*
	 * It did not say as what it came (peer_info.unsure); asked as a tool side
	 * once it said nothing for a while. A hello makes it a board.
	 */
	bool unsure, at_point;
	bool by_agent; /* client_id is the agent= of its URL */
	char *token_name; /* what its token makes of it as a tool side; NULL */
	bool named; /* as a tool side: by token_name, or as it calls itself */
	bool open; /* the transport is ready */
	bool closing, gone, ready_told;
	bool claim_told; /* board_tell_claim */
	struct error *why; /* of board_end; NULL */
	int64_t since_ms, seen_ms; /* Unix time */
	/* Of the first question since it was heard last; 0: none is open. */
	int64_t asked_ms;
	int64_t deadline; /* loop_now() ms for the hello; LOOP_FOREVER */
	/* … when it is asked as a tool side, or, kept open, listed again; LOOP_FOREVER */
	int64_t ask_at;
	int64_t audio_told; /* loop_now() ms */

	char *hello; /* its text; NULL */
	char *initialize; /* the text of the reply's payload; NULL */
	struct shared_list *tools; /* held; NULL until listed */
	struct board_start *start;

	struct voice
		*voice; /* net/voice.h; NULL: nothing was heard, or is kept */
	struct sound_pace *pace; /* diag/pace.h; NULL: it did not listen yet */
	uint64_t missed; /* packets that were lost when it was heard last */
	struct diag *diag; /* serve/findings.h; NULL once it went */
	struct span judging; /* the frame that it is at */

	struct last_said *last_said; /* NULL: it said nothing by itself */
	struct relay *relays; /* on their way */
	struct photos
		*photos; /* serve/photos.h; NULL: no call wanted one yet */
	struct board_calls *calls; /* NULL: none was answered */
	struct pages_health *health; /* serve/pages_status.h; NULL */
	struct breaker *breaker; /* NULL: the last call was answered */
	const void *speaker; /* the command whose sound it gets; NULL */
	uint32_t spoken_ms; /* of that, so far */
	struct audience *audience; /* NULL: nobody is attached */
	struct board *previous, *next; /* all, in order of arrival */
};

/*
 * A device came: makes it, with its transport to be adopted by the caller
 * (server, loop, events and owner are filled). peer: who it says it is. The old
 * connection of the same Device-Id (else client id) is replaced. NULL: the
 * limit of devices is reached, or its name is another's (a record was made).
 */
struct board *board_new(struct serve *s, const struct peer_info *peer,
			bool mqtt);
/*
 * It is a tool side, which may have no name of its own: by its token, so that the
 * older one with that token is replaced, as at any access point; else as its
 * server calls itself.
 */
void board_name_tool_side(struct board *d);
/*
 * An address has more connections than one gets, and another one of it comes:
 * one that was not ready in 3 s goes. False: there is none.
 */
bool board_make_room(struct serve *s, const struct share *share);
/*
 * The same of a server that is kept open (serve/held.h); its transport's ops
 * and impl are the caller's to fill. It is up, and down again, as its keeper
 * says: the end of what is kept is not the end of the board.
 */
struct board *board_hold(struct serve *s, const char *id, struct held *h);
void board_held_down(struct board *d, const struct error *why);
/* The caller could not adopt its transport: it never was there. */
void board_discard(struct board *d);
/* Called every second while s->sweep runs; true: still needed. */
bool board_sweep(struct board *d, int64_t now);

/* End the connection; the device goes when the transport says closed. why: for the record and attached commands. */
void board_end(struct board *d, const struct error *why);

/*
 * Over MQTT the connection stays up, only the voice session ends (device.md
 * 2.5): whoever began it. Nothing where none is known of. board_end says it of
 * those that began here.
 */
void board_goodbye(struct board *d);

#endif
