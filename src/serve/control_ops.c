/* SPDX-License-Identifier: MIT */
/*
 * What commands ask serve itself (wire/control_frames.h), and what it tells those who
 * watch. The relay of a device is in attached.c, requests to many in broadcast.c.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "serve/control_private.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"
#include "wire/greeting.h"
#include "wire/member.h"

#define BATCH (64u << 10) /* bytes of device objects that go together */
#define WHICH_MAX 100 /* devices that a message lists */
#define PATIENCE_MAX (INT64_C(10) * 24 * 3600 * 1000)

static void send_json(struct control_peer *p, const struct buf *text)
{
	control_peer_send(p, CONTROL_JSON, buf_string(text), text->len);
}

void control_tell_error(struct control_peer *p, const char *op,
			const struct error *why)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "{\"op\":\"%s\",\"error\":", op);
	control_error_encode(&text, why);
	buf_char(&text, '}');
	send_json(p, &text);
}

void control_begin_device(struct buf *out, const char *op,
			  const struct board *d)
{
	buf_printf(out, "{\"op\":\"%s\",\"device\":{", op);
	board_describe(out, d);
	buf_char(out, '}');
}

static void add_line(struct buf *out, const struct board *d)
{
	CLEANUP(mem_free_ptr) char *pick = device_pattern(d);

	buf_printf(out, "%s%s", out->len ? "\n" : "", pick);
	if (d->alias)
		buf_printf(out, " (%s)", d->alias);
	if (d->board)
		buf_printf(out, ", %s", d->board);
	if (d->state != DEVICE_READY)
		buf_printf(out, ", %s", board_state_name(d->state));
}

int control_which(struct serve *s, const char *pattern, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	struct board *d = NULL;
	size_t count = 0;

	while ((d = registry_next(&s->registry, d, pattern))) {
		if (count++ < WHICH_MAX)
			add_line(&list, d);
	}
	if (count > WHICH_MAX)
		buf_printf(&list, "\nand %zu more", count - WHICH_MAX);
	if (pattern)
		error_set(err, ERR_USAGE, "%zu devices fit '%s'", count,
			  pattern);
	else
		error_set(err, ERR_USAGE, "there are %zu devices: which one?",
			  count);
	error_hint(err, "name one with -d/--device: its id, client id or "
			"alias; --all takes all of them");
	return error_detail(err, buf_string(&list), list.len);
}

/* ---- the questions ---- */

static void on_attach(struct control_peer *p, const cJSON *question,
		      struct span text)
{
	(void)text;
	if (json_integer(question, "timeout", &p->timeout) != 0 ||
	    p->timeout < 0 || p->timeout > PATIENCE_MAX)
		p->timeout = 0;
	attached_ask(p, json_string(question, "device"),
		     json_true(question, "tail"));
}

/* The only device that fits; NULL: *err says why there is none. */
static struct board *only_device(struct control_peer *p, const char *pattern,
				 struct error *err)
{
	struct serve *s = p->server;
	struct board *d = registry_next(&s->registry, NULL, pattern);

	if (d && registry_next(&s->registry, d, pattern)) {
		control_which(s, pattern, err);
		return NULL;
	}
	if (!d && pattern)
		error_set(err, ERR_CONNECT, "no device fits '%s'", pattern);
	else if (!d)
		error_set(err, ERR_CONNECT, "no device is there");
	if (!d)
		error_hint(err, "'mcpctl devices' lists those that are");
	return d;
}

/* The list that a question is about; NULL in *out: nothing is listed. */
static int find_list(struct control_peer *p, const cJSON *question,
		     const struct shared_list **out, const char **broke,
		     struct error *err)
{
	const char *list = json_string(question, "list");
	struct board *d = p->device;

