/* SPDX-License-Identifier: MIT */
/*
 * One pretend device without its socket: hello, the messages of the device
 * dialect, and the firmware's two threads (device.md 3.9). Requests are parsed
 * at once; tools and all sends run on a "main loop", one after another, so
 * that a slow tool, or waiting for the server hello, holds everything back.
 *
 * Over MQTT it stays in standby, where MCP works without a hello (device.md
 * 2.2); a voice session is begun only if sound is to be sent or the profile's
 * events need one.
 *
 * What leaves the device goes through device_events; whoever owns the socket
 * (sim/board_link), the in-process transport or the local port hands in what came.
 */
#ifndef SIM_PRETEND_H
#define SIM_PRETEND_H

#include "base/loop.h"
#include "diag/diag.h"
#include "sim/counts.h"
#include "sim/exec.h"
#include "sim/fault.h"
#include "sim/profile.h"
#include "sim/upload.h"
#include "wire/audio.h"

struct alarm;
struct job;
struct pretend_work;
struct trace;
struct upload;

#define DEVICE_SEND_MAX \
	65535 /* bytes of a message that the board can send (device.md 1.4) */
#define DEVICE_HELLO_MS 10000
#define DEVICE_REBOOT_MS 1000
#define DEVICE_UPGRADE_MS 7000 /* until one has failed (device.md 3.11) */
#define DEVICE_AUDIO_MS 60
#define DEVICE_LEFT_OPEN_MS 3000

enum pretend_note {
	DEVICE_WELCOMED, /* the server hello came */
	DEVICE_INITIALIZED, /* for the first time on this connection */
	DEVICE_LISTED, /* the first page of tools on this connection */
	DEVICE_CALLED, /* text: the tool */
	DEVICE_SPOKEN, /* the backend ended what it said (tts stop) */
	DEVICE_REFUSED, /* text: what was said in place of the server hello */
	DEVICE_LINE /* text: something worth a line; may hold a peer's text */
};

struct pretend_events {
	void (*text)(void *owner, const char *text, size_t len);
	/* A binary frame; over MQTT the bare Opus packet, for UDP. */
	void (*binary)(void *owner, const void *data, size_t len);
	/* MQTT only: a session's UDP begins, or ends (NULL). */
	void (*audio)(void *owner, const struct udp_offer *offer);
	/* A fault: half of the text, then the end; with a Close frame or without. */
	void (*cut)(void *owner, const char *text, size_t len,
		    bool close_frame);
	/*
	 * A fault: nothing that comes is read any more, and nothing sent.
	 * NULL: there is no socket of its own.
	 */
	void (*deaf)(void *owner);
	/*
	 * A fault: what comes from now on is lost, and not acknowledged; what
	 * is sent still arrives. NULL as deaf.
	 */
	void (*lost)(void *owner);
	/* The connection ends as the board ends it: without a Close frame. */
	void (*drop)(void *owner);
	/* So much waits to be sent that a long outburst pauses; may be NULL. */
	bool (*full)(void *owner);
	void (*note)(void *owner, enum pretend_note what, const char *text);
	/*
	 * The conversation shows something: each time, and where that was more
	 * than once, with detail NULL, at the end of the connection. The member
	 * may be NULL: then nothing is judged.
	 */
	void (*finding)(void *owner, const struct finding *f,
			const char *detail);
	/*
	 * Of many clients: the answer to that one is what goes out next. False:
	 * it is gone, and nobody is judged by that. May be NULL.
	 */
	bool (*answers)(void *owner, uint64_t asker);
	/* A picture's way: its request, the answer (sim/upload.h). May be NULL. */
	void (*upload)(void *owner, struct trace *t);
	/*
	 * Firmware is to be fetched from there, and installed; the connection is
	 * down already, but over MQTT. NULL: the connection drops, and no more.
	 */
	void (*upgrade)(void *owner, const char *url);
	/* Assets are to be fetched from there at the next start. May be NULL. */
	void (*assets)(void *owner, const char *url);
	/* A real board does not survive what was just found; may be NULL. */
	void (*died)(void *owner, enum diag_code of);
};

struct pretend_config {
	struct loop *loop;
	const struct profile *profile; /* must outlive the device */
	const struct pretend_events *events;
	void *owner;
	struct counts *counts; /* counted there; NULL */
	struct fault_set faults;
	int frame_version; /* 1, 2, 3 */
	bool audio; /* stream silent frames while listening */
	bool wake_word; /* sessions begin by the wake word, not by the button */
	/*
	 * the local port: no hello, no envelope around replies (device.md 3.11)
	 */
	bool bare;
	bool mqtt; /* see pretend_set_mqtt */
	const struct photo *photo; /* of the camera; NULL: photo_builtin */
	const char *asked; /* the URL by which the backend was reached; NULL */
	const struct tls_trust *trust; /* of uploads; NULL: the system's */
	/* What the user says of models; zeroed: the profile's. Its loop does not count. */
	struct exec_config outside;
};

