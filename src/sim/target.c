/* SPDX-License-Identifier: MIT */
/* The query of the target sim: names and values. What they mean is not known here. */
#include "sim/target.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define SETTINGS_MAX 16

static int unknown(const struct target_settings *known, const char *name,
		   struct error *err)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	const char *names[SETTINGS_MAX];
	CLEANUP(mem_free_ptr) char *near = NULL;
	size_t i;

	for (i = 0; i < known->count && i < COUNT(names); i++) {
		names[i] = known->row[i].name;
		if (i > 0)
			buf_text(&all, i + 1 < known->count ? ", " : " and ");
		buf_printf(&all, "%s=", names[i]);
	}
	near = text_proposal(name, names, i);
	return error_set(err, ERR_USAGE,
			 "the target sim: knows no '%s'%s: %s may stand "
			 "behind '?'",
			 name, near, buf_string(&all));
}

static int set_one(const struct target_settings *known, void *out, char *pair,
		   struct error *err)
{
	char *value = strchr(pair, '=');
	size_t i;

	if (value)
		*value++ = '\0';
	if (value && text_percent_decode(value))
		return error_set(err, ERR_USAGE,
				 "'%s' of the target has a broken %% escape",
				 pair);
	for (i = 0; i < known->count; i++) {
		if (!strcmp(pair, known->row[i].name))
			return known->row[i].set(out, value ? value : "", err);
	}
	return unknown(known, pair, err);
}

int target_query(const struct target_settings *known, void *out,
		 const char *query, struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(query);
	char *rest = copy, *pair;

	while (rest && (pair = strsep(&rest, "&")) != NULL) {
		if (*pair && set_one(known, out, pair, err))
			return -1;
	}
	return 0;
}

/* ---- models ---- */

static int set_text(char **to, const char *name, const char *value,
		    struct error *err)
{
	if (!*value)
		return error_set(err, ERR_USAGE,
				 "%s= of the target sim: has no value", name);
	mem_free(*to);
	*to = mem_strdup(value);
	return 0;
}

int target_set_ollama(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	if (set_text(&o->ollama, "ollama", value, err))
		return -1;
	if (!ollama_check(value, err))
		return 0;
	return error_prefix(err, "ollama= of the target sim");
}

int target_set_model(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	return set_text(&o->model, "model", value, err);
}

int target_set_timeout(void *out, const char *value, struct error *err)
{
	struct target_outside *o = out;

	if (text_duration(value, &o->timeout, err))
		return error_prefix(err, "timeout= of the target sim");
	if (o->timeout)
		return 0;
	error_set(err, ERR_USAGE, "timeout= of the target sim: '%s' is no time",
		  value);
	return error_hint(err, "leave it out for the profile's, or write it as "
			       "in 30s");
}

void target_outside_done(struct target_outside *o)
{
	mem_free(o->ollama);
	mem_free(o->model);
	*o = (struct target_outside){ .timeout = 0 };
}

struct exec_config target_outside_config(const struct target_outside *o,
					 struct loop *l)
{
	return (struct exec_config){ .loop = l,
				     .ollama = o->ollama,
				     .model = o->model,
				     .timeout = o->timeout };
}
