/* SPDX-License-Identifier: MIT */
/*
 * One board on its way to other firmware, or to other assets, as a step machine:
 * what was seen of it comes in, a verdict comes out. No I/O; times are loop_now()
 * ms.
 *
 * That the address was given to it proves nothing (it may never answer), nor
 * does its reply (it comes after a failure only), nor its Device-Id at OTA from
 * another address. What counts: bytes that it took, and the version and ELF
 * SHA-256 that it tells afterwards.
 *
 * Assets it fetches at its next start, before it asks OTA, and tells nobody what
 * became of them (Application::CheckAssetsVersion of the firmware): that it had
 * all of them and went on is all that can be seen.
 */
#ifndef CLI_UPGRADE_BOARD_H
#define CLI_UPGRADE_BOARD_H

#include "base/json.h"
#include "wire/esp_image.h"
#include "wire/ota.h"

enum upgrade_verdict {
	UPGRADE_OPEN, /* under way */
	UPGRADE_DONE, /* the new version was seen */
	UPGRADE_SAME, /* it runs that very build already: nothing was sent */
	UPGRADE_UNFIT, /* chip or size: nothing was sent */
	UPGRADE_BUSY, /* another command is at it: nothing was sent */
	UPGRADE_NEVER, /* it did not fetch */
	UPGRADE_PART, /* it fetched a part */
	UPGRADE_FAILED, /* it says so itself */
	UPGRADE_OLD, /* it fetched all, and runs the old version */
	UPGRADE_LOOP, /* it restarts again and again */
	UPGRADE_UNSEEN /* it fetched all, and what it runs now is not known */
};
/* "done", "same", … */
const char *upgrade_verdict_name(enum upgrade_verdict v);

/* How it comes to the file. */
enum upgrade_way {
	UPGRADE_BY_TOOL, /* self.upgrade_firmware */
	UPGRADE_BY_OTA, /* it is offered in the answer to OTA */
	UPGRADE_ASSETS /* self.assets.set_download_url */
};

/* How far it is, for who looks on. */
enum upgrade_stage {
	UPGRADE_WAITING, /* for its start, or for the fetch */
	UPGRADE_FETCHING,
	UPGRADE_FETCHED, /* all of it */
	UPGRADE_BACK /* with a version that is believed once it stayed */
};
/* "waiting", "fetching", … */
const char *upgrade_stage_name(enum upgrade_stage s);

/* What a board says of itself, as far as it does. */
struct upgrade_facts {
	bool told;
	char version[48], chip[32], elf_sha256[72];
	/* Bytes of the partition that is written next, and of that for assets; 0: not told. */
	int64_t room, assets_room;
};
/*
 * From the JSON text of self.get_system_info; out->told stays false if it is
 * none. Chip and rooms, which no upgrade changes, stay where it tells none.
 */
void upgrade_facts_read(struct upgrade_facts *out, const char *text,
			size_t len);
/* From an OTA question: of now, or of earlier, of which chip and rooms hold. */
void upgrade_facts_asked(struct upgrade_facts *out,
			 const struct ota_request *rq, bool now);

struct upgrade_times { /* ms */
	int64_t start; /* until it starts, where that is waited for */
	int64_t begin; /* until it fetches, once it was told to */
	int64_t restart; /* from the last byte until it is back */
	int64_t settle; /* from the new version until it is believed */
};

struct upgrade_board {
	enum upgrade_way way;
	const struct esp_image *image; /* lent, as times; NULL: assets */
	const struct upgrade_times *times;
	size_t size; /* bytes that are to be fetched */
	struct upgrade_facts was;
	char now[48]; /* version after the restart; "": not seen */
	size_t taken; /* bytes that it has */
	unsigned asked, running; /* requests */
	unsigned
		starts; /* seen since all was fetched, or since the new version */
	bool offered; /* it was told where to fetch */
	bool started; /* assets: it was seen after that */
	int64_t begun, ended, until; /* until: the next verdict by time */
	int64_t wait; /* ms: how long it was given to fetch */
	enum upgrade_verdict verdict;
	struct error why; /* of a verdict that is no success, in words */
	char said[200]; /* why the call itself failed; "" */
};
void upgrade_board_done(struct upgrade_board *b);

/*
 * Chip, size and build against the image: false, and a verdict, where nothing is
 * to be sent. force: also where it runs that build.
 */
bool upgrade_fits(struct upgrade_board *b, bool force, int64_t now);
/* Another command is at it, or has it leased: why. */
void upgrade_busy(struct upgrade_board *b, const char *why, int64_t now);
/* The call goes out; by OTA: its start is waited for. */
void upgrade_begin(struct upgrade_board *b, int64_t now);
/*
 * It has the address: with the answer to OTA; or it keeps that of assets, and
 * restarts (restarts: it was told to; else somebody has to).
 */
void upgrade_offered(struct upgrade_board *b, bool restarts, int64_t now);

/* ---- what was seen of it ---- */

void upgrade_fetched(struct upgrade_board *b, size_t taken, unsigned asked,
		     unsigned running, int64_t now);
/* The call was answered: text of the result. Of assets an error alone says something. */
void upgrade_answered(struct upgrade_board *b, bool is_error, const char *text,
		      int64_t now);
/* It is back, with that version; elf_sha256: "" if not told. start: it restarted. */
void upgrade_back(struct upgrade_board *b, const char *version,
		  const char *elf_sha256, bool start, int64_t now);
enum upgrade_stage upgrade_stage(const struct upgrade_board *b);
/* Its time, where that is over. */
void upgrade_tick(struct upgrade_board *b, int64_t now);

#endif
