package requests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/mentions"
)

func TestWaitsTellWhatWouldRun(t *testing.T) {
	long := "echo " + strings.Repeat("ä", maxTitle)
	tests := []struct {
		name, kind, input string
		line, path        string
		writes            bool
	}{
		{"a command", "execute", `{"command":"make all"}`, "make all", "", false},
		{"a shell that is named", "execute", `{"command":["bash","-lc","make all"]}`, "bash -lc 'make all'", "", false},
		{"a long command", "execute", `{"command":"` + long + `"}`, long[:maxTitle-1] + " …", "", false},
		{"a file that is read", "read", `{"path":"a.go"}`, "", "a.go", false},
		{"a file that is changed", "edit", `{"file_path":"a.go","old_string":"a","new_string":"b"}`, "", "a.go", true},
		{"neither", "other", `{"query":"a"}`, "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := permission.Call{Kind: tt.kind, Title: "Look around", Input: jsontext.Value(tt.input)}
			line, path, writes := does(permission.Describe(&call, permission.Place{Folder: t.TempDir()}))
			if line != tt.line || path != tt.path || writes != tt.writes {
				t.Errorf("it would do %q, %q, %t", line, path, writes)
			}
		})
	}
}

func TestOldestRequestsAreListedFirst(t *testing.T) {
	list := []Wait{DisplayWait(displays.New(displays.Display{Request: "display", Title: "Form", At: 3}))}
	for i := range 30 {
		list = append(list, (&Question{ID: fmt.Sprint(i), Title: "Which?", At: int64(i % 3)}).wait())
	}
	list = append(list, ReplyWait(&mentions.OpenReply{ID: "reply", Name: "Ann", Text: strings.Repeat("ä", maxTitle), At: 0}))
	got := OldestWaits(list)
	if len(got) != maxTold {
		t.Fatalf("%d are listed", len(got))
	}
	if i := slices.IndexFunc(got, func(r Wait) bool { return r.RequestID == "reply" }); i != 10 || got[i].Kind != kindReply || got[i].By != "Ann" || got[i].Title != strings.Repeat("ä", maxTitle/2) {
		t.Errorf("the reply is number %d: %+v", i, got[i])
	}
	for i, r := range got[:10] {
		if r.RequestID != fmt.Sprint(i*3) {
			t.Errorf("number %d is %s", i, r.RequestID)
		}
	}
	if slices.ContainsFunc(got, func(r Wait) bool { return r.Kind == transcript.KindDisplay }) {
		t.Error("the latest is listed")
	}
}
