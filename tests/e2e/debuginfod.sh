#!/bin/bash
# Files from debuginfod servers: Debian's, over the files of a folder; one that answers, one that answers for one object
# only, and one that never does.
. "$(dirname "$0")/lib.sh"
need gcc objcopy python3
need_can sample
workload spin
ldd "$STROBE" >/dev/null 2>&1 || skip "the static build loads no libdebuginfod"
find /usr/lib* -name libdebuginfod.so.1 | grep -q . || skip "no libdebuginfod here"

must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 500 -g -o perf.data ./spin 0.2
"$STROBE" script -i perf.data -F ip,sym,srcline >whole
id=$("$STROBE" buildid-list -i perf.data | sed -n 's,^\([0-9a-f]*\) .*/spin$,\1,p')
mkdir -p "served/buildid/$id"
objcopy --only-keep-debug spin "served/buildid/$id/debuginfo"
objcopy --strip-all spin stripped && mv stripped spin && cp spin "served/buildid/$id/executable"

# server.py KIND PORTFILE: a web server over ./served; one that is silent about what has a file ./hangs_*; a silent one
cat >server.py <<'PY'
import functools, http.server, os, socket, sys, time
if sys.argv[1] == 'silent':
    s = socket.create_server(('127.0.0.1', 0))
    open(sys.argv[2], 'w').write(str(s.getsockname()[1]))
    kept = []
    while True:
        kept.append(s.accept())
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        while sys.argv[1] == 'hangs' and os.path.exists('hangs' + self.path.replace('/', '_')):
            time.sleep(0.1)
        super().do_GET()
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory='served'))
open(sys.argv[2], 'w').write(str(server.server_address[1]))
server.serve_forever()
PY
for kind in web hangs silent; do
	python3 server.py $kind $kind.port >$kind.log 2>&1 & later_kill $!
	until_true test -s $kind.port
done
web=http://127.0.0.1:$(cat web.port) silent=http://127.0.0.1:$(cat silent.port)
hangs=http://127.0.0.1:$(cat hangs.port)
export DEBUGINFOD_CACHE_PATH=$PWD/fetched

run "$STROBE" script -i perf.data -F ip,sym,srcline
check "without a server names are missing" sh -c '! grep -q leaf out'
run "$STROBE" script -i perf.data -F ip,sym,srcline --debuginfod="$web"
check "debug information from the server" cmp whole out
check "script says which file it asks for" grep -q 'debuginfod: asking for .*spin' err
check "the server was asked" grep -q "GET /buildid/$id/debuginfo" web.log
rm spin; rm -rf fetched
DEBUGINFOD_URLS=$web run "$STROBE" script -i perf.data -F ip,sym,srcline
check "with DEBUGINFOD_URLS the server also sends the program" cmp whole out
run "$STROBE" script -i perf.data -F ip,sym,srcline
check "otherwise no server is asked" sh -c '! grep -q debuginfod err'
start=$(date +%s)
DEBUGINFOD_CACHE_PATH=$PWD/none run timeout 60 "$STROBE" script -i perf.data -F ip,sym --debuginfod="$silent"
check "a server that hangs: the output still comes" sh -c "test $rc = 0 && test -s out"
check "a slow server ends within the time limit" test $(($(date +%s) - start)) -le 40
run "$STROBE" report -i perf.data --stdio --debuginfod
check "--debuginfod without a server is reported" grep -q 'names no server' err

# The report is shown first, and completed after. For a pipe the complete one is enough.
DEBUGINFOD_CACHE_PATH=$PWD/again run "$STROBE" report -i perf.data --stdio --debuginfod="$web"
check "report to a pipe: once, with the names" sh -c 'test "$(grep -c "^# Event count" out)" = 1 && grep -q leaf out'
check "report: which object of how many" grep -qE 'debuginfod: asking for [12] of [0-9]+: spin' err
check "report says how many files came" grep -q 'debuginfod: 2 files came' err
DEBUGINFOD_CACHE_PATH=$PWD/empty run "$STROBE" report -i perf.data --stdio --debuginfod="$silent"
check "report, a server that hangs: what is here" sh -c "test $rc = 0 && grep -q Children out && ! grep -q leaf out"
check "report: one silence is enough" test "$(grep -c 'asking for' err)" = 1
if command -v script >/dev/null 2>&1; then
	DEBUGINFOD_CACHE_PATH=$PWD/third script -qec "$STROBE report -i perf.data --stdio --debuginfod=$web" tty.log \
		>/dev/null 2>&1 </dev/null
	check "on a terminal the report comes first, then the names" python3 - <<'EOF'
