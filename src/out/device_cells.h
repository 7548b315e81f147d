/* SPDX-License-Identifier: MIT */
/*
 * The cells of a device in a table: name, board, version, transport, state or
 * tools, since, seen, address. Made safe.
 */
#ifndef OUT_DEVICE_CELLS_H
#define OUT_DEVICE_CELLS_H

#include "base/json.h"
#include "out/render.h"

struct device_cells {
	struct buf cell[DEVICE_COLUMNS];
};

/* device NULL: the headings. */
void device_cells_make(struct device_cells *c, const cJSON *device);
void device_cells_done(struct device_cells *c);

/*
 * "3 s ago" for a time of RFC 3339 in UTC ("2026-08-08T12:01:02.123Z"),
 * appended; "-" for NULL, the text itself if it is no such time. now: Unix ms.
 */
void device_age(struct buf *out, const char *time, int64_t now);

#endif
