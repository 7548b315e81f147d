# SPDX-License-Identifier: MIT
"""The tests for scripts/mutants: built, run, and which of them execute what."""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(__file__) + '/..')
TOP = os.path.join(ROOT, os.environ.get('MCPCTL_BUILD') or 'build', 'mutants')
BASE = TOP + '/base'  # a copy of the tree, without a fault
JOBS = int(os.environ.get('JOBS') or 2)
# They test scripts and packages, not the code.
NOT_RUN = {'build', 'deb', 'house', 'install'}
# Paths of sockets are short: not below TOP.
TEMPORARY = tempfile.mkdtemp(prefix='mutants-')
STOPPED = threading.Event()
SAN = 'build/san'
# In the build that records. _exit() would lose what was recorded, of the program
# and of each module that it has loaded; behind Landlock and seccomp nothing could
# be written.
COVER_H = '''#include <sys/syscall.h>
#include <unistd.h>
void __gcov_dump(void);
/* Each module has a __gcov_dump of its own; this table is one for all. */
__attribute__((weak)) void (*cover_dump[64])(void);
__attribute__((constructor)) static void cover_note(void)
{
	int i = 0;

	while (cover_dump[i] && cover_dump[i] != __gcov_dump)
		i++;
	cover_dump[i] = __gcov_dump;
}
static inline void cover_all(void)
{
	for (int i = 0; cover_dump[i]; i++)
		cover_dump[i]();
}
int cover_no_seccomp(void *filter);
__attribute__((weak)) int cover_no_seccomp(void *filter)
{
	return !filter;
}
#define _exit(n) (cover_all(), (_exit)(n))
#undef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self SYS_getpid
#define seccomp_load cover_no_seccomp
'''
COVER_CC = '''cover=--coverage
for word; do
	case $word in
	-c) cover= ;;
	%(covered)s) set -- --coverage "$@" ;;
	esac
done
exec %(cc)s $cover "$@"
'''


def say(text):
    print(text, flush=True)


def read(tree, path):
    with open(os.path.join(tree, path)) as file:
        return file.read()


def write(tree, path, text):
    with open(os.path.join(tree, path), 'w') as file:
        file.write(text)


def files(pattern):
    found = glob.glob(os.path.join(BASE, pattern), recursive=True)
    return sorted(os.path.relpath(p, BASE) for p in found if os.path.isfile(p))


# ---- running things ----

def run(command, folder, limit, **more):
    """Status (None: it hung) and output. Nothing of it is left running."""
    if STOPPED.is_set():
        time.sleep(60)  # until this process is gone
    mark = tempfile.mkdtemp(dir=TEMPORARY)
    # A fault may ask for all memory, or fill the disk. (Sanitizers reserve more.)
    most = 'unlimited' if more.get('MCPCTL_BUILD') == SAN else 8 << 20
    limits = ['sh', '-c', 'ulimit -v %s; ulimit -f 2097152; exec "$@"' % most, 'sh']
    around = {'CCACHE_BASEDIR': TOP, 'CCACHE_NOHASHDIR': '1',
              **{k: v for k, v in os.environ.items() if not re.match(
                  r'BATS_|MAKE|MFLAGS$|MCPCTL_|(N|PART|SEED|PLANT|LIMIT|ONLY)$', k)},
              'ASAN_OPTIONS': 'intercept_tls_get_addr=0'}  # see tests/run
    with open(mark + '/out', 'w+', errors='replace') as out:
        process = subprocess.Popen(
            limits + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
            stderr=out, start_new_session=True,
            env={**around, 'MCPCTL_BUILD': 'build', 'TMPDIR': mark, 'MUTANT': mark, **more})
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        end_all(mark)
        process.wait()
        out.seek(0)
        text = out.read()
    shutil.rmtree(mark, ignore_errors=True)
    return status, text


def end_all(mark):
    """Kill every process whose mark begins so."""
    for path in glob.glob('/proc/[0-9]*/environ'):
        try:
            with open(path, 'rb') as file:
                if b'MUTANT=' + mark.encode() in file.read():
                    os.kill(int(path.split('/')[2]), signal.SIGKILL)
        except OSError:
            pass


def compiler(name):
    return ('ccache ' if shutil.which('ccache') else '') + name


def make(folder, target, build='build', cc=None, **more):
    kind = ['SANITIZE=address,undefined'] * (build == SAN)
    cc = cc or compiler('clang' if build == SAN else 'gcc')
    return run(['make', '-s', '-j%d' % JOBS, 'WERROR=1', 'CC=' + cc, 'BUILD=' + build, *kind,
                target], folder, 3600, **more)


def must_make(folder, target, **more):
    status, text = make(folder, target, **more)
    if status != 0:
        sys.exit('mutants: make %s fails in a copy of the tree:\n%s' % (target, text[-4000:]))


def passes(tree, group, build):
    """One program, or some tests of a suite; a hang is no pass."""
    source, limit = group[0][0], 60 + 10 * sum(t[2] for t in group)
    program = '%s/%s' % (build, group[0][1])
    names = '|'.join(re.sub(r'[^\w ]', '.', t[1]) for t in group)
    command = [program]
    if source.endswith('.bats'):
        program, command = 'all', ['bats', '--tap', '-f', '^(%s)$' % names, source]
    # Both: it loads modules.
    return (make(tree, 'all', build)[0] == 0 and make(tree, program, build)[0] == 0 and
            run(command, tree, limit, MCPCTL_BUILD=build)[0] == 0)


