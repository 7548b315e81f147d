/* SPDX-License-Identifier: MIT */
/*
 * The board that is played says what it would say, in its own bytes: to nobody,
 * who greets it as a backend does.
 */
#include "check/backend_plan.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/ota_ask.h"
#include "sim/pretend.h"

#define SESSION "(as the backend says)"
#define END_MS 1000

struct backend_plan {
	struct checkup *k;
	struct pretend device;
	const char *what; /* what is said now is; NULL: it is not shown */
	unsigned count;
	bool gone;
};

static void show(struct backend_plan *p, const char *what, const char *text,
		 size_t len)
{
	struct renderer *r = &p->k->in->app->out;
	const struct plan_record record = { .risk = risk_name(RISK_LOOK),
					    .what = what,
					    .text = { text, len } };

	p->count++;
	if (r->ops->plan)
		r->ops->plan(r, &record);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct backend_plan *p = owner;

	if (p->what)
		show(p, p->what, text, len);
}

static void on_binary(void *owner, const void *data, size_t len)
{
	(void)owner;
	(void)data;
	(void)len;
}

static void on_audio(void *owner, const struct udp_offer *offer)
{
	(void)owner;
	(void)offer;
}

static void on_drop(void *owner)
{
	(void)owner;
}

static void on_note(void *owner, enum pretend_note what, const char *text)
{
	(void)owner;
	(void)what;
	(void)text;
}

static const struct pretend_events events = {
	.text = on_text,
	.binary = on_binary,
	.audio = on_audio,
	.drop = on_drop,
	.note = on_note,
};

static void on_closed(void *owner)
{
	struct backend_plan *p = owner;

	p->gone = true;
}

/* ---- what is said ---- */

static void greet(struct backend_plan *p, bool mqtt)
{
	static const char ws[] =
		"{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"" SESSION
		"\"}";
	static const char udp[] =
		"{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":\"" SESSION
		"\",\"udp\":{\"server\":\"127.0.0.1\",\"port\":1,\"key\":\"00000000000000000000000000000000\",\"nonce\":\"01000000000000000000000000000000\"}}";

	p->what = "the session begins";
	if (mqtt)
		pretend_text(&p->device, udp, strlen(udp));
	else
		pretend_text(&p->device, ws, strlen(ws));
}

static void show_talk(struct backend_plan *p, bool mqtt)
{
	const char *say = p->k->options->say;

	p->what = mqtt ? "hello, at a broker once it was quiet for 1.5 s" :
			 "hello, at a WebSocket";
	pretend_open(&p->device);
	if (mqtt)
		pretend_begin_session(&p->device);
	greet(p, mqtt);
	p->what = NULL;
	show(p, "answers to initialize, tools/list and tools/call, as it asks",
	     NULL, 0);
	p->what = "what --say has the user say";
	if (say)
		pretend_say_words(&p->device, say);
	p->what = "the session ends";
}

static void show_board(struct backend_plan *p, const struct board_self *self,
		       const struct profile *canary, bool mqtt)
{
	struct loop *l = p->k->in->app->loop;
	const struct pretend_config config = { .loop = l,
					       .profile = canary,
					       .events = &events,
					       .owner = p,
					       .mqtt = mqtt,
					       .frame_version = 1 };

	pretend_init(&p->device, &config, self->device_id, self->client_id);
	show_talk(p, mqtt);
	pretend_end_session(&p->device);
	p->what = NULL;
	p->gone = false;
	pretend_close(&p->device, on_closed);
	while (!p->gone)
		loop_wait(l, &p->gone, loop_now() + END_MS, NULL);
}

static int show_ota(struct backend_plan *p, const struct board_self *self,
		    const char *url, struct error *err)
{
	struct board_ws_url u;
	struct buf request;
	const char *body;

	if (exchange_url(&u, self, url, err))
		return -1;
	ota_question(&request, self, &u);
	body = strstr(buf_string(&request), "\r\n\r\n") + 4;
	show(p, "the question of OTA (POST)", body, strlen(body));
	show(p, "if the answer has a challenge (POST …/activate)", "{}", 2);
	buf_done(&request);
	board_ws_url_done(&u);
	return 0;
}

/* Of OTA both: where it leads is not known. */
int backend_plan_show(struct checkup *k, const struct board_self *self,
		      const char *url, struct error *err)
{
	const bool http = text_starts(url, "http");
	struct backend_plan p = { .k = k };
	struct profile *canary = profile_load("canary", NULL, err);
	int status;

	if (!canary)
		return -1;
	status = http ? show_ota(&p, self, url, err) : 0;
	if (!status && !text_starts(url, "mqtt"))
		show_board(&p, self, canary, false);
	if (!status && !text_starts(url, "ws"))
		show_board(&p, self, canary, true);
	profile_free(canary);
	if (!status)
		render_note(&k->in->app->out, "%u messages%s; nothing was sent",
			    p.count, http ? ", of one way or the other" : "");
	return status;
}
