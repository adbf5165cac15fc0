#!/bin/bash
# The queries of share/strobe/queries in Debian's ClickHouse (18.16) say what they say in DuckDB and what report says;
# flamegraph --from draws one. Answers that make no sense are told. The new dialect is in parquet_readers.sh.
. "$(dirname "$0")/lib.sh"
need python3
here=$STROBE_SOURCE/tests/e2e/readers
golden=$STROBE_SOURCE/tests/golden
queries=$STROBE_SOURCE/share/strobe/queries
export XDG_STATE_HOME=$tmp/state

# Answers of a stub.
far() {	# directory answers...: start a stub; $at is its address
	mkdir "$1"
	python3 "$here/far_side.py" "$@" &
	later_kill $!
	for _ in $(seq 100); do [ ! -e "$1/port" ] || break; sleep 0.05; done
	at=127.0.0.1:$(cat "$1/port")
}
from() { run "$STROBE" flamegraph --from "$@" -o x.svg; }
long=$(head -c 65536 /dev/zero | tr '\0' x)
grep -q '^CURL_FOUND:INTERNAL=1' "$STROBE_BUILD/CMakeCache.txt" || skip "built without libcurl"
far stub $'200:main;a\'b"c;\x01d\x1b[2J\\te 3\nmain;'"$long"$' 4\n' \
	$'200:main;f\t3\nCode: 241. DB::Exception: Memory' 404:gone cut cut "hang up" '200:'
from "clickhouse://me:secret@$at/p?SELECT 1"
check "a row without a tab is reported" \
	test "$rc.$(grep -c '^strobe flamegraph: the answer has a row that is not a stack' err)" = 255.1
check "the query is the body" grep -qx 'SELECT 1' stub/000.body
check "the password is in no message" sh -c '! grep -q secret err'
from "clickhouse://$at/p"
check "an error behind rows is reported" grep -q "is not a stack with a weight: 'Code: 241" err
check "without a query, flamegraph.sql is sent" cmp stub/001.body "$queries/clickhouse/flamegraph.sql"
from "clickhouse://$at/p"
check "a refusal is reported" grep -q "answers 404: gone" err
from "clickhouse://$at/p"
check "an answer cut short is reported" test "$rc.$(grep -c '^strobe flamegraph: clickhouse://' err)" = 255.1
from "clickhouse://$at/p?host=a'b\\c&service=x%20y"
check "parameters of a query are quoted" \
	grep -q "WHERE host LIKE 'a\\\\'b\\\\\\\\c' AND service LIKE 'x y')" stub/004.body
from "clickhouse://$at/p"
check "no answer is reported" test "$rc.$(grep -c '^strobe flamegraph: clickhouse://' err)" = 255.1
from "clickhouse://$at/p"
check "a query without rows is an error" grep -q 'has no stacks that match the query' err
check "no picture was made" test ! -e x.svg
from "clickhouse://127.0.0.1:1/p"
check "no server: one line" test "$rc.$(grep -c . err)" = 255.1
for bad in "clickhouse://$at/p?nothing=1" "clickhouse://$at/p?host"; do
	from "$bad"
	check "the address '$bad' is refused" test "$rc.$(grep -c '^strobe flamegraph' err)" = 255.1
done
for bad in http://x "otlp://$at" "clickhouse://"; do
	from "$bad"
	check "'$bad' is no engine to ask" test $rc = 129
done
from "clickhouse://$at/p" -i x
check "there is no recording beside it" test $rc = 129
run "$STROBE" flamegraph --query x
check "a query needs an engine" test $rc = 129
from "clickhouse://$at/p" --query none.sql
check "a missing query is reported" test "$rc.$(grep -c '^strobe flamegraph' err)" = 255.1

