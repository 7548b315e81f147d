/* SPDX-License-Identifier: MIT */
/* What takes the pictures of the only board behind a transport. */
#include "net/camera.h"

#include "base/mem.h"

#include <string.h>
#include <strings.h>

/* ---- whose it is, and what is told ---- */

static bool known(const struct camera *c, const struct visit *v,
		  struct who *out)
{
	*out = (struct who){ c->id, NULL, v->head->address };
	return true;
}

static bool by_token(void *owner, const struct visit *v, const char *given,
		     struct who *out)
{
	const struct camera *c = owner;
	const char *id = v->who.device_id;

	if (!given || !c->url || !knock_token_fits(c->token, given) ||
	    (id && c->id && strcasecmp(id, c->id) != 0))
		return false;
	return known(c, v, out);
}

/* Addresses are those of the board that is there. */
static bool by_id(void *owner, const struct visit *v, const char *id,
		  struct who *out)
{
	(void)id;
	return known(owner, v, out);
}

static void tell(const struct transport *t, const struct notice *n)
{
	if (t->events->notice)
		t->events->notice(t->owner, n);
}

void camera_tell(const struct transport *t, const char *text, const char *file)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf(
		"the board %s%s", text,
		file ? "" :
		       "; it is kept nowhere (--save-images DIR keeps them)");
	const struct notice n = { .kind = NOTICE_PICTURE,
				  .text = line,
				  .file = file };

	tell(t, &n);
}

static void heard(void *owner, const struct picture_news *news)
{
	const struct camera *c = owner;
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct notice n = { .kind = NOTICE_REFUSED,
			    .address = news->who.address };

	if (news->event == PICTURE_CAME) {
		camera_tell(c->transport, news->text, news->file);
		return;
	}
	line = mem_printf("%s%s%s", news->text, news->hint ? "\n" : "",
			  news->hint ? news->hint : "");
	n.text = line;
	if (news->event == PICTURE_NOT_SAVED)
		n.kind = NOTICE_OTHER;
	tell(c->transport, &n);
}

static const struct pictures_policy policy = {
	.by_token = by_token,
	.by_id = by_id,
	.heard = heard,
};

/* ---- its time ---- */

int camera_open(struct camera *c, struct transport *t,
		const struct endpoint *to, struct error *err)
{
	c->transport = t;
	c->budget = budget_new();
	c->rules = (struct picture_rules){
		.save_images = to->save_images,
		.picture_max = to->picture_max ? to->picture_max : PICTURE_MAX
	};
	c->pictures = mem_zalloc(sizeof(*c->pictures));
	c->pictures->policy = &policy;
	c->pictures->owner = c;
	c->pictures->loop = t->loop;
	c->pictures->budget = c->budget;
	c->pictures->rules = &c->rules;
	if (pictures_open(c->pictures, err) == 0)
		return 0;
	camera_done(c);
	camera_free_budget(c);
	return -1;
}

void camera_meet(struct camera *c, const char *base, const char *id)
{
	mem_free(c->base);
	mem_free(c->url);
	mem_free(c->id);
	c->base = mem_strdup(base);
	c->url = mem_printf("%s" VISION_PATH, base);
	c->id = mem_strdup(id);
	random_hex(c->token);
	/* What the one before was given is not this one's. */
	passes_done(&c->pictures->passes);
}

char *camera_address(struct camera *c)
{
	if (!c->url)
		return NULL;
	return pictures_address(c->pictures, c->base, c->id ? c->id : "");
}

void camera_done(struct camera *c)
{
	if (c->pictures)
		pictures_done(c->pictures);
	mem_free(TAKE(c->pictures));
	mem_free(TAKE(c->base));
	mem_free(TAKE(c->url));
	mem_free(TAKE(c->id));
	explicit_bzero(c->token, sizeof(c->token));
}

void camera_free_budget(struct camera *c)
{
	budget_free(TAKE(c->budget));
}
