package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"weft/backend/desktop/update"
)

func TestManifestIsOneThatWeftAccepts(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	if err := run([]string{"-new-key"}, os.Getenv, &printed); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(printed.String(), "\n", 5)
	var public minisign.PublicKey
	if err := public.UnmarshalText([]byte(lines[1])); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, notes := filepath.Join(dir, "weft.json"), filepath.Join(dir, "notes.md")
	args := []string{"-version", "1.2.3-rc1", "-date", "1700000000", "-notes", notes, "-url", "https://example.com/v1.2.3-rc1/", "-out", out}
	for _, name := range []string{"weft-1.2.3-rc1-linux-amd64.tar.gz", "weft-1.2.3-rc1-linux-arm64.pkg.tar.zst"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if err := os.WriteFile(notes, []byte("\n* New\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{envKey: lines[4]}
	getenv := func(name string) string { return env[name] }
	if err := run(args, getenv, &printed); err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		raw, err := os.ReadFile(out)
		signature, err2 := os.ReadFile(out + ".minisig")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		m, err := update.Verify(public, raw, signature, false)
		if err != nil || m.Version != "1.2.3-rc1" || m.Notes != "* New" || len(m.Files) != 2 {
			t.Fatalf("%+v, %v", m, err)
		}
		if f, ok := m.File("linux", "arm64", update.KindArch); !ok || f.URL != "https://example.com/v1.2.3-rc1/weft-1.2.3-rc1-linux-arm64.pkg.tar.zst" || f.Size != 38 {
			t.Errorf("%+v", f)
		}
	}
	check()
	delete(env, envKey)
	if err := run(args, getenv, &printed); err == nil || !strings.Contains(err.Error(), envKey) {
		t.Errorf("without a key: %v", err)
	}
	env[envKey] = lines[4]
	for _, bad := range [][]string{{"-version", "1.2"}, {"-url", "http://example.com"}, {"-version", "1.2.4"}, {"-date", "0"}} {
		if run(append(bad, append([]string{}, args[len(bad):]...)...), getenv, &printed) == nil && run(append(append([]string{}, args[:10]...), append(bad, args[10:]...)...), getenv, &printed) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
