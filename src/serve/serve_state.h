/* SPDX-License-Identifier: MIT */
/*
 * The inside of serve, for its own folder only.
 */
#ifndef SERVE_SERVE_STATE_H
#define SERVE_SERVE_STATE_H

#include "net/port.h"
#include "net/voice.h"
#include "serve/aliases.h"
#include "serve/departed.h"
#include "serve/findings.h"
#include "serve/leases.h"
#include "serve/missing.h"
#include "serve/power.h"
#include "serve/registry.h"
#include "serve/relay.h"
#include "serve/rivals.h"
#include "serve/serve.h"
#include "serve/tokens.h"
#include "serve/tool_lists.h"

struct audio_counts; /* net/mqtt.h */
struct control; /* serve/control.h */
struct door; /* serve/door.h: all listening ports */
struct mqtt_boards; /* serve/mqtt_boards.h: broker, hub, audio */
struct web_pages; /* serve/pages.h: the boards in a browser */

/*
 * What boards tell whoever stands above them: serve itself, the control socket,
 * what they come through. board.c knows none of these.
 */
struct board_events {
	/* its state, tools or connection: "connected", "ready", "gone", … */
	void (*changed)(struct board *d, const char *change);
	/* it goes */
	void (*gone)(struct board *d, const struct error *why);
	/* a text frame that is nobody's reply; an audio packet */
	void (*text)(struct board *d, const char *frame, size_t len);
	/* one for that command alone: to those who only look on */
	void (*shown)(struct board *d, const char *frame, size_t len,
		      const struct control_peer *but);
	/* something is wrong in what passed; somebody is attached */
	void (*found)(struct board *d, const struct board_finding *what);
	/* a Device-Id asked OTA, from that address; may be NULL */
	void (*asked)(struct serve *s, const struct ota_request *rq,
		      const char *address);
	/* what that asker is to install (hosting_firmware); may be NULL */
	bool (*firmware)(struct serve *s, const struct ota_request *rq,
			 const char *base, struct ota_firmware *out);
	/* a picture of its came, and was answered */
	void (*picture)(struct board *d, const struct picture_news *n);
	void (*audio)(struct board *d, const void *packet, size_t len);
	/* it answered a Ping */
	void (*pong)(struct board *d);
	/* the way to the broker came or went (mqtt_boards_away) */
	void (*broker)(struct serve *s);
	/* it became ready, or will not */
	void (*settled)(struct board *d);
	/* the broker is to end it, too */
	void (*kick)(struct board *d);
	void (*freed)(struct serve *s);
	/* something of a board has to be looked at then (loop_now() ms) */
	void (*due)(struct serve *s, int64_t deadline);
	/* where it is to send pictures; yours; NULL */
	char *(*vision_url)(struct board *d);
	/* its audio over UDP. False: it has none */
	bool (*audio_counts)(const struct board *d, struct audio_counts *out);
};

struct serve {
	const struct board_events *events;
	struct loop *loop;
	struct serve_config config; /* defaults filled in */
	struct budget *budget; /* of strangers, at all ports */
	int64_t opened_us; /* loop_now_us() */
	struct records records;
	bool wake; /* what serve_wait waits for */
	bool stopping, closing;
	bool abandoned; /* not all of it ended in time: the last device frees it */
	struct registry registry;
	struct relay_table relays; /* requests on their way to devices */
	struct departed departed;
	struct findings_kept findings;
	struct missing missing; /* told MQTT, and not come */
	struct rivals rivals;
	struct leases leases;
	struct power power;
	uint64_t connections; /* of devices, ever: their numbers */
	uint64_t came; /* devices that connected since the start */
	size_t held; /* devices in memory: those too that were replaced */
	size_t last_said; /* bytes of all: see serve/last_said.h */
	size_t photos; /* likewise: serve/photos.h */
	struct seldom crowded;
	struct seldom posing; /* as who is another */
	struct seldom
		held_much; /* strangers' messages that were not finished */
	size_t sockets; /* of those, over WebSocket */
	size_t sockets_max; /* by the limit of open files; 0: not shared out yet */
	size_t room; /* descriptors that the ports may take, devices included; 0 as above */
	/*
	 * Only so many lists are read at once, since a list on its way is held
	 * as trees: those that are, and those that wait for their turn.
	 */
	unsigned listing;
	bool giving_turns;
	struct board *turn_first, *turn_last;
	size_t held_most; /* since memory was given back */
	int64_t alone_until; /* loop_now() ms: then one without a port ends */
	bool awaits; /* not while something is still being opened (serve_awaits) */
	bool alone; /* so it ended */
	bool trim; /* memory is to be given back when it is quiet */
	struct tool_lists tool_lists;
	struct tokens tokens;
	struct aliases aliases;
	struct enrolled enrolled;
	int64_t enroll_from; /* Unix ms: since when boards may enrol */
	int64_t enroll_until; /* loop_now() ms */
	struct door *door;
	struct mqtt_boards *mqtt_boards; /* NULL without MQTT */
	struct control *control;
	struct web_pages *pages; /* NULL without --web */
	struct timer
		sweep; /* runs, once a second, only while something has a deadline */
	bool track_ready;
	struct voices *voices; /* NULL: what boards say is not kept */
	struct words ready; /* ids; a failed one with '!' in front */
	size_t ready_taken; /* of those, by serve_next_ready */
};

/* serve.c: what boards tell goes to its parts. */
extern const struct board_events serve_events;

#endif
