package interchange_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/relay"
)

// unfinishedSpace makes a space with a message that is still being written, and returns its id.
func unfinishedSpace(t *testing.T, s *service.Service) string {
	t.Helper()
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Title: "Pears"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1000, Bodies: []transcript.Body{
		&transcript.MessageStart{MessageID: "m1", Role: transcript.RoleUser, Author: transcript.Author{Kind: "person"}},
		&transcript.TextDelta{MessageID: "m1", Content: "How long do they keep?"},
		&transcript.MessageEnd{MessageID: "m1"},
		&transcript.MessageStart{MessageID: "m2", RunID: "r", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: "guide"}},
		&transcript.ToolCallStart{At: transcript.At{MessageID: "m2"}, ToolCallID: "t", Title: "Read", Kind: "read", Status: transcript.StatusRunning},
	}}); err != nil {
		t.Fatal(err)
	}
	return sp.ID
}

func documentOf(t *testing.T, s *service.Service, id string) []byte {
	t.Helper()
	p, err := s.Exports().Prepare(t.Context(), interchange.ExportRequest{Format: "json", SpaceID: id, Thoughts: true}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := p.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDocumentBecomesASpaceOnce(t *testing.T) {
	one, dir := servicetest.Open(t, t.TempDir()), t.TempDir()
	two := servicetest.Open(t, dir)
	id := unfinishedSpace(t, one)
	doc := documentOf(t, one, id)
	was, err := one.Store().Spaces.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(was.Folder); err != nil { // as on another machine
		t.Fatal(err)
	}
	news := make(chan string, 64)
	pump := relay.NewPump(two.Relay(), func(payload string) { news <- payload })
	defer pump.Close()
	if err := pump.Watch(relay.AppTopic, 0, 0, nil); err != nil {
		t.Fatal(err)
	}
	take := func(doc []byte, dry bool) interchange.ImportReport {
		t.Helper()
		r, err := two.Imports().File(t.Context(), "talk.json", bytes.NewReader(doc), dry)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := take(doc, true); r.Imported != 1 || r.Conversations[0].SpaceID != "" || r.Conversations[0].Messages != 2 {
		t.Fatalf("dry run: %+v", r)
	}
	r := take(doc, false)
	c := r.Conversations[0]
	if r.Imported != 1 || c.SpaceID != id || c.Title != "Pears" || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "wasn't found") {
		t.Fatalf("%+v", r)
	}
	if told := <-news; !strings.Contains(told, `"space"`) {
		t.Errorf("the window was told %s", told)
	}
	// What was in progress has ended, and the folder is one of its own.
	m, err := two.Store().Pages.Message(t.Context(), id, "m2")
	if err != nil || m.EndedAt == 0 || m.Segments[0].Items[0].Call.Status != transcript.StatusCancelled {
		t.Fatalf("%+v, %v", m, err)
	}
	sp, err := two.Store().Spaces.Get(t.Context(), id)
	if err != nil || sp.Folder != filepath.Join(dir, "data", "spaces", id) || sp.Unseen() {
		t.Fatalf("%+v, %v", sp, err)
	}
	if _, err := os.Stat(sp.Folder); err != nil {
		t.Error(err)
	}
	if r := take(doc, false); r.Known != 1 || r.Conversations[0].SpaceID != id {
		t.Fatalf("again: %+v", r)
	}
	// In the database that it comes from it is another space.
	r, err = one.Imports().File(t.Context(), "talk.json", bytes.NewReader(doc), false)
	if err != nil || r.Imported != 1 || r.Conversations[0].SpaceID == id {
		t.Fatalf("%+v, %v", r, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "data", ".import-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestDocumentWithAFaultLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := servicetest.Open(t, dir)
	doc := string(documentOf(t, s, unfinishedSpace(t, s)))
	for _, c := range []struct {
		old, now, want string
		line           int
	}{
		{`"version":1`, `"version":12`, "newer version", 1},
		{`"role":"agent"`, `"role":"robot"`, "The role “robot” is unknown", 5},
		{doc[len(doc)-20:], "", "ends in the middle", 6},
	} {
		bad := strings.Replace(doc, c.old, c.now, 1)
		r, err := s.Imports().File(t.Context(), "bad.json", strings.NewReader(bad), false)
		if err != nil || r.Refused != 1 || r.Imported != 0 {
			t.Fatalf("%q: %+v, %v", c.now, r, err)
		}
		if f := r.Conversations[0].Faults[0]; !strings.Contains(f.Message, c.want) || f.Line < c.line-2 || f.Line > c.line+2 {
			t.Errorf("%q: %+v", c.now, f)
		}
	}
	// A connection that breaks.
	broken := io.MultiReader(strings.NewReader(doc[:len(doc)/2]), failing{})
	if _, err := s.Imports().File(t.Context(), "bad.json", broken, false); err == nil || !strings.Contains(err.Error(), "Couldn't read the file") {
		t.Errorf("%v", err)
	}
	list, err := servicetest.Call[[]spaces.Space](t, s, "ListSpaces", spaces.ListSpacesRequest{})
	if err != nil || len(list) != 1 {
		t.Errorf("%d spaces, %v", len(list), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "data", ".import-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }
