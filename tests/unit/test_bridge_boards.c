/* SPDX-License-Identifier: MIT */
/* Boards of serve as peers of the bridge, against a fake serve. */
#include "fake_serve.h"

#include "base/text.h"
#include "bridge/boards_file.h"
#include "bridge/bridge_boards.h"
#include "folder.h"

enum { PEERS_MAX = 8, TOLD_MAX = 16, ASKED_MAX = 64 };

#define HOUR INT64_C(3600000) /* ms */
#define DAY (24 * HOUR)

static struct loop *loop;
static struct fake_serve serve;
static struct bridge_boards *boards;
static struct boards_config config;
static struct words patterns;
static bool changed, woken;
static struct bridge_peer *peer[PEERS_MAX];
static size_t peers, gone;
static char *told[TOLD_MAX];
static size_t tells;

/* What it is asked, and says to it. */
static struct {
	const char *boards[PEERS_MAX]; /* device objects; NULL ends them */
	const char *names, *tool[2];
	bool keeps_listing; /* no end comes */
	unsigned
		lacking; /* tools that are errors, the second before the next names */
	char *asked[ASKED_MAX];
	size_t count;
	struct fake_peer *watch, *caller;
} play;

#define LACKING "{\"op\":\"error\",\"error\":{}}"

static void say_boards(struct fake_peer *p)
{
	for (size_t i = 0; play.boards[i]; i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"op\":\"device\",\"device\":%s}",
					play.boards[i]);

		fake_serve_json(p, text);
	}
	if (!play.keeps_listing)
		fake_serve_json(p, "{\"op\":\"end\",\"count\":0}");
}

static void on_frame(struct fake_peer *p, const struct control_frame *f)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(f->data, f->len, NULL);
	const char *op = json_string(json, "op");
	const char *name = json_string(json, "name");

	assert_true(play.count < ASKED_MAX);
	play.asked[play.count++] = mem_strndup(f->data, f->len);
	if (strcmp(op, "devices") == 0) {
		play.watch = p;
		say_boards(p);
	} else if (strcmp(op, "names") == 0) {
		if (play.lacking == 1) {
			fake_serve_json(p, LACKING);
			play.lacking = 0;
		}
		fake_serve_json(p, play.names);
	} else if (strcmp(op, "tool") == 0 && play.lacking) {
		if (play.lacking == 2)
			fake_serve_json(p, LACKING);
		play.lacking = 1;
	} else if (strcmp(op, "tool") == 0) {
		fake_serve_json(p, play.tool[strcmp(name, "self.a") != 0]);
	} else {
		play.caller = p;
	}
}

static void on_came(void *owner, struct bridge_peer *p)
{
	assert_ptr_equal(owner, &config);
	assert_true(peers < PEERS_MAX);
	peer[peers++] = p;
}

static void on_went(void *owner, struct bridge_peer *p)
{
	assert_ptr_equal(owner, &config);
	assert_ptr_equal(p, peer[gone]);
	gone++;
}

static void on_told(void *owner, const char *text)
{
	assert_ptr_equal(owner, &config);
	assert_true(tells < TOLD_MAX);
	told[tells++] = mem_strdup(text);
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	fake_serve_open(&serve, loop, on_frame);
	memset(&play, 0, sizeof(play));
	play.names =
		"{\"op\":\"names\",\"tools\":[[\"self.a\",\"A\"],[\"self.b\",\"\"]],\"count\":2,\"lists\":[\"00ff\"]}";
	play.tool[0] =
		"{\"op\":\"tool\",\"tool\":{\"name\":\"self.a\"},\"tools\":2}";
	play.tool[1] =
		"{\"op\":\"tool\",\"tool\":{\"name\":\"self.b\"},\"tools\":2}";
	peers = gone = tells = 0;
	changed = woken = false;
	patterns = (struct words){ 0 };
	config = (struct boards_config){ .loop = loop,
					 .socket = serve.path,
					 .patterns = &patterns,
					 .changed = &changed,
					 .woken = &woken,
					 .came = on_came,
					 .told = on_told,
					 .owner = &config };
	boards = bridge_boards_open(&config);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bridge_boards_close(TAKE(boards));
	fake_serve_close(&serve);
	loop_free(loop);
	for (size_t i = 0; i < play.count; i++)
		mem_free(play.asked[i]);
	for (size_t i = 0; i < tells; i++)
		mem_free(told[i]);
	words_done(&patterns);
	return 0;
}

