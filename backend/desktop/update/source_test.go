//go:build linux

package update

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"

	"weft/backend/base/fault"
	"weft/backend/base/raced"
)

// sentence fails unless err is one that a user can act on: with a code, in full sentences, without control characters.
func sentence(t *testing.T, name string, err error, code string) {
	t.Helper()
	f := fault.Of(err)
	if f == nil || f.Code != code {
		t.Errorf("%s: %v has the code %q, want %q", name, err, fault.CodeOf(err), code)
		return
	}
	if !strings.HasSuffix(f.Message, ".") || strings.Count(f.Message, ". ") == 0 && code != fault.Cancelled && code != codeOlder || strings.ContainsAny(f.Message, "\n\x00\x1b") || len(f.Message) > 500 {
		t.Errorf("%s: %q isn't a sentence with something to do", name, f.Message)
	}
}

func TestHostileServersAreRefusedWithASentence(t *testing.T) {
	a := content("1.0.0")
	endless := func(rw http.ResponseWriter, r *http.Request) {
		zeros := make([]byte, 1<<20)
		for range 10 << 10 { // 10 GB
			if _, err := rw.Write(zeros); err != nil {
				return
			}
		}
	}
	hangs := func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	}
	silent := func(rw http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	away := func(to string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to, http.StatusFound) }
	}
	const list, signature, archive = "/weft.json", "/weft.json.minisig", "/weft-1.1.0.tar.gz"
	for name, c := range map[string]struct {
		change func(w *world)
		code   string
	}{
		"no list":                 {func(w *world) { delete(w.answers, list) }, codeUnreachable},
		"no signature":            {func(w *world) { delete(w.answers, signature) }, codeUnreachable},
		"list that hangs":         {func(w *world) { w.answers[list] = hangs }, codeUnreachable},
		"list that never begins":  {func(w *world) { w.answers[list] = silent }, codeUnreachable},
		"list without end":        {func(w *world) { w.answers[list] = endless }, codeUnverified},
		"signature without end":   {func(w *world) { w.answers[signature] = endless }, codeUnverified},
		"list is a web page":      {func(w *world) { w.answers[list] = send([]byte("<!doctype html>Sign in")) }, codeUnverified},
		"signature of other text": {func(w *world) { w.answers[list] = send([]byte(`{"format":1}`)) }, codeUnverified},
		"redirect to http":        {func(w *world) { w.answers[list] = away("http://example.com/weft.json") }, codeUnreachable},
		"redirect to a file":      {func(w *world) { w.answers[list] = away("file:///etc/passwd") }, codeUnreachable},
		"redirects without end":   {func(w *world) { w.answers[list] = away(list) }, codeUnreachable},
		"server error": {func(w *world) {
			w.answers[list] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }
		}, codeUnreachable},
		"connection that breaks": {func(w *world) {
			w.answers[list] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}, codeUnreachable},
		"archive is missing":   {func(w *world) { delete(w.answers, archive) }, codeDownload},
		"archive is cut short": {func(w *world) { w.answers[archive] = send(w.archive[:len(w.archive)/2]) }, codeDownload},
		"archive breaks off": {func(w *world) {
			w.answers[archive] = func(rw http.ResponseWriter, _ *http.Request) {
				_, _ = rw.Write(w.archive[:100])
				_ = http.NewResponseController(rw).Flush()
				panic(http.ErrAbortHandler)
			}
		}, codeDownload},
		"archive breaks off in chunks": {func(w *world) {
			w.answers[archive] = func(rw http.ResponseWriter, _ *http.Request) {
				_ = http.NewResponseController(rw).Flush()
				_, _ = rw.Write(w.archive[:100])
			}
		}, codeDownload},
		"archive is too long":       {func(w *world) { w.answers[archive] = send(append(bytes.Clone(w.archive), 1)) }, codeDownload},
		"archive without end":       {func(w *world) { w.answers[archive] = endless }, codeDownload},
		"archive hangs":             {func(w *world) { w.answers[archive] = hangs }, codeDownload},
		"archive redirects to http": {func(w *world) { w.answers[archive] = away("http://example.com/x") }, codeDownload},
		"archive has another sum": {func(w *world) {
			other := bytes.Clone(w.archive)
			other[len(other)/2] ^= 1
			w.answers[archive] = send(other)
		}, codeChecksum},
		"same version":                      {func(w *world) { w.manifest.Version = "1.0.0"; w.sign(t) }, codeOlder},
		"older version":                     {func(w *world) { w.manifest.Version = "0.9.0"; w.sign(t) }, codeOlder},
		"release candidate of this version": {func(w *world) { w.manifest.Version = "1.0.0-rc1"; w.sign(t) }, codeOlder},
		"no file for this system":           {func(w *world) { w.manifest.Files[0].OS = "plan9"; w.sign(t) }, codeUnsupported},
		"wrong key": {func(w *world) {
			_, w.key, _ = minisign.GenerateKey(nil)
			w.sign(t)
		}, codeUnverified},
		"archive has another version": {func(w *world) { w.publish(t, "1.1.0", w.pack(t, content("1.0.5"))) }, codeArchive},
		"program doesn't run": {func(w *world) {
			b := content("1.1.0")
			b[program] = "#!/bin/sh\necho error while loading libmissing.so.4 >&2\nexit 127\n"
			w.publish(t, "1.1.0", w.pack(t, b))
		}, codeUnsupported},
		"program isn't one": {func(w *world) {
			b := content("1.1.0")
			b[program] = "\x7fELF but not really"
			w.publish(t, "1.1.0", w.pack(t, b))
		}, codeUnsupported},
		"no archive":      {func(w *world) { w.publish(t, "1.1.0", []byte("<html>")) }, codeArchive},
		"archive damaged": {func(w *world) { w.publish(t, "1.1.0", w.archive[:len(w.archive)-20]) }, codeArchive},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, a, content("1.1.0"))
			if strings.Contains(name, "hangs") || strings.Contains(name, "never begins") {
				w.source.limit = limits{answer: 300 * time.Millisecond, stall: 100 * time.Millisecond}
			}
			c.change(w)
			sentence(t, name, w.stage(t), c.code)
			w.whole(t, a)
			if r := w.place.Start("1.0.0"); r.Again || r.Err != nil {
				t.Errorf("%+v", r)
			} else {
				r.Close()
			}
			w.whole(t, a)
		})
	}
}

