/* SPDX-License-Identifier: MIT */
/* A command's file for boards to fetch, and what is told of it. */
#ifndef SERVE_HOSTING_H
#define SERVE_HOSTING_H

#include "serve/control.h"

/* A file that came with the question, for boards to fetch. */
void hosting_ask(struct control_peer *p, const struct control_question *q);
void hosting_abandon(struct control_peer *p);
/*
 * Whether that asker is to be offered firmware that a command hosts, lent until
 * the next question; base: "http://HOST:PORT" of ours as it reached us.
 */
bool hosting_firmware(struct serve *s, const struct ota_request *rq,
		      const char *base, struct ota_firmware *out);
/* A Device-Id asked OTA. */
void hosting_heard(struct serve *s, const struct ota_request *rq,
		   const char *address);

#endif
