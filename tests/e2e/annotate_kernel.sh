#!/bin/bash
# Code of a kernel from its image, of its modules from their files, plain and compressed, and of the
# running kernel from its memory.
. "$(dirname "$0")/lib.sh"
need cc ld awk
[ "$(uname -m)" = x86_64 ] || skip "the code that is shown is x86-64's"
listing=$STROBE_SOURCE/tests/e2e/workloads/listing.s
export PERF_BUILDID_DIR=/dev/null

cc -c -o listing.o "$listing" &&
	ld -Ttext=0xffffffff81000000 -e _text --build-id=none -o vmlinux listing.o ||
	skip "no code can be made here"
{
	cat "$listing"
	printf '\t.section .note.gnu.build-id,"a",@note\n\t.long 4,5,3\n\t.asciz "GNU"\n\t.byte 1,2,3,4,5,0,0,0\n'
} >module.s
ko=root/lib/modules/1/kernel/listing.ko
mkdir -p "$(dirname $ko)" root/src && cc -c -o $ko module.s || exit 1
yes '	line();' | head -30 >root/src/listing.c
check "the recording is made" "$STROBE_BUILD/tests/tui-profile" kernel k.data

annotate() { run "$STROBE" annotate --stdio -i k.data --symfs root "$@"; }
# "percent address text" of instruction rows, by offset from the function's start; targets are places in the function
rows() {
	awk -F ' : ' \
		'/^ *[0-9][0-9. ]* :/ { split($2, a, ":"); gsub(/ /, "", a[1]); p = $1;
		gsub(/ /, "", p); t = $2; sub(/^[^:]*: */, "", t);
		print p, substr(a[1], length(a[1]) - 1), t }' \
		"$@"
}

annotate -k vmlinux --no-source -d '[kernel.kallsyms]' count_words
check "kernel code comes from -k VMLINUX" test "$(rows out | wc -l)" = 16
check "shares add up to 100" awk '{ s += $1 } END { exit !(s > 99.9 && s < 100.1) }' <(rows out)
check "kernel code is shown at the recorded addresses" grep -q '34.01 :   ffffffff8200000b: ' out
check "jumps lead to recorded addresses" grep -q 'ffffffff82000022: *call   ffffffff82000029 <store_result>' out
annotate -k vmlinux -d '[kernel.kallsyms]' count_words
check "source lines stand between" grep -q ': 7 .*line();' out
annotate -k vmlinux -l -d '[kernel.kallsyms]' count_words
check "-l shows the hottest line" grep -Eq '^ +64\.6[0-9] +listing.c:7$' out
annotate --ignore-vmlinux count_words -d '[kernel.kallsyms]'
check "without an image annotate fails: no kernel code" test $rc = 255

rows_of_module() {
	annotate -k vmlinux --no-source -d '[listing]' count_words
	test "$(rows out | wc -l)" = 16 && grep -q '34.01 : *b: *movzbl (%rsi),%ecx' out
}
check "a module's code comes from its file" rows_of_module
annotate -k vmlinux -d '[listing]' count_words
check "source lines of the module are shown" grep -q ': 7 .*line();' out
for how in xz zstd gzip; do
	if ! command -v $how >/dev/null; then skip_part "no $how here"; continue; fi
	case $how in xz) end=xz options=--check=crc32 ;; zstd) end=zst options=-q ;; *) end=gz options=-n ;; esac
	cp $ko kept.ko && $how $options -c kept.ko >$ko.$end && rm $ko
	"$STROBE_BUILD/tests/tui-profile" kernel k.data /lib/modules/1/kernel/listing.ko.$end
	check "a module compressed by $how is read" rows_of_module
	annotate -k vmlinux -d '[listing]' count_words
	check "source lines of the kept module are shown" grep -q ': 7 .*line();' out
	if command -v objdump >/dev/null; then	# objdump cannot read it in this form
		annotate --objdump objdump --no-source -d '[listing]' count_words
		check "objdump shows the module's instructions too" \
			sh -c "grep -q '34.01 : *b: *movzbl (%rsi),%ecx' out &&
			[ \$(grep -c '^ *[0-9.]* : *[0-9a-f]*:' out) = 16 ]"
	fi
	rm $ko.$end && cp kept.ko $ko
