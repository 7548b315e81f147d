/* SPDX-License-Identifier: MIT */
/*
 * Pictures on the terminal, as the user wants them (renderer's image): whether
 * one is shown, how large, and in words why not. Decoded in a process of its
 * own (out/decoder.h), drawn by a loaded part (out/canvas.h).
 */
#ifndef OUT_IMAGE_H
#define OUT_IMAGE_H

#include "out/render.h"

/* A result begins: of each so many are shown, and then a word comes. */
#define IMAGES_MOST 8
void image_begin(struct renderer *r);

/* Show it, if it fits; else nothing. A note says why one is not shown, or that
   it is damaged. */
void image_show(struct renderer *r, const void *data, size_t len);

/* The same from a file of ours. */
void image_show_file(struct renderer *r, const char *path);

#endif
