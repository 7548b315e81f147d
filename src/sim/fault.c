/* SPDX-License-Identifier: MIT */
/* The table of faults, their parsing, and replies that are bent by them. */
#include "sim/fault.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "sim/sim.h"

#include <string.h>

#define REPLY_LATE_MS 11000 /* past a call's usual 10 s */
#define HELLO_LATE_MS 5000
#define BUSY_MS 60000
#define STORM_COUNT 5000
#define HUGE_BYTES (17 << 20) /* past what a peer has to take */
#define DEEP_LEVELS 2000
#define WRONG_BY 1000

const struct sim_fault_row sim_fault_rows[] = {
	/* clang-format off */
	{ "late-reply", "a call is answered after 11 s (late-reply=500ms: after that)" },
	{ "no-reply", "a call is never answered" },
	{ "two-replies", "a call is answered twice" },
	{ "wrong-id", "the answer to a call has an id that nobody asked with" },
	{ "string-id", "the answer to a call has its id as a string" },
	{ "not-json", "a call is answered by a line that is no JSON" },
	{ "cut-frame", "the connection ends in the middle of the frame of an answer" },
	{ "close-mid-reply", "half of an answer comes, then a Close frame" },
	{ "huge", "a call is answered with 17 MB of text (huge=1000: that many bytes)" },
	{ "deep", "the answer to a call holds 2,000 lists inside each other" },
	{ "bad-utf8", "the answer to a call has bytes that are no UTF-8" },
	{ "control-characters", "the answer to a call tries to drive the terminal" },
	{ "loop-cursor", "each page of tools names itself as the next one" },
	{ "empty-page", "a page of tools is empty and names a next one" },
	{ "no-features", "the hello has no features, as before firmware 1.6.6" },
	{ "no-hello", "it connects and never says hello" },
	{ "late-hello", "it says hello after 5 s (late-hello=2s: after that)" },
	{ "duplicate-tool", "each page lists its first tool twice" },
	{ "notify-storm", "5,000 notifications come right after initialize (notify-storm=10: that many)" },
	{ "busy-loop", "a call keeps the main loop busy for 60 s (busy-loop=2s: so long): only Ping is answered" },
	{ "hang", "from a call on nothing is read, not even Ping: TCP alone acknowledges" },
	{ "half-open", "nothing reaches it once its tools are listed, and TCP stays open, as if the power went" },
	{ "no-pong", "a WebSocket Ping is not answered; all else is" },
	{ "upgrade-never", "told to fetch firmware, it does not" },
	{ "upgrade-dies", "it restarts at 60 % of the firmware that it fetches, with the old one" },
	{ "upgrade-back", "with new firmware it falls back to the old one before it asks OTA" },
	{ "upgrade-loops", "with new firmware it asks OTA, and restarts, again and again" },
	{ NULL, NULL }
	/* clang-format on */
};

static bool takes_time(enum fault f)
{
	return f == FAULT_LATE_REPLY || f == FAULT_LATE_HELLO ||
	       f == FAULT_BUSY_LOOP;
}

static bool takes_number(enum fault f)
{
	return f == FAULT_HUGE || f == FAULT_NOTIFY_STORM;
}

static int unknown(const char *name, struct error *err)
{
	const char *names[FAULT_COUNT];
	CLEANUP(mem_free_ptr) char *near = NULL;
	CLEANUP(buf_done) struct buf list = { 0 };

	buf_text(&list, "faults:");
	for (size_t i = 0; i < FAULT_COUNT; i++) {
		names[i] = sim_fault_rows[i].name;
		buf_printf(&list, "\n  %-19s %s", names[i],
			   sim_fault_rows[i].brief);
	}
	near = text_proposal(name, names, FAULT_COUNT);
	error_set(err, ERR_USAGE, "there is no fault '%s'%s", name, near);
	error_hint(err, "'mcpctl help faults' lists them");
	error_detail(err, buf_string(&list), list.len);
	return -1;
}

static int parse_value(struct fault_item *item, const char *value,
		       struct error *err)
{
	const char *name = sim_fault_rows[item->fault].name;

	item->amount = -1;
	if (!value)
		return 0;
	if (takes_time(item->fault))
		return text_duration(value, &item->amount, err) ?
			       error_prefix(err, "fault '%s'", name) :
			       0;
	if (!takes_number(item->fault))
		return error_set(err, ERR_USAGE, "fault '%s' takes no value",
				 name);
	if (text_integer(value, 0, 256 << 20, &item->amount))
		return error_set(err, ERR_USAGE,
				 "fault '%s' takes a whole number, not '%s'",
				 name, value);
	return 0;
}