/* ---- until something is so ---- */

static void turn(void)
{
	bridge_boards_tend(boards);
	loop_stay(loop, NULL, loop_now() + 1, NULL);
}

static void until(bool (*so)(void))
{
	const int64_t end = loop_now() + 60000;

	while (!so()) {
		assert_true(loop_now() < end);
		turn();
	}
}

static bool is_settled(void)
{
	return bridge_boards_settled(boards);
}

static bool is_told(void)
{
	return tells > 0;
}

static size_t wanted;

static bool has_asked(void)
{
	return play.count >= wanted;
}

static void until_asked(size_t count)
{
	wanted = count;
	until(has_asked);
	assert_int_equal(play.count, count);
}

/* It says that to who watches. */
static void says(const char *text)
{
	fake_serve_json(play.watch, text);
}

#define BOARD(id, more) "{\"id\":\"" id "\"" more "}"
#define READY(id, more) BOARD(id, ",\"state\":\"ready\"" more)
#define CHANGE(what, board) \
	"{\"op\":\"device\",\"change\":\"" what "\",\"device\":" board "}"

static enum peer_state expected;

static bool is_in_state(void)
{
	return peers > 0 && peer[peers - 1]->state == expected;
}

static void until_state(enum peer_state state)
{
	expected = state;
	until(is_in_state);
}

static enum peer_lacks lacked;

static bool lacks(void)
{
	return peer[0]->state == PEER_AWAY && peer[0]->lacks == lacked;
}

static void until_lacks(enum peer_lacks l)
{
	lacked = l;
	until(lacks);
}

/* ---- which there are ---- */

static void boards_and_their_tools(void **state)
{
	(void)state;
	play.boards[0] = FAKE_DEVICE;
	play.boards[1] = BOARD("02:00:00:00:00:0B",
			       ",\"state\":\"away\",\"version\":\"2\"");
	assert_false(bridge_boards_settled(boards));
	assert_null(bridge_boards_missing(boards));
	until(is_settled);
	assert_null(bridge_boards_missing(boards));
	assert_int_equal(peers, 2);
	assert_string_equal(peer[0]->id, "aa:01");
	assert_string_equal(peer[0]->prefix, "kitchen");
	assert_string_equal(peer[0]->about, "esp-box 2.4.2");
	assert_string_equal(peer[0]->way, "WebSocket");
	assert_true(peer[0]->device);
	assert_int_equal(peer[0]->state, PEER_READY);
	assert_string_equal(peer[0]->list->id, "00ff");
	assert_int_equal(peer[0]->list->tools.count, 2);
	assert_string_equal(peer[0]->list->tools.tool[0].name, "self.a");
	assert_string_equal(peer[0]->list->tools.tool[1].name, "self.b");
	assert_string_equal(peer[1]->prefix, "00000b");
	assert_string_equal(peer[1]->about, "2");
	assert_int_equal(peer[1]->state, PEER_AWAY);
	assert_int_equal(peer[1]->lacks, LACKS_WAKING);
	assert_null(peer[1]->list);
	assert_null(peer[1]->way);
	assert_int_equal(play.count, 4);
	assert_string_equal(play.asked[0],
			    "{\"op\":\"devices\",\"watch\":true}");
	assert_string_equal(play.asked[1],
			    "{\"op\":\"names\",\"device\":\"id:aa:01\"}");
	assert_string_equal(
		play.asked[2],
		"{\"op\":\"tool\",\"list\":\"00ff\",\"name\":\"self.a\"}");
	assert_string_equal(
		play.asked[3],
		"{\"op\":\"tool\",\"list\":\"00ff\",\"name\":\"self.b\"}");
	assert_int_equal(tells, 0);
	/* Another one with that list: it is known. */
	says(CHANGE("new", READY("02", ",\"list\":\"00ff\"")));
	until_state(PEER_READY);
	assert_ptr_equal(peer[2]->list, peer[0]->list);
	assert_true(bridge_boards_settled(boards));
	assert_int_equal(play.count, 4);
}