func TestServerThatIsGoneIsToldSo(t *testing.T) {
	w := newWorld(t, content("1.0.0"), content("1.1.0"))
	m, _, err := w.source.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.server.Close()
	sentence(t, "list", w.stage(t), codeUnreachable)
	sentence(t, "archive", w.place.Stage(t.Context(), w.source, &m, "1.0.0", func(int64) {}), codeDownload)
	w.whole(t, content("1.0.0"))
}

func TestCanceledDownloadLeavesNothing(t *testing.T) {
	w := newWorld(t, content("1.0.0"), content("1.1.0"))
	m, _, err := w.source.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sentence(t, "canceled", w.place.Stage(ctx, w.source, &m, "1.0.0", func(int64) { cancel() }), fault.Cancelled)
	w.whole(t, content("1.0.0"))
}

func TestFullAndReadOnlyDisksAreTold(t *testing.T) {
	p := newPlace(HowArchive, "/home/ada/.local")
	for err, code := range map[error]string{syscall.ENOSPC: "disk_full", syscall.EDQUOT: "disk_full", syscall.EROFS: "read_only", syscall.EACCES: "read_only", syscall.EIO: "io"} {
		sentence(t, err.Error(), p.cantWrite(&os.PathError{Op: "write", Path: "x", Err: err}), code)
	}
	if os.Getuid() != 0 {
		w := newWorld(t, content("1.0.0"), content("1.1.0"))
		if err := os.Chmod(w.place.at(lib), 0o500); err != nil {
			t.Fatal(err)
		}
		sentence(t, "read-only folder", w.stage(t), "read_only")
		return
	}
	// A disk of a megabyte, and an update that doesn't fit.
	w := newWorld(t, content("1.0.0"), map[string]string{program: content("1.1.0")[program], "share/large": noise(3 << 20)})
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	defer func() { _ = syscall.Unmount(small, 0) }()
	old := content("1.0.0")
	fresh := installed(t, HowArchive, old)
	w.place = newPlace(HowArchive, filepath.Join(small, "prefix"))
	if err := os.CopyFS(w.place.Prefix, os.DirFS(fresh.Prefix)); err != nil {
		t.Fatal(err)
	}
	sentence(t, "full disk", w.stage(t), "disk_full")
	w.whole(t, old)
}

func noise(n int) string {
	raw := make([]byte, n)
	rnd := rand.NewChaCha8([32]byte{51})
	_, _ = rnd.Read(raw)
	return string(raw)
}

