package agentfiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"

	"weft/backend/files/workspace"
	"weft/backend/permission/files"
	"weft/backend/space/requests"
)

// session allows everything except what refuses says, and records what happens.
type session struct {
	refuses error
	known   Known
	mu      sync.Mutex // guards events, done and outcome
	events  []string
	done    int
	outcome error
	folder  string
	decides func(context.Context) error // called first, and may refuse
	swaps   func()                      // called after the decision
	asked   atomic.Int32
}

func (s *session) Consent(ctx context.Context, o *requests.Operation) (done func(error), err error) {
	if s.asked.Add(1); s.decides != nil {
		if err := s.decides(ctx); err != nil {
			return func(error) {}, err
		}
	}
	s.note("asked for " + o.Kind)
	o.Leads = files.Open(s.folder, nil).File(o.Files[0], "").Real
	if s.swaps != nil {
		s.swaps()
	}
	return func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done, s.outcome = s.done+1, err
	}, s.refuses
}

func (s *session) note(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
}

func (s *session) HasRead(path string) bool { return s.known.Has(path) }

func (s *session) Read(path string, from, to int) {
	s.known.Note(path)
	s.note(fmt.Sprintf("read %s %d-%d", path, from, to))
}

func (s *session) Wrote(path string) { s.note("wrote " + path) }

func (s *session) Watched(_ context.Context, path string, write func() error) error {
	s.note("watched " + path)
	return write()
}

func open(t *testing.T, program string) (*Files, *session) {
	t.Helper()
	dir := t.TempDir()
	folder, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	s := &session{folder: dir}
	return &Files{
		Files: folder, Folder: requests.Folder{Path: dir, Text: func(path string) (string, error) { return folder.ReadText(path, 0, 0) }}, Session: s, Writes: &Writes{}, Program: func() string { return program },
	}, s
}

// A missing file reads as empty only for the one agent that needs it.
func TestMissingFilesAreEmptyForGeminiOnly(t *testing.T) {
	t.Parallel()
	for program, empty := range map[string]bool{"gemini-cli": true, "Gemini CLI": true, "opencode": false, "": false} {
		f, _ := open(t, program)
		for path, absent := range map[string]bool{"new.txt": true, filepath.Join("in", "new.txt"): true, ".": false, "../out.txt": false} {
			_, err := f.Read(t.Context(), &Read{Path: filepath.Join(f.Folder.Path, path)})
			if (err == nil) != (empty && absent) {
				t.Errorf("%q reads %s: %v", program, path, err)
			}
		}
	}
}

// A file is touched only after consent. The session is told, and whoever was asked gets the result.
func TestFilesAreReadAndWrittenAfterConsent(t *testing.T) {
	t.Parallel()
	f, s := open(t, "robin")
	path := filepath.Join(f.Folder.Path, "a.txt")
	write := func(text string) error {
		_, err := f.Write(t.Context(), &Write{Path: path, Content: text})
		return err
	}
	s.refuses = errors.New("no")
	if err := write("one"); !errors.Is(err, s.refuses) || s.done != 1 || !errors.Is(s.outcome, s.refuses) {
		t.Errorf("%v, %d told, %v", err, s.done, s.outcome)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file is written that was refused")
	}
	s.refuses = nil
	if err := write("one\ntwo\nthree\n"); err != nil || s.done != 2 || s.outcome != nil {
		t.Errorf("%v, %d told, %v", err, s.done, s.outcome)
	}
	line, limit := 2, 1
	got, err := f.Read(t.Context(), &Read{Path: path, Line: &line, Limit: &limit})
	raw, _ := json.Marshal(got)
	var text struct {
		Content string `json:"content"`
	}
	if err != nil || json.Unmarshal(raw, &text) != nil || text.Content != "two\n" || s.done != 3 {
		t.Errorf("%s, %v, %d told", raw, err, s.done)
	}
	two := 2
	for _, part := range []Read{{Path: path, Limit: &two}, {Path: path, Line: &two}} {
		if _, err := f.Read(t.Context(), &part); err != nil {
			t.Error(err)
		}
	}
	s.refuses = errors.New("no")
	if got, err := f.Read(t.Context(), &Read{Path: path}); got != nil || err == nil {
		t.Errorf("a file is read that was refused: %v", got)
	}
	want := []string{
		"asked for edit", "asked for edit", "watched " + path, "wrote " + path, "asked for read", "read " + path + " 2-2",
		"asked for read", "read " + path + " 0-2", "asked for read", "read " + path + " 2-0", "asked for read",
	}
	if fmt.Sprint(s.events) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", s.events, want)
	}
}

