/* SPDX-License-Identifier: MIT */
/*
 * serve's Unix socket: who may come, which devices a command means, and what
 * commands may ask. A command's connection is control_peer.c's matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/control_client.h"
#include "serve/attached.h"
#include "serve/board_tell.h"
#include "serve/broadcast.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/door.h"
#include "serve/hosting.h"
#include "serve/leasing.h"
#include "serve/mqtt_boards.h"
#include "serve/power.h"
#include "wire/jsonrpc.h"

static int control_listen_check(const char *path, struct error *err);
static int control_listen(const char *path, struct stat *out,
			  struct error *err);

/*
 * The names of tools, for who completes one: of all lists of the devices that
 * fit, each name once.
 */

#define LISTS_MAX 8
#define NAMES_MAX 5000
#define NAME_MAX_BYTES 512
#define BRIEF_MAX_BYTES 200
#define ANSWER_MAX (4u << 20)

/* A place in a list: the tool whose turn comes next. */
struct cursor {
	const struct shared_list *list;
	size_t at;
	char *name; /* NULL: there are no more */
};

struct asked_names {
	struct cursor cursor[LISTS_MAX];
	size_t lists;
	const char *prefix;
};

/* Names are sorted, so those with the prefix stand together. */
static void read_name(const struct asked_names *n, struct cursor *c)
{
	mem_free(TAKE(c->name));
	if (c->at == c->list->count)
		return;
	c->name = shared_list_name(c->list, c->at);
	if (!text_starts(c->name, n->prefix))
		mem_free(TAKE(c->name));
}

static void add_list(struct asked_names *n, const struct shared_list *list)
{
	for (size_t i = 0; i < n->lists; i++) {
		if (n->cursor[i].list == list)
			return;
	}
	if (!list || n->lists == LISTS_MAX)
		return;
	n->cursor[n->lists++] =
		(struct cursor){ .list = list,
				 .at = shared_list_find(list, n->prefix) };
}

static void find_lists(struct asked_names *n, struct control_peer *p,
		       const char *pattern)
{
	struct board *d = NULL;

	if (p->device) {
		add_list(n, p->device->tools);
		return;
	}
	while ((d = registry_next(&p->server->registry, d, pattern)))
		add_list(n, d->tools);
}

/* The one that comes first; NULL: there are none. */
static const struct cursor *first(const struct asked_names *n)
{
	const struct cursor *found = NULL;

	for (size_t i = 0; i < n->lists; i++) {
		const struct cursor *c = &n->cursor[i];

		if (c->name && (!found || strcmp(c->name, found->name) < 0))
			found = c;
	}
	return found;
}

/* Behind that name, in every list. */
static void advance(struct asked_names *n, const char *name)
{
	for (size_t i = 0; i < n->lists; i++) {
		struct cursor *c = &n->cursor[i];

		while (c->name && strcmp(c->name, name) == 0) {
			c->at++;
			read_name(n, c);
		}
	}
}

/* The first line of the description, cut at a whole character. */
static void add_brief(struct buf *out, struct span tool)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	const char *start = "";
	struct span found;
	size_t len;

	if (json_span_member(tool, "description", &found))
		text = json_span_string(found);
	if (text)
		start = text + strspn(text, " \t\r\n");
	len = strcspn(start, "\r\n");
	if (len > BRIEF_MAX_BYTES)
		len = BRIEF_MAX_BYTES;
	while (len > 0 && ((unsigned char)start[len] & 0xc0) == 0x80)
		len--;
	buf_json_string(out, start, len);
}

static size_t add_names(struct asked_names *n, struct buf *out)
{
	const struct cursor *c;
	size_t count = 0;

	for (size_t i = 0; i < n->lists; i++)
		read_name(n, &n->cursor[i]);
	while (count < NAMES_MAX && out->len < ANSWER_MAX && (c = first(n))) {
		CLEANUP(mem_free_ptr) char *name = mem_strdup(c->name);
		size_t len = strlen(name);

		if (len > 0 && len <= NAME_MAX_BYTES) {
			buf_text(out, count++ ? ",[" : "[");
			buf_json_string(out, name, len);
			buf_char(out, ',');
			add_brief(out, shared_list_text(c->list, c->at));
			buf_char(out, ']');
		}
		advance(n, name);
	}
	return count;
}

