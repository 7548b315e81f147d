/* SPDX-License-Identifier: MIT */
/* What it has by a name or a URI, and what is answered where there is none. */
#ifndef SIM_SERVICE_FIND_H
#define SIM_SERVICE_FIND_H

#include "sim/service_state.h"

/* By its name, which may be NULL; NULL: there is none. */
const struct service_tool *service_tool(const struct service *s,
					const char *name);
const struct service_prompt *service_prompt(const struct service *s,
					    const char *name);
/* A resource, or a prompt that is read as one; all is lent. */
struct service_found {
	const char *name, *uri, *text; /* NULL: there is none */
	const cJSON *json;
	const cJSON *arguments; /* of a prompt; NULL */
	const struct service_resource *resource; /* NULL: a prompt */
};
/* By its URI, or by its name. */
struct service_found service_find(const struct service *s, const char *asked,
				  bool by_uri);
/* The template that fits. NULL: none does. */
const struct service_resource *service_find_template(const struct service *s,
						     const char *uri);
/*
 * Whether uri fits a template, as "file:///{name}"; what stands for its places
 * is put into values (a cJSON object; NULL: nobody wants it).
 */
bool service_uri_fits(const char *pattern, const char *uri, cJSON *values);
/* Whether a URI can be read: a resource, a prompt, or what fits a template. */
bool service_reads(const struct service *s, const char *uri);
/*
 * There is none: the part is answered with that. name NULL: the client sent
 * none, or no text.
 */
void service_no_tool(struct service_part *p, const char *name);
void service_no_prompt(struct service_part *p, const char *name);
void service_no_resource(struct service_part *p, const char *uri);

#endif
