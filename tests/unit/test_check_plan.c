/* SPDX-License-Identifier: MIT */
/* --plan: what would be sent, message by message; nothing is. */
#include "checkup.h"

#include "base/random.h"

static char *operands[3];
static struct checkup k;

static void plan(const char *target, int risk, const char *url)
{
	begin(&k);
	app.out.width = 78;
	app.config.target = target;
	app.target_source = "the argument";
	options.risk = risk;
	in.argv = operands;
	in.argc = url ? 2 : 0;
	operands[1] = url ? mem_strdup(url) : NULL;
}

static void planned(const char *expected, const char *note)
{
	told(expected);
	assert_string_equal(rendered_err(&s), note);
	mem_free(TAKE(operands[1]));
	end(&k);
}

#define RPC(id, rest) "      {\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}\n"
#define ASKED(id) RPC(id, "\"method\":\"mcpctl/unknown\"")
#define LIST(id) \
	RPC(id, "\"method\":\"tools/list\",\"params\":{\"withUserTools\":true}")
#define OPENING                                                                                         \
	"look  who it is (boards; others are asked for 2025-11-25; serve has done it)\n" RPC(           \
		"1",                                                                                    \
		"\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2024-11-05\","             \
		"\"capabilities\":{},\"clientInfo\":{\"name\":\"mcpctl\",\"version\":\"" MCPCTL_VERSION \
		"\"}}") "look  nothing: that it may begin\n"                                            \
			"      {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"        \
			"look  the list, each page\n" LIST("2")
#define SHOWN(n) \
	n " are shown, for a board each in an envelope; nothing was sent\n"
#define PACE(words)                                                         \
	"ask   whether the network answers, ten times\n      (" words ")\n" \
	"ask   how fast its main loop answers, ten times\n" RPC(            \
		"3", "\"method\":\"ping\"")
#define CURSOR \
	"\"method\":\"tools/list\",\"params\":{\"cursor\":\"mcpctl.unknown\"}"
#define CALL(name)                                               \
	"\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
	"\",\"arguments\":{}}"
#define QUESTIONS                                                         \
	"ask   unknown method\n" ASKED("4") "ask   unknown cursor\n" RPC( \
		"5",                                                      \
		CURSOR) "ask   unknown tool\n" RPC("6",                   \
						   CALL("mcpctl.unknown"))
#define OWN_IDS                                        \
	"ask   id 0 (boards; others by ping)\n" ASKED( \
		"0") "ask   id 2147483647 (boards; others by ping)\n" ASKED("2147483647")
#define AGAIN(id) "ask   the list a second time\n" LIST(id)
#define NOT_SERVE \
	"      (not through serve, whose ids and frames are its own)\n"

static void test_looks(void **state)
{
	(void)state;
	plan("ws://127.0.0.1:1/", RISK_LOOK, NULL);
	assert_int_equal(check_plan(&k, NULL), 0);
	planned(OPENING, SHOWN("3 messages"));
	plan("attach:", RISK_LOOK, NULL);
	words_add(&options.calls, "a={\"b\":1}");
	words_add(&options.calls, "c");
	check_plan(&k, NULL);
	words_done(&options.calls);
	planned(OPENING
		"call  what --call names\n" RPC("3", "\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"b\":1}}") "call  what --call names\n" RPC(
			"4", CALL("c")),
		SHOWN("5 messages"));
}

/* By the way to it: frames of its own, serve's, none. */
static void test_asks(void **state)
{
	(void)state;
	plan("ws://127.0.0.1:1/", RISK_ASK, NULL);
	check_plan(&k, NULL);
	planned(OPENING PACE("a WebSocket Ping, where the peer came by one")
			QUESTIONS OWN_IDS AGAIN("7"),
		SHOWN("10 messages"));
	plan("sim:", RISK_ASK, NULL);
	check_plan(&k, NULL);
	planned(OPENING PACE("no Ping this way: a WebSocket has one")
			QUESTIONS OWN_IDS AGAIN("7"),
		SHOWN("10 messages"));
	plan("attach:", RISK_ASK, NULL);
	check_plan(&k, NULL);
	planned(OPENING PACE(
			"a WebSocket Ping of serve, where the device came by one")
			QUESTIONS "ask   id 0\n" NOT_SERVE
				  "ask   id 2147483647\n" NOT_SERVE AGAIN("7"),
		SHOWN("8 messages"));
}

