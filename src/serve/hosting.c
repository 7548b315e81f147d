/* SPDX-License-Identifier: MIT */
/*
 * A file of a command's that boards fetch from serve's port: an address for
 * each board, and to the command how much each has and which of them restart;
 * or firmware that is offered to each when it asks OTA.
 */
#include "serve/hosting.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/name_set.h"
#include "net/downloads.h"
#include "serve/attached.h"
#include "serve/board_tell.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/door.h"
#include "serve/known_boards.h"
#include "serve/leasing.h"
#include "wire/esp_image.h"

#define TELL_MS 200 /* from one word on a board's progress to the next */
#define LISTED_MAX 100 /* boards that a message names */

struct hosted_board {
	struct hosting *hosting;
	struct download *download;
	int64_t told_at; /* loop_now() ms */
	char *url; /* as the answer to OTA had it last; NULL */
	bool offered; /* in the answer that is being made */
};

struct hosting {
	struct control_peer *peer;
	struct mapping *file;
	struct hosted_board **item;
	size_t count, capacity;
	bool by_ota, force;
	struct esp_image image; /* by_ota: what the file is */
};

/* ---- what is told ---- */

static void send_json(struct control_peer *p, const struct buf *text)
{
	control_peer_send(p, CONTROL_JSON, buf_string(text), text->len);
}

/* Droppable: what is lost is told again; else it must arrive. */
static void tell_fetch(struct hosted_board *h, bool droppable)
{
	const struct download *d = h->download;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct packet *packet;

	h->told_at = loop_now();
	buf_text(&out, "{\"op\":\"fetch\"");
	json_add_text(&out, "id", d->id);
	buf_printf(&out,
		   ",\"taken\":%zu,\"size\":%zu,\"asked\":%u,\"running\":%u",
		   d->taken, d->file->len, d->asked, d->running);
	json_add_text(&out, "from", *d->from ? d->from : NULL);
	buf_char(&out, '}');
	packet = packet_new(CONTROL_JSON, out.data, out.len);
	if (droppable)
		control_peer_offer(h->hosting->peer, packet);
	else
		control_peer_packet(h->hosting->peer, packet);
	packet_release(packet);
}

static void on_moved(void *owner, struct download *d)
{
	struct hosted_board *h = owner;

	(void)d;
	if (loop_now() - h->told_at >= TELL_MS)
		tell_fetch(h, true);
}

static void on_over(void *owner, struct download *d)
{
	(void)d;
	tell_fetch(owner, false);
}

static const struct download_events download_events = { .moved = on_moved,
							.over = on_over };

static struct hosted_board *find(const struct hosting *all, const char *id)
{
	for (size_t i = 0; i < all->count; i++) {
		if (text_same(all->item[i]->download->id, id))
			return all->item[i];
	}
	return NULL;
}

/* One board is of one command at most. NULL: of none. */
static struct hosted_board *find_in_all(const struct serve *s, const char *id)
{
	struct control_peer *p = s->control ? s->control->first : NULL;
	struct hosted_board *h = NULL;

	for (; p && !h; p = p->next)
		h = p->hosting ? find(p->hosting, id) : NULL;
	return h;
}

void hosting_heard(struct serve *s, const struct ota_request *rq,
		   const char *address)
{
	struct hosted_board *h = find_in_all(s, rq->device_id);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!h)
		return;
	buf_text(&out, "{\"op\":\"asked\"");
	json_add_text(&out, "id", h->download->id);
	json_add_text(&out, "address", address);
	buf_text(&out, ",\"ota\":");
	ota_facts_encode(&out, rq);
	if (h->offered)
		buf_text(&out, ",\"offered\":true");
	h->offered = false;
	buf_char(&out, '}');
	send_json(h->hosting->peer, &out);
}

/* ---- firmware in the answer to OTA ---- */

static bool fits(const struct hosting *all, const struct ota_request *rq)
{
	const struct image_place place = { .chip = rq->chip,
					   .version = rq->version,
					   .elf_sha256 = rq->elf_sha256,
					   .room = rq->app_room };
	const enum image_fit fit =
		esp_image_fit(&all->image, all->file->len, &place);

	return fit == IMAGE_FITS || (fit == IMAGE_RUNS && all->force);
}

/*
 * Once it fetches it is offered nothing more: what it does with that image at
 * its next start is what is to be seen.
 */