static void names_ask(struct control_peer *p, const struct control_question *q)
{
	const char *prefix = json_string(q->json, "prefix");
	struct asked_names n = { .prefix = prefix ? prefix : "" };
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t count;

	find_lists(&n, p, json_string(q->json, "device"));
	buf_text(&out, "{\"op\":\"names\",\"tools\":[");
	count = add_names(&n, &out);
	buf_printf(&out, "],\"count\":%zu,\"lists\":[", count);
	for (size_t i = 0; i < n.lists; i++) {
		mem_free(n.cursor[i].name);
		buf_printf(&out, "%s\"%s\"", i ? "," : "",
			   n.cursor[i].list->id);
	}
	buf_text(&out, "]}");
	control_peer_send(p, CONTROL_JSON, buf_string(&out), out.len);
}

/*
 * What commands ask serve itself (wire/control_frames.h), and what it tells those who
 * watch. The relay of a device is in attached.c, requests to many in broadcast.c.
 */

#define BATCH (64u << 10) /* bytes of device objects that go together */
#define PATIENCE_MAX (INT64_C(10) * 24 * 3600 * 1000)

static void send_json(struct control_peer *p, const struct buf *text)
{
	control_peer_send(p, CONTROL_JSON, buf_string(text), text->len);
}

/* ---- the questions ---- */

static void on_attach(struct control_peer *p, const struct control_question *q)
{
	if (json_integer(q->json, "timeout", &p->timeout) != 0 ||
	    p->timeout < 0 || p->timeout > PATIENCE_MAX)
		p->timeout = 0;
	p->pictures = json_true(q->json, "pictures");
	p->findings = json_true(q->json, "findings");
	p->serial = json_true(q->json, "serial");
	p->last = json_true(q->json, "last");
	attached_ask(p, json_string(q->json, "device"),
		     json_true(q->json, "tail"));
}

/* The only device that fits; NULL: *err says why there is none. */
static struct board *only_device(struct control_peer *p, const char *pattern,
				 struct error *err)
{
	struct serve *s = p->server;
	struct board *d = registry_next_meant(&s->registry, NULL, pattern);
	CLEANUP(buf_done) struct buf hint = { 0 };

	if (d && registry_next_meant(&s->registry, d, pattern)) {
		attached_which(s, pattern, err);
		return NULL;
	}
	if (d || device_word_check(s, pattern, false, err))
		return d;
	if (pattern)
		error_set(err, ERR_CONNECT, "no device fits '%s'", pattern);
	else
		error_set(err, ERR_CONNECT, "no device is there");
	departed_hint(&hint, s, pattern, NULL);
	error_hint(err, "%s", buf_string(&hint));
	return NULL;
}

/* The list that a q->json is about; NULL in *out: nothing is listed. */
static int find_list(struct control_peer *p, const cJSON *question,
		     const struct shared_list **out, const char **broke,
		     struct error *err)
{
	const char *list = json_string(question, "list");
	struct board *d = p->device;

	*broke = NULL;
	if (list) {
		*out = tool_lists_find(&p->server->tool_lists, list);
		if (*out)
			return 0;
		return error_set(err, ERR_CONNECT,
				 "no device has the tool list '%s' any more",
				 list);
	}
	if (!d)
		d = only_device(p, json_string(question, "device"), err);
	if (!d)
		return -1;
	*out = d->tools;
	if (d->state == DEVICE_FAILED)
		*broke = d->reason;
	return 0;
}

static void on_tool(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *nearest = NULL;
	const char *name = json_string(q->json, "name"), *broke;
	const struct shared_list *list;
	struct span tool = { 0 };

	if (!name)
		error_set(&why, ERR_USAGE, "'tool' needs a name");
	if (!name || find_list(p, q->json, &list, &broke, &why) ||
	    (list && shared_list_meant(list, name, &tool, &why))) {
		control_peer_error(p, &why);
		return;
	}
	buf_printf(&out, "{\"op\":\"tool\",\"tools\":%zu",
		   list ? list->count : 0);
	if (tool.text) {
		buf_text(&out, ",\"tool\":");
		buf_add(&out, tool.text, tool.len);
	} else if (list) {
		nearest = shared_list_nearest(list, name);
	}
	json_add_text(&out, "nearest", nearest);
	json_add_text(&out, "broke", broke);
	buf_char(&out, '}');
	send_json(p, &out);
}

