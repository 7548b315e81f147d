/* SPDX-License-Identifier: MIT */
/*
 * The line editor as a person meets it: keys in, a screen to look at.
 */
#include "base/module.h"
#include "cli/complete_words.h"
#include "edit_harness.h"
#include "folder.h"

static char *const plain[] = { NULL };

/* cli/complete.c stands in the program; here is only what it releases. */
void completion_done(struct completion *c)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		mem_free(c->item[i].word);
		mem_free(c->item[i].brief);
	}
	mem_free(c->item);
	mem_free(c->keep);
	mem_free(c->note);
	*c = (struct completion){ 0 };
}

static void add(struct completion *c, const char *word, const char *brief,
		bool open)
{
	c->item = mem_grow(c->item, &c->capacity, c->count, sizeof(*c->item));
	c->item[c->count++] = (struct candidate){ .word = mem_strdup(word),
						  .brief = mem_strdup(brief),
						  .open = open };
}

static void child_complete(void *owner, const char *line,
			   struct completion *out)
{
	int i;

	(void)owner;
	if (text_starts(line, "many ")) {
		for (i = 0; i < 150; i++) {
			CLEANUP(mem_free_ptr)
			char *word = mem_printf("candidate%03d", i);

			add(out, word, "", false);
		}
	} else if (text_starts(line, "file ")) {
		out->files = true;
		out->keep = mem_strdup(
			text_starts(line, "file icon") ? "icon=@" : "");
	} else if (text_starts(line, "odd ")) {
		add(out, "desk lamp", "", false);
		add(out, "desk light", "", false);
		add(out, "it's \"$5\"", "", false);
		add(out, "客厅 灯", "", false);
	} else if (text_starts(line, "call set")) {
		out->show_only = true;
		add(out, "volume=<0..100>", "how loud", true);
	} else if (text_starts(line, "none")) {
		out->note = mem_strdup("no list yet: run mcpctl tools");
	} else {
		add(out, "self.audio_", "", true);
		add(out, "self.get_device_status", "what the board does",
		    false);
		add(out, "self.screen.set_theme", "light or dark 屏幕", false);
		add(out, "self.screen.set_brightness", "0 to 100", false);
		add(out, "tools", "list the tools", false);
	}
}

static void enter(const char *line)
{
	char *news = mem_printf("line %s", line);

	type(line);
	type("\r");
	expect_told(news);
	mem_free(news);
}

static void test_types(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	expect_screen(0, 2, ">");
	type("hello");
	expect_screen(0, 7, "> hello");
	type("\r");
	expect_told("line hello");
	expect_screen(1, 2, "> hello", ">");
	type("\r");
	expect_told("line ");
	type("ab\001x\005y\002\002\004z\r");
	expect_told("line xazy");
	close_terminal();
}

static void test_wide_and_combining(void **state)
{
	(void)state;
	open_terminal(10, 20, plain);
	type("你好世界");
	expect_screen(0, 10, "> 你好世界");
	type("\033[D\033[D中");
	expect_screen(0, 8, "> 你好中世界");
	type("\177\177");
	expect_screen(0, 4, "> 你世界");
	type("\005e\xcc\x81"
	     "x😀");
	expect_screen(0, 12, "> 你世界e\xcc\x81x😀");
	type("\177\177\177");
	expect_screen(0, 8, "> 你世界");
	/* A wide character that does not fit goes to the next row whole. */
	type("一二三四五六七");
	expect_screen(1, 2, "> 你世界一二三四五六", "七");
	type("\r");
	expect_told("line 你世界一二三四五六七");
	close_terminal();
}

/* As over a slow line; what is no character does not hold up the others. */
static void test_character_in_pieces(void **state)
{
	const char *line;

	(void)state;
	open_terminal(10, 40, plain);
	type("\xe4");
	type("\xbd");
	type("\xa0\xf0\x9f");
	type("\x98\x80\r");
	expect_told("line 你😀");
	type("a\xe4");
	type("b\r");
	line = await_told("a line");
	assert_true(text_starts(line, "line a") && strchr(line, 'b'));
	close_terminal();
}

