/* SPDX-License-Identifier: MIT */
/*
 * Who is on the other side, by habits: of a backend the name it gives, its
 * first id, the key of the session in its envelope (backends.md 1.1); of a
 * device its hello and the form of its errors (device.md 7, backends.md 1.9).
 */
#ifndef DIAG_RECOGNISE_H
#define DIAG_RECOGNISE_H

#include "base/buf.h"
#include "diag/diag.h"

/*
 * Whom it most likely is, and by what that is seen; evidence alone where that
 * fits nobody who is known, or several alike. False: nothing was seen yet.
 */
bool recognise_backend(const struct diag *d, struct buf *name,
		       struct buf *evidence);
bool recognise_device(const struct diag *d, struct buf *name,
		      struct buf *evidence);

#endif
