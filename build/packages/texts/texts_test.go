package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const someSum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// sumsOf writes checksums of files, each with another first digit.
func sumsOf(t *testing.T, names ...string) string {
	t.Helper()
	var b strings.Builder
	for i, name := range names {
		b.WriteString(string("abcdef"[i]) + someSum[1:] + "  " + name + "\n")
	}
	path := filepath.Join(t.TempDir(), "SHA256SUMS")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var all = []string{"weft-1.2.3-rc1-linux-amd64.tar.gz", "weft-1.2.3-rc1-linux-arm64.tar.gz", "weft-1.2.3-rc1-windows-amd64.zip", "weft-1.2.3-rc1-windows-amd64-setup.exe", "weft-1.2.3-rc1-darwin-universal.dmg"}

var rc = release{Version: "1.2.3-rc1", Repository: "Robin/weft", License: "MIT"}

func TestTextsNameTheFilesOfTheRelease(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := write(sumsOf(t, all...), out, rc); err != nil {
		t.Fatal(err)
	}
	const from = "https://github.com/Robin/weft/releases/download/v1.2.3-rc1/"
	for name, wants := range map[string][]string{
		"scoop/weft.json":                     {from + all[2], "c" + someSum[1:]},
		"winget/Robin.Weft.yaml":              {"PackageVersion: 1.2.3-rc1\n", "ManifestType: version\n"},
		"winget/Robin.Weft.installer.yaml":    {from + all[3], "D" + strings.ToUpper(someSum[1:]), "Scope: user"},
		"winget/Robin.Weft.locale.en-US.yaml": {"License: MIT\n", "PackageLocale: en-US\n"},
		"homebrew/weft.rb":                    {`version "1.2.3-rc1"`, "e" + someSum[1:], "weft-#{version}-darwin-universal.dmg"},
		"aur/PKGBUILD":                        {"pkgver=1.2.3rc1\n", from + all[0], from + all[1], "a" + someSum[1:], "b" + someSum[1:]},
	} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q:\n%s", name, want, text)
			}
		}
		if strings.HasSuffix(name, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON", name)
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		if said, err := exec.CommandContext(t.Context(), bash, "-n", filepath.Join(out, "aur/PKGBUILD")).CombinedOutput(); err != nil {
			t.Errorf("the PKGBUILD: %v: %s", err, said)
		}
	}
}

func TestNothingIsWrittenForABadRelease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sums string
		r    release
	}{
		"a file is missing":   {sumsOf(t, all[:3]...), rc},
		"another version":     {sumsOf(t, all...), release{"1.2.4", rc.Repository, rc.License, nil}},
		"a bad version":       {sumsOf(t, all...), release{"1.2'", rc.Repository, rc.License, nil}},
		"a bad repository":    {sumsOf(t, all...), release{rc.Version, "a/b/c", rc.License, nil}},
		"a bad license":       {sumsOf(t, all...), release{rc.Version, rc.Repository, "MIT\nx: y", nil}},
		"a name with a quote": {sumsOf(t, append([]string{"x'y"}, all...)...), rc},
		"there are no sums":   {filepath.Join(t.TempDir(), "none"), rc},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if err := write(c.sums, out, c.r); err == nil {
			t.Errorf("%s: texts were written", name)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s: left behind: %v", name, err)
		}
	}
}