/* "3:late-reply=2s"; text is cut up. */
static int parse_one(struct fault_item *item, char *text, int64_t devices,
		     struct error *err)
{
	char *colon = strchr(text, ':');
	char *name = colon ? colon + 1 : text;
	char *value = strchr(name, '=');
	int64_t device = 0;
	size_t i;

	if (colon) {
		*colon = '\0';
		if (text_integer(text, 1, INT32_MAX, &device))
			return error_set(
				err, ERR_USAGE,
				"fault '%s:%s': in front of the ':' stands the number of a device, as in 3:no-reply",
				text, name);
		if (device > devices)
			return error_set(err, ERR_USAGE,
					 "fault '%s:%s': there is no device %s",
					 text, name, text);
	}
	if (value)
		*value++ = '\0';
	for (i = 0; i < FAULT_COUNT; i++) {
		if (strcmp(name, sim_fault_rows[i].name) == 0)
			break;
	}
	if (i == FAULT_COUNT)
		return unknown(name, err);
	item->device = (uint64_t)device;
	item->fault = (enum fault)i;
	return parse_value(item, value, err);
}

int fault_plan_add(struct fault_plan *p, const char *text, int64_t devices,
		   struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(text);
	char *rest = copy, *one;

	while ((one = strsep(&rest, ",")) != NULL) {
		p->item = mem_grow(p->item, &p->capacity, p->count,
				   sizeof(*p->item));
		if (parse_one(p->item + p->count, one, devices, err))
			return -1;
		p->count++;
	}
	return 0;
}

void fault_plan_done(struct fault_plan *p)
{
	mem_free(p->item);
	*p = (struct fault_plan){ 0 };
}

static void take_amount(struct fault_set *out, const struct fault_item *item)
{
	if (item->amount < 0)
		return;
	if (item->fault == FAULT_LATE_REPLY)
		out->reply_late_ms = item->amount;
	else if (item->fault == FAULT_LATE_HELLO)
		out->hello_late_ms = item->amount;
	else if (item->fault == FAULT_BUSY_LOOP)
		out->busy_ms = item->amount;
	else if (item->fault == FAULT_HUGE)
		out->huge = item->amount;
	else
		out->storm = item->amount;
}

void fault_plan_for(const struct fault_plan *p, uint64_t device,
		    struct fault_set *out)
{
	*out = (struct fault_set){ 0 };
	out->reply_late_ms = REPLY_LATE_MS;
	out->hello_late_ms = HELLO_LATE_MS;
	out->busy_ms = BUSY_MS;
	out->storm = STORM_COUNT;
	out->huge = HUGE_BYTES;
	for (size_t i = 0; i < p->count; i++) {
		const struct fault_item *item = p->item + i;

		if (item->device && item->device != device)
			continue;
		out->bits |= 1u << item->fault;
		take_amount(out, item);
	}
}

#define BIT(fault) (1u << (fault))

/* What firmware makes, and no record of it goes through. */
static const uint32_t never_recorded =
	BIT(FAULT_WRONG_ID) | BIT(FAULT_STRING_ID) | BIT(FAULT_HUGE) |
	BIT(FAULT_DEEP) | BIT(FAULT_BAD_UTF8) | BIT(FAULT_CONTROL_CHARACTERS) |
	BIT(FAULT_LOOP_CURSOR) | BIT(FAULT_EMPTY_PAGE) |
	BIT(FAULT_DUPLICATE_TOOL) | BIT(FAULT_NOTIFY_STORM) |
	BIT(FAULT_BUSY_LOOP) | BIT(FAULT_HANG) | BIT(FAULT_HALF_OPEN);

int fault_plan_check(const struct fault_plan *p, bool recorded_answers,
		     bool recorded_hello, struct error *err)
{
	const uint32_t none = (recorded_answers ? never_recorded : 0) |
			      (recorded_hello ? BIT(FAULT_NO_FEATURES) : 0);

	for (size_t i = 0; i < p->count; i++) {
		const enum fault f = p->item[i].fault;

		if (!(none & BIT(f)))
			continue;
		error_set(
			err, ERR_USAGE,
			"fault '%s' cannot be shown: what was recorded is said as it was",
			sim_fault_rows[f].name);
		return error_hint(
			err,
			"a profile without 'replies' and 'says' shows it, as fixtures does");
	}
	return 0;
}

bool fault_has(const struct fault_set *f, enum fault which)
{
	return f->bits & (1u << which);
}

const char *fault_no_json(void)
{
	return "I (48213) MCP: tool done";
}

