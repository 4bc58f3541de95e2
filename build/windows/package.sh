#!/usr/bin/env bash
# package.sh TREE VERSION ICON: packs a folder with all files of Weft for Windows to TREE.zip and TREE-setup.exe. Two runs give the same bytes.
#
#   SOURCE_DATE_EPOCH  the time of the files in the zip, in seconds since 1970
set -euo pipefail
tree=$(cd "$1" && pwd) version=$2 icon=$(realpath "$3")
cd "$(dirname "$0")/../.."
go run ./build/packages/zip -out "$tree.zip" -date "$SOURCE_DATE_EPOCH" "$tree"
wails=$(go list -m -f '{{.Dir}}' github.com/wailsapp/wails/v2)
makensis -V2 -NOCD "-DVERSION=$version" "-DNUMBER=${version%%-*}.0" "-DTREE=$tree" "-DICON=$icon" "-DOUT=$tree-setup.exe" \
	"-DWEBVIEW=$wails/internal/webview2runtime/MicrosoftEdgeWebview2Setup.exe" build/windows/weft.nsi
