#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What documents show: documents.py shown|commands|block WORDS FILE...

shown: each "$ COMMAND" of an indented block is run in a terminal of 80 columns,
and must print the lines that stand below it; "..." stands for any lines.
Prints how many were run.
commands: each mcpctl command line of an indented block, one a line: continued
lines as one, without what follows it (a pipe, a comment).
block WORDS: the first indented block that has a line with these WORDS.
"""
import os
import pty
import re
import subprocess
import sys


def blocks(file):
    """Lists of lines, without what indents them."""
    block = []
    for line in [*open(file, encoding="utf-8"), "end\n"]:
        if line.startswith("    "):
            block.append(line[4:].rstrip("\n"))
        elif line.strip() or not block:
            if block:
                yield "\n".join(block).rstrip("\n").split("\n")
            block = []
        else:
            block.append("")


def run(command):
    """What it prints in a terminal."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(NO_COLOR="1", COLUMNS="80")
        os.execvp("bash", ["bash", "-c", "stty cols 80 rows 24; " + command])
    said = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the terminal's other side is closed
            break
        if not piece:
            break
        said += piece
    os.waitpid(pid, 0)
    # Colours of other programs.
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said.decode().replace("\r", ""))
    return plain.rstrip("\n").split("\n")


def fits(lines, shown):
    if not shown:
        return not lines
    if shown[0] == "...":
        return any(fits(lines[n:], shown[1:]) for n in range(len(lines) + 1))
    return bool(lines) and lines[0] == shown[0] and fits(lines[1:], shown[1:])


def check_shown(files):
    count, failed = 0, False
    for file in files:
        for block in blocks(file):
            if not block[0].startswith("$ "):
                continue
            for part in re.split(r"^\$ ", "\n".join(block), flags=re.M)[1:]:
                command, *shown = part.rstrip("\n").split("\n")
                said = run(command)
                count += 1
                if not fits(said, shown):
                    print(f"{file}: $ {command}\nprints:", *said, sep="\n", file=sys.stderr)
                    failed = True
    print(count)
    return failed


def commands(files):
    for file in files:
        for block in blocks(file):
            # Continued by a backslash, or folded as in YAML.
            text = re.sub(r" *\\\n *|\n +(?=--)", " ", "\n".join(block))
            for line in text.split("\n"):
                if line := re.match(r" *(?:\$ )?(mcpctl(?: '[^']*'| [^\s#|&'][^\s']*(?:'[^']*')?)*)", line):
                    print(line[1])


def block_with(words, files):
    for file in files:
        for block in blocks(file):
            if any(words in line for line in block):
                print("\n".join(block))
                return False
    return True


what, *files = sys.argv[1:]
sys.exit({"shown": check_shown, "commands": commands,
          "block": lambda rest: block_with(rest[0], rest[1:])}[what](files))
