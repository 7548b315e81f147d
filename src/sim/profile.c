/* SPDX-License-Identifier: MIT */
/*
 * Profiles: found, put together from files that extend one another, read, and
 * told about.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/profile.h"
#include "sim/profile_tools.h"
#include "sim/sim.h"

static char *profile_brief(const char *name);

/*
 * A device's profile is built from its files, the root of
 * the chain first. What the members mean is in profile_tools.c.
 */

/* The extra tools of --fill, as in the recording with 200-byte descriptions. */
static const char fill_generator[] =
	"{\"name\":\"self.fill.t${n:3}\",\"result\":true,\"description\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}";

void profile_free(struct profile *p)
{
	if (!p)
		return;
	firmware_catalog_done(&p->catalog);
	recorded_done(&p->recorded);
	for (size_t i = 0; i < p->state_count; i++) {
		mem_free(p->state[i].name);
		mem_free(p->state[i].value);
	}
	for (size_t i = 0; i < p->tree_count; i++)
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
	/* Unless the profile says another one. */
	if (p->dialect == SERVER_2_5_0 &&
	    strcmp(p->about.version, "2.4.2") == 0)
		snprintf(p->about.version, sizeof(p->about.version), "2.5.0");
	/* Firmware's type is the name of the board it was built for. */
	if (!*p->about.board_type)
		snprintf(p->about.board_type, sizeof(p->about.board_type),
			 "%.63s", p->about.board_name);
	p->catalog.board = p->about.board_name;
	p->catalog.version = p->about.version;
	for (size_t i = 0; i < p->catalog.count; i++)
		firmware_tool_prepare(p->catalog.tool + i, p->dialect);
}

static int change(struct profile *p, const struct profile_changes *changes,
		  struct error *err)
{
	struct reader r = { .file = "--fill", .err = err };
	cJSON *generator;

	if (!changes)
		return 0;
	if (changes->firmware_2_5)
		p->dialect = SERVER_2_5_0;
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

	set_defaults(p);
	p->file = mem_strdup(c->part[0].file);
	p->name = name_of(p->file);
	for (size_t i = c->count; i-- > 0;) {
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

/* Where profiles are found: folders, names, files. Not what is in them. */

#define SUFFIX ".json"

static bool ends_in_json(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) &&
	       strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0;
}

static void add_folder(struct words *out, const char *a, const char *b)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/%s", a, b);

	words_add(out, path);
}

static void add_own(struct words *out)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		add_folder(out, config, "mcpctl/profiles");
	else if (home && *home)
		add_folder(out, home, ".config/mcpctl/profiles");
}

/* The program may run from the folder that it was built in. */
static void add_built(struct words *out)
{
	static const char *const steps[] = {
		"profiles",
		"../share/mcpctl/profiles", /* installed, then moved */
	};
	CLEANUP(mem_free_ptr) char *program = file_program();
	CLEANUP(mem_free_ptr) char *folder = NULL;

	if (!program)
		return;
	folder = file_folder(program);
	for (size_t i = 0; i < COUNT(steps); i++)
		add_folder(out, folder, steps[i]);
}

/* The folders that are searched, in order. */
static void profile_folders(struct words *out)
{
	add_own(out);
	add_built(out);
	add_folder(out, MCPCTL_DATADIR, "profiles");
}

/* Takes path, and gives it back if it can be read; else NULL. */
static char *readable(char *path)
{
	if (!access(path, R_OK))
		return path;
	mem_free(path);
	return NULL;
}

static char *in_folder(const char *folder, const char *name)
{
	return readable(mem_printf("%s/%s" SUFFIX, folder, name));
}

/* Whether it names a file (contains '/' or ends in .json), not a profile. */
static bool profile_is_path(const char *name)
{
	return strchr(name, '/') || ends_in_json(name);
}

static char *beside_it(const char *beside, const char *path)
{
	/* "./" would be in the way of seeing that a file extends itself. */
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return readable(mem_printf("%s/%s", beside, path));
}

static char *find_path(const char *path, const char *beside)
{
	char *near = beside && *path != '/' ? beside_it(beside, path) : NULL;

	if (near)
		return near;
	return access(path, R_OK) ? NULL : mem_strdup(path);
}

/*
 * The file of a profile, first looked for in the folder beside (may be NULL):
 * a relative path then from the current folder, a name in the usual folders.
 * Yours, NULL: there is none (errno says why a path cannot be read).
 */
