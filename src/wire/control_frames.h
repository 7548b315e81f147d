/* SPDX-License-Identifier: MIT */
/*
 * What serve and the commands attached to it say to each other over its Unix
 * socket. Pure. The socket is private to this program, and -o json is the
 * interface for others; the ends may be of two versions for a while, so each
 * says which it is (greet, greeting).
 *
 * A frame: u32 length of what follows the head (big-endian), u8 kind, three
 * zero bytes, then that many bytes. Kinds:
 *   j  a JSON object, see below
 *   t  a text frame of the device dialect, to or from the device
 *   b  the Opus packet of one audio frame from the device (to tail only)
 *
 * JSON objects, by their member "op"; C: from the command, S: from serve.
 * device? is an alias, a Device-Id, a client id, "id:" and a Device-Id, or a
 * glob over these; left out: the only device, or, for devices and fan, all.
 *  C greet    protocol, version    the first of each command. With another
 *             protocol than its own, serve takes nothing but greet and stop
 *  S greeting protocol, version, pid
 *  C attach   device?, tail?, pictures?, findings?, timeout?
 *                                  become the relay of one device; timeout: ms
 *                                  that the command waits for an answer
 *  S waiting  devices, text, hint  none fits yet; again when that changes;
 *             attached or error follows
 *  S attached device, hello?, hellos, initialize?, session_id, frame_version,
 *             layers (true: it may be asked for them; an older serve says nothing)
 *             and of its request path?, headers?, protocol_version, ota?
 *             (wire/ota.h: facts), ota_answer? (where that sent it).
 *             hello: its message, hellos: how many came; initialize: the whole JSON-RPC reply.
 *             From now on t frames pass in both directions; ids are the
 *             command's own, serve rewrites them
 *  S lost     count                so many t, b or watched device frames were
 *             left out here: the command did not read; replies never are
 *  S finding  finding, message?    to those with findings: something wrong in what
 *             passed (diag/finding.h, without hits and do); its detail and
 *             count are of this time. To tail each time, to others a code once.
 *             message: the text that shows it, unless its id was made by serve;
 *             to who asked, with the id that they gave
 *  S odd      text, message?       the same in words, to those without
 *  S picture  text, file?         to those with pictures: one of the device came;
 *             file: where serve keeps it
 *  S gone     error                the device went; the socket closes then
 *  C tool     name, device?|list?  a tool as it was listed; on an attached
 *             connection: of its device
 *  S tool     tool?, nearest?, tools (how many are listed), broke?
 *  C names    device?, prefix?     tools whose name begins so, for completion;
 *             on an attached connection: of its device, else of all that fit
 *  S names    tools, count, lists  tools: [[name, brief],…], sorted, each name
 *             once; brief: the first line of the description; lists: which
 *             lists these are (at most 8), for `tool`
 *  C devices  device?, watch?, enrolled?  enrolled: only those that are, and
 *             those too that are not here ("state":"away"; unless device)
 *  S device   device, change?      once for each; then
 *  S end      count, unknown?      watch: device objects go on. unknown: an
 *             error: nothing here has that word's name, and no device is
 *             waited for by it
 *  C fan      device?, list?, timeout, and method, params? | notify, params?
 *             | message            to all that fit, at once
 *  S row      device, took_us, reply | error, one for each; then end. reply:
 *             the JSON-RPC reply, its id null; null where none is due
 *  C upload   device?              an address that the only device, or the
 *             attached one, may upload one picture to
 *  S upload   url
 *  C layers                        on an attached connection: what serve's own to
 *                                  the device shows; and a WebSocket Ping is sent
 *  S layers   tcp?, ping, pong_us? (net/layers.h) at once, and again when the
 *                                  Pong came
 *  C kick     device               S kicked count
 *  C stop                          S stopping
 *  C status                        S status pid, version, addresses, devices, came,
 *                                  hint
 *  S error    error                the answer to any of them
 *
 * "device" from serve is an object, the same that `devices -o json` prints:
 *  {"id","client_id","alias","board","version","transport","address","since",
 *   "seen","asked","state","reason","tools","user_tools","list","audio","findings"}: times in UTC
 *   (RFC 3339), texts null where unknown, asked null unless a question is open
 *   since it was heard last; state one of "connected",
 *   "initializing", "listing", "ready", "no-mcp", "failed"; list names a tool
 *   list by its content: two devices with the same firmware share it. While
 *   its circuit breaker is open, "breaker":"open" stands there too; "claims"
 *   {"name","id"} if it calls itself what is another's; "pick": its pattern,
 *   where its id alone means another; "enrolled": since when OTA signs for it.
 * "error" is {"kind","code"?,"text","hint","detail"?,"finding"?}: kind as
 *  error_kind_name.
 */
#ifndef WIRE_CONTROL_FRAMES_H
#define WIRE_CONTROL_FRAMES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

#define CONTROL_HEAD 8
#define CONTROL_FRAME_MAX (17u << 20)

enum control_kind {
	CONTROL_JSON = 'j',
	CONTROL_TEXT = 't',
	CONTROL_BINARY = 'b'
};

struct control_frame {
	enum control_kind kind;
	const char *data; /* lent, inside the bytes that were given */
	size_t len;
	size_t size; /* with its head: what to consume */
};

void control_encode(struct buf *out, enum control_kind kind, const void *data,
		    size_t len);

/*
 * The first frame of data. 1: *out is it; 0: more bytes are needed; -1
 * (ERR_PROTOCOL): unknown kind, too long, bytes that must be zero are not.
 */
int control_decode(struct control_frame *out, const char *data, size_t len,
		   struct error *err);

/* An error as the object above, and back (missing members are no failure). */
void control_error_encode(struct buf *out, const struct error *e);
void control_error_decode(struct error *out, const cJSON *object);

/*
 * A question of those above, and its JSON. Members that are NULL, 0 or false
 * are left out; message and params are JSON.
 */
struct serve_question {
	const char *op;
	const char *device, *list, *name, *prefix, *method, *notify;
	const char *message, *params;
	int64_t timeout;
	bool tail, pictures, findings, watch, enrolled;
};
void serve_question_encode(struct buf *out, const struct serve_question *q);

/*
 * Grows when an operation or a frame comes to mean something else. What is
 * only added leaves it as it is: whoever does not know it says so.
 */
#define CONTROL_PROTOCOL 1

struct greeting {
	int protocol; /* CONTROL_PROTOCOL of a serve that told none */
	int pid; /* 0: not told */
	char version
		[64]; /* "": not told, as by those before there were greetings */
};

/* The question {"op":"greet",…}, and serve's answer {"op":"greeting",…}. */
void greeting_ask(struct buf *out);
void greeting_answer(struct buf *out, int pid);

/*
 * The first frame from serve. True: it was the answer, *out says who it is;
 * also where a serve does not know the question. False: something else, which
 * is for whoever asked next; *out is then as of a serve of this version.
 */
bool greeting_read(struct greeting *out, const struct control_frame *f);

bool greeting_differs(const struct greeting *g);
/* -1 (ERR_PROTOCOL): it and this program do not understand each other. */
int greeting_check(const struct greeting *g, struct error *err);
/* One line for the user: which versions they are, and what to restart. */
void greeting_tell(struct buf *out, const struct greeting *g);
/* An error that may come of the difference: its hint tells that. */
void greeting_blame(const struct greeting *g, struct error *err);

#endif
