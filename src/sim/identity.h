/* SPDX-License-Identifier: MIT */
/*
 * The ids of a fleet: the first device's are given, the others count on from
 * them. Pure.
 */
#ifndef SIM_IDENTITY_H
#define SIM_IDENTITY_H

#include "base/base.h"

/*
 * The Device-Id of the n-th device (from 0), lower case. "02:…:01" counts as
 * one number; another text gets "-N" behind it. Yours.
 */
char *identity_device(const char *first, uint64_t n);

/* The Client-Id: a UUID's last 12 digits count; another text gets "-N". Yours. */
char *identity_client(const char *first, uint64_t n);

/*
 * The MQTT client id of the n-th device, from the first one's: in the form
 * "GID@@@02_00_00_00_00_01@@@UUID" both ids count; another text gets "-N". Case
 * stays. Yours.
 */
char *identity_mqtt(const char *first, uint64_t n);

/*
 * "ESP32_0A1B2C", of a MAC: what the board's MQTT library takes where it is given
 * no client id. Yours.
 */
char *identity_library(const char *mac);

/* True if it may stand in a header: printable ASCII, 1 to 128 letters. */
bool identity_is_plain(const char *id);

#endif
