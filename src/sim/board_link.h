/* SPDX-License-Identifier: MIT */
/*
 * A pretend device that dials: asks OTA if it is told to, goes where it is
 * sent (a WebSocket or a broker), speaks, is hung up on, and may dial again.
 * One of a fleet.
 */
#ifndef SIM_BOARD_LINK_H
#define SIM_BOARD_LINK_H

#include "base/error.h"
#include "diag/ota_rules.h"
#include "sim/board_http.h"
#include "sim/board_ws.h"
#include "sim/broker_line.h"
#include "sim/fetch.h"
#include "sim/pretend.h"
#include "sim/sim.h"
#include "sim/sound.h"
#include "wire/ota.h"

#define CALLER_AGAIN_MS 1000 /* after a close; doubles while nothing answers */
#define CALLER_AGAIN_MAX_MS 30000
#define CALLER_AGAIN_MQTT_MS 10000 /* always, as the board's MQTT client */

/* What all callers of a fleet have in common. */
struct board_link_plan {
	struct loop *loop;
	/* Where to, one of the four: */
	const char *connect; /* address of a WebSocket backend */
	const struct endpoint *mqtt; /* a broker */
	const cJSON *broker; /* one, as `mqtt` of an OTA reply */
	const char *ota; /* address of the OTA */
	/* MQTT: */
	bool subscribe;
	const char *password; /* with mqtt; NULL */
	struct tls_trust trust; /* of all that is TLS */
	const char *token; /* NULL: the OTA reply's, or none */
	int64_t frame_version; /* 0: the OTA reply's, or 1 */
	bool reconnect;
	bool install; /* what OTA offers */
	struct sim_audio *audio; /* counted there */
};

enum board_link_step {
	CALLER_ASKS, /* text: the address of OTA */
	CALLER_DIALS, /* text: the address */
	CALLER_OPENED,
	CALLER_CLOSED /* a connection that was open is over; text: why */
};

struct board_link;
struct board_link_events {
	void (*step)(struct board_link *c, enum board_link_step step,
		     const char *text);
	/*
	 * It did not get in: why, with a reason of net/why.h where one is known.
	 */
	void (*refused)(struct board_link *c, const struct error *why);
	/* From the device; see there. */
	void (*note)(struct board_link *c, enum pretend_note what,
		     const char *text);
	void (*finding)(struct board_link *c, const struct finding *f,
			const char *detail);
	void (*died)(struct board_link *c, enum diag_code of);
	/* Over the wire, see sim_observer. */
	void (*frame)(struct board_link *c, const struct trace *t);
	/* It will not dial again. */
	void (*finished)(struct board_link *c);
	/* After board_link_close. */
	void (*closed)(struct board_link *c);
};

struct board_link {
	const struct board_link_plan *plan;
	const struct board_link_events *events;
	void *fleet; /* the owner's */
	uint64_t number; /* from 1 */
	struct pretend device;
	struct timer again;
	union { /* one after the other */
		struct board_http ota;
		struct board_ws dial;
		struct broker_line mqtt;
	} line;
	enum { LINE_NONE, LINE_OTA, LINE_DIAL, LINE_MQTT } using;
	/* What OTA told, kept as the board's store keeps it; NULL: never told. */
	char *stored_url, *stored_token;
	char *sent_token; /* with the last dial of a WebSocket; NULL */
	bool token_taken; /* the backend said hello to who sent it */
	int stored_version;
	struct broker_where where;
	bool told_url; /* the last reply sent it to stored_url */
	bool hung; /* in OTA, for good */
	bool dead; /* the last reply was one that the board does not survive */
	struct sound *sound; /* of the voice session; NULL */
	bool asked; /* OTA, since the last restart */
	struct fetch *fetch; /* under way; NULL */
	char *offered; /* firmware that OTA told it to install; NULL */
	bool installs; /* fetch is of that */
	char *assets; /* to be fetched once it restarted; NULL */
	unsigned restarts; /* of the device, that were seen */
	unsigned loops; /* restarts that are still to come, by a fault */
	int64_t wait_ms; /* before the next try */
	int64_t started; /* loop_now() of the last dial */
	bool opened, closing, device_gone, timer_gone;
	int close_code; /* of the backend's Close; 0: none came */
	bool answered; /* OTA did, and sent it on */
	bool read_reply; /* of OTA, since it was asked last */
	bool welcomed, called; /* since it was started: for the latencies */
};

/* device_config's owner, events and ids are set here. Starts nothing. */
void board_link_init(struct board_link *c, const struct board_link_plan *plan,
		     const struct pretend_config *config, const char *device_id,
		     const char *client_id);
void board_link_start(struct board_link *c);
/* Hang up and give back; ends in closed. Again is fine. */
void board_link_close(struct board_link *c);

#endif
