package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestFilesAreTheSameWhereverTheyAreMade(t *testing.T) {
	date := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var made [][]byte
	for _, order := range [][]string{{"b.exe", "a.txt", "sub/c.txt"}, {"sub/c.txt", "a.txt", "b.exe"}} {
		dir := filepath.Join(t.TempDir(), "weft-1.0")
		for _, name := range order {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(t.TempDir(), "x.zip")
		if err := write(out, dir, date); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, data)
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two of the same files differ")
	}
	z, err := zip.NewReader(bytes.NewReader(made[0]), int64(len(made[0])))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name+" "+f.Mode().String())
		if !f.Modified.Equal(date) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	want := []string{"weft-1.0/a.txt -rw-r--r--", "weft-1.0/b.exe -rwxr-xr-x", "weft-1.0/sub/c.txt -rw-r--r--"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestNoFileIsLeftAfterAFailure(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.zip")
	if err := write(out, filepath.Join(t.TempDir(), "none"), time.Now()); err == nil {
		t.Error("a folder that isn't there was written")
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("left behind: %v", err)
	}
}