static void test_c_locale_is_utf8_all_the_same(void **state)
{
	static char lang[] = "LANG=C", all[] = "LC_ALL=C";
	char *const env[] = { lang, all, NULL };

	(void)state;
	open_terminal(10, 40, env);
	type("你好\033[Dx\r");
	expect_told("line 你x好");
	expect_screen(1, 2, "> 你x好", ">");
	/* readline sets the locale anew for each line. */
	type("世界\033[D");
	expect_screen(1, 4, "> 你x好", "> 世界");
	tell_child("print 事件");
	expect_screen(2, 4, "> 你x好", "事件", "> 世界");
	close_terminal();
}

static void test_prints_above(void **state)
{
	(void)state;
	open_terminal(10, 20, plain);
	type("half 你好\033[D");
	expect_screen(0, 9, "> half 你好");
	tell_child("print event 1");
	expect_screen(1, 9, "event 1", "> half 你好");
	type("x");
	expect_screen(1, 10, "event 1", "> half 你x好");
	/* over two rows, the cursor in the first of them */
	type("\005 and a good deal more\001");
	expect_screen(1, 2, "event 1", "> half 你x好 and a g", "ood deal more");
	tell_child("print event 2");
	expect_screen(2, 2, "event 1", "event 2", "> half 你x好 and a g",
		      "ood deal more");
	type("\013");
	expect_screen(2, 2, "event 1", "event 2", ">");
	close_terminal();
}

static void test_hide_and_show_nest(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("abc");
	expect_screen(0, 5, "> abc");
	tell_child("hide");
	tell_child("print one");
	expect_screen(1, 0, "one");
	/* Keys wait for the line. */
	type("d");
	tell_child("print two");
	expect_screen(2, 0, "one", "two");
	tell_child("show");
	expect_screen(2, 6, "one", "two", "> abcd");
	tell_child("show"); /* one too many */
	type("e");
	expect_screen(2, 7, "one", "two", "> abcde");
	close_terminal();
}

static void test_survives_a_storm(void **state)
{
	size_t before;

	(void)state;
	open_terminal(6, 40, plain);
	type("abc");
	expect_screen(0, 5, "> abc");
	before = term.seen.len;
	tell_child("storm 20000");
	type("d");
	expect_screen(5, 6, "event 19995", "event 19996", "event 19997",
		      "event 19998", "event 19999", "> abcd");
	/* The line was not drawn for each: 6 bytes and more each time. */
	assert_true(term.seen.len - before < 20000 * 16);
	close_terminal();
}

static void test_prompt_changes(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("abc");
	tell_child("prompt \033[1;32mboard\033[0m> ");
	expect_screen(0, 10, "board> abc");
	type("\033[Dx");
	expect_screen(0, 10, "board> abxc");
	/* A search has a prompt of its own. */
	type("\r");
	expect_told("line abxc");
	type("\022ab");
	expect_row("(reverse-i-search)`ab': abxc");
	tell_child("prompt lost> ");
	type("x");
	expect_row("(reverse-i-search)`abx': abxc");
	type("\005");
	expect_screen(1, 10, "board> abxc", "lost> abxc");
	close_terminal();
}

static void test_stop_keeps_the_line(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("你好 world\033[D\033[D");
	expect_screen(0, 10, "> 你好 world");
	tell_child("stop");
	expect_screen(0, 0, "");
	/* The terminal echoes by itself now; what is typed is not lost. */
	type("q");
	expect_screen(0, 1, "q");
	tell_child("start");
	type("x\r");
	expect_told("line 你好 worqxld");
	close_terminal();
}

static bool is_cooked(void)
{
	struct termios t;

	assert_int_equal(tcgetattr(term.terminal, &t), 0);
	return (t.c_lflag & ICANON) && (t.c_lflag & ECHO) &&
	       (t.c_iflag & ICRNL);
}