static char *profile_find(const char *name, const char *beside)
{
	CLEANUP(words_done) struct words folders = { 0 };
	char *path = NULL;

	if (profile_is_path(name))
		return find_path(name, beside);
	if (beside)
		path = in_folder(beside, name);
	profile_folders(&folders);
	for (size_t i = 0; !path && i < folders.count; i++)
		path = in_folder(folders.word[i], name);
	return path;
}

static void names_in(struct words *out, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char *name;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (!ends_in_json(entry->d_name) || *entry->d_name == '.')
			continue;
		name = mem_strndup(entry->d_name,
				   strlen(entry->d_name) - strlen(SUFFIX));
		words_add_once(out, name);
		mem_free(name);
	}
	if (dir)
		closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of all profiles found, sorted, each once. */
static void profile_names(struct words *out)
{
	CLEANUP(words_done) struct words folders = { 0 };

	profile_folders(&folders);
	for (size_t i = 0; i < folders.count; i++)
		names_in(out, folders.word[i]);
	if (out->count)
		qsort(out->word, out->count, sizeof(*out->word), by_name);
}

void sim_each_profile(void (*each)(void *owner, const char *name,
				   const char *brief),
		      void *owner)
{
	CLEANUP(words_done) struct words names = { 0 };

	profile_names(&names);
	for (size_t i = 0; i < names.count; i++) {
		CLEANUP(mem_free_ptr)
		char *brief = profile_brief(names.word[i]);

		if (brief)
			each(owner, names.word[i], brief);
	}
}

/*
 * Profile files found, read and parsed, with what they extend. What stands in
 * them is not looked at, but for `extends`.
 */

void profile_chain_done(struct profile_chain *c)
{
	for (size_t i = 0; i < c->count; i++) {
		mem_free(c->part[i].file);
		cJSON_Delete(c->part[i].tree);
	}
}

/* Where a person finds what is no JSON; "" if all of it is. */
static void find_byte(const char *text, size_t len, struct buf *out)
{
	size_t byte, line = 1, column = 1;

	if (!json_fault(text, len, &byte))
		return;
	for (size_t i = 0; i < byte && i < len; i++) {
		column++;
		if (text[i] == '\n') {
			column = 1;
			line++;
		}
	}
	buf_printf(out, ", line %zu, column %zu", line, column);
}

static cJSON *parse(const char *file, const char *text, size_t len,
		    struct error *err)
{
	struct error why = { 0 };
	cJSON *tree = json_parse(text, len, &why);
	CLEANUP(buf_done) struct buf where = { 0 };

	if (tree)
		return tree;
	find_byte(text, len, &where);
	error_set(err, ERR_USAGE, "profile '%s'%s: %s", file,
		  buf_string(&where), why.text);
	error_hint(
		err,
		"a profile is one JSON object; 'mcpctl help profile' tells what stands in it");
	error_reset(&why);
	return NULL;
}

static int no_such_path(const char *path, const char *beside, struct error *err)
{
	error_set(err, ERR_USAGE, "cannot read the profile '%s': %s", path,
		  strerror(errno));
	if (!beside || *path == '/')
		return -1;
	return error_hint(
		err,
		"it was looked for in %.200s, beside the file that extends it, and from the current folder",
		*beside ? beside : "/");
}

static int no_such(const char *name, const char *beside, struct error *err)
{
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(words_done) struct words folders = { 0 };
	CLEANUP(mem_free_ptr) char *near = NULL;
	CLEANUP(buf_done) struct buf list = { 0 };

	if (profile_is_path(name))
		return no_such_path(name, beside, err);
	profile_names(&names);
	profile_folders(&folders);
	near = text_proposal(name, (const char *const *)names.word,
			     names.count);
	error_set(err, ERR_USAGE, "there is no profile '%s'%s", name, near);
	error_hint(
		err,
		"a profile is a name, or a path with '/' in it or .json at its end; 'mcpctl help profile' lists them and tells how to write one");
	buf_text(&list, "looked in:");
	if (beside)
		buf_printf(&list, "\n  %s", beside);
	for (size_t i = 0; i < folders.count; i++)
		buf_printf(&list, "\n  %s", folders.word[i]);
	error_detail(err, buf_string(&list), list.len);
	return -1;
}

