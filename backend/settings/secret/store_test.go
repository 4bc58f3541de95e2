package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// The keychain of these tests is go-keyring's mock, which is there whatever the machine has.
func TestMain(m *testing.M) {
	reachable = func() bool { return true }
	os.Exit(m.Run())
}

func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestKeychain(t *testing.T) {
	keyring.MockInit()
	s := Open(Options{Dir: t.TempDir()})
	ref, err := s.Set(t.Context(), Keychain, "mcp github/token", "s3cret-value")
	if err != nil {
		t.Fatal(err)
	}
	if ref.Place() != Keychain || !strings.HasPrefix(string(ref), "keychain:mcp-github-token-") {
		t.Errorf("the reference is %q", ref)
	}
	if value, err := s.Get(t.Context(), ref); err != nil || value != "s3cret-value" {
		t.Errorf("%q, %v", value, err)
	}
	if entries, _ := os.ReadDir(s.opt.Dir); len(entries) > 0 {
		t.Errorf("it wrote %v", entries)
	}
	if err := errors.Join(s.Delete(t.Context(), ref), s.Delete(t.Context(), ref)); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), ref); code(err) != CodeMissing {
		t.Errorf("a deleted one: %v", err)
	}
	// It is not looked for where it was not put.
	inFile := Ref(strings.Replace(string(ref), "keychain", "file", 1))
	if err := s.file.set(ref.id(), "another"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), ref); code(err) != CodeMissing {
		t.Errorf("it was taken from the file: %v", err)
	}
	if value, err := s.Get(t.Context(), inFile); err != nil || value != "another" {
		t.Errorf("%q, %v", value, err)
	}
}

func TestKeychainErrors(t *testing.T) {
	defer keyring.MockInit()
	s := Open(Options{Dir: t.TempDir()})
	for text, want := range map[string]string{
		"prompt dismissed": CodeLocked,
		"Cannot create an item in a locked collection":                                    CodeLocked,
		"The name org.freedesktop.secrets was not provided by any .service files":         CodeUnavailable,
		"dial unix /run/user/0/bus: connect: no such file or directory":                   CodeUnavailable,
		"failed to unlock correct collection '/org/freedesktop/secrets/collection/login'": CodeLocked,
		"something else": CodeUnavailable,
		"failed to unlock correct collection '/org/freedesktop/secrets/aliases/default': object is locked, not unlocked.": CodeLocked,
	} {
		keyring.MockInitWithError(errors.New(text))
		for _, err := range []error{
			func() error { _, err := s.Set(t.Context(), Keychain, "x", "value"); return err }(),
			func() error { _, err := s.Get(t.Context(), "keychain:x"); return err }(),
			s.Delete(t.Context(), "keychain:x"),
		} {
			if code(err) != want || !strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "value") {
				t.Errorf("%s: %q, %v", text, code(err), err)
			}
		}
	}
	was := reachable
	defer func() { reachable = was }()
	reachable = func() bool { return false }
	if _, err := s.Set(t.Context(), Keychain, "x", "value"); code(err) != CodeUnavailable {
		t.Errorf("without a bus: %v", err)
	}
	if entries, _ := os.ReadDir(s.opt.Dir); len(entries) > 0 {
		t.Errorf("it fell back to %v", entries)
	}
}

// A keychain that hangs holds nobody up for long, and is asked again once it answers.
func TestHangingKeychainTimesOut(t *testing.T) {
	keyring.MockInit()
	k := keychain{timeout: 50 * time.Millisecond, turn: make(chan struct{}, 1)}
	release := make(chan struct{})
	hang := func() (string, error) { <-release; return "", keyring.ErrNotFound }
	var asks sync.WaitGroup
	for range 20 {
		asks.Go(func() {
			began := time.Now()
			if _, err := k.ask(context.Background(), hang); code(err) != CodeSilent {
				t.Errorf("%v", err)
			}
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("it took %s", d)
			}
		})
	}
	asks.Wait()
	close(release)
	deadline := time.Now().Add(10 * time.Second)
	for {
		value, err := k.ask(context.Background(), func() (string, error) { return "there", nil })
		if err == nil && value == "there" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not asked again: %v", err)
		}
	}
}

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := Open(Options{Dir: dir})
	refs := map[Ref]string{}
	for _, value := range []string{"the first of the secrets", "日本語 \x01", strings.Repeat("x", MaxValue)} {
		ref, err := s.Set(t.Context(), File, "agent", value)
		if err != nil {
			t.Fatal(err)
		}
		refs[ref] = value
	}
	for _, path := range []string{s.file.path, s.file.keyPath} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		text, _ := os.ReadFile(path)
		for _, value := range refs {
			if bytes.Contains(text, []byte(value)) {
				t.Errorf("%s holds %q", path, value)
			}
		}
	}
	again := Open(Options{Dir: dir})
	for ref, want := range refs {
		if value, err := again.Get(t.Context(), ref); err != nil || value != want {
			t.Errorf("%q, %v", value, err)
		}
	}
	for ref := range refs {
		if err := again.Delete(t.Context(), ref); err != nil {
			t.Error(err)
		}
		if _, err := s.Get(t.Context(), ref); code(err) != CodeMissing {
			t.Errorf("a deleted one: %v", err)
		}
	}
}

