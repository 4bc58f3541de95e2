#!/usr/bin/env bash
# notes.sh TAG: prints what CHANGELOG.md says of a version, for the notes of its release.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1:?name the tag, such as v1.2.3}
version=${version#v}
notes=$(awk -v version="$version" '
	/^## / { inside = ($2 == version || $2 == "[" version "]"); next }
	inside { print }' CHANGELOG.md | sed -e '/./,$!d')
[ -n "$notes" ] || { echo "notes.sh: CHANGELOG.md has no section for $version. Rename the section Unreleased, and tag that commit." >&2; exit 1; }
printf '%s\n' "$notes"