static void text_result(struct buf *out, const char *text)
{
	buf_reset(out);
	buf_printf(
		out,
		"{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"isError\":false}",
		text);
}

static void fill(struct buf *out, char c, size_t count)
{
	char piece[4096];

	memset(piece, c, sizeof(piece));
	for (; count > sizeof(piece); count -= sizeof(piece))
		buf_add(out, piece, sizeof(piece));
	buf_add(out, piece, count);
}

static void huge_result(struct buf *out, int64_t bytes)
{
	buf_reset(out);
	buf_text(out, "{\"content\":[{\"type\":\"text\",\"text\":\"");
	fill(out, 'x', (size_t)bytes);
	buf_text(out, "\"}],\"isError\":false}");
}

static void deep_result(struct buf *out)
{
	buf_reset(out);
	buf_text(out, "{\"content\":[],\"isError\":false,\"deep\":");
	fill(out, '[', DEEP_LEVELS);
	fill(out, ']', DEEP_LEVELS);
	buf_char(out, '}');
}

/* The body of a call's reply after faults; false: it stays as it is. */
static bool bend_call(const struct fault_set *f, struct buf *body)
{
	if (fault_has(f, FAULT_HUGE))
		huge_result(body, f->huge);
	else if (fault_has(f, FAULT_DEEP))
		deep_result(body);
	else if (fault_has(f, FAULT_BAD_UTF8))
		text_result(body, "caf\xe9 \xff\xfe \xc0\xaf");
	else if (fault_has(f, FAULT_CONTROL_CHARACTERS))
		text_result(
			body,
			"\\u001b[2J\\u001b]0;owned\\u0007\\u001b[31mred\\r\\b\\u009b1m\\u202egnihton\\u007f");
	else
		return false;
	return true;
}

/*
 * A page is bent as text: `{"tools":[` + the first tool + the rest. As the
 * next page it names its own first tool, so that asking goes on for ever.
 */
static bool bend_page(const struct fault_set *f, const struct firmware_reply *r,
		      struct buf *body)
{
	static const char head[] = "{\"tools\":[";
	const struct firmware_tool *first = r->first;
	size_t len = sizeof(head) - 1;
	const char *cut;

	if (!first ||
	    !(f->bits & (1u << FAULT_LOOP_CURSOR | 1u << FAULT_EMPTY_PAGE |
			 1u << FAULT_DUPLICATE_TOOL)))
		return false;
	buf_reset(body);
	buf_text(body, head);
	if (!fault_has(f, FAULT_EMPTY_PAGE)) {
		if (fault_has(f, FAULT_DUPLICATE_TOOL)) {
			buf_add(body, first->json, first->json_len);
			buf_char(body, ',');
		}
		buf_add(body, r->body + len, r->len - len);
	} else {
		buf_text(body, "]}");
	}
	if (!(f->bits & (1u << FAULT_LOOP_CURSOR | 1u << FAULT_EMPTY_PAGE)))
		return true;
	cut = strstr(buf_string(body), "],\"nextCursor\":\"");
	body->len = cut ? (size_t)(cut - body->data) : body->len - 2;
	buf_printf(body, "],\"nextCursor\":\"%s\"}", first->name);
	return true;
}

/* "id":5 becomes "id":"5". */
static void quote_id(struct buf *out, size_t from)
{
	CLEANUP(mem_free_ptr) char *text = mem_strdup(out->data + from);
	char *id = strstr(text, "\"id\":") + strlen("\"id\":");
	size_t digits = strcspn(id, ",");

	out->len = from;
	buf_add(out, text, (size_t)(id - text));
	buf_printf(out, "\"%.*s\"", (int)digits, id);
	buf_text(out, id + digits);
}

void fault_encode(const struct fault_set *f, const struct firmware_reply *r,
		  enum firmware_dialect dialect, struct buf *out)
{
	struct firmware_reply bent = *r;
	size_t from = out->len;
	CLEANUP(buf_done) struct buf body = { 0 };
	bool changed = false;

	if (r->method == SERVER_CALL)
		changed = bend_call(f, &body);
	else if (r->method == SERVER_LIST && !r->is_error)
		changed = bend_page(f, r, &body);
	if (changed) {
		bent.is_error = false;
		bent.body = buf_string(&body);
		bent.len = body.len;
	}
	if (r->method == SERVER_CALL && fault_has(f, FAULT_WRONG_ID))
		bent.id = bent.id > 0 ? bent.id - WRONG_BY : bent.id + WRONG_BY;
	firmware_reply_encode(&bent, dialect, out);
	if (r->method == SERVER_CALL && fault_has(f, FAULT_STRING_ID))
		quote_id(out, from);
}
