/* SPDX-License-Identifier: MIT */
/* What becomes of one board, by what is seen of it. */
#include "cli/upgrade_board.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
	STALL_MS = 60000, /* nothing more was taken */
	AGAIN_MS = 15000, /* a request ended early: another may follow */
	LATE_MS = 2000, /* that a fetch is over, heard after what came next */
	STARTS_OF_A_LOOP = 3
};

const char *upgrade_verdict_name(enum upgrade_verdict v)
{
	static const char *const names[] = {
		[UPGRADE_OPEN] = "under way",
		[UPGRADE_DONE] = "done",
		[UPGRADE_SAME] = "same",
		[UPGRADE_UNFIT] = "unfit",
		[UPGRADE_BUSY] = "busy",
		[UPGRADE_NEVER] = "never fetched",
		[UPGRADE_PART] = "fetched in part",
		[UPGRADE_FAILED] = "failed",
		[UPGRADE_OLD] = "old version",
		[UPGRADE_LOOP] = "loop",
		[UPGRADE_UNSEEN] = "not seen",
	};

	return names[v];
}

void upgrade_board_done(struct upgrade_board *b)
{
	error_reset(&b->why);
}

/* ---- what it says of itself ---- */

static void take(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text);
}

static void take_lasting(struct upgrade_facts *out,
			 const struct ota_request *rq)
{
	if (*rq->chip)
		take(out->chip, sizeof(out->chip), rq->chip);
	if (rq->app_room)
		out->room = rq->app_room;
	if (rq->assets_room)
		out->assets_room = rq->assets_room;
}

void upgrade_facts_asked(struct upgrade_facts *out,
			 const struct ota_request *rq, bool now)
{
	take_lasting(out, rq);
	if (!now)
		return;
	out->told = *rq->version || *rq->elf_sha256;
	take(out->version, sizeof(out->version), rq->version);
	take(out->elf_sha256, sizeof(out->elf_sha256), rq->elf_sha256);
}

/* It is the body of the OTA question, as text (device.md 3.10). */
void upgrade_facts_read(struct upgrade_facts *out, const char *text, size_t len)
{
	struct ota_request rq = { 0 };

	if (ota_request_decode(&rq, text, len, NULL) == 0)
		upgrade_facts_asked(out, &rq, true);
}

/* ---- verdicts ---- */

PRINTF_LIKE(4, 5)
static void judge(struct upgrade_board *b, enum upgrade_verdict v, int64_t now,
		  const char *format, ...)
{
	static const enum error_kind kinds[] = {
		[UPGRADE_UNFIT] = ERR_USAGE,   [UPGRADE_BUSY] = ERR_CONNECT,
		[UPGRADE_NEVER] = ERR_CONNECT, [UPGRADE_PART] = ERR_CONNECT,
		[UPGRADE_FAILED] = ERR_PEER,   [UPGRADE_OLD] = ERR_UNMET,
		[UPGRADE_LOOP] = ERR_UNMET,    [UPGRADE_UNSEEN] = ERR_TIMEOUT,
	};
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	b->verdict = v;
	b->ended = now;
	if (v > UPGRADE_SAME && v <= UPGRADE_UNSEEN)
		error_set(&b->why, kinds[v], "%s", text);
}

static bool is_image(const struct upgrade_board *b, const char *version,
		     const char *elf_sha256)
{
	if (strlen(elf_sha256) == SHA256_TEXT - 1)
		return text_same(elf_sha256, b->image->elf_sha256);
	return strcmp(version, b->image->version) == 0;
}

static void judge_large(struct upgrade_board *b, int64_t room, int64_t now)
{
	judge(b, UPGRADE_UNFIT, now,
	      "the %s %zu bytes, and the partition for %s %lld: nothing was sent",
	      b->image ? "image has" : "assets have", b->size,
	      b->image ? "it" : "them", (long long)room);
}

