//go:build linux

package export

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/base/raced"
	"weft/backend/store/db"
)

// TestFileOnADiskThatFillsUp writes each format over an older file, on real disks of all sizes up to that of the file:
// either the new file is complete, or the older one is unchanged with nothing next to it.
func TestFileOnADiskThatFillsUp(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	st, k := talked(t)
	older := []byte("An older export.")
	step := 1
	if raced.On {
		step = 5
	}
	for _, format := range Formats() {
		e := prepared(t, st, Request{Format: format, SpaceID: k.id})
		var whole bytes.Buffer
		if _, err := e.Write(t.Context(), &whole); err != nil {
			t.Fatal(err)
		}
		path, filler := filepath.Join(disk, "Pears."+string(format)), filepath.Join(disk, "filler")
		refused, written := 0, 0
		for pages := 0; written == 0; pages += step {
			if err := os.WriteFile(path, older, 0o600); err != nil {
				t.Fatal(err)
			}
			leave(t, disk, filler, pages)
			at, result, err := e.File(t.Context(), path)
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			want := older
			switch {
			case err == nil:
				written++
				want = whole.Bytes()
				if at != path || result.Bytes != int64(len(want)) {
					t.Errorf("%s: %s, %+v", format, at, result)
				}
			case !strings.HasPrefix(err.Error(), "The disk is full.") || !strings.HasSuffix(err.Error(), "No file was written."):
				t.Errorf("%s with %d pages left: %v", format, pages, err)
			default:
				refused++
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s with %d pages left: the file has %d bytes, want %d, %v", format, pages, len(got), len(want), err)
			}
			if list, err := os.ReadDir(disk); err != nil || len(list) != 1 {
				t.Fatalf("%s with %d pages left: the disk has %v, %v", format, pages, list, err)
			}
		}
		if refused == 0 {
			t.Errorf("%s: no disk was full", format)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// leave fills a disk except for some pages.
func leave(t *testing.T, disk, filler string, pages int) {
	t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(disk, &st); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, max(0, int64(st.Bavail)-int64(pages))*st.Bsize), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExportOfWhatCannotBeSavedIsRefused: a file without the last events would look complete.
func TestExportOfWhatCannotBeSavedIsRefused(t *testing.T) {
	st, k := talked(t)
	for _, why := range []error{db.Fail(db.CodeDiskFull, "Couldn't save the message: the disk is full."), context.Canceled} {
		_, err := Prepare(t.Context(), Options{Store: st, Flush: func(context.Context, string) error { return why }}, Request{Format: Markdown, SpaceID: k.id})
		if fault.CodeOf(why) == db.CodeDiskFull {
			if want := "The last messages couldn't be saved yet, so the conversation can't be exported. Couldn't save the message: the disk is full."; err == nil || err.Error() != want || fault.CodeOf(err) != db.CodeDiskFull {
				t.Errorf("%v", err)
			}
		} else if err != why { //nolint:errorlint // as it is
			t.Errorf("%v", err)
		}
	}
}
