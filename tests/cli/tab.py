#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Type TEXT and TAB into a real shell with the completion, as a person does:
tab.py bash|zsh FILE TEXT. Prints the line that stands there then, and below it
what the terminal showed. FILE: the script; zsh also takes a folder, which its
compinit loads it from."""
import fcntl
import os
import pty
import re
import select
import shlex
import struct
import sys
import tempfile
import termios
import time

ZSH = """
PS1='ready> ' LISTMAX=9999
{load}
TRAPUSR1() {{ : }}
tab() {{ zle expand-or-complete; zle -R; print -r -- "$BUFFER" >{out}.now }}
line() {{ print -r -- "$BUFFER" >{out}.now; mv {out}.now {out} }}
zle -N tab
zle -N line
bindkey -e
bindkey '^I' tab '^X^L' line
"""
ZSH_LOAD = "autoload -Uz compinit && compinit -u -D\n"
BASH = """
PS1='ready> '
source {file}
bind 'set show-all-if-ambiguous on' 'set page-completions off'
bind 'set completion-query-items 0' 'set bell-style none'
line() {{ printf '%s\\n' "$READLINE_LINE" >{out}.now; mv {out}.now {out}; }}
bind -x '"\\C-x\\C-l": line'
"""


def setup(shell, path, work):
    out, file = shlex.quote(os.path.join(work, "line")), shlex.quote(path)
    if shell == "bash":
        rc = os.path.join(work, "rc")
        with open(rc, "w") as f:
            f.write(BASH.format(file=file, out=out))
        return ["bash", "--noprofile", "--rcfile", rc, "-i"]
    load = ZSH_LOAD + f"source {file}"
    if os.path.isdir(path):
        load = f"fpath=({file} $fpath)\n" + ZSH_LOAD
    with open(os.path.join(work, ".zshrc"), "w") as f:
        f.write(ZSH.format(load=load, out=out))
    # As zsh -f, but with a file to begin with.
    return ["zsh", "-d", "-i"]


class Terminal:
    def __init__(self, argv, work):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(ZDOTDIR=work, TERM="xterm", INPUTRC="/dev/null")
            os.environ.pop("COLUMNS", None)
            os.execvp(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", 60, 200, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.fd, 65536)
        except OSError:
            sys.exit("tab.py: the shell ended:\n" + self.seen.decode())
        return True

    def wait(self, what, done):
        end = time.monotonic() + 60
        while not done():
            if time.monotonic() > end:
                sys.exit(f"tab.py: no {what} in:\n" + self.seen.decode())
            self.read(0.05)

    def quiet(self):
        while self.read(0.3):
            pass

    def type(self, text):
        os.write(self.fd, text.encode())


def main():
    shell, path, text = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        t = Terminal(setup(shell, path, work), work)
        out = os.path.join(work, "line")
        t.wait("prompt", lambda: b"ready> " in t.seen)
        t.quiet()
        t.type(text)
        t.quiet()
        begin = len(t.seen)
        t.type("\t")
        if shell == "zsh":
            t.wait("completion", lambda: os.path.exists(out + ".now"))
            t.quiet()
        # bash takes keys in their order: the line is told when TAB has ended.
        t.type("\x18\x0c")
        t.wait("line", lambda: os.path.exists(out))
        t.quiet()
        shown = t.seen[begin:]
        with open(out) as f:
            print(f.read(), end="")
        shown = re.sub(rb"\x1b(\[[0-?]*[ -/]*[@-~]|[=>])", b"", shown)
        print(shown.replace(b"\r", b"").decode())
        os.close(t.fd)
        os.waitpid(t.pid, 0)


main()