text = open('tty.log', errors='replace').read()
first, asking = text.find('Children'), text.find('debuginfod: asking for 1 of ')
after = text.find('Once more, with what came')
assert 0 < first < asking < after < text.find('] leaf'), text
EOF
else
	skip_part "no script(1): no terminal"
fi

# Two objects; the server keeps silent about one of them: ^C keeps the other.
mkdir two && sed 's/leaf/twig/g' "$STROBE_SOURCE/tests/e2e/workloads/spin.c" >two/other.c
gcc -g -O1 -fno-omit-frame-pointer two/other.c -o two/other -lpthread
gcc -g -O1 -fno-omit-frame-pointer "$STROBE_SOURCE/tests/e2e/workloads/spin.c" -o two/spin -lpthread
must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 500 -g -o two.data sh -c 'two/spin 0.6; two/other 0.2'
for name in spin other; do
	id=$("$STROBE" buildid-list -i two.data | sed -n "s,^\([0-9a-f]*\) .*/two/$name\$,\1,p")
	mkdir -p "served/buildid/$id" && cp two/$name "served/buildid/$id/executable"
	cp two/$name "served/buildid/$id/debuginfo"
done
rm -r two
for kind in executable debuginfo; do : >"hangs_buildid_${id}_$kind"; done
DEBUGINFOD_CACHE_PATH=$PWD/half "$STROBE" report -i two.data --stdio --debuginfod="$hangs" >half.out 2>half.err &
reader=$!; later_kill $reader
until_true grep -q 'asking for .*other' half.err
kill -INT $reader; wait $reader
check "^C: it ends well" test $? = 0
check "^C: the hotter object was asked for first, and is kept" grep -q leaf half.out
check "^C: the other one is without names" sh -c '! grep -q twig half.out && grep -q other half.out'
check "^C: it says so" grep -qE 'debuginfod: [12] files? came; given up' half.err

# On a screen the rows get their names while one looks at them.
if command -v tmux >/dev/null 2>&1; then
	. "$STROBE_SOURCE/tests/e2e/lib_tui.sh"
	tui_start 100 20
	tui_type "DEBUGINFOD_CACHE_PATH=quarter $STROBE report -i two.data --no-children --debuginfod=$hangs" Enter
	tui_see leaf
	tui_see 'debuginfod: 2 files came; 1 did not'
	tui_gone twig
	tui_type q
	tui_see 'prompt>'
	tui_type "DEBUGINFOD_CACHE_PATH=screen $STROBE report -i two.data --no-children --debuginfod=$web" Enter
	tui_see twig
	tui_see 'debuginfod: 4 files came'
	tui_type q
	tui_see 'prompt>'
	tui_stop
else
	skip_part "no tmux: no screen"
fi

# Debian's server
if command -v debuginfod >/dev/null 2>&1; then
	workload spin && mkdir real && mv spin real/
	must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 500 -g -o real.data real/spin 0.2
	"$STROBE" script -i real.data -F ip,sym,srcline >whole
	mv real elsewhere
	port=$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
	debuginfod -F -p "$port" -d :memory: elsewhere >real.log 2>&1 & later_kill $!
	id=$("$STROBE" buildid-list -i real.data | sed -n 's,^\([0-9a-f]*\) .*/spin$,\1,p')
	for _ in $(seq 200); do
		python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/buildid/$id/debuginfo')" \
			2>/dev/null && break
		sleep 0.1
	done
	export DEBUGINFOD_CACHE_PATH=$PWD/debian
	run "$STROBE" script -i real.data -F ip,sym,srcline --debuginfod="http://127.0.0.1:$port"
	check "Debian's server: names and lines as on the recorded machine" cmp whole out
	rm -rf debian
	run "$STROBE" report -i real.data --stdio --debuginfod="http://127.0.0.1:$port"
	check "report has names from Debian's server" grep -q leaf out
else
	skip_part "no debuginfod here"
fi
finish