static void judge_image(struct upgrade_board *b, bool force, int64_t now)
{
	const struct upgrade_facts *f = &b->was;
	const struct image_place place = { .chip = f->chip,
					   .version = f->version,
					   .elf_sha256 = f->elf_sha256,
					   .room = f->room };

	switch (esp_image_fit(b->image, b->size, &place)) {
	case IMAGE_OTHER_CHIP:
		judge(b, UPGRADE_UNFIT, now,
		      "the image is for %s, and the board is %s: nothing was sent",
		      b->image->chip_name, f->chip);
		break;
	case IMAGE_TOO_LARGE:
		judge_large(b, f->room, now);
		break;
	case IMAGE_RUNS:
		if (!force)
			judge(b, UPGRADE_SAME, now, "same");
		break;
	case IMAGE_FITS:
		break;
	}
}

bool upgrade_fits(struct upgrade_board *b, bool force, int64_t now)
{
	const int64_t room = b->was.assets_room;

	if (b->image)
		judge_image(b, force, now);
	else if (room && b->size > (uint64_t)room)
		judge_large(b, room, now);
	return b->verdict == UPGRADE_OPEN;
}

void upgrade_busy(struct upgrade_board *b, const char *why, int64_t now)
{
	judge(b, UPGRADE_BUSY, now, "%.300s: nothing was sent", why);
}

static bool waits_for_start(const struct upgrade_board *b)
{
	return b->way == UPGRADE_BY_OTA && !b->offered;
}

void upgrade_begin(struct upgrade_board *b, int64_t now)
{
	b->begun = now;
	b->wait = waits_for_start(b) ? b->times->start : b->times->begin;
	b->until = now + b->wait;
}

void upgrade_offered(struct upgrade_board *b, bool restarts, int64_t now)
{
	if (b->verdict != UPGRADE_OPEN || b->asked)
		return;
	b->offered = true;
	b->wait = restarts ? b->times->begin : b->times->start;
	b->until = now + b->wait;
}

/* ---- what was seen ---- */

void upgrade_fetched(struct upgrade_board *b, size_t taken, unsigned asked,
		     unsigned running, int64_t now)
{
	const bool more = taken > b->taken || asked != b->asked;
	const bool was_whole = b->taken >= b->size;

	b->taken = taken;
	b->asked = asked;
	if (b->started && !running)
		b->until = now;
	if (b->started || *b->now || !asked) {
		b->running = running;
		return;
	}
	if (taken >= b->size && !was_whole)
		b->until = now + b->times->restart;
	else if (taken < b->size && running && (more || !b->running))
		b->until = now + STALL_MS;
	else if (taken < b->size && !running && b->running)
		b->until = now + AGAIN_MS;
	b->running = running;
}

void upgrade_answered(struct upgrade_board *b, bool is_error, const char *text,
		      int64_t now)
{
	if (b->verdict != UPGRADE_OPEN || *b->now)
		return;
	if (is_error)
		judge(b, UPGRADE_FAILED, now, "the board refuses: %.300s",
		      text);
	else if (b->way != UPGRADE_ASSETS)
		judge(b, UPGRADE_FAILED, now,
		      "the board answers, which it does after a failure only; it had %zu of %zu bytes",
		      b->taken, b->size);
}

static void judge_old(struct upgrade_board *b, const char *version, int64_t now)
{
	if (b->taken >= b->size && strcmp(version, b->image->version) == 0)
		judge(b, UPGRADE_UNSEEN, now,
		      "it fetched all and is back, but the image has the same version '%.40s': which of the two runs cannot be told",
		      version);
	else if (b->taken >= b->size)
		judge(b, UPGRADE_OLD, now,
		      "it fetched all, and is back with version %.40s instead of %.40s: it did not take the image, or fell back",
		      version, b->image->version);
	else if (b->asked)
		judge(b, UPGRADE_PART, now,
		      "it fetched %zu of %zu bytes, and is back with version %.40s",
		      b->taken, b->size, version);
	else
		judge(b, UPGRADE_NEVER, now,
		      "it is back with version %.40s, and fetched nothing",
		      version);
}

/*
 * The same version without a sum proves nothing; but where it ran that build
 * before, it does now.
 */
static bool is_ambiguous(const struct upgrade_board *b, const char *elf_sha256)
{
	return strlen(elf_sha256) != SHA256_TEXT - 1 &&
	       !text_same(b->was.elf_sha256, b->image->elf_sha256) &&
	       strcmp(b->was.version, b->image->version) == 0;
}

/*
 * It is there, after it was told of assets; a fetch is over by then, but that
 * may be heard a moment later.
 */
