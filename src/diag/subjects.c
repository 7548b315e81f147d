/* SPDX-License-Identifier: MIT */
/* Where all of several are servers, that word stands once. */
#include "diag/subjects.h"

#include <string.h>

#define SERVER " server"

static bool is_server(const struct subject *n)
{
	const size_t len = strlen(SERVER);

	return n->len > len && memcmp(n->text + n->len - len, SERVER, len) == 0;
}

static void add(struct subjects *w, const char *text, size_t len)
{
	for (size_t i = 0; i < w->count; i++) {
		struct subject *n = &w->name[i];

		if (n->len == len && memcmp(n->text, text, len) == 0) {
			n->several = true;
			return;
		}
	}
	if (w->count < SUBJECTS_MAX)
		w->name[w->count++] = (struct subject){ text, len, false };
}

void subjects_add_backend(struct subjects *w, const struct backend_fact *b)
{
	const char *more = strstr(b->name, " (");

	add(w, b->name, more ? (size_t)(more - b->name) : strlen(b->name));
}

void subjects_add_model(struct subjects *w, const struct model_fact *m)
{
	add(w, m->name, strlen(m->name));
}

bool subjects_are_many(const struct subjects *w)
{
	return w->count > 1 || (w->count == 1 && w->name[0].several);
}

/* What stands in front of the name at i. */
static void add_joint(struct buf *out, const struct subjects *w, size_t i)
{
	if (i > 0)
		buf_text(out, i + 1 == w->count ? " and " : ", ");
}

void subjects_as_models(struct buf *out, const struct subjects *w)
{
	for (size_t i = 0; i < w->count; i++) {
		add_joint(out, w, i);
		buf_add(out, w->name[i].text, w->name[i].len);
	}
}

static bool all_servers(const struct subjects *w)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!is_server(&w->name[i]))
			return false;
	}
	return w->count > 1;
}

void subjects_as_backends(struct buf *out, const struct subjects *w)
{
	const bool once = all_servers(w);
	const size_t cut = once ? strlen(SERVER) : 0;

	if (once)
		buf_text(out, "the ");
	for (size_t i = 0; i < w->count; i++) {
		add_joint(out, w, i);
		if (!once)
			buf_text(out, "the ");
		buf_add(out, w->name[i].text, w->name[i].len - cut);
		if (!once && w->name[i].several)
			buf_char(out, 's');
	}
	if (once)
		buf_text(out, SERVER "s");
}
