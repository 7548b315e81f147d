/* SPDX-License-Identifier: MIT */
/*
 * What serve must still be able to reach once it listens. What a rule says
 * stands in base/fence.h; what is not named here is out of reach.
 */
#include <fcntl.h>

#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "serve/mqtt_boards.h"
#include "serve/serve_state.h"

#define DNS_PORT 53 /* long answers of a name server come over TCP */

void serve_fence(const struct serve *s, struct words *rules)
{
	const struct serve_config *c = &s->config;
	CLEANUP(mem_free_ptr) char *folder = file_folder(serve_socket(s));
	CLEANUP(mem_free_ptr) char *enrolled = NULL;

	/* It is replaced, by a new one beside it. */
	if (c->enrolled_file)
		enrolled = file_folder(c->enrolled_file);
	fence_system(rules);
	fence_port(rules, "connect", DNS_PORT);
	fence_rule(rules, "remove", folder);
	fence_rule(rules, "write", c->save_images);
	fence_rule(rules, "write", enrolled);
	if (c->vision_exec)
		fence_rule(rules, "write", file_temporary());
	if (s->rack)
		mqtt_boards_fence(s->rack, rules);
}

void serve_allow(const struct serve_config *c)
{
	const char *const vision[] = { "sh", "-c", c->vision_exec, "sh", NULL };

	/* The picture, and what is asked about it. */
	if (c->vision_exec)
		spawner_allow(vision, 2, NULL);
	if (c->token_file)
		spawner_keep(c->token_file, O_RDONLY);
	if (c->alias_file)
		spawner_keep(c->alias_file, O_RDONLY);
	if (c->mqtt_key_file)
		spawner_keep(c->mqtt_key_file, O_RDONLY);
}
