package agentfiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/asking"
	"weft/backend/requests"
	"weft/backend/workspace"
)

// session allows all but what refuses says, and notes what happens.
type session struct {
	refuses error
	known   Known
	events  []string
	done    int
	outcome error
}

func (s *session) Consent(_ context.Context, o *requests.Operation) (done func(error), err error) {
	s.events = append(s.events, "asked for "+o.Kind)
	return func(err error) { s.done, s.outcome = s.done+1, err }, s.refuses
}

func (s *session) HasRead(path string) bool { return s.known.Has(path) }

func (s *session) Read(path string, from, to int) {
	s.known.Note(path)
	s.events = append(s.events, fmt.Sprintf("read %s %d-%d", path, from, to))
}

func (s *session) Wrote(path string) { s.events = append(s.events, "wrote "+path) }

func (s *session) Watched(_ context.Context, path string, write func() error) error {
	s.events = append(s.events, "watched "+path)
	return write()
}

func open(t *testing.T, program string) (*Files, *session) {
	t.Helper()
	dir := t.TempDir()
	files, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	s := &session{}
	return &Files{
		Files: files, Folder: asking.Folder{Path: dir, Text: func(path string) (string, error) { return files.ReadText(path, 0, 0) }}, Session: s, Program: func() string { return program },
	}, s
}

// Only a file that is not there is empty, and only for the one agent that needs it.
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

// A file is touched only after consent, the session learns of it, and whoever was asked learns what came of it.
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
	s.refuses = errors.New("no")
	if got, err := f.Read(t.Context(), &Read{Path: path}); got != nil || err == nil {
		t.Errorf("a file is read that was refused: %v", got)
	}
	want := []string{"asked for edit", "asked for edit", "watched " + path, "wrote " + path, "asked for read", "read " + path + " 2-2", "asked for read"}
	if fmt.Sprint(s.events) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", s.events, want)
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
