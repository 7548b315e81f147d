/* SPDX-License-Identifier: MIT */
/* Topics made and taken apart, presence read. */
#include "wire/mcp_topic.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

#define SERVER "$mcp-server/"
#define PRESENCE SERVER "presence/"
#define CAPABILITY SERVER "capability/"
#define RPC "$mcp-rpc/"
#define CLIENT "$mcp-client/presence/"
#define CLIENT_CAPABILITY "$mcp-client/capability/"

/* ---- topics ---- */

/* "ID/NAME". */
static void take_server(struct mcp_topic *out, const char *text)
{
	size_t len = strcspn(text, "/");

	if (!len || !text[len] || !text[len + 1]) {
		out->kind = MCP_TOPIC_NONE;
		return;
	}
	out->server = text;
	out->id = (struct span){ text, len };
	out->name = (struct span){ text + len + 1, strlen(text + len + 1) };
}

static void take_client(struct mcp_topic *out, const char *text, bool server)
{
	size_t len = strcspn(text, "/");

	out->client = (struct span){ text, len };
	if (!len || (text[len] == '/') != server)
		out->kind = MCP_TOPIC_NONE;
	else if (server)
		take_server(out, text + len + 1);
}

void mcp_topic_read(struct mcp_topic *out, const char *topic)
{
	/* The longer ones first. */
	static const struct {
		const char *head;
		enum mcp_topic_kind kind;
		bool client, server;
	} rows[] = {
		{ PRESENCE, MCP_TOPIC_PRESENCE, false, true },
		{ CAPABILITY, MCP_TOPIC_CAPABILITY, false, true },
		{ SERVER, MCP_TOPIC_CONTROL, false, true },
		{ RPC, MCP_TOPIC_RPC, true, true },
		{ CLIENT, MCP_TOPIC_CLIENT, true, false },
		{ CLIENT_CAPABILITY, MCP_TOPIC_CLIENT_CAPABILITY, true, false },
		{ "$mcp-service/", MCP_TOPIC_DRAFT, false, false },
		{ "$mcp-rpc-endpoint/", MCP_TOPIC_DRAFT, false, false },
	};

	*out = (struct mcp_topic){ .kind = MCP_TOPIC_NONE };
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!text_starts(topic, rows[i].head))
			continue;
		out->kind = rows[i].kind;
		topic += strlen(rows[i].head);
		if (rows[i].client)
			take_client(out, topic, rows[i].server);
		else if (rows[i].server)
			take_server(out, topic);
		return;
	}
}

char *mcp_topic_make(enum mcp_topic_kind kind, const char *client,
		     const char *server)
{
	switch (kind) {
	case MCP_TOPIC_PRESENCE:
		return mem_printf(PRESENCE "%s", server);
	case MCP_TOPIC_CONTROL:
		return mem_printf(SERVER "%s", server);
	case MCP_TOPIC_CAPABILITY:
		return mem_printf(CAPABILITY "%s", server);
	case MCP_TOPIC_RPC:
		return mem_printf(RPC "%s/%s", client, server);
	case MCP_TOPIC_CLIENT:
		return mem_printf(CLIENT "%s", client);
	case MCP_TOPIC_CLIENT_CAPABILITY:
		return mem_printf(CLIENT_CAPABILITY "%s", client);
	case MCP_TOPIC_NONE:
	case MCP_TOPIC_DRAFT:
		break;
	}
	return NULL;
}

char *mcp_presence_filter(const char *filter)
{
	const char *slash = strchr(filter, '/');

	if (!*filter)
		return mem_strdup(PRESENCE "+/#");
	if (!slash || !slash[1])
		return mem_printf(PRESENCE "%.*s/#", (int)strcspn(filter, "/"),
				  filter);
	return mem_printf(PRESENCE "%s", filter);
}

bool mcp_id_fits(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f ||
		    strchr("/+#", text[i]))
			return false;
	}
	return len > 0 && len <= 1024 && text_is_utf8(text, len);
}

/* A level of a filter: + and # stand alone, # at the end. */
static bool level_fits(const char *level, size_t len, bool id)
{
	bool wild = memchr(level, '+', len) || memchr(level, '#', len);

	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)level[i] < ' ' || level[i] == 0x7f)
			return false;
	}
	if (!wild)
		return len > 0 || !id;
	return len == 1 && (*level == '+' || (!id && !level[1]));
}

int mcp_filter_check(const char *text, struct error *err)
{
	bool id = true;

	for (const char *p = text;; id = false) {
		size_t len = strcspn(p, "/");

		if (!level_fits(p, len, id)) {
			error_set(
				err, ERR_USAGE,
				"'%.100s' is neither SERVER_ID/SERVER_NAME nor a filter of such",
				text);
			return error_hint(
				err,
				"+ stands for one level, and # (%%23) for all that follow, as in +/xiaozhi/%%23");
		}
		p += len;
		if (!*p)
			return 0;
		p++;
	}
}

bool mcp_filter_is_exact(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash && slash[1] && !strpbrk(text, "+#");
}

/* ---- names ---- */

#define ONLY_IDS "id:"
#define NAMES 5 /* of one server */

static char *small(const char *text)
{
	char *out = mem_strdup(text);

	for (char *p = out; p && *p; p++)
		*p = (char)text_lower(*p);
	return out;
}

static bool name_fits(const char *name, const char *pattern)
{
	CLEANUP(mem_free_ptr) char *one = small(name);

	return one && (strcmp(one, pattern) == 0 || text_glob(pattern, one));
}

bool mcp_names_fit(const struct mcp_names *n, const char *pattern)
{
	const char *slash = n->name ? strrchr(n->name, '/') : NULL;
	CLEANUP(mem_free_ptr)
	char *both =
		n->id && n->name ? mem_printf("%s/%s", n->id, n->name) : NULL;
	const char *const names[NAMES] = { both, n->id, n->device, n->name,
					   slash ? slash + 1 : NULL };
	bool ids = text_starts(pattern, ONLY_IDS);
	CLEANUP(mem_free_ptr)
	char *wanted = small(pattern + (ids ? strlen(ONLY_IDS) : 0));

	for (size_t i = 0; i < (ids ? 3 : NAMES); i++) {
		if (name_fits(names[i], wanted))
			return true;
	}
	return false;
}

/* ---- presence ---- */

void mcp_presence_read(struct mcp_presence *out, const char *data, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(buf_done) struct buf meta = { 0 };
	const cJSON *params;

	*out = (struct mcp_presence){ .gone = len == 0 };
	if (!len)
		return;
	tree = json_parse(data, len, NULL);
	params = json_object(tree, "params");
	out->online = text_same(json_string(tree, "method"), MCP_ONLINE);
	if (!out->online)
		return;
	out->description = mem_strdup(json_string(params, "description"));
	if (json_given(params, "meta")) {
		json_print(&meta, json_member(params, "meta"));
		out->meta = buf_take(&meta);
		out->device = mem_strdup(
			json_string(json_object(params, "meta"), "id"));
	}
}

void mcp_presence_done(struct mcp_presence *p)
{
	mem_free(p->description);
	mem_free(p->meta);
	mem_free(p->device);
	*p = (struct mcp_presence){ 0 };
}
