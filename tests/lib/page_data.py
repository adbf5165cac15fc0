"""Read the data inside a page of `strobe flamegraph --html`, as report/page/columns_priv.h describes them.

page_data.py get PAGE           print them as JSON, columns as lists
page_data.py put PAGE JSON      print the page with these data in place of its own
"""
import base64, gzip, json, re, sys

RUNNING = {'box', 'slot', 'thread', 'weight'}
SIGNED = RUNNING | {'piece_from'}
COLUMNS = ['kind', 'object', 'depth', 'name', 'wait', 'old', 'box', 'slot', 'thread', 'weight', 'lane_thread',
           'lane_pieces', 'piece_from', 'piece_length', 'piece_what', 'piece_ran', 'piece_waker']
ELEMENT = re.compile(r'(<script type="text/plain" id="data">)([^<]*)(</script>)')


def numbers(data, at, name, n):
    last, result = 0, []
    for _ in range(n):
        v = shift = 0
        while True:
            byte = data[at]
            at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if name in SIGNED:
            v = v >> 1 ^ -(v & 1)
        if name in RUNNING:
            v += last
            last = v
        result.append(v)
    return result, at


def get(page):
    data = gzip.decompress(base64.b64decode(ELEMENT.search(page).group(2), validate=True))
    at = data.index(0)
    members = json.loads(data[:at].decode())
    at += 1
    for name, n in members.pop('columns'):
        members[name], at = numbers(data, at, name, n)
    assert at == len(data), 'bytes are left'
    return members


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def put(page, members):
    columns, tail = [], b''
    for name in COLUMNS:
        if name not in members:
            continue
        values, last = members.pop(name), 0
        columns.append([name, len(values)])
        for v in values:
            v, last = (v - last, v) if name in RUNNING else (v, last)
            tail += varint((v << 1) ^ (v >> 63) if name in SIGNED else v)
    members['columns'] = columns
    packed = gzip.compress(json.dumps(members).encode() + b'\0' + tail)
    return ELEMENT.sub(lambda m: m.group(1) + base64.b64encode(packed).decode() + m.group(3), page)


page = open(sys.argv[2], encoding='utf-8').read()
if sys.argv[1] == 'get':
    json.dump(get(page), sys.stdout)
else:
    sys.stdout.write(put(page, json.load(open(sys.argv[3]))))
