#!/bin/bash
# test --hardware on a PMU that counts and samples, as root and as an ordinary user, beside the guest's perf; and what
# a result file is: without names, and the same lines on another machine.
. "$(dirname "$0")/lib_vm.sh"
vm aarch64 bookworm "$libraries"
static_strobe aarch64

cat >share/guest.sh <<'G'
mkdir -p /tmp/user && cp strobe /tmp/user/ && chmod -R a+rwx /tmp/user
./strobe test --hardware -o root.json >root.txt 2>root.err; echo "root $?" >status
echo 2 >/proc/sys/kernel/perf_event_paranoid
cd /tmp/user
echo 'one:x:1000:1000::/tmp/user:/bin/sh' >/tmp/passwd && mount -o bind /tmp/passwd /etc/passwd
su -s /bin/sh one -c 'exec ./strobe test --hardware -o user.json >user.txt 2>user.err'
echo "user $?" >>/mnt/status
cp user.* /mnt/
G
guest --icount 0
cd share || exit 1
for who in root user; do
	check "$who: ends well" grep -qx "$who 0" status
	check "$who: each line has a verdict" \
		sh -c "test -s $who.txt && ! grep -vE '^[a-z0-9-]+ +(works|differs|refused) +[^:]+: .' $who.txt"
	for feature in page-faults breakpoint instructions cycles group multiplexed clock-samples chain \
		cycles-samples; do
		check "$who: $feature works" grep -q "^$feature  *works" $who.txt
	done
	check "$who: perf agrees" grep -q '^instructions .*; perf has the same$' $who.txt
	run "$STROBE" test --hardware -i $who.json
	check "$who: the file gives the same lines on another machine" cmp out $who.txt
	check "$who: it has no path, no user and no name" \
		sh -c "! grep -qE '/(mnt|tmp|root)|\"one\"|\"root\"' $who.json"
done
finish
