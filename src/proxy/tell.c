/* SPDX-License-Identifier: MIT */
/* What happened, told to who opened the proxy; and its end. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "proxy/proxy.h"
#include "proxy/turn.h"

#define MINUTE_MS 60000
#define TOLD_MAX 10
#define KINDS_MAX 16
#define LAST_MAX 160

struct tells {
	struct timer timer;
	struct tell {
		const char *format;
		struct counted count;
		char last[LAST_MAX + 1]; /* of those that were not told; cut */
	} of[KINDS_MAX];
};

static void say(const struct proxy *p, const struct proxy_news *n)
{
	if (p->options.events->said)
		p->options.events->said(p->options.owner, n);
}

/* The minute is over. */
static void on_timer(void *owner)
{
	struct proxy *p = owner;
	struct tells *of = p->tells;

	for (int i = 0; i < KINDS_MAX; i++) {
		CLEANUP(mem_free_ptr) char *text = NULL;
		const struct tell *t = &of->of[i];

		if (!t->count.more)
			continue;
		text = mem_printf("and %" PRIu64
				  " more like that since, the last one: %s",
				  t->count.more, t->last);
		say(p,
		    &(struct proxy_news){ .level = PROXY_WARN, .text = text });
	}
	memset(of->of, 0, sizeof(of->of));
}

static struct tell *tell_of(struct tells *of, const char *format)
{
	int i = 0;

	while (i < KINDS_MAX - 1 && of->of[i].format &&
	       of->of[i].format != format)
		i++;
	of->of[i].format = format;
	return &of->of[i];
}

/* Is there a line left for one like that? If not, it is counted. */
static bool has_line(struct tells *of, const char *format,
		     const struct proxy_news *n)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct tell *t = tell_of(of, format);

	if (!uv_is_active((uv_handle_t *)&of->timer.uv))
		timer_start(&of->timer, MINUTE_MS);
	if (t->count.told++ < TOLD_MAX)
		return true;
	t->count.more++;
	line = mem_printf("%s%s%s", n->device ? n->device : "",
			  n->device ? ": " : "", n->text);
	line[text_cut(line, strlen(line), LAST_MAX)] = '\0';
	memcpy(t->last, line, strlen(line) + 1);
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
