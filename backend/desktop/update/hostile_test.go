//go:build linux

package update

import (
	"archive/tar"
	"archive/zip"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// hostileArchive draws an archive with entries that want to be elsewhere. canary is a file outside.
func hostileArchive(t *testing.T, rnd *rand.Rand, how, canary string) []byte {
	t.Helper()
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	name := func() string {
		return pick("w/", "", "./w/", "/", "w/../", "../") + pick("lib/weft/", "bin/", "share/", "lib/../", "share/../../", "", "lib/weft/update/", "lib/weft/weft/", "bin/weft/") +
			pick("weft", "x", "../x", "..", ".", "", "installed-files", "update", "a\\b", "a\nb", canary, "weft/../../../../canary", "CON")
	}
	if how == HowSetup {
		return hostileZip(t, rnd, canary)
	}
	target := func() string {
		return pick("../lib/weft/weft", "/", canary, "..", "../..", "../../../../canary", "", "weft", "../share", "a\nb", ".", "../lib/weft/update")
	}
	return tarball(t, func(w *tar.Writer) {
		if rnd.IntN(2) == 0 {
			entry(t, w, &tar.Header{Name: "w/" + program, Typeflag: tar.TypeReg, Mode: 0o755}, "#!/bin/sh")
		}
		for range 1 + rnd.IntN(6) {
			h := &tar.Header{Name: name(), Mode: int64(rnd.IntN(0o10000)), Uid: 0}
			text := ""
			switch rnd.IntN(8) {
			case 0, 1, 2:
				h.Typeflag, text = tar.TypeReg, "hostile"
			case 3, 4:
				h.Typeflag, h.Linkname = tar.TypeSymlink, target()
			case 5:
				h.Typeflag, h.Linkname = tar.TypeLink, target()
			case 6:
				h.Typeflag = tar.TypeDir
			case 7:
				h.Typeflag = []byte{tar.TypeFifo, tar.TypeChar, tar.TypeBlock}[rnd.IntN(3)]
			}
			h.Size = int64(len(text))
			if strings.ContainsRune(h.Name, 0) || w.WriteHeader(h) != nil {
				continue
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// hostileZip is hostileArchive for Windows.
func hostileZip(t *testing.T, rnd *rand.Rand, canary string) []byte {
	t.Helper()
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	return zipped(t, func(z *zip.Writer) {
		if rnd.IntN(2) == 0 {
			if _, err := z.Create("w/weft.exe"); err != nil {
				t.Fatal(err)
			}
		}
		for range 1 + rnd.IntN(6) {
			h := &zip.FileHeader{Name: pick("w/", "", "/", "w/../", "../", `w\`, "C:/", `\\host\share\`) +
				pick("", "sub/", "../", "update/", "UPDATE/", "x/../../", `..\`, "share/./", "share//") +
				pick("weft.exe", "WEFT.EXE", "x", "..", ".", "", "lock", "Installed-Files", "uninstall.exe", "nul", "COM1.txt", "a:b", "a.", "a ", "a\nb", canary)}
			h.SetMode([]os.FileMode{0o644, 0o755, os.ModeSymlink | 0o777, os.ModeDir | 0o755, os.ModeNamedPipe}[rnd.IntN(5)])
			f, err := z.CreateHeader(h)
			if err == nil {
				_, _ = f.Write([]byte(pick("hostile", canary)))
			}
		}
	})
}

// FuzzNamesOnWindows: no name that is allowed there leads out of the folder, or to what isn't of a version.
func FuzzNamesOnWindows(f *testing.F) {
	for _, name := range []string{"weft.exe", "a/b", "a/../b", `a\b`, "C:x", "con.txt", "lock", "a.", "update/x", "é"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !allowedInSingle(name) {
			return
		}
		if !fs.ValidPath(name) || strings.ContainsAny(name, `\:*?"<>| `) || strings.HasSuffix(name, ".") || strings.EqualFold(name, "uninstall.exe") {
			t.Errorf("%q is allowed", name)
		}
	})
}
