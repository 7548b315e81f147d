/* SPDX-License-Identifier: MIT */
/*
 * The listening ports of serve: OTA, activation, the page, vision and
 * snapshot uploads, and the WebSocket upgrade of devices. door.c opens,
 * routes and closes; door_ota.c answers OTA and remembers who asked; vision.c
 * takes pictures.
 */
#ifndef SERVE_DOOR_H
#define SERVE_DOOR_H

#include "base/error.h"
#include "base/picture.h"
#include "base/random.h"
#include "net/address.h"
#include "net/port.h"
#include "serve/serve_state.h"

struct vision;

struct buf;
struct board;
struct door;
struct serve;

/* All of config.listen, or none. -1 as front open. */
int door_open(struct door **out, struct serve *s, struct error *err);
/* RECORD_LISTENING: addresses, what to set on the board, the page. */
void door_describe(struct door *d);
/* Stop listening; then released, and closed(owner). */
void door_close(struct door *d, void (*closed)(void *owner), void *owner);

/* Sockets that all ports together may have, of devices too. */
size_t door_places(const struct serve *s);
/* The first port, for others to build addresses with. */
uint16_t door_port(const struct door *d);
/* The addresses for `status`: "http://192.168.1.2:8000/xiaozhi/ota/" … as JSON texts in an array, appended. */
void door_addresses(const struct door *d, struct buf *out);

/*
 * The vision URL for a device: --advertise; else as its own connection reached
 * us (the Host of its upgrade, our end of its socket); else as we reach it;
 * yours. NULL: no address is known. Nobody else has a say in it. That it is
 * another one than the last time is recorded.
 */
char *door_vision_url(struct door *d, const struct board *device);

/*
 * An address that this device may upload one picture to, within 10 minutes;
 * yours. It holds a secret. NULL as above.
 */
char *door_upload_url(struct door *d, const struct board *device);

/*
 * What this device told when it asked OTA here from that address (NULL: it is
 * not known); NULL. Lent until the next question.
 */
const struct ota_request *
door_asked(const struct door *d, const char *device_id, const char *address);
/* The same by the MQTT client id that was given to it. */
const struct ota_request *door_asked_client(const struct door *d,
					    const char *client_id,
					    const char *address);
/* Whether it asked before, first from another address than this. */
bool door_asked_elsewhere(const struct door *d, const char *device_id,
			  const char *address);

#define VISION_PATH "/vision/explain"
#define UPLOAD_PATH "/upload"
#define ID_MAX 127 /* bytes of a Device-Id or Client-Id */

/* ---- door_ota.c: what was heard from boards; bounded ---- */

/*
 * A question tells of who asked it, not of the board that it names: anybody may
 * send any Device-Id and any Host. So nothing of it leads a board anywhere, and
 * board and version are taken for one that comes from the same address.
 */
#define MEMORY_MAX 1024

struct told {
	struct ota_request asked;
	char from[ADDRESS_TEXT_MAX]; /* the asker's address, without the port */
	char *given; /* the MQTT client id that it was given; NULL */
	char *sent_to; /* in the answer; NULL */
	uint32_t id_hash, given_hash;
	uint64_t at; /* the larger the newer */
};
/* What a board that is connected was told last. */
struct sent {
	char *id, *url;
	uint32_t hash;
	uint64_t at;
};
struct memory {
	struct told *item[MEMORY_MAX];
	size_t count;
	uint64_t clock;
	struct sent *sent; /* at most MEMORY_MAX */
	size_t sent_count, sent_capacity;
};
void memory_done(struct memory *m);
/* What the answer to a question tells: a client id for MQTT, or NULL; where to dial. */
struct told_it {
	const char *given, *sent_to;
};
/*
 * It asked (again) from that address. What the last answer to it was, if that
 * was another one; yours. NULL: the same, or none.
 */
char *memory_tell(struct memory *m, const struct ota_request *asked,
		  const char *from, const struct told_it *it);
/* from NULL: an address is not known; then the first that asked. */
const struct told *memory_find(const struct memory *m, const char *device_id,
			       const char *from);
const struct told *memory_find_given(const struct memory *m,
				     const char *client_id, const char *from);
/* The device with this id is told that address for pictures. As memory_tell. */
char *memory_sent(struct memory *m, const char *id, const char *url);
/* Two addresses of one host, whatever their ports are. NULL is nobody's. */
bool memory_same_peer(const char *a, const char *b);

/* ---- who may upload ---- */

