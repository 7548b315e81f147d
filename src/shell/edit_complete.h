/* SPDX-License-Identifier: MIT */
/* TAB. */
#ifndef SHELL_EDIT_COMPLETE_H
#define SHELL_EDIT_COMPLETE_H

#include "shell/edit_private.h"

void edit_complete_open(struct editor *e);
void edit_complete_close(struct editor *e);
void edit_complete_after_key(struct editor *e);

#endif
