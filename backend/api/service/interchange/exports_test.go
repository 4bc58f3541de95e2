package interchange_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
)

// spaceWith makes a space with a message of the agent that has this text, and returns its id.
func spaceWith(t *testing.T, s *service.Service, text string) string {
	t.Helper()
	sp, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Title: "Pears"})
	if err != nil {
		t.Fatal(err)
	}
	bodies := []transcript.Body{&transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: "guide"}}}
	for range 1 + len(text)/6000 {
		n := min(len(text), 6000)
		bodies = append(bodies, &transcript.TextDelta{MessageID: "m", Content: text[:n]})
		text = text[n:]
	}
	if _, err := s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1000, Bodies: append(bodies, &transcript.MessageEnd{MessageID: "m"})}); err != nil {
		t.Fatal(err)
	}
	return sp.ID
}

// What was said a moment ago, and is not in rows yet, is in the text.
func TestTextHasWhatWasJustSaid(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	id := spaceWith(t, s, "Two weeks.")
	out, err := servicetest.Call[interchange.ExportedText](t, s, "ExportText", interchange.ExportRequest{Format: "md", SpaceID: id})
	if err != nil || !strings.Contains(out.Text, "Two weeks.") || out.Name != "Pears.md" || out.Messages != 1 || out.Bytes != int64(len(out.Text)) {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestTextThatIsTooLargeIsRefused(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	id := spaceWith(t, s, strings.Repeat("word ", 2<<20))
	_, err := servicetest.Call[interchange.ExportedText](t, s, "ExportText", interchange.ExportRequest{Format: "json", SpaceID: id})
	if fault.CodeOf(err) != "too_large" {
		t.Errorf("%v", err)
	}
}

func TestExportToAFileCanBeCanceled(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	id, dir := spaceWith(t, s, "Two weeks."), t.TempDir()
	x, req := s.Exports(), interchange.ExportRequest{Format: "html", SpaceID: id}
	cancel := func() error {
		_, err := servicetest.Call[struct{}](t, s, "CancelExport", interchange.ExportRef{ID: "1"})
		return err
	}
	if err := cancel(); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("nothing to cancel: %v", err)
	}
	_, err := x.ToFile(t.Context(), "1", req, func(name string) (string, error) {
		if _, err := x.ToFile(t.Context(), "1", req, nil); fault.CodeOf(err) != fault.Busy {
			t.Errorf("the same export again: %v", err)
		}
		return filepath.Join(dir, name), cancel()
	})
	if fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("a canceled export: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v is left, %v", list, err)
	}
	out, err := x.ToFile(t.Context(), "1", req, func(name string) (string, error) { return filepath.Join(dir, name), nil })
	if err != nil || !x.Wrote(out.Path) || x.Wrote(filepath.Join(dir, "other")) {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := x.ToFile(t.Context(), "1", req, func(string) (string, error) { return "", nil }); err != nil || out.Path != "" {
		t.Errorf("no file was chosen: %+v, %v", out, err)
	}
}