#define PASSES_MAX 1024
#define PASSES_EACH 16 /* of one device */
#define PASS_MS 600000

/* An address that one picture may be sent to. */
struct pass {
	char token[RANDOM_HEX_SIZE];
	char *id; /* of the device that it is for */
	int64_t until; /* loop_now() ms */
};
struct passes {
	struct pass item[PASSES_MAX]; /* in the order in which they were made */
	size_t count;
};
void passes_done(struct passes *p);
/* A new token, lent until the next change. Where there is no room the oldest goes. */
const char *passes_add(struct passes *p, const char *id, int64_t now);
/* Used up: the id of whom it was for, yours. NULL: there is none, or it was too late. */
char *passes_take(struct passes *p, const char *token, int64_t now);

/* ---- door.c ---- */

struct gate { /* one listening port */
	struct door *door;
	struct front *front;
	char *host; /* NULL: all addresses */
	uint16_t port;
};

/* Of the file system of a folder, in bytes. */
struct disk_space {
	uint64_t all, left; /* for a user without privileges */
};

struct door {
	struct serve *server;
	const struct front_table *front_table;
	const struct ws_table *ws_table;
	struct gate *gate;
	size_t gates; /* opened */
	size_t open; /* not closed yet */
	char *advertised_ws, *advertised_ota; /* by --advertise; NULL */
	bool behind_proxy; /* --advertise was a URL */
	struct memory memory;
	struct passes passes;
	struct seldom no_room; /* pictures that were refused */
	int (*space)(const char *folder,
		     struct disk_space *out); /* disk_space */
	struct vision *jobs; /* pictures whose answer is a command's matter */
	size_t job_count;
	int64_t exec_limit; /* ms */
	unsigned picture_number;
	bool holds_ws;
	bool closing;
	void (*closed)(void *owner);
	void *owner;
};

/* Who a record is about; NULL where it is not known. */
struct who {
	const char *device_id, *client_id, *address;
};
/* Returns the record to be completed at once, or NULL. */
struct record *door_record(struct door *d, const struct who *who,
			   enum record_kind kind, enum record_level level,
			   const char *text);
/* r NULL is fine; texts are copied. */
void record_hint(struct record *r, const char *hint);
/* Takes the memory of detail. */
void record_detail(struct record *r, struct buf *detail);
/* `"name":"value"`, with a comma unless first; nothing if value is NULL. */
void door_member(struct buf *out, const char *name, const char *value);

/* A request with its body, during its event. */
struct visit {
	struct door *door;
	struct gate *gate;
	struct front_request *rq;
	const struct front_head *head;
	const char *body;
	size_t len;
	struct who who;
};
void visit_answer(const struct visit *v, int status, const char *type,
		  const struct buf *body);
/* {"error":text} */
void visit_refuse(const struct visit *v, int status, const char *text);

/*
 * The device whose connection's token was given, and that the request names
 * (if it names one); NULL: none.
 */
const struct board *pass_by_token(const struct visit *v, const char *given);
/* The id of the device that this address is for; yours. It is used up. NULL: it is none. */
char *pass_by_address(const struct visit *v);

/* ---- the others ---- */

void door_ota(const struct visit *v);
/*
 * It may be told a password for the broker; enrols it where that is due. False:
 * it was refused, which was told.
 */
bool door_knows(const struct visit *v, const struct ota_request *asked);
/*
 * The WebSocket URL for a device that named us so at this port (0: ours); yours.
 * Firmware leaves the port out when it dials (device.md 1.2): where it is not
 * ours, since it is forwarded, it stands in the query too.
 */
#define REACHED_PORT "port"
char *door_device_url(const struct door *d, const char *host, uint16_t port);
void door_vision(const struct visit *v);
void door_upload(const struct visit *v);
/* The door closes: end what still runs; nobody is answered. */
void door_vision_abandon(struct door *d);

/* ---- vision.c: is there room for a picture ---- */

/* 0, or errno. */
int disk_space(const char *folder, struct disk_space *out);

/* ---- vision.c: one picture ---- */

struct picture_upload {
	char *question; /* cut at 4 kB; NULL: none came */
	struct buf data;
	size_t bytes;
	unsigned more; /* files beside the first */
	bool has_file;
	const struct picture_type *type; /* NULL: no picture that we know */
	unsigned width, height; /* 0: unknown */
	char *file; /* where it lies; NULL */
	bool temporary; /* removed with it */
};
/* --save-images: the folder is there and can be written to. -1: not. */
int upload_folder(const char *folder, struct error *err);

#endif
