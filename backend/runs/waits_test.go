package runs

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
)

func TestWaitsTellWhatWouldRun(t *testing.T) {
	long := "echo " + strings.Repeat("ä", maxWaitTitle)
	tests := []struct {
		name, kind, input string
		line, path        string
		writes            bool
	}{
		{"a command", "execute", `{"command":"make all"}`, "make all", "", false},
		{"a shell that is named", "execute", `{"command":["bash","-lc","make all"]}`, "bash -lc 'make all'", "", false},
		{"a long command", "execute", `{"command":"` + long + `"}`, long[:maxWaitTitle-1] + " …", "", false},
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
