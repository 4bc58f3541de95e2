#!/usr/bin/env bash
# check-inside.sh deb|archive, check-inside.sh first deb|archive PORT: the part of check.sh that runs inside of a clean system, as its root.
set -euo pipefail
fail() { printf 'check-inside.sh: %s\n' "$*" >&2; exit 1; }
has() { grep -qF -- "$1" <<<"$2" || fail "${3:-the output} lacks $1: $2"; }

useradd --create-home --shell /bin/bash ann
as() { runuser -u ann -- env -i HOME=/home/ann PATH=/home/ann/.local/bin:/opt/agent:/usr/bin:/bin LC_ALL=C.UTF-8 "$@"; }

# window PROGRAM PICTURE ARGUMENT …: starts the window, waits until it has drawn something, takes a picture, and closes it.
window() {
	local program=$1 picture=$2
	shift 2
	cat >/home/ann/start <<-'END'
		#!/bin/bash
		set -u
		"$@" >/home/ann/log 2>&1 &
		pid=$!
		for ((i = 0; i < 600; i++)); do
			sleep 0.2
			kill -0 $pid 2>/dev/null || { cat /home/ann/log; exit 1; }
			window=$(xdotool search --onlyvisible --name '^Weft' 2>/dev/null | head -1)
			[ -n "$window" ] || continue
			import -silent -window root /home/ann/shot.png
			# An empty window has a handful of colors, one with letters in it hundreds.
			[ "$(identify -format %k /home/ann/shot.png)" -gt 200 ] && drawn=$((${drawn:-0} + 1))
			[ "${drawn:-0}" -ge 5 ] && break
		done
		kill $pid
		wait $pid
		[ "${drawn:-0}" -ge 5 ]
	END
	chmod 755 /home/ann/start
	as dbus-run-session -- xvfb-run -a -s '-screen 0 1280x800x24' /home/ann/start "$program" "$@" || fail "the window of $program didn't come: $(tail -5 /home/ann/log)"
	cp /home/ann/shot.png "/root/$picture"
	echo "The window of $program was drawn: $picture"
}

# What is stored must be there after an upgrade, and after the program was removed.
conversation() {
	cat >/home/ann/chat.json <<-'END'
		[{"title": "Kept through the upgrade", "messages": [{"role": "user", "content": "Which port?"}, {"role": "assistant", "content": "Port 8080."}]}]
	END
	as "$1" import /home/ann/chat.json
}
stored() { has "Kept through the upgrade" "$(as "$1" export --list)"; }

case $1 in
deb)
	apt-get update -qq
	if dpkg -i /root/new.deb >/root/log 2>&1; then fail "it was installed without what it depends on."; fi
	dpkg --purge weft >/dev/null 2>&1
	apt-get install -y -qq --no-install-recommends /root/old.deb >/root/log 2>&1 || { tail /root/log; fail "it can't be installed."; }
	has "weft " "$(as weft --version)"
	[ -z "$(ldd /usr/lib/weft/weft | grep 'not found' || :)" ] || fail "libraries are missing."
	as grep -q x-scheme-handler/weft=weft.desktop /usr/share/applications/mimeinfo.cache || fail "nothing opens weft: links."
	conversation weft
	window weft installed.png
	dpkg -i /root/new.deb
	[ "$(dpkg-query -W -f '${Version}' weft)" != 0.0.1 ] || fail "it wasn't upgraded."
	stored weft
	window weft upgraded.png
	[ -z "$(dpkg --verify weft)" ] || fail "files differ from the package: $(dpkg --verify weft)"
	as ls -A /home/ann/.local/share/weft >/root/before
	dpkg --remove weft
	for f in /usr/bin/weft /usr/lib/weft; do [ ! -e $f ] || fail "$f is left."; done
	dpkg --purge weft 2>/dev/null
	! dpkg-query -W weft 2>/dev/null | grep . || fail "it is still known."
	left=$(find / -xdev -path /proc -prune -o -path /home -prune -o -path /root -prune -o -path /tmp -prune -o -name '*weft*' -print | grep -v '^/var/cache/\|^/var/log/' || :)
	[ -z "$left" ] || fail "this is left: $left"
	as ls -A /home/ann/.local/share/weft | diff /root/before - || fail "data of the user was changed."
	echo "Installed, started, upgraded, started, removed and purged; the user's data is still there."
	;;
archive)
	tar -C /home/ann -xzf /root/weft.tar.gz
	mv /home/ann/weft-* /home/ann/unpacked
	chown -R ann: /home/ann/unpacked
	install=/home/ann/unpacked/install.sh
	if told=$(as sh $install 2>&1); then fail "it was installed without the libraries."; fi
	has "libwebkit2gtk-4.1.so.0" "$told"
	has "sudo apt install libwebkit2gtk-4.1-0" "$told"
	[ ! -e /home/ann/.local ] || fail "something was installed all the same."
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends libwebkit2gtk-4.1-0 >/root/log 2>&1
	! command -v gcc cc go node || fail "there is a compiler."
	as sh $install
	has "weft " "$(as weft --version)"
	[ "$(stat -c %U /home/ann/.local/lib/weft/weft)" = ann ] || fail "it belongs to someone else."
	desktop-file-validate /home/ann/.local/share/applications/weft.desktop
	as bash -ec 'source ~/.local/share/bash-completion/completions/weft; complete -p weft' >/dev/null
	conversation weft
	window /home/ann/.local/bin/weft archive.png
	# As an earlier version would have left it: a file that the new one doesn't have goes, one that isn't Weft's stays.
	as bash -ec 'cd ~/.local; touch lib/weft/weft-old bin/other; echo lib/weft/weft-old >>lib/weft/installed-files'
	as sh $install
	[ ! -e /home/ann/.local/lib/weft/weft-old ] || fail "an old file is left."
	stored weft
	as sh /home/ann/unpacked/install.sh --uninstall
	left=$(find /home/ann/.local -type f -o -type l | grep -v '^/home/ann/.local/share/weft/\|/bin/other$\|mimeinfo.cache$\|/WebKit\|webkit' || :)
	[ -z "$left" ] || fail "this is left: $left"
	[ -e /home/ann/.local/bin/other ] || fail "a file that isn't Weft's was removed."
	as ls /home/ann/.local/share/weft >/dev/null || fail "the user's data is gone."
	if as sh $install --uninstall 2>/dev/null; then fail "it was uninstalled twice."; fi
	as sh $install --prefix '/home/ann/a folder'
	has "weft " "$(as '/home/ann/a folder/bin/weft' --version)"
	if as sh $install --prefix /usr/local 2>/dev/null; then fail "it was installed where it may not write."; fi
	echo "Installed, started, updated and uninstalled without root; the user's data is still there."
	;;
first)
	# From the package to the window, for frontend/e2e/window/first-answer.spec.ts, which reads each line. The libraries are on most desktops already.
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends libwebkit2gtk-4.1-0 >/root/log 2>&1 || { tail /root/log; fail "the libraries can't be installed."; }
	echo ready
	if [ "$2" = deb ]; then
		apt-get install -y -qq --no-install-recommends /root/new.deb >/root/log 2>&1 || { tail /root/log; fail "it can't be installed."; }
	else
		as tar -C /home/ann -xzf /weft.tar.gz
		as sh -c 'sh /home/ann/weft-*/install.sh' >/root/log 2>&1 || { tail /root/log; fail "it can't be installed."; }
	fi
	echo installed
	cd /home/ann
	as WEBKIT_INSPECTOR_HTTP_SERVER="127.0.0.1:$3" dbus-run-session -- xvfb-run -a -s '-screen 0 1280x800x24' weft
	;;
esac
