package toolcalls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

func TestOpenCallKeepsWhatWasReported(t *testing.T) {
	open := Open{}
	open.Update(&transcript.ToolPatch{ID: "a", Announced: true, Title: text("Edit"), Kind: text("edit"), Input: jsontext.Value(`{"path":"f"}`)}, 1)
	open.Update(&transcript.ToolPatch{ID: "a", Name: text("edit_file"), Locations: &[]transcript.Location{{Path: "/f"}}, Content: &[]transcript.Content{{Type: "diff", Path: "/f", OldText: "x", NewText: "y"}}}, 2)
	c := open["a"]
	if c.Order != 1 || !c.Named || c.Title != "Edit" || c.Kind != "edit" || string(c.Input) != `{"path":"f"}` || c.Paths[0] != "/f" || c.Diffs[0] != "/f" || strings.Join(c.Texts, "") != "xy" {
		t.Errorf("%+v", c)
	}
	asked := open.With(&transcript.ToolPatch{ID: "a", Title: text("Allow?")})
	if asked.Title != "Allow?" || asked.Kind != "edit" || open["a"].Title != "Edit" {
		t.Errorf("%+v", asked)
	}
	done := transcript.StatusCompleted
	if open.Update(&transcript.ToolPatch{ID: "a", Status: &done}, 3); len(open) != 0 {
		t.Error("an ended call is open")
	}
}

func TestOpenCallsAreBounded(t *testing.T) {
	open := Open{}
	for i := range MaxCalls + 5 {
		open.Update(&transcript.ToolPatch{ID: fmt.Sprint(i)}, i)
	}
	if len(open) != MaxCalls {
		t.Errorf("%d calls", len(open))
	}
	long := jsontext.Value(`"` + strings.Repeat("x", maxInput) + `"`)
	open.Update(&transcript.ToolPatch{ID: "0", Input: long}, 0)
	if c := open["0"]; c.Input != nil || !c.Long {
		t.Error("long arguments are kept")
	}
	if c := open.With(&transcript.ToolPatch{ID: "0", Input: long}); c.Input == nil || c.Long {
		t.Error("a request about long arguments has none")
	}
}

func TestReportThatNamesTheTool(t *testing.T) {
	open := Open{}
	first := &transcript.ToolPatch{ID: "a", Announced: true, Title: text("Edit"), Input: jsontext.Value(" {} ")}
	if !open.Names(first) {
		t.Error("the first report names nothing")
	}
	open.Update(first, 1)
	for _, test := range []struct {
		name string
		p    transcript.ToolPatch
		want bool
	}{
		{"same title", transcript.ToolPatch{Title: text("Edit")}, false},
		{"another title", transcript.ToolPatch{Title: text("Edit f")}, true},
		{"a name", transcript.ToolPatch{Name: text("edit")}, true},
		{"first arguments", transcript.ToolPatch{Input: jsontext.Value(`{"a":1}`)}, true},
		{"announced again", transcript.ToolPatch{Announced: true}, true},
		{"output", transcript.ToolPatch{OutputDelta: "x"}, false},
	} {
		if test.p.ID = "a"; open.Names(&test.p) != test.want {
			t.Errorf("%s: want %v", test.name, test.want)
		}
	}
	open.Update(&transcript.ToolPatch{ID: "a", Input: jsontext.Value(`{"a":1}`)}, 2)
	if open.Names(&transcript.ToolPatch{ID: "a", Input: jsontext.Value(`{"a":12}`)}) {
		t.Error("longer arguments name the tool")
	}
}
