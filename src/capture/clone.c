/* SPDX-License-Identifier: MIT */
#include "capture/clone.h"
#include "base/map.h"
#include "base/mem.h"
#include "wire/envelope.h"
#include "wire/jsonrpc.h"

#include <string.h>

#define ID_PLACE "${id}" /* as sim reads it */
#define EVENTS_MAX 1000

/* Requests of a connection that nothing answers, so far. */
struct unreplied {
	uint32_t conn;
	size_t count;
	const struct step *first;
};

struct cloning {
	const struct steps *s;
	struct map waiting; /* of struct unreplied, by connection */
	unsigned device;
	cJSON *profile, *replies, *events, *notes;
	int64_t begun_us; /* of the events: when the conversation began; -1 */
	uint32_t conn; /* … and which */
	size_t unanswered, unclear, events_left_out, beginnings;
};

static bool is_of(const struct cloning *c, const struct step *s,
		  enum event_from from)
{
	return s->device == c->device && s->from == from &&
	       s->kind == CAPTURED_TEXT;
}

static void add_text(cJSON *object, const char *name, const char *text)
{
	cJSON_AddStringToObject(object, name, text);
}

/* ---- replies ---- */

/* The reply with a place for the id; false: it cannot be told where that is. */
static bool with_place(const struct step *reply, struct buf *out)
{
	const char *text = reply->message.text;
	size_t len = reply->message.len, at;
	struct span id = { 0 };

	if (!json_span_member(reply->message, "id", &id))
		return false;
	at = (size_t)(id.text - text);
	if (memmem(text, at, ID_PLACE, strlen(ID_PLACE)))
		return false;
	buf_add(out, text, at);
	buf_text(out, ID_PLACE);
	buf_add(out, id.text + id.len, len - at - id.len);
	return true;
}

/* What was asked, as a profile has it. */
static cJSON *new_reply(const struct step *asked, const struct step *reply)
{
	CLEANUP(json_free_ptr)
	cJSON *message =
		json_parse(asked->message.text, asked->message.len, NULL);
	const char *method = json_string(message, "method");
	cJSON *params = json_object(message, "params");
	int64_t delay_ms = (reply->at_us - asked->at_us + 500) / 1000;
	cJSON *one;

	if (!method)
		return NULL;
	one = cJSON_CreateObject();
	add_text(one, "method", method);
	if (params)
		cJSON_AddItemToObject(one, "params",
				      cJSON_Duplicate(params, true));
	cJSON_AddNumberToObject(one, "delay_ms", (double)delay_ms);
	return one;
}

static void add_reply(struct cloning *c, const struct step *asked,
		      const struct step *reply)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	bool whole = with_place(reply, &text);
	cJSON *one = whole || reply->asked == NO_STEP ?
			     new_reply(asked, reply) :
			     NULL;

	if (!one) {
		c->unclear++;
		return;
	}
	if (whole)
		add_text(one, "reply", buf_string(&text));
	else
		add_text(one, "frame", reply->text);
	cJSON_AddItemToArray(c->replies, one);
}

static struct unreplied *of_conn(const struct cloning *c, uint32_t conn)
{
	const uint64_t hash = map_hash(&conn, sizeof(conn));
	struct unreplied *u;
	size_t at = 0;

	while ((u = map_find(&c->waiting, hash, &at)))
		if (u->conn == conn)
			return u;
	return NULL;
}

static void add_unanswered(struct cloning *c, const struct step *s)
{
	struct unreplied *u = of_conn(c, s->conn);

	c->unanswered++;
	if (!u) {
		u = mem_zalloc(sizeof(*u));
		*u = (struct unreplied){ .conn = s->conn, .first = s };
		map_add(&c->waiting, map_hash(&s->conn, sizeof(s->conn)), u);
	}
	u->count++;
}

static void forget_unanswered(struct cloning *c)
{
	struct unreplied *u;
	size_t at = 0;

	while ((u = map_each(&c->waiting, &at)))
		mem_free(u);
	map_done(&c->waiting);
}

/* Broken JSON answers what waits for an answer, if that is one request. */
static const struct step *waits_for(const struct cloning *c,
				    const struct step *broken)
{
	const struct unreplied *u = of_conn(c, broken->conn);

	return u && u->count == 1 ? u->first : NULL;
}

static void look_at_reply(struct cloning *c, const struct step *s)
{
	const struct step *asked;

	if (s->cut) {
		c->beginnings++;
		return;
	}
	if (s->asked != NO_STEP) {
		add_reply(c, &c->s->item[s->asked], s);
		return;
	}
	if (strcmp(s->key, "text that is no JSON") != 0)
		return;
	asked = waits_for(c, s);
	if (asked)
		add_reply(c, asked, s);
	else
		c->unclear++;
}

/* ---- what it says by itself ---- */