// Two sealed values that have changed places, or were cut, are not taken for each other.
func TestTamperedFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := Open(Options{Dir: dir})
	a, _ := s.Set(t.Context(), File, "a", "value-a")
	b, err := s.Set(t.Context(), File, "b", "value-b")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(s.file.path)
	key, _ := os.ReadFile(s.file.keyPath)
	var c contents
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	c.Secrets[a.id()], c.Secrets[b.id()] = c.Secrets[b.id()], c.Secrets[a.id()]
	swapped, _ := json.Marshal(c)
	for name, change := range map[string]func(){
		"swapped":    func() { _ = os.WriteFile(s.file.path, swapped, 0o600) },
		"no JSON":    func() { _ = os.WriteFile(s.file.path, []byte("{"), 0o600) },
		"newer":      func() { _ = os.WriteFile(s.file.path, []byte(`{"version":2}`), 0o600) },
		"other key":  func() { _ = os.WriteFile(s.file.keyPath, bytes.Repeat([]byte{1}, keySize), 0o600) },
		"short key":  func() { _ = os.WriteFile(s.file.keyPath, []byte("short"), 0o600) },
		"no key":     func() { _ = os.Remove(s.file.keyPath) },
		"cut values": func() { _ = os.WriteFile(s.file.path, []byte(`{"version":1,"secrets":{"`+a.id()+`":"AAAA"}}`), 0o600) },
	} {
		_ = os.WriteFile(s.file.path, text, 0o600)
		_ = os.WriteFile(s.file.keyPath, key, 0o600)
		change()
		before, _ := os.ReadFile(s.file.path)
		if value, err := s.Get(t.Context(), a); code(err) != CodeFile {
			t.Errorf("%s: %q, %v", name, value, err)
		}
		if name == "swapped" || name == "cut values" || name == "other key" {
			continue // others can still be kept
		}
		if _, err := s.Set(t.Context(), File, "more", "more"); code(err) != CodeFile {
			t.Errorf("%s: it could be written: %v", name, err)
		}
		if after, _ := os.ReadFile(s.file.path); !bytes.Equal(before, after) {
			t.Errorf("%s: the file was replaced", name)
		}
	}
}

func TestFileFromManySides(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			ref, err := s.Set(context.Background(), File, "x", "a value of mine")
			if err != nil {
				t.Error(err)
				return
			}
			if value, err := s.Get(context.Background(), ref); err != nil || value != "a value of mine" {
				t.Errorf("%q, %v", value, err)
			}
		})
	}
	all.Wait()
}

func TestInvalidSecretsAreRefused(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	for _, value := range []string{"", strings.Repeat("x", MaxValue+1), "a\x00b"} {
		if _, err := s.Set(t.Context(), File, "x", value); code(err) != CodeInvalid {
			t.Errorf("%.10q: %v", value, err)
		}
	}
	for _, ref := range []Ref{"", "x", "file:", "file:../x", "file:a b", "vault:x", "keychain:" + Ref(strings.Repeat("x", 200))} {
		if _, err := s.Get(t.Context(), ref); code(err) != CodeInvalid {
			t.Errorf("%q: %v", ref, err)
		}
		if err := s.Delete(t.Context(), ref); err != nil {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestRedactor(t *testing.T) {
	r := &Redactor{}
	line := []byte("nothing is known")
	if got := r.Bytes(line); &got[0] != &line[0] {
		t.Error("what has no secret is copied")
	}
	for _, value := range []string{`a"b\c<d>`, "Bearer abcdefgh123", "key with/slash", "abc", "longer-abcd", "abcd"} {
		r.Add(value)
	}
	for in, want := range map[string]string{
		`x a"b\c<d> y`:                      "x [secret] y",
		`{"v":"a\"b\\c<d>"}`:                `{"v":"[secret]"}`,
		`{"v":"a\"b\\c\u003cd\u003e"}`:      `{"v":"[secret]"}`,
		"token abcdefgh123 refused":         "token [secret] refused",
		"Authorization: Bearer abcdefgh123": "Authorization: [secret]",
		"?k=key+with%2Fslash&x":             "?k=[secret]&x",
		"abc is too short to hide":          "abc is too short to hide",
		"longer-abcd":                       "[secret]",
		"a2V5IHdpdGgvc2xhc2g=":              "[secret]",
		"plain":                             "plain",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	var out bytes.Buffer
	if n, err := r.Writer(&out).Write([]byte("a abcd b\n")); n != 9 || err != nil || out.String() != "a [secret] b\n" {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
	var none *Redactor
	none.Add("x")
	if none.Text("x") != "x" {
		t.Error("without a redactor")
	}
}
