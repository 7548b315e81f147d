/* SPDX-License-Identifier: MIT */
/* Metadata, read and judged. */
#include "auth/metadata.h"

#include <string.h>
#include <strings.h>

#include "auth/url.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define LIST_MAX 64 /* words of a list; those behind are not looked at */

/* ---- scopes ---- */

bool scope_has(const char *scopes, const char *word, size_t len)
{
	while (scopes && *scopes) {
		size_t own = strcspn(scopes, " ");

		if (own == len && memcmp(scopes, word, len) == 0)
			return true;
		scopes += own;
		scopes += strspn(scopes, " ");
	}
	return false;
}

bool scope_fits(const char *scopes)
{
	for (const char *p = scopes; *p; p++) {
		if (*p < 0x20 || *p > 0x7e || *p == '"' || *p == '\\')
			return false;
	}
	return true;
}

static void add_scopes(struct buf *out, const char *scopes)
{
	while (scopes && *scopes) {
		size_t len = strcspn(scopes, " ");

		if (len && !scope_has(buf_string(out), scopes, len)) {
			if (out->len)
				buf_char(out, ' ');
			buf_add(out, scopes, len);
		}
		scopes += len;
		scopes += strspn(scopes, " ");
	}
}

char *scope_union(const char *a, const char *b)
{
	struct buf out = { 0 };

	add_scopes(&out, a);
	add_scopes(&out, b);
	return out.len ? buf_take(&out) : NULL;
}

/* ---- parts of a document ---- */

static cJSON *read_document(const char *text, size_t len, const char *what,
			    struct error *err)
{
	cJSON *tree = json_parse(text, len, err);

	if (tree && cJSON_IsObject(tree))
		return tree;
	if (tree)
		error_set(err, ERR_PROTOCOL, "it is no object");
	cJSON_Delete(tree);
	error_prefix(err, "the metadata of %s is unusable", what);
	return NULL;
}

/* The texts of a list. False: there is no such list. */
static bool take_words(struct words *out, const cJSON *tree, const char *name)
{
	const cJSON *list = json_array(tree, name), *item;

	cJSON_ArrayForEach(item, list) {
		if (out->count < LIST_MAX && cJSON_IsString(item) &&
		    *item->valuestring && !text_has_control(item->valuestring))
			words_add(out, item->valuestring);
	}
	return list;
}

/* ---- a resource ---- */

static char *join_scopes(const struct words *w)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < w->count; i++) {
		if (scope_fits(w->word[i]))
			add_scopes(&out, w->word[i]);
	}
	return out.len ? buf_take(&out) : NULL;
}

/* "example" is a whole label of its host (RFC 2606, 3; example.local). */
static bool is_placeholder(const char *url)
{
	const char *host = strstr(url, "://");
	size_t len;

	for (host = host ? host + 3 : url;; host += len + 1) {
		len = strcspn(host, "./:?#");
		if (len == 7 && strncasecmp(host, "example", 7) == 0)
			return true;
		if (host[len] != '.')
			return false;
	}
}

/* A server that was never told its own address says what its library does. */
static int refuse_resource(const struct resource_metadata *m,
			   const char *server, struct error *err)
{
	CLEANUP(buf_done) struct buf issuers = { 0 };
	bool example = m->issuers.count > 0;

	for (size_t i = 0; i < m->issuers.count && i < 4; i++) {
		buf_printf(&issuers, "%s%.80s", i ? ", " : "",
			   m->issuers.word[i]);
		example = example && is_placeholder(m->issuers.word[i]);
	}
	error_set(err, ERR_PROTOCOL,
		  "the metadata of '%.150s' is of another resource, '%.150s'",
		  server, m->resource);
	if (!example)
		return error_hint(
			err,
			"a token for it is not asked for; is the target's address right?");
	return error_hint(
		err,
		"its authorization server '%.160s' is a placeholder%s%.60s: nobody set its login up, so give it a token itself (MCPCTL_TOKEN, --token-file)",
		buf_string(&issuers), m->scopes ? ", scopes " : "",
		m->scopes ? m->scopes : "");
}

static int judge_resource(const struct resource_metadata *m, const char *server,
			  struct error *err)
{
	if (m->resource && !auth_url_covers(m->resource, server))
		return refuse_resource(m, server, err);
	if (m->issuers.count)
		return 0;
	return error_set(
		err, ERR_PROTOCOL,
		"the metadata of '%.150s' names no authorization server",
		server);
}

int resource_metadata_read(struct resource_metadata *out, const char *text,
			   size_t len, const char *server, struct error *err)
{
	CLEANUP(words_done) struct words scopes = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *tree = read_document(text, len, "the resource", err);

	*out = (struct resource_metadata){ 0 };
	if (!tree)
		return -1;
	out->resource = mem_strdup(json_string(tree, "resource"));
	take_words(&out->issuers, tree, "authorization_servers");
	take_words(&scopes, tree, "scopes_supported");
	out->scopes = join_scopes(&scopes);
	if (judge_resource(out, server, err) == 0)
		return 0;
	resource_metadata_done(out);
	return -1;
}

void resource_metadata_done(struct resource_metadata *m)
{
	mem_free(m->resource);
	mem_free(m->scopes);
	words_done(&m->issuers);
	*m = (struct resource_metadata){ 0 };
}

/* ---- an authorization server ---- */

