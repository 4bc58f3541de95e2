package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestShippedListIsGood(t *testing.T) {
	list, err := Parse(shippedJSON, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Broken) > 0 {
		t.Errorf("broken entries: %+v", list.Broken)
	}
	for _, e := range list.Agents {
		if len(e.Problems) > 0 || e.Description == "" || e.License == "" {
			t.Errorf("%s: %+v", e.ID, e)
		}
		for _, target := range e.Targets {
			if target.Version != e.Version {
				t.Errorf("%s is pinned to %s instead of %s", e.ID, target.Version, e.Version)
			}
		}
	}
}

const whole = `{
  "version": "1.0.0", "extensions": [], "later": {"unknown": true},
  "agents": [{
    "id": "codex-acp", "name": " Codex ", "version": "1.8.0", "description": "Codes", "repository": "https://example.com/codex",
    "website": "https://example.com", "authors": ["OpenAI", 7, "Zed"], "license": "Apache-2.0", "license_url": "https://example.com/l",
    "icon": "https://example.com/i.svg", "preview": {"version": "1.9.0-preview.1"},
    "distribution": {
      "binary": {
        "linux-x86_64": {"archive": "https://example.com/c.tar.gz", "sha256": "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855", "cmd": "./codex", "args": ["acp"]},
        "windows-x86_64": {"archive": "https://example.com/c.zip", "cmd": "codex.exe", "env": {"A": "b"}},
        "plan9-mips": {"archive": "https://example.com/c.zip", "cmd": "codex"}
      },
      "npx": {"package": "@openai/codex@1.8.0", "args": ["--acp"]},
      "uvx": {"package": "codex[all]==1.8.0"},
      "docker": {"image": "codex"}
    }
  }]
}`

func TestParseReadsKnownFields(t *testing.T) {
	list, err := Parse([]byte("\uFEFF"+whole), false)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := list.Find("codex-acp")
	if !ok || list.Version != "1.0.0" || len(list.Broken) > 0 {
		t.Fatalf("%+v", list)
	}
	if e.Name != "Codex" || strings.Join(e.Authors, ",") != "OpenAI,Zed" || e.LicenseURL != "https://example.com/l" {
		t.Errorf("%+v", e)
	}
	here := e.For("linux-x86_64")
	if len(here) != 3 {
		t.Fatalf("ways: %+v", here)
	}
	if here[0].Cmd != "codex" || here[0].SHA256 != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("binary: %+v", here[0])
	}
	if here[1].Origin() != "@openai/codex@1.8.0" || here[2].Origin() != "codex[all]==1.8.0" {
		t.Errorf("packages: %q, %q", here[1].Origin(), here[2].Origin())
	}
	if got := strings.Join(e.Platforms(), " "); got != "linux-x86_64 windows-x86_64" {
		t.Errorf("platforms %q", got)
	}
	again, err := Parse([]byte(strings.Replace(whole, `"acp"`, `"evil"`, 1)), false)
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := again.Find("codex-acp"); other.Revision() == e.Revision() {
		t.Error("the revision doesn't tell that the arguments have changed")
	}
}

// entry returns one agent with a distribution.
func entry(id, distribution string) string {
	return fmt.Sprintf(`{"id":%q,"name":"N","version":"1.0.0","description":"d","distribution":%s}`, id, distribution)
}

func binary(fields string) string { return `{"binary":{"linux-x86_64":{` + fields + `}}}` }

