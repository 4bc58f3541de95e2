#!/usr/bin/env bash
# setup.sh run|test: sees to it that what Weft is built and tested with is on this machine.
# Installs Debian and Ubuntu packages through apt; elsewhere, or without the right to, it says
# what is missing and what to do.
set -euo pipefail
what=${1:-run}

fail() { printf '\n%s\n' "$*" >&2; exit 1; }

command -v go >/dev/null || fail "Go was not found. Install Go 1.26 or newer from https://go.dev/dl and run this again."
command -v node >/dev/null || fail "Node.js was not found. Install Node.js 20.19 or newer (https://nodejs.org) and run this again."
node -e 'const [a,b]=process.versions.node.split(".").map(Number);process.exit(a>20||a===20&&b>=19?0:1)' ||
	fail "Node.js $(node --version) is too old. Weft's frontend needs 20.19 or newer."
command -v npm >/dev/null || fail "npm was not found. It comes with Node.js; on Debian: apt install npm."

[ "$(uname -s)" = Linux ] || exit 0

packages=()
need() { # need PACKAGE COMMAND…: the package, unless the command says that it is there
	local package=$1; shift
	"$@" >/dev/null 2>&1 || packages+=("$package")
}
need gcc command -v gcc
need pkg-config command -v pkg-config
need libgtk-3-dev pkg-config --exists gtk+-3.0
need libwebkit2gtk-4.1-dev pkg-config --exists webkit2gtk-4.1
if [ "$what" = test ]; then
	need chromium test -x "${WEFT_CHROMIUM:-/usr/bin/chromium}"
	need bubblewrap command -v bwrap
	need xvfb command -v Xvfb
	need xauth command -v xauth
	need dbus command -v dbus-run-session
	need xdotool command -v xdotool
	need git command -v git
	# Command lines are tried in these shells, inside of a sandbox. Without them the tests say what they leave out.
	need dash command -v dash
	need zsh command -v zsh
	need busybox command -v busybox
fi
# Not needed, but the browser tests are a third faster with it.
faster() {
	if [ "$what" != test ] || [ -n "${WEFT_CHROMIUM:-}" ] || [ -x /usr/bin/chromium-headless-shell ]; then return; fi
	if [ "$(id -u)" -eq 0 ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
		DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::http::Timeout=20 -o Acquire::Retries=0 install -y -q --no-install-recommends chromium-headless-shell >/dev/null 2>&1 ||
			echo "The package chromium-headless-shell could not be installed; the browser tests go on with Chromium itself."
	fi
}
[ ${#packages[@]} -eq 0 ] && { faster; exit 0; }

echo "Missing system packages: ${packages[*]}"
command -v apt-get >/dev/null ||
	fail "This is not Debian or Ubuntu. Install what provides these with your package manager and run this again: ${packages[*]}
(gtk+-3.0 and webkit2gtk-4.1 with their development files.)"
sudo=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || fail "Run this as root, then again as yourself: apt-get install -y ${packages[*]}"
	sudo=sudo
fi
$sudo apt-get update -q || echo "apt-get update failed; trying with the package lists that are there." >&2
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y --no-install-recommends "${packages[@]}" ||
	fail "These packages could not be installed: ${packages[*]}
Install them by hand and run this again. Where there is no Debian package of Chromium, set WEFT_CHROMIUM to a Chromium or Chrome binary."
faster