static void assets_back(struct upgrade_board *b, int64_t now)
{
	if (!b->offered || b->started)
		return;
	b->started = true;
	b->until = now + (b->running ? LATE_MS : 0);
}

void upgrade_back(struct upgrade_board *b, const char *version,
		  const char *elf_sha256, bool start, int64_t now)
{
	if (b->verdict != UPGRADE_OPEN)
		return;
	if (b->way == UPGRADE_ASSETS)
		assets_back(b, now);
	/* That it starts, or is there still, is what is waited for. */
	if (!*version || b->way == UPGRADE_ASSETS ||
	    (b->way == UPGRADE_BY_OTA && !b->asked))
		return;
	b->starts += start;
	if (b->starts >= STARTS_OF_A_LOOP) {
		snprintf(b->now, sizeof(b->now), "%s", version);
		judge(b, UPGRADE_LOOP, now,
		      "it restarts again and again: %u times so far, last with version %.40s",
		      b->starts, version);
		return;
	}
	if (!is_image(b, version, elf_sha256) || is_ambiguous(b, elf_sha256)) {
		/* A restart amid the fetch ends that. */
		snprintf(b->now, sizeof(b->now), "%s", version);
		judge_old(b, version, now);
		return;
	}
	/* It ran that build before, or that is not known: it has to fetch. */
	if (b->taken < b->size &&
	    (!b->was.told || is_image(b, b->was.version, b->was.elf_sha256)))
		return;
	if (!*b->now)
		b->until = now + b->times->settle;
	snprintf(b->now, sizeof(b->now), "%s", version);
}

/* It started, and that is all that it tells. */
static void judge_assets(struct upgrade_board *b, int64_t now)
{
	if (b->taken >= b->size)
		judge(b, UPGRADE_DONE, now, "done");
	else if (b->asked)
		judge(b, UPGRADE_PART, now,
		      "it fetched %zu of %zu bytes, and went on without: it does not try again by itself",
		      b->taken, b->size);
	else
		judge(b, UPGRADE_NEVER, now,
		      "it is there after it was told, and fetched nothing");
}

/* Nothing was fetched, and no more is waited for. */
static void judge_idle(struct upgrade_board *b, int64_t now)
{
	char time[TEXT_ROOM];

	text_milliseconds(b->wait, time, sizeof(time));
	if (waits_for_start(b))
		judge(b, UPGRADE_NEVER, now,
		      "it did not ask OTA here within %s: it asks when it starts, and perhaps another OTA",
		      time);
	else
		judge(b, UPGRADE_NEVER, now,
		      "it did not begin to fetch within %s%s%s", time,
		      *b->said ? ": " : "", b->said);
}

static void judge_time(struct upgrade_board *b, int64_t now)
{
	char time[TEXT_ROOM];

	if (b->started)
		judge_assets(b, now);
	else if (*b->now)
		judge(b, UPGRADE_DONE, now, "done");
	else if (b->taken >= b->size)
		judge(b, UPGRADE_UNSEEN, now,
		      "it fetched all, and was not seen again within %s: a board over WebSocket asks OTA when it starts, so it may not start at all, or ask another OTA",
		      text_milliseconds(b->times->restart, time, sizeof(time)));
	else if (b->asked)
		judge(b, UPGRADE_PART, now,
		      "it fetched %zu of %zu bytes, and no more came", b->taken,
		      b->size);
	else
		judge_idle(b, now);
}

enum upgrade_stage upgrade_stage(const struct upgrade_board *b)
{
	if (*b->now || b->started)
		return UPGRADE_BACK;
	if (b->taken >= b->size)
		return UPGRADE_FETCHED;
	return b->asked ? UPGRADE_FETCHING : UPGRADE_WAITING;
}

const char *upgrade_stage_name(enum upgrade_stage s)
{
	static const char *const names[] = {
		[UPGRADE_WAITING] = "waiting",
		[UPGRADE_FETCHING] = "fetching",
		[UPGRADE_FETCHED] = "fetched",
		[UPGRADE_BACK] = "back",
	};

	return names[s];
}

void upgrade_tick(struct upgrade_board *b, int64_t now)
{
	if (b->verdict == UPGRADE_OPEN && now >= b->until)
		judge_time(b, now);
}
