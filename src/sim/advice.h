/* SPDX-License-Identifier: MIT */
/*
 * What whoever runs a simulated device can do next when it was not let in: one
 * table over the reason of the error and where the device was. Pure.
 */
#ifndef SIM_ADVICE_H
#define SIM_ADVICE_H

#include "base/error.h"

/* Where it was, and with what. */
enum advice_fact {
	ADVICE_OTA = 1, /* OTA was asked, and did not answer so as to go on */
	ADVICE_BROKER = 2,
	ADVICE_TOLD = 4, /* the address is one that OTA named */
	ADVICE_TOKEN = 8, /* the user gave a token, which was sent */
	ADVICE_OTA_TOKEN = 16 /* OTA gave one, which was sent */
};

/* By reason and code of why; NULL: what why itself advises, if anything. */
const char *advice_for(const struct error *why, unsigned facts);

/* The peer opened the connection, and refused the credentials in words. */
const char *advice_for_credentials(unsigned facts);

#endif