// TestMutatedListsAreRefused changes, cuts and joins signed lists from a seed. None that differs is believed.
func TestMutatedListsAreRefused(t *testing.T) {
	t.Parallel()
	pub, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := Manifest{Version: "1.2.3", Date: time.Unix(1_700_000_000, 0), Notes: "* One", Files: []File{{OS: "linux", Arch: "amd64", Kind: KindArchive, Name: "weft.tar.gz", URL: "https://example.com/weft.tar.gz", Size: 9, SHA256: strings.Repeat("a", 64)}}}
	raw, signature, err := Sign(m, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(pub, raw, signature, false); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(51, 1))
	for range raced.Of(20_000) {
		list, sig := bytes.Clone(raw), bytes.Clone(signature)
		one := &list
		if rnd.IntN(2) == 0 {
			one = &sig
		}
		switch at := rnd.IntN(len(*one)); rnd.IntN(5) {
		case 0:
			(*one)[at] ^= 1 << rnd.IntN(8)
		case 1:
			*one = (*one)[:at]
		case 2:
			*one = append((*one)[:at:at], (*one)[min(at+1+rnd.IntN(8), len(*one)):]...)
		case 3:
			*one = append((*one)[:at:at], append([]byte{byte(rnd.IntN(256))}, (*one)[at:]...)...)
		case 4:
			*one = append(*one, (*one)[at:]...)
		}
		got, err := Verify(pub, list, sig, false)
		if err == nil && (!bytes.Equal(list, raw) || got.Version != m.Version || len(got.Files) != 1) {
			t.Fatalf("believed: %q with %q", list, sig)
		}
		if err != nil && fault.CodeOf(err) != codeUnverified {
			t.Fatal(err)
		}
	}
}

