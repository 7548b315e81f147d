/* SPDX-License-Identifier: MIT */
/*
 * The address that a device of the running serve uploads a picture to (call
 * --upload): asked for when it is needed, since it is a secret and for once.
 */
#ifndef CLI_UPLOAD_ADDRESS_H
#define CLI_UPLOAD_ADDRESS_H

#include "cli/app.h"

/*
 * Of the device that is attached; yours. -1: ERR_USAGE: it is no device of a
 * serve; why serve has none; ERR_TIMEOUT.
 */
int upload_address(struct app *app, char **out, struct error *err);

#endif
