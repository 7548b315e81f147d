/* SPDX-License-Identifier: MIT */
#include "capture/steps.h"
#include "base/mem.h"
#include "wire/envelope.h"

#include <string.h>

#define ASKED_BACK 256 /* so far back is looked for what a reply answers */

struct step_device {
	unsigned number;
	char id[];
};

static struct step_device *device_find(const struct steps *s, const char *id)
{
	uint64_t hash = map_hash_text(id);
	struct step_device *d;
	size_t at = 0;

	while ((d = map_find(&s->ids, hash, &at))) {
		if (strcmp(d->id, id) == 0)
			break;
	}
	return d;
}

unsigned steps_device(const struct steps *s, const char *id)
{
	const struct step_device *d = device_find(s, id);

	return d ? d->number : NO_DEVICE;
}

static struct step_device *device_add(struct steps *s, const char *id)
{
	const size_t size = strlen(id) + 1;
	struct step_device *d = mem_alloc(sizeof(*d) + size);

	d->number = (unsigned)s->devices;
	memcpy(d->id, id, size);
	map_add(&s->ids, map_hash_text(id), d);
	s->device = mem_grow(s->device, &s->device_capacity, s->devices,
			     sizeof(char *));
	s->device[s->devices++] = d->id;
	s->bytes += sizeof(*d) + sizeof(*s->device) + size;
	return d;
}

/* Which one that device is; a new one if it was not seen. */
static unsigned device_number(struct steps *s, const char *device)
{
	const char *id = device ? device : "";
	const struct step_device *d = device_find(s, id);

	return d ? d->number : device_add(s, id)->number;
}

/* The member of params that says what is asked for: a tool's name, a URI. */
static char *subject_of(const struct message *m)
{
	static const char *const names[] = { "name", "uri" };
	struct span found[COUNT(names)] = { 0 };

	if (!m->params.text)
		return NULL;
	json_span_members(m->params, names, COUNT(names), found);
	return json_span_string(found[0].text ? found[0] : found[1]);
}

static char *request_key(const struct message *m)
{
	CLEANUP(mem_free_ptr) char *subject = subject_of(m);

	return subject ? mem_printf("%s %s", m->method, subject) :
			 mem_strdup(m->method);
}

static bool same_conversation(const struct step *a, const struct step *b)
{
	return a->conn == b->conn && a->device == b->device;
}

/* Which request is answered: the last one of that id that is not yet. */
static size_t asked_by(const struct steps *s, const struct step *reply)
{
	size_t least = s->count > ASKED_BACK ? s->count - ASKED_BACK : 0;

	for (size_t i = s->count; i-- > least;) {
		const struct step *asked = &s->item[i];

		if (asked->id && asked->asked == NO_STEP &&
		    asked->answer == NO_STEP && asked->from != reply->from &&
		    same_conversation(asked, reply) &&
		    strcmp(asked->id, reply->id) == 0)
			return i;
	}
	return NO_STEP;
}

static char *reply_key(const struct steps *s, struct step *step)
{
	if (step->id)
		step->asked = asked_by(s, step);
	/* Without a request it has no id that anybody could answer. */
	if (step->asked == NO_STEP) {
		mem_free(TAKE(step->id));
		return mem_strdup("reply to nobody");
	}
	return mem_printf("reply to %s", s->item[step->asked].key);
}

static char *message_key(const struct steps *s, struct step *step,
			 const struct message *m)
{
	if (m->id.text)
		step->id = mem_copy(m->id.text, m->id.len);
	switch (m->kind) {
	case MESSAGE_REQUEST:
		return request_key(m);
	case MESSAGE_NOTIFICATION:
		mem_free(TAKE(step->id));
		return mem_strdup(m->method);
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		return reply_key(s, step);
	case MESSAGE_BATCH:
		return mem_strdup("batch");
	default:
		return mem_strdup("JSON");
	}
}

/* "hello", "tts start": a device's message that is none of JSON-RPC. */
static char *device_key(const struct step *step, struct span type)
{
	struct span frame = { step->text, step->len }, state = { 0 };
	CLEANUP(mem_free_ptr) char *name = json_span_string(type);
	CLEANUP(mem_free_ptr) char *how = NULL;

	if (json_span_member(frame, "state", &state))
		how = json_span_string(state);
	return mem_printf("%s%s%s", name ? name : "", how ? " " : "",
			  how ? how : "");
}

/* Of what is cut it can be said what it answers, by the id near its beginning. */
static char *beginning_key(const struct steps *s, struct step *step)
{
	CLEANUP(salvage_done) struct salvage found = { 0 };

	jsonrpc_salvage(step->text, step->len, &found);
	if (!found.has_id)
		return mem_strdup("text that is cut");
	step->id = mem_copy(found.id_text.text, found.id_text.len);
	return reply_key(s, step);
}

static char *text_key(const struct steps *s, struct step *step)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };

	if (step->cut)
		return beginning_key(s, step);
	if (envelope_decode(&e, step->text, step->len, NULL))
		return mem_strdup("text that is no JSON");
	if (!e.message.text || e.message.kind == MESSAGE_UNKNOWN)
		return e.type.text ? device_key(step, e.type) :
				     mem_strdup("JSON");
	step->message = (struct span){ e.message.text, e.message.len };
	return message_key(s, step, &e.message);
}