done
"$STROBE_BUILD/tests/tui-profile" kernel k.data
printf '\001' |
	dd of=$ko bs=1 \
	seek=$(($(LC_ALL=C grep -aobF "$(printf 'GNU')" $ko | head -1 | cut -d: -f1) + 4)) conv=notrunc 2>/dev/null
printf '\011' |
	dd of=$ko bs=1 \
	seek=$(($(LC_ALL=C grep -aobF "$(printf 'GNU')" $ko | head -1 | cut -d: -f1) + 5)) conv=notrunc 2>/dev/null
annotate -k vmlinux -d '[listing]' count_words
check "a module of another build is not taken for the recorded one" test $rc = 255

# without a build-id: use the file that the user names, the one of the recorded release, or names
# from the kernel's list
"$STROBE_BUILD/tests/tui-profile" kernel k.data /lib/modules/1/kernel/listing.ko 9.8.7-strobe
cp kept.ko $ko
check "without a build-id, annotate takes the module below --symfs" rows_of_module
for release in 9.8.7-strobe 9.8.7; do
	{
		cat module.s
		printf '\t.section .modinfo,"a"\n\t.asciz "license=GPL"\n\t.asciz "vermagic=%s SMP mod_unload"\n' \
			$release
	} >made.s
	cc -c -o listing.ko made.s || exit 1
	"$STROBE_BUILD/tests/tui-profile" kernel k.data "$tmp/listing.ko" 9.8.7-strobe
	run "$STROBE" annotate --stdio -i k.data --no-source -d '[listing]' count_words
	case $release in
	9.8.7) check "a module of another kernel without a build-id is refused" \
		sh -c "test $rc = 255 && grep -q 'nothing tells that the module' err" ;;
	*) check "a module of the recorded kernel without a build-id is taken" \
		grep -q '34.01 : *b: *movzbl (%rsi),%ecx' out ;;
	esac
done
mkdir -p kept.data/kcore_dir && "$STROBE_BUILD/tests/tui-profile" kernel kept.data/data
for at in 0 4; do	# names of the recorded boot, stored in the recording, but not its memory
	printf 'ffffffff82000000 T _text\nffffffffc010000%s t count_words\t[listing]\n'\
'ffffffffc01000%x t store_result\t[listing]\n' \
		$at $((0x29 + at)) >kept.data/kcore_dir/kallsyms
	run "$STROBE" annotate --stdio -i kept.data --symfs root -d '[listing]' count_words
	case $at in
	0) check "names of a list, code and lines of the module's file" \
		sh -c "grep -q ': 7 .*line();' out && grep -q '34.01 : *b: *movzbl' out" ;;
	*) check "no code of a file whose functions lie elsewhere" test $rc = 255 ;;
	esac
done

# the running kernel: code from its memory, shares as perf shows them
if [ "$(id -u)" = 0 ] && can kernel symbols kcore; then
	must "$STROBE" record -q -e cpu-clock:k -F 5000 -o live.data dd if=/dev/zero of=/dev/null bs=64k count=20000
	hot=$("$STROBE" report -i live.data --stdio -q --no-children -s symbol 2>/dev/null |
		awk '$2 == "[k]" && NF == 3 { print $3; exit }')
	run "$STROBE" annotate --stdio -i live.data --no-source "$hot"
	check "code of the running kernel comes from its memory: $hot" \
		awk '{ s += $1; n++ } END { exit !(n > 2 && s > 99.5 && s < 100.5) }' <(rows out)
	run "$STROBE" annotate --stdio -v -i live.data --no-source "$hot"
	check "-v says that the code comes from /proc/kcore" grep -q 'code from /proc/kcore' err
else
	skip_part "the running kernel's memory: not root, or this machine cannot: $why_not"
fi
finish
