#!/bin/bash
# report of a pipe on a terminal: the browser shows what came so far, and in the end what a file would show.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_tui.sh"
need_can sample
workload spin -O1 -fno-omit-frame-pointer
# A reader shows a round when the next one begins. On a busy machine a recorder may have written a single one.
cat >rounds.py <<'END'
import struct
b, at, rounds = open('pipe.data', 'rb').read(), 16, 0
while at < len(b) - 2000:
    kind, _, size = struct.unpack_from('<IHH', b, at)
    rounds, at = rounds + (kind == 68), at + size	# FINISHED_ROUND
raise SystemExit(rounds < 3)
END
for seconds in 0.6 1 2 4 8; do
	must "$STROBE" record -q -e task-clock:u -F 999 -g -o - ./spin $seconds
	mv out pipe.data
	python3 rounds.py && break
done
# The end of the recording waits until the test makes the file "go".
cat >slowly <<'END'
head -c $(($(stat -c %s pipe.data) - ${1:-2000})) pipe.data
until [ -e go ]; do sleep 0.05; done
tail -c ${1:-2000} pipe.data
END
# What the kernel says of an event that makes too many samples, as it follows the first name of a program.
cat >throttle.py <<'END'
import struct
b, at = open('pipe.data', 'rb').read(), 16
while struct.unpack_from('<I', b, at)[0] != 3: at += struct.unpack_from('<H', b, at + 6)[0]	# COMM
size = struct.unpack_from('<H', b, at + 6)[0]
trailer = b[at + 16 + (b.index(b'\0', at + 16) - at - 16) // 8 * 8 + 8:at + size]
record = struct.pack('<IHHQQQ', 5, 0, 32 + len(trailer), 0, 0, 0) + trailer
open('throttled.data', 'wb').write(b[:at + size] + 3 * record + b[at + size:])
END
must python3 throttle.py
watch() { rm -f go; tui_type "clear; sh slowly | $* 2>err; echo rc=\$?" Enter; }
rows() { tui_text | grep '%'; }

tui_start 110 14
tui_before
watch "$STROBE" report
tui_see 'the pipe goes on:'
tui_see '[.] leaf'
check "callers are counted, as of a file" grep -q Children <<<"$(tui_text)"
tui_type f
tui_see 'Find:'
tui_type -l middle
tui_type Enter
tui_gone 'Find:'
tui_type n N a
tui_see 'middle  '
tui_see 'percent'
tui_type q
tui_see 'the pipe goes on:'
tui_type -l "$(printf '\033[<2;20;5M\033[<2;20;5m')"
tui_see 'What to do'	# the right button
tui_type Escape
tui_gone 'What to do'
tui_type p
tui_see 'FROZEN'
tui_type p
tui_gone 'FROZEN'
tui_type o
tui_see 'Sort'
tui_type Down Enter
tui_see 'the pipe has not ended'
tui_type Escape
tui_gone 'the pipe has not ended'
touch go
tui_see 'all of the pipe'
tui_still
rows >live.rows
tui_type a
tui_see 'of all  [percent'
tui_type q
tui_see 'all of the pipe'
tui_type q
tui_see 'rc=0'
tui_ended 'q at the end of a pipe'
check "the last page has leaf" grep -q 'leaf' live.rows

tui_type "clear; cat pipe.data | $STROBE report --tui; echo rc=\$?" Enter
tui_see 'all of the pipe'
tui_still
rows >whole.rows
check "the end is the same however slowly it came" diff live.rows whole.rows
tui_type q
tui_see 'rc=0'

tui_type "clear; (cat throttled.data; while [ ! -e ended ]; do sleep 0.1; done) | $STROBE report; echo rc=\$?" Enter
tui_see 'throttled: 3/3'
tui_type q
touch ended
tui_see 'rc=0'
watch "$STROBE" report
tui_see 'the pipe goes on:'
tui_type q
touch go
tui_see 'rc=0'
tui_ended 'q before the end of a pipe'

must "$STROBE" report --stdio -i pipe.data; grep -v '^# (Tip' out >wanted
touch go
run sh -c "sh slowly | $STROBE report --stdio"
grep -v '^# (Tip' out >got
check "text comes once, at the end, and is the same" diff wanted got
tui_type "clear; cat pipe.data | head -c 3000 | tail -c 2000 | $STROBE report; echo rc=\$?" Enter
tui_see 'rc=255'
ln -s "$STROBE" perf
tui_type "clear; cat pipe.data | PAGER=cat ./perf report; echo rc=\$?" Enter
tui_see 'rc=0'	# nobody typed a key
finish