	*broke = NULL;
	if (list) {
		*out = tool_lists_find(&p->server->bank, list);
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

static void on_tool(struct control_peer *p, const cJSON *question,
		    struct span text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *nearest = NULL;
	const char *name = json_string(question, "name"), *broke;
	const struct shared_list *list;
	struct span tool;

	(void)text;
	if (!name)
		error_set(&why, ERR_USAGE, "'tool' needs a name");
	if (!name || find_list(p, question, &list, &broke, &why)) {
		control_peer_error(p, &why);
		return;
	}
	buf_printf(&out, "{\"op\":\"tool\",\"tools\":%zu",
		   list ? list->count : 0);
	if (list && shared_list_tool(list, name, &tool)) {
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

static void on_upload(struct control_peer *p, const cJSON *question,
		      struct span text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *url = NULL;
	struct board *d = p->device;

	(void)text;
	if (!d)
		d = only_device(p, json_string(question, "device"), &why);
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
	struct buf one = { 0 };
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
	buf_done(&one);
	return count;
}

static void on_devices(struct control_peer *p, const cJSON *question,
		       struct span text)
{
	const char *pattern = json_string(question, "device");
	bool enrolled = json_true(question, "enrolled");
	CLEANUP(buf_done) struct buf one = { 0 }, batch = { 0 };
	struct board *d = NULL;
	size_t count = 0;

	(void)text;
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
	buf_printf(&one, "{\"op\":\"end\",\"count\":%zu}", count);
	control_encode(&batch, CONTROL_JSON, one.data, one.len);
	flush_batch(p, &batch);
	if (!json_true(question, "watch") || p->finishing)
		return;
	p->watching = true;
	mem_free(p->watched);
	p->watched = mem_strdup(pattern);
}

static void on_kick(struct control_peer *p, const cJSON *question,
		    struct span text)
{
	const char *pattern = json_string(question, "device");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct board *d, *next;
	size_t count = 0;

	(void)text;
	if (!pattern) {
		error_set(&why, ERR_USAGE, "'kick' needs a device");
		control_peer_error(p, &why);
		return;
	}
	error_set(&why, ERR_CONNECT, "the connection was ended by 'kick'");
	for (d = registry_next(&p->server->registry, NULL, pattern); d;
	     d = next) {
		next = registry_next(&p->server->registry, d, pattern);
		if (d->mqtt)
			mqtt_boards_kick(p->server->rack, d);
		board_end(d, &why);
		count++;
	}
	buf_printf(&out, "{\"op\":\"kicked\",\"count\":%zu}", count);
	send_json(p, &out);
}

static void on_stop(struct control_peer *p, const cJSON *question,
		    struct span text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)question;
	(void)text;
	buf_text(&out, "{\"op\":\"stopping\"}");
	send_json(p, &out);
	/* Never closed: its end tells the asker that this process has ended. */
	if (!p->server->stopping && fcntl(p->fd, F_DUPFD_CLOEXEC, 0) < 0)
		log_debug("control: no descriptor is left");
	p->server->stopping = true;
	serve_wake(p->server);
}

static void on_status(struct control_peer *p, const cJSON *question,
		      struct span text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)question;
	(void)text;
	buf_printf(&out, "{\"op\":\"status\",\"pid\":%d", (int)getpid());
	json_add_text(&out, "version", MCPCTL_VERSION);
	buf_text(&out, ",\"addresses\":");
	if (p->server->door)
		door_addresses(p->server->door, &out);
	else
		buf_text(&out, "[]");
	buf_printf(&out, ",\"devices\":%zu,\"came\":%" PRIu64 "}",
		   p->server->registry.count, p->server->came);
	send_json(p, &out);
}

static void on_greet(struct control_peer *p, const cJSON *question,
		     struct span text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int protocol = member_int(question, "protocol");

	(void)text;
	p->foreign = protocol == CONTROL_PROTOCOL ? 0 : protocol;
	greeting_answer(&out, (int)getpid());
	send_json(p, &out);
}

static const struct op {
	const char *name;
	void (*run)(struct control_peer *p, const cJSON *question,
		    struct span text);
	bool always; /* it means the same in every protocol */
} ops[] = {
	{ "greet", on_greet, true },	 { "attach", on_attach, false },
	{ "tool", on_tool, false },	 { "devices", on_devices, false },
	{ "fan", broadcast_ask, false }, { "kick", on_kick, false },
	{ "stop", on_stop, true },	 { "status", on_status, false },
	{ "names", names_ask, false },	 { "upload", on_upload, false },
};

static const struct op *find_op(const char *name)
{
	for (size_t i = 0; name && i < COUNT(ops); i++) {
		if (!strcmp(ops[i].name, name))
			return &ops[i];
	}
	return NULL;
}

void control_ask(struct control_peer *p, const char *text, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr) cJSON *question = json_parse(text, len, &why);
	const char *op = json_string(question, "op");
	const struct op *known = find_op(op);

	if (known && (known->always || !p->foreign)) {
		known->run(p, question, (struct span){ text, len });
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
		error_set(&why, ERR_PROTOCOL,
			  "a question to serve is an object with the text "
			  "member 'op'");
	error_hint(&why, "this serve is version " MCPCTL_VERSION
			 ": restart it if the command is of a newer one");
	control_peer_error(p, &why);
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
