/* SPDX-License-Identifier: MIT */
/* Who is told that something changed. */
#ifndef SIM_SERVICE_WATCH_H
#define SIM_SERVICE_WATCH_H

#include "sim/service_state.h"

void service_subscribe(struct service_part *p);
void service_unsubscribe(struct service_part *p);
void service_feed(struct service_part *p);
/* Without a reply. NULL is fine. */
void service_feed_drop(struct service_part *p);
/* A list changed, for all that want to know. */
enum service_list { LIST_TOOLS, LIST_PROMPTS, LIST_RESOURCES, SERVICE_LISTS };
void service_changed(const struct service *s, enum service_list list);
void service_updated(const struct service *s, const char *uri);

#endif
