/* SPDX-License-Identifier: MIT */
/*
 * Names for boards: devices.json in the configuration folder (or
 * --alias-file), {"kitchen":"aa:bb:cc:dd:ee:ff", …}: to the Device-Id; to the
 * client id of a device that sends no Device-Id (board_id_is below).
 */
#ifndef SERVE_ALIASES_H
#define SERVE_ALIASES_H

#include "base/base.h"
#include "base/error.h"

struct alias {
	char *name, *id;
};
struct aliases {
	struct alias *item;
	size_t count;
};

/*
 * Read anew; file NULL: $XDG_CONFIG_HOME/mcpctl/devices.json, which may be
 * missing. -1 (ERR_USAGE): not readable, no JSON object of texts, a name that
 * could be taken for a glob or a target; what was there stays.
 */
int aliases_read(struct aliases *a, const char *file, struct error *err);
void aliases_done(struct aliases *a);
/* The name of that device, lent until the next read; NULL. */
const char *aliases_name(const struct aliases *a, const char *device_id,
			 const char *client_id);
/* The id that has this name (without case), lent the same; NULL. */
const char *aliases_id(const struct aliases *a, const char *name);
/*
 * What serve calls a device that -d names: the id of that name, or the word
 * itself, in small letters (struct board: id). Yours.
 */
char *aliases_device(const struct aliases *a, const char *word);
/*
 * The entry that text is the name or the id of; NULL. For what a device tells
 * of itself and is not.
 */
const struct alias *aliases_find(const struct aliases *a, const char *text);

/*
 * id is its Device-Id, without case; its client id only where it told no
 * Device-Id, or where that client id itself names the same Device-Id
 * (device.md 2.1). NULL fits nothing.
 */
bool board_id_is(const char *id, const char *device_id, const char *client_id);

/* "aa:bb:cc:dd:ee:ff": no client id has this form. */
bool board_id_is_mac(const char *text);

#endif
