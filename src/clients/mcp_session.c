/* SPDX-License-Identifier: MIT */
/*
 * Clients that HTTP requests at the port belong to: by a
 * session id that nobody can guess, or for one request alone. Who is asked what
 * is not seen here.
 */
#include "clients/mcp_session.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "clients/mcp_post.h"
#include "clients/mcp_stream.h"

#define IDLE_MS 1800000 /* half an hour */

/* ---- its stream ---- */

/* Clients of 2025-11-25 can come back for what they missed; older ones may stumble. */
bool port_session_resumes(const struct port_session *s)
{
	const char *revision = s->port->answerer->revision(s->client);

	return !s->old && s->id[0] && revision &&
	       strcmp(revision, "2025-11-25") >= 0;
}

/* The place of an event among those that are kept; from 1. */
static char **told_at(const struct port_session *s, uint64_t event)
{
	return &s->told[(event - 1) % PORT_TOLD_MAX];
}

static void keep_told(struct port_session *s, const char *text)
{
	char **at;

	if (!s->told)
		s->told = mem_zalloc(PORT_TOLD_MAX * sizeof(*s->told));
	at = told_at(s, s->events);
	mem_free(*at);
	*at = strlen(text) <= PORT_TOLD_BYTES ? mem_strdup(text) : NULL;
}

static void forget_told(struct port_session *s)
{
	for (size_t i = 0; s->told && i < PORT_TOLD_MAX; i++)
		mem_free(s->told[i]);
	mem_free(TAKE(s->told));
}

bool port_session_tell(void *owner, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf event = { 0 };
	struct port_session *s = owner;

	if (port_session_resumes(s)) {
		buf_printf(&event, "id: 0-%" PRIu64 "\n", ++s->events);
		port_event_text(&event, "message", text, len);
		keep_told(s, buf_string(&event));
	} else {
		port_event_text(&event, "message", text, len);
	}
	if (!s->stream || port_stream_is_full(s->stream))
		return false;
	port_stream_write(s->stream, event.data, event.len);
	return true;
}

static void tell_again(const struct port_session *s, const char *last)
{
	int64_t from;

	if (strncmp(last, "0-", 2) != 0 ||
	    text_integer(last + 2, 0, INT64_MAX, &from) || !s->told)
		return;
	if (s->events > PORT_TOLD_MAX &&
	    (uint64_t)from < s->events - PORT_TOLD_MAX)
		from = (int64_t)(s->events - PORT_TOLD_MAX);
	for (uint64_t event = (uint64_t)from + 1; event <= s->events; event++) {
		const char *text = *told_at(s, event);

		if (text)
			port_stream_write(s->stream, text, strlen(text));
	}
}

void port_session_stream(struct port_session *s, struct front_request *rq,
			 const char *last)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	if (s->stream) /* the client has lost it, or counts wrong */
		port_stream_end(s->stream);
	s->stream = port_stream_new(s->port, rq, &headers);
	s->stream->session = s;
	if (last)
		tell_again(s, last);
}

/* ---- sessions ---- */

struct port_session *port_session_new(struct mcp_port *p)
{
	struct port_session *s = mem_zalloc(sizeof(*s));

	s->port = p;
	s->client = p->answerer->client_new(p->answerer->owner);
	p->answerer->reach(s->client, port_session_tell, s);
	s->used = loop_now();
	return s;
}

static bool is_busy(const struct port_session *s)
{
	const struct port_post *post = s->port->posts;

	while (post && post->session != s)
		post = post->next;
	return post || s->stream || s->open;
}

/* Clients that never say goodbye must not keep others out. The newest are first in the list. */
static void make_room(struct mcp_port *p)
{
	struct port_session *oldest = NULL;

	for (struct port_session *s = p->sessions; s; s = s->next) {
		if (!is_busy(s) && (!oldest || s->used <= oldest->used))
			oldest = s;
	}
	if (oldest)
		port_session_bury(oldest);
}

int port_session_publish(struct port_session *s)
{
	struct mcp_port *p = s->port;

	if (p->session_count >= PORT_SESSIONS_MAX)
		make_room(p);
	if (p->session_count >= PORT_SESSIONS_MAX)
		return -1;
	random_hex(s->id);
	s->next = p->sessions;
	p->sessions = s;
	p->session_count++;
	return 0;
}

struct port_session *port_session_find(const struct mcp_port *p, const char *id,
				       bool old)
{
	for (struct port_session *s = p->sessions; s; s = s->next) {
		if (s->old == old && strcmp(s->id, id) == 0) {
			s->used = loop_now();
			return s;
		}
	}
	return NULL;
}

static void unlist(struct port_session *s)
{
	struct port_session **at = &s->port->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->port->session_count--;
}

void port_session_bury(struct port_session *s)
{
	struct mcp_port *p = s->port;

	if (s->id[0])
		unlist(s);
	s->id[0] = '\0';
	s->next = p->buried;
	p->buried = s;
	timer_start(&p->bury, 0);
}

static void free_all(const struct answerer *a, struct port_session **list)
{
	struct port_session *s;

	while ((s = *list) != NULL) {
		*list = s->next;
		a->client_free(s->client);
		forget_told(s);
		mem_free(s);
	}
}

void port_sessions_buried(void *owner)
{
	struct mcp_port *p = owner;

	free_all(p->answerer, &p->buried);
}

void port_sessions_expire(struct mcp_port *p)
{
	int64_t idle = p->options.idle ? p->options.idle : IDLE_MS;
	int64_t now = loop_now();
	struct port_session *next;

	if (p->options.path) /* at the next request, by mcp_narrow.c */
		return;
	for (struct port_session *s = p->sessions; s; s = next) {
		next = s->next;
		if (is_busy(s) || now - s->used < idle)
			continue;
		port_coming(p, "a session ended: it was unused");
		port_session_bury(s);
	}
}

void port_sessions_free(struct mcp_port *p)
{
	free_all(p->answerer, &p->sessions);
	free_all(p->answerer, &p->buried);
	p->session_count = 0;
}