static void on_upload(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *url = NULL;
	struct board *d = p->device;

	if (!d)
		d = only_device(p, json_string(q->json, "device"), &why);
	if (d && leasing_check(p, d, &why)) {
		control_peer_error(p, &why);
		return;
	}
	if (d && p->server->door)
		url = door_upload_url(p->server->door, d);
	if (d && !url)
		error_set(&why, ERR_CONNECT,
			  "no address is known by which '%s' reaches serve",
			  d->id);
	if (!url) {
		control_peer_error(p, &why);
		return;
	}
	buf_text(&out, "{\"op\":\"upload\"");
	json_add_text(&out, "url", url);
	buf_char(&out, '}');
	send_json(p, &out);
}

static void flush_batch(struct control_peer *p, struct buf *batch)
{
	struct packet *packet = packet_take(batch);

	control_peer_packet(p, packet);
	packet_release(packet);
}

/* Sends what it holds when it is large. */
static void add_object(struct control_peer *p, struct buf *batch,
		       const struct buf *one)
{
	control_encode(batch, CONTROL_JSON, one->data, one->len);
	if (batch->len > BATCH)
		flush_batch(p, batch);
}

static bool is_enrolled(const struct board *d)
{
	return enrolled_find(&d->server->enrolled, d->device_id) != NULL;
}

/* Enrolled boards that are not connected; how many. */
static size_t add_away(struct control_peer *p, struct buf *batch)
{
	const struct serve *s = p->server;
	CLEANUP(buf_done) struct buf one = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < s->enrolled.count; i++) {
		const struct enrolled_board *b = &s->enrolled.item[i];
		CLEANUP(mem_free_ptr)
		char *pick = mem_printf(REGISTRY_ID "%s", b->device_id);

		if (registry_next(&s->registry, NULL, pick))
			continue;
		buf_reset(&one);
		buf_text(&one, "{\"op\":\"device\",\"device\":{");
		board_describe_away(&one, s, b);
		buf_text(&one, "}}");
		add_object(p, batch, &one);
		count++;
	}
	return count;
}

/* False: it has none. */
static bool print_broker(struct buf *out, const struct serve *s)
{
	if (!s->mqtt_boards)
		return false;
	buf_text(out, "{\"op\":\"broker\"");
	json_add_text_or_null(out, "away", mqtt_boards_away(s->mqtt_boards));
	buf_char(out, '}');
	return true;
}

static void on_devices(struct control_peer *p, const struct control_question *q)
{
	const char *pattern = json_string(q->json, "device");
	bool enrolled = json_true(q->json, "enrolled");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf one = { 0 }, batch = { 0 };
	struct board *d = NULL;
	size_t count = 0;

	while ((d = registry_next(&p->server->registry, d, pattern))) {
		if (enrolled && !is_enrolled(d))
			continue;
		buf_reset(&one);
		control_begin_device(&one, "device", d);
		buf_char(&one, '}');
		add_object(p, &batch, &one);
		count++;
	}
	if (enrolled && !pattern)
		count += add_away(p, &batch);
	buf_reset(&one);
	if (json_true(q->json, "watch") && print_broker(&one, p->server))
		add_object(p, &batch, &one);
	buf_reset(&one);
	buf_printf(&one, "{\"op\":\"end\",\"count\":%zu", count);
	if (!count && device_word_check(p->server, pattern, true, &why)) {
		buf_text(&one, ",\"unknown\":");
		control_error_encode(&one, &why);
	}
	buf_char(&one, '}');
	control_encode(&batch, CONTROL_JSON, one.data, one.len);
	flush_batch(p, &batch);
	if (!json_true(q->json, "watch") || p->finishing)
		return;
	p->watching = true;
	mem_free(p->watched);
	p->watched = mem_strdup(pattern);
}

