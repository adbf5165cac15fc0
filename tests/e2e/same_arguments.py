"""Compare the calls of strace's output with those of strobe trace: python3 same_arguments.py STRACE STROBE.

Both are brought into one form: flags sorted, structs as {name=value}, descriptors without paths, modes in octal, text
as bytes. Either may print an address where the other looks behind it: strobe in ADDRESSES alone. Prints each call whose
arguments differ; the last line is the number of different calls (names) that were the same."""
import re, stat, sys

MODES = {n: getattr(stat, n) for n in dir(stat) if re.fullmatch(r'S_I[A-Z]+', n)
         and isinstance(getattr(stat, n), int)}
MODES.update(S_IRUGO=0o444, S_IWUGO=0o222, S_IXUGO=0o111, S_IRWXUGO=0o777, S_IALLUGO=0o7777)

# What strobe prints as an address: lists of entries of a directory, data of ioctl, ...
ADDRESSES = {'getdents64', 'ioctl', 'recvmsg', 'sendmsg', 'set_robust_list', 'sched_getaffinity', 'readv', 'execve',
             'getgroups', 'newuname', 'waitid', 'rseq'}

# What differs from run to run.
CHANGING = {'f_bfree', 'f_bavail', 'f_ffree', 'iov_base', 'ru_utime', 'ru_stime'}
CHANGING_CALLS = {'clock_gettime', 'getrandom', 'gettimeofday', 'sysinfo', 'getdents64'}


def calls(path):
    for line in open(path, errors='replace'):
        m = re.match(r'(?:\S+/\d+ )?(\w+)\((.*)\)\s+= ', line)
        if m and m[1] != 'execve':
            yield m[1], split(m[2])


def split(text):
    """Arguments: at commas outside of brackets and quotes."""
    parts, depth, quoted, now, escaped = [], 0, False, '', False
    for c in text:
        if quoted:
            quoted = escaped or c != '"'
            escaped = c == '\\' and not escaped
        elif c == '"': quoted = True
        elif c in '{[(': depth += 1
        elif c in '}])': depth -= 1
        elif c == ',' and not depth:
            parts.append(now.strip())
            now = ''
            continue
        now += c
    return parts + [now.strip()] if now.strip() else parts


def struct(text):
    return dict(part.split('=', 1) for part in split(text[1:-1]) if '=' in part)


def octal(word):
    return re.fullmatch(r'0[0-7]+', word) and int(word, 8)


def bytes_of(text):
    """The text between quotes, and whether it is cut."""
    m = re.fullmatch(r'"(.*)"(\.\.\.)?', text, re.S)
    if not m: return None
    def one(e):
        if e[1][0] == 'x': return chr(int(e[1][1:], 16))
        if e[1][0] in '01234567': return chr(int(e[1], 8))
        return {'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v'}.get(e[1], e[1])
    plain = m[1].encode('utf-8').decode('latin-1')
    return re.sub(r'\\(x[0-9a-f]{2}|[0-7]{1,3}|.)', one, plain, flags=re.S), bool(m[2])


def form(text):
    text = re.sub(r'^[A-Z_]+ or ([A-Z_]+)$', r'\1', text)
    text = re.sub(r'\{ ', '{', re.sub(r' \}', '}', text))
    text = re.sub(r'([{ ])\.(\w[\w.]*): ', r'\1\2=', text)
    text = re.sub(r'^(-?\d+)<.*>$', r'\1', text)
    text = re.sub(r'^(\d+) \(.*\)$', r'\1', text)
    text = re.sub(r'\\x0a', r'\\n', text)
    text = re.sub(r' /\* .*? \*/', '', text)
    text = re.sub(r'\bPF_', 'AF_', re.sub(r'F_LOCAL\b', 'F_UNIX', text)).replace('RLIM64_', 'RLIM_')
    text = re.sub(r'FUTEX_(\w+)_PRIVATE$', r'FUTEX_\1|FUTEX_PRIVATE_FLAG', text)
    text = re.sub(r'^\{sched_priority=(.*)\}$', r'[\1]', text)
    text = re.sub(r'^\{family=(.*)$', r'{sa_family=\1', text)
    text = re.sub(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("(.*)"\)', r'port=\1, addr=\2', text)
    text = re.sub(r'sun_path="(.*)"', r'path=\1', re.sub(r', (port|addr|path): ', r', \1=', text))
    text = re.sub(r'^\{u32=.*, u64=(\d+)\}$', r'\1', text)
    text = re.sub(r'^AT_STATX_SYNC_AS_STAT\|', '', re.sub(r'^AT_STATX_SYNC_AS_STAT$', '0', text))
    if re.fullmatch(r'[A-Z_0-9|x]+', text) and '|' in text or text in MODES:
        words = text.split('|')
        if all(w in MODES or octal(w) for w in words):
            value = 0
            for w in words: value |= MODES[w] if w in MODES else octal(w)
            return '0%o' % value
        return '|'.join(sorted(words))
    return text


def number(text):
    m = re.fullmatch(r'(\d+)\*(\d+)', text)
    if m: return int(m[1]) * int(m[2])
    try: return int(text, 8 if re.fullmatch(r'0[0-7]+', text) else 0)
    except ValueError: return None


def same(a, b, call=None):
    if call in CHANGING_CALLS and a[:1] == b[:1] and a[:1] in '{"': return True
    if a[:1] == b[:1] == '"':
        (x, x_cut), (y, y_cut) = bytes_of(a), bytes_of(b)
        n = min(len(x) if x_cut else 1 << 30, len(y) if y_cut else 1 << 30)
        return x[:n] == y[:n]
    a, b = form(a), form(b)
    if a == b or (a == 'NULL' and b in ('0', 'NULL')) or (number(a) is not None and number(a) == number(b)): return True
    address = r'0x[0-9a-f]+( /\*.*)?'
    if re.fullmatch(address, b) and a[:1] in '{["~': return call in ADDRESSES
    if re.fullmatch(address, a) and b[:1] in '{["~': return True
    if a[:1] == b[:1] == '{':
        x, y = struct(a), struct(b)
        return all(k not in x or k in CHANGING or same(x[k], v, call) for k, v in y.items()) and any(k in x for k in y)
    if a[:1] == b[:1] == '[':
        x, y = split(a[1:-1]), split(b[1:-1])
        return len(x) == len(y) and all(same(i, k, call) for i, k in zip(x, y))
    return False


theirs, ours, equal, differ = list(calls(sys.argv[1])), list(calls(sys.argv[2])), set(), set()
for (name, x), (other, y) in zip(theirs, ours):
    if name != other:
        print('order:', name, other)
        break
    if name == 'kill': x[0], y[0] = '', ''      # its own id
    if all(same(i, k, name) for i, k in zip(x, y)) and all(i in ('NULL', '0') for i in x[len(y):] + y[len(x):]):
        equal.add(name)
        continue
    differ.add(name)
    print('%s(%s)\n  is (%s)' % (name, ', '.join(y), ', '.join(x)))
print(len(equal - differ))
sys.exit(len(theirs) != len(ours) or bool(differ))
