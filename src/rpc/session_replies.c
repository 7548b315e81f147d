/* SPDX-License-Identifier: MIT */
/*
 * Replies: matched with their calls by id, in any order; errors put into
 * words; what matches nothing becomes an event. Never fatal.
 */
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "rpc/session_state.h"

/* What is longer than this is given as detail too, since error.text is cut. */
enum { MESSAGE_FITS = 400 };

#define RETRY_AFTER_MOST (10 * 24 * 3600) /* seconds */

/* The newest of that id, since ids may wrap. */
static struct past_call *find_past(struct session *s, int64_t id)
{
	for (size_t back = 1; back <= PAST_CALLS && back <= s->past_next;
	     back++) {
		struct past_call *p =
			&s->past[(s->past_next - back) % PAST_CALLS];

		if (p->id == id)
			return p;
	}
	return NULL;
}

/* s may be NULL: then only the standard ones have names. */
static const char *code_name(const struct session *s, int code)
{
	const char *name = s && s->code_name ? s->code_name(code) : NULL;

	return name ? name : jsonrpc_code_name(code);
}

/* Many peers begin with the name of the code, or say nothing else: once will do. */
static void describe_named(struct error *e, const char *name, int code,
			   const char *message)
{
	const char *found = text_find(message, name);
	const char *rest = found ? found + strlen(name) : NULL;

	if (rest && !*rest)
		error_set(e, ERR_PEER, "%s (%d)", message, code);
	else if (found == message && text_starts(rest, ": "))
		error_set(e, ERR_PEER, "%s (%d): %s", name, code, rest + 2);
	else
		error_set(e, ERR_PEER, "%s (%d): %s", name, code, message);
}

static void describe_error(const struct session *s, struct error *e,
			   const char *message, const int *code_sent)
{
	bool has_code = code_sent != NULL;
	int code = has_code ? *code_sent : 0;
	const char *name = has_code ? code_name(s, code) : NULL;

	if (!message || !message[0])
		message = "the peer sent an error without a message";
	if (name)
		describe_named(e, name, code, message);
	else if (has_code)
		error_set(e, ERR_PEER, "error %d: %s", code, message);
	else
		error_set(e, ERR_PEER, "%s", message);
	if (has_code)
		error_code(e, code);
	if (strlen(message) > MESSAGE_FITS)
		error_detail(e, message, strlen(message));
}

static const char *error_message(const struct message *m)
{
	if (cJSON_IsString(m->error))
		return m->error->valuestring;
	return json_string(m->error, "message");
}

/* What the peer adds under "data", as it came. */
static void add_data(struct error *e, const struct message *m)
{
	struct span whole = { m->text, m->len }, error, data;

	if (!e->detail && json_span_member(whole, "error", &error) &&
	    json_span_member(error, "data", &data))
		error_detail(e, data.text, data.len);
}

/* Seconds, as the LLM service says it; they need not be whole. */
static void add_retry_after(struct error *e, const struct message *m)
{
	const cJSON *data = json_object(m->error, "data");
	const cJSON *member = json_member(data, "retry_after");

	if (!cJSON_IsNumber(member) || !(member->valuedouble > 0))
		return;
	if (member->valuedouble < RETRY_AFTER_MOST) {
		int64_t ms = (int64_t)(member->valuedouble * 1000);

		error_retry_after(
			e, ms + ((double)ms < member->valuedouble * 1000));
	} else {
		error_retry_after(e, (int64_t)RETRY_AFTER_MOST * 1000);
	}
}

static void reply_error(const struct session *s, struct error *e,
			const struct message *m)
{
	int64_t code = 0;
	bool has_code = json_integer(m->error, "code", &code) == 0 &&
			code >= INT_MIN && code <= INT_MAX;
	int narrow = has_code ? (int)code : 0;

	if (s && s->link.relayed && narrow == SERVE_NOT_SENT) {
		error_set(e, ERR_CONNECT, "%s", error_message(m));
		error_code(e, narrow);
		return;
	}
	describe_error(s, e, error_message(m), has_code ? &narrow : NULL);
	add_data(e, m);
	add_retry_after(e, m);
}

