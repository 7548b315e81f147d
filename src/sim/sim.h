/* SPDX-License-Identifier: MIT */
/*
 * Pretend devices that behave as stock firmware, byte for byte: as a target
 * inside this process, dialling in over WebSocket, joining a broker, or
 * listening as otto-robot boards do. Profiles are data files; faults have names.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "diag/diag.h"
#include "net/admit.h"
#include "net/transport.h"
#include "rpc/session.h"
#include "sim/counts.h"
#include "sim/exec.h"

/*
 * Target sim:[PROFILE][?fault=NAME,…&firmware=2.5.0&fill=N&ollama=URL&model=NAME
 * &timeout=DURATION]: device and client in one process, device dialect with
 * hello; or a service (sim/service.h; only the last three), which is told by
 * peer_info.plain.
 */
extern const struct transport_ops sim_ops;

/* The faults that sim can show, for help and completion; ends with name NULL. */
struct sim_fault_row {
	const char *name, *brief;
};
extern const struct sim_fault_row sim_fault_rows[];

/* How profiles are written: for `help profile` and the man page. Paragraphs, "\n\n" between; plain text. */
extern const char sim_profile_help[], sim_profile_help_rest[],
	sim_profile_help_service[], sim_profile_help_steps[],
	sim_profile_help_rules[];

struct sim_options {
	/* A name, or a path with '/' or ending in .json; NULL: esp32. */
	const char *profile;
	const char *profile_text; /* … its JSON in place of a file; NULL */
	/*
	 * One of the four: ws[s]://… or mqtt[s]://[USER@]HOST[:PORT]/CLIENT_ID
	 * [?up=TOPIC&down=TOPIC]; http[s]://…; [HOST:]PORT (path /ws).
	 */
	const char *connect, *ota, *listen;
	const cJSON *broker; /* `mqtt` of an OTA reply that was read; lent */
	struct admit_options admit; /* with listen */
	/* Of the first device, others count on from it; NULL: the profile's. */
	const char *device_id, *client_id;
	const char *token; /* to dial with; NULL: what OTA gave, or none */
	int64_t devices; /* 0: 1 */
	double rate; /* dials a second; 0: all at once */
	int64_t run_for; /* ms; 0: until all is over (for ever with reconnect, listen) */
	/*
	 * Connections end once nothing came for so many ms; not while a tool runs,
	 * or the server hello may still come. 0: they do not.
	 */
	int64_t quiet;
	/*
	 * Over MQTT: a voice session is begun, once nothing came for 1.5 s,
	 * and ended properly.
	 */
	bool session;
	/*
	 * What a user says, once it was quiet; then the backend may take so many
	 * ms for each message, until it spoke to its end. With quiet. NULL.
	 */
	const char *say;
	int64_t say_wait;
	int64_t fill; /* self.fill.tNNN tools */
	bool firmware_2_5; /* the firmware that is played */
	bool reconnect; /* dial again after a close */
	bool install; /* firmware that OTA offers */
	/*
	 * Stream silent frames while listening; over MQTT a voice session is
	 * begun for it.
	 */
	bool audio;
	bool wake_word; /* sessions begin as by the wake word */
	bool subscribe; /* MQTT: to ?down=, or devices/p2p/MAC, which firmware never does */
	const char *password; /* of the broker in connect; NULL */
	const char *cacert; /* for wss, https, mqtts; NULL: the system's */
	bool insecure; /* certificates are not checked */
	const char
		*photo; /* a JPEG file for the camera; NULL: a built-in one */
	int64_t frame_version; /* 0: what OTA told, or 1 */
	const struct words *faults; /* NAME[,NAME] or N:NAME */
	/* What must have been, or it ends with ERR_UNMET: */
	int64_t expect_calls; /* answered with a result; 0: any number */
	bool expect_listed; /* of all devices, to the last page */
	bool expect_no_hazards; /* no finding of the backend */
	bool fails; /* a finding as severe as fail_on, or more, is unmet */
	enum severity fail_on;
	struct exec_config outside; /* what the user says of models */
};

/* Frames of sound, of all devices: binary frames, or packets of UDP. */
struct sim_audio {
	uint64_t sent, received;
	uint64_t broken,
		repeated; /* UDP: dropped for head or length; sequence */
	uint64_t lost; /* UDP: numbers that never came, or too late */
};

/* A name and how often, of many; owned. */
struct sim_named {
	struct words name;
	uint64_t *count;
	size_t capacity;
};

struct sim_found {
	enum diag_code code;
	char *detail; /* of the first time, may be a peer's; owned */
	uint64_t connections; /* on which it showed */
	uint64_t times;
	bool fatal; /* a real board did not survive it */
};
/* "a request id is used again: id 1 was initialize, answered"; raw. */
void sim_found_title(struct buf *out, const struct sim_found *found);

/* What the fleet saw of the backend. Times in ms, -1 if none. */
struct sim_summary {
	uint64_t devices;
	uint64_t dialled; /* connections that were opened */
	uint64_t refused; /* tries that failed */
	uint64_t welcomed, initialized, listed; /* of the opened ones */
	uint64_t calls; /* of tools, arguments accepted */
	uint64_t closed; /* opened ones that are over */
	char *said; /* first, in place of a server hello; a peer's; NULL */
	bool said_credentials; /* it is about those */
	const char *said_advice; /* what to do about that; NULL */
	char *ignored_hello; /* a server hello, and why; NULL */
	struct asked_counts requests,
		tool_calls; /* all that came; see sim/counts.h */
	uint64_t sessions, hellos, unheard; /* see sim/counts.h */
	uint64_t listed_whole; /* devices, to the last page */
	int64_t answer_p50, answer_p99; /* µs, from a request to its reply */
	struct sim_named lost_tools; /* connections that did not list them */
	struct sim_named lost_replies; /* calls that got none, by tool */
	struct sim_audio audio;
	/* From dialling to the server hello, and to the first call. */
	int64_t welcome_p50, welcome_p99, first_call_p50, first_call_p99;
	struct sim_found *found; /* the most severe first; owned */
	size_t found_count;
};

struct sim_observer {
	/*
	 * A line worth showing (dialling, refused, called self.x), from the
	 * loop; it may print. May hold a peer's text. device: from 1.
	 */
	void (*line)(void *owner, uint64_t device, const char *text);
	void (*listening)(void *owner, const char *url);
	/*
	 * Something is found, for the first time on a connection of that
	 * Device-Id; and where it showed more than once there, with detail NULL,
	 * at its end. NULL: nobody looks.
	 */
	void (*found)(void *owner, const char *device, const struct finding *f,
		      const char *detail);
	/*
	 * What goes over the wire: frames, the bodies of OTA, ready, closed; as
	 * session_observer's. device is set where there are many. NULL: nobody
	 * looks.
	 */
	void (*trace)(void *owner, const struct trace *t);
	void *owner;
};

/*
 * Run until all devices are done, run_for is over, or Ctrl-C (ERR_INTERRUPTED, summary is filled all the same).
 * -1: ERR_USAGE (profile, fault name: nearest proposed), ERR_CONNECT (nobody could be reached: why; nobody was
 * welcomed), ERR_UNMET (something that a real board does not survive; what was expected was not seen).
 */
int sim_run(struct loop *l, const struct sim_options *o,
	    const struct sim_observer *observer, struct sim_summary *out,
	    struct error *err);

#endif
