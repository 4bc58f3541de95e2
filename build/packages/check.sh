#!/usr/bin/env bash
# check.sh [PART …]: checks what make packages builds. The parts, all of them by default:
#
#   same     a clone of this commit in another folder, built with an empty cache, gives the same bytes
#   files    SHA256SUMS, lintian without errors, and what each package contains
#   deb      in a clean Debian 12, or the SUITE of Debian or Ubuntu that is named: install, start the window, upgrade with data kept, remove, purge
#   archive  there too, as a user without root: install, start the window, update, uninstall
#   first    there too, from the deb and from the archive to a first answer that is seen in the window: prints the clicks and the seconds. The agent is the
#            one in the folder AGENT, which is put into the PATH, or the offline guide
#   depends  the dependencies can be installed on Debian 13, and on Ubuntu 24.04 if its keys are on this machine
#
# It needs Debian or Ubuntu, root (or sudo), a network, and the packages lintian, mmdebstrap and those of build.sh. Screenshots and clean
# systems are kept in build/bin/check-packages. With BUILT=1 the packages that are there are checked, and none are built.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/build/packages out=$PWD/build/bin/packages kept=$PWD/build/bin/check-packages
parts=("$@")
[ $# -gt 0 ] || parts=(same files deb archive first depends)
fail() { printf 'check.sh: %s\n' "$*" >&2; exit 1; }
for tool in lintian mmdebstrap unshare; do
	command -v "$tool" >/dev/null || fail "$tool is missing. On Debian and Ubuntu: apt install lintian mmdebstrap util-linux"
done
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
mkdir -p "$kept"
work=$(mktemp -d)
trap '"${root[@]}" rm -rf --one-file-system "$work"' EXIT

if [ -z "${BUILT:-}" ]; then
	[ -z "$(git status --porcelain)" ] || fail "there are changes that aren't committed. Packages are built from commits."
	make --no-print-directory packages
fi
deb=$(echo "$out"/*.deb) archive=$(echo "$out"/*.tar.gz)

same() {
	mkdir "$work/home"
	git clone -q --no-hardlinks . "$work/another folder"
	(
		cd "$work/another folder"
		umask 077
		# Modules are checked by go.sum wherever they lie.
		GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$work/cache HOME=$work/home TZ=Asia/Tokyo LANG=de_DE.UTF-8 make --no-print-directory packages >"$work/log" 2>&1
	) || { tail -20 "$work/log" >&2; fail "the clone couldn't be packaged."; }
	diff "$out/SHA256SUMS" "$work/another folder/build/bin/packages/SHA256SUMS" || {
		mkdir "$work/first" "$work/second"
		tar -C "$work/first" -xzf "$archive"
		tar -C "$work/second" -xzf "$work/another folder"/build/bin/packages/*.tar.gz
		diff -rq "$work/first" "$work/second" || :
		fail "the two builds differ."
	}
	echo "Two builds in two folders gave the same bytes:"
	cat "$out/SHA256SUMS"
}

files() {
	(cd "$out" && sha256sum --check --strict SHA256SUMS)
	lintian --allow-root --fail-on error "$deb"
	local file list info version
	version=${deb##*/weft-} version=${version%-linux-*}
	for file in "$out"/*; do
		case $file in
		*.deb) list=$(dpkg-deb --contents "$file") info=$(dpkg-deb --field "$file" Version) ;;
		*.tar.gz) list=$(tar -tzf "$file") info=$version ;;
		*.apk) list=$(tar -tzf "$file" 2>/dev/null) info=$(tar -xzOf "$file" .PKGINFO 2>/dev/null) ;;
		*.pkg.tar.zst) list=$(tar --zstd -tf "$file") info=$(tar --zstd -xOf "$file" .PKGINFO) ;;
		*.rpm)
			command -v rpm >/dev/null || { echo "Left out: $file. The program rpm isn't here."; continue; }
			list=$(rpm -qlp "$file") info=$(rpm -qip "$file")
			;;
		*) continue ;;
		esac
		# Each format has its own sign for what comes before a version.
		[[ $info == *${version/-/?}* || $info == *${version/-/}* ]] || fail "$file isn't of the version $version: $info"
		for program in $(make -s --no-print-directory print-programs) THIRD-PARTY-NOTICES.txt weft.desktop weft.svg weft.1.gz metainfo.xml _weft weft.fish bash-completion/completions/weft; do
			grep -q "$program\$" <<<"$list" || fail "$program is missing in $file."
		done
	done
}

# system SUITE PACKAGE …: unpacks a clean system into $work/SUITE, and makes it first if there is none.
system() {
	local suite=$1 list tar
	shift
	list=$(IFS=,; set -- apt "$@"; echo "$*")
	tar=$kept/$suite$([ $# -eq 0 ] || echo -tools).tar
	if [ ! -s "$tar" ]; then
		"${root[@]}" mmdebstrap --quiet --variant=minbase "--include=$list" "$suite" "$kept/part.tar" "$(address "$suite")" || fail "a clean $suite couldn't be made."
		mv "$kept/part.tar" "$tar"
	fi
	"${root[@]}" rm -rf --one-file-system "${work:?}/$suite"
	mkdir "$work/$suite"
	"${root[@]}" tar -C "$work/$suite" -xf "$tar"
	"${root[@]}" cp --remove-destination /etc/resolv.conf "$work/$suite/etc/resolv.conf"
}

# inside SUITE COMMAND …: runs it as root of the system, which sees its own processes only.
inside() {
	local dir=$work/$1
	shift
	# shellcheck disable=SC2016
	"${root[@]}" unshare --mount --pid --fork --kill-child bash -euc '
		dir=$1; shift
		mount -t proc proc "$dir/proc"
		mount -t tmpfs tmpfs "$dir/dev"
		for d in null zero full random urandom tty; do touch "$dir/dev/$d"; mount --bind "/dev/$d" "$dir/dev/$d"; done
		mkdir "$dir/dev/shm" "$dir/dev/pts"
		mount -t tmpfs -o mode=1777 tmpfs "$dir/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$dir/dev/pts"
		ln -s pts/ptmx "$dir/dev/ptmx"
		ln -s /proc/self/fd "$dir/dev/fd"
		exec chroot "$dir" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' - "$dir" "$@"
}

suite=${SUITE:-bookworm}
tools=(xvfb xauth dbus imagemagick xdotool desktop-file-utils fonts-dejavu-core ca-certificates)

# address SUITE: where its packages are.
address() {
	case $1 in
	noble) echo "deb http://archive.ubuntu.com/ubuntu noble main universe" ;;
	*) echo "http://deb.debian.org/debian" ;;
	esac
}

deb() {
	system "$suite" "${tools[@]}"
	# The same package as an older version, to upgrade from.
	"${root[@]}" dpkg-deb -R "$deb" "$work/old"
	"${root[@]}" sed -i 's/^Version: .*/Version: 0.0.1/' "$work/old/DEBIAN/control"
	"${root[@]}" dpkg-deb -Znone -b "$work/old" "$work/$suite/root/old.deb" >/dev/null
	"${root[@]}" cp "$deb" "$work/$suite/root/new.deb"
	"${root[@]}" cp "$here/check-inside.sh" "$work/$suite/root/"
	inside "$suite" bash /root/check-inside.sh deb
	"${root[@]}" cp "$work/$suite"/root/*.png "$kept/"
}

archive() {
	system "$suite" "${tools[@]}"
	"${root[@]}" cp "$archive" "$work/$suite/root/weft.tar.gz"
	"${root[@]}" cp "$here/check-inside.sh" "$work/$suite/root/"
	inside "$suite" bash /root/check-inside.sh archive
	"${root[@]}" cp "$work/$suite"/root/*.png "$kept/"
}

first() {
	local kind
	{ declare -p root work; declare -f inside; echo 'inside "$@"'; } >"$work/inside.sh"
	for kind in deb archive; do
		system "$suite" "${tools[@]}"
		"${root[@]}" cp "$deb" "$work/$suite/root/new.deb"
		"${root[@]}" cp "$archive" "$work/$suite/weft.tar.gz"
		"${root[@]}" cp "$here/check-inside.sh" "$work/$suite/root/"
		[ -z "${AGENT:-}" ] || "${root[@]}" cp -aL "$AGENT" "$work/$suite/opt/agent"
		WEFT_FIRST_ANSWER="bash $work/inside.sh $suite bash /root/check-inside.sh first $kind" npm --prefix frontend run test:window -- first-answer
		cp "frontend/test-results/screens/first-answer.png" "$kept/first-answer-$kind.png" 2>/dev/null || :
	done
}

depends() {
	local suite
	for suite in trixie noble; do
		if [ $suite = noble ] && [ ! -f /usr/share/keyrings/ubuntu-archive-keyring.gpg ] && [ ! -s "$kept/noble.tar" ]; then
			echo "Left out: Ubuntu 24.04. Its keys aren't on this machine (ubuntu-keyring)."
			continue
		fi
		system $suite
		"${root[@]}" cp "$deb" "$work/$suite/root/new.deb"
		inside $suite bash -euc 'apt-get update -qq; apt-get install -qq --simulate --no-install-recommends /root/new.deb | grep "^Inst \(weft\|libgtk-3-0\|libwebkit2gtk\)"'
	done
}

for part in "${parts[@]}"; do
	case $part in same | files | deb | archive | first | depends) ;; *) fail "there is no part $part." ;; esac
	printf '\n== %s\n' "$part"
	"$part"
done
printf '\nAll checks of the packages passed.\n'
