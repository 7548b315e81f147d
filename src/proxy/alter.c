/* SPDX-License-Identifier: MIT */
/* What is changed on purpose: a list of members, and a table of faults. */
#include "proxy/alter.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "proxy/edits.h"
#include "wire/envelope.h"

#define REPLY_LATE_MS 11000 /* past a call's usual 10 s */
#define HELLO_LATE_MS 5000
#define WRONG_BY 1000

enum fault_kind {
	LATE_REPLY,
	NO_REPLY,
	DROP_REPLY,
	TWO_REPLIES,
	WRONG_ID,
	STRING_ID,
	NOT_JSON,
	CUT_FRAME,
	HANG,
	NO_FEATURES,
	NO_HELLO,
	LATE_HELLO,
	FAULT_KINDS
};

/* In the order of that. */
const struct alter_row alter_rows[] = {
	/* clang-format off */
	{ "late-reply", "a reply goes on after 11 s (late-reply=500ms: after that)" },
	{ "no-reply", "a reply never goes on" },
	{ "drop", "drop=reply/3: each third reply does not go on" },
	{ "two-replies", "a reply goes on twice" },
	{ "wrong-id", "a reply goes on with an id that nobody asked with" },
	{ "string-id", "a reply goes on with its id as a string" },
	{ "not-json", "a line that is no JSON goes on in place of a reply" },
	{ "cut-frame", "half of the frame of a reply goes on, then both sides are reset" },
	{ "hang", "from a reply on nothing that the board says goes on" },
	{ "no-features", "the board's hello has no features" },
	{ "no-hello", "the board's hello does not go on" },
	{ "late-hello", "it goes on after 5 s (late-hello=2s: after that)" },
	{ NULL, NULL }
	/* clang-format on */
};

struct planned {
	enum fault_kind kind;
	int64_t amount; /* ms, or each so manieth */
	size_t counter; /* of the state's, for such a one */
	char *tool; /* NULL: of any */
};

struct set_member {
	char *pointer, *json;
};

struct alterations {
	struct set_member *set;
	size_t sets, sets_capacity;
	struct planned *fault;
	size_t faults, faults_capacity;
};

struct alterations *alterations_new(void)
{
	return mem_zalloc(sizeof(struct alterations));
}

void alterations_free(struct alterations *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->sets; i++) {
		mem_free(a->set[i].pointer);
		mem_free(a->set[i].json);
	}
	for (size_t i = 0; i < a->faults; i++)
		mem_free(a->fault[i].tool);
	mem_free(a->set);
	mem_free(a->fault);
	mem_free(a);
}

bool alterations_any(const struct alterations *a)
{
	return a && (a->sets || a->faults);
}

/* ---- what the user wants ---- */

int alterations_set(struct alterations *a, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	CLEANUP(mem_free_ptr) char *pointer = NULL;

	if (!equals)
		return error_set(
			err, ERR_USAGE,
			"'%.100s' has no '=': expected POINTER=JSON, as in /payload/result/isError=true",
			text);
	pointer = mem_strndup(text, (size_t)(equals - text));
	if (edit_check_pointer(pointer, err))
		return -1;
	if (json_check(equals + 1, strlen(equals + 1), err)) {
		error_prefix(err, "behind '%.100s='", pointer);
		err->kind = ERR_USAGE;
		return error_hint(err, "a text is JSON in quotes: '%s=\"%s\"'",
				  pointer, equals + 1);
	}
	a->set = mem_grow(a->set, &a->sets_capacity, a->sets, sizeof(*a->set));
	a->set[a->sets++] =
		(struct set_member){ TAKE(pointer), mem_strdup(equals + 1) };
	return 0;
}

static int unknown(const char *name, struct error *err)
{
	const char *names[FAULT_KINDS];
	CLEANUP(mem_free_ptr) char *near = NULL;
	CLEANUP(buf_done) struct buf list = { 0 };

	for (size_t i = 0; i < FAULT_KINDS; i++) {
		names[i] = alter_rows[i].name;
		buf_printf(&list, "%s%-12s %s", i ? "\n" : "", names[i],
			   alter_rows[i].brief);
	}
	near = text_proposal(name, names, FAULT_KINDS);
	error_set(err, ERR_USAGE, "there is no fault '%.60s' for a proxy%s",
		  name, near);
	error_hint(
		err,
		"what a proxy can do to what passes is listed here; the other faults of 'mcpctl help faults' need a board of our own (mcpctl sim)");
	error_detail(err, buf_string(&list), list.len);
	return -1;
}