/* What sim says by itself, and what only means something in answer. */
static bool is_own_event(const struct step *s)
{
	static const char *const not_one[] = {
		"hello", "listen", "goodbye", "text that is no JSON",
		"JSON",	 "batch",  "reply to"
	};

	for (size_t i = 0; i < COUNT(not_one); i++)
		if (strncmp(s->key, not_one[i], strlen(not_one[i])) == 0)
			return false;
	return !s->id;
}

static void add_event(struct cloning *c, const struct step *s)
{
	cJSON *message, *event;
	int64_t after_ms = (s->at_us - c->begun_us) / 1000;

	if (cJSON_GetArraySize(c->events) >= EVENTS_MAX) {
		c->events_left_out++;
		return;
	}
	message = json_parse(s->message.text, s->message.len, NULL);
	if (!cJSON_IsObject(message)) {
		cJSON_Delete(message);
		return;
	}
	cJSON_DeleteItemFromObjectCaseSensitive(message, "session_id");
	event = cJSON_CreateObject();
	cJSON_AddNumberToObject(event, "after_ms", (double)after_ms);
	cJSON_AddItemToObject(event,
			      json_member(message, "method") ? "notification" :
							       "message",
			      message);
	cJSON_AddItemToArray(c->events, event);
}

/* Events are those of the first conversation, from the server hello on. */
static void look_at_event(struct cloning *c, const struct step *s)
{
	if (c->begun_us >= 0 && s->conn == c->conn && is_own_event(s))
		add_event(c, s);
}

/* ---- what it is ---- */

static void add_hello(struct cloning *c, const struct step *s)
{
	if (strcmp(s->key, "hello") == 0 && !json_member(c->profile, "says"))
		add_text(c->profile, "says", s->text);
}

/* Its name and version, as it told them in its answer to initialize. */
static void add_server(struct cloning *c, const struct step *s)
{
	CLEANUP(json_free_ptr)
	cJSON *reply = json_parse(s->message.text, s->message.len, NULL);
	const cJSON *info =
		json_object(json_object(reply, "result"), "serverInfo");
	const char *name = json_string(info, "name");
	const char *version = json_string(info, "version");

	if (name && !json_member(c->profile, "board"))
		add_text(c->profile, "board", name);
	if (version && !json_member(c->profile, "version"))
		add_text(c->profile, "version", version);
}

static void look(struct cloning *c, const struct step *s)
{
	if (is_of(c, s, FROM_BACKEND)) {
		if (s->id && s->asked == NO_STEP && s->answer == NO_STEP)
			add_unanswered(c, s);
		if (c->begun_us < 0) {
			c->begun_us = s->at_us;
			c->conn = s->conn;
		}
		return;
	}
	if (!is_of(c, s, FROM_DEVICE))
		return;
	add_hello(c, s);
	if (strcmp(s->key, "reply to initialize") == 0)
		add_server(c, s);
	look_at_reply(c, s);
	look_at_event(c, s);
}

static void note(struct cloning *c, size_t count, const char *what)
{
	if (count) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("%zu %s", count, what);

		cJSON_AddItemToArray(c->notes, cJSON_CreateString(text));
	}
}

static void add_notes(struct cloning *c)
{
	note(c, c->unanswered,
	     "unanswered: such requests get the answer of a board which does not know them");
	note(c, c->unclear,
	     "answers could not be told apart, and are left out");
	note(c, c->beginnings,
	     "messages above 64 kB, of which the capture has the beginning alone, are left out");
	note(c, c->events_left_out, "messages of its own are left out");
	note(c, (size_t)c->s->lost, "events are missing in the capture");
}

static void begin(struct cloning *c, const char *from)
{
	const char *id = c->s->device[c->device];
	CLEANUP(mem_free_ptr) char *brief = mem_printf("cloned from %s", from);

	add_text(c->profile, "brief", brief);
	if (*id)
		add_text(c->profile, "device_id", id);
}

cJSON *clone_device(const struct steps *s, unsigned n, const char *from,
		    struct error *err)
{
	struct cloning c = { .s = s,
			     .device = n,
			     .profile = cJSON_CreateObject(),
			     .replies = cJSON_CreateArray(),
			     .events = cJSON_CreateArray(),
			     .notes = cJSON_CreateArray(),
			     .begun_us = -1 };
	bool empty;

	begin(&c, from);
	for (size_t i = 0; i < s->count; i++)
		look(&c, &s->item[i]);
	forget_unanswered(&c);
	add_notes(&c);
	empty = !c.replies->child;
	cJSON_AddItemToObject(c.profile, "notes", c.notes);
	cJSON_AddItemToObject(c.profile, "events", c.events);
	cJSON_AddItemToObject(c.profile, "replies", c.replies);
	if (!empty)
		return c.profile;
	cJSON_Delete(c.profile);
	error_set(err, ERR_UNMET, "'%s' has no answer of a device in it", from);
	return NULL;
}
