#!/usr/bin/env bash
# check.sh IMAGE: checks a disk image of Weft on macOS: what is in it, for which processors, how it is signed, and that the app serves.
set -euo pipefail
image=$1
fail() { printf 'check.sh: %s\n' "$*" >&2; exit 1; }
work=$(mktemp -d)
served=
end() {
	[ -z "$served" ] || kill "$served" 2>/dev/null || :
	hdiutil detach -quiet "$work/mounted" 2>/dev/null || :
	rm -rf "$work"
}
trap end EXIT
hdiutil attach -quiet -nobrowse -readonly -mountpoint "$work/mounted" "$image"
[ "$(readlink "$work/mounted/Applications")" = /Applications ] || fail "the image has no link to the applications."
cp -R "$work/mounted/Weft.app" "$work/Weft.app"
programs=$work/Weft.app/Contents/MacOS
for program in "$programs"/*; do
	lipo "$program" -verify_arch arm64 x86_64 || fail "${program##*/} isn't for Macs of both kinds."
done
codesign --verify --deep --strict "$work/Weft.app"
if [ -n "${NOTARY_KEY:-}" ]; then
	xcrun stapler validate "$image"
	spctl --assess --type execute "$work/Weft.app"
fi
"$programs/weft" --version
"$programs/weft" serve --data "$work/data" --settings "$work/settings.json" >"$work/said" 2>&1 &
served=$!
for _ in $(seq 100); do
	base=$(sed -n 's/^For programs: \(http[^ ]*\) .*/\1/p' "$work/said")
	if [ -n "$base" ] && curl --fail --silent --output /dev/null "$base/api/health"; then
		echo "Weft serves."
		exit 0
	fi
	kill -0 "$served" 2>/dev/null || break
	sleep 0.1
done
cat "$work/said" >&2
fail "weft serve didn't answer."