static int take_value(struct planned *f, const char *value, struct error *err)
{
	const char *name = alter_rows[f->kind].name;

	if (f->kind == DROP_REPLY) {
		if (value && text_starts(value, "reply/") &&
		    !text_integer(value + 6, 1, INT32_MAX, &f->amount))
			return 0;
		return error_set(err, ERR_USAGE,
				 "fault 'drop': expected drop=reply/N");
	}
	f->amount = f->kind == LATE_HELLO ? HELLO_LATE_MS : REPLY_LATE_MS;
	if (!value)
		return 0;
	if (f->kind != LATE_REPLY && f->kind != LATE_HELLO)
		return error_set(err, ERR_USAGE, "fault '%s' takes no value",
				 name);
	if (text_duration(value, &f->amount, err))
		return error_prefix(err, "fault '%s'", name);
	return 0;
}

static size_t drops(const struct alterations *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->faults; i++)
		count += a->fault[i].kind == DROP_REPLY;
	return count;
}

/* "late-reply=2s:self.x"; text is cut up. */
static int take_fault(struct alterations *a, char *text, struct error *err)
{
	char *tool = strchr(text, ':'), *value;
	struct planned f = { 0 };
	unsigned i = 0;

	if (tool)
		*tool++ = '\0';
	value = strchr(text, '=');
	if (value)
		*value++ = '\0';
	while (i < FAULT_KINDS && strcmp(text, alter_rows[i].name) != 0)
		i++;
	if (i == FAULT_KINDS)
		return unknown(text, err);
	f.kind = (enum fault_kind)i;
	if (take_value(&f, value, err))
		return -1;
	if (tool && (!*tool || f.kind >= NO_FEATURES))
		return error_set(
			err, ERR_USAGE,
			"fault '%s': behind ':' stands a tool's name%s", text,
			*tool ? ", which a hello does not have" : "");
	f.counter = drops(a);
	if (f.kind == DROP_REPLY && f.counter == ALTER_DROPS)
		return error_set(err, ERR_USAGE,
				 "fault 'drop': more than %d of them",
				 ALTER_DROPS);
	f.tool = tool ? mem_strdup(tool) : NULL;
	a->fault = mem_grow(a->fault, &a->faults_capacity, a->faults,
			    sizeof(*a->fault));
	a->fault[a->faults++] = f;
	return 0;
}

int alterations_fault(struct alterations *a, const char *text,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(text);
	char *rest = copy, *one;

	while ((one = strsep(&rest, ",")) != NULL) {
		if (take_fault(a, one, err))
			return -1;
	}
	return 0;
}

/* ---- what a message is ---- */

/* Its number; of another id, which hosts of MCP may have, a hash. */
static int64_t key_of(const struct message *m)
{
	return m->has_number ? m->number :
			       (int64_t)text_hash(m->id.text, m->id.len);
}

static void remember(struct alter_state *s, const struct message *m)
{
	CLEANUP(mem_free_ptr) char *tool = NULL;
	struct span name;

	if (m->kind != MESSAGE_REQUEST)
		return;
	if (strcmp(m->method, "tools/call") == 0 && m->params.text &&
	    json_span_member(m->params, "name", &name))
		tool = json_span_string(name);
	s->asked[s->next].id = key_of(m);
	snprintf(s->asked[s->next].tool, sizeof(s->asked[0].tool), "%s",
		 tool ? tool : "");
	s->next = (s->next + 1) % ALTER_ASKED;
	s->asks++;
}

/* The tool that it is the reply of; "": of another request. */
static const char *tool_of(const struct alter_state *s, const struct message *m)
{
	unsigned known = s->asks < ALTER_ASKED ? s->asks : ALTER_ASKED;

	for (unsigned i = 1; i <= known; i++) {
		unsigned at = (s->next + ALTER_ASKED - i) % ALTER_ASKED;

		if (m->id.text && s->asked[at].id == key_of(m))
			return s->asked[at].tool;
	}
	return "";
}

static bool is_reply(const struct message *m)
{
	return m->kind == MESSAGE_RESULT || m->kind == MESSAGE_ERROR;
}

/* Without a tool named, it is of the replies to calls, as in sim. */
static bool concerns(const struct planned *f, const struct envelope *e,
		     const char *tool)
{
	if (f->kind >= NO_FEATURES)
		return json_span_is(e->type, "hello");
	if (!is_reply(&e->message))
		return false;
	if (f->kind == DROP_REPLY && !f->tool)
		return true;
	return f->tool ? strcmp(f->tool, tool) == 0 : *tool != '\0';
}

/* ---- what becomes of it ---- */

/* One that nobody asked with. */
static void add_wrong(struct buf *out, const struct message *m)
{
	const long long by =
		m->number > INT64_MAX - WRONG_BY ? -WRONG_BY : WRONG_BY;

	if (m->has_number)
		buf_printf(out, "%lld", (long long)m->number + by);
	else if (json_span_begins(m->id, '"'))
		buf_printf(out, "%.*s+%d\"", (int)m->id.len - 1, m->id.text,
			   WRONG_BY);
	else
		buf_printf(out, "-%d", WRONG_BY);
}

/* False: it is a text already, or there is none. */
static bool bend_id(struct edits *edits, const struct message *m, bool text)
{
	CLEANUP(buf_done) struct buf id = { 0 };

	if (!m->id.text || (text && json_span_begins(m->id, '"')))
		return false;
	if (text)
		buf_printf(&id, "\"%.*s\"", (int)m->id.len, m->id.text);
	else
		add_wrong(&id, m);
	edits_add(edits, m->id, buf_string(&id));
	return true;
}

static void show(const struct planned *f, struct alter_state *s,
		 const struct envelope *e, struct edits *edits,
		 struct span whole, struct altered *what)
{
	struct span features;

	switch (f->kind) {
	case LATE_REPLY:
	case LATE_HELLO:
		what->after_ms = f->amount;
		break;
	case NO_REPLY:
	case NO_HELLO:
		what->drop = true;
		break;
	case DROP_REPLY:
		if (++s->replies[f->counter] % (uint64_t)f->amount != 0)
			return;
		what->drop = true;
		break;
	case TWO_REPLIES:
		what->twice = true;
		break;
	case WRONG_ID:
	case STRING_ID:
		if (!bend_id(edits, &e->message, f->kind == STRING_ID))
			return;
		break;
	case NOT_JSON:
		edits_done(edits);
		edits_add(edits, whole, "I (48213) MCP: tool done");
		break;
	case CUT_FRAME:
		what->cut = true;
		break;
	case HANG:
		s->hung = what->hang = what->drop = true;
		break;
	case NO_FEATURES:
		if (!json_span_member(whole, "features", &features))
			return;
		edits_add(edits, features, "{}");
		break;
	case FAULT_KINDS:
		return;
	}
	what->fault = alter_rows[f->kind].name;
}

static void set_members(const struct alterations *a, struct span message,
			struct edits *edits)
{
	struct span place;

	for (size_t i = 0; i < a->sets; i++) {
		if (edit_point(message, a->set[i].pointer, &place))
			edits_add(edits, place, a->set[i].json);
	}
}

void alter_set(const struct alterations *a, struct span text,
	       struct edits *edits)
{
	if (a && a->sets && json_check(text.text, text.len, NULL) == 0)
		set_members(a, text, edits);
}

void alter_message(const struct alterations *a, struct alter_state *s,
		   bool from_device, struct span message, struct buf *out,
		   struct altered *what)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(edits_done) struct edits edits = { 0 };
	const char *tool;

	*what = (struct altered){ 0 };
	if (!alterations_any(a))
		return;
	what->hang = what->drop = from_device && s->hung;
	if (what->hang || envelope_decode(&e, message.text, message.len, NULL))
		return;
	if (!from_device)
		remember(s, &e.message);
	tool = tool_of(s, &e.message);
	for (size_t i = 0; from_device && i < a->faults; i++) {
		if (concerns(&a->fault[i], &e, tool))
			show(&a->fault[i], s, &e, &edits, message, what);
	}
	set_members(a, message, &edits);
	what->changed = edits.count > 0;
	if (what->changed)
		edits_apply(&edits, message, out);
}