bool hosting_firmware(struct serve *s, const struct ota_request *rq,
		      const char *base, struct ota_firmware *out)
{
	struct hosted_board *h = find_in_all(s, rq->device_id);

	if (!h || !h->hosting->by_ota || h->download->asked ||
	    !fits(h->hosting, rq))
		return false;
	mem_free(h->url);
	h->url = download_url(h->download, base);
	h->offered = true;
	*out = (struct ota_firmware){ .version = h->hosting->image.version,
				      .url = h->url };
	return true;
}

/* ---- who may fetch it ---- */

static struct download *offer(struct hosting *all, const char *id)
{
	struct serve *s = all->peer->server;
	struct hosted_board *h = mem_zalloc(sizeof(*h));

	h->hosting = all;
	h->download = download_new(&s->door->downloads, all->file, id,
				   &download_events, h);
	all->item = mem_grow(all->item, &all->capacity, all->count,
			     sizeof(struct hosted_board *));
	all->item[all->count++] = h;
	return h->download;
}

/* -1: nothing is hosted for it, and why. */
static int may_host(const struct hosting *all, const char *id, const char *base,
		    struct error *why)
{
	if (leasing_check_id(all->peer, id, why))
		return -1;
	if (find_in_all(all->peer->server, id))
		return error_set(why, ERR_CONNECT,
				 "another command hosts a file for it now");
	if (all->by_ota || base)
		return 0;
	return error_set(why, ERR_CONNECT,
			 "no address is known by which it reaches serve");
}

static void describe(struct buf *out, const struct serve *s, const char *id,
		     const struct board *d)
{
	struct enrolled_board away = { 0 };
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(id);

	if (d) {
		control_begin_device(out, "hosted", d);
		return;
	}
	away.device_id = copy;
	buf_text(out, "{\"op\":\"hosted\",\"device\":{");
	board_describe_away(out, s, &away);
	buf_char(out, '}');
}

/* What it told last; from the same address, where one is known. */
static void add_told(struct buf *out, const struct serve *s, const char *id,
		     const struct board *d)
{
	const struct told *told =
		d ? door_told(s->door, d) :
		    memory_find(&s->door->port->memory, id, NULL);

	if (!told)
		return;
	buf_text(out, ",\"ota\":");
	ota_facts_encode(out, &told->asked);
}

static void host_for(struct hosting *all, const char *id)
{
	struct serve *s = all->peer->server;
	struct board *d = registry_find(&s->registry, id);
	CLEANUP(mem_free_ptr) char *base = d ? door_base(s->door, d) : NULL;
	CLEANUP(mem_free_ptr) char *url = NULL;
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	if (may_host(all, id, base, &why) == 0) {
		struct download *one = offer(all, id);

		url = all->by_ota ? NULL : download_url(one, base);
	}
	describe(&out, s, id, d);
	json_add_text(&out, "url", url);
	json_add_text(&out, "why", why.kind ? why.text : NULL);
	add_told(&out, s, id, d);
	buf_char(&out, '}');
	send_json(all->peer, &out);
}

static void hosting_free(struct hosting *all)
{
	for (size_t i = 0; i < all->count; i++) {
		download_free(all->item[i]->download);
		mem_free(all->item[i]->url);
		mem_free(all->item[i]);
	}
	mem_free(all->item);
	mapping_release(all->file);
	mem_free(all);
}

void hosting_abandon(struct control_peer *p)
{
	if (p->hosting)
		hosting_free(TAKE(p->hosting));
}

/* Those that are here, each id once. */
static void add_here(const struct serve *s, const char *pattern,
		     struct words *ids)
{
	struct name_set names = { 0 };
	struct board *d = NULL;

	while ((d = registry_next_meant(&s->registry, d, pattern))) {
		if (name_set_add(&names, d->id, ids->count) == NAME_NONE)
			words_add(ids, d->id);
	}
	name_set_done(&names);
}

/* One that another command has sent a file to, and that restarts now; NULL. */
static const char *away_with_file(const struct serve *s, const char *pattern)
{
	struct control_peer *p = s->control ? s->control->first : NULL;

	for (; p; p = p->next) {
		for (size_t i = 0; p->hosting && i < p->hosting->count; i++) {
			const char *id = p->hosting->item[i]->download->id;

			if (!pattern || text_same(pattern, id) ||
			    text_glob(pattern, id))
				return id;
		}
	}
	return NULL;
}

static int none_fits(const struct serve *s, const char *pattern,
		     struct error *err)
{
	const char *away = away_with_file(s, pattern);