static int take_endpoint(char **out, const cJSON *tree, const char *name,
			 bool local, struct error *err)
{
	const char *url = json_string(tree, name);

	if (!url || !*url)
		return 0;
	if (auth_url_check(url, name, local, err))
		return -1;
	*out = mem_strdup(url);
	return 0;
}

static int take_endpoints(struct server_metadata *m, const cJSON *tree,
			  bool local, struct error *err)
{
	if (take_endpoint(&m->authorization, tree, "authorization_endpoint",
			  local, err) ||
	    take_endpoint(&m->token, tree, "token_endpoint", local, err) ||
	    take_endpoint(&m->registration, tree, "registration_endpoint",
			  local, err) ||
	    take_endpoint(&m->revocation, tree, "revocation_endpoint", local,
			  err))
		return -1;
	if (m->token)
		return 0;
	return error_set(err, ERR_PROTOCOL,
			 "the metadata of '%.150s' has no token_endpoint",
			 m->issuer);
}

static int judge_issuer(const cJSON *tree, const char *issuer,
			struct error *err)
{
	const char *told = json_string(tree, "issuer");

	if (told && strcmp(told, issuer) == 0)
		return 0;
	error_set(
		err, ERR_PROTOCOL,
		"the metadata of the authorization server '%.150s' is of another one, '%.150s'",
		issuer, told ? told : "");
	return error_hint(
		err,
		"both must be the same to the last character (RFC 8414, 3.3); tell who runs the server");
}

/* Without a grant by code there is no need of it. */
static int judge_pkce(const struct server_metadata *m, const cJSON *tree,
		      struct error *err)
{
	CLEANUP(words_done) struct words how = { 0 };

	take_words(&how, tree, "code_challenge_methods_supported");
	if (!m->authorization || words_has(&how, "S256"))
		return 0;
	if (m->grants_told && !words_has(&m->grants, "authorization_code"))
		return 0;
	error_set(
		err, ERR_PROTOCOL,
		"the authorization server '%.150s' does not say that it checks PKCE by S256",
		m->issuer);
	return error_hint(
		err,
		"without it a code could be stolen; tell who runs the server (code_challenge_methods_supported)");
}

static int read_server(struct server_metadata *m, const cJSON *tree,
		       const char *issuer, bool local, struct error *err)
{
	if (judge_issuer(tree, issuer, err))
		return -1;
	m->issuer = mem_strdup(issuer);
	m->methods_told = take_words(&m->methods, tree,
				     "token_endpoint_auth_methods_supported");
	m->grants_told = take_words(&m->grants, tree, "grant_types_supported");
	take_words(&m->scopes, tree, "scopes_supported");
	m->client_documents =
		json_true(tree, "client_id_metadata_document_supported");
	m->tells_issuer = json_true(
		tree, "authorization_response_iss_parameter_supported");
	if (take_endpoints(m, tree, local, err))
		return -1;
	return judge_pkce(m, tree, err);
}

int server_metadata_read(struct server_metadata *out, const char *text,
			 size_t len, const char *issuer, bool local,
			 struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = read_document(text, len, "the authorization server", err);

	*out = (struct server_metadata){ 0 };
	if (tree && read_server(out, tree, issuer, local, err) == 0)
		return 0;
	server_metadata_done(out);
	return -1;
}

void server_metadata_assume(struct server_metadata *out, const char *origin)
{
	*out = (struct server_metadata){ 0 };
	out->issuer = mem_strdup(origin);
	out->authorization = mem_printf("%s/authorize", origin);
	out->token = mem_printf("%s/token", origin);
	out->registration = mem_printf("%s/register", origin);
	/* Public clients: that revision knows PKCE, and no list of methods. */
	words_add(&out->methods, "none");
	out->methods_told = out->assumed = true;
}

void server_metadata_done(struct server_metadata *m)
{
	mem_free(m->issuer);
	mem_free(m->authorization);
	mem_free(m->token);
	mem_free(m->registration);
	mem_free(m->revocation);
	words_done(&m->methods);
	words_done(&m->grants);
	words_done(&m->scopes);
	*m = (struct server_metadata){ 0 };
}

/* ---- where they are ---- */

static void add_place(struct words *out, const struct auth_url *u,
		      const char *name, const char *path, const char *behind)
{
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("%s%s%s%s", u->origin, name, path, behind);

	words_add(out, url);
}

static void drop_slash(char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		path[--len] = '\0';
}

void resource_metadata_places(struct words *out, const char *server)
{
	static const char name[] = "/.well-known/oauth-protected-resource";
	CLEANUP(auth_url_done) struct auth_url u = { 0 };

	if (auth_url_read(&u, server, "", NULL))
		return;
	drop_slash(u.path);
	if (*u.path)
		add_place(out, &u, name, u.path, "");
	add_place(out, &u, name, "", "");
}

void server_metadata_places(struct words *out, const char *issuer)
{
	static const char oauth[] = "/.well-known/oauth-authorization-server";
	static const char openid[] = "/.well-known/openid-configuration";
	CLEANUP(auth_url_done) struct auth_url u = { 0 };

	if (auth_url_read(&u, issuer, "", NULL))
		return;
	drop_slash(u.path);
	add_place(out, &u, oauth, u.path, "");
	add_place(out, &u, openid, u.path, "");
	if (*u.path)
		add_place(out, &u, "", u.path, openid);
}
