/* SPDX-License-Identifier: MIT */
/*
 * The peer as it was seen at ready, kept for the life of the session. What
 * is secret is masked here, once, so that nothing above can show it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "rpc/session_state.h"

static bool is_secret(const char *name)
{
	static const char *const words[] = { "authorization", "token",
					     "secret",	      "cookie",
					     "password",      "api-key",
					     "api_key",	      "apikey" };

	for (size_t i = 0; i < COUNT(words); i++) {
		if (text_find(name, words[i]))
			return true;
	}
	return false;
}

/* "Bearer ***": the scheme helps to find a mistake and is no secret. */
static char *mask(const char *value)
{
	const char *space = strchr(value, ' ');

	return mem_printf("%.*s***", space ? (int)(space - value + 1) : 0,
			  value);
}

static void keep_headers(struct headers *out, const struct headers *in)
{
	for (size_t i = 0; in && i < in->count; i++) {
		const struct header *h = &in->item[i];
		CLEANUP(mem_free_ptr) char *masked = mask(h->value);

		headers_add(out, h->name,
			    is_secret(h->name) ? masked : h->value);
	}
}

/* One `name=value` of a query. */
static void add_parameter(struct buf *out, const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *pair = mem_strndup(text, len);
	char *value = strchr(pair, '=');

	if (value)
		*value = '\0';
	buf_text(out, pair);
	if (value) {
		buf_char(out, '=');
		buf_text(out, is_secret(pair) ? "***" : value + 1);
	}
}

/*
 * The path with the values of secret parameters masked: tokens may come in the
 * query string.
 */
static char *mask_path(const char *path)
{
	struct buf out;
	size_t len;

	if (!path)
		return NULL;
	buf_init(&out, 0);
	len = strcspn(path, "?");
	buf_add(&out, path, len);
	for (path += len; *path; path += len) {
		buf_char(&out, *path++);
		len = strcspn(path, "&");
		add_parameter(&out, path, len);
	}
	return buf_take(&out);
}

static void keep_relay(struct session_peer *out, const struct relay_info *relay)
{
	if (relay->initialize) {
		out->initialize =
			mem_copy(relay->initialize, relay->initialize_len);
		out->initialize_len = relay->initialize_len;
	}
	out->relay_id = mem_strdup(relay->id);
	out->relay_device = mem_strdup(relay->device);
}

void session_keep_peer(struct session_peer *out, const struct peer_info *peer)
{
	session_peer_done(out);
	out->address = mem_strdup(peer->address);
	out->path = mask_path(peer->path);
	out->device_id = mem_strdup(peer->device_id);
	out->client_id = mem_strdup(peer->client_id);
	out->tls = mem_strdup(peer->tls);
	out->protocol_version = peer->protocol_version;
	keep_headers(&out->headers, peer->headers);
	out->has_ota = peer->ota != NULL;
	if (peer->ota)
		out->ota = *peer->ota;
	if (peer->relay)
		keep_relay(out, peer->relay);
}

void session_peer_done(struct session_peer *p)
{
	mem_free(p->address);
	mem_free(p->path);
	mem_free(p->device_id);
	mem_free(p->client_id);
	mem_free(p->tls);
	mem_free(p->initialize);
	mem_free(p->relay_id);
	mem_free(p->relay_device);
	headers_done(&p->headers);
	*p = (struct session_peer){ 0 };
}
