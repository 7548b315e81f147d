/* SPDX-License-Identifier: MIT */
/*
 * The file of names for boards. Which device has which is registry.c's matter.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "serve/aliases.h"
#include "wire/broker_topic.h"

#define FILE_MAX (1u << 20)

/* NULL: there is no home folder to look in. */
static char *default_file(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && config[0] == '/')
		return mem_printf("%s/mcpctl/devices.json", config);
	if (home && *home)
		return mem_printf("%s/.config/mcpctl/devices.json", home);
	return NULL;
}

/* The default one need not be there. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

/* -d and MCPCTL_TARGET take it as it is. */
static const char *fault_of_name(const char *name)
{
	if (!*name)
		return "is empty";
	if (text_has_glob(name))
		return "could be taken for a glob";
	if (strchr(name, ':'))
		return "could be taken for a target or an id";
	if (name[0] == '-')
		return "could be taken for an option";
	for (const char *p = name; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return "has a space or a control character";
	}
	return NULL;
}

static int add(struct aliases *a, const cJSON *member, const char *path,
	       struct error *err)
{
	const char *name = member->string;
	const char *id = cJSON_GetStringValue(member);
	const char *fault = fault_of_name(name);

	if (!fault && aliases_id(a, name))
		fault = "stands there twice";
	if (fault) {
		error_set(err, ERR_USAGE, "alias file '%s': the name '%s' %s",
			  path, name, fault);
		return error_hint(err, "names are words such as 'kitchen'");
	}
	if (!id || !*id) {
		error_set(err, ERR_USAGE,
			  "alias file '%s': '%s' has no text for its device",
			  path, name);
		return error_hint(
			err,
			"the file is an object such as {\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}");
	}
	a->item[a->count].name = mem_strdup(name);
	a->item[a->count++].id = mem_strdup(id);
	return 0;
}

static int parse(struct aliases *out, const struct buf *text, const char *path,
		 struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	const cJSON *member;

	tree = json_parse(buf_string(text), text->len, &why);
	if (!cJSON_IsObject(tree)) {
		error_set(err, ERR_USAGE, "alias file '%s': %s", path,
			  tree ? "not a JSON object" : why.text);
		return error_hint(
			err,
			"it is an object such as {\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}");
	}
	out->item = mem_zalloc((size_t)cJSON_GetArraySize(tree) *
			       sizeof(*out->item));
	cJSON_ArrayForEach(member, tree) {
		if (add(out, member, path, err))
			return -1;
	}
	return 0;
}

int aliases_read(struct aliases *a, const char *file, struct error *err)
{
	CLEANUP(mem_free_ptr) char *standard = file ? NULL : default_file();
	const char *path = file ? file : standard;
	bool missing = !path || (!file && is_missing(path));
	CLEANUP(buf_done) struct buf text;
	struct aliases read = { 0 };
	bool bad;

	buf_init(&text, FILE_MAX);
	bad = !missing && ((file ? file_read : file_read_found)(
				   &text, "alias file", path, err) ||
			   parse(&read, &text, path, err));
	aliases_done(bad ? &read : a);
	if (!bad)
		*a = read;
	return bad ? -1 : 0;
}

void aliases_done(struct aliases *a)
{
	for (size_t i = 0; i < a->count; i++) {
		mem_free(a->item[i].name);
		mem_free(a->item[i].id);
	}
	mem_free(a->item);
	*a = (struct aliases){ 0 };
}

const char *aliases_name(const struct aliases *a, const char *device_id,
			 const char *client_id)
{
	for (size_t i = 0; i < a->count; i++) {
		if (board_id_is(a->item[i].id, device_id, client_id))
			return a->item[i].name;
	}
	return NULL;
}

const char *aliases_id(const struct aliases *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++) {
		if (text_same(a->item[i].name, name))
			return a->item[i].id;
	}
	return NULL;
}

char *aliases_device(const struct aliases *a, const char *word)
{
	const char *named = aliases_id(a, word);
	char *id = mem_strdup(named ? named : word);

	for (char *p = id; *p; p++)
		*p = (char)text_lower(*p);
	return id;
}

const struct alias *aliases_find(const struct aliases *a, const char *text)
{
	for (size_t i = 0; i < a->count; i++) {
		if (text_same(a->item[i].name, text) ||
		    text_same(a->item[i].id, text))
			return &a->item[i];
	}
	return NULL;
}

/* Device-Id before client id. It keeps nothing. */

bool board_id_is(const char *id, const char *device_id, const char *client_id)
{
	char mac[18];

	if (!id || !*id)
		return false;
	if (!device_id || !*device_id)
		return text_same(id, client_id);
	if (text_same(id, device_id))
		return true;
	return text_same(id, client_id) && client_id_mac(client_id, mac) &&
	       text_same(mac, device_id);
}

bool board_id_is_mac(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++) {
		if (i % 3 == 2 ? text[i] != ':' :
				 !isxdigit((unsigned char)text[i]))
			return false;
	}
	return i == 17;
}
