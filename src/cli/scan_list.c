/* SPDX-License-Identifier: MIT */
#include "cli/scan_list.h"

#include "base/mem.h"
#include "out/wrap.h"

void scan_one_done(struct scanned *one)
{
	mem_free(one->name);
	mem_free(one->peer);
	mem_free(one->source);
	mem_free(one->command);
	mem_free(one->problem);
	mem_free(one->socket);
}

void scan_list_done(struct scan_list *s)
{
	for (size_t i = 0; i < s->count; i++)
		scan_one_done(&s->item[i]);
	mem_free(s->item);
}

void scan_list_add(struct scan_list *s, const struct scanned *one)
{
	s->item = mem_grow(s->item, &s->capacity, s->count, sizeof(*s->item));
	s->item[s->count++] = *one;
}

static const char *command_of(const struct scanned *one)
{
	return one->fails ? NULL : one->command;
}

void scan_list_show(const struct scan_list *s)
{
	struct renderer *r = &s->app->out;

	for (size_t i = 0; i < s->count && r->ops->neighbour; i++) {
		const struct scanned *one = &s->item[i];

		if (one->hidden)
			continue;

		const struct neighbour_record record = {
			.change = s->change,
			.kind = one->kind,
			.asked = one->dials,
			.name = one->name,
			.peer = one->peer,
			.source = one->source,
			.command = command_of(one),
			.problem = one->problem,
			.name_width = s->name_width,
			.command_width = s->command_width,
		};

		r->ops->neighbour(r, &record);
	}
}

/* What does not answer takes no room. */
void scan_list_measure(struct scan_list *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct scanned *one = &s->item[i];
		size_t name = wrap_columns(one->name);
		const char *reaches = command_of(one);
		size_t command = wrap_columns(reaches ? reaches : "-");

		if (one->hidden)
			continue;
		if (name > s->name_width)
			s->name_width = name;
		if (command > s->command_width)
			s->command_width = command;
	}
}
