/* SPDX-License-Identifier: MIT */
/* One HTTP exchange. What the body means is caller's matter. */
#include "sim/ota_client.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define REPLY_MAX (256u << 10)
/* How long the end of TCP may follow a reply and still be "right after" it. */
#define CLOSE_WINDOW_MS 20

static void fail(struct ota_client *c, const char *why)
{
	if (c->over)
		return;
	c->over = true;
	c->events->failed(c->owner, why);
}

void ota_client_close(struct ota_client *c)
{
	c->over = true;
	tcp_close(&c->tcp);
}

static void on_connected(struct tcp *t)
{
	struct ota_client *c = t->owner;

	tcp_write(t, c->request.data, c->request.len);
	buf_done(&c->request);
	buf_init(&c->request, REPLY_MAX);
	c->asked = true;
	tcp_deadline(t, OTA_WAIT_MS);
}

/* The value of a header inside the head; NULL. *len without spaces. */
static const char *header(const char *head, const char *name, size_t *len)
{
	const char *at = head;
	size_t size = strlen(name);

	while ((at = strstr(at, "\r\n")) != NULL) {
		at += 2;
		if (strncasecmp(at, name, size) != 0 || at[size] != ':')
			continue;
		at += size + 1;
		at += strspn(at, " \t");
		*len = strcspn(at, "\r");
		return at;
	}
	return NULL;
}

static void read_headers(struct ota_client *c, const char *head)
{
	char digits[16] = "";
	const char *value;
	size_t len = 0;

	c->length = -1;
	value = header(head, "Content-Length", &len);
	if (value && len < sizeof(digits)) {
		memcpy(digits, value, len);
		if (text_integer(digits, 0, INT32_MAX, &c->length))
			c->length = -1;
	}
	value = header(head, "Transfer-Encoding", &len);
	c->chunked = value && len >= 7 && !strncasecmp(value, "chunked", 7);
	/* 5.4: with length 0 the board waits until the server closes, too */
	if (!c->chunked && c->length <= 0) {
		c->length = -1;
		c->events->hazard(c->owner, HAZARD_OTA_LENGTH);
	}
}

static void take_head(struct ota_client *c)
{
	const char *text = buf_string(&c->request);
	const char *blank = strstr(text, "\r\n\r\n");
	size_t line = strcspn(text, "\r\n");
	CLEANUP(mem_free_ptr) char *head = NULL;

	if (!blank) {
		if (c->request.len > WIRE_HEAD_MAX)
			fail(c, "the answer is no HTTP");
		return;
	}
	if (line < 12 || strncmp(text, "HTTP/1.", 7) != 0 ||
	    strncmp(text + 8, " 200", 4) != 0) {
		head = mem_printf("%.*s", (int)(line < 200 ? line : 200), text);
		fail(c, head);
		return;
	}
	head = mem_strndup(text, (size_t)(blank - text));
	read_headers(c, head);
	c->has_head = true;
	c->body_at = (size_t)(blank + 4 - text);
	tcp_deadline(&c->tcp, OTA_WAIT_MS);
}

int ota_unchunk(const char *text, size_t len, struct buf *out)
{
	size_t at = 0;

	buf_reset(out);
	for (;;) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', len - at);
		size_t size = 0;
		int digits = 0;

		if (!end)
			return len - at > 64 ? -1 : 0;
		for (; digits < 7 && strchr("0123456789abcdefABCDEF", *line) &&
		       *line;
		     line++, digits++)
			size = size * 16 +
			       (size_t)(*line <= '9' ? *line - '0' :
						       (*line | 32) - 'a' + 10);
		if (!digits || digits == 7)
			return -1;
		at = (size_t)(end + 1 - text);
		if (!size)
			return 1;
		if (len - at < size + 2)
			return 0;
		buf_add(out, text + at, size);
		at += size + 2;
	}
}

/* 1 whole, 0 not yet, -1 broken; c->body has what is there. */
static int collect(struct ota_client *c)
{
	const char *from = c->request.data + c->body_at;
	size_t len = c->request.len - c->body_at;

	if (c->chunked)
		return ota_unchunk(from, len, &c->body);
	buf_reset(&c->body);
	if (c->length >= 0 && len > (size_t)c->length)
		len = (size_t)c->length;
	buf_add(&c->body, from, len);
	if (c->length < 0)
		return c->peer_ended;
	return len == (size_t)c->length;
}

/* The reply is whole. Wait a little to see who closes first (5.4 item 8). */
static void complete(struct ota_client *c)
{
	c->whole = true;
	tcp_deadline(&c->tcp, CLOSE_WINDOW_MS);
}

static void take_body(struct ota_client *c)
{
	int state = collect(c);

	if (state < 0) {
		fail(c, "the chunked reply is broken");
		return;
	}
	if (c->body.len >= OTA_HANG || c->request.full) {
		/* The real one never comes back from here. */
		c->events->hazard(c->owner, HAZARD_OTA_TOO_LONG);
		fail(c, "the reply is 8 kB or more: a real device hangs here "
			"for good");
		return;
	}
	if (state)
		complete(c);
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct ota_client *c = t->owner;

	if (c->over || c->whole || !c->asked)
		return;
	buf_add(&c->request, data, len);
	if (!c->has_head)
		take_head(c);
	if (c->has_head && !c->over)
		take_body(c);
}

static void answer(struct ota_client *c)
{
	c->events->answered(c->owner, buf_string(&c->body), c->body.len);
}

static void on_ended(struct tcp *t, const char *why)
{
	struct ota_client *c = t->owner;

	if (c->peer_ended)
		return;
	c->peer_ended = true;
	if (c->whole) {
		if (c->length >= 0 || c->chunked)
			c->events->hazard(c->owner, HAZARD_OTA_CLOSED);
		return;
	}
	if (!c->over && c->has_head && !why)
		take_body(c);
	if (!c->whole)
		fail(c, why ? why : "closed before the reply was whole");
}

static void on_deadline(struct tcp *t)
{
	struct ota_client *c = t->owner;

	if (!c->whole)
		fail(c, c->asked ? "no whole reply within 30 s" :
				   "not connected within 10 s");
	else if (!c->over)
		answer(c);
}

static void on_closed(struct tcp *t)
{
	struct ota_client *c = t->owner;

	buf_done(&c->request);
	buf_done(&c->body);
	c->events->closed(c->owner);
}

static const struct tcp_events tcp_events = {
	.connected = on_connected,
	.data = on_data,
	.ended = on_ended,
	.deadline = on_deadline,
	.closed = on_closed,
};

void ota_client_open(struct ota_client *c, struct loop *l,
		     const struct wire_url *u, const struct ota_request *about,
		     const struct ota_client_events *events, void *owner)
{
	memset(c, 0, sizeof(*c));
	c->events = events;
	c->owner = owner;
	buf_init(&c->request, 0);
	buf_init(&c->body, REPLY_MAX);
	wire_ota_request(&c->request, u, about);
	tcp_open(&c->tcp, l, u->host, u->port, &tcp_events, c);
	tcp_deadline(&c->tcp, 10000);
}