/* Add the file to the chain. Takes tree, also on failure. */
static int link_part(struct profile_chain *c, const char *file, cJSON *tree,
		     struct error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->part[i].file, file) != 0)
			continue;
		cJSON_Delete(tree);
		return error_set(err, ERR_USAGE,
				 "profile '%s' extends itself, by way of '%s'",
				 file, c->part[c->count - 1].file);
	}
	if (c->count == PROFILE_EXTENDS_MAX) {
		cJSON_Delete(tree);
		return error_set(err, ERR_USAGE,
				 "profile '%s' extends more than %d others",
				 c->part[0].file, PROFILE_EXTENDS_MAX - 1);
	}
	c->part[c->count].file = mem_strdup(file);
	c->part[c->count++].tree = tree;
	return 0;
}

static int add_named(struct profile_chain *c, const char *name,
		     const char *beside, struct error *err)
{
	CLEANUP(mem_free_ptr) char *file = profile_find(name, beside);
	CLEANUP(buf_done) struct buf text;
	cJSON *tree;

	buf_init(&text, PROFILE_FILE_MAX);
	if (!file)
		return no_such(name, beside, err);
	if (file_read(&text, "profile", file, err))
		return -1;
	tree = parse(file, buf_string(&text), text.len, err);
	return tree ? link_part(c, file, tree, err) : -1;
}

/* Where the file lies; yours. */
static char *folder_of(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? mem_strndup(file, (size_t)(slash - file)) :
		       mem_strdup(".");
}

/*
 * Follow `extends` from the last file to the root. A profile of the same name
 * as the one it extends (an own esp32 over the installed one) is found beside
 * itself first, which link_part reports.
 */
static int follow(struct profile_chain *c, struct error *err)
{
	for (;;) {
		const struct profile_part *last = &c->part[c->count - 1];
		const cJSON *extends = json_member(last->tree, "extends");
		char *beside;
		int bad;

		if (!extends)
			return 0;
		if (!cJSON_IsString(extends))
			return error_set(
				err, ERR_USAGE,
				"profile '%s', extends: expected the name of a profile",
				last->file);
		beside = folder_of(last->file);
		bad = add_named(c, extends->valuestring, beside, err);
		mem_free(beside);
		if (bad)
			return -1;
	}
}

int profile_chain_read(struct profile_chain *c, const char *name,
		       struct error *err)
{
	return add_named(c, name, NULL, err) || follow(c, err) ? -1 : 0;
}

int profile_chain_parse(struct profile_chain *c, const char *text, size_t len,
			const char *file, struct error *err)
{
	cJSON *tree = parse(file, text, len, err);

	return !tree || link_part(c, file, tree, err) || follow(c, err) ? -1 :
									  0;
}

static const char *kind_of(const cJSON *tree)
{
	const char *kind = json_string(tree, "kind");

	return kind ? kind : "device";
}

static int wrong_kind(const char *file, const char *found, const char *wanted,
		      struct error *err)
{
	bool service = strcmp(found, "service") == 0;

	if (!service && strcmp(found, "device") != 0)
		return error_set(
			err, ERR_USAGE,
			"profile '%s', kind: expected \"device\" or \"service\"",
			file);
	error_set(err, ERR_USAGE, "profile '%s' is a %s, and a %s is needed",
		  file, found, wanted);
	return error_hint(
		err,
		service ?
			"a service needs \"kind\": \"service\" in each of its files; 'mcpctl sim NAME' and the target sim:NAME run one" :
			"a service's file says \"kind\": \"service\"");
}

int profile_chain_kind(const struct profile_chain *c, const char *kind,
		       struct error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		const char *found = kind_of(c->part[i].tree);

		if (strcmp(found, kind) != 0)
			return wrong_kind(c->part[i].file, found, kind, err);
	}
	return 0;
}

cJSON *profile_alone(const char *name)
{
	CLEANUP(mem_free_ptr) char *file = profile_find(name, NULL);
	CLEANUP(buf_done) struct buf text;

	buf_init(&text, PROFILE_FILE_MAX);
	if (!file || file_read(&text, "profile", file, NULL))
		return NULL;
	return json_parse(buf_string(&text), text.len, NULL);
}

/*
 * Only its line for lists, without building it; NULL: it cannot be read. Yours.
 * Of either kind, so that lists show both.
 */
static char *profile_brief(const char *name)
{
	CLEANUP(json_free_ptr) cJSON *tree = profile_alone(name);
	const char *brief;

	if (!cJSON_IsObject(tree))
		return NULL;
	brief = json_string(tree, "brief");
	return mem_strdup(brief ? brief : "");
}

/* The text of `help profile`: a table of the members of a profile. No code. */