/* By the URL that is given. */
static void plan_broker(int risk, const char *url)
{
	CLEANUP(error_reset) struct error err = { 0 };

	plan(NULL, risk, url);
	if (check_broker_plan(&k, &err))
		fail_msg("'%s': %s", url, err.text);
	assert_null(app.config.target);
}

static void has(const char *words, bool is)
{
	if ((strstr(rendered_out(&s), words) != NULL) != is)
		fail_msg("%s: '%s'", is ? "not there" : "there", words);
}

/* Behind each odd one a plain one, and an id for each. */
static void test_odd(void **state)
{
	(void)state;
	plan("listen:0", RISK_READ, NULL);
	check_plan(&k, NULL);
	has("read  each tool that is known to read only, once and three times\n",
	    true);
	has("odd   ", false);
	end(&k);
	plan("http://127.0.0.1:1/", RISK_ARGS, NULL);
	check_plan(&k, NULL);
	has("read  each tool that is known to read only, once and three times\n"
	    "      (not known yet)\n"
	    "odd   quotes in a name\n" RPC("8", CALL("mcpctl \\\"quoted\\\" \\\\ name")) "odd   whether it still answers (boards; others by ping)\n" ASKED(
		    "9") "odd   string id (boards; others by ping)\n" ASKED("\"mcpctl-1\"") "odd   whether it still answers (boards; others by ping)\n" ASKED("10"),
	    true);
	has("odd   fragmented frame\n"
	    "      (not this way, which has no frames; a WebSocket has)\n"
	    "args  each tool that needs an integer and cannot destroy\n"
	    "      (not known yet)\n",
	    true);
	has("ask   whether it still", false);
	assert_string_equal(rendered_err(&s), SHOWN("26 messages"));
	end(&k);
	plan("attach:", RISK_ODD, NULL);
	options.power_cycle = true;
	check_plan(&k, NULL);
	has("odd   whether it comes back\n"
	    "      (serve's --power-cmd switches its power off and on)\n",
	    true);
	has("odd   string id\n" NOT_SERVE "odd   float id\n" NOT_SERVE, true);
	has("odd   fragmented frame\n" NOT_SERVE, true);
	has("args  ", false);
	end(&k);
}

/* Nothing is planned where it would be refused. */
static void test_refused(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	plan("attach:", RISK_READ, NULL);
	options.power_cycle = true;
	assert_int_equal(check_plan(&k, &err), -1);
	assert_string_equal(
		err.text,
		"--power-cycle takes the power from the board in the midst of what it does: it needs --risk odd or args");
	planned("", "");
	plan("attach:", RISK_READ, NULL);
	words_add(&options.calls, "={}");
	assert_int_equal(check_plan(&k, &err), -1);
	words_done(&options.calls);
	assert_string_equal(err.text, "--call: '={}' is no TOOL[=JSON]");
	planned("", "");
}

static void test_tools(void **state)
{
	(void)state;
	plan("sim:", RISK_LOOK, NULL);
	check_tools_plan(&k, NULL);
	planned(OPENING, SHOWN("3 messages"));
	plan("sim:", RISK_LOOK, "list.json");
	check_tools_plan(&k, NULL);
	planned("", "0 messages: a list that is there already is read; "
		    "nothing was sent\n");
	plan("sim:", RISK_LOOK, NULL);
	options.kept = true;
	check_tools_plan(&k, NULL);
	planned("", "0 messages: a list that is there already is read; "
		    "nothing was sent\n");
}

#define NONCE "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN"

/* What is drawn anew each time, as N. */
static void mask_nonce(void)
{
	const char *at = strstr(rendered_out(&s), "mcpctl-check/");
	CLEANUP(mem_free_ptr) char *nonce = NULL;
	char *p;

	assert_non_null(at);
	nonce = mem_strndup(at + strlen("mcpctl-check/"), RANDOM_HEX_SIZE - 1);
	assert_int_equal(strspn(nonce, "0123456789abcdef"), 32);
	while ((p = strstr(s.out, nonce)))
		memset(p, 'N', strlen(nonce));
}

