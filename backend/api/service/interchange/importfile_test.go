package interchange_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/store"
	"weft/backend/store/relay"
)

const importedFile = `{"title":"Pears","agent":"nobody","folder":"/not/there","messages":[{"role":"user","content":"Pick them","time":1000},{"role":"agent","content":"Picked.","toolCalls":[{"name":"Read","result":"x"}]}]}
{"messages":[{"role":"user","content":"Second\nline"},{"role":"assistant","content":"Yes."}]}
{"title":"Bad","messages":[{"role":"user","content":"a"},{"role":"robot","content":"b"}]}
`

func TestImportedConversationsAreSpacesOnce(t *testing.T) {
	dir := t.TempDir()
	opt := interchange.Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Log: zerolog.Nop()}
	im, err := interchange.OpenImporter(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := im.File(t.Context(), "a.jsonl", strings.NewReader(importedFile), true); err != nil || r.Imported != 2 || r.Refused != 1 {
		t.Fatalf("dry run: %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "spaces")); err == nil {
		t.Error("a dry run has made a folder")
	}
	// What was imported while Weft was closed is there when it starts.
	if r, err := im.File(t.Context(), "a.jsonl", strings.NewReader(strings.SplitAfter(importedFile, "\n")[0]), false); err != nil || r.Imported != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := im.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := servicetest.Open(t, dir)
	if _, err := interchange.OpenImporter(t.Context(), opt); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a data folder in use was opened: %v", err)
	}
	news := make(chan string, 64)
	pump := relay.NewPump(s.Relay(), func(payload string) { news <- payload })
	defer pump.Close()
	if err := pump.Watch(relay.AppTopic, 0, 0, nil); err != nil {
		t.Fatal(err)
	}
	r, err := s.Imports().File(t.Context(), "a.jsonl", strings.NewReader(importedFile), false)
	if err != nil || r.Imported != 1 || r.Known != 1 || r.Refused != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if f := r.Conversations[2].Faults; len(f) != 1 || f[0].Line != 3 || f[0].Place != "messages[1]" || r.Conversations[2].SpaceID != "" {
		t.Errorf("faults: %+v", f)
	}
	for reported := false; !reported; {
		reported = strings.Contains(<-news, r.Conversations[1].SpaceID)
	}
	list, err := servicetest.Call[[]spaces.Space](t, s, "ListSpaces", spaces.ListSpacesRequest{})
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	pears, second := list[1], list[0]
	if pears.Title != "Pears" || pears.ID != r.Conversations[0].SpaceID || pears.AgentID != "guide" || !pears.NoFolder || pears.CreatedAt != 1000_000 || second.Title != "Second" {
		t.Errorf("%+v", list)
	}
	// The agent that continues it has not said what another program's did.
	page, err := servicetest.Call[conversation.Page](t, s, "Page", conversation.PageRequest{SpaceID: second.ID, Limit: 10})
	if err != nil || len(page.Messages) != 2 || page.Messages[1].Author.Name != "Assistant" {
		t.Errorf("%+v, %v", page.Messages, err)
	}
	// It branches as any other conversation.
	if _, err := servicetest.Call[spaces.Space](t, s, "Branch", conversation.BranchRequest{SpaceID: pears.ID}); err != nil {
		t.Error(err)
	}
}