def groups(tests):
    """Up to six tests of the same suite together."""
    group = []
    for test in tests + [None]:
        if group and (not test or test[0] != group[0][0] or len(group) == 6):
            yield tuple(t[:3] for t in group)
            group = []
        group.append(test)


# ---- which tests execute what ----

def digest(paths, *words):
    whole = hashlib.sha256('\0'.join(words).encode())
    for path in sorted(paths):
        with open(os.path.join(BASE, path), 'rb') as file:
            whole.update(path.encode() + b'\0' + file.read())
    return whole.hexdigest()[:16]


def record(tree, source, to):
    """Run a program or suite; tests.json: name, seconds, what it executed, of each test."""
    name, kind = os.path.splitext(os.path.basename(source))
    more = {'GCOV_PREFIX': to + '/0', 'GCOV_PREFIX_STRIP': str(tree.count('/'))}
    started = time.time()
    if kind == '.c':
        run(['build/' + name], tree, 600, **more)
        tests = [(0, name, time.time() - started)]
    else:
        _, text = run(['bats', '--tap', '--timing', source], tree, 1800, **more)
        tests = [(int(number), title, int(ms) / 1000) for number, title, ms in
                 re.findall(r'^(?:not )?ok (\d+) (.*) in (\d+)ms$', text, re.M)]
    # What a suite does once for all of its tests is in folder 0.
    seen = {n: executed(tree, '%s/%d' % (to, n)) for n in {0, *(t[0] for t in tests)}}
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    write(to, 'tests.json', json.dumps(
        [(title, seconds, [seen[n] for n in {number, 0}]) for number, title, seconds in tests]))


def executed(tree, records):
    """{source: (lines, (first, last line) of functions)}"""
    seen = {}
    with tempfile.TemporaryDirectory(dir=TEMPORARY) as work:
        found = glob.glob(records + '/**/*.gcda', recursive=True)
        for i, path in enumerate(found):
            os.symlink(path, '%s/%d.gcda' % (work, i))
            os.symlink('%s/%s.gcno' % (tree, os.path.relpath(path, records)[:-len('.gcda')]),
                       '%s/%d.gcno' % (work, i))
        text = found and subprocess.run(
            ['gcov', '-t', '-j'] + ['%d.gcda' % i for i in range(len(found))], cwd=work,
            capture_output=True, check=False).stdout.decode(errors='replace')
    for file in (f for line in (text or '').splitlines() for f in json.loads(line)['files']):
        lines, functions = seen.setdefault(file['file'], ([], []))
        lines += [line['line_number'] for line in file['lines'] if line['count']]
        functions += [(f['start_line'], f['end_line']) for f in file['functions']
                      if f['execution_count']]
    return {source: both for source, both in seen.items() if both[0] and source.startswith('src/')}


def record_all(covered):
    """Of each test: source, name, seconds, and what it executed of the sources covered."""
    suites = files('tests/cli/*.bats')
    sources = files('tests/unit/test_*.c') + [
        s for s in suites if os.path.basename(s)[:-5] not in NOT_RUN]
    common = set(files('src/**') + files('tests/**')) - set(sources) - set(suites)
    cover = TOP + '/cover-' + digest(common, *covered)
    for old in set(glob.glob(TOP + '/cover-*')) - {cover}:
        shutil.rmtree(old)
    to = {s: '%s/records/%s-%s' % (cover, os.path.basename(s), digest([s])) for s in sources}
    missing = [s for s in sources if not os.path.exists(to[s] + '/tests.json')]
    if missing:
        say('recording what %d programs and suites of tests execute' % len(missing))
        tree = make_cover(cover, covered)
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(lambda s: record(tree, s, to[s]), missing))
    return [(s, *test) for s in sources for test in json.loads(read(to[s], 'tests.json'))]


def make_cover(cover, covered):
    """The tree that records. What is not covered costs no file at the end of each process."""
    tree = cover + '/tree'
    if os.path.exists(tree):
        shutil.rmtree(tree + '/tests')
        shutil.copytree(BASE + '/tests', tree + '/tests', symlinks=True)
    else:
        shutil.copytree(BASE, tree, symlinks=True)
        write(cover, 'cover.h', COVER_H)
        write(cover, 'cc', COVER_CC % {'covered': '|'.join(covered), 'cc': compiler('gcc')})
    must_make(tree, 'unit', cc='sh %s/cc' % cover, CFLAGS='-g',
              LDFLAGS='-Wl,--export-dynamic-symbol=cover_*',
              CPPFLAGS='-include %s/cover.h' % cover)
    return tree


def tests_for(fault, tests):
    """Those that execute it, in the order to try them, and what they execute."""
    found = {'line': [], 'function': [], 'file': [], 'code': []}
    first = fault['lines'][0]
    for test in tests:
        records = [seen[fault['file']] for seen in test[3] if fault['file'] in seen]
        if any(set(lines) & set(fault['lines']) for lines, _ in records):
            found['line'].append(test)
        elif any(a <= first <= b for _, functions in records for a, b in functions):
            found['function'].append(test)
        elif any(lines for lines, _ in records):
            found['file'].append(test)
    how = next((k for k in found if found[k]), 'code')
    stem = os.path.basename(fault['file'])[:-2].replace('cmd_', '')
    seconds = {}
    for source, _, took, _ in found[how]:
        seconds[source] = seconds.get(source, 0) + took

    def order(test):
        name = os.path.basename(test[0]).split('.')[0].replace('test_', '')
        return (test[0].endswith('.bats'), name not in stem and stem not in name,
                seconds[test[0]], test[0], test[2])
    return sorted(found[how], key=order), how
