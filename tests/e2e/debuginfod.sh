#!/bin/bash
# Files from debuginfod servers: one on this machine that has them, one that never answers.
. "$(dirname "$0")/lib.sh"
need gcc objcopy python3
need_can sample
workload spin
"$STROBE" report --debuginfod=http://127.0.0.1:9 -i nosuch >/dev/null 2>err
grep -q 'cannot load\|static build' err && skip "no libdebuginfod here"

must taskset -c 0 "$STROBE" record -q -N -e cpu-clock:u -F 500 -g -o perf.data ./spin 0.2
"$STROBE" script -i perf.data -F ip,sym,srcline >whole
id=$("$STROBE" buildid-list -i perf.data | sed -n 's,^\([0-9a-f]*\) .*/spin$,\1,p')
mkdir -p "served/buildid/$id"
objcopy --only-keep-debug spin "served/buildid/$id/debuginfo"
objcopy --strip-all spin stripped && mv stripped spin && cp spin "served/buildid/$id/executable"

# server NAME PORTFILE: a web server over ./served, or one that accepts and stays silent
cat >server.py <<'PY'
import functools, http.server, socket, sys
if sys.argv[1] == 'silent':
    s = socket.create_server(('127.0.0.1', 0))
    open(sys.argv[2], 'w').write(str(s.getsockname()[1]))
    kept = []
    while True:
        kept.append(s.accept())
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory='served')
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
open(sys.argv[2], 'w').write(str(server.server_address[1]))
server.serve_forever()
PY
for kind in web silent; do
	python3 server.py $kind $kind.port >$kind.log 2>&1 & later_kill $!
	for _ in $(seq 100); do [ -s $kind.port ] && break; sleep 0.05; done
done
web=http://127.0.0.1:$(cat web.port) silent=http://127.0.0.1:$(cat silent.port)
export DEBUGINFOD_CACHE_PATH=$PWD/fetched

run "$STROBE" script -i perf.data -F ip,sym,srcline
check "without a server the names are gone" sh -c '! grep -q leaf out'
run "$STROBE" script -i perf.data -F ip,sym,srcline --debuginfod="$web"
check "debug information from the server" cmp whole out
check "it says what it asks for" grep -q 'debuginfod: asking for .*spin' err
check "the server was asked" grep -q "GET /buildid/$id/debuginfo" web.log
rm spin; rm -rf fetched
DEBUGINFOD_URLS=$web run "$STROBE" script -i perf.data -F ip,sym,srcline
check "by the variable; the program itself, too" cmp whole out
run "$STROBE" script -i perf.data -F ip,sym,srcline
check "otherwise nobody is asked" sh -c '! grep -q debuginfod err'
start=$(date +%s)
DEBUGINFOD_CACHE_PATH=$PWD/none run timeout 60 "$STROBE" script -i perf.data -F ip,sym --debuginfod="$silent"
check "a server that hangs: the output still comes" sh -c "test $rc = 0 && test -s out"
check "within the limit" test $(($(date +%s) - start)) -le 15
run "$STROBE" report -i perf.data --stdio --debuginfod
check "without any server it says so" grep -q 'names no server' err
finish
