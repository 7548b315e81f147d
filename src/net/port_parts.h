/* SPDX-License-Identifier: MIT */
/*
 * Who knocks at a listening port, how it got there and what it wants: pure
 * functions over the head of a request, for listen: and serve.
 */
#ifndef NET_PORT_PARTS_H
#define NET_PORT_PARTS_H

#include "base/base.h"
#include "base/buf.h"
#include "base/split.h"
#include "net/front.h"
#include "net/ws.h"
#include "wire/ota.h"

/* How the peer reached us: its Host if that is one, else our end of the socket. Lent. */
const char *knock_host(const struct front_head *head);

/* From the header or the query string; yours, NULL if in neither, or empty. */
char *knock_value(const struct front_head *head, const char *name);
/* What it gave as Authorization, or as token in the query string; yours, NULL. */
char *knock_token(const struct front_head *head);
/* Protocol-Version; 0 if not told or no number. */
int knock_protocol_version(const struct front_head *head);

/*
 * Whether `given` ("Bearer T", T, NULL: none) is this token. It takes the same
 * time for all tokens of a length.
 */
bool knock_token_fits(const char *token, const char *given);

/* The same path; a last slash more or less is no other one. */
bool knock_path_fits(const char *wanted, const char *path);
/* The path with its query, but with no secret in it; yours. */
char *knock_safe_path(const struct front_head *head);

/* What a plain HTTP request wants. */
enum knock_wish {
	KNOCK_OTA, /* a board asks, whatever its method */
	KNOCK_ACTIVATE,
	KNOCK_PAGE, /* a browser at / or at the OTA path */
	KNOCK_METHOD, /* neither GET, HEAD nor POST */
	KNOCK_ICON, /* browsers ask for these by themselves */
	KNOCK_OTHER
};
enum knock_wish knock_wish(const struct front_head *head);

/* One sentence about noise; NULL: not worth one. */
const char *knock_noise(enum front_noise what);

/* {"error":TEXT} and a newline, appended. */
void knock_error(struct buf *out, const char *text);
/*
 * A whole answer of HTTP/1.1, in JSON, behind which the connection closes; appended.
 * more: header lines of its own, or "".
 */
void knock_answer(struct buf *out, int status, const char *more,
		  struct span json);
/* The same that says why somebody is refused. */
void knock_refusal(struct buf *out, int status, const char *more,
		   const char *why);

#define OTA_PATH "/xiaozhi/ota/"
/* Where a device is sent when no path is named. */
#define DEVICE_PATH "/xiaozhi/v1/"

/*
 * --advertise HOST, HOST:PORT or a ws:// or wss:// URL: the URL for devices and
 * the OTA address that belongs to it; yours. -1 (ERR_USAGE): it is none of these.
 */
int ota_advertise(const char *text, uint16_t port, const char *path,
		  char **ws_url, char **ota_url, struct error *err);

/*
 * "HOST:PORT" by which others reach a port that is open on host (NULL, 0.0.0.0,
 * ::: all), best first, added; as OTA addresses.
 */
void open_addresses(struct words *out, const char *host, uint16_t port);
void ota_addresses(struct words *out, const char *host, uint16_t port);

/*
 * What the board tells, from headers and body. Filled also if the body is no
 * JSON: -1 (ERR_PROTOCOL) then.
 */
int ota_read(struct ota_request *out, const struct front_head *head,
	     const char *body, size_t len, struct error *err);

/* Board and version of it, also if only its User-Agent tells them; "" if unknown. */
struct ota_board {
	char name[96], version[48];
};
void ota_board(struct ota_board *out, const struct ota_request *rq);

/* "asked OTA: board 'NAME', version V (DATE)", as far as it told; appended. */
void ota_describe(struct buf *out, const struct ota_request *rq);

/* Up to the heading, and the end. */
void page_start(struct buf *out);
void page_end(struct buf *out);

/* Text of anybody's, as text: nothing in it is markup, and it stays on its line. */
void page_text(struct buf *out, const char *text);

/* The OTA address that belongs to host, as the browser named us. */
void page_address(struct buf *out, const char *host);

struct port_owner {
	char program[32];
	int pid;
};

/*
 * Which other process has that file open, a path without links. False: none
 * that can be seen.
 */
bool path_owner_find(const char *path, struct port_owner *out);
/* False if nobody does, or it is another user's and cannot be seen. */
bool port_owner_find(uint16_t port, struct port_owner *out); /* TCP */
bool port_owner_find_udp(uint16_t port, struct port_owner *out);
/*
 * Whether anybody has it, by /proc below that folder ("": this machine's own).
 * pid 0: who it is cannot be seen, which of other users only root can.
 */
bool port_owner_read(const char *root, uint16_t port, bool udp,
		     struct port_owner *out);

/*
 * One line of /proc/net/tcp or tcp6 (pure): the inode of the socket if it
 * listens on that port, else 0.
 */
unsigned long port_owner_inode(const char *line, uint16_t port);

/* -1 (ERR_CONNECT): one of them is missing; the hint names the package. */
int port_parts_load(const struct front_table **front,
		    const struct ws_table **ws, struct error *err);

#endif
