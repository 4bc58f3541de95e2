package ignore

import "testing"

func TestIgnored(t *testing.T) {
	rules := Rules(nil).With("", []byte("*.log\n!keep.log\nbuild/\n/only-here\n# a comment\na/**/b\nname\n*.{x}\nfo?.txt\n")).With("sub", []byte("/deep\nlocal*\n"))
	for path, want := range map[string]bool{
		"a.log": true, "x/y.log": true, "keep.log": false, "x/keep.log": false,
		"only-here": true, "x/only-here": false, "a/b": true, "a/c/d/b": true, "x/name": true, "names": false,
		"z.{x}": true, "z.x": false, "foo.txt": true, "fooo.txt": false,
		"sub/deep": true, "deep": false, "sub/x/deep": false, "sub/local1": true, "local1": false,
		"build": false,
	} {
		if got := rules.Ignored(path, false); got != want {
			t.Errorf("file %s: ignored %v, want %v", path, got, want)
		}
	}
	for path, want := range map[string]bool{"build": true, "x/build": true, ".git": true, "x/node_modules": true, "src": false} {
		if got := rules.Ignored(path, true); got != want {
			t.Errorf("folder %s: ignored %v, want %v", path, got, want)
		}
	}
}