func TestParseRefusesEntriesOneByOne(t *testing.T) {
	good := entry("good", `{"npx":{"package":"good"}}`)
	deep := strings.Repeat("[", 100_000)
	cases := map[string]struct{ entry, reason string }{
		"no object":         {`7`, "the registry format"},
		"null":              {`null`, "no id"},
		"name is a number":  {`{"id":"a","name":7}`, "name has the type number"},
		"no id":             {`{"name":"x"}`, "no id"},
		"id with a path":    {entry("../../etc", `{}`), "id is invalid"},
		"id in upper case":  {entry("Abc", `{}`), "id is invalid"},
		"id too long":       {entry(strings.Repeat("a", 65), `{}`), "id is invalid"},
		"id of a device":    {entry("con", `{}`), "id is invalid"},
		"same id":           {good, "same id"},
		"version is a path": {strings.Replace(entry("a", `{}`), "1.0.0", "../1", 1), "version is invalid"},
		"version dots":      {strings.Replace(entry("a", `{}`), "1.0.0", "..", 1), "version is invalid"},
		"no distribution":   {entry("a", `{}`), "installation methods"},
		"only unknown ways": {entry("a", `{"docker":{}}`), "installation methods"},
		"no archive":        {entry("a", binary(`"cmd":"x"`)), "no archive"},
		"no cmd":            {entry("a", binary(`"archive":"https://e.com/a"`)), "the program to start"},
		"http archive":      {entry("a", binary(`"archive":"http://e.com/a","cmd":"x"`)), "https"},
		"file archive":      {entry("a", binary(`"archive":"file:///etc/passwd","cmd":"x"`)), "https"},
		"loopback archive":  {entry("a", binary(`"archive":"http://127.0.0.1/a","cmd":"x"`)), "https"},
		"archive password":  {entry("a", binary(`"archive":"https://u:p@e.com/a","cmd":"x"`)), "https"},
		"absolute cmd":      {entry("a", binary(`"archive":"https://e.com/a","cmd":"/bin/sh"`)), "outside"},
		"cmd leads out":     {entry("a", binary(`"archive":"https://e.com/a","cmd":"x/../../sh"`)), "outside"},
		"cmd is all":        {entry("a", binary(`"archive":"https://e.com/a","cmd":"./"`)), "outside"},
		"cmd of windows":    {entry("a", binary(`"archive":"https://e.com/a","cmd":"..\\sh"`)), "outside"},
		"cmd of a drive":    {entry("a", binary(`"archive":"https://e.com/a","cmd":"C:/sh"`)), "outside"},
		"checksum":          {entry("a", binary(`"archive":"https://e.com/a","cmd":"x","sha256":"abc"`)), "SHA-256"},
		"args are numbers":  {entry("a", binary(`"archive":"https://e.com/a","cmd":"x","args":[1]`)), "form"},
		"arg with NUL":      {entry("a", binary(`"archive":"https://e.com/a","cmd":"x","args":["\u0000"]`)), "arguments"},
		"env name":          {entry("a", binary(`"archive":"https://e.com/a","cmd":"x","env":{"A=B":"c"}`)), "environment"},
		"npm path":          {entry("a", `{"npx":{"package":"../evil"}}`), "plain name"},
		"npm address":       {entry("a", `{"npx":{"package":"https://e.com/x.tgz"}}`), "plain name"},
		"npm git":           {entry("a", `{"npx":{"package":"git+ssh://e.com/x"}}`), "plain name"},
		"npm github":        {entry("a", `{"npx":{"package":"owner/repo"}}`), "plain name"},
		"npm alias":         {entry("a", `{"npx":{"package":"x@npm:evil"}}`), ""},
		"npm option":        {entry("a", `{"npx":{"package":"--registry=http://e.com"}}`), "plain name"},
		"npm none":          {entry("a", `{"npx":{}}`), "no package"},
		"uv address":        {entry("a", `{"uvx":{"package":"x @ https://e.com/x.whl"}}`), ""},
		"uv git":            {entry("a", `{"uvx":{"package":"git+https://e.com/x"}}`), "plain name"},
		"uv option":         {entry("a", `{"uvx":{"package":"--from"}}`), "plain name"},
		"nested for ever":   {`{"id":"a","name":` + deep, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			list, err := Parse([]byte(`{"version":"1","agents":[`+good+`,`+c.entry+`]}`), false)
			if strings.HasPrefix(name, "nested") {
				if err == nil {
					t.Error("read without an error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := list.Find("good"); !ok {
				t.Error("the good entry is gone with the bad one")
			}
			if c.reason == "" {
				// Harmless, because it is pinned to the entry's own version of the plain name.
				if e, ok := list.Find("a"); !ok || e.Targets[0].Package != "x" || e.Targets[0].Version != "1.0.0" {
					t.Errorf("%+v", list)
				}
				return
			}
			if len(list.Broken) != 1 || !strings.Contains(list.Broken[0].Reason, c.reason) {
				t.Errorf("broken: %+v, want %q", list.Broken, c.reason)
			}
		})
	}
}

func TestParseKeepsTheGoodWaysOfAnEntry(t *testing.T) {
	list, err := Parse([]byte(`{"agents":[`+entry("a", `{"npx":{"package":"a@latest"},"uvx":{"package":"git+x"}}`)+`]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	e := list.Agents[0]
	if len(e.Targets) != 1 || e.Targets[0].Origin() != "a@1.0.0" || len(e.Problems) != 1 || !strings.HasPrefix(e.Problems[0], "uvx can't be used: ") {
		t.Errorf("%+v", e)
	}
}

func TestParseRefusesOtherDocuments(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "a page": "<!doctype html>", "text": "hello", "an array": "[]", "no agents": `{"version":"1"}`,
		"agents are text": `{"agents":"many"}`, "cut off": whole[:len(whole)/2], "none": `{"agents":[]}`, "none good": `{"agents":[7]}`,
		"too many": `{"agents":[` + strings.Repeat("1,", maxAgents+1) + `1]}`, "too large": `{"agents":["` + strings.Repeat("x", MaxBytes) + `"]}`,
	} {
		_, err := Parse([]byte(text), false)
		var own *Error
		if !errors.As(err, &own) || own.Code != CodeUnreadable || own.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse(data, false)
		if err != nil {
			return
		}
		for _, e := range list.Agents {
			for _, target := range e.Targets {
				if target.Kind == KindBinary && (strings.HasPrefix(target.Cmd, "/") || !filepath.IsLocal(target.Cmd) || !strings.HasPrefix(target.Archive, "https://")) {
					t.Errorf("%+v", target)
				}
			}
		}
	})
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"1.10.0", "1.9.0", true}, {"1.9.0", "1.10.0", false}, {"1.0.0", "1.0.0", false}, {"1.0.0", "1.0.0-beta.1", true}, {"2025.11.1-x", "2025.9.9-x", true}, {"1.0.0.1", "1.0.0.0", true}} {
		if got := Newer(c.a, c.b); got != c.want {
			t.Errorf("Newer(%s, %s) = %v", c.a, c.b, got)
		}
	}
}

func TestParseSource(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "shipped": true, Public: true, "https://example.com/r.json": true, "http://127.0.0.1:8/r.json": true, "http://localhost/r": true,
		"http://[::1]:8/r": true, "file:///tmp/r.json": true,
		"http://example.com/r.json": false, "http://127.0.0.1.example.com/r": false, "file://host/share": false, "ftp://e.com": false, "javascript:x": false, "/tmp/r.json": false, "https://u:p@e.com/": false,
	} {
		if _, err := ParseSource(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// room returns a Room with a source that the test can change.
func room(t *testing.T, source string) (*Room, func(string)) {
	t.Helper()
	return NewRoom(filepath.Join(t.TempDir(), "registry.json"), func() string { return source }, time.Now), func(next string) { source = next }
}

func TestRefreshKeepsTheListAndAsksForChangesOnly(t *testing.T) {
	body, tag, asked := whole, `"one"`, []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("If-None-Match"))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	r, _ := room(t, server.URL)
	if l := r.Listing(); !l.Shipped() || len(l.Agents) == 0 {
		t.Fatalf("before: %+v", l)
	}
	if len(asked) > 0 {
		t.Fatal("the source was asked before anybody wanted that")
	}
	first, err := r.Refresh(t.Context())
	if err != nil || len(first.Agents) != 1 || first.Shipped() {
		t.Fatalf("%+v, %v", first, err)
	}
	// After a restart, the list exists without a network, and only changes are requested.
	again := NewRoom(r.path, r.source, func() time.Time { return time.Now().Add(time.Hour) })
	if l := again.Listing(); len(l.Agents) != 1 || !l.FetchedAt.Equal(first.FetchedAt) {
		t.Fatalf("after a restart: %+v", l)
	}
	second, err := again.Refresh(t.Context())
	if err != nil || !second.FetchedAt.Equal(first.FetchedAt) || !second.CheckedAt.After(first.CheckedAt) {
		t.Errorf("nothing new: %+v, %v", second, err)
	}
	if strings.Join(asked, " ") != ` "one"` {
		t.Errorf("asked with %q", asked)
	}
	body, tag = strings.Replace(whole, "Codex", "Other", 1), `"two"`
	third, err := again.Refresh(t.Context())
	if err != nil || third.Agents[0].Name != "Other" {
		t.Errorf("a new one: %+v, %v", third, err)
	}
}

func TestFailedRefreshKeepsTheList(t *testing.T) {
	answer := func(w http.ResponseWriter) { _, _ = w.Write([]byte(whole)) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
	defer server.Close()
	r, _ := room(t, server.URL)
	if _, err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]func(http.ResponseWriter){
		"a page":                func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) },
		"an error":              func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"not modified, unasked": func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotModified) },
		"cut off": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte(whole[:100]))
		},
		"huge": func(w http.ResponseWriter) { _, _ = w.Write(make([]byte, MaxBytes+10)) },
		"an http redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://example.com/registry.json")
			w.WriteHeader(http.StatusFound)
		},
		"a file redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		},
		"a loop": func(w http.ResponseWriter) {
			w.Header().Set("Location", server.URL)
			w.WriteHeader(http.StatusFound)
		},
	} {
		answer = bad
		l, err := r.Refresh(t.Context())
		var own *Error
		if !errors.As(err, &own) || l.Failure == nil || len(l.Agents) != 1 || l.Shipped() {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
		again := NewRoom(r.path, r.source, time.Now)
		if l := again.Listing(); len(l.Agents) != 1 || l.Shipped() {
			t.Errorf("%s: on disk: %+v", name, l)
		}
	}
	answer = func(w http.ResponseWriter) { _, _ = w.Write([]byte(whole)) }
	if l, err := r.Refresh(t.Context()); err != nil || l.Failure != nil {
		t.Errorf("in the end: %+v, %v", l.Failure, err)
	}
}

func TestSourceOnDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "r.json")
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	r, set := room(t, "file:///"+strings.TrimPrefix(filepath.ToSlash(file), "/"))
	if l, err := r.Refresh(t.Context()); err != nil || len(l.Agents) != 1 || !l.Local {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, bad := range []string{"file://" + dir, "file://" + filepath.Join(dir, "none.json"), "file:///dev/zero"} {
		set(bad)
		l, err := r.Refresh(t.Context())
		if err == nil || !l.Shipped() || l.Failure == nil {
			t.Errorf("%s: %+v, %v", bad, l.Source, err)
		}
	}
	// The list of another source is not shown for this one.
	set("shipped")
	if l := r.Listing(); !l.Shipped() || l.Source != Shipped {
		t.Errorf("%+v", l)
	}
	set("ftp://example.com")
	if l := r.Listing(); l.Failure == nil || !l.Shipped() {
		t.Errorf("%+v", l)
	}
}

func TestDamagedCopyIsReplaced(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(whole)) }))
	defer server.Close()
	for name, text := range map[string]string{"no JSON": "{", "no registry": `{"source":"` + server.URL + `","data":"e30="}`} {
		r, _ := room(t, server.URL)
		if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l := r.Listing(); !l.Shipped() {
			t.Errorf("%s: %+v", name, l)
		}
		if l, err := r.Refresh(t.Context()); err != nil || l.Shipped() {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
		var k kept
		raw, err := os.ReadFile(r.path)
		if err != nil || json.Unmarshal(raw, &k) != nil || k.Source != server.URL {
			t.Errorf("%s: on disk: %v", name, err)
		}
	}
}

func TestPlatform(t *testing.T) {
	if got := platform("darwin", "arm64") + " " + platform("linux", "amd64") + " " + platform("plan9", "mips"); got != "darwin-aarch64 linux-x86_64 plan9-mips" {
		t.Error(got)
	}
}
