# SPDX-License-Identifier: MIT
"""What may be done to a source in C: small faults, for scripts/mutants."""
import re


def masked(text):
    """The same text with comments, strings and # lines blank."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                  r'|^[ \t]*#(?:\\\n|[^\n])*',
                  lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S | re.M)


def closing(code, start):
    depth = 0
    for i in range(start, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if depth == 0:
            return i
    return len(code)


def other_number(word, rng):
    n = int(word)
    if n < 0:
        return '0'  # a failure that is none
    return str(rng.choice([n * 2, n // 2] if n >= 100 else [n + 1] + [n - 1] * (n > 0)))


SWAPS = {' < ': ' <= ', ' <= ': ' < ', ' > ': ' >= ', ' >= ': ' > ', ' + 1': '', ' - 1': '',
         ' == ': ' != ', ' != ': ' == ', ' && ': ' || ', ' || ': ' && '}
# In place of a statement. (clang takes no semicolon alone.)
NOTHING = '{}'
# A statement that begins its line: a call, or an assignment without a type.
STATEMENT = (r'^\t+((?!return\b|if\b|while\b|for\b|switch\b)(?:\(void\))?[a-z_][\w.>\[\]-]*'
             r'(?:\(| [-+|&]?= |\+\+(?=;)|--(?=;))[^;{}]*;?)')


def candidates(text, rng):
    """(kind, start, end, new text): all that may be done to this source."""
    code = masked(text)
    for m in re.finditer(r'\b(?:if|while) \(', code):
        end = closing(code, m.end() - 1)
        yield 'negate', m.end(), end, '!(' + text[m.end():end] + ')'
    for m in re.finditer(r' (?:[<>]=?|[=!]=|&&|\|\|) | [-+] 1\b', code):
        kind = {'=': 'equal', '!': 'equal', '&': 'logic', '|': 'logic'}.get(m.group()[1], 'bound')
        yield kind, m.start(), m.end(), SWAPS[m.group()]
    for m in re.finditer(r'(?:(?<=return )-|(?<![\w.\[-]))\d+(?![\w.])', code):
        yield 'constant', m.start(), m.end(), other_number(m.group(), rng)
    for m in re.finditer(r'\b(true|false)\b', code):
        yield 'constant', m.start(), m.end(), 'false' if m.group() == 'true' else 'true'
    for m in re.finditer(STATEMENT, code, re.M):
        if m.group(1).endswith(';'):
            yield 'drop', m.start(1), m.end(1), NOTHING + '\n' * m.group(1).count('\n')
    for m in re.finditer(r'^\t+((?:break|continue);)(?=\n(\t+case |\t+default:)?)', code, re.M):
        yield 'break', m.start(1), m.end(1), '__attribute__((fallthrough));' if m.group(2) else NOTHING
    cases = list(re.finditer(r'^(\t+)case ([^:\n]+):', code, re.M))
    for one, two in zip(cases, cases[1:]):
        between = code[one.end():two.start()]
        if one.group(1) == two.group(1) and '\n}' not in between and between.strip():
            yield ('case', one.start(2), two.end(2), two.group(2) +
                   text[one.end(2):two.start(2)] + one.group(2))


def at_line(path, text, number, rng, kind=None):
    """A fault in this line of a source, or None."""
    here = [c for c in candidates(text, rng)
            if text.count('\n', 0, c[1]) + 1 == number and kind in (None, c[0])]
    if not here:
        return None
    kind, start, end, new = rng.choice(here)
    last = number + (text.count('\n', start, end) if kind != 'case' else 0)
    return {'file': path, 'lines': range(number, last + 1), 'old': text,
            'new': text[:start] + new + text[end:],
            'name': '%s:%d:%s' % (path, number, kind)}