/* All that fit may be moved by it, or none is. */
static int check_leases(const struct control_peer *p, const char *pattern,
			struct error *err)
{
	struct board *d = NULL;

	while ((d = registry_next(&p->server->registry, d, pattern))) {
		if (leasing_check(p, d, err))
			return -1;
	}
	return 0;
}

static void on_kick(struct control_peer *p, const struct control_question *q)
{
	const char *pattern = json_string(q->json, "device");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct board *d, *next;
	size_t count = 0;

	if (!pattern) {
		error_set(&why, ERR_USAGE, "'kick' needs a device");
		control_peer_error(p, &why);
		return;
	}
	if (device_word_check(p->server, pattern, false, &why) ||
	    check_leases(p, pattern, &why)) {
		control_peer_error(p, &why);
		return;
	}
	error_set(&why, ERR_CONNECT, "the connection was ended by 'kick'");
	for (d = registry_next(&p->server->registry, NULL, pattern); d;
	     d = next) {
		next = registry_next(&p->server->registry, d, pattern);
		/* Its goodbye goes to it before the broker ends it. */
		if (d->link.learned)
			board_goodbye(d);
		board_end(d, &why);
		if (d->mqtt)
			mqtt_boards_kick(p->server->mqtt_boards, d);
		count++;
	}
	buf_printf(&out, "{\"op\":\"kicked\",\"count\":%zu}", count);
	send_json(p, &out);
}

static void on_stop(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)q;
	buf_text(&out, "{\"op\":\"stopping\"}");
	send_json(p, &out);
	/* Never closed: its end tells the asker that this process has ended. */
	if (!p->server->stopping && fcntl(p->fd, F_DUPFD_CLOEXEC, 0) < 0)
		log_debug("control: no descriptor is left");
	p->server->stopping = true;
	p->server->wake = true;
}

static void on_status(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 }, hint = { 0 };

	(void)q;
	buf_printf(&out, "{\"op\":\"status\",\"pid\":%d", (int)getpid());
	json_add_text(&out, "version", MCPCTL_VERSION);
	buf_text(&out, ",\"addresses\":");
	if (p->server->door)
		door_addresses(p->server->door, &out);
	else
		buf_text(&out, "[]");
	buf_printf(&out, ",\"devices\":%zu,\"came\":%" PRIu64,
		   p->server->registry.count, p->server->came);
	if (p->server->config.power_cmd)
		buf_text(&out, ",\"power\":true");
	departed_hint(&hint, p->server, NULL, NULL);
	json_add_text(&out, "hint", buf_string(&hint));
	buf_char(&out, '}');
	send_json(p, &out);
}

static void on_greet(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int protocol = member_int(q->json, "protocol");

	p->foreign = protocol == CONTROL_PROTOCOL ? 0 : protocol;
	member_copy(q->json, "leases", p->tokens, sizeof(p->tokens));
	greeting_answer(&out, (int)getpid());
	send_json(p, &out);
}

static void on_layers(struct control_peer *p, const struct control_question *q)
{
	(void)q;
	attached_layers(p);
}

static const struct op {
	const char *name;
	void (*run)(struct control_peer *p, const struct control_question *q);
	bool always; /* it means the same in every protocol */
} ops[] = {
	{ "greet", on_greet, true },
	{ "attach", on_attach, false },
	{ "tool", on_tool, false },
	{ "devices", on_devices, false },
	{ "fan", broadcast_ask, false },
	{ "kick", on_kick, false },
	{ "stop", on_stop, true },
	{ "status", on_status, false },
	{ "names", names_ask, false },
	{ "upload", on_upload, false },
	{ "layers", on_layers, false },
	{ "lease", leasing_ask, false },
	{ "release", leasing_release, false },
	{ "power", power_ask, false },
	{ "host", hosting_ask, false },
	{ "hold", held_ask, false },
	{ "up", held_up_ask, false },
	{ "down", held_down_ask, false },
	{ "failed", held_failed_ask, false },
	{ "close", held_close_ask, false },
};

