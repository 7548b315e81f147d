/* SPDX-License-Identifier: MIT */
#include "sim/service_answerer.h"

#include "sim/service_era.h"

static const char *name(void *owner)
{
	return service_name(owner);
}

static void *client_new(void *owner)
{
	return service_client_new(owner);
}

static void client_free(void *client)
{
	service_client_free(client);
}

static bool is_initialized(const void *client)
{
	return service_client_is_initialized(client);
}

static const char *revision(const void *client)
{
	return service_client_revision(client);
}

static void reach(void *client, mcp_tell *tell, void *owner)
{
	service_client_reach(client, tell, owner);
}

static void *hear(void *client, const struct mcp_said *m,
		  const struct mcp_hearer *h, void *owner)
{
	return service_hear(client, m, h, owner);
}

static void abandon(void *question)
{
	service_abandon(question);
}

static bool is_modern(void *owner, const struct mcp_said *m)
{
	return service_is_modern(owner, m);
}

static bool is_legacy(void *owner)
{
	return service_is_legacy(owner);
}

struct answerer service_answerer(struct service *s)
{
	return (struct answerer){
		.owner = s,
		.name = name,
		.client_new = client_new,
		.client_free = client_free,
		.is_initialized = is_initialized,
		.revision = revision,
		.reach = reach,
		.hear = hear,
		.abandon = abandon,
		.is_modern = is_modern,
		.is_legacy = is_legacy,
	};
}
