/* SPDX-License-Identifier: MIT */
/*
 * The page for a browser: that the port can be reached, what to set on the
 * board, and who is here.
 */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "net/knock.h"
#include "net/page.h"
#include "serve/board.h"
#include "serve/door_private.h"

#define ROWS_MAX 200

static void add_cell(struct buf *out, const char *text)
{
	buf_text(out, "<td>");
	page_text(out, text ? text : "");
	buf_text(out, "</td>");
}

static void add_since(struct buf *out, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[32] = "";
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	add_cell(out, text);
}

static void add_row(struct buf *out, const struct board *d)
{
	char tools[24] = "";

	if (d->tools)
		snprintf(tools, sizeof(tools), "%zu", d->tools->count);
	buf_text(out, "<tr>");
	add_cell(out, d->id);
	add_cell(out, d->alias);
	add_cell(out, d->board);
	add_cell(out, d->version);
	add_cell(out, d->mqtt ? "MQTT" : "WebSocket");
	add_cell(out, board_state_name(d->state));
	add_cell(out, tools);
	add_since(out, d->since_ms);
	buf_text(out, "</tr>\n");
}

static void add_devices(struct buf *out, const struct registry *r)
{
	size_t rows = 0;

	if (r->count == 0) {
		buf_text(out, "<p>No device is connected now.</p>\n");
		return;
	}
	buf_printf(out, "<p>%zu device%s connected:</p>\n", r->count,
		   r->count == 1 ? " is" : "s are");
	buf_text(out, "<table border=\"1\" cellpadding=\"4\"><tr><th>device"
		      "</th><th>alias</th><th>board</th><th>version</th>"
		      "<th>transport</th><th>state</th><th>tools</th>"
		      "<th>since</th></tr>\n");
	for (const struct board *d = r->first; d && rows < ROWS_MAX;
	     d = d->next, rows++)
		add_row(out, d);
	buf_text(out, "</table>\n");
	if (r->count > rows)
		buf_printf(out, "<p>and %zu more: mcpctl devices</p>\n",
			   r->count - rows);
}

static void add_address(struct buf *out, const struct visit *v)
{
	const char *ota = v->door->advertised_ota;

	buf_text(out,
		 "<p>Set this as the OTA address of the board (Wi-Fi setup "
		 "page at http://192.168.4.1, tab Advanced):</p>\n");
	if (ota) {
		buf_text(out, "<p><b>");
		page_text(out, ota);
		buf_text(out, "</b></p>\n");
	} else {
		page_address(out, knock_host(v->head));
	}
	buf_text(out, "<p>Then reboot the board: it asks this address once at "
		      "each start. ");
	if (v->door->server->rack &&
	    v->door->server->config.offer != OFFER_WEBSOCKET)
		buf_text(out, "It connects over MQTT by itself.</p>\n");
	else
		buf_text(out, "Then wake it, by wake word or button: it "
			      "connects only then.</p>\n");
}

void door_page(const struct visit *v)
{
	struct buf page = { 0 };

	page_start(&page);
	buf_text(&page, "<p>This address answers: network and firewall are "
			"fine. mcpctl serve is here, a server for boards with "
			"MCP.</p>\n");
	add_address(&page, v);
	add_devices(&page, &v->door->server->registry);
	buf_text(&page, "<p>Next, in a terminal of the machine where it runs:"
			"</p>\n<pre>mcpctl devices\nmcpctl tools\n"
			"mcpctl call self.get_device_status\n"
			"mcpctl help board</pre>\n");
	page_end(&page);
	visit_answer(v, 200, "text/html; charset=utf-8", &page);
	buf_done(&page);
	door_record(v->door, &v->who, RECORD_BROWSER, LEVEL_INFO,
		    "a browser opened the page: network and port are fine");
}
