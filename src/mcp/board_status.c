/* SPDX-License-Identifier: MIT */
#include "mcp/board_status.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define STATUS_MAX ((size_t)64 << 10) /* bytes of a status that is looked at */

const char *const board_status_tools[BOARD_STATUS_TOOLS] = {
	"self.get_device_status", "self.get_system_info"
};

static int64_t number(const cJSON *object, const char *name, int64_t absent)
{
	int64_t value = absent;

	return json_integer(object, name, &value) == 0 && value >= 0 ? value :
								       absent;
}

void board_status_forget(struct board_status *s)
{
	*s = (struct board_status){ .battery = -1, .heap = -1 };
}

static bool read_battery(struct board_status *s, const cJSON *status)
{
	const cJSON *battery = json_object(status, "battery");
	int64_t level = number(battery, "level", -1);

	if (level < 0 || level > 100)
		return false;
	s->battery = level;
	s->charging = json_true(battery, "charging");
	return true;
}

static bool read_signal(struct board_status *s, const cJSON *status)
{
	const char *signal =
		json_string(json_object(status, "network"), "signal");
	size_t len;

	if (!signal)
		return false;
	len = text_cut(signal, strlen(signal), sizeof(s->signal) - 1);
	memcpy(s->signal, signal, len);
	s->signal[len] = '\0';
	return true;
}

/* The same JSON as the OTA request (device.md 3.10): a text, by firmware. */
static bool read_heap(struct board_status *s, const cJSON *info)
{
	const char *text = json_string(info, "minimum_free_heap_size");
	int64_t heap = number(info, "minimum_free_heap_size", -1);

	if (text && text_integer(text, 0, INT64_MAX, &heap))
		heap = -1;
	if (heap >= 0)
		s->heap = heap;
	return heap >= 0;
}

static bool read_rssi(struct board_status *s, const cJSON *info)
{
	int64_t rssi;

	if (json_integer(json_object(info, "board"), "rssi", &rssi) ||
	    rssi >= 0 || rssi < -200)
		return false;
	s->rssi = rssi;
	return true;
}

/* The first text of a result; NULL. */
static const char *text_of(const cJSON *result)
{
	const cJSON *content = json_array(result, "content");

	if (!content || json_true(result, "isError"))
		return NULL;
	return json_string(content->child, "text");
}

bool board_status_read(struct board_status *s, const cJSON *result)
{
	const char *text = text_of(result);
	size_t len = text ? strlen(text) : 0;
	CLEANUP(json_free_ptr) cJSON *status = NULL;
	bool known;

	if (!len || len > STATUS_MAX)
		return false;
	status = json_parse(text, len, NULL);
	known = read_battery(s, status);
	known = read_signal(s, status) || known;
	known = read_heap(s, status) || known;
	return read_rssi(s, status) || known;
}

/* ---- cells ---- */

static void add_bytes(struct buf *out, int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < COUNT(units)) {
		value /= 1000;
		unit++;
	}
	buf_printf(out, unit && value < 99.95 ? "%.1f %s" : "%.0f %s", value,
		   units[unit]);
}

void board_status_battery(struct buf *out, const struct board_status *s)
{
	if (s->battery >= 0)
		buf_printf(out, "%" PRId64 "%%%s", s->battery,
			   s->charging ? "+" : "");
}

void board_status_signal(struct buf *out, const struct board_status *s)
{
	if (s->rssi)
		buf_printf(out, "%" PRId64 " dBm", s->rssi);
	else
		buf_text(out, s->signal);
}

void board_status_heap(struct buf *out, const struct board_status *s)
{
	if (s->heap >= 0)
		add_bytes(out, s->heap);
}
