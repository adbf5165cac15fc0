#!/bin/bash
# Linux 5.10: strobe drops features that it does not know, the newest first, and says so.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bullseye
static_strobe x86_64

cat >share/guest.sh <<'G'
record() { name=$1; shift; ./strobe record -o $name.data "$@" >$name.log 2>&1; echo "$name $?" >>status; }
uname -r >release
record plain -e cpu-clock ./spin 0.2
record group -e '{cpu-clock,cs}:S' ./spin 0.2
record weight -W -e cpu-clock ./spin 0.2
record page --data-page-size -d -e cpu-clock ./spin 0.1
for f in plain group weight; do ./strobe report --stdio -i $f.data >$f.report 2>>report.err; done
G
guest
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
check "it is an old one" grep -q '^5\.10\.' release
for name in plain group weight; do
	check "$name: is recorded" test "$(status $name)" = 0
	check "$name: can be read" grep -q leaf $name.report
done
check "weight: the newer form is left out, and a message says so" \
	grep -q 'does not know structured weights: recorded without' weight.log
check "no message about what is not missing" sh -c "! grep -q 'does not know' plain.log"
check "group: children cannot be followed" grep -q 'does not know inherited group reads' group.log
check "what was asked for is not left out" test "$(status page)" = 255
check "but named" grep -q 'this kernel does not know --data-page-size' page.log
check "reports say nothing odd" sh -c '! grep -v "^# Quality:" report.err'
finish