static void test_modes_of_the_terminal(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	assert_false(is_cooked());
	tell_child("stop");
	assert_true(is_cooked());
	tell_child("start");
	assert_false(is_cooked());
	/* Whoever else writes to this terminal must not see EAGAIN. */
	tell_child("blocking");
	tell_child("wait");
	enter("x");
	assert_true(is_cooked());
	tell_child("start");
	assert_true(write(term.orders, "quit", 5) > 0);
	expect_told("did quit");
	assert_int_equal(wait_child(), 0);
	expect_told("closed");
	assert_true(is_cooked());
	close(term.terminal);
	buf_done(&term.seen);
	buf_done(&term.told);
}

static void test_results_to_a_file(void **state)
{
	char *path = folder_path("results"), *setting, line[32];
	char *const env[] = { setting = mem_printf("RESULTS=%s", path), NULL };
	FILE *f;

	(void)state;
	open_terminal(10, 40, env);
	type("abc");
	tell_child("print result");
	type("d\r");
	expect_told("line abcd");
	expect_screen(1, 2, "> abcd", ">");
	close_terminal();
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "result\n");
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
	mem_free(setting);
	mem_free(path);
}

/* What is typed is undone by characters, never amid one. */
static void test_undoes_characters(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("一二三四五六七八九十");
	expect_screen(0, 22, "> 一二三四五六七八九十");
	type("\037");
	expect_screen(0, 20, "> 一二三四五六七八九");
	type("\037\037");
	expect_screen(0, 16, "> 一二三四五六七");
	close_terminal();
}

static void test_undoes(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("one two\027\027");
	expect_screen(0, 2, ">");
	type("\037\037");
	expect_screen(0, 9, "> one two");
	close_terminal();
}

static void test_stop_in_a_search_and_in_history(void **state)
{
	(void)state;
	open_terminal(10, 60, plain);
	enter("first");
	enter("second");
	type("\022fir");
	expect_row("(reverse-i-search)`fir': first");
	tell_child("stop");
	tell_child("start");
	type("\005!");
	expect_row("> first!");
	type("\025\033[A\033[AX");
	expect_row("> firstX");
	tell_child("stop");
	tell_child("start");
	type("\r");
	expect_told("line firstX");
	/* The changed line of the history is as it was. */
	type("\033[A\033[A\033[A\r");
	expect_told("line first");
	close_terminal();
}

static void test_ctrl_c_and_ctrl_d(void **state)
{
	(void)state;
	open_terminal(10, 20, plain);
	type("abc def\001");
	expect_screen(0, 2, "> abc def");
	type("\003");
	expect_told("interrupted");
	expect_screen(1, 2, "> abc def^C", ">");
	type("xy\033[D");
	expect_screen(1, 3, "> abc def^C", "> xy");
	type("\004");
	expect_screen(1, 3, "> abc def^C", "> x");
	type("\003");
	expect_told("interrupted");
	type("\022zz");
	type("\003");
	expect_told("interrupted");
	type("still\r");
	expect_told("line still");
	type("\004");
	expect_told("end");
	assert_int_equal(wait_child(), 0);
	expect_told("closed");
	assert_int_equal(term.screen.x, 0);
	close(term.terminal);
	buf_done(&term.seen);
	buf_done(&term.told);
}

static void test_hang_up(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("abc");
	expect_screen(0, 5, "> abc");
	tell_child("print x");
	close(term.terminal);
	/* A hangup kills it, or the end of input ends it. */
	term.terminal = -1;
	wait_child();
	buf_done(&term.seen);
	buf_done(&term.told);
}

