package export

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
	"weft/backend/store"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// talked returns a store with a conversation in it.
func talked(t *testing.T) (*store.Store, *talk) {
	t.Helper()
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "Pears", Folder: "/f", AgentID: "guide", AgentName: "Guide"})
	k.fill(rand.New(rand.NewPCG(1, 2)), 4)
	return st, k
}

func prepared(t *testing.T, st *store.Store, req Request) *Export {
	t.Helper()
	e, err := Prepare(t.Context(), Options{Store: st, Flush: st.Events.Flush}, req)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFileIsWholeOrNotThere(t *testing.T) {
	st, k := talked(t)
	for _, format := range Formats() {
		e, dir := prepared(t, st, Request{Format: format, SpaceID: k.id}), t.TempDir()
		left := func(want int) {
			t.Helper()
			list, err := os.ReadDir(dir)
			if err != nil || len(list) != want {
				t.Fatalf("%s: the folder has %v, %v", format, list, err)
			}
		}
		path, result, err := e.File(t.Context(), dir)
		if err != nil || filepath.Base(path) != "Pears."+string(format) {
			t.Fatal(path, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != result.Bytes || result.Messages != 8 {
			t.Fatalf("%s: %+v, %v", format, result, err)
		}
		left(1)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := e.File(canceled, path); db.CodeOf(err) != fault.Cancelled {
			t.Errorf("%s: a canceled export: %v", format, err)
		}
		gone := filepath.Join(dir, "gone", "x."+string(format))
		if _, _, err := e.File(t.Context(), gone); err == nil || !strings.Contains(err.Error(), "doesn't exist") {
			t.Errorf("%s: a folder that is gone: %v", format, err)
		}
		left(1)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file has changed: %v", format, err)
		}
		// A disk that fills up in the middle.
		for _, room := range []int64{0, 100, result.Bytes / 2, result.Bytes - 1} {
			if _, err := e.Write(t.Context(), &full{room}); !errors.Is(err, errFull) {
				t.Fatalf("%s: a disk with %d of %d bytes: %v", format, room, result.Bytes, err)
			}
		}
	}
}

var errFull = errors.New("full")

// full is a disk with some room.
type full struct{ room int64 }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= int64(len(b)); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestExportOntoAFullDiskIsASentence(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil || runtime.GOOS != "linux" {
		t.Skip("this system has no full disk to write to")
	}
	st, k := talked(t)
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = prepared(t, st, Request{Format: JSON, SpaceID: k.id}).Write(t.Context(), f)
	if err = Explain("/dev/full", err); err == nil || !strings.HasPrefix(err.Error(), "The disk is full.") {
		t.Errorf("%v", err)
	}
}

// A canceled export ends soon, whatever it writes to.
func TestExportEndsWithItsContext(t *testing.T) {
	st, k := talked(t)
	k.fill(rand.New(rand.NewPCG(3, 4)), 40)
	for _, format := range Formats() {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := prepared(t, st, Request{Format: format, SpaceID: k.id}).Write(ctx, writerFunc(func(b []byte) (int, error) {
			cancel()
			return len(b), nil
		}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestRequestsThatMeanNothingAreRefused(t *testing.T) {
	st, k := talked(t)
	for _, c := range []struct {
		req  Request
		code string
	}{
		{Request{Format: "pdf", SpaceID: k.id}, fault.Invalid},
		{Request{Format: HTML}, fault.Invalid},
		{Request{Format: HTML, SpaceID: "nobody"}, fault.NotFound},
		{Request{Format: HTML, SpaceID: k.id, From: "nothing"}, fault.NotFound},
		{Request{Format: HTML, SpaceID: k.id, From: "m4", To: "m2"}, fault.Invalid},
		{Request{Format: HTML, SpaceID: k.id, From: "m4", Branches: true}, fault.Invalid},
		{Request{Format: HTML, Places: []ChosenMessage{{k.id, "nothing"}}}, fault.NotFound},
	} {
		if _, err := Prepare(t.Context(), Options{Store: st}, c.req); fault.CodeOf(err) != c.code || err.Error() == "" {
			t.Errorf("%+v: %v", c.req, err)
		}
	}
}

func TestRangesAndPlaces(t *testing.T) {
	st, k := talked(t)
	other := begin(t, st, spaces.Space{Title: "Apples", AgentID: "guide", AgentName: "Guide"})
	other.fill(rand.New(rand.NewPCG(5, 6)), 2)
	ids := regexp.MustCompile(`\n\{"id":"(m\d+)"`)
	for _, c := range []struct {
		req  Request
		want string
	}{
		{Request{SpaceID: k.id, From: "m3", To: "m5"}, "m3 m4 m5"},
		{Request{SpaceID: k.id, From: "m7"}, "m7 m8"},
		{Request{SpaceID: k.id, To: "m1"}, "m1"},
		{Request{Places: []ChosenMessage{{k.id, "m6"}, {other.id, "m2"}, {k.id, "m1"}, {k.id, "m6"}}}, "m1 m6 m2"},
	} {
		c.req.Format = JSON
		doc, _ := exported(t, st, Options{}, c.req)
		var got []string
		for _, m := range ids.FindAllSubmatch(doc, -1) {
			got = append(got, string(m[1]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v has %s, want %s", c.req, s, c.want)
		}
		imported(t, openStore(t, t.TempDir()), doc)
	}
}

// No file contains any form of a known secret, and the count is the number of its occurrences.
func TestKnownSecretsAreStruckOut(t *testing.T) {
	const key = `sk-pear"42/é`
	hide := &secret.Redactor{}
	hide.Add(key)
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "The key " + key, Folder: "/f", AgentID: "guide", AgentName: "Guide"})
	k.ask("Use "+key, transcript.Content{Type: "resource_link", Name: "n", Path: "a/" + key})
	k.think("I was given " + key)
	k.say("Your key is " + key + ", and again " + key)
	kind, done, title, why := "execute", transcript.StatusCompleted, "curl -H "+key, "no "+key
	quote := func(s string) string { q, _ := jsontext.AppendQuote(nil, s); return string(q) }
	many := []transcript.Content{{Type: "text", Text: strings.Repeat("x", 5000) + key}, {Type: "diff", Path: "p", OldText: key, NewText: strings.Repeat("y\n", 3000) + key}}
	for range 10 {
		many = append(many, transcript.Content{Type: "text", Text: strings.Repeat("filler ", 40)})
	}
	k.tool(&transcript.ToolPatch{
		ID: "t", Announced: true, Title: &title, Kind: &kind, Status: &done, Summary: &why, Input: jsontext.Value(`{"command":` + quote(key) + `,"n":12345678}`),
		Content: &many, Output: jsontext.Value(`{"long":` + quote(strings.Repeat("z", 300_000)+key) + `}`),
	})
	k.do(&transcript.Update{Kind: transcript.UpdateOpaque, UnknownKind: "odd", Value: jsontext.Value(`{"k":` + quote(strings.Repeat("w", 2000)+key) + `}`)})
	k.do(&transcript.Update{Kind: transcript.UpdateText, Block: &transcript.Content{Type: "resource", Name: "env", Text: strings.Repeat("A=1\n", 90_000) + "KEY=" + key}})
	k.done("end_turn")
	for _, format := range Formats() {
		begun := int64(-1)
		file, result := exported(t, st, Options{Hide: hide, Begun: func(n int64) { begun = n }}, Request{Format: format, SpaceID: k.id})
		text := string(file)
		if format == JSON || format == Events {
			text = unpacked(t, text)
		}
		for _, form := range []string{"pear", "sk-pear", base64Of([]byte(key))} {
			if strings.Contains(text, form) {
				at := strings.Index(text, form)
				t.Errorf("%s has a secret: %.200q", format, text[max(0, at-100):])
			}
		}
		if result.SecretsHidden < 12 || begun != result.SecretsHidden || result.Missing > 0 {
			t.Errorf("%s: %+v, and %d at the beginning", format, result, begun)
		}
		if format == Markdown && !strings.Contains(text, "known secrets were replaced by") {
			t.Errorf("%s doesn't say that secrets were replaced: %.300s", format, text)
		}
		if format != JSON {
			continue
		}
		// The second export reports the same count, although nothing is left to replace.
		two := openStore(t, t.TempDir())
		again, _ := exported(t, two, Options{}, Request{Format: JSON, SpaceID: imported(t, two, file).IDs[0]})
		if !bytes.Equal(file, again) {
			t.Error(difference(file, again))
		}
	}
}

// Secrets are also removed from names, plans and attachments that only claim to be images, and each is counted.
func TestSecretsBesideTheMessagesAreStruckOut(t *testing.T) {
	const key = "sk-pear-secret/é"
	hide := &secret.Redactor{}
	hide.Add(key)
	for _, c := range []struct {
		name   string
		agent  string
		talk   func(k *talk)
		shown  bool // in Markdown and HTML too
		counts int64
	}{
		{"agent", "Guide " + key, func(*talk) {}, true, 1},
		{"plan", "Guide", func(k *talk) {
			k.do(&transcript.Update{Kind: transcript.UpdateState, Key: transcript.StatePlan, Value: jsontext.Value(`[{"content":"use ` + key + `"}]`)})
		}, false, 1},
		{"picture", "Guide", func(k *talk) {
			k.do(&transcript.Update{Kind: transcript.UpdateText, Block: &transcript.Content{Type: "image", Mime: "image/svg+xml", Text: base64Of([]byte("<svg><text>" + key + "</text></svg>"))}})
		}, false, 1},
		{"escaped JSON", "Guide", func(k *talk) {
			title, kind, done := "Read", "read", transcript.StatusCompleted
			k.tool(&transcript.ToolPatch{ID: "t", Announced: true, Title: &title, Kind: &kind, Status: &done, Output: jsontext.Value(`{"key":"sk-pear-secret\/\u00e9","rest":"` + strings.Repeat("x", 20_000) + `"}`)})
		}, true, 1},
		{"base64", "Guide", func(k *talk) { k.say("Authorization: Basic " + base64Of([]byte("user:"+key))) }, true, 1},
	} {
		st := openStore(t, t.TempDir())
		k := begin(t, st, spaces.Space{Title: "T", Folder: "/f", AgentID: "guide", AgentName: c.agent})
		k.ask("Go")
		c.talk(k)
		k.done("end_turn")
		for _, format := range Formats() {
			file, result := exported(t, st, Options{Hide: hide}, Request{Format: format, SpaceID: k.id})
			text := string(file)
			if format == JSON || format == Events {
				text = unpacked(t, text)
			} else if !c.shown {
				continue
			}
			for _, form := range []string{"pear", base64Of([]byte("user:" + key))[8:16]} {
				if strings.Contains(text, form) {
					t.Errorf("%s, %s: the file has the secret", c.name, format)
				}
			}
			if result.SecretsHidden < c.counts {
				t.Errorf("%s, %s: %+v", c.name, format, result)
			}
		}
	}
}

var base64Form = regexp.MustCompile(`"([A-Za-z0-9+/]{40,}={0,2})"`)

// unpacked returns a file with the data of its payloads appended.
func unpacked(t *testing.T, text string) string {
	t.Helper()
	var all strings.Builder
	all.WriteString(text)
	for _, m := range base64Form.FindAllStringSubmatch(text, -1) {
		all.WriteString(decoded(m[1]))
	}
	return all.String()
}

// Markdown and HTML cut large calls and say what is left out; the other formats contain everything.
func TestLargeResultsAreCutWhereTheyAreDrawn(t *testing.T) {
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "Large", AgentID: "guide", AgentName: "Guide"})
	k.ask("Read it")
	title, kind, done := "Read", "read", transcript.StatusCompleted
	k.tool(&transcript.ToolPatch{ID: "t", Announced: true, Title: &title, Kind: &kind, Status: &done, Content: &[]transcript.Content{{Type: "text", Text: strings.Repeat("日", 400_000) + "END"}}})
	k.say(strings.Repeat("word ", 1_000_000) + "END")
	k.done("end_turn")
	for _, format := range Formats() {
		file, result := exported(t, st, Options{}, Request{Format: format, SpaceID: k.id})
		short := format == Markdown || format == HTML
		if cut := result.Cut > 0; cut != short {
			t.Errorf("%s: %+v", format, result)
		}
		if short && (!bytes.Contains(file, []byte("more, not in this file")) || bytes.Contains(file, []byte("\uFFFD")) || len(file) > 6<<20) {
			t.Errorf("%s: %d bytes", format, len(file))
		}
	}
}

// A name that Weft chooses is never that of an existing file, and a device is never replaced by a file.
func TestFileInAFolderReplacesNoOther(t *testing.T) {
	st, k := talked(t)
	dir := t.TempDir()
	e := prepared(t, st, Request{Format: Markdown, SpaceID: k.id})
	mine := filepath.Join(dir, e.Name)
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for range 2 {
		path, _, err := e.File(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Base(path))
	}
	stem := strings.TrimSuffix(e.Name, ".md")
	if want := []string{stem + " 2.md", stem + " 3.md"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("the user's file has %q, %v", text, err)
	}
	// A file that the user names is replaced.
	if path, _, err := e.File(t.Context(), mine); err != nil || path != mine {
		t.Errorf("%s, %v", path, err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if _, _, err := e.File(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "Enter the name of a file.") {
		t.Errorf("%v", err)
	}
	if info, err := os.Lstat(socket); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestFileNames(t *testing.T) {
	for title, want := range map[string]string{
		"Pears": "Pears", "a/b\\c:d": "a b c d", "../../etc/passwd": "etc passwd", ".hidden.": "hidden", "": "Conversation", "CON": "Conversation CON", "nul.txt": "Conversation nul.txt",
		"日本語": "日本語", "a\u202eb\x00c": "a b c", strings.Repeat("é", 100): strings.Repeat("é", 40), "...": "Conversation",
		"--help": "help", "~root": "root", "a\u009bb\u200bc\ufeffd\u061ce": "a b c d e", "-": "Conversation", "می\u200cخواهم": "می\u200cخواهم", "a - b": "a - b",
	} {
		if got := fileName(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}

// The colors of the page are those of the window.
func TestColorsAreThoseOfTheWindow(t *testing.T) {
	tokens, err := os.ReadFile("../../../frontend/src/theme/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(string(tokens), `:root[data-theme="dark"] {`)
	ownLight, ownDark, _ := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	ownDark, _, _ = strings.Cut(ownDark, "*, ::before")
	dark, _, _ = strings.Cut(dark, "@media")
	token := regexp.MustCompile(`(--[a-z0-9-]+): ([^;]+);`)
	for _, c := range []struct{ name, own, window string }{{"light", ownLight, light}, {"dark", ownDark, dark}} {
		values := map[string]string{}
		for _, m := range token.FindAllStringSubmatch(c.window, -1) {
			values[m[1]] = m[2]
		}
		list := token.FindAllStringSubmatch(c.own, -1)
		if len(list) < 15 {
			t.Fatalf("%s has %d colors", c.name, len(list))
		}
		for _, m := range list {
			if values[m[1]] != m[2] {
				t.Errorf("%s: %s is %s, and %s in the window", c.name, m[1], m[2], values[m[1]])
			}
		}
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(pageCSS, -1) {
		if !strings.Contains(pageCSS, m[1]+":") {
			t.Errorf("%s is not defined", m[1])
		}
	}
}

// A folder vanishes while a file is written into it.
func TestFolderThatVanishesIsASentence(t *testing.T) {
	st, k := talked(t)
	dir := filepath.Join(t.TempDir(), "stick")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	opt := Options{Store: st, Flush: st.Events.Flush, Begun: func(int64) {
		if err := os.RemoveAll(dir); err != nil {
			t.Skip("this system keeps a folder with open files")
		}
	}}
	e, err := Prepare(t.Context(), opt, Request{Format: HTML, SpaceID: k.id})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.File(t.Context(), filepath.Join(dir, "x.html"))
	if err == nil || !strings.Contains(err.Error(), "doesn't exist. Choose another one.") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made again")
	}
}
