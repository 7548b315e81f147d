/* SPDX-License-Identifier: MIT */
/* What happened, told to who opened the proxy; and its end. */
#include "base/mem.h"
#include "proxy/proxy.h"

void proxy_say(struct proxy *p, enum proxy_level level, const char *device,
	       const char *hint, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct proxy_news n = { .level = level,
				.device = device,
				.hint = hint && *hint ? hint : NULL };
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	n.text = text;
	if (p->options.events->said)
		p->options.events->said(p->options.owner, &n);
}

static void release(struct proxy *p)
{
	if (p->closed)
		p->closed(p->closed_owner);
	budget_free(p->budget);
	mem_free(p->found);
	mem_free(p);
}

void proxy_leg_closed(struct proxy *p)
{
	p->legs_open--;
	if (p->closing && !p->legs_open)
		release(p);
}
