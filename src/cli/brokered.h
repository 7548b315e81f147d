/* SPDX-License-Identifier: MIT */
/*
 * Servers at a broker (mcp+mqtt:), found by what they announce; each is a
 * target then, all over one connection. For --all and targets --scan.
 */
#ifndef CLI_BROKERED_H
#define CLI_BROKERED_H

#include "cli/all.h"

struct brokered;

/* The configured target is such a broker. */
bool brokered_fits(const struct app *app);
/*
 * Who fits the filter of the target; with --wait until somebody does. -1: as
 * the broker fails; ERR_CONNECT: nobody.
 */
int brokered_open(struct brokered **out, struct app *app, struct error *err);
/*
 * The same without waiting, for who stays: *woken is set when there is something
 * new. Nobody need be there.
 */
int brokered_watch(struct brokered **out, struct app *app, bool *woken,
		   struct error *err);
/* 1: it is known who is there; 0: not yet; -1: as the broker fails. */
int brokered_poll(struct brokered *b, struct error *err);
/* A note, once, where there are more than are listed. */
void brokered_tell_cut(struct brokered *b, struct app *app);
/* Those there, as they are listed; owned by the caller. Again: as they are now. */
void brokered_devices(struct brokered *b, struct all *a);
/* loop_now() ms when the server of that id came; -1: it is not there. */
int64_t brokered_since(const struct brokered *b, const char *id);
/* Until something changed there, or then. -1: Ctrl-C, or as the broker fails. */
int brokered_stay(struct brokered *b, struct app *app, int64_t until,
		  struct error *err);
void brokered_close(struct brokered *b);

#endif
