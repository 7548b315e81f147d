#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scripts that watch over the layout of the sources find what they look for,
# and what judges a long run does.
# shellcheck disable=SC2016 # backquotes of Markdown

load helper

# tree: an empty one.
tree() {
	mkdir -p tree/src/one tree/src/two tree/scripts tree/build/one tree/build/two
	echo 'int main(void) { return 0; }' >tree/src/main.c
	echo 'extern int z;' >tree/src/one/z.h
	: >tree/README.md
}

# found SCRIPT WORD…: it fails on that tree, with these words.
found() {
	local script=$1
	shift
	run "$ROOT/scripts/$script" tree
	[ "$status" = 1 ]
	[ "$output" = "$script: $*" ]
}

@test "a struct, a file, a command that has another's name" {
	tree
	"$ROOT/scripts/check-names" tree
	printf 'struct board {\n\tint a;\n};\n' >tree/src/one/a.h
	cp tree/src/one/a.h tree/src/two/b.h
	found check-names 'name "struct board" is in src/one/a.h and in src/two/b.h'
	echo 'int b;' >tree/src/two/b.h
	echo 'int b;' >tree/src/two/b.c
	"$ROOT/scripts/check-names" tree
	echo 'int c;' >tree/src/one/b.c
	run "$ROOT/scripts/check-names" tree
	[ "$status" = 1 ]
	[[ $output == *'file name "b" is in '* ]]
	rm tree/src/one/b.c
	printf 'const struct command cmd_%s = {\n\t.name = "%s",\n};\n' x x >tree/src/one/cmd_x.c
	printf 'static const char *const y_aliases[] = { "z", "x", NULL };\n' >tree/src/one/cmd_y.c
	found check-names 'command "x" is in src/one/cmd_x.c and in src/one/cmd_y.c'
}

@test "a function that a header of another name declares" {
	tree
	printf 'int a(void);\nstruct a *a_new(\n\tint b);\n' >tree/src/one/a.h
	printf 'int a(void)\n{\n\treturn b(1);\n}\nstatic int b(int c)\n{\n}\n' >tree/src/one/a.c
	printf '/* int a(void); */\nint b(int c);\n' >tree/src/two/b.h
	"$ROOT/scripts/check-homes" tree
	cp tree/src/one/a.h tree/src/one/c.h
	"$ROOT/scripts/check-homes" tree
	printf 'struct a *a_new(int b)\n{\n}\n' >tree/src/one/c.c
	rm tree/src/one/c.h
	found check-homes "src/one/a.h:2: 'a_new' is of src/one/c.c"
	mv tree/src/one/a.h tree/src/one/a_private.h
	"$ROOT/scripts/check-homes" tree
}

@test "an include that goes up, a folder of no layer, MCP in rpc" {
	mkdir -p tree/src/rpc tree/src/mcp
	printf '#include "wire/jsonrpc.h"\nint its_self;\n' >tree/src/rpc/a.c
	printf 'const char *m = "ping";\n' >tree/src/mcp/b.h
	"$ROOT/scripts/check-layers" tree
	echo '#include "mcp/b.h"' >tree/src/rpc/a.c
	found check-layers "src/rpc/a.c includes from 'mcp', which is above 'rpc'"
	for said in '"ping"' '"notifications/progress"' '"tools/call x"' 'a self.reboot' 'of 2025-03-26'; do
		printf '\n/* %s */\n' "$said" >tree/src/rpc/a.c
		found check-layers 'src/rpc/a.c:2: rpc knows no MCP; session_rules says what it must'
	done
	mkdir tree/src/one
	: >tree/src/rpc/a.c
	: >tree/src/one/c.c
	found check-layers "src/one/c.c: folder 'one' is in no layer"
}

@test "a message in two literals, a comparison by negation" {
	tree
	printf 'int a =\n\tf("a line\\n"\n\t  "one. "\n\t  "two");\n' >tree/src/one/a.c
	"$ROOT/scripts/check-dialect" tree
	printf 'int a =\n\tf("one "\n\t  "two");\n' >tree/src/one/a.c
	found check-dialect 'src/one/a.c:3: a message goes on in another literal'
	printf 'int a =\n\t!strcmp(b, c);\n' >tree/src/one/a.c
	found check-dialect 'src/one/a.c:2: compare with == 0, not with !'
}

@test "files that use one another in a circle; an allowance that is not needed" {
	local file
	tree
	echo 'int b(void); int a(void); int a(void) { return b(); }' >tree/src/one/a.c
	echo 'int b(void); int b(void) { return 1; }' >tree/src/one/b.c
	for file in a b; do cc -c -o tree/build/one/$file.o tree/src/one/$file.c; done
	"$ROOT/scripts/check-cycles" tree
	echo 'one: a b' >tree/scripts/cycles
	found check-cycles 'scripts/cycles says more than there is: one: a b'
	echo 'int a(void); int b(void); int b(void) { return a(); }' >tree/src/one/b.c
	cc -c -o tree/build/one/b.o tree/src/one/b.c
	"$ROOT/scripts/check-cycles" tree
	rm tree/scripts/cycles
	found check-cycles 'these use one another in a circle: one: a b'
	rm tree/build/one/b.o
	run "$ROOT/scripts/check-cycles" tree
	[ "$status" = 1 ]
	[[ $output == *'src/one/b.c is not built'* ]]
}