/* clang-format off */
const char sim_profile_help[] =
"A profile is a JSON file that says what a simulated device is and how its tools answer; or, with \"kind\": \"service\", an MCP server that is no device (see below). "
"Put one into ~/.config/mcpctl/profiles/NAME.json and use it as sim:NAME and 'mcpctl sim NAME'; a path with '/' in it, or one that ends in .json, works too. "
"The installed ones are such files too, in PREFIX/share/mcpctl/profiles (src/sim/profiles of the sources): extend or copy them.\n"
"\n"
"  {\n"
"    \"brief\": \"a lamp\",\n"
"    \"extends\": \"esp32\",\n"
"    \"board\": \"lamp-board\",\n"
"    \"state\": { \"on\": false },\n"
"    \"tools\": [\n"
"      { \"name\": \"self.lamp.set\",\n"
"        \"description\": \"Switches the lamp.\",\n"
"        \"arguments\": { \"on\": { \"type\": \"boolean\" } },\n"
"        \"result\": { \"set\": { \"on\": \"${on}\" } } },\n"
"      { \"name\": \"self.lamp.get\",\n"
"        \"description\": \"Tells if the lamp is on.\",\n"
"        \"result\": { \"template\": \"the lamp is ${state.on?on:off}\" } }\n"
"    ]\n"
"  }\n"
"\n"
"Members of the file, all optional:\n"
"\n"
"kind\t\"device\", as without it, or \"service\"\n"
"brief\tone line for lists\n"
"extends\tanother profile (looked for beside this one first), whose members hold where this one is silent\n"
"board\tthe board's name, or an object: name, type, chip, language, serial, compile_time, idf_version, elf_sha256, ip, ssid, flash_size, rssi (what it tells OTA)\n"
"version\tthe firmware's version\n"
"firmware\t\"2.4.2\" or \"2.5.0\": the firmware that is played; --firmware wins\n"
"device_id, client_id\tthe ids of the first device, unless --device-id and --client-id say others\n"
"camera\ttrue: a vision address given in initialize is kept\n"
"hello\tan object: features (false: none at all), mcp, aec, glyph_push (null: not sent), text_font, sample_rate, channels, frame_duration\n"
"state\tnames with their first values; calls can change them and read them back\n"
"remove\ta list of inherited tools to leave out; * stands for anything\n"
"tools\ta list of tools; one of an inherited name replaces those of its members that are given\n"
"generate\ta list of generators, which make many tools\n"
"events\ta list of what the device says by itself once it listens\n"
"ollama\tdefaults of the tools that ask a model: url, model, timeout_ms, retry_after_ms, stream, options\n"
"says, replies, notes\twhat a real board said, see below\n"
"\n"
"A tool has name, description, user_only (true: listed only with withUserTools), arguments and result. "
"An argument has type (boolean, integer or string: firmware knows no others), default (without one it is required), minimum, maximum, and maxLength (with firmware \"2.5.0\"). "
"A generator is a tool with a count, and ${n} in its name and description (${n:4} is 0007).\n"
"\n"
"A result is a text, a number, true or false, which become the text of the answer; or an object with one of these, or none, which answers true:\n"
"\n"
"text\ta fixed text\n"
"template\ta text with places to fill in, see below\n"
"json\tany JSON; the answer's text is its compact form\n"
"texts\ta list of texts: the answer has a content object for each, which no firmware sends\n"
"image\tan object with mime and data (base64); sent in the shape that the firmware uses\n"
"error\ta template; the call fails with this text, which is not escaped: quotes in it break the frame, as on a real board\n"
"upload\t\"photo\": takes a picture to the vision address of initialize, with 'question' (a template), and answers what that answers; \"screen\": takes one of the screen to the address 'to' (a template)\n"
"repeat\ta text that is repeated 'times' times (a number or a template)\n"
"exec\ta command, run without a shell: its words in one string or in a list; it reads the arguments as JSON from stdin, and what it prints answers; a status other than 0 fails, with the last line of its stderr; beside it timeout_ms (30000)\n"
"ollama\ta language model behind Ollama's API answers: an object, see below\n"
"cases\ta list of objects with when and result; the first whose conditions all hold answers; 'otherwise' holds the result if none does\n"
"\n";

