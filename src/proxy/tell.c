/* SPDX-License-Identifier: MIT */
/* What happened, told to who opened the proxy; and its end. */
#include "proxy/tell.h"

#include "base/asides.h"
#include "base/mem.h"
#include "proxy/proxy.h"
#include "proxy/turn.h"

struct tells {
	struct timer timer;
	struct asides lines; /* a kind: the format */
};

static void say(const struct proxy *p, const struct proxy_news *n)
{
	if (p->options.events->said)
		p->options.events->said(p->options.owner, n);
}

static void say_rest(void *owner, const struct aside_kind *k)
{
	CLEANUP(mem_free_ptr) char *text = asides_text(k);

	say(owner, &(struct proxy_news){ .level = PROXY_WARN, .text = text });
}

/* The minute is over. */
static void on_timer(void *owner)
{
	struct proxy *p = owner;

	asides_end(&p->tells->lines, say_rest, p);
}

/* Is there a line left for one like that? If not, it is counted. */
static bool has_line(struct tells *of, const char *format,
		     const struct proxy_news *n)
{
	if (!uv_is_active((uv_handle_t *)&of->timer.uv))
		timer_start(&of->timer, ASIDES_MINUTE_MS);
	if (asides_has_line(&of->lines, (uintptr_t)format, ASIDES_TOLD))
		return true;
	asides_count(&of->lines, (uintptr_t)format, n->device, n->text,
		     (int)n->level);
	return false;
}

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
	if (p->tells && !p->closing && !has_line(p->tells, format, &n))
		return;
	say(p, &n);
}

void proxy_tells_open(struct proxy *p)
{
	p->tells = mem_zalloc(sizeof(*p->tells));
	timer_open(&p->tells->timer, p->loop, on_timer, p);
	p->legs_open++;
}

static void on_closed(void *owner)
{
	struct proxy *p = owner;

	mem_free(TAKE(p->tells));
	proxy_leg_closed(p);
}

void proxy_tells_close(struct proxy *p)
{
	on_timer(p);
	timer_close(&p->tells->timer, on_closed);
}

/* Few already: net/front and net/lacks count them. */
static void say_refusal(struct proxy *p, const char *address, const char *text,
			const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s%s%s", address ? address : "",
				address ? ": " : "", text);

	say(p, &(struct proxy_news){
		       .level = PROXY_WARN, .text = line, .hint = hint });
}

void proxy_refused(struct proxy *p, const struct front_refusal *r)
{
	p->counts.refused += r->count ? r->count : 1;
	say_refusal(p, r->address, r->text, r->hint);
}

void proxy_noise(struct proxy *p, const char *address, const char *text)
{
	if (text && address)
		say_refusal(p, address, text, NULL);
}

static void release(struct proxy *p)
{
	if (p->closed)
		p->closed(p->closed_owner);
	turns_done(p);
	budget_free(p->budget);
	mem_free(p->found);
	mem_free(p->voices);
	mem_free(p);
}

void proxy_leg_closed(struct proxy *p)
{
	p->legs_open--;
	if (p->closing && !p->legs_open)
		release(p);
}