static const struct op *find_op(const char *name)
{
	for (size_t i = 0; name && i < COUNT(ops); i++) {
		if (strcmp(ops[i].name, name) == 0)
			return &ops[i];
	}
	return NULL;
}

static void ask(struct control_peer *p, const char *text, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr) cJSON *question = json_parse(text, len, &why);
	const char *op = json_string(question, "op");
	const struct op *known = find_op(op);

	if (known && (known->always || !p->foreign)) {
		known->run(p, &(struct control_question){ question,
							  { text, len } });
		return;
	}
	if (known)
		error_set(&why, ERR_PROTOCOL,
			  "the command speaks protocol %d, this serve %d",
			  p->foreign, CONTROL_PROTOCOL);
	else if (op)
		error_set(&why, ERR_PROTOCOL, "serve knows no question '%s'",
			  op);
	else if (question)
		error_set(
			&why, ERR_PROTOCOL,
			"a question to serve is an object with the text member 'op'");
	error_hint(&why, "this serve is version " MCPCTL_VERSION
			 ": restart it if the command is of a newer one");
	control_peer_error(p, &why);
}

static void refuse_frame(struct control_peer *p, const char *what)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_PROTOCOL, "%s", what);
	control_peer_error(p, &why);
}

static void on_frame(struct control_peer *p, const struct control_frame *f)
{
	switch (f->kind) {
	case CONTROL_JSON:
		ask(p, f->data, f->len);
		break;
	case CONTROL_TEXT:
		if (p->held)
			held_frame(p, f->data, f->len);
		else if (p->device)
			attached_text(p, f->data, f->len);
		else
			refuse_frame(p,
				     "a message before a device was attached");
		break;
	case CONTROL_BINARY:
		if (p->device)
			attached_sound(p, f->data, f->len);
		else
			refuse_frame(p, "sound before a device was attached");
		break;
	}
}

/* Nothing comes back to it. */
static void on_leave(struct control_peer *p)
{
	attached_leave(p);
	broadcast_abandon(p);
	leasing_leave(p);
	power_leave(p);
	hosting_abandon(p);
	held_leave(p);
}

/* ---- what happens to devices ---- */

static void tell_watchers(struct board *d, const char *change)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct packet *packet = NULL;
	struct control_peer *p;

	for (p = d->server->control->first; p; p = p->next) {
		if (!p->watching || !device_fits(d, p->watched))
			continue;
		if (!packet) {
			control_begin_device(&text, "device", d);
			json_add_text(&text, "change", change);
			buf_char(&text, '}');
			packet = packet_new(CONTROL_JSON, text.data, text.len);
		}
		control_peer_offer(p, packet);
	}
	packet_release(packet);
}

void control_changed(struct board *d, const char *change)
{
	struct control *c = d->server->control;
	struct control_peer *p;

	if (!c)
		return;
	tell_watchers(d, change);
	for (p = c->first; p; p = p->next) {
		if (p->waiting && device_fits(d, p->pattern))
			attached_look_again(p);
	}
}

void control_broker(struct serve *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct packet *packet;

	if (!s->control || !print_broker(&text, s))
		return;
	packet = packet_new(CONTROL_JSON, text.data, text.len);
	for (struct control_peer *p = s->control->first; p; p = p->next) {
		if (p->watching)
			control_peer_offer(p, packet);
	}
	packet_release(packet);
}

/*
 * serve's Unix socket: who may come, and the end. What the commands say is
 * control_peer.c's matter.
 */

#define REST_MS 1000
#define LAST_WORDS_MS 300

static void on_incoming(uv_poll_t *poll, int status, int events);

static void listen_again(void *owner)
{
	struct control *c = owner;

	if (!c->closing)
		uv_poll_start(&c->poll, UV_READABLE, on_incoming);
}

static void refuse(struct control *c, const char *why)
{
	struct records *log = &c->server->records;

	records_add(log, RECORD_REFUSED, LEVEL_WARN, NULL, NULL,
		    "refused on the control socket: %s", why);
}

