/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot fail: exhaustion prints one line and aborts, so no code
 * path tests for it. Sizes that a peer can influence are limited before. A
 * program that stays has a reserve: when there is no other memory, what is
 * under way goes on with that, and whoever lets new work in (a port, a large
 * message) asks mem_is_short first. The end is when the reserve is used up, too.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

#include "base/base.h"

/* Give cJSON the same allocator. Call once, before the first cJSON call. */
void mem_init(void);

void *mem_alloc(size_t size);
void *
mem_zalloc(size_t size); /* zeroed; also for structs: mem_zalloc(sizeof(*x)) */
void *mem_realloc(void *old, size_t size);
void mem_free(void *p); /* NULL is fine */

/* Copies that are yours. NULL text gives NULL. */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t len); /* up to a NUL in it */
char *mem_copy(const void *data, size_t len); /* all of it, and a NUL */
char *mem_printf(const char *format, ...) PRINTF_LIKE(1, 2);
char *mem_vprintf(const char *format, va_list args) PRINTF_LIKE(1, 0);

/*
 * For a program that stays: few arenas, large blocks apart, and what is free
 * at the end of the heap goes back; and the reserve, of which nothing is in use
 * before it is needed. Before there is a second thread.
 */
void mem_stay(void);
/* The reserve was needed, and is not back yet: tried anew each time. */
bool mem_is_short(void);
/* Give back to the system what is free: after much was in use for a moment. */
void mem_trim(void);

/* Room for one more element: doubles the array when count == *capacity. */
void *mem_grow(void *array, size_t *capacity, size_t count, size_t element);

/* For CLEANUP on any heap pointer: CLEANUP(mem_free_ptr) char *text = … */
void mem_free_ptr(void *pointer_to_pointer);

#endif
