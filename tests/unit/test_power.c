/* SPDX-License-Identifier: MIT */
/* --power-cmd: its words stay words, whatever is put into them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/power.h"

#define EVIL "a'b\"c $(touch gone);`touch gone` *"

static void is_text(const char *command, const char *text)
{
	CLEANUP(mem_free_ptr) char *made = NULL;

	assert_int_equal(power_text(&made, command, NULL), 0);
	assert_string_equal(made, text);
}

static void places_are_arguments(void **state)
{
	(void)state;
	is_text("rack {device}", "exec rack \"$1\" \"$3\"");
	is_text("rack --port={alias} {action}",
		"exec rack --port=\"$2\" \"$3\"");
	is_text("rack '{device}' x", "exec rack \"$1\" x \"$3\"");
	is_text("rack {device}{alias}", "exec rack \"$1\"\"$2\" \"$3\"");
	is_text("rack '' a\\;b {device}", "exec rack '' 'a;b' \"$1\" \"$3\"");
	is_text("rack {devices} {device}",
		"exec rack '{devices}' \"$1\" \"$3\"");
}

static void is_refused(const char *command, const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 };
	char *made;

	assert_int_equal(power_text(&made, command, &err), -1);
	assert_null(made);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, why));
}

static void what_names_no_board(void **state)
{
	(void)state;
	is_refused("", "does not say which board");
	is_refused("rack on", "does not say which board");
	is_refused("rack {action}", "does not say which board");
	is_refused("rack '{device}", "quote");
}

/* By sh itself: each argument as it was. */
static void a_shell_reads_nothing_of_it(void **state)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	char said[256] = "";
	int out[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(
		power_text(&text,
			   "printf '%s|' '$HOME' x={device} {alias} {action}",
			   NULL),
		0);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", text, "sh", EVIL, "-n", "off",
		      (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	assert_true(read(out[0], said, sizeof(said) - 1) > 0);
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(said, "$HOME|x=" EVIL "|-n|off|");
	assert_int_equal(access("gone", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_arguments),
		cmocka_unit_test(what_names_no_board),
		cmocka_unit_test(a_shell_reads_nothing_of_it),
	};

	return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
