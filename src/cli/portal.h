/* SPDX-License-Identifier: MIT */
/*
 * The portal of a board in its Wi-Fi setup (78/esp-wifi-connect): what is set
 * below "advanced", read and written over HTTP. Members that are not sent stay
 * as they were there. A portal is found by what it answers, and nothing is
 * written to another one.
 */
#ifndef CLI_PORTAL_H
#define CLI_PORTAL_H

#include "cli/app.h"

#define PORTAL_DEFAULT "http://192.168.4.1"

struct portal {
	struct app *app;
	char *base; /* "http://HOST[:PORT]" */
	char *host; /* without the port */
	/* The hardware address that answers there, in lower case; "" if unknown. */
	char hardware[18];
};

/* -1 (ERR_USAGE): url is none of plain HTTP without a path. */
int portal_open(struct portal *p, struct app *app, const char *url,
		struct error *err);
void portal_done(struct portal *p);

/*
 * The OTA address that is set there, yours; "": none, and firmware uses the one
 * that it was built with. NULL: nobody is there, or it is another portal (which,
 * and the way by hand).
 */
char *portal_ota_url(struct portal *p, struct error *err);

/* Set it; "" takes it away. -1: not taken, with the portal's words. */
int portal_set_ota_url(struct portal *p, const char *url, struct error *err);

#endif
