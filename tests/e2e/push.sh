#!/bin/bash
# push: what each engine is sent, and that nothing is lost while the far side is down, refuses, or answers half. The far
# sides are stubs; a real ClickHouse is in push_cluster.sh.
. "$(dirname "$0")/lib.sh"
need python3
here=$STROBE_SOURCE/tests/e2e/readers
golden=$STROBE_SOURCE/tests/golden/fp.data
export XDG_STATE_HOME=$tmp/state
grep -q '^CURL_FOUND:INTERNAL=1' "$STROBE_BUILD/CMakeCache.txt" || skip "built without libcurl"

far() {	# directory answers...: start a stub; $at is its address
	mkdir "$1"
	python3 "$here/far_side.py" "$@" &
	later_kill $!
	for _ in $(seq 100); do [ ! -e "$1/port" ] || break; sleep 0.05; done
	at=127.0.0.1:$(cat "$1/port")
}
paths() { python3 -c 'import json,sys,urllib.parse
for f in sys.argv[1:]: print(urllib.parse.unquote(json.load(open(f))["path"]))' "$1"/*.json; }
batches() { find "${1:-state}" -name '*.batch' | wc -l; }
lines() { test "$(wc -l <err)" = "$1"; }

# ClickHouse: tables, then rows.
far good 200
run "$STROBE" push "clickhouse://me:secret@$at/profiles?max_threads=1" --init --service shop -i "$golden"
check "push to clickhouse succeeds" test $rc = 0
paths good >got
check "clickhouse: --init makes the database and four tables" test "$(grep -c 'CREATE.*IF NOT EXISTS' got)" = 5
check "clickhouse: rows of four tables follow" test "$(grep -o 'INSERT INTO [a-z]*' got | tr '\n' ' ')" = \
	"INSERT INTO frames INSERT INTO stacks INSERT INTO samples INSERT INTO runs "
check "clickhouse: into the database of the URL" test "$(grep -c 'INSERT.*&database=profiles&max_threads=1$' got)" = 4
check "clickhouse: the password is a header" grep -q '"Authorization": "Basic bWU6c2VjcmV0"' good/005.json
check "clickhouse: and in no message or file" test "$(grep -rl secret err state | wc -l)" = 0
"$STROBE" report -i "$golden" --stdio -F overhead,sample 2>/dev/null |
	awk '$2 ~ /^[0-9]+$/ { n += $2 } END { print n }' >want
check "clickhouse: a row per sample" test "$(wc -l <good/007.body)" = "$(cat want)"
check "clickhouse: rows are JSON with the columns of tables.sql" python3 - good "$STROBE_SOURCE" <<'EOF'
import json, re, sys
sql = open(sys.argv[2] + "/share/strobe/queries/clickhouse/tables.sql").read()
for n, name in zip((5, 6, 7, 8), ("frames", "stacks", "samples", "runs")):
    columns = re.search(rf"EXISTS {name} \((.*?)\)\s*ENGINE", sql, re.S).group(1)
    want = [c.split()[0] for c in columns.split(",")]
    rows = [json.loads(line) for line in open(f"{sys.argv[1]}/{n:03}.body")]
    assert rows and all(list(r) == want for r in rows), (name, want, rows[:1])
    assert name != "runs" or rows[0]["service"] == "shop"
EOF
check "clickhouse: nothing is left in the spool" test "$(batches)" = 0

# The others take one request.
run "$STROBE" push "pyroscope://$at" --service shop -i "$golden"
check "push to pyroscope succeeds" test $rc = 0
check "push to pyroscope uses /ingest" \
	grep -q '^/ingest?format=pprof.*&name=shop{host=golden}&from=[0-9]*&until=[0-9]*$' \
	<(paths good)
"$STROBE" export pprof -i "$golden" 2>/dev/null >want
check "pyroscope: what export pprof writes" cmp want good/009.body
run "$STROBE" push "parca://$at/prefix" -i "$golden"
check "push to parca succeeds" test $rc = 0
check "push to parca uses writeraw" grep -qx /prefix/profiles/writeraw <(paths good)
python3 -c 'import base64, json, sys
s, = json.load(open("good/010.json".replace("json", "body")))["series"]
assert {"name": "instance", "value": "golden"} in s["labels"]["labels"]
sys.stdout.buffer.write(base64.b64decode(s["samples"][0]["rawProfile"]))' >got
check "parca: what export pprof writes, in JSON" cmp want got
run "$STROBE" push "otlp://$at" -i "$golden"
check "push by otlp succeeds" test $rc = 0
check "otlp: to the collector's path" grep -qx /v1development/profiles <(paths good)
"$STROBE" export otlp -i "$golden" 2>/dev/null >want
check "otlp: what export otlp writes" cmp want good/011.body

# Failures that pass are tried again.
far flaky 503:busy "hang up" cut 200
run "$STROBE" push "pyroscope://$at" -i "$golden" --retry 20s
check "a busy server, one that hangs up, an answer cut short: tried again" test "$rc.$(ls flaky/*.json | wc -l)" = 0.4
check "each try sends the same bytes" test "$(cat flaky/*.body | wc -c)" = "$((4 * $(wc -c <flaky/000.body)))"
check "after success the spool is empty" test "$(batches)" = 0

# Those that stay keep the data.
far no 400:$'no such table\n at line 2' 200
run "$STROBE" push "clickhouse://$at" -i "$golden" --retry 20s
check "a refusal is reported" test $rc = 255
check "the error has what the server said, in one line" \
	grep -qx "strobe push: clickhouse://$at answers 400: no such table" err
check "the batch is kept, the others are sent" test "$(batches).$(ls no/*.json | wc -l)" = 1.4
check "the error tells how many bytes wait" grep -q 'bytes wait in' err
check "only the owner can read what waits" test "$(find state -name '*.batch' -perm 600 | wc -l)" = "$(batches)"
run "$STROBE" push "clickhouse://$at" --spool-only
check "--spool-only sends what waits" test "$rc.$(batches)" = 0.0

down=clickhouse://127.0.0.1:1/profiles
for _ in 1 2; do run "$STROBE" push $down -i "$golden" --retry 0s; done
check "an unreachable server is reported" test "$rc.$(grep -c "strobe push: $down: .*onnect" err)" = 255.1
check "the recording is kept once, also after two pushes" test "$(batches)" = 4
far later 200
mkdir spool
key=$(basename "$(dirname "$(find state -name '*.batch' | head -1)")")
run "$STROBE" push "clickhouse://$at/profiles" --spool spool --spool-only
check "an empty spool has nothing to send" test "$rc.$(ls later/*.json 2>/dev/null | wc -l)" = 0.0
mv state/strobe/spool/"$key"/*.batch spool/*/
run "$STROBE" push "clickhouse://$at/profiles" --spool spool --spool-only
check "what waited is sent" test "$rc.$(paths later | grep -c INSERT).$(batches spool)" = 0.4.0

run "$STROBE" push $down -i "$golden" --retry 0s --spool full --spool-size 1K
check "a full spool is reported" test "$rc.$(grep -c "strobe push: the spool '.*' is full" err)" = 255.1
check "a full spool keeps no part of the recording" test "$(batches full)" = 0

# TLS, to a real server with a certificate of our own authority.
if command -v openssl >/dev/null && command -v python3 >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=ours -days 2 2>/dev/null
	openssl req -newkey rsa:2048 -nodes -keyout tls.key -out tls.csr -subj /CN=localhost 2>/dev/null
	printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' >san
	openssl x509 -req -in tls.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san \
		-out tls.pem 2>/dev/null
	cat tls.key >>tls.pem
	FAR_TLS=$tmp/tls.pem far tls 200
	run "$STROBE" push "pyroscope+tls://me:secret@$at" -i "$golden" --retry 0s
	check "TLS: a certificate of an unknown authority is refused" \
		test "$rc.$(grep -c '^strobe push: .*ertificate' err)" = 255.1
	check "TLS: nothing is sent to an unknown server" test "$(ls tls/*.json 2>/dev/null | wc -l)" = 0
	SSL_CERT_FILE=$tmp/ca.pem run "$STROBE" push "pyroscope+tls://me:secret@$at" -i "$golden" --retry 0s
	check "TLS: with our authority it is sent" test "$rc.$(ls tls/*.json | wc -l)" = 0.2
	check "TLS: the request has the password" grep -q '"Authorization": "Basic bWU6c2VjcmV0"' tls/000.json
	SSL_CERT_FILE=$tmp/ca.pem run "$STROBE" push "otlp+tls://${at/127.0.0.1/127.0.0.2}" -i "$golden" --retry 0s
	check "TLS: a certificate of another host is refused" test "$rc.$(grep -c '^strobe push: ' err)" = 255.1
	run "$STROBE" push "otlp://$at" -i "$golden" --retry 0s
	check "no TLS to a server that wants it is reported" test "$rc.$(grep -c '^strobe push: ' err)" = 255.1
	rm -rf state
else skip_part "TLS: no openssl here"; fi

# Bad usage and damage.
for url in http://x clickhouse:// "clickhouse://u@" "clickhouse://a b" clickhouse:/x '' "clickhouse+ssl://x"; do
	run "$STROBE" push "$url" -i "$golden"
	check "'$url' is no URL to send to" test "$rc.$(grep -c 'strobe push:' err)" = 129.1
done
run "$STROBE" push
check "a URL is needed" test $rc = 129
run "$STROBE" push "$down" --retry soon -i "$golden"
check "--retry takes a time" test $rc = 129
run "$STROBE" push "otlp://$at" --init -i "$golden"
check "only tables can be made" grep -q 'needs no --init' err
run "$STROBE" push "clickhouse://$at/x;y" --init -i "$golden"
check "a database has a plain name" grep -q "is not the name of a database" err
run "$STROBE" push "clickhouse://$at" -i no.data
check "a missing input is reported" test "$rc.$(grep -c 'strobe push:' err)" = 255.1
for d in state/strobe/spool/*; do echo damage >"$d/0-0.batch"; done
run "$STROBE" push "clickhouse://$at" --spool-only
check "a damaged batch is reported" test "$rc.$(grep -c 'strobe push: .* is not a batch' err)" = 255.1
touch file
run "$STROBE" push "clickhouse://$at" --spool file -i "$golden"
check "a spool that cannot be made is reported" test "$rc.$(grep -c 'strobe push: cannot make the spool' err)" = 255.1
finish