const char sim_profile_help_rest[] =
"and with any of these beside it:\n"
"\n"
"delay_ms\thow long the tool runs (a number or a template); meanwhile the device sends nothing\n"
"set\tstates with their new values; texts in it are templates\n"
"then\t\"reboot\": no answer, the connection drops after a second; \"close\": it drops at once; \"upgrade\": it drops, and a board that dials fetches firmware from the tool's first argument, and restarts with its version (any other only drops); \"assets\": it answers, and a board that dials fetches assets from the tool's first argument when it restarts\n"
"needs_vision\ttrue: fails unless initialize gave a vision address\n"
"\n"
"Conditions in 'when' name an argument, state.NAME or vision, each with a value, a list of values, or an object with min, max, glob or not:\n"
"\n"
"  \"cases\": [ { \"when\": { \"level\": { \"max\": 10 }, \"state.on\": true },\n"
"               \"result\": \"dim\" } ],\n"
"  \"otherwise\": { \"error\": \"Too bright: ${level}\" }\n"
"\n"
"In a template, ${NAME} is an argument, ${state.NAME} a state, ${vision} true or false, and ${device.id}, ${device.client}, ${device.board}, ${device.version} are facts of the device. ${NAME?YES:NO} is one of two words: the second for false, 0 and an empty text. $${ is a plain ${. What is filled in is raw text; the whole is escaped once, as JSON.\n"
"\n"
"An event has after_ms, counted from the moment the device begins to listen, every_ms to say it again and again, and one of: message (a device message with a type; session_id is filled in), notification (method and params), audio (bytes in hex). "
"Over MQTT a device is in standby and says notifications from the start; any other event makes it begin a voice session.\n"
"\n"
"What mcpctl clone writes: says is the text of a hello; replies is a list of what was answered, each with method, params, delay_ms, and reply (a JSON-RPC message as text, ${id} where its id stands) or frame (a whole frame, as it is). The same request gets the first of its answers, then the second, and so on, and the last one for ever; what was never asked is left to the tools. Faults that bend an answer are refused beside them. notes is a list of texts that nobody reads.\n"
"\n"
"Results from outside: while a command or a model works, a device sends nothing else. "
"In ollama, user is what the model is asked and system what it is told first: templates, each a string or a list of lines. format is a JSON schema, or \"json\"; options is handed to Ollama as it is (temperature, num_predict); stream: true takes the answer in pieces. url, model, timeout_ms (30000), retry_after_ms (5000) and the others may stand in the profile's own ollama, for all tools; --ollama, --model and --ollama-timeout win over both.\n";

const char sim_profile_help_service[] =
"A service is another kind of profile: an MCP server as the specification has it, strict, over HTTP, HTTP+SSE and WebSocket (mcpctl sim llm), or inside this program (sim:llm).\n"
"\n"
"  {\n"
"    \"kind\": \"service\",\n"
"    \"extends\": \"llm\",\n"
"    \"ollama\": { \"model\": \"llama3.1:8b\" },\n"
"    \"prompts\": [\n"
"      { \"name\": \"validation_prompt\",\n"
"        \"text\": [ \"Confira os dados.\", \"${entities}\" ] }\n"
"    ]\n"
"  }\n"
"\n"
"Its members: kind, brief, extends (an inherited tool, prompt, resource or template of the same name changes where this file speaks), name (serverInfo's), title, version, instructions, ollama (as above), and\n"
"\n"
"era\tlegacy, as without it: sessions that begin with initialize, up to 2025-11-25; modern: 2026-07-28, without sessions; both\n"
"cache\tan object: ttl_ms (0), scope (private or public), which lists and resources carry in 2026-07-28\n"
"ways\tan object: what a small SDK does otherwise, as the profile espressif (Espressif's mcp-c-sdk) has it; over HTTP path (MCP is there alone, one type of answer, a session for whoever brings none), body_max (bytes), session_ms (until an unused session ends), sockets (connections at a time: others wait, for ten seconds); every_argument (what is left out refuses the call, whatever the schema says), lax (a text is 0 as an integer, 50.7 is 50, more arguments are ignored), text_max (bytes: a longer text goes as no content), page_max (1024 to 16384 bytes: of a page of tools), newest_first, initialize_first (nothing is answered before it), not_found (the code for a tool, prompt or resource that is not there), early_result (tasks/result of a task that runs is an error)\n"
"tools\ta list: name, title, description, inputSchema, outputSchema, annotations, steps, hidden, task, result; each is called by tools/call, and in a session or without one by the method tools/NAME, whose result is the plain object\n"
"prompts\ta list: name, title, description, arguments (name, title, description, required, default, values), steps, hidden, and text (a template; a string or a list of lines) or messages (a list of objects with role and content, texts in which are templates); one with text is a resource prompt://NAME too, as the template that it is\n"
"resources\ta list: uri, name, title, description, mimeType, steps, hidden, and text or blob (base64)\n"
"dials\tarduino: it dials an access point, as a sketch with the Arduino library xiaozhi-esp32-mcp (mcpctl sim arduino --connect URL); without: it waits for clients\n"
"templates\ta list: uriTemplate, as file:///{name}, name, title, description, mimeType, steps, values (an object: for completion, a list for each place), and text (a template with the places) or blob\n"
"\n"
"Arguments are checked against inputSchema, and its defaults filled in. "
"A result is a plain text, number, true or false; or an object with one of text, template, json (structured content), content (a list of content objects, as they are), error, exec, ollama; beside the fixed ones delay_ms, beside text times (how often it is repeated). "
"In a template ${NAME} is an argument; lists are joined with commas. In ollama, prompt names a prompt of the file in the place of user.\n"
"\n";

