#!/usr/bin/env bash
# build.sh PROGRAM=SOURCE…: builds Weft.app for Macs of both kinds and a disk image with it, into build/bin/packages, on macOS. The Makefile calls it
# (make macos) when the frontend and the notices are built. It needs the command line tools of Xcode.
#
#   VERSION                      what the programs call themselves (default: of git)
#   UPDATE_ADDRESS, UPDATE_KEY   where Weft finds updates, and the public key they are signed with (default: nowhere)
#   APP_ID                       the app's identifier (default: weft.desktop)
#   SIGN_IDENTITY                the Developer ID in the keychain to sign with (default: none; then macOS asks before it opens a download)
#   NOTARY_KEY, NOTARY_KEY_ID, NOTARY_ISSUER   the file of a key for App Store Connect, its number and its issuer, to have the image notarized
set -euo pipefail
cd "$(dirname "$0")/../.."
here=build/macos out=build/bin/packages system=11.0
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
[ "$(uname -s)" = Darwin ] || fail "Weft.app can only be built on macOS."
[ $# -gt 0 ] || fail "name the programs."
for tool in clang lipo codesign hdiutil iconutil sips; do
	command -v "$tool" >/dev/null || fail "$tool is missing. Install the command line tools: xcode-select --install"
done
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
version=${version#v}
number=$(sed -n 's/^\([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p' <<<"$version")
[ -n "$number" ] || number=$(sed -n 's/.*"productVersion": "\([^"]*\)".*/\1/p' wails.json)
name=weft-$version-darwin-universal

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=$work/image/Weft.app
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources" "$out"

for entry in "$@"; do
	program=${entry%%=*} source=${entry#*=} parts=()
	flags="-s -w"
	[ "$program" != weft ] || flags="$flags -X main.version=$version -X weft/backend/desktop/update.address=${UPDATE_ADDRESS:-} -X weft/backend/desktop/update.key=${UPDATE_KEY:-}"
	for arch in arm64 amd64; do
		# UniformTypeIdentifiers is what Wails needs for its file dialogs.
		GOOS=darwin GOARCH=$arch CGO_ENABLED=1 CGO_CFLAGS="-mmacosx-version-min=$system" CGO_LDFLAGS="-framework UniformTypeIdentifiers -mmacosx-version-min=$system" \
			go build -trimpath -buildvcs=false -tags desktop,production -ldflags "$flags" -o "$work/$program-$arch" "$source"
		parts+=("$work/$program-$arch")
	done
	lipo -create -output "$app/Contents/MacOS/$program" "${parts[@]}"
done

iconset=$work/weft.iconset
mkdir "$iconset"
for size in 16 32 128 256 512; do
	sips -z $size $size build/appicon.png --out "$iconset/icon_${size}x$size.png" >/dev/null
	sips -z $((size * 2)) $((size * 2)) build/appicon.png --out "$iconset/icon_${size}x$size@2x.png" >/dev/null
done
iconutil --convert icns --output "$app/Contents/Resources/weft.icns" "$iconset"
sed -e "s|@APP_ID@|${APP_ID:-weft.desktop}|" -e "s|@NUMBER@|$number|" -e "s|@SYSTEM@|$system|" "$here/Info.plist" >"$app/Contents/Info.plist"
plutil -lint -s "$app/Contents/Info.plist"
cp CHANGELOG.md build/bin/THIRD-PARTY-NOTICES.txt "$app/Contents/Resources/"
if [ -f LICENSE ]; then cp LICENSE "$app/Contents/Resources/"; fi

# From the inside out: the signature of the app covers those of its programs. Without an identity it says only that nothing was changed.
sign=(codesign --force --sign "${SIGN_IDENTITY:--}")
[ -z "${SIGN_IDENTITY:-}" ] || sign+=(--options runtime --timestamp)
for entry in "$@"; do
	[ "${entry%%=*}" = weft ] || "${sign[@]}" "$app/Contents/MacOS/${entry%%=*}"
done
"${sign[@]}" "$app"
codesign --verify --deep --strict "$app"

ln -s /Applications "$work/image/Applications"
rm -f "$out/$name.dmg"
hdiutil create -quiet -volname Weft -srcfolder "$work/image" -fs HFS+ -format UDZO "$out/$name.dmg"
if [ -n "${SIGN_IDENTITY:-}" ]; then codesign --sign "$SIGN_IDENTITY" --timestamp "$out/$name.dmg"; fi
if [ -n "${NOTARY_KEY:-}" ]; then
	xcrun notarytool submit "$out/$name.dmg" --key "$NOTARY_KEY" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER" --wait
	xcrun stapler staple "$out/$name.dmg"
fi
(cd "$out" && shasum -a 256 weft-* >SHA256SUMS)
ls -l "$out"
