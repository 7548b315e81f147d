/* SPDX-License-Identifier: MIT */
/*
 * Loads what a listening port is made of. Opens none.
 */
#include "net/port_parts.h"

#include "base/module.h"

int port_parts_load(const struct front_table **front,
		    const struct ws_table **ws, struct error *err)
{
	*front = module_table("front", FRONT_TABLE, err);
	*ws = *front ? module_table("ws", WS_TABLE, err) : NULL;
	return *ws ? 0 : -1;
}
