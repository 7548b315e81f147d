/* SPDX-License-Identifier: MIT */
/*
 * attach: one device that a running serve holds, as a transport. ready tells
 * what serve knows of it (peer_info.relay), so that nothing is asked twice:
 * hello and initialize were done when the device came.
 */
#ifndef NET_ATTACH_H
#define NET_ATTACH_H

#include "net/transport.h"

/* endpoint.path: the socket ("" the default); .device, .tail: see there. */
extern const struct transport_ops attach_ops;

/*
 * On an open attach: transport, ask serve for one tool as it was listed. The
 * answer comes by a callback from the loop: the tool's JSON text (NULL: there
 * is none), lent; nearest: a name to propose, NULL; broke: why the listing
 * ended early, NULL. One question at a time; name NULL: the last one is
 * forgotten, and its answer goes nowhere.
 */
typedef void attach_tool_answer(void *owner, const char *tool, size_t len,
				const char *nearest, const char *broke);
int attach_ask_tool(struct transport *t, const char *name,
		    attach_tool_answer *answer, void *owner, struct error *err);
/*
 * The same for an address that the device may upload one picture to; `tool` is
 * the address then (NULL: there is none, and `broke` says why).
 */
int attach_ask_upload(struct transport *t, attach_tool_answer *answer,
		      void *owner, struct error *err);

#endif