# wrong FILE TEXT WORD…: with that text in that file it fails, with these words;
# the file is as before afterwards.
wrong() {
	local file=tree/$1
	cp "$file" kept
	printf '%s\n' "$2" >>"$file"
	shift 2
	found check-citations "$*"
	mv kept "$file"
}

@test "a citation of a document, a section, a file, a function that is not there" {
	tree
	mkdir -p tree/doc/protocol tree/bench tree/tests/cli
	printf -- '- `%s`: x.\n' main one/z >tree/doc/hacking.md
	printf '# %s\n' Device '1. First' '1.1 Second (of two)' >tree/doc/protocol/device.md
	printf '1. one\n2. two\n' >>tree/doc/protocol/device.md
	printf '# MCP\n### 2025-06-18\n' >tree/doc/protocol/mcp.md
	# What is right.
	cat >tree/src/one/a.c <<-'END'
		/* device.md 1.1, 1; device.md 1 to 1.1: of a list device.md 1.1 item 2 (device.md
		 * 1.1); mcp.md, mcp.md 2025-06-18: x; one/z, one/z.h, z.h; RFC 1, section 4
		 * https://x.example/other.md 7 */
		int a(int i) { return i /* <sys/b.h> */; }
		const char *text = "no.c (1.5) section 9";
	END
	echo '- `one/a`: `main()` [x](protocol/device.md#11-second-of-two), section 9' >>tree/doc/hacking.md
	"$ROOT/scripts/check-citations" tree
	wrong src/one/a.c "/* modern.md */" "src/one/a.c:6: there is no modern.md"
	wrong src/one/a.c "/* oauth.md 2 */" "src/one/a.c:6: there is no oauth.md"
	wrong README.md "see doc/house.md" "README.md:1: there is no doc/house.md"
	wrong src/one/a.c '/* device.md 1.2 */' 'src/one/a.c:6: doc/protocol/device.md has no 1.2'
	wrong src/one/a.c '/* device.md 1, 1.1, 7 */' 'src/one/a.c:6: doc/protocol/device.md has no 7'
	wrong src/one/a.c '/* device.md 1.1 item 3 */' 'src/one/a.c:6: doc/protocol/device.md has no 1.1 item 3'
	wrong src/one/a.c $'/*\n * device.md\n * 3.9\n */' 'src/one/a.c:7: doc/protocol/device.md has no 3.9'
	wrong src/one/a.c '/* mcp.md 2024-11-05 */' 'src/one/a.c:6: doc/protocol/mcp.md has no 2024-11-05'
	wrong src/one/a.c "/* device.md, 1.1 */" "src/one/a.c:6: write a section as \"device.md 1.2\""
	wrong src/one/a.c "/* device.md section 1 */" "src/one/a.c:6: write a section as \"device.md 1.2\""
	wrong src/one/a.c '/* as it is (1.1) */' 'src/one/a.c:6: (1.1): of which document?'
	wrong src/one/a.c '/* section 1.1 */' 'src/one/a.c:6: section 1.1: of which document?'
	wrong doc/protocol/device.md 'section 4' 'doc/protocol/device.md:6: doc/protocol/device.md has no 4'
	wrong doc/protocol/device.md '(1.7)' 'doc/protocol/device.md:6: doc/protocol/device.md has no 1.7'
	wrong doc/hacking.md '[x](absent)' 'doc/hacking.md:4: there is no absent'
	wrong doc/hacking.md '[x](protocol/device.md#third)' 'doc/hacking.md:4: doc/protocol/device.md has no #third'
}

@test "a file that a comment names and that is not there; the map of files" {
	tree
	mkdir -p tree/doc
	echo 'int y;' >tree/src/one/y.h
	printf -- '- `%s`: x.\n' main one/z one/y >tree/doc/hacking.md
	"$ROOT/scripts/check-citations" tree
	wrong src/one/y.h '/* see gone.c */' 'src/one/y.h:2: there is no gone.c'
	wrong src/one/y.h '/* see one/gone.h */' 'src/one/y.h:2: there is no one/gone.h'
	wrong src/one/y.h "/* one/gone's matter */" 'src/one/y.h:2: there is no one/gone'
	wrong doc/hacking.md 'in `one/gone`' 'doc/hacking.md:4: there is no one/gone'
	wrong doc/hacking.md '`gone()`' 'doc/hacking.md:4: there is no gone()'
	wrong doc/hacking.md '- `one/y`: again' 'doc/hacking.md has two lines for one/y'
	wrong doc/hacking.md '- `one/gone`: x' 'doc/hacking.md:4: there is no one/gone'
	echo 'int x;' >tree/src/one/x.c
	found check-citations 'doc/hacking.md has no line for one/x'
}