/* It is told before it is closed; a new socket has room for one frame. */
static void refuse_too_many(struct control *c, int fd)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 }, frame = { 0 };

	error_set(&why, ERR_CONNECT, "serve has %d commands, which is the most",
		  CONTROL_PEERS_MAX);
	error_hint(&why, "end some of them, or try again");
	control_error_text(&text, "error", &why);
	control_encode(&frame, CONTROL_JSON, text.data, text.len);
	if (send(fd, frame.data, frame.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		refuse(c, "too many commands, and one that left");
	else
		refuse(c, "too many commands");
	close(fd);
}

static void take(struct control *c, int fd)
{
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
	    who.uid != geteuid()) {
		refuse(c, "a program of another user");
		close(fd);
	} else if (c->count >= CONTROL_PEERS_MAX) {
		refuse_too_many(c, fd);
	} else {
		control_peer_open(c, fd, (int)who.pid);
	}
}

static void on_incoming(uv_poll_t *poll, int status, int events)
{
	struct control *c = poll->data;

	(void)status;
	(void)events;
	for (;;) {
		int fd = accept4(c->fd, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			break;
		take(c, fd);
	}
	/* No descriptor is left: the socket would stay readable. */
	if (errno != EAGAIN) {
		uv_poll_stop(&c->poll);
		timer_start(&c->rest, REST_MS);
	}
}

static void release_if_done(struct control *c)
{
	void (*closed)(void *owner) = c->closed;
	void *owner = c->owner;

	if (!c->closing || c->handles || c->first)
		return;
	mem_free(c->path);
	mem_free(c);
	if (closed)
		closed(owner);
}

static void on_peer_closed(struct control_peer *p)
{
	struct control *c = p->control;

	if (p->previous)
		p->previous->next = p->next;
	else
		c->first = p->next;
	if (p->next)
		p->next->previous = p->previous;
	c->count--;
	mem_free(p);
	release_if_done(c);
}

static const struct control_above above = {
	.frame = on_frame,
	.step = broadcast_step,
	.leave = on_leave,
	.closed = on_peer_closed,
};

int control_open(struct control **out, struct serve *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct control *c;
	struct stat file;
	int fd;

	*out = NULL;
	if (control_path(&path, s->config.socket, true, err))
		return -1;
	fd = control_listen(path, &file, err);
	if (fd < 0)
		return -1;
	c = mem_zalloc(sizeof(*c));
	c->server = s;
	c->above = &above;
	c->path = TAKE(path);
	c->socket = file;
	c->fd = fd;
	c->handles = 2;
	uv_poll_init(loop_uv(s->loop), &c->poll, fd);
	c->poll.data = c;
	uv_poll_start(&c->poll, UV_READABLE, on_incoming);
	timer_open(&c->rest, s->loop, listen_again, c);
	*out = c;
	return 0;
}

int control_check(struct serve *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (control_path(&path, s->config.socket, true, err))
		return -1;
	return control_listen_check(path, err);
}

const char *control_socket(const struct control *c)
{
	return c->path;
}

static void on_handle_closed(void *owner)
{
	struct control *c = owner;

	c->handles--;
	release_if_done(c);
}

static void on_poll_closed(uv_handle_t *handle)
{
	struct control *c = handle->data;

	close(c->fd);
	on_handle_closed(c);
}

/* Another serve may have put its own there. */
static void remove_socket(const struct control *c)
{
	struct stat now;

	if (!lstat(c->path, &now) && now.st_ino == c->socket.st_ino &&
	    now.st_dev == c->socket.st_dev)
		unlink(c->path);
}

static void say_goodbye(struct control_peer *p)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "serve was stopped");
	if (p->finishing || p->closing)
		return;
	if (p->device)
		control_tell_error(p, "gone", &why);
	else if (p->waiting || p->watching || p->fan || p->leasing)
		control_peer_error(p, &why);
	control_peer_finish(p, LAST_WORDS_MS);
}

void control_close(struct control *c, void (*closed)(void *owner), void *owner)
{
	struct control_peer *p, *next;

	if (c->closing)
		return;
	c->closing = true;
	c->closed = closed;
	c->owner = owner;
	remove_socket(c);
	for (p = c->first; p; p = next) {
		next = p->next;
		say_goodbye(p);
	}
	uv_close((uv_handle_t *)&c->poll, on_poll_closed);
	timer_close(&c->rest, on_handle_closed);
}

