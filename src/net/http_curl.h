/* SPDX-License-Identifier: MIT */
/*
 * libcurl for the module `http`: http_curl.c joins it to the loop,
 * http_curl_request.c is one request.
 */
#ifndef NET_HTTP_CURL_H
#define NET_HTTP_CURL_H

#include <curl/curl.h>

#include "net/http_private.h"

struct curl_engine {
	struct http_engine *http;
	CURLM *multi;
	struct timer timer;
	struct curl_socket *sockets;
};

struct curl_request {
	struct http_transfer *transfer;
	struct http_engine *engine;
	CURL *easy;
	bool added;
	bool sent; /* curl began to send it, for the first time */
	struct curl_slist *headers, *resolve;
	size_t head_bytes;
	char problem[CURL_ERROR_SIZE];
};

/* NULL: curl gives none. */
struct curl_request *curl_request_new(struct http_transfer *t);
void curl_request_free(struct curl_request *r);
/* It ended: fills the transfer's outcome. */
void curl_request_done(const struct curl_request *r, CURLcode result);

/*
 * For an engine. Transfers are filled, and their events never called: the
 * engine is stirred, and tells as the last thing that is done in a turn.
 */
struct curl_engine *curl_engine_new(struct http_engine *http,
				    struct error *err);
void curl_engine_close(struct curl_engine *e);
/* What fails is an outcome. */
void curl_engine_start(struct curl_engine *e, struct http_transfer *t);
/* Also while it runs; t->request is released. */
void curl_engine_stop(struct curl_engine *e, struct http_transfer *t);

#endif