/* A conversation, as it is judged. */
struct pretend_talk {
	struct diag diag;
	bool listed; /* a page */
	bool user_tools; /* were asked for with the last page */
};

enum pretend_mode { DEVICE_IDLE, DEVICE_LISTENING, DEVICE_SPEAKING };

struct pretend {
	struct pretend_config config;
	const struct pretend_work *work; /* pretend_loop.h */
	char *device_id, *client_id; /* owned; set before the first open */
	struct firmware server;
	struct firmware_catalog
		catalog; /* the profile's; the version is its own */
	char version[48]; /* of what was installed; "": the profile's */
	struct pretend_talk talk; /* of this connection, and OTA before it */
	bool aside; /* what goes out now is no part of it */
	char **state; /* see struct rule_world */
	uint32_t *given; /* see recorded_find */
	char *session_id; /* owned; NULL: "" */
	enum pretend_mode mode;
	struct span heard; /* the text that is being read; lent */
	bool online; /* there is a connection */
	unsigned restarts; /* so far */
	bool peer_closed; /* a Close frame came: deaf and mute from here */
	unsigned refusals; /* that were told */
	bool deaf; /* the same, by a fault: hang, half-open */
	bool deaf_due; /* with the last page */
	bool unusable; /* a message was too large to send (device.md 1.4) */
	/* a server hello that nobody waited for yet (device.md 1.5) */
	bool hello_flag;
	bool waiting; /* for the server hello */
	bool hello_said; /* ours, on this connection, heard or not */
	bool hello_out; /* ours of this session went out */
	bool in_session; /* MQTT: UDP is open */
	bool stopped; /* the user ended listening */
	bool busy; /* the main loop is in a job that takes time */
	bool initialized; /* on this connection */
	bool unheard; /* MQTT without a topic: what is sent reaches nobody */
	bool listed_whole; /* once, to the last page */
	size_t listed_to; /* tools on this connection, an index */
	/* Of many clients (the local port): whose message comes in, and whose is
	 * answered right now; 0: told to all. Set and read by the owner. */
	uint64_t asker, answering;
	struct counted_request asked; /* the request that is being looked at */
	bool running; /* jobs are being run: do not nest */
	bool ticking; /* an audio alarm is set */
	bool stirred; /* the main loop gets its turn soon */
	uint32_t audio_ms; /* timestamp of the next frame */
	int64_t audio_due; /* … and loop_now() for it */
	struct job *first, *last;
	struct alarm *alarms;
	size_t held; /* bytes of both, about */
	struct upload *upload; /* under way; NULL */
	struct exec *outside; /* a command or model at work; NULL */
	struct firmware_call *uploading; /* what either was called for */
	struct counted_request outside_of; /* the same, to be counted */
	struct timer timer;
	void (*closed)(void *owner);
};

/* Make it ready; ids are copied. Starts nothing. */
void pretend_init(struct pretend *d, const struct pretend_config *config,
		  const char *device_id, const char *client_id);

/* A connection is up: says hello and waits for the server's; or see above. */
void pretend_open(struct pretend *d);
/*
 * Over MQTT: from standby into a voice session, as when somebody wakes the
 * board; nothing where there is one.
 */
void pretend_begin_session(struct pretend *d);
/*
 * The user ends the session: goodbye (device.md 2.5), sound stops. MQTT only.
 */
void pretend_end_session(struct pretend *d);
/*
 * What a user said, as text: `listen` `detect`. False: nothing can be said now,
 * no session is open.
 */
bool pretend_say_words(struct pretend *d, const char *words);
/* A text frame came; data need not end with a NUL. */
void pretend_text(struct pretend *d, const char *text, size_t len);
/*
 * The same as on the board, where what came together is parsed before the main
 * loop has its turn: replies of pipelined calls then stand behind those of the
 * pings among them (device.md 3.9).
 */
void pretend_receive(struct pretend *d, const char *text, size_t len);
/* A Close frame came. */
void pretend_peer_close(struct pretend *d);
/* The connection is gone, from either side. It may be opened again. */
void pretend_hang_up(struct pretend *d);
/*
 * One of several clients of the device went: what it never sent is told, and
 * d->talk begins anew. The device stays.
 */
void pretend_talk_end(struct pretend *d);
/* A restart: what is only in memory is forgotten. */
void pretend_restart(struct pretend *d);
/* Other firmware is on it from the next restart on. */
void pretend_install(struct pretend *d, const char *version);
/* Another frame version for the next open (the OTA reply told it). */
void pretend_set_version(struct pretend *d, int frame_version);
/* The next connection is one to a broker, or not. */
void pretend_set_mqtt(struct pretend *d, bool mqtt);

/* Give back everything; ends in closed(config.owner) from the loop. */
void pretend_close(struct pretend *d, void (*closed)(void *owner));

#endif