// TestHostileListsAreRefused signs what a stolen key could sign: what is in it still goes nowhere.
func TestHostileListsAreRefused(t *testing.T) {
	t.Parallel()
	pub, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := `{"format":1,"version":"1.2.3","date":"2026-01-02T03:04:05Z","notes":"","files":[{"os":"linux","arch":"amd64","kind":"tar.gz","name":"weft.tar.gz","url":"https://example.com/weft.tar.gz","size":9,"sha256":"` + strings.Repeat("a", 64) + `"}]}`
	check := func(text string) error {
		_, err := Verify(pub, []byte(text), minisign.Sign(key, []byte(text)), false)
		return err
	}
	if err := check(good); err != nil {
		t.Fatal(err)
	}
	for from, tos := range map[string][]string{
		`"format":1`:             {`"format":2`, `"format":0`, `"format":"1"`, `"format":1,"format":1`},
		`"1.2.3"`:                {`""`, `"v1.2.3"`, `"1.2"`, `"newest"`, `"1.2.3+build"`, `"1.2.3-4-gabcdef0"`, `"1.2.3-dirty"`, `"../1.2.3"`, `"1.2.3\n"`, `"1.2.3 rm"`, `"99999999999999999999999.0.0` + strings.Repeat("0", 100) + `"`},
		`"weft.tar.gz","url`:     {`"../weft.tar.gz","url`, `"/etc/passwd","url`, `"a b","url`, `"-rf","url`, `"x;reboot","url`, `"$(id)","url`, `"","url`, `"..","url`, `"a..b","url`, `"` + strings.Repeat("a", 200) + `","url`},
		"https://example.com":    {"http://example.com", "http://127.0.0.1", "file://", "ftp://example.com", "https://", "//example.com", "javascript:alert(1)//", "https://user:word@example.com", "https://exa mple.com"},
		`"size":9`:               {`"size":0`, `"size":-1`, `"size":9e18`, `"size":2000000000`, `"size":1.5`, `"size":"9"`},
		strings.Repeat("a", 64):  {"", "a", strings.Repeat("g", 64), strings.Repeat("A", 64), strings.Repeat("a", 65)},
		`"2026-01-02T03:04:05Z"`: {`""`, `"yesterday"`, `0`, `null`},
		`"notes":""`:             {`"notes":"` + strings.Repeat("a", maxNotes+1) + `"`, `"notes":null,"notes":""`, "\"notes\":\"\xff\""},
		`"linux"`:                {`"Linux/../"`, `""`},
	} {
		for _, to := range tos {
			text := strings.Replace(good, from, to, 1)
			if text == good {
				t.Fatalf("%s isn't in it", from)
			}
			if err := check(text); fault.CodeOf(err) != codeUnverified {
				t.Errorf("%s for %s: %v", to, from, err)
			}
		}
	}
	for _, text := range []string{"", "null", "[]", "{}", good + good, strings.Repeat("[", 100_000), `{"format":1,"version":"1.2.3","date":"2026-01-02T03:04:05Z","files":[]}`} {
		if err := check(text); fault.CodeOf(err) != codeUnverified {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestOlderListThanBeforeIsNotUsed(t *testing.T) {
	w := newWorld(t, content("1.0.0"), content("1.1.0"))
	c := &Checker{Source: w.source, Path: filepath.Join(t.TempDir(), "data", "updates.json"), Version: "1.0.0", Now: time.Now}
	if l := c.Last(); !l.CheckedAt.IsZero() || l.Newer != nil {
		t.Fatalf("%+v", l)
	}
	if l, err := c.Check(t.Context()); err != nil || l.Newer == nil || l.Newer.Version != "1.1.0" || l.Newer.Notes != "* More" {
		t.Fatalf("%+v, %v", l, err)
	}
	// What was signed once is sent again.
	oldList, oldSignature := w.answers["/weft.json"], w.answers["/weft.json.minisig"]
	w.publish(t, "1.2.0", w.archive)
	w.manifest.Date = w.manifest.Date.Add(time.Hour)
	w.sign(t)
	if l, err := c.Check(t.Context()); err != nil || l.Newer.Version != "1.2.0" {
		t.Fatalf("%+v, %v", l, err)
	}
	w.answers["/weft.json"], w.answers["/weft.json.minisig"] = oldList, oldSignature
	l, err := c.Check(t.Context())
	if sentence(t, "replayed", err, codeOlder); l.Newer == nil || l.Newer.Version != "1.2.0" {
		t.Errorf("%+v", l)
	}
	if err := c.Later("1.2.0", time.Now().Add(time.Hour)); err != nil || !c.Last().Later {
		t.Errorf("%v, %+v", err, c.Last())
	}
	c.Version = "1.3.0"
	w.manifest.Date = w.manifest.Date.Add(time.Hour)
	w.sign(t)
	_, err = c.Check(t.Context())
	sentence(t, "older than this", err, codeOlder)
	// A file that was changed is no reason to believe anything.
	c.Version = "1.0.0"
	raw, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(51, 2))
	for range 300 {
		changed := bytes.Clone(raw)
		changed[rnd.IntN(len(changed))] ^= 1 << rnd.IntN(8)
		if err := os.WriteFile(c.Path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if l := c.Last(); l.Newer != nil && l.Newer.Version != "1.2.0" {
			t.Fatalf("%+v", l)
		}
	}
}

func TestEnvironmentCannotWeakenAReleasedBuild(t *testing.T) {
	t.Parallel()
	pub, _, err := minisign.GenerateKey(nil)
	other, _, err2 := minisign.GenerateKey(nil)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	const built = "https://example.com/weft.json"
	for _, c := range []struct{ key, envAddress, envKey, at, used string }{
		{pub.String(), "", "", built, pub.String()},
		{pub.String(), "", other.String(), built, pub.String()},
		{pub.String(), "https://evil.example/x", other.String(), built, pub.String()},
		{pub.String(), "http://evil.example/x", other.String(), built, pub.String()},
		{pub.String(), "http://localhost.evil.example/x", other.String(), built, pub.String()},
		{pub.String(), "http://127.0.0.1:9/x", other.String(), "http://127.0.0.1:9/x", pub.String()},
		{"", "http://127.0.0.1:9/x", other.String(), "http://127.0.0.1:9/x", other.String()},
		{"", "https://evil.example/x", other.String(), "", ""},
		{"", "", other.String(), "", ""},
		{"", "", "", "", ""},
		{"not a key", "", "", "", ""},
	} {
		env := map[string]string{EnvAddress: c.envAddress, EnvKey: c.envKey}
		s := source(built, c.key, func(name string) string { return env[name] })
		switch {
		case s == nil && c.at != "", s != nil && c.at == "":
			t.Errorf("%+v: %v", c, s)
		case s != nil && (s.at.String() != c.at || s.key.String() != c.used):
			t.Errorf("%+v: %s, %s", c, s.at, s.key)
		}
	}
	if BuiltIn(func(string) string { return "" }) != nil {
		t.Error("the build of a test has a source")
	}
}

func TestOnlySafeAddressesAreFetched(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://example.com/a": true, "http://example.com/a": false, "http://127.0.0.1/a": false, "https://u@example.com/a": false, "https:///a": false, "": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if mayFetch(u, false) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestVersionsAreCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		newer bool
	}{
		{"1.0.1", "1.0.0", true}, {"1.0.0", "v1.0.0", false}, {"v1.10.0", "1.9.0", true}, {"1.0.0", "1.0.0-rc1", true}, {"1.0.0-rc1", "1.0.0", false},
	} {
		if Newer(c.a, c.b) != c.newer {
			t.Errorf("%+v", c)
		}
	}
	for version, want := range map[string]bool{"1.2.3": true, "v1.2.3": true, "v1.2.3-rc1": true, "dev": false, "e2e96e7b": false, "v1.2.3-4-gabc1234": false, "v1.2.3-dirty": false, "": false, "1.2": false} {
		if Released(version) != want {
			t.Errorf("%q: %v", version, !want)
		}
	}
}

func TestPlacesArePackagesFoldersOrNeither(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"deb": "sudo apt install ./weft.deb", "archlinux": "sudo pacman -U weft.deb", "apk": "sudo apk add --allow-untrusted ./weft.deb", "floppy": ""} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, marker), []byte(format+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		p := Find(filepath.Join(dir, "weft"))
		if p.Replaces() || p.CommandFor(File{Name: "weft.deb"}) != want {
			t.Errorf("%s: %+v", format, p)
		}
		if p.Start("1.0.0") != nil || p.Outcome() != nil {
			t.Errorf("%s: something begins", format)
		}
	}
	if p := Find("/no/such/weft"); p.How != HowOther || p.CommandFor(File{Name: "x"}) != "" {
		t.Errorf("%+v", p)
	}
}

