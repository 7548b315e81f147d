/* SPDX-License-Identifier: MIT */
/*
 * Records become text or JSON. One table of functions by kind of record,
 * three instances (out/forms); NULL means "not shown". stdout carries results, stderr everything else. Text that a peer
 * sent passes through text_safe here, and only here; what goes to a pipe or a
 * file is exact instead, because programs read it.
 */
#ifndef OUT_RENDER_H
#define OUT_RENDER_H

#include <stdio.h>

#include "diag/finding.h"
#include "mcp/client.h"
#include "mcp/tasks.h"
#include "mcp/tool_diff.h"
#include "out/frame.h"
#include "rpc/session.h"

enum output_form { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_RAW, OUTPUT_TABLE };
enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
/* Pictures on a terminal: by its graphics, or in blocks of two colours. */
enum image_mode {
	IMAGE_AUTO, /* the best that it is known to understand */
	IMAGE_OFF,
	IMAGE_KITTY,
	IMAGE_SIXEL,
	IMAGE_ITERM,
	IMAGE_SYMBOLS
};

struct render_ops;
struct device_record;
struct query;
struct table;

struct renderer {
	const struct render_ops *ops;
	enum output_form form;
	FILE *out, *err; /* stdout, stderr */
	bool out_terminal, err_terminal;
	bool out_color, err_color; /* decided: terminal, NO_COLOR, TERM=dumb,
				      --color, form */
	bool verbose; /* -v: frames on stderr, on a terminal in words */
	bool raw_frames; /* -vv: as they are, whole */
	bool quiet; /* -q: no notices */
	/* A server's log is an aside from this level on
	   (log_level_rank); 0: warning */
	int log_from;
	bool dated; /* a log file: records begin with the day */
	bool pictures; /* they may be shown (out/image.h), by a process of ours */
	enum image_mode image;
	unsigned images; /* of this result (image_begin) */
	bool stopped; /* by Ctrl-C, amid one: no further one of this result */
	bool drawn; /* one by graphics: what no pager can show */
	bool count_down; /* a count-down line is on the terminal now: erase it
			    before anything else */
	size_t width; /* columns of the terminal; 80 if none */
	struct buf *later; /* out is held: what stderr says behind it; NULL */
	/* Before and after anything is written: the shell's line; NULL */
	void (*begin)(void *owner);
	void (*end)(void *owner);
	void *owner;
	/* --all: whose results these are, a name in front; lent; NULL */
	const struct device_record *whose;
	/* Of many: whom notes and asides on stderr are about; lent; NULL */
	const char *about;
	/* --jq: what stands on stdout in the place of JSON lines; lent; NULL */
	struct query *query;
	struct table *table; /* -o table: takes the JSON lines; lent; NULL */
	int64_t query_timeout; /* ms, for one line */
	bool query_at_once; /* output goes on: failures are told as they come */
	bool chatty; /* messages of a device are worth a line, as an aside */

	/* the renderer's own */
	bool err_moves; /* stderr understands "erase this line" */
	bool foreign; /* a terminal has another charset (term_is_foreign) */
	bool waiting; /* a listener told its addresses: who comes is news */
	size_t event_column; /* widest event name so far */
	char *peer_error; /* see render_keep_peer_error; owned */
	char *ladder; /* see render_keep_ladder; owned */
	char *told, *told_short; /* see render_told_error; owned */
	int64_t asides_since; /* loop_now() ms: when their second began */
	unsigned asides;
	uint64_t held; /* not shown since then */
	struct frames frames; /* asked and not answered yet */
	struct error query_error; /* of the first line on which it failed */
	size_t query_failed; /* lines; see queried_outcome */
	bool query_inexact; /* told */
	int64_t progress_at; /* loop_now() ms when progress was shown last */
	int why_lost; /* errno of what could not be written; 0 */
};

/* What is on the way to stdout goes out; renderer_finish tells why it did not. */
void render_flush(struct renderer *r);

/* What `info` knows. Lent. Absent parts are NULL. */
struct info_record {
	const char *target; /* secrets are not in it */
	const struct client *client;
	const struct session_peer *peer;
	const struct link *link;
	const struct session_times *times;
	const struct diag *diag; /* what its frames showed */
	const char *spoken; /* "HTTP/2", "HTTP+SSE"; NULL */
	bool another; /* one stands above */
};

/* One line of `tools`. */
struct tools_record {
	const struct tool_list *list;
	const char *filter; /* WORD or GLOB; NULL */
	bool backend_view;
	bool device;
	size_t shown; /* how many passed the filter */
	size_t name_width; /* columns of the widest name among them */
	const struct error *broke; /* the listing ended early because of this;
				      NULL */
	const char
		*kept; /* of which target it is a kept list; NULL: it is new */
	int64_t age; /* of a kept list, seconds */
	const char *target; /* --all-targets: whose tools; NULL */
	size_t target_width; /* columns of the widest one */
};

