/* SPDX-License-Identifier: MIT */
#include "bridge/tool_names.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bridge/cut_name.h"
#include "mcp/tools.h"

#define LABEL_MAX 20 /* bytes of a label in a name: the tool's must be seen */
#define LONG_NAME_MAX 128 /* as MCP has it, where dots may stay */
#define ROUNDS 4 /* who chooses names can choose one that has our hash, too */
#define TAKEN (NAME_NONE - 1)

/* ---- hashes ---- */

/* What a hash depends on; yours. */
static char *hash_key(const char *key, const char *name, size_t round)
{
	return mem_printf("%zu\n%s\n%s", round, key, name);
}

static void add_hash(struct buf *out, const char *key, const char *name,
		     size_t round)
{
	CLEANUP(mem_free_ptr) char *whole = hash_key(key, name, round);

	name_digits(out, whole);
}

/* At most max bytes, of which the last are a hash; yours. */
static char *hashed(const char *text, size_t max, const char *key,
		    const char *name, size_t round)
{
	CLEANUP(mem_free_ptr) char *whole = hash_key(key, name, round);
	struct buf out = { 0 };

	cut_name(&out, text, max, whole);
	return buf_take(&out);
}

/* ---- labels ---- */

/* The later of two are found by the first that had the text. */
static void mark_clashes(char *const *text, size_t count, bool *clash)
{
	struct name_set seen = { 0 };

	for (size_t i = 0; i < count; i++) {
		size_t first =
			text[i] ? name_set_add(&seen, text[i], i) : NAME_NONE;

		if (first != NAME_NONE)
			clash[i] = clash[first] = true;
	}
	name_set_done(&seen);
}

/* First a hash of its id; where somebody has chosen that name, the id. */
static void tell_apart(char **label, const struct bridge_source *source,
		       size_t count, bool whole)
{
	CLEANUP(mem_free_ptr) bool *clash = mem_zalloc(count + 1);

	mark_clashes(label, count, clash);
	for (size_t i = 0; i < count; i++) {
		char *old = label[i];

		if (!clash[i])
			continue;
		label[i] = whole ? mem_printf("%s_%s", old, source[i].id) :
				   hashed(old, strlen(old) + NAME_DIGITS + 1,
					  source[i].id, "", 0);
		mem_free(old);
	}
}

char **source_labels(const struct bridge_source *source, size_t count)
{
	char **label = mem_zalloc((count + 1) * sizeof(*label));
	struct name_set ids = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (name_set_add(&ids, source[i].id, i) == NAME_NONE)
			label[i] = mem_strdup(source[i].prefix);
	}
	name_set_done(&ids);
	tell_apart(label, source, count, false);
	tell_apart(label, source, count, true);
	return label;
}

/* ---- one name ---- */

static size_t name_limit(enum bridge_names names)
{
	return names == BRIDGE_FLAT ? FLAT_NAME_MAX : LONG_NAME_MAX;
}

static bool says_something(const char *text)
{
	return text[strspn(text, "_-.")] != '\0';
}

static void sanitise(struct buf *out, const char *text, enum bridge_names names)
{
	if (names == BRIDGE_RAW && text_is_utf8(text, strlen(text)))
		buf_text(out, text);
	else
		tool_sanitise(text,
			      names == BRIDGE_FLAT ? SANITISE_FLAT :
						     SANITISE_SPEC,
			      out);
}

/* Of a label in letters that no host takes its hash. */
static void add_label(struct buf *out, const char *label,
		      enum bridge_names names)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(mem_free_ptr) char *cut = NULL;

	sanitise(&text, label, names);
	if (!says_something(buf_string(&text))) {
		add_hash(out, label, "", 0);
	} else if (text.len > LABEL_MAX) {
		cut = hashed(text.data, LABEL_MAX, label, "", 0);
		buf_text(out, cut);
	} else {
		buf_text(out, text.data);
	}
	buf_text(out, "__");
}

static void add_name(struct buf *out, const char *name, enum bridge_names names)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (names == BRIDGE_FLAT && text_starts(name, "self.") && name[5])
		name += 5;
	sanitise(&text, name, names);
	if (says_something(buf_string(&text))) {
		buf_text(out, text.data);
		return;
	}
	buf_text(out, "tool_");
	add_hash(out, "", name, 0);
}

/* As it would be if there were no other; yours. */
static char *name_alone(const struct wanted_name *w, enum bridge_names names)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (w->label)
		add_label(&text, w->label, names);
	add_name(&text, w->name, names);
	if (text.len <= name_limit(names))
		return buf_take(&text);
	return hashed(text.data, name_limit(names), w->label ? w->label : "",
		      w->name, 0);
}

/* ---- all of them ---- */

/* False: there is no clash. */
static bool find_clashes(const struct wanted_name *w, size_t count,
			 const char *const *taken, bool *clash)
{
	struct name_set seen = { 0 };
	bool found = false;

	memset(clash, 0, count);
	for (; taken && *taken; taken++)
		name_set_add(&seen, *taken, TAKEN);
	for (size_t i = 0; i < count; i++) {
		size_t first = name_set_add(&seen, w[i].out, i);

		if (first == NAME_NONE)
			continue;
		clash[i] = found = true;
		if (first != TAKEN)
			clash[first] = true;
	}
	name_set_done(&seen);
	return found;
}

static void add_hashes(struct wanted_name *w, size_t count, const bool *clash,
		       enum bridge_names names, size_t round)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr) char *alone = NULL;

		if (!clash[i])
			continue;
		alone = name_alone(&w[i], names);
		mem_free(w[i].out);
		w[i].out = hashed(alone, name_limit(names), w[i].key, w[i].name,
				  round);
	}
}

/* Those that cannot be told apart even so. */
static void drop_clashes(struct wanted_name *w, size_t count, const bool *clash)
{
	for (size_t i = 0; i < count; i++) {
		if (clash[i])
			mem_free(TAKE(w[i].out));
	}
}

void tool_names_find(struct wanted_name *w, size_t count,
		     enum bridge_names names, const char *const *taken)
{
	CLEANUP(mem_free_ptr) bool *clash = mem_zalloc(count + 1);
	size_t round = 1;

	for (size_t i = 0; i < count; i++)
		w[i].out = name_alone(&w[i], names);
	while (find_clashes(w, count, taken, clash)) {
		if (round == ROUNDS) {
			drop_clashes(w, count, clash);
			return;
		}
		add_hashes(w, count, clash, names, round++);
	}
}