static void test_paste(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("call \033[200~{\r  \"a\": 1\r}");
	/* Nothing of it counts before its end is there, and nothing waits. */
	tell_child("print meanwhile");
	expect_screen(1, 7, "meanwhile", "> call");
	type("\033[201~");
	expect_screen(3, 1, "meanwhile", "> call {", "  \"a\": 1", "}");
	tell_child("print event");
	expect_screen(4, 1, "meanwhile", "event", "> call {", "  \"a\": 1",
		      "}");
	type("\r");
	expect_told("line call {\n  \"a\": 1\n}");
	type("\033[A");
	expect_screen(7, 1, "meanwhile", "event", "> call {", "  \"a\": 1", "}",
		      "> call {", "  \"a\": 1", "}");
	type("\r");
	expect_told("line call {\n  \"a\": 1\n}");
	close_terminal();
}

/* It throws away what was typed: whoever waits to read that waits forever. */
static void test_ctrl_c_right_behind_a_key(void **state)
{
	struct termios modes;

	(void)state;
	open_terminal(10, 20, plain);
	assert_int_equal(tcgetattr(term.terminal, &modes), 0);
	assert_int_equal(modes.c_cc[VMIN], 0);
	for (int i = 0; i < 100; i++) {
		type("x");
		type("\003");
		expect_told("interrupted");
	}
	type("still\r");
	expect_told("line still");
	close_terminal();
}

static void test_paste_ends_with_ctrl_c(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("\033[200~never ending");
	tell_child("print x");
	type("\003");
	expect_told("interrupted");
	type("abc\r");
	expect_told("line abc");
	close_terminal();
}

static void test_paste_too_long(void **state)
{
	char *text = mem_alloc(1 << 16);
	int i;

	(void)state;
	memset(text, 'x', 1 << 16);
	open_terminal(10, 60, plain);
	type("a\033[200~");
	for (i = 0; i < 17; i++)
		send_bytes(text, 1 << 16);
	type("\033[201~b");
	expect_screen(1, 4, "a paste of more than 1 MB was dropped", "> ab");
	mem_free(text);
	close_terminal();
}

static void test_continues(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("call {\r");
	expect_screen(1, 4, "> call {", "...");
	tell_child("print event");
	expect_screen(2, 4, "> call {", "event", "...");
	type("1\r");
	expect_screen(3, 4, "> call {", "event", "... 1", "...");
	type("}\r");
	expect_told("line call {\n1\n}");
	/* Ctrl-C drops all of it, Ctrl-D ends it. */
	type("x {\r");
	expect_row("> x {");
	expect_row("...");
	type("\003");
	expect_told("interrupted");
	type("y {\r");
	expect_screen(7, 4, "> call {", "event", "... 1", "... }", "> x {",
		      "... ^C", "> y {", "...");
	type("1\r\004");
	expect_told("line y {\n1");
	/* It is kept while the terminal is another's. */
	type("z {\r2");
	expect_row("... 2");
	tell_child("stop");
	tell_child("start");
	expect_row("... 2");
	type("\r}");
	expect_row("... }");
	type("\r");
	expect_told("line z {\n2\n}");
	close_terminal();
}

static void test_long_line(void **state)
{
	char *text = mem_alloc(2001), *want;
	int i;

	(void)state;
	for (i = 0; i < 2000; i++)
		text[i] = (char)('a' + i % 26);
	text[2000] = '\0';
	open_terminal(30, 80, plain);
	type(text);
	tell_child("print event");
	type("\001X\005Y");
	expect_row("vwxY");
	type("\r");
	want = mem_printf("line X%sY", text);
	expect_told(want);
	type("ok");
	expect_row("> ok");
	mem_free(want);
	mem_free(text);
	close_terminal();
}

static void test_resize(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("0123456789");
	expect_screen(0, 12, "> 0123456789");
	resize(10, 60);
	type("\025012345678901234567890123456789012345678901234567");
	expect_screen(0, 50,
		      "> 012345678901234567890123456789012345678901234567");
	/* Another size while it is hidden, or not editing, counts too. */
	tell_child("hide");
	resize(10, 40);
	/* Orders that come in one turn are obeyed before signals are looked at. */
	tell_child("blocking");
	tell_child("show");
	expect_screen(1, 10, "> 01234567890123456789012345678901234567",
		      "8901234567");
	tell_child("stop");
	resize(10, 30);
	tell_child("start");
	expect_screen(1, 20, "> 0123456789012345678901234567",
		      "89012345678901234567");
	close_terminal();
}