/* `describe`: a tool, its list for collisions and position, an example. */
struct describe_record {
	const struct tool *tool;
	const struct tool_list *list;
	bool device;
	/* The argument that takes an address for a picture; NULL: none does. */
	const char *upload_argument;
	const char *upload; /* one of ours that works now; NULL */
};

struct ping_record {
	int64_t took_us;
	bool was_error;
	bool device;
	int64_t tcp_us, ws_us; /* round trip, Pong; 0 or less: none */
	bool ws_silent; /* a Ping was sent, and no Pong came */
};

/* How the pings of one layer went. */
struct ping_layer {
	const char
		*name; /* "tcp", "ws", "loop", or "mcp" of what is no board */
	size_t sent, lost;
	/* Of those that were answered, in order of size. */
	const int64_t *took_us;
};
/* The end of `ping --count`. */
struct pings_record {
	const struct ping_layer *layer;
	size_t count;
};
/* For that order. */
void ping_sort(int64_t *took_us, size_t count);
/* That part of them was at most so long; 0 < percent <= 100. -1: none came. */
int64_t ping_percentile(const struct ping_layer *l, unsigned percent);

/* A line of resources, templates, prompts. */
struct item_record {
	const struct page_list *list;
	const struct list_item *item;
	size_t key_width; /* columns of the widest key among those shown */
};

/* The end of that list. */
struct items_record {
	const struct page_list *list;
	const char *filter; /* NULL */
	size_t shown;
	const struct error *broke; /* the listing ended early; NULL */
};

/* read, prompt, complete: a result that is no tool's. */
enum answer_kind { ANSWER_CONTENTS, ANSWER_MESSAGES, ANSWER_VALUES };
struct answer_record {
	enum answer_kind kind;
	const char *of; /* the URI, the prompt's name, the argument's name */
	const struct message *reply;
	const struct result
		*contents; /* decoded (mcp/content.h); NULL for values */
	int64_t took_us;
};

/* notifications/progress of a call under way. */
struct progress_record {
	double progress, total; /* total 0: not told */
	const char *message; /* NULL */
	struct span text; /* params as received */
};

/* `targets`: a name of a configuration file. */
struct target_record {
	const char *name, *file;
	const char *peer; /* as a target is written; secrets are not in it */
	const char *problem; /* why it cannot be used; NULL */
	const char *client; /* whose file it is: "Cursor"; NULL */
	bool hidden; /* another file before it has the same name */
	bool off; /* its client does not use it now */
	bool untrusted; /* its file came with a folder, and problem says so */
	size_t name_width, peer_width;
	/* --ping: it was dialled, and answered after so long, or why it did not */
	bool dialled;
	int64_t took_us;
	const char *failure; /* NULL */
};

/* `targets --scan`: what is there, and the command that reaches it. */
struct neighbour_record {
	const char *
		change; /* --watch: "present", "came", "changed", "gone"; NULL */
	const char *kind; /* "name", "serve", "network", "probe", "mqtt" */
	bool asked; /* for initialize; problem: it did not answer */
	const char *name;
	const char *peer; /* as a target is written; NULL: it is none */
	const char *source; /* a file, a socket, a host on an interface */
	const char *command; /* NULL: problem says why there is none */
	const char *problem; /* NULL */
	size_t name_width, command_width;
};

/* `trust`: a file of names. */
struct trust_record {
	const char *file;
	/* "own", "trusted", "changed", "untrusted", "unusable", "gone" */
	const char *state;
	const char *problem; /* "unusable": why; NULL */
};

/* `login`, `logout`: a login that is kept. */
struct login_record {
	const char *server, *issuer, *client, *scope; /* scope NULL: not told */
	const char *state; /* "logged in", "over", "logged out" */
	int64_t expires_at; /* s since 1970; 0: unknown */
	bool renews; /* it is renewed without a user */
};

/* `task`, `call --detach`. */
struct task_record {
	const struct task *task;
	bool id_only; /* as text: for scripts */
	size_t id_width; /* columns of the widest */
};

/* `adopt`: the OTA address of a board; "": none is set, "" of hardware: unknown. */
struct adopt_record {
	const char *portal, *hardware;
	const char *before, *now;
	const char *at; /* when, of what is kept; NULL: now */
	bool changed;
};

/* `upgrade`, `assets`: what became of one board, or how far it is. */
struct upgrade_record {
	const cJSON *device; /* as of `devices` */
	struct span device_text;
	const char *verdict; /* NULL: none yet, for programs that look on */
	const char *stage;
	bool good;
	const char *words; /* NULL: it went well */
	const char *before, *now; /* versions; "": not told */
	size_t taken, size; /* bytes; size 0: nobody knows */
	int64_t took_ms;
};

