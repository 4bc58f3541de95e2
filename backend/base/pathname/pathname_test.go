package pathname

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPathsOfWindowsAreRead(t *testing.T) {
	t.Parallel()
	const dir, share = `C:\space`, `\\host\share\space`
	for _, c := range []struct {
		dir, path, want string
		ok              bool
	}{
		{dir, `a.txt`, `C:\space\a.txt`, true},
		{dir, `src/a.txt`, `C:\space\src\a.txt`, true},
		{dir, `..\outside\a.txt`, `C:\space\..\outside\a.txt`, true},
		{dir, `C:\space\a.txt`, `C:\space\a.txt`, true},
		{dir, `d:/src/a.txt`, `d:\src\a.txt`, true},
		{dir, `C:`, `C:\`, true},

		// Without a drive: from the top of that of the folder.
		{dir, `/etc/passwd`, `C:\etc\passwd`, true},
		{dir, `\Windows\win.ini`, `C:\Windows\win.ini`, true},
		{share, `\a.txt`, `\\host\share\a.txt`, true},

		// Without a folder: from where a program is on that drive.
		{dir, `C:a.txt`, `C:\a.txt`, false},
		{dir, `D:..\a.txt`, `D:\..\a.txt`, false},

		{dir, `\\host\share\a.txt`, `\\host\share\a.txt`, true},
		{dir, `//host/share/a.txt`, `\\host\share\a.txt`, true},
		{dir, `\\host`, `\\host`, false},
		{share, `a.txt`, `\\host\share\space\a.txt`, true},

		{dir, `\\?\C:\space\a.txt`, `C:\space\a.txt`, true},
		{dir, `//?/C:/space/a.txt`, `C:\space\a.txt`, true},
		{dir, `\??\C:\space\a.txt`, `C:\space\a.txt`, true},
		{dir, `\\?\UNC\host\share\a.txt`, `\\host\share\a.txt`, true},
		{dir, `\\?\unc\host\share\a.txt`, `\\host\share\a.txt`, true},
		{dir, `\\?\C:\space\a.`, `C:\space\a`, false},
		{dir, `\\?\C:\space\..\a`, `C:\space\..\a`, false},
		{dir, `\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\a`, `\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\a`, false},
		{dir, `\\?\GLOBALROOT\Device\Null`, `\\?\GLOBALROOT\Device\Null`, false},
		{dir, `\\.\C:\space\a.txt`, `\\.\C:\space\a.txt`, false},
		{dir, `\\.\pipe\x`, `\\.\pipe\x`, false},

		// Several names of one file.
		{dir, `a.txt.`, `C:\space\a.txt`, true},
		{dir, `a.txt . .`, `C:\space\a.txt`, true},
		{dir, `src. /a.txt `, `C:\space\src\a.txt`, true},
		{dir, `...`, `C:\space\...`, false},
		{dir, `./...`, `C:\space\.\`, true},
		{dir, `src/...`, `C:\space\src\`, true},
		{dir, `.../src`, `C:\space\...\src`, false},
		{dir, `. `, `C:\space\. `, false},
		{dir, `a.txt:hidden`, `C:\space\a.txt`, false},
		{dir, `a.txt::$DATA`, `C:\space\a.txt`, false},
		{dir, `.git::$INDEX_ALLOCATION\config`, `C:\space\.git\config`, false},

		{dir, `NUL`, `C:\space\NUL`, false},
		{dir, `src\con.txt`, `C:\space\src\con.txt`, false},
		{dir, `aux .c`, `C:\space\aux .c`, false},
		{dir, `COM1`, `C:\space\COM1`, false},
		{dir, `lpt².log`, `C:\space\lpt².log`, false},
		{dir, `CONOUT$`, `C:\space\CONOUT$`, false},
		{dir, `COM10`, `C:\space\COM10`, true},
		{dir, `console.txt`, `C:\space\console.txt`, true},
		{dir, `nul-a`, `C:\space\nul-a`, true},
		{dir, `a|b`, `C:\space\a|b`, false},
		{dir, "a\tb", "C:\\space\\a\tb", false},
		{dir, `PROGRA~1\a`, `C:\space\PROGRA~1\a`, true}, // the disk says what that is
	} {
		if got, ok := onWindows(c.dir, c.path); got != c.want || ok != c.ok {
			t.Errorf("%s from %s: %s, %v, want %s, %v", c.path, c.dir, got, ok, c.want, c.ok)
		}
	}
	for path, want := range map[string]string{"/C:/a b": "C:/a b", "/c:": "c:", "/a:b": "a:b", "/etc": "/etc", "C:/a": "C:/a", "//host/x": "//host/x", "": ""} {
		if got := ofAddressOnWindows(path); got != want {
			t.Errorf("the address %q is %q, want %q", path, got, want)
		}
	}
}

// Whatever is said to be a file for certain has one plain absolute name.
func TestCertainPathsArePlain(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{`\`, `/`, ".", "..", " ", ":", "C:", "a", "A.TXT", "nul", "COM1", "~1", "?", `\\?\`, `\\.\`, "UNC", "host", "$DATA", "é", "\x00", "*", `\??\`})
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "path"), "")
		dir := rapid.SampledFrom([]string{`C:\space`, `\\host\share\space`}).Draw(t, "dir")
		full, ok := onWindows(dir, path)
		if !ok {
			return
		}
		rest, drive := full, hasDrive(full)
		if drive {
			rest = full[2:]
		} else if strings.HasPrefix(full, `\\`) {
			rest = full[2:]
		}
		if !drive && !strings.HasPrefix(full, `\\`) || drive && !strings.HasPrefix(rest, `\`) || strings.ContainsAny(rest, "/:*?\x00") {
			t.Fatalf("%q is %q", path, full)
		}
		for name := range strings.SplitSeq(rest, `\`) {
			if name != "" && name != "." && name != ".." && (strings.TrimRight(name, ". ") != name || device(name)) {
				t.Fatalf("%q is %q, with %q", path, full, name)
			}
		}
		if again, ok := onWindows(dir, full); again != full || !ok {
			t.Fatalf("%q is %q, and that is %q (%v)", path, full, again, ok)
		}
	})
}

func TestPathsOfThisSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{"a": dir + string(filepath.Separator) + "a", filepath.Join(dir, "b"): filepath.Join(dir, "b")} {
		if got, ok := From(dir, path); got != want || !ok {
			t.Errorf("%s: %s, %v, want %s", path, got, ok, want)
		}
	}
	if runtime.GOOS != "windows" {
		for _, path := range []string{"a.txt.", "NUL", "a:b", `a\b`} {
			if got, ok := From("/d", path); got != "/d/"+path || !ok {
				t.Errorf("%s: %s, %v", path, got, ok)
			}
		}
		if got := OfAddress("/C:/a"); got != "/C:/a" {
			t.Errorf("an address is %s", got)
		}
	}
}