static void test_vi_mode(void **state)
{
	static const char rc[] = "set editing-mode vi\n";
	char *path = folder_write("inputrc", rc, strlen(rc));
	char *setting = mem_printf("INPUTRC=%s", path);
	char *const env[] = { setting, NULL };

	(void)state;
	open_terminal(10, 40, env);
	type("hello world");
	expect_screen(0, 13, "> hello world");
	type("\033");
	/* An ESC that nothing follows is one, and nothing waits for it. */
	expect_screen(0, 12, "> hello world");
	tell_child("print event");
	type("0dwi");
	expect_screen(1, 2, "event", "> world");
	/* An arrow key is no ESC. */
	type("x\033[Cy\r");
	expect_told("line xwyorld");
	/* A paste in command mode is text as well. */
	type("ab\033");
	expect_row("> ab");
	tell_child("print z");
	type("0\033[200~1\r2\033[201~\r");
	expect_told("line 1\n2ab");
	close_terminal();
	mem_free(setting);
	mem_free(path);
}

/* Who wants every ESC to wait for what follows says so with 0. */
static void test_vi_mode_unhurried(void **state)
{
	static const char rc[] = "set editing-mode vi\n"
				 "set keyseq-timeout 0\n";
	char *path = folder_write("inputrc", rc, strlen(rc));
	char *setting = mem_printf("INPUTRC=%s", path);
	char *const env[] = { setting, NULL };

	(void)state;
	open_terminal(10, 40, env);
	type("hello world\0330dw");
	expect_row("> world");
	close_terminal();
	mem_free(setting);
	mem_free(path);
}

static void test_dumb_terminal(void **state)
{
	static char dumb[] = "TERM=dumb";
	char *const env[] = { dumb, NULL };

	(void)state;
	open_terminal(10, 30, env);
	type("abc\002\002");
	expect_screen(0, 3, "> abc");
	tell_child("print event");
	expect_screen(2, 3, "> abc", "event", "> abc");
	type("X\r");
	expect_told("line aXbc");
	assert_null(memchr(buf_string(&term.seen), '\033', term.seen.len));
	type("\003");
	expect_told("interrupted");
	type("tool\t\r");
	expect_told("line tools ");
	close_terminal();
}

static void test_quit_key_does_nothing(void **state)
{
	(void)state;
	open_terminal(10, 40, plain);
	type("ab");
	expect_screen(0, 4, "> ab");
	type("\034");
	type("c\r");
	expect_told("line abc");
	close_terminal();
}

static void test_suspends(void **state)
{
	int status;

	(void)state;
	open_terminal(10, 40, plain);
	type("half");
	expect_screen(0, 6, "> half");
	/* A session of its own cannot be stopped from its terminal. */
	buf_reset(&term.seen);
	type("\032");
	while (!strstr(buf_string(&term.seen), "\033[?2004h"))
		assert_true(listen_for(DEADLINE_MS));
	tell_child("print event");
	expect_screen(1, 6, "event", "> half");
	usleep(300000); /* an end of Ctrl-Z might still be to come */
	kill(term.pid, SIGSTOP);
	assert_int_equal(waitpid(term.pid, &status, WUNTRACED), term.pid);
	assert_true(WIFSTOPPED(status));
	screen_write(&term.screen, "\r\n", 2);
	kill(term.pid, SIGCONT);
	expect_screen(2, 6, "event", "> half", "> half");
	type("!\r");
	expect_told("line half!");
	close_terminal();
}