void session_peer_error(struct error *e, const struct message *m)
{
	reply_error(NULL, e, m);
}

static void report_late(struct session *s, int64_t id, const char *text,
			size_t len)
{
	struct past_call *p = find_past(s, id);
	char ago[32];

	if (!p && s->shared)
		return; /* somebody else's */
	if (!p) {
		session_odd(s, text, len,
			    "reply to call %lld, which is not known here",
			    (long long)id);
		return;
	}
	text_milliseconds((loop_now_us() - p->ended_us) / 1000, ago,
			  sizeof(ago));
	if (p->answered)
		session_odd(s, text, len,
			    "second reply to call %d (%s), %s after the first",
			    (int)id, p->label, ago);
	else
		session_odd(s, text, len,
			    "late reply to call %d (%s), %s after it was "
			    "given up",
			    (int)id, p->label, ago);
	p->answered = true;
}

static void report_no_id(struct session *s, const struct message *m)
{
	const char *message = m->error ? error_message(m) : NULL;

	session_odd(s, m->text, m->len, "reply with an id that no call has%s%s",
		    message ? ": " : "", message ? message : "");
}

static void report_shape(struct session *s, const struct message *m)
{
	if (m->id_was_text)
		session_odd(s, m->text, m->len,
			    "the reply to call %lld has its id as a text",
			    (long long)m->number);
	if (m->both && m->kind == MESSAGE_ERROR)
		session_odd(s, m->text, m->len,
			    "the reply to call %lld has both a result and an "
			    "error; the error counts",
			    (long long)m->number);
}

void session_reply_take(struct session *s, struct message *m)
{
	struct call *c = m->has_number ? session_find_call(s, m->number) : NULL;

	if (!m->has_number) {
		report_no_id(s, m);
		return;
	}
	if (!c) {
		report_late(s, m->number, m->text, m->len);
		return;
	}
	report_shape(s, m);
	if (m->kind == MESSAGE_ERROR)
		reply_error(s, &c->failure, m);
	message_take(&c->reply, m);
	session_end_call(s, c, true);
}

/* device.md 3.7: the text is what the device meant, the frame is in detail. */
static void end_broken(struct session *s, struct call *c,
		       const struct link_item *item)
{
	const struct salvage *salvage = &item->salvage;
	CLEANUP(mem_free_ptr) char *label = call_label(c);

	if (salvage->is_error) {
		describe_error(s, &c->failure, salvage->message,
			       salvage->has_code ? &salvage->code : NULL);
		error_hint(&c->failure,
			   "the JSON of this reply is broken (%s): firmware "
			   "pastes error texts in without escaping; shown is "
			   "what it meant",
			   item->problem.text);
	} else {
		error_set(&c->failure, ERR_PROTOCOL,
			  "the reply to '%s' is broken: %s", label,
			  item->problem.text);
	}
	error_detail(&c->failure, c->broken, strlen(c->broken));
	session_end_call(s, c, true);
}

void session_broken_reply(struct session *s, const struct link_item *item,
			  const char *text, size_t len)
{
	const struct salvage *salvage = &item->salvage;
	struct call *c =
		salvage->has_id ? session_find_call(s, salvage->id) : NULL;
	const struct past_call *p =
		salvage->has_id ? find_past(s, salvage->id) : NULL;

	if (c) {
		c->broken = mem_strndup(text, len);
		end_broken(s, c, item);
	} else if (p) {
		session_odd(s, text, len,
			    "%s; it looks like a reply to call %d (%s), which "
			    "is over",
			    item->problem.text, (int)p->id, p->label);
	} else if (!s->shared || !salvage->has_id) {
		session_odd(s, text, len, "%s", item->problem.text);
	}
}
