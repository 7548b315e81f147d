/* SPDX-License-Identifier: MIT */
/*
 * A device's profile is built from its files (profile_chain.c), the root of
 * the chain first. What the members mean is in profile_apply.c and
 * profile_tools.c.
 */
#include "sim/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "sim/profile_chain.h"

/* The extra tools of --fill, as in the recording with 200-byte descriptions. */
static const char fill_generator[] =
	"{\"name\":\"self.fill.t${n:3}\",\"result\":true,\"description\":\""
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}";

int profile_state(const struct profile *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->state_count; i++) {
		if (!strcmp(p->state[i].name, name))
			return (int)i;
	}
	return -1;
}

void profile_free(struct profile *p)
{
	size_t i;

	if (!p)
		return;
	firmware_catalog_done(&p->catalog);
	for (i = 0; i < p->state_count; i++) {
		mem_free(p->state[i].name);
		mem_free(p->state[i].value);
	}
	for (i = 0; i < p->tree_count; i++)
		cJSON_Delete(p->tree[i]);
	mem_free(p->state);
	mem_free(p->tree);
	mem_free(p->name);
	mem_free(p->file);
	mem_free(p->brief);
	mem_free(p->device_id);
	mem_free(p->client_id);
	mem_free(p);
}

static void keep_tree(struct profile *p, cJSON *tree)
{
	p->tree = mem_realloc(p->tree, (p->tree_count + 1) * sizeof(cJSON *));
	p->tree[p->tree_count++] = tree;
}

/* What a board says where a profile says nothing. */
static void set_defaults(struct profile *p)
{
	snprintf(p->about.board_name, sizeof(p->about.board_name),
		 "mcpctl-sim");
	snprintf(p->about.board_type, sizeof(p->about.board_type), "wifi");
	snprintf(p->about.version, sizeof(p->about.version), "2.4.2");
	snprintf(p->about.language, sizeof(p->about.language), "en-US");
	snprintf(p->about.chip, sizeof(p->about.chip), "esp32s3");
	p->about.flash_size = 16777216;
	p->hello.features = true;
	p->hello.mcp = true;
	p->hello.has_glyph_push = true;
	p->hello.sample_rate = 16000;
	p->hello.channels = 1;
	p->hello.frame_duration = 60;
	p->device_id = mem_strdup("02:00:00:00:00:01");
	p->client_id = mem_strdup("00000000-0000-4000-8000-000000000001");
}

static char *name_of(const char *file)
{
	const char *from = file_name(file);
	const char *dot = strrchr(from, '.');

	return dot ? mem_strndup(from, (size_t)(dot - from)) : mem_strdup(from);
}

static void finish(struct profile *p)
{
	size_t i;

	p->catalog.board = p->about.board_name;
	p->catalog.version = p->about.version;
	for (i = 0; i < p->catalog.count; i++)
		firmware_tool_prepare(p->catalog.tool + i, p->dialect);
}

static int change(struct profile *p, const struct profile_changes *changes,
		  struct error *err)
{
	struct reader r = { .file = "--fill", .err = err };
	cJSON *generator;

	if (!changes)
		return 0;
	if (changes->next_firmware)
		p->dialect = SERVER_NEXT;
	if (!changes->fill)
		return 0;
	generator = cJSON_Parse(fill_generator);
	keep_tree(p, generator);
	return profile_generate(p, &r, generator, changes->fill);
}

/* Build from a complete chain, which is emptied. */
static struct profile *build(struct profile_chain *c,
			     const struct profile_changes *changes,
			     struct error *err)
{
	struct profile *p = mem_zalloc(sizeof(*p));
	size_t i;

	set_defaults(p);
	p->file = mem_strdup(c->part[0].file);
	p->name = name_of(p->file);
	for (i = c->count; i-- > 0;) {
		struct reader r = { .file = c->part[i].file, .err = err };

		keep_tree(p, TAKE(c->part[i].tree));
		if (!profile_apply(p, &r, p->tree[p->tree_count - 1]))
			continue;
		profile_free(p);
		return NULL;
	}
	if (change(p, changes, err)) {
		profile_free(p);
		return NULL;
	}
	finish(p);
	return p;
}

struct profile *profile_load(const char *name,
			     const struct profile_changes *changes,
			     struct error *err)
{
	CLEANUP(profile_chain_done) struct profile_chain c = { .count = 0 };

	if (profile_chain_read(&c, name ? name : PROFILE_DEFAULT, err) ||
	    profile_chain_kind(&c, "device", err))
		return NULL;
	return build(&c, changes, err);
}

struct profile *profile_parse(const char *text, size_t len, const char *file,
			      struct error *err)
{
	CLEANUP(profile_chain_done) struct profile_chain c = { .count = 0 };

	if (profile_chain_parse(&c, text, len, file, err) ||
	    profile_chain_kind(&c, "device", err))
		return NULL;
	return build(&c, NULL, err);
}
