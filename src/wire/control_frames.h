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
 *   b  the Opus packet of one audio frame from the device (to tail only), or for
 *      it, from the one attached command that speaks; when that goes, serve
 *      tells the device tts stop. An older serve answers with error
 *
 * JSON objects, by their member "op"; C: from the command, S: from serve.
 * device? is an alias, a Device-Id, a client id, "id:" and a Device-Id, or a
 * glob over these; left out: the only device, or, for devices and fan, all.
 *  C greet    protocol, version, leases?  the first of each command. leases:
 *                                  tokens that it was given, ',' between. With another
 *             protocol than its own, serve takes nothing but greet and stop
 *  S greeting protocol, version, pid
 *  C attach   device?, tail?, pictures?, findings?, serial?, last?, timeout?
 *                                  become the relay of one device; timeout: ms
 *                                  that the command waits for an answer
 *  S waiting  devices, text, hint  none fits yet; again when that changes;
 *             attached or error follows
 *  S attached device, hello?, hellos, initialize?, session_id, frame_version,
 *             layers (true: it may be asked for them; an older serve says nothing)
 *             and of its request path?, headers?, protocol_version, ota?
 *             (wire/ota.h: facts), ota_answer? (where that sent it).
 *             plain?: true: t frames are bare JSON-RPC: with tool_side true from an
 *             MCP server that dialled in; else it is a server that is kept open,
 *             asked by others, too, and its questions come here; news?: what
 *             is to be told of it. "held" in its object: {"name","pid","idle_ms",
 *             "restarts"}
 *  S failed   id, error            of such a server: that request got no answer
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
 *  S serial   name, text?, note?   to those with serial: a line of the
 *             device's serial log, secrets masked, or what is told of its port
 *  S said     at, text             to those with last, behind attached: what the
 *                                  device said by itself before, the oldest first;
 *                                  cut, secrets masked; at: Unix time in ms
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
 *  S broker   away                 watch: of boards over MQTT, also when it changes;
 *             null, or why serve has no way to it; an older serve says nothing. Then
 *  S end      count, unknown?      watch: device objects go on. unknown: an
 *             error: nothing here has that word's name, and no device is
 *             waited for by it
 *  C fan      device?, list?, timeout, and method, params? | notify, params?
 *             | message            to all that fit, at once
 *             idle?: true: to boards only that are asked nothing at that moment (the
 *             row of another has an error); answers are not counted in calls.
 *             photos?: with tools/call: rows have the picture, too, that the call
 *             took with the board's camera, if it has at most so many bytes
 *  S row      device, took_us, reply | error, one for each; then end. reply:
 *             the JSON-RPC reply, its id null; null where none is due.
 *             photo?: with photos and a reply: {"data": base64} or {"why": in words,
 *             why there is none}; an older serve says nothing
 *  C upload   device?              an address that the only device, or the
 *             attached one, may upload one picture to
 *  S upload   url
 *  C host     device?, all?, by?, force?  with a descriptor (SCM_RIGHTS) of a
 *                                  sealed memory file: boards may fetch it from
 *                                  serve's port until this connection ends; all:
 *                                  all that fit, else there must be only one.
 *                                  by "ota": it is firmware, and offered in the
 *                                  answer to OTA where it fits (force: also where
 *                                  it runs), until the board fetches; boards that
 *                                  are not here are meant, too
 *  S hosted   device, url?, why?, ota?  one for each, then end. url: for this
 *                                  board alone; why: in words, it is not hosted
 *                                  for this one (leased, or another command does);
 *                                  ota: what it told when it asked last. Then
 *                                  device objects go on as with watch, and these
 *                                  two:
 *  S fetch    id, taken, size, asked, running, from?  a board of those fetches:
 *                                  bytes that it has, requests so far, and now
 *  S asked    id, address, ota, offered?  a Device-Id of those asked OTA: it
 *                                  restarted, or somebody says so; offered: with
 *                                  that answer it was offered the file
 *  C layers                        on an attached connection: what serve's own to
 *                                  the device shows; and a WebSocket Ping is sent
 *  S layers   tcp?, ping, pong_us? (net/layers.h) at once, and again when the
 *                                  Pong came
 *  C kick     device               S kicked count
 *  C lease    devices, by, for?, keep?, wait?
 *                                  hold all that fit one of the words in devices:
 *                                  for ms, by the name `by`; until this connection
 *                                  ends, unless keep; wait: until they are free
 *  S queued   text                 who is before; again when that changes
 *  S leased   token, lease, devices  devices: [{"id","alias","here"}]
 *  S unleased error                its time is over, or it was given back
 *  C release  devices?, by?        what this command holds (here, or by greet); or what
 *                                  `by` does, of these devices
 *                                  S released count
 *  C power    device, action       action: "on", "off", "cycle"
 *  S powered  status, output?, over?  status of the command; output: the
 *                                  beginning of what it said; over: it took too long
 *  C hold     name, key, transport, for?  this connection is the way to a server
 *                                  that it keeps open (serve/held.h): name, and
 *                                  what tells it from others of that name; for: ms
 *                                  after which it ends unused
 *                                  S holding id; then, in both directions, t: its
 *                                  messages, with ids of serve's, and
 *  C up       initialize, address? it is open (again); initialize: its reply,
 *                                  or that to server/discover (2026-07-28)
 *  C down     error                it ended, or cannot be opened again
 *  C failed   id, error            that request got no answer
 *  S reopen                        a command wants it: open it again
 *  S end                           end it, and this connection
 *  C close    device?|key?         end what is kept open and fits; when it has ended
 *                                  S closed count
 *  C stop                          S stopping
 *  C status                        S status pid, version, addresses, devices, came,
 *                                  power?, hint; power: it has a --power-cmd
 *  S error    error                the answer to any of them
 *
 * "device" from serve is an object, the same that `devices -o json` prints:
 *  {"id","client_id","alias","board","version","transport","address","since",
 *   "seen","asked","state","reason","tools","user_tools","list","audio","findings",
 *   "last_finding","calls","p50_us"}: times in UTC
 *   (RFC 3339), texts null where unknown, asked null unless a question is open
 *   since it was heard last; state one of "connected",
 *   "initializing", "listing", "ready", "no-mcp", "failed"; list names a tool
 *   list by its content: two devices with the same firmware share it. While
 *   its circuit breaker is open, "breaker":"open" stands there too; "claims"
 *   {"name","id"} if it calls itself what is another's; "pick": its pattern,
 *   where its id alone means another; "enrolled": since when OTA signs for it;
 *   "lease" {"by","until"}: who holds it, until null: as long as its command runs.
 *  last_finding: the code of the newest, or null; calls: tools/call of commands
 *  that were answered since it connected, p50_us: the median of the last 32, null
 *  without one; an older serve says none of the three.
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
 * are left out; message, params and devices are JSON.
 */
struct serve_question {
	const char *op;
	const char *device, *list, *name, *prefix, *method, *notify;
	const char *message, *params;
	const char *devices; /* JSON */
	const char *by, *action;
	const char *key, *transport;
	int64_t timeout, length; /* length: "for" */
	int64_t photos;
	bool tail, pictures, findings, serial, last, watch, enrolled, keep,
		wait, idle, all, force;
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

/* Bytes of the tokens of leases, with a NUL. */
#define CONTROL_LEASES_MAX 1024

/* The question {"op":"greet",…} (leases NULL: none), and serve's answer {"op":"greeting",…}. */
void greeting_ask(struct buf *out, const char *leases);
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
