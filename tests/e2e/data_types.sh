#!/bin/bash
# report by type, typeoff, typecln: each function of a program accesses data of a known type.
. "$(dirname "$0")/lib.sh"
case $(uname -m) in x86_64 | i?86) ;; *) skip "operands are read of x86 code only" ;; esac
need_can sample
for level in O1 O2; do
	workload typed -$level
	must "$STROBE" record -q -e cpu-clock:u -F 4999 -o $level.data ./typed
	report() {
		"$STROBE" report --stdio -q --no-inline --no-children -g none -i $level.data "$@" 2>/dev/null </dev/null
	}
	report -s symoff,typeoff >by_place
	# At least this percentage of the function's samples has the type, and the others have only
	# allowed types.
	bears() {	# FUNCTION TYPE LEAST [ALLOWED]
		awk -v function_="$1" -v type="$2" -v least="$3" -v allowed="${4:-}" '
			{ split($3, place, "+"); text = $0;
			sub(/^ *[0-9.]+% +\[.\] +[^ ]+ +/, "", text); sub(/ +$/, "", text) }
			place[1] != function_ { next }
			{ all += $1 }
			text == type { good += $1; next }
			text != "(unknown)" && text != "(stack operation)" && text != allowed {
				print "not expected: " $0; bad = 1 }
			END { print type ": " good + 0 " of " all + 0;
			exit bad || !(all > 0 && good >= least / 100 * all) }' \
				by_place
	}
	while IFS=: read -r function type least allowed; do
		check "$level: $function touches $type" bears "$function" "$type" "$least" "$allowed"
	done <<-'END'
		chased:struct node +0 (next):30
		nested:struct node +0x10 (in.a):50
		united:struct node +0x38 (u.i):50
		in_array:struct node +0x48 (at):50
		twice:struct node +0x8 (key):1:struct node* +0 (no field)
		at_fixed:struct inner +0x10 (b):50
		not_exported:struct inner +0 (a):50
		through_typedef:point_t +0x4 (y):1
		elements:double +0 (no field):1
		plain:unsigned int +0 (no field):1
		from_call:struct node +0x18 (in.b):1
		local:int +0 (no field):1
	END
	report -s type >types
	check "$level: types of all members are one row" test "$(grep -c '  struct node *$' types)" = 1
	report -s typecln >lines
	check "$level: a struct's cache lines" \
		sh -c 'grep -q "  struct node: cache-line 0 *$" lines && grep -q "  struct node: cache-line 1 *$" lines'
	report -s typeoff -F overhead,typeoff >threads
	STROBE_THREADS=8 "$STROBE" report --stdio -q --no-inline --no-children -g none -i $level.data \
		-s typeoff -F overhead,typeoff 2>/dev/null >eight
	check "$level: threads do not change it" cmp threads eight
	# annotate: the same by member, and next to the code
	annotate() { "$STROBE" annotate --stdio -i $level.data "$@" 2>/dev/null </dev/null; }
	annotate --data-type >members
	check "$level: a struct with its members, their places and sizes" awk -F '\t' '
		/^Annotate type: / { in_node = /^Annotate type: .struct node. in / } !in_node { next }
		{ gsub(/ +/, " ", $1) } $1 ~ / 100.00 0 0x58 struct node$/ && $2 == " {" { whole = 1 }
		$1 ~ / 0x10 0x28 struct inner$/ && $2 == "in {" { inner = 1 }
		$1 ~ / 0x10 0x4 int$/ && $2 == "a;" { a = 1 }
		$1 ~ / 0x38 0x4 float$/ && $2 == "f;" { f = $1 + 0 }
		$1 ~ / 0x38 0x4 int$/ && $2 == "i;" { i = $1 + 0 }
		$1 ~ / point_t\[\]$/ && $2 == "at;" { at = 1 }
		END { exit !(whole && inner && a && at && f > 0 && f == i) }' members
	check "$level: members that are not nested make up the whole" awk '
		/^Annotate type: / { in_node = /.struct node. in / }
		in_node && /^ +[0-9.]+ .*\t/ { sub(/\t.*/, ""); match($0, /0x[0-9a-f]+  +/);
		if ($0 ~ /0x[0-9a-f]+      [^ ]/) sum += $1 }
		END { exit !(sum > 99.8 && sum < 100.2) }' members
	annotate --data-type=node >one
	check "$level: one type by name" test "$(grep '^Annotate' one | cut -d"'" -f2)" = 'struct node'
	run "$STROBE" annotate --data-type=nosuch -i $level.data
	check "$level: a type that nothing accessed is an error" \
		sh -c '[ "$0" = 255 ] && grep -q "no sample accessed data of type .nosuch." err' "$rc"
	annotate --data-type --type-stat >stat
	check "$level: what is known, and what is not" \
		awk '/^total / { gsub(/[,()%]/, ""); total = $2; ok = $4; bad = $7 }
		/ : no_/ { gaps += $1 } /^Annotate type/ { types++ }
		END { exit !(total > 20 && ok + bad == total && gaps == bad && ok > total / 2 && types > 4) }' stat
	annotate --code-with-type nested >code
	check "$level: types beside the code" \
		sh -c '[ $(grep -c "(%r.*# data-type: struct node +0x10 (in.a)$" code) -ge 16 ] &&
		! grep -q "ret.*data-type" code'
	# perf finds fewer types in the program, but the same where it finds one. In libraries it is
	# sometimes wrong: do_lookup_x of the dynamic linker stores through a sym_val, perf says link_map.
	if [ -n "${STROBE_PERF72:-}" ]; then
		squeeze() { sed 's/  */ /g; s/ $//' | grep -v '(unknown)$' | sort; }
		$STROBE_PERF72 report --stdio -q -g none -d typed -s symoff,typeoff -i $level.data \
			2>/dev/null </dev/null |
			squeeze >perf
		report -d typed -s symoff,typeoff | squeeze >ours
		annotate --code-with-type -d typed |
			sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):.*# data-type/\1/p' | sort -u >ours_code
		$STROBE_PERF72 annotate --stdio --code-with-type -d typed -i $level.data 2>/dev/null </dev/null |
			sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):.*# data-type/\1/p' | grep -v '(stack' |
			sort -u >perf_code
		check "$level: perf 7.2 shows types beside some code" test "$(wc -l <perf_code)" -gt 50
		check "$level: and where it does, so does annotate" sh -c '! comm -23 perf_code ours_code | grep .'
		$STROBE_PERF72 annotate --stdio --data-type=node -i $level.data 2>/dev/null </dev/null >perf_one
		check "$level: the text of a type is perf 7.2's" diff perf_one one
		check "$level: perf 7.2 names some" test "$(wc -l <perf)" -gt 5
		check "$level: what perf 7.2 names has that name here" sh -c '! comm -23 perf ours | grep .'
	else
		skip_part "STROBE_PERF72 is not set: types are not compared with perf's"
	fi
done

# Without debug information only the stack is known.
workload typed -O2 -g0 && "$STROBE" record -q -e cpu-clock:u -F 999 -o bare.data ./typed >record.log 2>&1
"$STROBE" report --stdio -q -d typed -s type -i bare.data 2>/dev/null >bare
check "without debug information all types are unknown" sh -c 'grep -q "(unknown)" bare && ! grep -q "struct" bare'
finish
