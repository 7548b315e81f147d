/* SPDX-License-Identifier: MIT */
/*
 * Lists whose items know both of their neighbours, by members `next` and
 * `previous`, so that one leaves without a search. first, last: where the owner
 * keeps the ends. An item is zeroed before it comes in; what it had of
 * neighbours stays in it when it leaves. No functions, no state.
 */
#ifndef BASE_CHAIN_H
#define BASE_CHAIN_H

/* For an owner who keeps the first alone: it comes in before that one. */
#define CHAIN_PUSH(first, item)                          \
	do {                                             \
		(item)->next = (first);                  \
		if ((item)->next)                        \
			(item)->next->previous = (item); \
		(first) = (item);                        \
	} while (0)

#define CHAIN_REMOVE(first, item)                                  \
	do {                                                       \
		if ((item)->previous)                              \
			(item)->previous->next = (item)->next;     \
		else                                               \
			(first) = (item)->next;                    \
		if ((item)->next)                                  \
			(item)->next->previous = (item)->previous; \
	} while (0)

/* For one who keeps both ends: it comes in behind the last one. */
#define CHAIN_APPEND(first, last, item)                  \
	do {                                             \
		(item)->previous = (last);               \
		if ((item)->previous)                    \
			(item)->previous->next = (item); \
		else                                     \
			(first) = (item);                \
		(last) = (item);                         \
	} while (0)

#define CHAIN_LEAVE(first, last, item)             \
	do {                                       \
		CHAIN_REMOVE(first, item);         \
		if (!(item)->next)                 \
			(last) = (item)->previous; \
	} while (0)

#endif
