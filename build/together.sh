#!/usr/bin/env bash
# together.sh NAME COMMAND [NAME COMMAND]…: runs commands at the same time, marks each line with whose it is, and says how long each took, of
# which how much on a processor.
# It fails if one of them fails; the others run to their end, so that one run shows all that is wrong. What a failed one said of its failure
# and its last lines are printed once more at the end: that is what the end of a log shows.
set -uo pipefail
cd "$(dirname "$0")/.."

said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

pids=() names=()
while [ $# -ge 2 ]; do
	name=$1 command=$2
	shift 2
	(
		from=$SECONDS
		bash -c "$command" 2>&1 | tee "$said/$name" | sed -u "s/^/$(printf '%-4s' "$name")| /"
		code=${PIPESTATUS[0]}
		# Its second line is what the commands took: "2m3.4s 0m5.6s", user and system.
		times >"$said/$name.times"
		used=$(awk 'NR == 2 { split($1 " " $2, t, /[ms ]+/); printf "%d", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$said/$name.times")
		printf '%-4s| %s after %d s, %d s of a processor\n' "$name" "$([ "$code" -eq 0 ] && echo passed || echo FAILED)" $((SECONDS - from)) "$used"
		exit "$code"
	) </dev/null &
	pids+=($!) names+=("$name")
done
trap 'kill "${pids[@]}" 2>/dev/null' INT TERM

# What begins the report of a failure. The lines behind "--- FAIL" that are indented, and some behind the number that a browser test has, say
# what was expected and where.
fault='--- FAIL|^FAIL|^panic:|DATA RACE| FAIL |AssertionError|✘|×|^ +[0-9]+\\) |lint/|error TS'
failed=()
for i in "${!pids[@]}"; do
	wait "${pids[i]}" || failed+=("${names[i]}")
done
if [ ${#failed[@]} -gt 0 ]; then
	for name in "${failed[@]}"; do
		echo "== $name failed:"
		awk -v fault="$fault" '$0 ~ fault { print substr($0, 1, 600); left = /--- FAIL|^ +[0-9]+\) / ? 30 : 0; next } left && /^([ \t]|$)/ { print substr($0, 1, 600); left--; next } { left = 0 }' "$said/$name" | head -200
		echo "== the last lines of $name:"
		tail -n 25 "$said/$name"
	done
	echo "Failed: ${failed[*]}"
	exit 1
fi
