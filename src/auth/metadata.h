/* SPDX-License-Identifier: MIT */
/*
 * What servers tell about logging in: of a resource (RFC 9728) and of an
 * authorization server (RFC 8414, OpenID Connect Discovery), read from JSON and
 * judged; and where that JSON is asked for. Pure: fetches nothing.
 */
#ifndef AUTH_METADATA_H
#define AUTH_METADATA_H

#include "base/split.h"

#define METADATA_MAX ((size_t)256 * 1024) /* bytes of one document */

struct resource_metadata {
	char *resource; /* NULL: not told */
	struct words issuers; /* at least one */
	char *scopes; /* scopes_supported, spaces between; NULL: not told */
};

/*
 * server: the URL of MCP, which the resource must cover. -1 (ERR_PROTOCOL): no
 * such document, of another resource, or without an authorization server.
 */
int resource_metadata_read(struct resource_metadata *out, const char *text,
			   size_t len, const char *server, struct error *err);
void resource_metadata_done(struct resource_metadata *m);

struct server_metadata {
	char *issuer, *authorization, *token;
	char *registration, *revocation; /* NULL: there is none */
	/* Of the client at the token endpoint; told is false: not said. */
	struct words methods, grants, scopes;
	bool methods_told, grants_told;
	bool client_documents; /* client_id_metadata_document_supported */
	bool tells_issuer; /* authorization_response_iss_parameter_supported */
	bool assumed; /* there was no document: paths of 2025-03-26 */
};

/*
 * issuer: as it was told, byte for byte. local: the MCP server is on this
 * machine (auth_url_check). -1 (ERR_PROTOCOL): no such document, of another
 * issuer, without S256, an endpoint that must not be used.
 */
int server_metadata_read(struct server_metadata *out, const char *text,
			 size_t len, const char *issuer, bool local,
			 struct error *err);
/* A server of 2025-03-26 without a document: origin is its own. */
void server_metadata_assume(struct server_metadata *out, const char *origin);
void server_metadata_done(struct server_metadata *m);

/* Where to ask, in this order; nothing for what is no URL. */
void resource_metadata_places(struct words *out, const char *server);
void server_metadata_places(struct words *out, const char *issuer);

/* A word of a list of scopes. */
bool scope_has(const char *scopes, const char *word, size_t len);
/* Each word of both, once; either may be NULL. Yours; NULL: none. */
char *scope_union(const char *a, const char *b);
/* What may stand in a scope (RFC 6749, 3.3), blanks between. */
bool scope_fits(const char *scopes);

#endif