struct record; /* serve/record.h */

#define DEVICE_COLUMNS 8

/* A line of `devices`, of `--all`: from serve (wire/control_frames.h), lent. */
struct device_record {
	const cJSON *device; /* the object; NULL: the heading of a table */
	struct span device_text; /* as it came */
	const char *change; /* --watch: what happened; NULL */
	const struct message *reply; /* --all: the JSON-RPC reply; NULL */
	const struct error *error; /* --all: it failed; NULL */
	const char *summary; /* --all: instead of the reply, as text; NULL */
	/* --all: what its tool gave (mcp/result_value.h), if somebody asks for
	   that; NULL */
	struct span value;
	int64_t took_us; /* --all; -1: unknown */
	bool worded; /* no headings: "came 3 s ago", "heard now" */
	size_t width[DEVICE_COLUMNS]; /* columns of the widest (render_widen) */
};

/* A command of a script that is run now, before what it prints: "> ping" on a
   terminal, "# ping" in a log. Secrets are masked. */
struct command_record {
	const char *text, *source;
	size_t line; /* within the source */
};

/* The end of a script: how many of its commands went how. */
struct run_record {
	size_t good, failed, not_run;
	size_t interrupted; /* by a signal, in its midst */
};

/* Something that was found, as it is told. Lent. */
struct finding_record {
	const struct finding *finding;
	const char *device; /* which, of many; NULL */
	const char *detail; /* of this time; NULL: of the first */
	bool worded; /* an error tells it in words: no line */
	/* With proof, whom it hits and what to do, on stdout (check); else a line
	   on stderr, if it is severe enough for -q, nothing, -v. */
	bool whole;
};

/* A stage of `check`. */
enum stage_verdict {
	STAGE_OK,
	STAGE_ODD, /* made, and something was not as it should be */
	STAGE_FAIL, /* it ended there */
	STAGE_SKIPPED,
	STAGE_STOPPED /* the last line: those that were not reached */
};
struct stage_record {
	const char *name;
	enum stage_verdict verdict;
	const char *words;
};

/* Its end. */
struct check_record {
	size_t errors, warnings, notes;
	int64_t took_us;
	unsigned asked, left_read, left_odd, left_args;
	const char *first; /* code of the most severe; NULL */
	bool stopped; /* it could not be made to its end */
};

/* check --plan: a message that would be sent. */
struct plan_record {
	const char
		*risk; /* "look", "ask", …; "call": no level, --call says so */
	const char *what; /* what it asks */
	struct span text; /* the message; text NULL: see below */
	/* There is no message: what goes out instead, or why nothing does; NULL: it
	   is not known yet. */
	const char *instead;
};

/* check tools --against: what a backend would make of the list. */
struct against_record {
	const char *id, *name;
	size_t kept, of; /* tools that are for models */
	bool known; /* false: which ones depends on pages it asks for */
	/* Names, each two of renamed: from, to. */
	const struct words *lost, *renamed, *unreachable;
	const char *calls; /* which it would give up; "" */
};

/* The table; every function may be NULL. */
struct render_ops {
	void (*info)(struct renderer *r, const struct info_record *i);
	void (*tool)(struct renderer *r, const struct tool *t,
		     const struct tools_record *of);
	/* those that match, as a tree; text only */
	void (*tree)(struct renderer *r, const struct tools_record *t);
	void (*tools_end)(struct renderer *r, const struct tools_record *t);
	/* tools --diff: one of them */
	void (*change)(struct renderer *r, const struct tool_change *c);
	void (*describe)(struct renderer *r, const struct describe_record *d);
	void (*result)(struct renderer *r, const struct result *result);
	/* request METHOD */
	void (*reply)(struct renderer *r, const struct message *reply);
	void (*ping)(struct renderer *r, const struct ping_record *p);
	void (*pings)(struct renderer *r, const struct pings_record *p);
	void (*item)(struct renderer *r, const struct item_record *i);
	void (*items_end)(struct renderer *r, const struct items_record *i);
	void (*answer)(struct renderer *r, const struct answer_record *a);
	/* on stderr: a line rewritten in place on a terminal, else JSON lines */
	void (*progress)(struct renderer *r, const struct progress_record *p);
	void (*target)(struct renderer *r, const struct target_record *t);
	void (*neighbour)(struct renderer *r, const struct neighbour_record *n);
	void (*trust)(struct renderer *r, const struct trust_record *t);
	void (*login)(struct renderer *r, const struct login_record *l);
	void (*task)(struct renderer *r, const struct task_record *t);
	void (*adopt)(struct renderer *r, const struct adopt_record *a);
	void (*upgrade)(struct renderer *r, const struct upgrade_record *u);
	void (*finding)(struct renderer *r, const struct finding_record *f);
	void (*stage)(struct renderer *r, const struct stage_record *s);
	void (*check)(struct renderer *r, const struct check_record *c);
	void (*plan)(struct renderer *r, const struct plan_record *p);
	void (*against)(struct renderer *r, const struct against_record *a);
	/* of `explain`: all about one; a line of the list */
	void (*explain)(struct renderer *r, const struct explanation *e);
	void (*finding_row)(struct renderer *r, const struct explanation *e);
	/* a line of tail, on stdout */
	void (*event)(struct renderer *r, const struct event *e);
	/* the same event while another command runs, on stderr */
	void (*aside)(struct renderer *r, const struct event *e);
	void (*error)(struct renderer *r, const struct error *e);
	/* a line of our own; a frame for -v: on stderr */
	void (*note)(struct renderer *r, const char *note);
	void (*trace)(struct renderer *r, const struct trace *t);
	/* of `run`; NULL: told by notes */
	void (*command)(struct renderer *r, const struct command_record *c);
	void (*run)(struct renderer *r, const struct run_record *run);
	/* serve: what happened */
	void (*record)(struct renderer *r, const struct record *record);
	void (*device)(struct renderer *r, const struct device_record *d);
	/* --all: one device's answer */
	void (*row)(struct renderer *r, const struct device_record *d);
};

