/* SPDX-License-Identifier: MIT */
/* Told, noted, found; the contract is in the header. */
#include "proxy/stage.h"

#include "base/mem.h"
#include "base/text.h"
#include "proxy/tell.h"

/* Advice of net/why that is for who dials with mcpctl, not for who looks on. */
static bool is_ours(const struct why_facts *f)
{
	return f->what == WHY_WAITS_ANSWER ||
	       (f->what == WHY_STATUS &&
		(f->number == 401 || f->number == 403));
}

void stage_found(struct talk *t, const char *code, const char *text)
{
	int known = code && *code ? finding_by_name(code) : -1;

	if (t && known >= 0)
		diag_found(&t->diag, (enum diag_code)known, (struct span){ 0 },
			   "%s", text);
}

void stage_failed(struct talk *t, const struct stage *s)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int code;

	why_set(&why, &s->facts);
	code = *why.finding ? finding_by_name(why.finding) : -1;
	if (code < 0 && s->sure)
		code = (int)s->code;
	if (code >= 0)
		diag_found(&t->diag, (enum diag_code)code, (struct span){ 0 },
			   "%s", why.text);
	talk_note(t, "%s; %s", why.text, s->then);
	proxy_say(t->proxy, PROXY_BAD, t->device,
		  is_ours(&s->facts) ? NULL : why.hint, "%s", why.text);
}

void stage_left(struct talk *t, const struct stage *silent, bool up)
{
	int64_t waited = (loop_now_us() - t->began_us) / 1000;
	struct stage s = *silent;
	char time[32];

	if (up && waited >= STAGE_PATIENCE_MS) {
		s.facts.waited = waited;
		stage_failed(t, &s);
		return;
	}
	text_milliseconds(waited, time, sizeof(time));
	talk_note(t, "it left after %s: %s '%s' %s", time,
		  up ? "until then" : "the connection to", silent->facts.host,
		  up ? "had not begun to answer" : "did not stand yet");
}

void stage_tls(struct proxy *p, struct talk *t, const struct pair *pair,
	       const struct stage *s)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct why_facts facts = s->facts;
	const struct why_row *row;
	struct tls_facts tls;

	if (!pair_tls(pair, &tls))
		return;
	if (t)
		talk_note(t, "%s to %s, certificate of %s", tls.version,
			  facts.host,
			  *tls.issuer ? tls.issuer : "nobody known");
	if (!*tls.doubt)
		return;
	text = mem_printf("%s:%u: %s; %s", facts.host, (unsigned)facts.port,
			  tls.doubt, s->then);
	facts.what = WHY_TLS;
	facts.said = tls.doubt;
	row = why_find(&facts);
	stage_found(t, row->finding, text);
	proxy_say(p, PROXY_WARN, t ? t->device : NULL, NULL, "%s", text);
}
