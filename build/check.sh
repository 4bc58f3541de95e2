#!/usr/bin/env bash
# check.sh [BASE]: checks what differs from BASE, by default from where this branch left main. It is for use after a small change;
# CI runs make test and make deep. Each step prints how long it took.
#
#   1. golangci-lint (format included) on the changed Go packages, new findings only
#   2. go build, and go test -short of the changed packages and of the packages that import them, without the race detector,
#      without the tests of the whole app (backend/systemtest) and the benchmarks
#   3. biome on the changed files, tsc, and the vitest files that the change can affect
#   4. the comparison of the two folds, if one of them changed
set -euo pipefail
cd "$(dirname "$0")/.."
lint=${LINT:-go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0}

base=${1:-}
if [ -z "$base" ]; then
	for ref in origin/main main; do
		if base=$(git merge-base HEAD "$ref" 2>/dev/null); then break; fi
	done
	# On main itself, without changes, the last commit is checked.
	if [ -z "$base" ] || { [ "$base" = "$(git rev-parse HEAD)" ] && [ -z "$(git status --porcelain)" ]; }; then
		base=$(git rev-parse HEAD~1)
	fi
fi
changed=$( (git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard) | sort -u)
removed=$(git diff --name-only --diff-filter=D "$base")
if [ -z "$changed$removed" ]; then
	echo "Nothing differs from $base."
	exit 0
fi

failed=()
step() { # step NAME COMMAND…: runs it, and goes on if it fails
	local name=$1 from=$SECONDS
	shift
	if "$@"; then
		echo "ok    $name ($((SECONDS - from)) s)"
	else
		echo "FAIL  $name ($((SECONDS - from)) s)"
		failed+=("$name")
	fi
}
among() { grep -qE "$1" <<<"$changed"$'\n'"$removed"; }

# The packages with changed files. A change of testdata or of an embedded file counts for the package above it.
packages() {
	while read -r file; do
		local dir
		dir=$(dirname "$file")
		while [ "$dir" != . ] && ! ls "$dir"/*.go >/dev/null 2>&1; do dir=$(dirname "$dir"); done
		if ls "$dir"/*.go >/dev/null 2>&1; then echo "./$dir"; fi
	done < <(grep -E '^(backend|docs|build)/|^[^/]*\.go$' <<<"$changed"$'\n'"$removed") | sort -u
}

# The changed packages and those that import them, also in tests.
affected() {
	local paths
	paths=$(go list -e -f '{{.ImportPath}}' "$@")
	go list -f '{{.ImportPath}} {{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
		awk -v want="$paths" 'BEGIN { n = split(want, w, "\n"); for (i = 1; i <= n; i++) is[w[i]] = 1 }
			{ for (i = 2; i <= NF; i++) if ($i in is) { print $1; next } }' |
		grep -vE '/(backend/systemtest|build/bench)$' || true
}

if among '\.go$|^go\.(mod|sum)$|^(backend|docs|build)/|\.md$'; then
	mkdir -p frontend/dist && [ -e frontend/dist/index.html ] || touch frontend/dist/index.html # the binary embeds it
	mapfile -t packages < <(packages)
	# The check of English reads all documents and comments.
	if [ ${#packages[@]} -eq 0 ] || ! printf '%s\n' "${packages[@]}" | grep -qx ./docs; then packages+=(./docs); fi
	mapfile -t affected < <(affected "${packages[@]}")
	step "lint Go (${#packages[@]} packages)" $lint run --new-from-rev="$base" --whole-files "${packages[@]}"
	step "build Go" go build ./...
	step "test Go (${#affected[@]} packages)" go test -short "${affected[@]}"
fi

if among '^frontend/'; then
	make --no-print-directory frontend/node_modules/.package-lock.json
	cd frontend
	mapfile -t scripts < <(sed -n 's#^frontend/##p' <<<"$changed")
	if [ ${#scripts[@]} -gt 0 ]; then
		step "biome (${#scripts[@]} files)" npx biome check --error-on-warnings --no-errors-on-unmatched --files-ignore-unknown=true "${scripts[@]}"
	fi
	step "tsc" npx tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/check.tsbuildinfo
	step "vitest" npx vitest run --changed "$base"
	cd ..
fi
if among '^(backend|frontend/src)/transcript/'; then step "both folds" make --no-print-directory check-fold; fi

echo
if [ ${#failed[@]} -gt 0 ]; then
	printf 'Failed after %d s:\n' "$SECONDS"
	printf '  %s\n' "${failed[@]}"
	exit 1
fi
echo "All checks of this change passed in $SECONDS s. Before you push, run make test."