static void test_history(void **state)
{
	char *path = folder_path("history"), *setting;
	char *const env[] = { setting = mem_printf("HISTORY=%s", path), NULL };
	struct stat st;
	FILE *f;
	int i, c;

	(void)state;
	open_terminal(10, 40, env);
	enter("one");
	enter("one");
	enter(" hidden");
	enter("back\\slash\\n");
	type("\033[200~two\rlines\033[201~\r");
	expect_told("line two\nlines");
	enter("!! !one"); /* nothing is expanded */
	close_terminal();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	open_terminal(10, 40, env);
	type("\033[A\033[A\r");
	expect_told("line two\nlines");
	type("\033[A\033[A\033[A\033[A\r");
	expect_told("line back\\slash\\n");
	type("\022on\022\r");
	expect_told("line one");
	close_terminal();
	/* Readable to others, and too long. */
	f = fopen(path, "w");
	assert_non_null(f);
	for (i = 0; i < 2500; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	chmod(path, 0644);
	open_terminal(10, 40, env);
	type("\033[A\r");
	expect_told("line line 2499");
	enter("last");
	type("\033<\r");
	expect_told("line line 501");
	close_terminal();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	f = fopen(path, "r");
	assert_non_null(f);
	i = 0;
	while ((c = getc(f)) != EOF)
		i += c == '\n';
	fclose(f);
	assert_int_equal(i, 2000);
	mem_free(setting);
	mem_free(path);
}

static void test_completes(void **state)
{
	(void)state;
	open_terminal(12, 60, plain);
	type("t\t");
	expect_screen(0, 8, "> tools");
	type("self.sc\t");
	expect_screen(0, 24, "> tools self.screen.set_");
	type("\t\t");
	expect_screen(2, 24, "self.screen.set_theme       light or dark 屏幕",
		      "self.screen.set_brightness  0 to 100",
		      "> tools self.screen.set_");
	type("th\t|\r");
	expect_told("line tools self.screen.set_theme |");
	/* More follows: no space. */
	type("self.a\t|\r");
	expect_told("line self.audio_|");
	type("xyz\t|\r");
	expect_told("line xyz|");
	close_terminal();
}

static void test_completes_in_quotes(void **state)
{
	(void)state;
	open_terminal(12, 60, plain);
	type("odd d\t");
	/* More may follow, or nothing: no quote is left open. */
	expect_row("> odd desk\\ l");
	type("am\t|\r");
	expect_told("line odd desk\\ lamp |");
	type("odd 'd\t");
	expect_row("> odd 'desk l");
	type("am\t|\r");
	expect_told("line odd 'desk lamp' |");
	type("odd \"desk li\t|\r");
	expect_told("line odd \"desk light\" |");
	type("odd desk\\ la\t|\r");
	expect_told("line odd desk\\ lamp |");
	type("odd it\t|\r");
	expect_told("line odd 'it'\\''s \"$5\"' |");
	type("odd \"it\t|\r");
	expect_told("line odd \"it's \\\"\\$5\\\"\" |");
	type("odd 客\t|\r");
	expect_told("line odd '客厅 灯' |");
	/* The quote's end is there already. */
	type("odd 'desk la'\002\t\005|\r");
	expect_told("line odd 'desk lamp'|");
	close_terminal();
}

static void test_completes_files(void **state)
{
	char *file = folder_write("a picture.png", "x", 1), *where;

	(void)state;
	mem_free(folder_write("secret\033name", "x", 1));
	where = mem_printf("HOME=%s", folder);
	char *const env[] = { where, NULL };
	char *want = mem_printf("line file 'icon=@%s' |", file);
	char *keys = mem_printf("file icon=@%s/a\t|\r", folder);

	open_terminal(12, 100, env);
	type(keys);
	expect_told(want);
	type("file icon=@~/a\t|\r");
	expect_told(want);
	mem_free(want);
	want = mem_printf("line file %s|", folder);
	type("file ");
	send_bytes(folder, strlen(folder) - 1);
	type("\t\b|\r");
	expect_told(want);
	close_terminal();
	mem_free(where);
	mem_free(want);
	mem_free(keys);
	mem_free(file);
}

static void test_shows_what_is_missing(void **state)
{
	(void)state;
	open_terminal(12, 60, plain);
	type("call set \t");
	expect_screen(1, 11, "volume=<0..100>  how loud", "> call set");
	type("\025none\t");
	expect_screen(2, 6, "volume=<0..100>  how loud",
		      "no list yet: run mcpctl tools", "> none");
	assert_null(memchr(buf_string(&term.seen), '\a', term.seen.len));
	type("\025abc\t");
	while (!memchr(buf_string(&term.seen), '\a', term.seen.len))
		listen_for(100);
	close_terminal();
}

static void test_long_lists(void **state)
{
	(void)state;
	open_terminal(6, 40, plain);
	type("many \t\t\t");
	expect_row("Display all 150 possibilities? (y or n)");
	tell_child("print event");
	expect_row("Display all 150 possibilities? (y or n)");
	expect_row("event");
	type("n");
	expect_screen(1, 16, "event", "> many candidate");
	type("\t");
	expect_row("Display all 150 possibilities? (y or n)");
	type("y");
	expect_row("--More--");
	expect_row("candidate000  candidate075");
	type("\r");
	expect_row("candidate005  candidate080");
	tell_child("print event");
	expect_row("--More--");
	type(" ");
	expect_row("candidate010  candidate085");
	type("q1\r");
	expect_told("line many candidate1");
	/* Ctrl-C drops question and line. */
	type("many \t\t\t");
	expect_row("Display all 150 possibilities? (y or n)");
	type("\003");
	expect_told("interrupted");
	type("x\r");
	expect_told("line x");
	close_terminal();
}

static void test_no_terminal(void **state)
{
	struct error err = { 0 };
	const struct edit_table *edit = module_table("shell", EDIT_TABLE, &err);
	struct loop *loop;
	int in = dup(0);

	(void)state;
	assert_non_null(edit);
	assert_int_equal(loop_new(&loop, &err), 0);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	assert_int_equal(edit->open(loop, NULL, NULL, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	edit->hide();
	edit->show();
	edit->stop();
	edit->close();
	dup2(in, 0);
	loop_free(loop);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_wide_and_combining),
		cmocka_unit_test(test_character_in_pieces),
		cmocka_unit_test(test_c_locale_is_utf8_all_the_same),
		cmocka_unit_test(test_prints_above),
		cmocka_unit_test(test_hide_and_show_nest),
		cmocka_unit_test(test_survives_a_storm),
		cmocka_unit_test(test_prompt_changes),
		cmocka_unit_test(test_stop_keeps_the_line),
		cmocka_unit_test(test_modes_of_the_terminal),
		cmocka_unit_test(test_results_to_a_file),
		cmocka_unit_test(test_undoes),
		cmocka_unit_test(test_undoes_characters),
		cmocka_unit_test(test_stop_in_a_search_and_in_history),
		cmocka_unit_test(test_ctrl_c_and_ctrl_d),
		cmocka_unit_test(test_ctrl_c_right_behind_a_key),
		cmocka_unit_test(test_hang_up),
		cmocka_unit_test(test_paste),
		cmocka_unit_test(test_paste_ends_with_ctrl_c),
		cmocka_unit_test(test_paste_too_long),
		cmocka_unit_test(test_continues),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_vi_mode),
		cmocka_unit_test(test_vi_mode_unhurried),
		cmocka_unit_test(test_dumb_terminal),
		cmocka_unit_test(test_quit_key_does_nothing),
		cmocka_unit_test(test_suspends),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_completes),
		cmocka_unit_test(test_completes_in_quotes),
		cmocka_unit_test(test_completes_files),
		cmocka_unit_test(test_shows_what_is_missing),
		cmocka_unit_test(test_long_lists),
		cmocka_unit_test(test_no_terminal),
	};

	if (argc > 1 && strcmp(argv[1], "--child") == 0)
		return child_main();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