#define PACKET "      (a packet of MQTT)\n"
#define TEST \
	"      {\"type\":\"mcpctl\",\"check\":\"" NONCE "\",\"pad\":\"\"}\n"
#define HELLO                                                               \
	"      {\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","    \
	"\"features\":{\"mcp\":true},\"audio_params\":{\"format\":\"opus\"" \
	",\"sample_rate\":16000,\"channels\":1,\"frame_duration\":60}}\n"
#define BROKER(id, up, all, down)                                            \
	"look  CONNECT, as " id "\n" PACKET                                  \
	"ask   CONNECT and SUBSCRIBE, as another client, to " up "\n" PACKET \
	"ask   … and to " all "\n" PACKET                                    \
	"ask   its own message, to mcpctl-check/" NONCE "\n" TEST            \
	"ask   what a board says first, to " up "\n" HELLO                   \
	"ask   whether it comes through, to " up "\n" TEST                   \
	"ask   whether the board gets it, to " down "\n" TEST                \
	"ask   what backends do not take\n"                                  \
	"      (such a message of 9011 bytes, to " up ")\n"
#define ID "GID_test@@@02_00_00_00_00_01@@@x"

static void test_broker(void **state)
{
	(void)state;
	plan_broker(RISK_ASK, "mqtt://h/" ID);
	mask_nonce();
	planned(BROKER(ID, "device-server", "devices/p2p/+",
		       "devices/p2p/02_00_00_00_00_01"),
		"8 messages; nothing was sent\n");
	plan_broker(RISK_ASK,
		    "mqtt://h/plain?up=up/{client_id}&down=d/{client_id}/x");
	mask_nonce();
	planned(BROKER("plain", "up/plain", "d/+/x", "d/plain/x"),
		"8 messages; nothing was sent\n");
	plan_broker(RISK_ASK, "mqtt://h/plain");
	mask_nonce();
	planned(BROKER("plain", "device-server", "devices/p2p/+",
		       "devices/p2p/plain"),
		"8 messages; nothing was sent\n");
}

/* Without a client id one is made; TLS is looked at where boards speak it. */
static void test_broker_ids(void **state)
{
	static const char *const urls[] = { "mqtts://h", "mqtts://h/?up=x" };
	const char *at;

	(void)state;
	for (size_t i = 0; i < COUNT(urls); i++) {
		plan_broker(RISK_LOOK, urls[i]);
		at = rendered_out(&s) + strlen("look  CONNECT, as ");
		assert_memory_equal(at, "GID_mcpctl@@@02_", 16);
		at += 16;
		assert_int_equal(strspn(at, "0123456789abcdef_"), 14);
		assert_memory_equal(at + 14, "@@@", 3);
		assert_int_equal(strspn(at + 17, "0123456789abcdef"), 22);
		assert_string_equal(
			at + 39,
			"\n" PACKET
			"look  CONNECT in TLS, as a board sees it\n" PACKET);
		assert_string_equal(rendered_err(&s),
				    "2 messages; nothing was sent\n");
		mem_free(TAKE(operands[1]));
		end(&k);
	}
}

static void test_no_broker(void **state)
{
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	plan(NULL, RISK_LOOK, "http://h/");
	assert_int_equal(check_broker_plan(&k, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "'http://h/' is no broker");
	assert_string_equal(err.hint, "mqtt://HOST or mqtts://HOST");
	planned("", "");
}

static int set_up(void **state)
{
	(void)state;
	/* Neither a list that was kept nor a serve is to be found. */
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("TMPDIR", "/proc", 1);
	unsetenv("MCPCTL_SOCKET");
	unsetenv("MCPCTL_DEVICE");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_asks),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_broker),
		cmocka_unit_test(test_broker_ids),
		cmocka_unit_test(test_no_broker),
	};

	return cmocka_run_group_tests_name("check_plan", tests, set_up, NULL);
}