// What was allowed happens where it was allowed, even if the folder or file is replaced in the meantime.
func TestFilesAreTouchedWhereThatWasAllowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ moves, leads string }{
		"a folder becomes a link":             {"made", ".git"},
		"a folder in a folder becomes a link": {"made/deep", "../.git"},
		"the file becomes a link":             {"made/deep/x.txt", "../../.git/x.txt"},
		"another folder is put there":         {"made", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, s := open(t, "robin")
			at := func(name string) string { return filepath.Join(f.Folder.Path, name) }
			swap := func() {
				_ = os.Rename(at(c.moves), at("aside"))
				if c.leads != "" {
					_ = os.Symlink(c.leads, at(c.moves))
				}
			}
			const text = "of git"
			for _, dir := range []string{"made/deep", ".git/deep"} {
				if err := os.MkdirAll(at(dir), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{".git/x.txt", ".git/deep/x.txt", "made/deep/x.txt"} {
				if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.swaps = swap
			_, err := f.Write(t.Context(), &Write{Path: at("made/deep/x.txt"), Content: "new"})
			if c.leads != "" && err == nil {
				t.Error("it was written")
			}
			s.swaps = nil
			if c.leads != "" {
				_ = os.Remove(at(c.moves))
				_ = os.Rename(at("aside"), at(c.moves))
				s.swaps = swap
				if got, err := f.Read(t.Context(), &Read{Path: at("made/deep/x.txt")}); err == nil {
					t.Errorf("it was read: %v", got)
				}
			}
			for _, name := range []string{".git/x.txt", ".git/deep/x.txt"} {
				if now, err := os.ReadFile(at(name)); err != nil || string(now) != text {
					t.Errorf("%s holds %q, %v", name, now, err)
				}
			}
		})
	}
}

// An agent may send a write twice. The second isn't asked about while the first is allowed but unwritten, unless
// other text was sent for the file in between.
func TestSameWriteIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	gone := errors.New("withdrawn")
	for name, c := range map[string]struct {
		texts     []string // sent before the first is written
		withdrawn string   // "first" or "second"
		refused   bool
		asked     int
		end       string
	}{
		"twice":                           {texts: []string{"one", "one"}, asked: 1, end: "one"},
		"three times":                     {texts: []string{"one", "one", "one"}, asked: 1, end: "one"},
		"twice and refused":               {texts: []string{"one", "one"}, refused: true, asked: 1},
		"with another between":            {texts: []string{"one", "two", "one"}, asked: 3, end: "one"},
		"the first is taken back":         {texts: []string{"one", "one"}, withdrawn: "first", asked: 2, end: "one"},
		"the second is taken back":        {texts: []string{"one", "one"}, withdrawn: "second", asked: 1, end: "one"},
		"the first is taken back of four": {texts: []string{"one", "one", "one", "one"}, withdrawn: "first", asked: 2, end: "one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, s := open(t, "robin")
				path := filepath.Join(f.Folder.Path, "a.txt")
				allowed := make(chan struct{})
				s.decides = func(ctx context.Context) error {
					select {
					case <-allowed:
						return s.refuses
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				if c.refused {
					s.refuses = errors.New("no")
				}
				results := make([]error, len(c.texts))
				var back []context.CancelCauseFunc
				var sent sync.WaitGroup
				for i, text := range c.texts {
					ctx, cancel := context.WithCancelCause(t.Context())
					back = append(back, cancel)
					sent.Go(func() { _, results[i] = f.Write(ctx, &Write{Path: path, Content: text}) })
					synctest.Wait()
				}
				taken := map[string]int{"first": 0, "second": 1}
				if i, ok := taken[c.withdrawn]; ok {
					back[i](gone)
					synctest.Wait()
					if !errors.Is(results[i], gone) {
						t.Errorf("what was taken back ends with %v", results[i])
					}
					results[i] = s.refuses
				}
				close(allowed)
				sent.Wait()
				for i, err := range results {
					if !errors.Is(err, s.refuses) {
						t.Errorf("write %d ends with %v", i, err)
					}
				}
				if n := int(s.asked.Load()); n != c.asked {
					t.Errorf("asked %d times, not %d", n, c.asked)
				}
				if text, _ := os.ReadFile(path); c.end != string(text) && c.asked < 3 {
					t.Errorf("the file holds %q, not %q", text, c.end)
				}
			})
		})
	}
}

func TestAddressIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	f, s := open(t, "robin")
	_, read := f.Read(t.Context(), &Read{Path: "file:///etc/passwd"})
	_, written := f.Write(t.Context(), &Write{Path: "file:///etc/passwd"})
	if read == nil || written == nil || len(s.events) > 0 {
		t.Errorf("%v, %v, %v", read, written, s.events)
	}
}

func TestFilesThatWereReadAreBounded(t *testing.T) {
	t.Parallel()
	var k Known
	for i := range maxRead + 1 {
		k.Note(fmt.Sprint(i))
	}
	if !k.Has("0") || !k.Has(fmt.Sprint(maxRead-1)) || k.Has(fmt.Sprint(maxRead)) {
		t.Error("not the first files are remembered")
	}
}