@test "make mutants: a fault that a test sees, one that none does, and nothing is left" {
	mkdir -p tree/src/one tree/tests/unit
	cat >tree/Makefile <<-'END'
		BUILD = build
		all: $(BUILD)/one/a.o
		unit: all $(BUILD)/test_a
		$(BUILD)/one/a.o: src/one/a.c; mkdir -p $(@D); $(CC) $(CPPFLAGS) $(CFLAGS) $(if $(SANITIZE),-Werror -Wextra-semi-stmt) -c -o $@ $<
		$(BUILD)/test_a: tests/unit/test_a.c $(BUILD)/one/a.o; $(CC) $(LDFLAGS) -o $@ $^
	END
	# (A here-document has no tabs in front.)
	sed 's/^>/\t/' >tree/src/one/a.c <<-'END'
		int limit(int n);
		int asked;
		int limit(int n)
		{
		>asked++;
			return n < 3 && n != 5;
		}
	END
	# A number of each side; the border itself is not looked at, nor how often.
	echo 'int limit(int n); int main(void) { return !limit(2) || limit(4); }' \
		>tree/tests/unit/test_a.c
	PLANT=src/one/a.c:6:logic,src/one/a.c:6:bound,src/one/a.c:5:drop SEED=1 JOBS=1 \
		"$ROOT/scripts/mutants" tree >out
	grep -q '^ *1  src/one/a.c:6:logic  caught by test_a.c$' out
	for fault in '2  src/one/a.c:6:bound' '3  src/one/a.c:5:drop'; do
		grep -q "^ *$fault  PASSES 1, with sanitizers 1, of 1 tests that execute the line\$" out
	done
	grep -qF -e '-return n < 3 && n != 5;' out
	grep -qF -e '+return n <= 3 && n != 5;' out
	[ "$(tail -n 1 out)" = 'caught 1 of 3 (33 %), SEED=1' ]
	[ "$(find . -name 'mutants-*')" = '' ]
	[ "$(cd tree/build/mutants && echo *)" = "$(cd tree/build/mutants && echo cover-*)" ]
	# It ends when nothing is left to be drawn.
	PART=src/one N=50 SEED=1 JOBS=1 "$ROOT/scripts/mutants" tree >out
	grep -qE '^caught [01] of 2 \(' out
	export PART=src/two
	run "$ROOT/scripts/mutants" tree
	[ "$status" = 1 ]
	[[ $output == *'mutants: nothing in src/two that compiles to other code' ]]
}

# grow NAME%N…: which of the series, made larger by N % a round, are said to grow.
grow() {
	PYTHONPATH="$ROOT/tests/soak" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$@" <<-'END'
		import sys
		import steady
		# kB of serve with 10,000 boards there, and when they are gone, of two runs.
		series = {
		    "there": [136528, 133008, 134344, 146676, 135944, 148080, 137804, 151380, 144720, 149760,
		              149084, 135992, 145176, 157360, 149972, 155236, 140688, 145796, 139272, 147888],
		    "gone": [18904, 19016, 19144, 22512, 22596, 23324, 22760, 22836, 22576, 23012,
		             23076, 23560, 28656, 23004, 23092, 22872, 22916, 23048, 22700, 23172],
		    "later": [145416, 148732, 137584, 149092, 154196, 147544, 144624, 143420, 154268, 153988,
		              150380, 150840, 154676, 154844, 149988, 153624, 156620, 147108, 158664, 149692],
		    "left": [26628, 20812, 21512, 21096, 21452, 21388, 21696, 21604, 21536, 21084,
		              21276, 21516, 21332, 21648, 20916, 21024, 21368, 21536, 22052, 21112],
		    "even": [140000] * 20,
		    "learns": [20000, 80000, 100000, 120000, 130000] + [140000] * 15,
		    "few": [140000] * 19,
		}
		for wanted in sys.argv[1:]:
		    name, percent = wanted.split("%")
		    rounds = [kb * (1 + float(percent) / 100) ** i for i, kb in enumerate(series[name])]
		    if steady.grows(rounds):
		        print(wanted)
	END
}

@test "memory that swings does not grow, what grows by 1 % a round is seen" {
	[ "$(grow there%0 gone%0 later%0 left%0 even%0 learns%0 there%-1 gone%-1)" = '' ]
	[ "$(grow there%1 gone%1 later%1 left%1 even%1 learns%1)" = $'there%1\ngone%1\nlater%1\nleft%1\neven%1\nlearns%1' ]
	[ "$(grow even%0.4 even%0.6)" = even%0.6 ]
	# Too few rounds show nothing.
	[ "$(grow few%5)" = '' ]
}

@test "each loaded part says of which packages its libraries are" {
	local part parts
	parts=$(make -s -C "$ROOT" -f - show <<<$'include Makefile\nshow: ; @echo $(MODULES)')
	[[ $parts == 'ws front '* ]]
	for part in $parts; do
		grep "{ \"$part\", " "$ROOT/src/base/module.c"
	done
}
