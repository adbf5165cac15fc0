#!/bin/bash
# push into a cluster of two ClickHouse servers on loopback with Distributed tables: ten hosts, 1.2 million samples,
# each server killed inside a push. Nothing is lost, and sent twice changes nothing. Run it with ctest -C cluster -L
# cluster; it needs Debian's clickhouse-server and clickhouse-client.
. "$(dirname "$0")/lib.sh"
need python3
. "$(dirname "$0")/lib_clickhouse.sh"
here=$STROBE_SOURCE/tests/e2e/readers
read -r http1 http2 tcp1 tcp2 < <(free_ports 4)
settings 1 "$http1" "$tcp1" "$tcp1" "$tcp2"
settings 2 "$http2" "$tcp2" "$tcp1" "$tcp2"
start 1 "$tcp1"
start 2 "$tcp2"
for port in $http1 $http2; do
	run "$STROBE" push "clickhouse://127.0.0.1:$port/own" --init --spool-only
	check "the tables of a server are made" test $rc = 0
done
sql() { clickhouse-client --port "$tcp1" -d profiles -n -q "$1"; }
clickhouse-client --port "$tcp1" -q 'CREATE DATABASE profiles'
for t in runs:run samples:run stacks:stack frames:frame; do
	sql "CREATE TABLE ${t%:*} AS own.${t%:*} ENGINE = Distributed(pair, own, ${t%:*}, ${t#*:})"
done

# Ten hosts, of which each has its own times and name.
python3 - "$STROBE_SOURCE" <<'EOF'
import os, sys
sys.path.insert(0, sys.argv[1] + "/bench")
sys.dont_write_bytecode = True
import made
for host in range(10):
    name = f"host{host}.data"
    made.recording(name, f"{os.getcwd()}/lib.so", 120000, 500 + host, 20, 20, 2000)
    with open(name, "r+b") as f:
        f.seek(-64, 2)
        f.write(f"host{host}".encode())
EOF
for f in host*.data; do
	python3 "$here/sums.py" report "$STROBE" "$f"
done | awk -F'|' '$2 == "self" { n[$3] += $4 } END { for (f in n) print f "\t" n[f] }' | sort >want

check "report names the functions to look for" test -s want

url="clickhouse://127.0.0.1:$http1/profiles?insert_distributed_sync=1"
send() {	# numbers of hosts
	for h in "$@"; do
		"$STROBE" push "$url" -i "host$h.data" --service "s$((h % 3))" --retry 0s --spool spool
	done
}
answer() {	# what each function has by itself
	sql 'SELECT function, sum(w) FROM (SELECT frames[1] AS frame, w FROM
		(SELECT stack, sum(weight) AS w FROM samples FINAL GROUP BY stack) GLOBAL ANY INNER JOIN
		(SELECT stack, frames FROM stacks FINAL) USING stack) GLOBAL ANY INNER JOIN
		(SELECT frame, function FROM frames FINAL) USING frame GROUP BY function' |
		grep -vP '^(0x[0-9a-f]+|\[unknown\])\t' | sort
}
# A server dies while rows are on their way to it: the one that push talks to, or the other one behind it. What push
# has then sent, half sent and not sent, it sends again.
url_of() { echo "clickhouse://127.0.0.1:$1/${url##*/}"; }
waiting() { find spool -name '*.batch' | wc -l; }
killed() {	# server, host: push it, and kill the server in the middle of its samples; $proxied is the address
	: >proxy
	python3 "$here/killing_proxy.py" "$http1" "${server[$1]}" 600000 >proxy & later_kill $!
	until [ -s proxy ]; do sleep 0.05; done
	proxied=$(url_of "$(cat proxy)")
	"$STROBE" push "$proxied" -i "host$2.data" --service "s$(($2 % 3))" --retry 0s --spool spool >>log 2>&1
	check "server $1 dies inside the push of host $2" \
		sh -c "! kill -0 ${server[$1]} || grep -q Z /proc/${server[$1]}/stat"
}
again() {	# server, its port: start it, and send what waited
	start "$1" "$2"
	for to in "$proxied" "$url"; do
		run "$STROBE" push "$to" --spool spool --spool-only
		check "what waited is sent when server $1 is back" test $rc = 0
	done
	check "all that waited is sent" test "$(waiting)" = 0
}
send 0 1 2 >log 2>&1
killed 1 3
check "while server 1 is down, rows wait" test "$(waiting)" -gt 0
again 1 "$tcp1"
killed 2 4
send 5 6 >>log 2>&1
check "while the other server is down, rows wait" test "$(waiting)" -gt 0
again 2 "$tcp2"
send 7 8 9 >>log 2>&1
answer >got
check "all functions have what report says of the ten together" diff want got
check "the tables have 1.2 million samples" test "$(sql 'SELECT count() FROM samples FINAL')" = 1200000
check "each server has some" test "$(for p in $tcp1 $tcp2; do
	clickhouse-client --port "$p" -d own -q 'SELECT count() FROM samples FINAL'; done | grep -cv '^0$')" = 2
send 0 1 2 3 4 5 6 7 8 9 >>log 2>&1
answer >got
check "sent twice, the answer is the same" diff want got
query=$STROBE_SOURCE/share/strobe/queries/clickhouse/top-functions.sql
clickhouse-client --port "$tcp1" -d profiles --time <"$query" >rows 2>seconds
awk -F'\t' '$4 !~ /^(0x[0-9a-f]+|\[unknown\])$/ && $5 { n[$4] += $5 } END { for (f in n) print f "\t" n[f] }' rows |
	sort >got
check "top-functions.sql says so, too" diff want got
say "top functions of 1.2 million samples: $(cat seconds) s"
finish
