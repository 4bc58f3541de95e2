#!/bin/sh
# Installs Weft for one user, without root.
#
#   ./install.sh                   install or update it below ~/.local
#   ./install.sh --prefix DIR      the same below DIR
#   ./install.sh --uninstall       remove it again; conversations and settings stay
set -eu

prefix=${HOME:?HOME is not set}/.local
uninstall=
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
while [ $# -gt 0 ]; do
	case $1 in
	--prefix) [ $# -ge 2 ] || fail "--prefix needs a folder."; prefix=$2; shift ;;
	--uninstall) uninstall=1 ;;
	-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*) fail "unknown option $1. See ./install.sh --help." ;;
	esac
	shift
done
case $prefix in
/*) ;;
*) prefix=$(pwd)/$prefix ;;
esac
case $prefix in
*[\"\\\`\$%]* | *"
"*) fail "$prefix has characters that a desktop entry can't hold. Choose another folder." ;;
esac

list=$prefix/lib/weft/installed-files # one path below prefix a line
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# remove_listed takes away the files of an earlier list that are not in a new one, and folders that are empty then.
remove_listed() {
	while IFS= read -r file; do
		case $file in '' | /* | ../* | */../*) continue ;; esac
		if [ -n "$2" ] && grep -Fxq -- "$file" "$2"; then continue; fi
		rm -f -- "$prefix/$file"
		(cd "$prefix" 2>/dev/null && rmdir -p -- "$(dirname -- "$file")" 2>/dev/null) || :
	done <"$1"
}

# refresh tells the desktop what has changed, where the programs for that are there.
refresh() {
	if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q "$prefix/share/applications" 2>/dev/null || :; fi
	if command -v gtk-update-icon-cache >/dev/null 2>&1 && [ -f "$prefix/share/icons/hicolor/index.theme" ]; then
		gtk-update-icon-cache -q -f "$prefix/share/icons/hicolor" 2>/dev/null || :
	fi
}

if [ -n "$uninstall" ]; then
	[ -f "$list" ] || fail "Weft isn't installed below $prefix."
	copy=$(mktemp)
	trap 'rm -f "$copy"' EXIT
	cp -- "$list" "$copy"
	rm -f -- "$list"
	rm -rf -- "$prefix/lib/weft/update" # what Weft keeps there while it updates itself
	remove_listed "$copy" ""
	if [ -d "$prefix" ]; then refresh; fi
	echo "Weft was removed from $prefix. Your conversations and settings are still there (~/.local/share/weft, ~/.config/weft)."
	exit 0
fi

[ -x "$here/lib/weft/weft" ] || fail "lib/weft/weft is missing beside this script. Unpack the archive again."
case $(uname -m) in
@MACHINE@) ;;
*) fail "these programs are for @MACHINE@, and this machine is $(uname -m). Download the other archive." ;;
esac
if ldd "$here/lib/weft/weft" 2>&1 | grep -q 'version .GLIBC_.* not found'; then
	fail "this system is too old: Weft needs glibc 2.36, as in Debian 12, Ubuntu 24.04 and later ones."
fi
missing=$(ldd "$here/lib/weft/weft" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/  \1/p')
if [ -n "$missing" ]; then
	fail "these libraries are missing:
$missing
Install WebKitGTK 4.1 and run this again:
  Debian, Ubuntu  sudo apt install libwebkit2gtk-4.1-0
  Fedora          sudo dnf install webkit2gtk4.1
  openSUSE        sudo zypper install libwebkit2gtk-4_1-0
  Arch Linux      sudo pacman -S webkit2gtk-4.1"
fi
mkdir -p -- "$prefix" 2>/dev/null || fail "couldn't create $prefix. Choose another folder with --prefix."
[ -w "$prefix" ] || fail "couldn't write to $prefix. Choose another folder with --prefix."

escaped=$(printf '%s' "$prefix" | sed 's/[&|]/\\&/g')
new=$(mktemp) old='' part=''
trap 'rm -f -- "$new" ${old:+"$old"} ${part:+"$part"}' EXIT
(cd "$here" && find bin lib share \( -type f -o -type l \) | LC_ALL=C sort) >"$new"
# The list names the old and the new files while they are replaced, so that what was cut short can be uninstalled.
old=$(mktemp)
if [ -f "$list" ]; then cp -- "$list" "$old"; fi
{ mkdir -p -- "$(dirname -- "$list")" && LC_ALL=C sort -u -- "$old" "$new" >"$list.new" && mv -f -- "$list.new" "$list"; } || fail "couldn't write $list."
# An update that Weft has begun by itself ends here.
rm -rf -- "$prefix/lib/weft/update"
# Each file is written beside its place and moved there, so that a Weft that runs goes on with the old one.
while IFS= read -r file; do
	part=$prefix/$file.new
	{ mkdir -p -- "$prefix/$(dirname -- "$file")" && cp -P -- "$here/$file" "$part"; } ||
		fail "couldn't write $prefix/$file. Free some space or choose another folder with --prefix, and run this again."
	if [ "$file" = share/applications/weft.desktop ]; then
		sed -e "s|^Exec=weft|Exec=\"$escaped/bin/weft\"|" -e "s|^Icon=weft|Icon=$escaped/share/icons/hicolor/scalable/apps/weft.svg|" "$here/$file" >"$part"
	fi
	mv -f -- "$part" "$prefix/$file"
done <"$new"
remove_listed "$old" "$new"
cp -- "$new" "$list"
refresh

echo "Weft was installed. Start it from the menu, or with $prefix/bin/weft"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "$prefix/bin isn't in your PATH. Add it there to start Weft with the command weft." ;;
esac
