/* SPDX-License-Identifier: MIT */
/*
 * The user's browser: BROWSER (a list with ':' between, %s for the address, else
 * it comes last), else xdg-open where there is a display. No shell: the address
 * is one argument, whatever stands in it.
 */
#ifndef AUTH_BROWSER_H
#define AUTH_BROWSER_H

#include <sys/types.h>

#include "base/split.h"

/* One of the list as a command; nothing: it is none. Pure. */
void browser_words(struct words *out, const char *one, size_t len,
		   const char *url);

/* Whether one would be started; *set (may be NULL): BROWSER says so. */
bool browser_is_there(bool *set);

/*
 * Start it; it lives on by itself, without our secrets. 0: none was started.
 * Not waited for: browser_reap, now and then and at the end.
 */
pid_t browser_open(const char *url);
void browser_reap(pid_t pid);

#endif