/*
 * Makes serve's listening socket, where no other serve listens.
 */

#define BACKLOG 128
#define LOCK_TRIES 100
#define LOCK_PAUSE_NS 10000000

static void close_ptr(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/*
 * Two serves that start at once would each take the other's new socket for a
 * stale one: so its folder is locked meanwhile. Somebody else's lock on a
 * shared folder must not keep us for ever: then it goes without.
 */
static int lock_folder(const char *path)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	const char *slash = strrchr(path, '/');
	CLEANUP(mem_free_ptr) char *folder = NULL;
	int fd;

	folder = slash ? mem_strndup(path, (size_t)(slash - path) + 1) :
			 mem_strdup(".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	/* control_path has measured it. */
	if (len < sizeof(address.sun_path))
		memcpy(address.sun_path, path, len);
	return address;
}

static int explain_running(int fd, const char *path, struct error *err)
{
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.pid)
		error_set(err, ERR_CONNECT,
			  "another serve is running there (pid %d): '%s'",
			  (int)who.pid, path);
	else
		error_set(err, ERR_CONNECT,
			  "another serve is running there: '%s'", path);
	return error_hint(
		err,
		"'serve' and 'open' keep one: end it with 'mcpctl stop', or give this one a socket of its own with --socket FILE");
}

static int explain(const char *path, const char *what, struct error *err)
{
	int error = errno;

	error_set(err, ERR_CONNECT, "%s the control socket '%s': %s", what,
		  path, strerror(error));
	error_hint(
		err, "%s",
		error == EMFILE || error == ENFILE ?
			"raise the limit: ulimit -n 1024" :
			"its folder must exist and be yours; --socket FILE names another place");
	return error_code(err, error);
}

/* Nobody may be behind it, which must be certain: then the file is removed. */
static int clear_stale(const char *path, struct error *err)
{
	struct sockaddr_un address = address_of(path);
	CLEANUP(close_ptr) int fd = -1;
	bool exists;

	if (control_path_check(path, &exists, err))
		return -1;
	if (!exists)
		return 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return explain(path, "cannot ask", err);
	/* EAGAIN: its backlog is full, so somebody listens. */
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    errno == EAGAIN)
		return explain_running(fd, path, err);
	if (errno != ECONNREFUSED && errno != ENOENT)
		return explain(path, "cannot ask", err);
	unlink(path);
	return 0;
}

/* Private from the first moment on. */
static int bind_private(int fd, const char *path)
{
	struct sockaddr_un address = address_of(path);
	mode_t old = umask(0177);
	int status = bind(fd, (struct sockaddr *)&address, sizeof(address));

	umask(old);
	return status;
}

static int check_mode(const char *path, struct stat *out, struct error *err)
{
	if (lstat(path, out))
		return explain(path, "cannot look at", err);
	if (S_ISSOCK(out->st_mode) && (out->st_mode & 0777) == 0600)
		return 0;
	unlink(path);
	error_set(err, ERR_CONNECT,
		  "the control socket '%s' would be open to other users", path);
	return error_hint(
		err,
		"its file system keeps no modes; --socket FILE names another place");
}

static int listen_alone(const char *path, struct stat *out, struct error *err)
{
	int fd;

	if (clear_stale(path, err))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return explain(path, "cannot make", err);
	if (bind_private(fd, path)) {
		explain(path, "cannot make", err);
		close(fd);
		return -1;
	}
	if (listen(fd, BACKLOG)) {
		explain(path, "cannot listen on", err);
		unlink(path);
		close(fd);
		return -1;
	}
	if (check_mode(path, out, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* -1 (ERR_CONNECT): another serve listens there. */
static int control_listen_check(const char *path, struct error *err)
{
	int lock = lock_folder(path);
	int status = clear_stale(path, err);

	if (lock >= 0)
		close(lock);
	return status;
}

/* The listening descriptor; *out: the file. -1 as control_open. */
static int control_listen(const char *path, struct stat *out, struct error *err)
{
	int lock = lock_folder(path);
	int fd = listen_alone(path, out, err);

	if (lock >= 0)
		close(lock);
	return fd;
}
