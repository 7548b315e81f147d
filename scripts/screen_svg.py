#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A screen of a terminal as SVG: screen_svg.py COLUMNS TITLE <SCREEN >FILE.svg

SCREEN is what `tmux capture-pane -e -p` prints. Text stays text; colours are the
sixteen of a terminal.
"""
import html, re, sys, unicodedata

WIDTH, HEIGHT, PAD = 8.4, 18, 14
COLOURS = ["#2e3440", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d0d4dc",
           "#7f8794", "#ff8a92", "#b5e08f", "#ffd88f", "#85c7ff", "#df9bf0", "#7fd6e0", "#ffffff"]
FORE, BACK = "#d0d4dc", "#1e222a"


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def style_after(style, codes):
    style, codes = dict(style), [int(c or 0) for c in codes.split(";")]
    while codes:
        c = codes.pop(0)
        if c == 0:
            style = {}
        elif c in (1, 2, 7):
            style[{1: "bold", 2: "dim", 7: "reverse"}[c]] = True
        elif 30 <= c <= 37 or 90 <= c <= 97:
            style["fore"] = COLOURS[c - 30 if c < 90 else c - 82]
        elif c in (38, 48) and codes[:1] == [5]:
            if c == 38 and codes[1] < 16:
                style["fore"] = COLOURS[codes[1]]
            codes = codes[2:]
        elif c == 39:
            style.pop("fore", None)
        elif c == 22:
            style.pop("bold", None), style.pop("dim", None)
        elif c == 27:
            style.pop("reverse", None)
    return style


def piece(x, y, text, style):
    fore, back = style.get("fore", FORE), None
    if style.get("reverse"):
        fore, back = BACK, fore
    at, wide = PAD + x * WIDTH, columns(text) * WIDTH
    if back:
        yield f'<rect x="{at:.1f}" y="{y - 13.5:.1f}" width="{wide:.1f}" height="{HEIGHT}" fill="{back}"/>'
    more = ' font-weight="bold"' if style.get("bold") else ' opacity=".6"' if style.get("dim") else ""
    # Blanks are places: what shows the picture may make one of many.
    for word in re.finditer(r"\S+(?: \S+)*", text):
        at, wide = PAD + (x + columns(text[:word.start()])) * WIDTH, columns(word.group()) * WIDTH
        yield (f'<text x="{at:.1f}" y="{y:.1f}" fill="{fore}" textLength="{wide:.1f}"{more}>'
               f"{html.escape(word.group())}</text>")


def main():
    wide, title = int(sys.argv[1]), sys.argv[2]
    lines = sys.stdin.read().rstrip("\n").split("\n")
    size = (wide * WIDTH + 2 * PAD, len(lines) * HEIGHT + 2 * PAD)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" width="{size[0]:.0f}">'
          f"<title>{html.escape(title)}</title>"
          f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>'
          '<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14">')
    style = {}
    for row, line in enumerate(lines):
        x = 0
        for part in re.split(r"(\x1b\[[0-9;]*m|\x1b[()].|\x0f)", line):
            codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
            if codes:
                style = style_after(style, codes.group(1))
            elif part and part[0] not in "\x1b\x0f":
                print("\n".join(piece(x, PAD + 13 + row * HEIGHT, part, style)))
                x += columns(part)
    print("</g></svg>")


main()