. "$(dirname "$0")/lib_clickhouse.sh"
read -r http tcp < <(free_ports 2)
settings 1 "$http" "$tcp"
start 1 "$tcp"
url=clickhouse://127.0.0.1:$http/p
must "$STROBE" push "$url" --init --spool-only
put() {	# file, service, more: into ClickHouse and into files
	"$STROBE" push "$url" -i "$1" --service "$2" "${@:3}" 2>/dev/null
	"$STROBE" export parquet -i "$1" --service "$2" "${@:3}" -o files 2>/dev/null
}
for f in dwarf group kernel; do put "$golden/$f.data" $f; done
printf '%s\n' "main;a'b\"c\\d;ef 3" $'main;con\x01trol\x1b[2J;'"$long 4" "main;日本; spaces 5" >lines
must "$STROBE" import collapsed -i lines -o hostile.data
put hostile.data hostile
if can sched:sched_switch && command -v cc >/dev/null; then
	workload mutexes
	must "$STROBE" record -q --wall --stack-rate=0 -g -o wall.data ./mutexes
	put wall.data wall --wall
else skip_part "waits: $why_not"; fi

rows() {	# query: its rows, columns separated by '|'
	clickhouse-client --port "$tcp" -d p --format JSONCompact <"$1" | python3 -c 'import json, sys
for r in json.load(sys.stdin)["data"]: print("|".join(str(x) for x in r))'
}
modules=$("$STROBE_SOURCE/scripts/readers" --where)/node_modules
others=
for e in duckdb:@duckdb/node-api clickhouse:chdb; do
	if [ -d "$modules/${e#*:}" ] && command -v node >/dev/null; then others="$others ${e%%:*}"
	else skip_part "no ${e#*:} in $modules (scripts/readers)"; fi
done
for q in "$queries"/clickhouse/*.sql; do
	q=$(basename "$q")
	[ "$q" != tables.sql ] || continue
	[ "$q" != waits.sql ] || [ -e wall.data ] || continue
	rows "$queries/clickhouse/$q" >"$q.out"
	check "$q: ClickHouse 18 answers" test -s "$q.out"
	for e in $others; do
		check "$q: as $e does today" diff "$q.out" \
			<(node "$here/engine.mjs" "$e" "$modules" "$tmp/files" "$queries/$e/$q")
	done
done
if [ -e wall.data ]; then
	check "waits.sql: who waited where, and who made it wait" \
		grep -qE '\|waiter\|[^|]*\|\[lock\]\|holder\|[^|]*futex' waits.sql.out
	"$STROBE" waits -j -E 0 -i wall.data >waits.json 2>/dev/null
	check "waits.sql: in all as long as waits says" python3 - waits.sql.out waits.json <<'EOF'
import json, sys
ns = sum(int(line.split("|")[7]) for line in open(sys.argv[1]))
rows = [o["ns"] for o in map(json.loads, open(sys.argv[2])) if "victim" in o]
assert ns == sum(rows), (ns, sum(rows), rows)
EOF
fi
check "cost-per-service.sql: a price for seconds" python3 - cost-per-service.sql.out <<'EOF'
import sys
for line in open(sys.argv[1]):
    service, hosts, samples, weight, seconds, cpus, cost = line.rstrip("\n").split("|")
    assert abs(float(cost) - int(weight) / 1e9 / 3600 * 0.04) < 1e-6 and abs(float(seconds) - int(weight) / 1e9) < 1e-3
EOF

# The picture of a query has the boxes of that of the recording.
boxes() { grep -o '<title>[^<]*' "$1" | sed 's/ ([0-9,]* [^,]*, /(/' | sort; }
"$STROBE" flamegraph -i "$golden/dwarf.data" -o want.svg 2>/dev/null
from "$url?service=dwarf"
check "flamegraph --from draws a picture" test "$rc.$(grep -c "wrote 'x.svg'" err)" = 0.1
check "the functions of the recording" test "$(boxes x.svg | grep -c hot)" -gt 0
check "flamegraph --from takes a query of the user" \
	sh -c '"$0" flamegraph --from "$1?SELECT comm, sum(weight) FROM samples GROUP BY comm" \
	-o own.svg 2>/dev/null && grep -q "<title>hot" own.svg' "$STROBE" "$url"
"$STROBE" flamegraph --from "$url?service=hostile" --query "$queries/clickhouse/flamegraph.sql" -o file.svg 2>/dev/null
check "--query takes a file with parameters" grep -q spaces file.svg
check "hostile names of the tables are escaped" sh -c '! grep -q "$(printf "\033")" file.svg'
finish
