package store

import (
	"context"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// importOf returns a conversation with a large result and an image.
func importOf(texts ...string) Import {
	const key = "k"
	im := Import{Key: key, Space: spaces.Space{Title: "Imported", Folder: "/f", AgentID: "g", AgentName: "Guide"}, Meta: map[string]string{"about:" + key: "yes"}}
	for i, text := range texts {
		var box transcript.Outbox
		id := key + string(rune('a'+i))
		f := transcript.NewFold(&box, transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: "g"}})
		done, title := transcript.StatusCompleted, "Read"
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{
			ID: "1", Announced: true, Title: &title, Status: &done, Output: []byte(`"` + strings.Repeat("o", 20_000) + `"`),
		}}, 70)
		f.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: text}, 70)
		f.End("end_turn", nil, 70)
		im.Messages = append(im.Messages, Imported{ID: id, At: 70, Output: box.Take()})
	}
	return im
}

func TestImportIsCompleteAndDoneOnce(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	long := strings.Repeat("日本語 text ", 3000)
	sp, fresh, err := s.ImportSpace(ctx, importOf(long, "two"))
	if err != nil || !fresh {
		t.Fatal(sp, fresh, err)
	}
	m, err := s.Pages.Message(ctx, sp.ID, "ka")
	if err != nil || len(m.Segments) != 2 || m.Content() != long || m.CreatedAt != 70 || m.EndedAt != 70 || m.Segments[0].Items[0].Call.OutputRef == nil {
		t.Fatalf("message: %+v %v", m, err)
	}
	if _, _, err := s.Blobs.Open(ctx, m.Segments[0].Items[0].Call.OutputRef.Hash); err != nil {
		t.Error(err)
	}
	again, fresh, err := s.ImportSpace(ctx, importOf(long, "two"))
	if err != nil || fresh || again.ID != sp.ID {
		t.Errorf("the same conversation again: %+v, fresh %v, %v", again, fresh, err)
	}
	if v, ok, _ := s.Meta.Get(ctx, "about:k"); !ok || v != "yes" {
		t.Error("the values were not kept")
	}
	// Later messages follow it, even after a restart.
	closeStore(t, s)
	s = open(t, dir)
	defer closeStore(t, s)
	add(t, s, sp.ID, start("next"), words("next", 0, "x"), &transcript.MessageEnd{MessageID: "next"})
	page, err := s.Pages.Before(ctx, sp.ID, nil, 50)
	if err != nil || len(page.Messages) != 3 || page.Messages[2].ID != "next" {
		t.Errorf("page: %+v %v", page, err)
	}
	if err := s.Spaces.Delete(ctx, sp.ID); err != nil {
		t.Fatal(err)
	}
	if _, fresh, err = s.ImportSpace(ctx, importOf(long, "two")); err != nil || !fresh {
		t.Errorf("after the space was deleted: fresh %v, %v", fresh, err)
	}
}

func TestFailedImportLeavesNothing(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	im := importOf("one", "two", "three")
	// The database rejects the last message.
	if err := s.db.Change(ctx, "prepare", func(c *db.Conn) error {
		return c.Script(`CREATE TEMP TRIGGER refuse BEFORE INSERT ON message WHEN NEW.id = 'kc' BEGIN SELECT RAISE(ABORT, 'refused'); END`)
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ImportSpace(ctx, im); err == nil {
		t.Fatal("the import succeeded")
	}
	for _, table := range []string{"space", "message", "blob", "blob_use", "item", "meta", "member"} {
		var n int
		if inFile(t, s, "SELECT count(*) FROM "+table, &n); n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	if err := s.db.Change(ctx, "let go", func(c *db.Conn) error { return c.Script("DROP TRIGGER refuse") }); err != nil {
		t.Fatal(err)
	}
	if _, fresh, err := s.ImportSpace(ctx, im); err != nil || !fresh {
		t.Errorf("the next attempt: fresh %v, %v", fresh, err)
	}
}
