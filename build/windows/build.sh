#!/usr/bin/env bash
# build.sh OUT PROGRAM=SOURCE…: builds the programs for Windows into the folder OUT, on Linux or any other system that Go runs on.
# The Makefile calls it with the programs that it has. The frontend and the notices must have been built.
#
#   VERSION         what the programs call themselves (default: of git, as for Linux)
#   UPDATE_ADDRESS, UPDATE_KEY   where Weft finds updates, and the public key they are signed with (default: nowhere)
#   WINRES          go-winres, where the default isn't wanted
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
winres=${WINRES:-go run github.com/tc-hib/go-winres@v0.3.3}
export LC_ALL=C TZ=UTC
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
[ $# -gt 0 ] || fail "name the programs."
VERSION=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
# What Windows shows as the version has four numbers.
number=$(sed -n 's/^v\{0,1\}\([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p' <<<"$VERSION")
[ -n "$number" ] || number=$(sed -n 's/.*"productVersion": "\([^"]*\)".*/\1/p' wails.json)

work=$(mktemp -d)
resources=()
trap 'rm -rf "$work" "${resources[@]}"' EXIT
for entry in "$@"; do
	program=${entry%%=*} source=${entry#*=}
	case $program in
	weft) description="Weft" ;;
	weft-agent) description="Weft, built-in agent" ;;
	*) description="Weft, $program" ;;
	esac
	cp build/appicon.png "$work/icon.png"
	cp build/windows/weft.exe.manifest "$work/manifest.xml"
	cat >"$work/winres.json" <<-JSON
		{
		  "RT_GROUP_ICON": { "APP": { "0000": "icon.png" } },
		  "RT_MANIFEST": { "#1": { "0409": "manifest.xml" } },
		  "RT_VERSION": { "#1": { "0409": {
		    "fixed": { "file_version": "$number.0", "product_version": "$number.0" },
		    "info": { "0409": {
		      "CompanyName": "Weft", "ProductName": "Weft", "FileDescription": "$description", "OriginalFilename": "$program.exe",
		      "FileVersion": "$number", "ProductVersion": "$VERSION", "InternalName": "$program"
		    } }
		  } } }
		}
	JSON
	# Go links what it finds under this name beside the source.
	resources+=("$source/rsrc_windows_amd64.syso")
	GOOS='' GOARCH='' $winres make --in "$work/winres.json" --arch amd64 --out "$source/rsrc"
	flags="-s -w"
	[ "$program" != weft ] || flags="$flags -X main.version=$VERSION -X weft/backend/desktop/update.address=${UPDATE_ADDRESS:-} -X weft/backend/desktop/update.key=${UPDATE_KEY:-}"
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags desktop,production -ldflags "$flags" -o "$out/$program.exe" "$source"
done
# The icon in the form that the installer takes.
$winres extract --dir "$work/extracted" "$out/weft.exe"
cp "$work"/extracted/*.ico "$out/weft.ico"
