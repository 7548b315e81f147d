#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scripts that watch over the layout of the sources find what they look for.

load helper

# tree: an empty one.
tree() {
	mkdir -p tree/src/one tree/src/two tree/scripts tree/build/one tree/build/two
	echo 'int main(void) { return 0; }' >tree/src/main.c
	echo 'extern int z;' >tree/src/one/z.h
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
