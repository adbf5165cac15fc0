#!/bin/bash
# test --hardware: every feature gets a verdict, and a result file gives the same lines again, also that of
# another machine.
. "$(dirname "$0")/lib.sh"
golden=$STROBE_SOURCE/tests/golden/hardware

for words in "leafloop" "-w leafloop" "--list-workloads"; do
	# shellcheck disable=SC2086
	run "$STROBE" test --hardware $words
	check "--hardware takes no $words" test $rc = 129
done
run "$STROBE" test --hardware -o result.json
check "test --hardware succeeds on any machine" test $rc = 0
check "each line has a verdict" sh -c '! grep -vE "^[a-z0-9-]+ +(works|differs|refused) +[^:]+: ." out'
check "features of any machine are there" \
	sh -c '[ "$(grep -cE "^(page-faults|breakpoint|instructions|multiplexed|chain|branch-stack) " out)" = 6 ]'
if ! can count sample; then
	skip_part "counts: this machine cannot: $why_not"
else
	# Sanitizers touch pages of their own.
	[ -n "${STROBE_SANITIZED:-}" ] || check "faults of fresh pages are counted" grep -q '^page-faults  *works' out
	check "samples of a clock are in the loop" grep -q '^clock-samples  *works' out
	check "three known calls are in the chains" grep -q '^chain  *works' out
fi
cp out first
check "the file does not tell the machine's name, the user, or paths" \
	sh -c "! grep -qwE '$(uname -n | tr -cd a-zA-Z0-9-)|$(id -un)|home|tmp|usr|mnt' result.json &&
	! grep -q '[\" ]/' result.json"
check "the result has the PMUs of sysfs" sh -c 'grep -q "{ \"pmu\": \"software\"," result.json'
run "$STROBE" test --hardware -i result.json
check "the file gives the same lines" cmp out first

# --- beside perf: one that says what it opens, and one that is refused
mkdir bin
cat >bin/perf <<'EOS'
#!/bin/sh
echo "perf_event_attr:
  type                             1
  size                             128
  config                           0x5
------------------------------------------------------------" >&2
for word; do
	[ "$previous" != -o ] || file=$word
	previous=$word
done
case "$*" in
*' 1000') echo "1242,,minor-faults:u,1,100.00,," >"$file" ;;
*) echo "242,,minor-faults:u,1,100.00,," >"$file" ;;
esac
EOS
chmod +x bin/perf
if can count; then
	run env PATH="$tmp/bin:$PATH" "$STROBE" test --hardware -o peer.json
	check "perf counts the same" grep -q '^page-faults .*; perf has the same$' out
	if grep -q '^time-stamp  *works' first; then
		check "another attr is reported" \
			grep -q '^time-stamp  *differs .*; perf opens type 1 config 0x5,0 instead' out
	fi
	run "$STROBE" test --hardware -i peer.json
	check "the result keeps perf's count" grep -q '^page-faults .*; perf has the same$' out
	printf '#!/bin/sh\nexit 255\n' >bin/perf
	run env PATH="$tmp/bin:$PATH" "$STROBE" test --hardware
	check "that perf is refused is a difference" grep -q '^page-faults  *differs .*; perf is refused$' out
	ln -sf "$STROBE" bin/perf
	run env PATH="$tmp/bin" "$STROBE" test --hardware
	check "strobe is not its own peer" sh -c '! grep -q "; perf" out'
fi
keep_level
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . && mkdir -m 777 user
	cp "$STROBE" user/
	run sh -c 'cd user && setpriv --reuid 65534 --regid 65534 --clear-groups \
		env PATH=/usr/bin:/bin ./strobe test --hardware -o user.json'
	check "an ordinary user can run it" test $rc = 0 -a -s user/user.json
	check "there are verdicts for each feature, too" sh -c '[ "$(wc -l <out)" = "$(wc -l <first)" ]'
else
	skip_part "as an ordinary user: needs root and setpriv"
fi
let_level
for file in "$golden"/*.json; do
	run "$STROBE" test --hardware -i "$file"
	check "$(basename "$file"): the verdicts are those that it holds" \
		sh -c "sed -n 's/.*\"feature\": \"\([^\"]*\)\", \"verdict\": \"\([^\"]*\)\".*/\1 \2/p' '$file' >want
		awk '{ print \$1, \$2 }' out | cmp - want"
done
echo '{"features": [{"feature": "nosuch"}]}' >bad.json
run "$STROBE" test --hardware -i bad.json
check "an unknown feature is reported" grep -q "has the unknown feature 'nosuch'" err
echo '{' >bad.json
run "$STROBE" test --hardware -i bad.json
check "a result with bad JSON is refused" grep -q "cannot read 'bad.json': bad JSON in line 2" err
run "$STROBE" test -o x.json
check "-o without --hardware is bad usage" test $rc = 129
finish
