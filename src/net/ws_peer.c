/* SPDX-License-Identifier: MIT */
#include "net/ws_peer.h"

#include "base/mem.h"
#include "net/head.h"

static const char *keep(struct ws_peer *p, size_t slot, const char *text)
{
	p->text[slot] = mem_strdup(text);
	return p->text[slot];
}

struct ws_peer *ws_peer_new(const struct peer_info *from)
{
	struct ws_peer *out = mem_zalloc(sizeof(*out));

	out->info = *from;
	out->info.tls = NULL; /* ours to find out */
	out->info.address = keep(out, 0, from->address);
	out->info.path = keep(out, 1, from->path);
	out->info.device_id = keep(out, 2, from->device_id);
	out->info.client_id = keep(out, 3, from->client_id);
	out->info.ota_answer = keep(out, 4, from->ota_answer);
	if (from->headers) {
		for (size_t i = 0; i < from->headers->count; i++)
			headers_add(&out->headers, from->headers->item[i].name,
				    from->headers->item[i].value);
		out->info.headers = &out->headers;
	}
	if (from->ota) {
		out->ota = *from->ota;
		out->info.ota = &out->ota;
	}
	return out;
}

void ws_peer_free(struct ws_peer *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < COUNT(p->text); i++)
		mem_free(p->text[i]);
	headers_done(&p->headers);
	mem_free(p);
}