// The signature is one that minisign itself accepts, and the other way around: this one is from its documentation.
func TestSignaturesAreThoseOfMinisign(t *testing.T) {
	t.Parallel()
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")); err != nil {
		t.Fatal(err)
	}
	signature := "untrusted comment: signature from minisign secret key\nRUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n" +
		"trusted comment: timestamp:1633700835\tfile:test\tprehashed\nwLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==\n"
	if !minisign.Verify(key, []byte("test"), []byte(signature)) {
		t.Error("a signature of minisign isn't accepted")
	}
}

// TestHostileArchivesStayInTheirFolder unpacks archives that only someone with the key could have signed.
func TestHostileArchivesStayInTheirFolder(t *testing.T) {
	t.Parallel()
	forEachHow(t, func(t *testing.T, how string) {
		t.Parallel()
		rnd := rand.New(rand.NewPCG(51, 3))
		whole := (&world{place: testPlace(how, "")}).pack(t, as(how, content("1.1.0")))
		for n := range 600 {
			base := t.TempDir()
			canary := filepath.Join(base, "canary")
			if err := os.WriteFile(canary, []byte("alive"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := testPlace(how, filepath.Join(base, "in"))
			if err := os.MkdirAll(p.dir("new"), 0o755); err != nil {
				t.Fatal(err)
			}
			archive := hostileArchive(t, rnd, how, canary)
			if n%3 == 0 { // a good one with bytes changed
				archive = bytes.Clone(whole)
				for range 1 + rnd.IntN(8) {
					archive[rnd.IntN(len(archive))] = byte(rnd.IntN(256))
				}
			}
			hostile(t, n, p, archive, canary)
		}
	})
}

// hostile unpacks an archive, and fails if it reaches out of its folder.
func hostile(t *testing.T, n int, p *Place, archive []byte, canary string) {
	t.Helper()
	path := p.dir("download")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := p.unpack(t.Context(), f, int64(len(archive)))
	for _, e := range entries {
		if !p.layout.allows(e.Name) {
			t.Fatalf("%q was unpacked", e.Name)
		}
	}
	if err != nil && fault.CodeOf(err) != codeArchive && fault.CodeOf(err) != "" {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(canary); err != nil || string(raw) != "alive" {
		t.Fatalf("archive %d reached out: %q, %v", n, raw, err)
	}
	for dir, want := range map[string]int{filepath.Dir(canary): 2, p.dir(): 2, p.dir(".."): 1} {
		if list, err := os.ReadDir(dir); err != nil || len(list) != want {
			t.Fatalf("archive %d left %v, %v", n, list, err)
		}
	}
}
