/* SPDX-License-Identifier: MIT */
/*
 * The cells of a device in a table: name, board, version, transport, state or
 * tools, since, seen, address. Made safe.
 */
#ifndef OUT_TEXT_DEVICE_H
#define OUT_TEXT_DEVICE_H

#include "base/json.h"
#include "out/render.h"

struct device_cells {
	struct buf cell[DEVICE_COLUMNS];
};

/*
 * "3 s ago" for a time of RFC 3339 in UTC ("2026-08-08T12:01:02.123Z"),
 * appended; "-" for NULL, the text itself if it is no such time. now: Unix ms.
 */
void device_age(struct buf *out, const char *time, int64_t now);

/* Make the columns of d as wide as its device needs. */
void render_widen(struct device_record *d);

/* What a device is called: its alias, else its id. */
const char *render_device_name(const cJSON *device);

void text_device(struct renderer *r, const struct device_record *d);
void text_upgrade(struct renderer *r, const struct upgrade_record *u);
void text_row(struct renderer *r, const struct device_record *d);

#endif