const char sim_profile_help_steps[] =
"Steps are what happens before a result, in their order; in 2026-07-28, too, where what is asked goes by input_required and the client calls again:\n"
"\n"
"  { \"name\": \"greet\",\n"
"    \"steps\": [\n"
"      { \"log\": \"looking for a name\" },\n"
"      { \"progress\": 1, \"total\": 2 },\n"
"      { \"ask\": { \"user\": { \"method\": \"elicitation/create\",\n"
"        \"params\": { \"message\": \"Who are you?\", \"requestedSchema\": {\n"
"          \"type\": \"object\", \"properties\": { \"name\": { \"type\": \"string\" } },\n"
"          \"required\": [ \"name\" ] } } } } }\n"
"    ],\n"
"    \"result\": { \"template\": \"Hello ${answer.user.content.name}\" } }\n"
"\n"
"wait_ms\tnothing, for so long (a number or a template, such as ${seconds}000)\n"
"log\ta text, or an object with level (info), logger and data; sent to who wants that level\n"
"progress\ta number, with total and message; sent to who gave a progressToken; with times it is counted on\n"
"ask\tan object: by a key of your own, what the client is asked, with method (elicitation/create, sampling/createMessage, roots/list), params, and optional (true: left out where the client did not declare it; else the call is refused); beside it timeout_ms (300000), for a client with a session, and state (true: 2026-07-28 must bring a requestState along, as behind the first step it must anyway)\n"
"updated\tthe URI of a resource: who subscribed to it is told\n"
"toggle\tan object with tool, prompt or resource: that one is listed from now on, or hidden from now on, for all clients; they are told that the list changed\n"
"pause_ms\tthe event stream of this call is closed, and its client (2025-11-25, with a session) is told to come back for the rest after so long\n"
"\n"
"log and progress have times, too: how often, 1 to 10000; ${n} is which time it is. ${answer.KEY} is what the client answered, ${answer.KEY.content.name} and ${answer.KEY.roots.0.uri} are parts of it; what is not there is nothing. "
"An answer that is none (an elicitation without action, content that does not fit requestedSchema) fails the call. "
"\n"
"A tool's task is an object: support (optional, or required: it is only called as a task), poll_ms (1000), ttl_ms (0: as long as the service runs). In 2026-07-28 such a tool is a task for every client that has the extension. The message of progress is then the statusMessage, too. The profile tasks has some: mcpctl sim tasks.\n"
"\n"
"A hidden tool, prompt or resource is not there until a step toggles it. Subscriptions are offered where some step has updated.\n"
"\n"
"The profile conformance has all of this: mcpctl sim conformance passes what the conformance suite of MCP asks of servers.\n"
"\n";

const char sim_profile_help_rules[] =
"With outputSchema or normalise, the result of exec and ollama must be a JSON object; prose and fences around it are cut off. normalise makes it regular:\n"
"\n"
"members\tan object: a rule for each member that is kept; names are found without case; others are dropped\n"
"into\tthe name of a member of the result that all of it is put into\n"
"only\tan argument, a list of names: other members are dropped unless their rule says always\n"
"empty\ta list of texts that say nothing: dropped, like null and the empty text\n"
"\n"
"A rule has type: text (trimmed, white space made single; a list is joined), number or boolean; also: other names of the member; enum and glob: texts that are kept; minimum and maximum: numbers are brought into them; percent: a number from 2 up, or one with %, is divided by 100; default: for what is missing or cannot be read; always. "
"What does not fit outputSchema then is an error of the tool.\n"
"\n"
"A model that is too slow is JSON-RPC error -32000 with timeout_seconds and retry_after in its data; one that is missing, busy or cannot be reached is -32001 with retry_after. "
"In llm, a confianca that the model left out is 0.5.\n";

/* clang-format on */
