/* SPDX-License-Identifier: MIT */
/*
 * What libcurl alone costs: it is loaded as a program does that needs it only
 * now and then, and makes the three requests of client.c on one connection,
 * each when the one before is done. library PORT: over HTTP on loopback;
 * library PORT alone: the one request of a modern call.
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

static struct {
	CURLcode (*start)(long flags);
	CURL *(*open)(void);
	CURLcode (*set)(CURL *easy, CURLoption option, ...);
	CURLcode (*perform)(CURL *easy);
	void (*close)(CURL *easy);
	struct curl_slist *(*append)(struct curl_slist *list, const char *text);
	void (*release)(struct curl_slist *list);
} curl;

static const struct {
	const char *name;
	void *place;
} functions[] = {
	{ "curl_global_init", &curl.start },
	{ "curl_easy_init", &curl.open },
	{ "curl_easy_setopt", &curl.set },
	{ "curl_easy_perform", &curl.perform },
	{ "curl_easy_cleanup", &curl.close },
	{ "curl_slist_append", &curl.append },
	{ "curl_slist_free_all", &curl.release },
};

static void fail(const char *what)
{
	fprintf(stderr, "library: %s\n", what);
	exit(1);
}

static void load(void)
{
	void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		fail(dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		*(void **)functions[i].place = dlsym(handle, functions[i].name);
		if (!*(void **)functions[i].place)
			fail(dlerror());
	}
}

static size_t received;

static size_t on_body(char *data, size_t size, size_t count, void *owner)
{
	(void)data;
	(void)owner;
	received += size * count;
	return size * count;
}

int main(int argc, char **argv)
{
	struct curl_slist *headers;
	char url[64];
	CURL *easy = NULL;
	int alone = argc == 3 && strcmp(argv[2], "alone") == 0;

	if (argc != 2 && !alone)
		return 2;
	snprintf(url, sizeof(url), "http://127.0.0.1:%s/", argv[1]);
	load();
	if (curl.start(CURL_GLOBAL_NOTHING) != CURLE_OK ||
	    !(easy = curl.open()))
		fail("it does not start");
	headers = curl.append(NULL, "Content-Type: application/json");
	curl.append(headers, "Accept: application/json, text/event-stream");
	curl.append(headers, "Expect:");
	curl.set(easy, CURLOPT_NOSIGNAL, 1L);
	curl.set(easy, CURLOPT_URL, url);
	curl.set(easy, CURLOPT_HTTPHEADER, headers);
	curl.set(easy, CURLOPT_WRITEFUNCTION, on_body);
	if (alone) {
		curl.append(headers, "MCP-Protocol-Version: 2026-07-28");
		curl.append(headers, "Mcp-Method: tools/call");
		curl.append(headers, "Mcp-Name: echo");
	}
	for (int i = 0; i < (alone ? 1 : 3); i++) {
		curl.set(easy, CURLOPT_POSTFIELDS, alone ? ALONE : messages[i]);
		if (curl.perform(easy) != CURLE_OK)
			fail("no answer");
	}
	curl.close(easy);
	curl.release(headers);
	return received ? 0 : 1;
}
