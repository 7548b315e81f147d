/* SPDX-License-Identifier: MIT */
/*
 * Allocation that ends the program instead of failing.
 */
#include "base/mem.h"

#include <cjson/cJSON.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8
#define ARENAS 2
#define LARGE (256 * 1024)
/*
 * Blocks of the heap, so that what was freed amid it does for them again; of
 * each the first page is in use.
 */
#define RESERVE_BLOCKS 96
#define RESERVE_LEAST 90 /* what lives on may stand in the way of the others */
#define RESERVE_BLOCK ((size_t)128 << 10)

static struct {
	void *block[RESERVE_BLOCKS];
	size_t blocks; /* 0: it is not there */
	bool in_use;
} reserve;

static _Noreturn void exhausted(void)
{
	fputs("mcpctl: out of memory\n", stderr);
	abort();
}

static void free_reserve(void)
{
	while (reserve.blocks)
		free(reserve.block[--reserve.blocks]);
}

static bool take_reserve(void)
{
	void *block;

	while (reserve.blocks < RESERVE_BLOCKS &&
	       (block = malloc(RESERVE_BLOCK)))
		reserve.block[reserve.blocks++] = block;
	if (reserve.blocks < RESERVE_LEAST)
		free_reserve();
	return reserve.blocks > 0;
}

/* There is no memory: is there now? */
static bool relieved(void)
{
	if (!reserve.blocks)
		return false;
	free_reserve();
	reserve.in_use = true;
	return true;
}

bool mem_is_short(void)
{
	if (reserve.in_use)
		reserve.in_use = !take_reserve();
	return reserve.in_use;
}

void mem_init(void)
{
	cJSON_Hooks hooks = { .malloc_fn = mem_alloc, .free_fn = mem_free };

	/*
	 * Small blocks are merged when they are freed, and not all of them
	 * whenever a large one is asked for, as for each page of tools.
	 */
	mallopt(M_MXFAST, 0);
	cJSON_InitHooks(&hooks);
}

void *mem_alloc(size_t size)
{
	/* malloc(0) may give NULL, which would look like exhaustion. */
	void *p = malloc(size ? size : 1);

	while (!p && relieved())
		p = malloc(size ? size : 1);
	if (!p)
		exhausted();
	return p;
}

void *mem_zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	while (!p && relieved())
		p = calloc(1, size ? size : 1);
	if (!p)
		exhausted();
	return p;
}

void *mem_realloc(void *old, size_t size)
{
	void *p;

	/* gcc 14 takes a second call elsewhere for a use of what was freed. */
	do {
		p = realloc(old, size ? size : 1);
	} while (!p && relieved());
	if (!p)
		exhausted();
	return p;
}

void mem_free(void *p)
{
	free(p);
}

char *mem_strdup(const char *text)
{
	return text ? mem_strndup(text, strlen(text)) : NULL;
}

char *mem_strndup(const char *text, size_t len)
{
	return text ? mem_copy(text, strnlen(text, len)) : NULL;
}

char *mem_copy(const void *data, size_t len)
{
	char *copy;

	if (!data)
		return NULL;
	copy = mem_alloc(len + 1);
	memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

char *mem_printf(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	return text;
}

char *mem_vprintf(const char *format, va_list args)
{
	char *text = NULL;
	va_list again;
	int status;

	va_copy(again, args);
	status = vasprintf(&text, format, args);
	if (status < 0 && relieved())
		status = vasprintf(&text, format, again);
	va_end(again);
	if (status < 0)
		exhausted();
	return text;
}

void mem_stay(void)
{
	mallopt(M_ARENA_MAX, ARENAS);
	/* Set, they do not grow by themselves with what is freed. */
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, 2 * LARGE);
	if (!reserve.blocks && !reserve.in_use)
		take_reserve();
}

void mem_trim(void)
{
	malloc_trim(0);
}

void *mem_grow(void *array, size_t *capacity, size_t count, size_t element)
{
	size_t more, bytes;

	if (count < *capacity)
		return array;
	more = *capacity ? *capacity : FIRST_CAPACITY / 2;
	if (__builtin_mul_overflow(more, 2, &more) ||
	    __builtin_mul_overflow(more, element, &bytes))
		exhausted();
	*capacity = more;
	return mem_realloc(array, bytes);
}

void mem_free_ptr(void *pointer_to_pointer)
{
	void *p;

	/* Any pointer type comes in here: copy, do not cast. */
	memcpy(&p, pointer_to_pointer, sizeof(p));
	mem_free(p);
}
