/* SPDX-License-Identifier: MIT */
/* Addresses that one picture may be sent to. */
#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/passes.h"

static void drop(struct passes *p, size_t i)
{
	explicit_bzero(p->item[i].token, sizeof(p->item[i].token));
	mem_free(p->item[i].id);
	p->count--;
	/* They stay in the order in which they were made. */
	memmove(&p->item[i], &p->item[i + 1],
		(p->count - i) * sizeof(p->item[0]));
}

void passes_done(struct passes *p)
{
	while (p->count)
		drop(p, p->count - 1);
}

/* The oldest go: of this device first, then of all. */
static void make_room(struct passes *p, const char *id, int64_t now)
{
	size_t own = 0, first = 0;

	for (size_t i = p->count; i-- > 0;) {
		if (p->item[i].until <= now) {
			drop(p, i);
			first -= first > i;
		} else if (strcmp(p->item[i].id, id) == 0) {
			own++;
			first = i;
		}
	}
	if (own >= PASSES_EACH)
		drop(p, first);
	if (p->count == PASSES_MAX)
		drop(p, 0);
}

const char *passes_add(struct passes *p, const char *id, int64_t now)
{
	struct pass *new;

	make_room(p, id, now);
	new = &p->item[p->count++];
	random_hex(new->token);
	new->id = mem_strdup(id);
	new->until = now + PASS_MS;
	return new->token;
}

/* Its place; count: there is none, or it is too late. */
static size_t find(const struct passes *p, const char *token, int64_t now)
{
	size_t found = p->count, len = strlen(token);

	for (size_t i = 0; i < p->count; i++) {
		if (secret_same(p->item[i].token, RANDOM_HEX_SIZE - 1, token,
				len) &&
		    p->item[i].until > now)
			found = i;
	}
	return found;
}

char *passes_take(struct passes *p, const char *token, int64_t now)
{
	size_t found = find(p, token, now);
	char *id;

	if (found == p->count)
		return NULL;
	id = TAKE(p->item[found].id);
	drop(p, found);
	return id;
}

/* What stands behind UPLOAD_PATH; "" if nothing does. */
static char *token_in_path(const char *path)
{
	const char *token = path + strlen(UPLOAD_PATH);
	size_t len;

	token += *token == '/';
	len = strlen(token);
	len -= len && token[len - 1] == '/';
	return mem_strndup(token, len);
}

char *passes_take_address(struct passes *p, const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *token = token_in_path(v->head->path);
	CLEANUP(mem_free_ptr) char *id = passes_take(p, token, loop_now());

	if (id && v->who.device_id && !text_same(id, v->who.device_id))
		return NULL;
	return TAKE(id);
}

bool passes_show(const struct passes *p, const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *token = NULL;

	if (!text_starts(v->head->path, UPLOAD_PATH))
		return false;
	token = token_in_path(v->head->path);
	return find(p, token, loop_now()) < p->count;
}
