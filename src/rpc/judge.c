/* SPDX-License-Identifier: MIT */
#include "rpc/judge.h"

#include "base/loop.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"

/* ---- calls that are over ---- */

static void forget(struct past_call *p)
{
	mem_free(p->label);
	mem_free(p->asker_id);
	*p = (struct past_call){ 0 };
}

struct past_call *past_add(struct past_calls *p, int32_t id, bool answered)
{
	struct past_call *place;

	if (!p->item)
		p->item = mem_zalloc(p->capacity * sizeof(*p->item));
	place = &p->item[p->next++ % p->capacity];
	forget(place);
	place->id = id;
	place->answered = answered;
	place->ended_us = loop_now_us();
	return place;
}

static size_t kept(const struct past_calls *p)
{
	return p->next < p->capacity ? p->next : p->capacity;
}

struct past_call *past_find(const struct past_calls *p, int64_t id)
{
	for (size_t back = 1; id && back <= kept(p); back++) {
		struct past_call *one =
			&p->item[(p->next - back) % p->capacity];

		if (one->id == id)
			return one;
	}
	return NULL;
}

void past_forget(struct past_calls *p, const void *who)
{
	for (size_t i = 0; i < kept(p); i++) {
		if (p->item[i].whose == who)
			p->item[i].whose = NULL;
		if (p->item[i].peer == who)
			p->item[i].peer = NULL;
	}
}

void past_done(struct past_calls *p)
{
	for (size_t i = 0; i < kept(p); i++)
		forget(&p->item[i]);
	mem_free(p->item);
	*p = (struct past_calls){ .capacity = p->capacity };
}

/* ---- words ---- */

const char *judge_error_text(const struct message *m)
{
	if (cJSON_IsString(m->error))
		return m->error->valuestring;
	return json_string(m->error, "message");
}

char *judge_call(int64_t id, const char *label)
{
	return mem_printf("call %lld (%s)", (long long)id, label);
}

char *judge_past(const char *call, struct past_call *p)
{
	bool second = p->answered;
	char ago[32];

	text_milliseconds((loop_now_us() - p->ended_us) / 1000, ago,
			  sizeof(ago));
	p->answered = true;
	return second ? mem_printf("second reply to %s, %s after the first",
				   call, ago) :
			mem_printf("late reply to %s, %s after it was given up",
				   call, ago);
}

char *judge_unknown(int64_t id)
{
	return mem_printf("reply to call %lld, which is not known here",
			  (long long)id);
}

char *judge_no_id(struct message *m)
{
	const char *message =
		message_keep(m, NULL) == 0 ? judge_error_text(m) : NULL;

	return mem_printf("reply with an id that no call has%s%s",
			  message ? ": " : "", message ? message : "");
}

void judge_shape(struct words *out, const struct message *m)
{
	CLEANUP(mem_free_ptr)
	char *call =
		mem_printf("the reply to call %lld has ", (long long)m->number);

	if (m->id_was_text) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("%sits id as a text", call);

		words_add(out, text);
	}
	if (m->both && m->kind == MESSAGE_ERROR) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"%sboth a result and an error; the error counts", call);

		words_add(out, text);
	}
}

char *judge_broken(const struct error *problem, const char *call)
{
	return mem_printf("%s; it looks like a reply to %s, which is over",
			  problem->text, call);
}

char *judge_odd(const struct message *m, const char *why)
{
	return mem_printf("%s%s",
			  m->kind == MESSAGE_UNKNOWN ? "JSON, but " : "", why);
}

char *judge_hello(unsigned hellos)
{
	return mem_printf(
		"the device said hello again (%u times by now); it was answered again",
		hellos);
}
