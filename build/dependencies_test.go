// Package build holds checks of what Weft is built from.
package build

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// goList lists what Weft is built from as it ships, with everything below that.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-tags", "desktop,production,webkit2_41", "-deps"}, args...)...)
	cmd.Dir = ".."
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	return string(out)
}

// withoutIntegrity are the packages whose hash the lock file lacks: binaries of the formatter for platforms on which the lock file was
// not made. They run on a developer's machine only, and are no part of Weft.
var withoutIntegrity = []string{
	"node_modules/@biomejs/cli-android-arm64", "node_modules/@biomejs/cli-android-x64", "node_modules/@biomejs/cli-darwin-arm64", "node_modules/@biomejs/cli-darwin-x64",
	"node_modules/@biomejs/cli-linux-arm64-musl", "node_modules/@biomejs/cli-linux-x64-musl", "node_modules/@biomejs/cli-win32-arm64", "node_modules/@biomejs/cli-win32-x64",
}

// TestLockFileHasIntegrity checks that npm installs nothing whose contents the lock file does not name, from nowhere but the registry that
// is configured.
func TestLockFileHasIntegrity(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../frontend/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		LockfileVersion int
		Packages        map[string]struct {
			Version, Resolved, Integrity string
			Link, Dev, Optional          bool
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
	}
	if lock.LockfileVersion != 3 || len(lock.Packages) < 2 {
		t.Fatalf("The lock file has version %d and %d packages.", lock.LockfileVersion, len(lock.Packages))
	}
	for name, p := range lock.Packages {
		switch {
		case name == "": // Weft itself
		case !strings.HasPrefix(name, "node_modules/") || p.Link:
			t.Errorf("%s is a folder, not a package.", name)
		case p.Resolved != "":
			t.Errorf("%s comes from %s. Packages come from the configured registry.", name, p.Resolved)
		case p.Version == "" || strings.ContainsAny(p.Version, ":/"):
			t.Errorf("%s has the version %q, which is an address.", name, p.Version)
		case slices.Contains(withoutIntegrity, name):
			if p.Integrity != "" || !p.Dev || !p.Optional {
				t.Errorf("%s doesn't belong in the list of exceptions.", name)
			}
		case !strings.HasPrefix(p.Integrity, "sha512-"):
			t.Errorf("%s has the integrity %q. A SHA-512 hash is required.", name, p.Integrity)
		}
	}
	for _, name := range withoutIntegrity {
		if _, ok := lock.Packages[name]; !ok {
			t.Errorf("%s is an exception, but not in the lock file.", name)
		}
	}
}

// TestModulesAreCheckedBySum checks that every Go module that Weft is built from comes under its own name and has its hash in go.sum.
func TestModulesAreCheckedBySum(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Replace {
		t.Errorf("%s is replaced by %s.", r.Old.Path, r.New.Path)
	}
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	out := goList(t, "-mod=readonly", "-test", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./...")
	modules := slices.Compact(slices.Sorted(strings.Lines(out)))
	if len(modules) < 10 {
		t.Fatalf("go list found %d modules.", len(modules))
	}
	for _, m := range modules {
		m = strings.TrimSpace(m)
		if _, version, _ := strings.Cut(m, " "); version != "" && !strings.Contains(string(sums), "\n"+m+" h1:") && !strings.HasPrefix(string(sums), m+" h1:") {
			t.Errorf("go.sum has no hash of %s.", m)
		}
	}
}
