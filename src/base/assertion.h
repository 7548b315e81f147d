/* SPDX-License-Identifier: MIT */
/*
 * Assertions of a library that a peer can make fail. Such a one is no end of the
 * program, but of the call that met it.
 */
#ifndef BASE_ASSERTION_H
#define BASE_ASSERTION_H

/*
 * What call(arg) returns; or `failed`, if an assertion of a source file whose name
 * ends in `file` failed in it: it was left there and then. For libraries whose
 * state stands that, at places that were read. Not within itself, and on one
 * thread. All other assertions end the program, as ever.
 */
int assertion_guard(const char *file, int (*call)(void *arg), void *arg,
		    int failed);

#endif
