/* SPDX-License-Identifier: MIT */
/* What hosts are told beside answers: changes, logs. */
#ifndef BRIDGE_HOST_TOLD_H
#define BRIDGE_HOST_TOLD_H

#include "bridge/host_state.h"

void host_told_open(struct peer_hearer *out);
int64_t host_told_tend(struct bridge_host *h);
void host_told_forget(struct host_client *c);
/* For bridge.on_change. */
void host_tools_changed(void *owner);
/* What of `wanted` it is told of, as members added to out; for host_part.topics. */
unsigned host_listens(const cJSON *wanted, struct buf *out);
/* … and of these resources it is told, as long as the part is not over. */
void host_listens_to(struct host_part *p, const cJSON *uris, struct buf *out);
void host_set_level(struct host_part *p);
/* The least that anybody wants; static. NULL: nobody wants any. */
const char *host_log_level(const struct bridge_host *h);
/* The part is about to ask that peer, and wants what it logs amid it. */
void host_want_logs(const struct host_part *p, const struct bridge_peer *peer);
/* uri: as the host calls it; key: as its server does. */
void host_watch(struct host_client *c, struct bridge_peer *p, const char *uri,
		const char *key);
/* False: it is over, with an error. */
bool host_may_watch(struct host_part *p);
void host_unwatch(struct host_part *p);

#endif