/* "POST /ota/": the words of the request line but the last. */
static char *http_key(const struct capture_event *e)
{
	size_t len = e->head.text ? strcspn(e->head.text, "\r\n") : 0;
	const char *stop;

	if (len > e->head.len)
		len = e->head.len;
	stop = len ? memrchr(e->head.text, ' ', len) : NULL;
	return len ? mem_copy(e->head.text,
			      stop ? (size_t)(stop - e->head.text) : len) :
		     mem_strdup("request");
}

/* The last request of this connection that has no response yet. */
static char *response_key(const struct steps *s, struct step *step)
{
	size_t least = s->count > ASKED_BACK ? s->count - ASKED_BACK : 0;

	for (size_t i = s->count; i-- > least;) {
		const struct step *asked = &s->item[i];

		if (!same_conversation(asked, step) ||
		    asked->kind != CAPTURED_REQUEST)
			continue;
		if (asked->answer != NO_STEP)
			break;
		step->asked = i;
		return mem_printf("response to %s", asked->key);
	}
	return mem_strdup("response");
}

static char *step_key(const struct steps *s, struct step *step,
		      const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_OPEN:
		return mem_strdup("opens");
	case CAPTURED_END:
		return mem_strdup("ends");
	case CAPTURED_REQUEST:
		return http_key(e);
	case CAPTURED_RESPONSE:
		return response_key(s, step);
	default:
		return text_key(s, step);
	}
}

static bool is_step(const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_OPEN:
	case CAPTURED_END:
	case CAPTURED_REQUEST:
	case CAPTURED_RESPONSE:
	case CAPTURED_TEXT:
		return true;
	default:
		return false;
	}
}

bool steps_add(struct steps *s, const struct capture_event *e)
{
	struct step step = { .n = e->n,
			     .at_us = e->at_us,
			     .conn = e->conn,
			     .leg = e->leg,
			     .kind = e->kind,
			     .from = e->from,
			     .len = e->data.len,
			     .cut = e->cut,
			     .asked = NO_STEP,
			     .answer = NO_STEP,
			     .status = e->status,
			     .code = e->code };

	if (e->kind == CAPTURED_LOST)
		s->lost += e->count;
	if (!is_step(e))
		return false;
	step.device = device_number(s, e->device);
	step.text = mem_copy(e->data.len ? e->data.text : "", e->data.len);
	step.message = (struct span){ step.text, step.len };
	step.key = step_key(s, &step, e);
	s->item = mem_grow(s->item, &s->capacity, s->count, sizeof(*s->item));
	if (step.asked != NO_STEP)
		s->item[step.asked].answer = s->count;
	s->item[s->count++] = step;
	s->bytes += sizeof(step) + step.len + strlen(step.key);
	return true;
}

/* Nobody knows whose is what has no name; what was lost may be of anyone. */
static bool is_of(const struct capture_event *e, const char *device)
{
	return !device || e->kind == CAPTURED_LOST ||
	       (e->device && strcmp(device, e->device) == 0);
}

int steps_load(struct steps *s, struct capture_reader *r, const char *device,
	       struct error *err)
{
	struct capture_event e;
	int more;

	while ((more = capture_next(r, &e, err)) > 0) {
		if (is_of(&e, device))
			steps_add(s, &e);
		if (s->bytes > STEPS_BYTES_MAX)
			return error_set(
				err, ERR_USAGE,
				"the conversation is larger than %zu MB",
				STEPS_BYTES_MAX >> 20);
	}
	return more;
}

static void step_done(struct step *s)
{
	mem_free(s->key);
	mem_free(s->text);
	mem_free(s->id);
}

size_t steps_only(struct steps *s, unsigned device, uint32_t conn)
{
	size_t *place = mem_alloc((s->count + 1) * sizeof(*place));
	size_t kept = 0, before = s->count;

	for (size_t i = 0; i < s->count; i++) {
		struct step *one = &s->item[i];

		place[i] = NO_STEP;
		if (one->device != device || one->conn != conn ||
		    one->kind != CAPTURED_TEXT) {
			step_done(one);
			continue;
		}
		place[i] = kept;
		s->item[kept++] = *one;
	}
	for (size_t i = 0; i < kept; i++) {
		struct step *one = &s->item[i];

		if (one->asked != NO_STEP)
			one->asked = place[one->asked];
		if (one->answer != NO_STEP)
			one->answer = place[one->answer];
	}
	mem_free(place);
	s->count = kept;
	return before - kept;
}

void steps_done(struct steps *s)
{
	size_t at = 0;

	for (size_t i = 0; i < s->count; i++)
		step_done(&s->item[i]);
	for (struct step_device *d; (d = map_each(&s->ids, &at));)
		mem_free(d);
	map_done(&s->ids);
	mem_free(s->item);
	mem_free(s->device);
	*s = (struct steps){ 0 };
}