	if (away) {
		error_set(err, ERR_CONNECT,
			  "'%s' is away: another command has sent it a file",
			  away);
		return error_hint(
			err, "it restarts, most likely; that command tells");
	}
	if (device_word_check(s, pattern, false, err))
		return -1;
	if (pattern)
		error_set(err, ERR_CONNECT,
			  "no board that is here now fits '%s'", pattern);
	else
		error_set(err, ERR_CONNECT, "no device fits: none is there");
	return error_hint(
		err,
		"'mcpctl devices' lists who is here; with --by ota, -d ID means a board that comes later, too");
}

/* Those that are away are listed, too; always -1. */
static int which_known(const struct serve *s, const char *pattern,
		       const struct words *ids, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };

	for (size_t i = 0; i < ids->count && i < LISTED_MAX; i++) {
		const char *id = ids->word[i], *name = known_board_name(s, id);

		buf_printf(&list, "%s%s", i ? "\n" : "", id);
		if (!text_same(name, id))
			buf_printf(&list, " (%s)", name);
	}
	if (ids->count > LISTED_MAX)
		buf_printf(&list, "\nand %zu more", ids->count - LISTED_MAX);
	error_set(err, ERR_USAGE, "%zu boards fit '%s'", ids->count, pattern);
	error_hint(
		err,
		"name one with -d/--device: its id or alias; --all takes all of them");
	return error_detail(err, buf_string(&list), list.len);
}

/* Which boards are meant; -1: none, or more than one without `all`. */
static int find_devices(struct control_peer *p,
			const struct control_question *q, bool by_ota,
			struct words *ids, struct error *err)
{
	const char *pattern = json_string(q->json, "device");

	if (by_ota && pattern) {
		if (known_boards(p->server, pattern, ids, err))
			return -1;
	} else {
		add_here(p->server, pattern, ids);
	}
	if (!ids->count)
		return none_fits(p->server, pattern, err);
	if (ids->count == 1 || json_true(q->json, "all"))
		return 0;
	return by_ota && pattern ? which_known(p->server, pattern, ids, err) :
				   attached_which(p->server, pattern, err);
}

/* What the firmware is, for who asks OTA. */
static int read_image(struct hosting *all, struct error *err)
{
	if (esp_image_peek(&all->image, all->file->data, all->file->len, err))
		return -1;
	return ota_version_check(all->image.version, err);
}

static struct hosting *hosting_new(struct control_peer *p,
				   const struct control_question *q,
				   struct error *err)
{
	struct mapping *file;
	struct hosting *all;

	if (p->hosting || !p->server->door) {
		error_set(
			err, ERR_USAGE,
			"this connection hosts a file already, or serve has no port");
		return NULL;
	}
	if (p->received < 0) {
		error_set(err, ERR_USAGE, "'host' needs a file with it");
		return NULL;
	}
	file = mapping_new(p->received, ESP_IMAGE_MAX, err);
	control_peer_drop_received(p);
	if (!file)
		return NULL;
	all = mem_zalloc(sizeof(*all));
	*all = (struct hosting){ .peer = p,
				 .file = file,
				 .by_ota = text_same(json_string(q->json, "by"),
						     "ota"),
				 .force = json_true(q->json, "force") };
	if (!all->by_ota || read_image(all, err) == 0)
		return all;
	hosting_free(all);
	return NULL;
}

/* From now on it is told of these boards; of those that come later, too. */
static void watch(struct control_peer *p, struct hosting *all,
		  const char *pattern)
{
	p->hosting = all;
	p->watching = true;
	mem_free(p->watched);
	p->watched = mem_strdup(pattern);
}

void hosting_ask(struct control_peer *p, const struct control_question *q)
{
	const char *pattern = json_string(q->json, "device");
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf end = { 0 };
	struct hosting *all = hosting_new(p, q, &why);

	if (!all || find_devices(p, q, all->by_ota, &ids, &why)) {
		if (all)
			hosting_free(all);
		control_peer_error(p, &why);
		return;
	}
	for (size_t i = 0; i < ids.count; i++)
		host_for(all, ids.word[i]);
	/* It did not read, and is closed. */
	if (p->finishing) {
		hosting_free(all);
		return;
	}
	watch(p, all, pattern);
	buf_printf(&end, "{\"op\":\"end\",\"count\":%zu}", ids.count);
	send_json(p, &end);
}
