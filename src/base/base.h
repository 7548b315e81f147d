/* SPDX-License-Identifier: MIT */
/*
 * Language helpers that every file may use. No functions, no state.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether this build has AddressSanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#	define ADDRESS_SANITIZED true
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define ADDRESS_SANITIZED true
#	endif
#endif
#ifndef ADDRESS_SANITIZED
#	define ADDRESS_SANITIZED false
#endif

#define PRINTF_LIKE(format, first) \
	__attribute__((__format__(__printf__, format, first)))

/* Run fn(&variable) when the variable goes out of scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* Hand a pointer over: its value, and NULL stays behind. */
#define TAKE(pointer)                                   \
	__extension__({                                 \
		__typeof__(pointer) taken_ = (pointer); \
		(pointer) = NULL;                       \
		taken_;                                 \
	})

#endif