/* The last six letters and digits of an id, small. */
static void names_of_those_without(void **state)
{
	static const char *const names[] = { "board",  "x",    "bcdef1",
					     "c1def2", "lamp", "b_c" };

	(void)state;
	play.boards[0] = READY("::", "");
	play.boards[1] = READY(":x", "");
	play.boards[2] = READY("abc-DEF1", "");
	play.boards[3] = READY("bC1-dEF2", "");
	play.boards[4] = READY("z", ",\"alias\":\"lamp\"");
	play.boards[5] =
		READY("h", ",\"held\":{\"name\":\"a:b/c\"},\"board\":\"B\"");
	/* These are none. */
	play.boards[6] = "{\"id\":\"\",\"state\":\"ready\"}";
	until(is_settled);
	assert_int_equal(peers, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(peer[i]->prefix, names[i]);
	assert_true(peer[4]->device);
	assert_false(peer[5]->device);
	assert_string_equal(peer[5]->about, "B");
	assert_null(peer[4]->about);
}

/* What has to happen until it is there. */
static void what_they_lack(void **state)
{
	(void)state;
	play.boards[0] = READY("1", ",\"transport\":\"mqtt\"");
	until(is_settled);
	assert_string_equal(peer[0]->way, "MQTT");
	says(CHANGE("gone", READY("1", "")));
	until_lacks(LACKS_ITSELF);
	says("{\"op\":\"broker\",\"away\":\"it is off\"}");
	until_lacks(LACKS_BROKER);
	assert_string_equal(peer[0]->reason, "it is off");
	says("{\"op\":\"broker\",\"away\":null}");
	until_lacks(LACKS_ITSELF);
	assert_null(peer[0]->reason);
	/* It came another way. */
	says(CHANGE("new", BOARD("1", ",\"state\":\"hello\",\"transport\":"
				      "\"websocket\",\"reason\":\"soon\"")));
	until_state(PEER_COMING);
	assert_string_equal(peer[0]->reason, "hello: soon");
	says(CHANGE("new", BOARD("1", ",\"state\":\"hello\"")));
	says(CHANGE("new", BOARD("1", "")));
	until_lacks(LACKS_WAKING);
	says("{\"op\":\"broker\",\"away\":\"it is off\"}");
	says(CHANGE("gone", BOARD("1", ",\"held\":{\"name\":\"x:y\"}")));
	until_lacks(LACKS_START);
	assert_int_equal(peers, 1);
}

/* Who is not among all is away. */
static void asked_for_all_anew(void **state)
{
	(void)state;
	play.boards[0] = READY("1", "");
	until(is_settled);
	assert_int_equal(play.count, 1);
	play.boards[0] = NULL;
	assert_true(bridge_boards_refresh(boards));
	assert_true(bridge_boards_refresh(boards));
	until_lacks(LACKS_WAKING);
	/* Twice at once is once. */
	assert_int_equal(play.count, 2);
	says("{\"op\":\"lost\",\"count\":1}");
	until_asked(3);
}

static bool is_gone(void)
{
	return gone > 0;
}

/* Who never got ready, and is not there any more; who was, only after a month. */
static void forgotten(void **state)
{
	(void)state;
	config.went = on_went;
	bridge_boards_close(boards);
	boards = bridge_boards_open(&config);
	play.boards[0] = BOARD("1", ",\"state\":\"hello\",\"reason\":\"odd\"");
	play.boards[1] = FAKE_DEVICE;
	until(is_settled);
	assert_int_equal(peers, 2);
	assert_non_null(peer[1]->list);
	play.boards[0] = NULL;
	assert_true(bridge_boards_refresh(boards));
	until(is_gone);
	assert_int_equal(gone, 1);
	assert_int_equal(peer[1]->state, PEER_AWAY);
	assert_non_null(peer[1]->list);
	peer[1]->seen -= 31 * DAY;
	gone = 1;
	assert_true(bridge_boards_refresh(boards));
	while (gone < 2)
		turn();
	/* It comes back as another one, and is asked for its tools. */
	play.boards[0] = FAKE_DEVICE;
	wanted = play.count + 4;
	assert_true(bridge_boards_refresh(boards));
	until(has_asked);
	until(is_settled);
	assert_int_equal(peers, 3);
	assert_int_equal(peer[2]->list->tools.count, 2);
}

/* While it tells them it is not asked again, and nothing is due. */
static void lost_amid_a_listing(void **state)
{
	(void)state;
	play.boards[0] = READY("1", "");
	until(is_settled);
	play.keeps_listing = true;
	assert_true(bridge_boards_refresh(boards));
	until_asked(2);
	says("{\"op\":\"lost\",\"count\":1}");
	says(CHANGE("gone", READY("1", "")));
	until_state(PEER_AWAY);
	assert_true(bridge_boards_tend(boards) > loop_now());
	play.keeps_listing = false;
	says("{\"op\":\"end\",\"count\":1}");
	until_asked(3);
}

/* Each of the patterns is watched; an end counts when all of them came. */
static void several_patterns(void **state)
{
	(void)state;
	bridge_boards_close(boards);
	words_add(&patterns, "a*");
	words_add(&patterns, "b");
	boards = bridge_boards_open(&config);
	play.boards[0] = READY("1", "");
	until(is_settled);
	assert_int_equal(play.count, 2);
	assert_string_equal(
		play.asked[0],
		"{\"op\":\"devices\",\"device\":\"a*\",\"watch\":true}");
	assert_string_equal(
		play.asked[1],
		"{\"op\":\"devices\",\"device\":\"b\",\"watch\":true}");
	assert_int_equal(peers, 1);
	assert_int_equal(peer[0]->state, PEER_READY);
}

/* A list that cannot be had is asked for when all are listed again. */
static void a_list_that_cannot_be_had(void **state)
{
	(void)state;
	play.boards[0] = FAKE_DEVICE;
	play.names = "{\"op\":\"error\",\"error\":{}}";
	until_asked(2);
	until(is_settled);
	assert_null(peer[0]->list);
	play.names = "{\"op\":\"names\",\"tools\":[],\"count\":0}";
	assert_true(bridge_boards_refresh(boards));
	until_asked(4);
	until(is_settled);
	assert_int_equal(peer[0]->list->tools.count, 0);
}

/* Errors of that one are not of the next. */
static void a_list_behind_it(void **state)
{
	(void)state;
	play.lacking = 2;
	play.names =
		"{\"op\":\"names\",\"tools\":[[\"self.a\",\"A\"],[\"self.b\",\"\"]],\"count\":2}";
	play.boards[0] = READY("1", ",\"list\":\"00ff\"");
	play.boards[1] = READY("2", ",\"list\":\"00fe\"");
	until(is_settled);
	assert_int_equal(play.count, 7);
	assert_null(peer[0]->list);
	assert_int_equal(peer[1]->list->tools.count, 2);
}

/* It went, or has another list by now: what it is asked for is not that list. */
static void a_list_that_it_has_no_more(void **state)
{
	static const char *const names[] = {
		"{\"op\":\"names\",\"tools\":[],\"count\":0,\"lists\":[]}",
		"{\"op\":\"names\",\"tools\":[[\"self.a\",\"A\"]],\"count\":1,\"lists\":[\"00fe\"]}",
	};

	(void)state;
	play.boards[0] = FAKE_DEVICE;
	for (size_t i = 0; i < COUNT(names); i++) {
		play.names = names[i];
		if (i)
			assert_true(bridge_boards_refresh(boards));
		until_asked(2 * i + 2);
		until(is_settled);
		assert_null(peer[0]->list);
	}
	play.names =
		"{\"op\":\"names\",\"tools\":[[\"self.a\",\"A\"]],\"count\":1,\"lists\":[\"00ff\"]}";
	assert_true(bridge_boards_refresh(boards));
	until_asked(7);
	until(is_settled);
	assert_int_equal(peer[0]->list->tools.count, 1);
}

/* ---- calls ---- */

static struct bridge_call call;

static bool is_over(void)
{
	return call.end != CALL_OPEN;
}

static void start(struct bridge_peer *p, int64_t timeout)
{
	static char method[] = "tools/call", params[] = "{\"name\":\"x\"}";
	const size_t before = play.count;

	message_done(&call.reply);
	error_reset(&call.why);
	mem_free(call.photo);
	mem_free(call.no_photo);
	call = (struct bridge_call){ .method = method,
				     .params = params,
				     .photos = call.photos };
	assert_int_equal(p->kind->start(p->owner, &call, timeout, NULL), 0);
	until_asked(before + 1);
}

/* What serve says to the call; then the call ends so. */
static void ends(const char *text, enum call_end end)
{
	fake_serve_json(play.caller, text);
	until(is_over);
	assert_int_equal(call.end, end);
}

static void forget_call(void)
{
	message_done(&call.reply);
	error_reset(&call.why);
	mem_free(call.photo);
	mem_free(call.no_photo);
	call = (struct bridge_call){ 0 };
}

#define ROW(rest) "{\"op\":\"row\",\"device\":" FAKE_DEVICE "," rest "}"
#define RESULT \
	"\"reply\":{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"a\":1}}"
#define END "{\"op\":\"end\",\"count\":1}"

/* It is there at once, and the loop's next turn reads it. */
static void answer_ends(void)
{
	fake_serve_json(play.caller, END);
	turn();
}

static void calls_and_how_they_end(void **state)
{
	(void)state;
	play.boards[0] = READY("1", "");
	until(is_settled);
	start(peer[0], 4000);
	assert_string_equal(
		play.asked[1],
		"{\"op\":\"fan\",\"timeout\":4000,\"device\":\"id:1\",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}");
	ends(ROW("\"took_us\":5," RESULT), CALL_ANSWERED);
	assert_int_equal(call.reply.kind, MESSAGE_RESULT);
	assert_null(call.no_photo);
	answer_ends();
	/* No time at all is none to serve. */
	start(peer[0], 0);
	assert_non_null(strstr(play.asked[2], "\"timeout\":1,"));
	ends(ROW("\"took_us\":0,\"error\":{\"kind\":\"connect\",\"text\":\"it left\"}"),
	     CALL_UNSENT);
	assert_string_equal(call.why.text, "it left");
	answer_ends();
	start(peer[0], 1);
	ends(ROW("\"took_us\":1,\"error\":{\"kind\":\"timeout\",\"text\":\"slow\"}"),
	     CALL_LOST);
	assert_int_equal(call.why.kind, ERR_TIMEOUT);
	answer_ends();
	/* Nobody was asked. */
	start(peer[0], 1);
	ends(END, CALL_UNSENT);
	assert_int_equal(call.why.kind, ERR_CONNECT);
	assert_string_equal(call.why.text, "serve does not have it any more");
	start(peer[0], 1);
	ends("{\"op\":\"error\",\"error\":{}}", CALL_UNSENT);
	/* One at a time: it was always the same connection. */
	assert_int_equal(serve.peers, 3);
	start(peer[0], 1);
	fake_serve_drop(play.caller);
	until(is_over);
	assert_int_equal(call.end, CALL_LOST);
	assert_true(text_starts(call.why.text, "serve went away"));
	forget_call();
}

static void pictures_of_calls(void **state)
{
	(void)state;
	play.boards[0] = READY("1", "");
	until(is_settled);
	call.photos = 100;
	start(peer[0], 1);
	assert_non_null(strstr(play.asked[1], ",\"photos\":100,"));
	ends(ROW("\"took_us\":5," RESULT ",\"photo\":{\"data\":\"QQ==\"}"),
	     CALL_ANSWERED);
	assert_string_equal(call.photo, "QQ==");
	assert_null(call.no_photo);
	answer_ends();
	start(peer[0], 1);
	ends(ROW("\"took_us\":5," RESULT ",\"photo\":{\"why\":\"dark\"}"),
	     CALL_ANSWERED);
	assert_string_equal(call.no_photo, "dark");
	assert_null(call.photo);
	answer_ends();
	start(peer[0], 1);
	ends(ROW("\"took_us\":5," RESULT), CALL_ANSWERED);
	assert_string_equal(
		call.no_photo,
		"serve is of a version that hands out none: restart it");
	call.photos = 0;
	forget_call();
}

/* Its connection is free when serve has ended its answer, and not before. */
static void a_call_that_is_dropped(void **state)
{
	struct fake_peer *first;

	(void)state;
	play.boards[0] = READY("1", "");
	until(is_settled);
	peer[0]->kind->drop(peer[0]->owner, NULL);
	start(peer[0], 1);
	first = play.caller;
	peer[0]->kind->drop(peer[0]->owner, &call);
	start(peer[0], 1);
	assert_ptr_not_equal(play.caller, first);
	fake_serve_json(first, ROW("\"took_us\":5," RESULT));
	fake_serve_json(first, END);
	ends(ROW("\"took_us\":5," RESULT), CALL_ANSWERED);
	answer_ends();
	start(peer[0], 1);
	assert_ptr_equal(play.caller, first);
	assert_int_equal(serve.peers, 4);
	ends(END, CALL_UNSENT);
	forget_call();
}

/* ---- serve goes and comes ---- */

static bool was_told_away(void)
{
	return tells > 0 && text_starts(told[tells - 1], "serve went away");
}

static void serve_goes(void **state)
{
	(void)state;
	play.boards[0] = READY("1", ",\"transport\":\"mqtt\"");
	until(is_settled);
	says("{\"op\":\"broker\",\"away\":\"it is off\"}");
	fake_serve_drop(play.watch);
	until(was_told_away);
	assert_string_equal(
		told[0],
		"serve went away; its boards cannot be reached until it is back");
	assert_int_equal(peer[0]->state, PEER_AWAY);
	assert_int_equal(peer[0]->lacks, LACKS_SERVE);
	/* It is back, and there is its board. */
	until_state(PEER_READY);
	/* Connections that we end ourselves then are no loss of their own. */
	assert_int_equal(tells, 2);
	assert_string_equal(told[1], "serve is there");
	assert_int_equal(peers, 1);
	assert_null(bridge_boards_missing(boards));
	says(CHANGE("gone", BOARD("1", "")));
	until_lacks(LACKS_ITSELF);
}

static void no_serve(void **state)
{
	static char nowhere[] = "/tmp/mcpctl-no-such-folder/serve.sock";
	static const int64_t pauses[] = { 250, 500, 1000, 2000 };

	(void)state;
	bridge_boards_close(boards);
	config.socket = nowhere;
	boards = bridge_boards_open(&config);
	assert_false(bridge_boards_settled(boards));
	assert_false(bridge_boards_refresh(boards));
	for (size_t i = 0; i < COUNT(pauses); i++) {
		const int64_t before = loop_now();
		const int64_t next = bridge_boards_tend(boards);

		assert_in_range(next, before + pauses[i],
				loop_now() + pauses[i]);
		assert_true(bridge_boards_settled(boards));
		while (i + 1 < COUNT(pauses) && loop_now() < next)
			loop_stay(loop, NULL, next, NULL);
	}
	assert_int_equal(bridge_boards_missing(boards)->kind, ERR_CONNECT);
	assert_false(bridge_boards_refresh(boards));
	/* Once, however often it is looked for. */
	assert_int_equal(tells, 1);
}

static void another_version(void **state)
{
	(void)state;
	serve.greeting =
		"{\"op\":\"greeting\",\"protocol\":999,\"version\":\"9.9\",\"pid\":7}";
	until(is_told);
	assert_non_null(strstr(
		told[0], "the running serve (pid 7) is version 9.9, this is "));
	assert_int_equal(bridge_boards_missing(boards)->kind, ERR_PROTOCOL);
	assert_true(bridge_boards_settled(boards));
	assert_int_equal(peers, 0);
}

/* ---- those that were there ---- */

/* Those that one of the patterns means. */
static void boards_of_before(void **state)
{
	static const struct {
		const char *pattern, *other;
		size_t peers;
	} rows[] = {
		{ "id:AA:01", NULL, 1 }, { "id:aa", NULL, 0 },
		{ "kit*", NULL, 1 },	 { "kit", NULL, 0 },
		{ "aa:0?", NULL, 1 },	 { "x", "kitchen", 1 },
		{ "x", "y", 0 },
	};

	(void)state;
	setenv("XDG_STATE_HOME", folder, 1);
	bridge_boards_close(boards);
	config.keep = true;
	boards = bridge_boards_open(&config);
	play.boards[0] = FAKE_DEVICE;
	play.boards[1] = READY("02", "");
	play.boards[2] =
		READY("03", ",\"list\":\"00ff\",\"held\":{\"name\":\"a:b\"}");
	until(is_settled);
	bridge_boards_close(boards);
	/* What serve keeps open, and what is without tools, is not kept. */
	peers = 0;
	boards = bridge_boards_open(&config);
	assert_int_equal(peers, 1);
	assert_string_equal(peer[0]->id, "aa:01");
	assert_string_equal(peer[0]->prefix, "kitchen");
	assert_string_equal(peer[0]->about, "esp-box 2.4.2");
	assert_string_equal(peer[0]->way, "WebSocket");
	assert_true(peer[0]->seen > 0);
	assert_int_equal(peer[0]->state, PEER_AWAY);
	assert_int_equal(peer[0]->list->tools.count, 2);
	for (size_t i = 0; i < COUNT(rows); i++) {
		bridge_boards_close(boards);
		words_done(&patterns);
		patterns = (struct words){ 0 };
		peers = 0;
		words_add(&patterns, rows[i].pattern);
		if (rows[i].other)
			words_add(&patterns, rows[i].other);
		boards = bridge_boards_open(&config);
		if (peers != rows[i].peers)
			fail_msg("%s: %zu", rows[i].pattern, peers);
	}
}

/* One that comes each day with the tools that it had is not forgotten. */
static void seen_anew(void **state)
{
	static const char tool[] = "{\"name\":\"self.a\"}";
	CLEANUP(mem_free_ptr) char *path = NULL;
	const int64_t now = unix_now_ms();
	const struct row {
		int64_t before; /* ms */
		bool anew;
	} rows[] = { { 29 * DAY, true },
		     { DAY + HOUR, true },
		     { DAY - HOUR, false } };

	(void)state;
	setenv("XDG_STATE_HOME", folder, 1);
	path = boards_file_path(serve.path);
	play.boards[0] = FAKE_DEVICE;
	config.keep = true;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tool_list tools = { 0 };
		struct bridge_list *l;

		assert_int_equal(
			tool_list_add_text(&tools, tool, strlen(tool), NULL),
			0);
		l = bridge_list_new("00ff", &tools);
		assert_int_equal(
			boards_file_write(path,
					  &(struct kept_board){
						  .id = "aa:01",
						  .prefix = "kitchen",
						  .seen = now - rows[i].before,
						  .list = l },
					  1, NULL),
			0);
		bridge_list_release(l);
		bridge_boards_close(boards);
		boards = bridge_boards_open(&config);
		until(is_settled);
		bridge_boards_close(boards);
		peers = 0;
		boards = bridge_boards_open(&config);
		assert_int_equal(peers, 1);
		assert_int_equal(peer[0]->seen >= now, rows[i].anew);
		peers = 0;
	}
}

#define WITH_SERVE(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SERVE(boards_and_their_tools),
		WITH_SERVE(names_of_those_without),
		WITH_SERVE(what_they_lack),
		WITH_SERVE(asked_for_all_anew),
		WITH_SERVE(forgotten),
		WITH_SERVE(lost_amid_a_listing),
		WITH_SERVE(several_patterns),
		WITH_SERVE(a_list_that_cannot_be_had),
		WITH_SERVE(a_list_behind_it),
		WITH_SERVE(a_list_that_it_has_no_more),
		WITH_SERVE(calls_and_how_they_end),
		WITH_SERVE(pictures_of_calls),
		WITH_SERVE(a_call_that_is_dropped),
		WITH_SERVE(serve_goes),
		WITH_SERVE(no_serve),
		WITH_SERVE(another_version),
		WITH_SERVE(boards_of_before),
		WITH_SERVE(seen_anew),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
