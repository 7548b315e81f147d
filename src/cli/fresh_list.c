/* SPDX-License-Identifier: MIT */
/* Lists of tools that need not be asked for yet. */
#include "cli/fresh_list.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/config.h"
#include "cli/era_file.h"
#include "cli/schema_cache.h"
#include "mcp/client_start.h"
#include "mcp/tools.h"
#include "net/bearer.h"

#define FILE_MAX 4096
#define SUFFIX ".tools"

/* ---- how long ---- */

static int64_t fresh_list_ttl(const struct tool_list *list, bool *private)
{
	int64_t least = list->pages ? FRESH_MOST_MS : 0;

	*private = false;
	for (size_t i = 0; i < list->pages; i++) {
		const cJSON *result = list->page[i].result;
		const char *scope = json_string(result, "cacheScope");
		int64_t ttl;

		if (json_integer(result, "ttlMs", &ttl) || ttl < 0)
			ttl = 0;
		if (ttl < least)
			least = ttl;
		if (!scope || strcmp(scope, "public") != 0)
			*private = true;
	}
	return least;
}

/* ---- whose ---- */

/* Whatever is sent to be let in: headers, a token, what a program is given. */
static void sum_credentials(const struct connection *c, char out[SHA256_TEXT])
{
	const struct endpoint *e = &c->endpoint;
	const struct bearer *b = e->bearer;
	const char *token = b ? b->token(b->owner) : NULL;
	CLEANUP(secret_wipe) struct buf all = { 0 };

	for (size_t i = 0; i < e->headers.count; i++) {
		const struct header *h = &e->headers.item[i];

		buf_add(&all, h->name, strlen(h->name) + 1);
		buf_add(&all, h->value, strlen(h->value) + 1);
	}
	for (size_t i = 0; i < e->env.count; i++)
		buf_add(&all, e->env.word[i], strlen(e->env.word[i]) + 1);
	if (token)
		buf_add(&all, token, strlen(token) + 1);
	sha256_text(buf_string(&all), all.len, out);
}

/* That file as it is now; false: there is none. */
static bool sum_list(struct schema_cache *list, const char *key,
		     char out[SHA256_TEXT])
{
	if (schema_cache_open(list, key, NULL))
		return false;
	sha256_text(list->map, list->size, out);
	return true;
}

/* ---- kept ---- */

/* By serve, where no address tells which one it is; to ask it is cheap. */
static bool is_kept_open(const struct connection *c)
{
	return session_peer(c->session)->held;
}

void fresh_list_drop(const struct connection *c)
{
	CLEANUP(mem_free_ptr)
	char *path = era_file_path(&c->endpoint, SUFFIX);

	if (path)
		unlink(path);
}

void fresh_list_keep(const struct connection *c, const char *key)
{
	CLEANUP(mem_free_ptr)
	char *path = era_file_path(&c->endpoint, SUFFIX);
	CLEANUP(schema_cache_close) struct schema_cache list = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };
	char sum[SHA256_TEXT];
	bool private;
	int64_t ttl = fresh_list_ttl(&c->tools, &private);

	if (!path || is_kept_open(c))
		return;
	/* A name that cannot stand in that file is missing there. */
	if (ttl <= 0 || !sum_list(&list, key, sum) ||
	    list.count != c->tools.count) {
		unlink(path);
		return;
	}
	buf_printf(&text, "{\"until\":%" PRId64 ",\"list\":\"%s\"",
		   unix_now_ms() + ttl, sum);
	if (private) {
		char whose[SHA256_TEXT];

		sum_credentials(c, whose);
		json_add_text(&text, "whose", whose);
	}
	buf_text(&text, "}\n");
	if (user_path_make(&user_cache, path, &ignored) == 0)
		file_replace(path, 0600, text.data, text.len);
}

/* ---- taken ---- */

static cJSON *read_note(const struct connection *c)
{
	CLEANUP(mem_free_ptr)
	char *path = era_file_path(&c->endpoint, SUFFIX);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_init(&text, FILE_MAX);
	if (!path || file_read_own(&text, path))
		return NULL;
	return json_parse(buf_string(&text), text.len, NULL);
}

static bool is_whose(const struct connection *c, const char *whose)
{
	char ours[SHA256_TEXT];

	sum_credentials(c, ours);
	return strcmp(whose, ours) == 0;
}

/* A clock that was set back makes nothing last longer. */
static bool is_fresh(const struct connection *c, const cJSON *note,
		     const char *sum)
{
	const char *whose = json_string(note, "whose");
	int64_t until, now = unix_now_ms();

	return !json_integer(note, "until", &until) && now < until &&
	       until <= now + FRESH_MOST_MS &&
	       text_equal(json_string(note, "list"), sum) &&
	       (!whose || is_whose(c, whose));
}

bool fresh_list_take(struct connection *c, const char *key)
{
	CLEANUP(schema_cache_close) struct schema_cache list = { 0 };
	CLEANUP(json_free_ptr) cJSON *note = NULL;
	char sum[SHA256_TEXT];

	if (!c->client.modern || is_kept_open(c))
		return false;
	note = read_note(c);
	if (!note || !sum_list(&list, key, sum) || !is_fresh(c, note, sum) ||
	    !list.count || schema_cache_tools(&c->tools, &list)) {
		tool_list_done(&c->tools);
		return false;
	}
	client_know_tools(&c->client, &c->tools);
	return true;
}
