#!/usr/bin/env bash
# build.sh PROGRAM…: packages the programs in build/bin for this machine's architecture, into build/bin/packages.
# make packages runs it, after it has built the programs. Two runs on one commit give the same bytes.
#
#   MAINTAINER  name and address in the packages (default: of the author of the commit)
#   REPOSITORY  owner/name on GitHub, for the addresses in the packages (default: of the remote "origin", if it is there)
set -euo pipefail
cd "$(dirname "$0")/../.."
here=build/packages out=build/bin/packages tree=build/bin/packages/tree
nfpm=${NFPM:-go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2}
gomod=${CYCLONEDX:-go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0}
export LC_ALL=C TZ=UTC
umask 022

fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
[ $# -gt 0 ] || fail "name the programs."
for tool in rsvg-convert appstreamcli desktop-file-validate; do
	command -v "$tool" >/dev/null || fail "$tool is missing. On Debian and Ubuntu: apt install librsvg2-bin appstream desktop-file-utils"
done

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
MTIME=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
ARCH=$(go env GOARCH)
case $ARCH in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*) fail "there are packages for amd64 and arm64 only, not for $ARCH." ;;
esac
# A release is a commit with a tag. Any other one comes before the next release, in the order of time.
if tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null); then
	version=${tag#v}
else
	version=$(sed -n 's/.*"productVersion": "\([^"]*\)".*/\1/p' wails.json)
	version=$version-git$(date -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S)
fi
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "$version isn't a version such as 1.2.3 or 1.2.3-rc1."
MAINTAINER=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
REPOSITORY=${REPOSITORY:-${GITHUB_REPOSITORY:-$(git remote get-url origin 2>/dev/null | sed -n 's|.*github\.com[:/]\([^/]*/[^/]*\)$|\1|p' | sed 's/\.git$//' || :)}}
if [ -n "$REPOSITORY" ]; then
	owner=$(tr '[:upper:]' '[:lower:]' <<<"${REPOSITORY%%/*}" | tr -c 'a-z0-9\n' '_')
	HOMEPAGE=https://github.com/$REPOSITORY
	app=io.github.$owner.weft
	developer=io.github.$owner
	urls="<url type=\"homepage\">$HOMEPAGE</url><url type=\"bugtracker\">$HOMEPAGE/issues</url>"
else
	HOMEPAGE='' app=weft.desktop developer=weft urls=
fi
if [ -f LICENSE ]; then
	LICENSE_NAME=${LICENSE_NAME:-SEE LICENSE}
	appstream_license=LicenseRef-LICENSE
	own=$(cat LICENSE)
else
	LICENSE_NAME="All rights reserved"
	appstream_license=LicenseRef-proprietary
	own="Copyright $(date -d "@$SOURCE_DATE_EPOCH" +%Y) the owners of Weft. All rights reserved."
fi

rm -rf "$out"
mkdir -p "$tree"/usr/{bin,lib/weft,share}
share=$tree/usr/share
for program in "$@"; do
	install -m 755 "build/bin/$program" "$tree/usr/lib/weft/$program"
done
ln -s ../lib/weft/weft "$tree/usr/bin/weft"

install -Dm 644 "$here/weft.desktop" "$share/applications/weft.desktop"
desktop-file-validate "$share/applications/weft.desktop"
for size in 16 22 24 32 36 48 64 72 96 128 192 256 512; do
	icon=$share/icons/hicolor/${size}x$size/apps/weft.png
	mkdir -p "$(dirname "$icon")"
	rsvg-convert --width "$size" --height "$size" --output "$icon" build/appicon.svg
done
install -Dm 644 build/appicon.svg "$share/icons/hicolor/scalable/apps/weft.svg"
metainfo=$share/metainfo/${app%.desktop}.metainfo.xml
mkdir -p "$share/metainfo"
sed -e "s|@APP_ID@|$app|" -e "s|@DEVELOPER_ID@|$developer|" -e "s|@LICENSE@|$appstream_license|" -e "s|@URLS@|$urls|" \
	-e "s|@VERSION@|${version/-/\~}|" -e "s|@DATE@|${MTIME%%T*}|" "$here/weft.metainfo.xml" | sed '/^ *$/d' >"$metainfo"
# Without an address of its own, the component can't be named after one.
unnamed=()
[ -n "$REPOSITORY" ] || unnamed=(--override=cid-desktopapp-is-not-rdns=info)
appstreamcli validate --no-net "${unnamed[@]}" "$metainfo"

go run ./build/packages/manual -program build/bin/weft -out "$share" -date "$SOURCE_DATE_EPOCH" -version "$version"
gzip -9n "$share/man/man1/weft.1"
doc=$share/doc/weft
install -Dm 644 CHANGELOG.md "$doc/CHANGELOG.md"
install -Dm 644 build/bin/THIRD-PARTY-NOTICES.txt "$doc/THIRD-PARTY-NOTICES.txt"
printf '%s\n\n%s\n' "$own" "Weft contains the work of others under their own licenses: see THIRD-PARTY-NOTICES.txt in this folder." >"$doc/copyright"

# settle gives a tree the time of the commit and the same modes everywhere.
settle() {
	find "$1" -type d -exec chmod 755 {} +
	find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# The archive: the same tree without /usr, and the script that installs it.
name=weft-$version-linux-$ARCH
mkdir "$out/$name"
cp -a "$tree"/usr/. "$out/$name"
sed "s/@MACHINE@/$machine/g" "$here/install.sh" >"$out/$name/install.sh"
chmod 755 "$out/$name/install.sh"
cp "$doc/copyright" "$out/$name/COPYRIGHT"
settle "$out/$name"
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" | gzip -n >"$out/$name.tar.gz"
rm -rf "${out:?}/$name"

# package FORMAT SUFFIX: GitHub has no ~ in the names of files, so all of them are named alike. Arch Linux has no sign for what comes before a
# version, but letters behind it do. Debian counts no releases of a package that isn't made from someone else's source.
package() {
	# shellcheck disable=SC2034
	local VERSION=$version SCHEMA=semver RELEASE=1 TREE=$tree config key
	# shellcheck disable=SC2034
	case $1 in
	archlinux) VERSION=${version/-/} SCHEMA=none ;;
	deb) RELEASE= ;;
	esac
	config=$(<"$here/nfpm.yaml")
	for key in VERSION SCHEMA RELEASE TREE ARCH MAINTAINER HOMEPAGE LICENSE_NAME; do
		config=${config//"@$key@"/"${!key}"}
	done
	[[ $config != *@[A-Z_]*@* ]] || fail "nfpm.yaml has a name that isn't known here."
	# Weft reads there how it is updated.
	printf '%s\n' "$1" >"$tree/usr/lib/weft/package"
	settle "$tree"
	printf '%s\n' "$config" >"$out/nfpm.yaml"
	$nfpm package --config "$out/nfpm.yaml" --packager "$1" --target "$out/$name.$2" | sed '/^using/d'
	rm "$out/nfpm.yaml"
}
settle "$tree"
package rpm rpm
package archlinux pkg.tar.zst
package apk apk
# Debian has its own changelog, its own folder for zsh, and reasons for what lintian doesn't expect.
mkdir -p "$share/zsh/vendor-completions" "$share/lintian/overrides"
mv "$share/zsh/site-functions/_weft" "$share/zsh/vendor-completions/_weft"
rmdir "$share/zsh/site-functions"
install -m 644 "$here/lintian-overrides" "$share/lintian/overrides/weft"
printf 'weft (%s) unstable; urgency=medium\n\n  * CHANGELOG.md in this folder has the changes.\n\n -- %s  %s\n' \
	"${version/-/\~}" "$MAINTAINER" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
settle "$tree"
package deb deb
rm -rf "$tree"

# bom NAME PROGRAM …: writes the bill of materials of programs, which are given by their paths.
bom() {
	local to=$out/$1.cdx.json program boms=()
	shift
	for program in "$@"; do
		boms+=("$out/$(basename "$program").bom.json")
		$gomod bin -json -noserial -notimestamp -std -output-version 1.6 -version "$version" -output "${boms[-1]}" "$program" 2>/dev/null
	done
	go run ./build/notices -sbom -json frontend/dist/notices.json.gz "${boms[@]}" >"$to"
	rm -f "${boms[@]}"
}
bom "$name" "${@/#/build/bin/}"

# windows PROGRAM …: an archive and an installer. Weft needs no weft-supervise there: Windows ends trees of processes itself.
windows() {
	local name=weft-$version-windows-amd64 files=build/bin/windows program files_of=()
	mkdir -p "$out/$name"
	for program in "$@"; do
		install -m 755 "$files/$program.exe" "$out/$name/$program.exe"
	done
	cp CHANGELOG.md build/bin/THIRD-PARTY-NOTICES.txt "$out/$name"
	printf '%s\n\n%s\n' "$own" "Weft contains the work of others under their own licenses: see THIRD-PARTY-NOTICES.txt in this folder." >"$out/$name/COPYRIGHT.txt"
	settle "$out/$name"
	build/windows/package.sh "$out/$name" "$version" "$files/weft.ico"
	for program in "$@"; do files_of+=("$files/$program.exe"); done
	bom "$name" "${files_of[@]}"
	rm -rf "${out:?}/$name"
}
if [ "$ARCH" != amd64 ]; then
	:
elif command -v makensis >/dev/null; then
	windows weft weft-agent
else
	echo "Left out: the archive and the installer for Windows. Install nsis to build them, on Debian and Ubuntu: apt install nsis"
fi
(cd "$out" && sha256sum -- weft-* >SHA256SUMS)
echo "Packages of Weft $version for $ARCH:"
(cd "$out" && ls -l -- *)