/*
 * Call through the table; nothing where it is NULL. Secrets in an error are
 * masked. An aside is shown only if it is worth a line; of a storm the first
 * few, and how many more there were.
 */
void render_error(struct renderer *r, const struct error *e);
void render_aside(struct renderer *r, const struct event *e);

/*
 * How many there were more, if their second is over. Returns the loop_now() ms
 * at which to ask again; INT64_MAX: nothing is held back.
 */
int64_t render_held(struct renderer *r);

/*
 * Keep the error object of a JSON-RPC error reply, byte for byte but for
 * masked secrets, for the next render_error: its JSON form shows it as "peer".
 * Anything but an error reply is ignored.
 */
void render_keep_peer_error(struct renderer *r, const struct message *reply);

/*
 * Keep what the layers of a silent connection did (diag/ladder.h), a JSON
 * object, for the next render_error: its JSON form shows it as "ladder".
 */
void render_keep_ladder(struct renderer *r, const char *json);

/*
 * The result that was shown says what e says. The next render_error that ends
 * with it names the tool alone, in the text form: the words need not come
 * twice. Not where they went elsewhere than the error goes: stderr is a
 * terminal and stdout is none, or stdout keeps nothing (/dev/null).
 */
void render_told_error(struct renderer *r, const char *tool,
		       const struct error *e);

/* A frame for -v: one line on stderr, secrets masked. On a terminal it is told
   in words and cut to its width, unless raw_frames. */
void render_trace(struct renderer *r, const struct trace *t);

/* A line of our own on stderr ("saved 1,204 bytes to x.png"); not shown with
   -q. Names from a peer may stand in it: the line is made safe, secrets
   are masked. */
void render_note(struct renderer *r, const char *format, ...) PRINTF_LIKE(2, 3);

void render_command(struct renderer *r, const struct command_record *c);

/* Unless it is less severe than is to be told: errors with -q, notes with -v. */
void render_finding(struct renderer *r, const struct finding_record *f);

void render_run(struct renderer *r, const struct run_record *run);

/* "waiting 42 s …" rewritten in place, on a terminal only; text NULL erases
   it. */
void render_count_down(struct renderer *r, const char *text);

/* Send results to stderr for a while, since something else takes stdout. */
struct render_place {
	FILE *out;
	bool terminal, color;
};
struct render_place render_divert(struct renderer *r);
void render_restore(struct renderer *r, const struct render_place *place);

/* Whether put_json_line has use for a value. */
static inline bool render_wants_value(const struct renderer *r)
{
	return r->query || r->table;
}

/*
 * Flush both and release what is kept; -1 (ERR_OUTPUT) if anything written to
 * stdout was lost. Code EPIPE: its reader had enough, which needs no words.
 */
int renderer_finish(struct renderer *r, struct error *err);

/* Write to stdout or stderr; the buffer is emptied. */
void put_out(struct renderer *r, struct buf *b);
void put_err(struct renderer *r, struct buf *b);

/*
 * What a peer sent, as stdout gets it: exact for a pipe or a file, safe for a
 * terminal. A newline follows if there is none and `newline` is true.
 */
void put_received(struct renderer *r, const char *text, size_t len,
		  bool newline);

/* The member of a message's text, as received, without white space between
   its tokens; "null" if it has none. */
void add_member(struct buf *out, const struct message *m, const char *name);

/* The word of an event's kind in JSON: "notification", "odd", … */
const char *event_kind_name(enum event_kind kind);

#endif
