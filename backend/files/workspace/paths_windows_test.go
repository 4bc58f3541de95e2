package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindowsPathsStayInside has the forms of paths that only Windows knows.
func TestWindowsPathsStayInside(t *testing.T) {
	f, dir, outside := opened(t)
	write(t, filepath.Join(dir, "a.txt"), "text")
	volume := filepath.VolumeName(dir)
	top := strings.TrimPrefix(dir, volume)
	for _, path := range []string{
		"a.txt", "A.TXT", "a.txt.", "a.txt ", `.\a.txt`, "./a.txt", dir + `\a.txt`, strings.ToUpper(dir) + `\A.txt`, filepath.ToSlash(dir) + "/a.txt",
		top + `\a.txt`, filepath.ToSlash(top) + "/a.txt", `\\?\` + dir + `\a.txt`, `sub\..\a.txt`,
	} {
		if text, err := f.ReadText(path, 0, 0); err != nil || text != "text" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	secret := filepath.Join(outside, "secret")
	for _, path := range []string{
		secret, `\\?\` + secret, `..\outside\secret`, dir + `\..\outside\secret`, strings.TrimPrefix(secret, volume), filepath.ToSlash(strings.TrimPrefix(secret, volume)),
		"/etc/passwd", `\new.txt`, volume + "new.txt", volume, "Q:new.txt", `Q:\new.txt`, `\\localhost\c$\new.txt`, `\\.\` + volume + `\new.txt`, `\\.\pipe\weft`,
		"a.txt:hidden", "a.txt::$DATA", "new.txt:hidden", "NUL", "con.txt", "COM1", `sub\lpt1`, "CONOUT$", `\\?\GLOBALROOT\Device\Null`, `\\?\` + dir + `\a.txt.`,
		"...", ". ", ".. /outside/secret", `.. \outside\secret`, "a?.txt", "a|b",
	} {
		var refused *Error
		if text, err := f.ReadText(path, 0, 0); !errors.As(err, &refused) {
			t.Errorf("read %s: %q, %v", path, text, err)
		}
		if err := f.WriteText(path, "hacked"); !errors.As(err, &refused) {
			t.Errorf("wrote %s: %v", path, err)
		}
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("the secret is %q, %v", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
