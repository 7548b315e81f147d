/* SPDX-License-Identifier: MIT */
#include "cli/hearing.h"

#include "base/mem.h"
#include "net/voice.h"

struct hearing {
	struct budget *budget;
	struct voices voices;
	struct voice *voice; /* NULL: nobody is there */
};

int hearing_open(struct connection *c, struct error *err)
{
	const char *folder = c->app->config.save_audio;

	if (!folder || c->hearing)
		return 0;
	c->hearing = mem_zalloc(sizeof(*c->hearing));
	c->hearing->budget = budget_new();
	if (voices_open(&c->hearing->voices, folder, c->hearing->budget, err) ==
	    0)
		return 0;
	hearing_close(c);
	return -1;
}

static void on_told(void *owner, const struct voice_news *news)
{
	const struct connection *c = owner;
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("the board: %s%s%s", news->text,
				news->hint ? "\n" : "",
				news->hint ? news->hint : "");
	const struct notice n = { .kind = NOTICE_UTTERANCE,
				  .text = line,
				  .file = news->file };

	if (c->session)
		session_notice(c->session, &n);
}

void hearing_frame(struct connection *c, bool outgoing, enum frame_kind kind,
		   struct span frame)
{
	struct hearing *h = c->hearing;
	const struct link *l = c->session ? session_link(c->session) : NULL;
	const struct session_peer *peer;

	if (!h || !l)
		return;
	peer = session_peer(c->session);
	if (!h->voice)
		h->voice = voice_new(&h->voices,
				     peer && peer->device_id ? peer->device_id :
				     peer		     ? peer->address :
							       NULL,
				     on_told, c);
	if (kind == FRAME_TEXT)
		voice_text(h->voice, !outgoing, frame.text, frame.len);
	else if (!outgoing)
		voice_frame(h->voice, l->frame_version, frame.text, frame.len);
}

void hearing_end(struct connection *c)
{
	if (c->hearing)
		voice_free(TAKE(c->hearing->voice));
}

void hearing_close(struct connection *c)
{
	struct hearing *h = TAKE(c->hearing);

	if (!h)
		return;
	voice_free(h->voice);
	budget_free(h->budget);
	mem_free(h);
}
