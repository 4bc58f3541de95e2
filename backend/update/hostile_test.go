//go:build linux

package update

import (
	"archive/tar"
	"math/rand/v2"
	"strings"
	"testing"
)

// hostileArchive draws an archive with entries that want to be elsewhere. canary is a file outside.
func hostileArchive(t *testing.T, rnd *rand.Rand, canary string) []byte {
	t.Helper()
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	name := func() string {
		return pick("w/", "", "./w/", "/", "w/../", "../") + pick("lib/weft/", "bin/", "share/", "lib/../", "share/../../", "", "lib/weft/update/", "lib/weft/weft/", "bin/weft/") +
			pick("weft", "x", "../x", "..", ".", "", "installed-files", "update", "a\\b", "a\nb", canary, "weft/../../../../canary", "CON")
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
