/* SPDX-License-Identifier: MIT */
/*
 * Any bytes, cut at newlines, as a pattern, a topic and a client id: what is
 * encoded comes back, what matched fills to the same topic again, and a
 * client id that names a device names a whole one.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "wire/broker_topic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void there_and_back(const char *id)
{
	struct buf topic = { 0 }, back = { 0 };
	int kind;

	for (kind = BROKER_UP; *id && kind <= BROKER_KICK; kind++) {
		buf_reset(&topic);
		broker_topic_encode(&topic, (enum broker_topic)kind, id);
		assert(!strpbrk(buf_string(&topic), "+#"));
		assert((int)broker_topic_decode(buf_string(&topic), &back) ==
		       kind);
		assert(!strcmp(buf_string(&back), id));
	}
	buf_done(&topic);
	buf_done(&back);
}

static void patterns(const char *pattern, const char *topic)
{
	struct buf client = { 0 }, mac = { 0 }, again = { 0 };

	topic_filter(&again, pattern);
	assert(!strstr(buf_string(&again), "{mac}"));
	buf_reset(&again);
	if (topic_match(pattern, topic, &client, &mac)) {
		topic_fill(&again, pattern, buf_string(&client),
			   buf_string(&mac));
		/* A mac is written with _, and read with colons. */
		if (!strchr(topic, ':') || !strstr(pattern, "{mac}"))
			assert(!strcmp(buf_string(&again), topic));
	}
	buf_done(&client);
	buf_done(&mac);
	buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	char *topic = strchr(text, '\n'), *id = NULL, mac[18];
	struct buf buf = { 0 };

	if (topic) {
		*topic++ = '\0';
		id = strchr(topic, '\n');
	}
	if (id) {
		char *exact;

		*id++ = '\0';
		/* Exactly as long, so that a byte too far is noticed. */
		exact = mem_strdup(id);
		there_and_back(exact);
		if (client_id_mac(exact, mac))
			assert(strlen(mac) == 17);
		mem_free(exact);
	}
	if (topic)
		patterns(text, topic);
	if (broker_topic_decode(text, &buf) != BROKER_NONE)
		there_and_back(buf_string(&buf));
	buf_done(&buf);
	mem_free(text);
	return 0;
}
