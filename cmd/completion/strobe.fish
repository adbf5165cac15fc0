# Completion of strobe for fish. To load it: strobe completion fish | source
#
# strobe itself completes a word ("strobe completion --line"); see cmd/completion/line.c for its answer.

function __strobe_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
	set -l answer (command $program completion --line -- $words[2..-1] "$current" 2>/dev/null)
	if test -z "$answer[1]"
		set answer (command strobe completion --line -- $words[2..-1] "$current" 2>/dev/null)
	end
	test -n "$answer[1]"; or return
	set -l kind (string split -m 1 \t -- $answer[1])
	set -l prefix $kind[2]
	set -l part (string sub -s (math (string length -- "$prefix") + 1) -- "$current")
	for line in $answer[2..-1]
		printf '%s\n' "$prefix$line"
	end
	switch $kind[1]
		case file
			for name in (__fish_complete_path "$part")
				printf '%s\n' "$prefix$name"
			end
		case directory
			for name in (__fish_complete_directories "$part" '')
				printf '%s\n' "$prefix$name"
			end
		case program
			complete -C "$part" | string match -r '^[^\t]+' | string replace -r '^' -- "$prefix"
			__fish_complete_path "$part"
	end
end

complete -c strobe -e
complete -c strobe -f -a '(__strobe_complete)'
# An installed perf may have brought its own completion.
if not complete -c perf | string match -q '*'
	complete -c perf -f -a '(__strobe_complete)'
end
