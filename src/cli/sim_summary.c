/* SPDX-License-Identifier: MIT */
/* What the simulated devices saw of a backend, at the end of sim. */
#include "cli/sim_summary.h"

#include <inttypes.h>
#include <string.h>

/* ',"welcome_ms":{"p50":3,"p99":9}', null where there is none. */
static void add_latency_json(struct buf *out, const char *name, int64_t p50,
			     int64_t p99)
{
	if (p50 < 0)
		buf_printf(out, ",\"%s\":null", name);
	else
		buf_printf(out,
			   ",\"%s\":{\"p50\":%" PRId64 ",\"p99\":%" PRId64 "}",
			   name, p50, p99);
}

static void add_audio_json(struct buf *out, const struct sim_audio *a)
{
	buf_printf(out,
		   ",\"audio\":{\"sent\":%" PRIu64 ",\"received\":%" PRIu64
		   ",\"broken\":%" PRIu64 ",\"repeated\":%" PRIu64 "}",
		   a->sent, a->received, a->broken, a->repeated);
}

static void add_json(struct buf *out, const struct sim_summary *s)
{
	size_t i;

	buf_printf(out,
		   "{\"devices\":%" PRIu64 ",\"dialled\":%" PRIu64
		   ",\"refused\":%" PRIu64 ",\"welcomed\":%" PRIu64
		   ",\"initialized\":%" PRIu64 ",\"listed\":%" PRIu64
		   ",\"calls\":%" PRIu64 ",\"closed\":%" PRIu64,
		   s->devices, s->dialled, s->refused, s->welcomed,
		   s->initialized, s->listed, s->calls, s->closed);
	add_latency_json(out, "welcome_ms", s->welcome_p50, s->welcome_p99);
	add_latency_json(out, "first_call_ms", s->first_call_p50,
			 s->first_call_p99);
	add_audio_json(out, &s->audio);
	buf_text(out, ",\"hazards\":[");
	for (i = 0; i < s->hazards.count; i++) {
		buf_text(out, i ? ",{\"text\":" : "{\"text\":");
		buf_json_string(out, s->hazards.word[i],
				strlen(s->hazards.word[i]));
		buf_printf(out, ",\"connections\":%" PRIu64 "}",
			   s->hazard_times[i]);
	}
	buf_text(out, "]}\n");
}

static void add_latency(struct buf *out, int64_t p50, int64_t p99)
{
	if (p50 >= 0 && p50 == p99)
		buf_printf(out, "  after %" PRId64 " ms", p50);
	else if (p50 >= 0)
		buf_printf(out,
			   "  after %" PRId64 " ms (p50), %" PRId64 " ms (p99)",
			   p50, p99);
	buf_char(out, '\n');
}

static void add_audio(struct buf *out, const struct sim_audio *a)
{
	if (!a->sent && !a->received && !a->broken && !a->repeated)
		return;
	buf_printf(out,
		   "audio        %" PRIu64 " frames sent, %" PRIu64 " received",
		   a->sent, a->received);
	if (a->broken)
		buf_printf(out, ", %" PRIu64 " broken", a->broken);
	if (a->repeated)
		buf_printf(out, ", %" PRIu64 " repeated", a->repeated);
	buf_char(out, '\n');
}

static void add_text(struct buf *out, const struct sim_summary *s)
{
	size_t i;

	buf_printf(out, "devices      %" PRIu64 "\n", s->devices);
	buf_printf(out, "connected    %" PRIu64 ", refused %" PRIu64 "\n",
		   s->dialled, s->refused);
	buf_printf(out, "welcomed     %" PRIu64, s->welcomed);
	add_latency(out, s->welcome_p50, s->welcome_p99);
	buf_printf(out, "initialized  %" PRIu64 "\n", s->initialized);
	buf_printf(out, "listed       %" PRIu64 "\n", s->listed);
	buf_printf(out, "calls        %" PRIu64, s->calls);
	add_latency(out, s->first_call_p50, s->first_call_p99);
	buf_printf(out, "closed       %" PRIu64 "\n", s->closed);
	add_audio(out, &s->audio);
	if (!s->hazards.count)
		buf_text(out, "hazards      none\n");
	for (i = 0; i < s->hazards.count; i++)
		buf_printf(out, "%s%" PRIu64 "x %s\n",
			   i ? "             " : "hazards      ",
			   s->hazard_times[i], s->hazards.word[i]);
}

void sim_summary_show(struct renderer *r, const struct sim_summary *s)
{
	struct buf text = { 0 };

	if (r->form == OUTPUT_JSON)
		add_json(&text, s);
	else
		add_text(&text, s);
	fwrite(buf_string(&text), 1, text.len, r->out);
	buf_done(&text);
}
