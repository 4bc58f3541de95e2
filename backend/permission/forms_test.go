package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asJSON returns a text as JSON.
func asJSON(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// For each form in which agents describe a call: the subject is right, and a reject rule and a read-only space apply
// to it.
func TestEveryFormOfACallIsDescribed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add := "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch\n"
	update := "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch"
	remove := "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
	move := "*** Begin Patch\n*** Update File: a.txt\n*** Move to: n.txt\n@@\n-old\n+new\n*** End Patch"
	bare := "*** Update File: a.txt\n@@\n-old\n+new\n"
	unified := "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new\n"
	for _, c := range []struct {
		said, input string
		kind        string
		about       string // command lines, or files, in order
	}{
		{"execute", `{"commands":["rm a.txt","ls"]}`, "execute", "rm a.txt|ls"},
		{"other", `{"commands":["rm a.txt"]}`, "execute", "rm a.txt"},
		{"other", `{"commands":[{"command":"rm","args":["a.txt"]}]}`, "execute", "rm a.txt"},
		{"other", `{"commands":"rm a.txt"}`, "execute", "rm a.txt"},
		{"execute", `["rm a.txt"]`, "execute", "rm a.txt"},
		{"execute", `"rm a.txt"`, "execute", "rm a.txt"},

		{"other", `{"input":` + asJSON(t, add) + `}`, "edit", "n.txt"},
		{"other", `{"input":` + asJSON(t, update) + `}`, "edit", "a.txt"},
		{"other", `{"input":` + asJSON(t, remove) + `}`, "delete", "a.txt"},
		{"other", `{"input":` + asJSON(t, move) + `}`, "edit", "a.txt|n.txt"},
		{"other", `{"patch":` + asJSON(t, bare) + `}`, "edit", "a.txt"},
		{"other", `{"diff":` + asJSON(t, unified) + `}`, "edit", "a.txt"},
		{"other", `{"args":{"patch":` + asJSON(t, update) + `}}`, "edit", "a.txt"},
		{"other", asJSON(t, update), "edit", "a.txt"},
		{"edit", asJSON(t, remove), "edit", "a.txt"},
		{"read", `{"input":` + asJSON(t, update) + `}`, "edit", "a.txt"},
		{"other", `{"input":{"arguments":` + asJSON(t, `{"input":`+asJSON(t, update)+`}`) + `}}`, "edit", "a.txt"},

		{"edit", `{"edits":[{"file_path":"a.txt","old_string":"old","new_string":"new"},{"file_path":"b.txt","old_string":"old","new_string":"new"}]}`, "edit", "a.txt|b.txt"},
		{"other", `{"edits":[{"path":"a.txt","oldText":"old","newText":"new"}]}`, "edit", "a.txt"},
		{"other", `[{"path":"a.txt","old_str":"old","new_str":"new"},{"path":"b.txt","old_str":"old","new_str":"new"}]`, "edit", "a.txt|b.txt"},
		{"other", `{"path":"a.txt","edits":[{"old_text":"old","new_text":"new"}]}`, "edit", "a.txt"},
		{"other", `{"file_path":"a.txt","old_string":"old","new_string":"new"}`, "edit", "a.txt"},
		{"other", `{"path":"a.txt","content":"new"}`, "edit", "a.txt"},
		{"other", `{"filePath":"a.txt","contents":"new"}`, "edit", "a.txt"},
		{"other", `{"uri":"a.txt","newText":"new"}`, "edit", "a.txt"},
		{"other", `{"target":"a.txt","replacement":"new"}`, "edit", "a.txt"},
		{"other", `{"files":[{"path":"a.txt","content":"new"},{"path":"b.txt","content":"new"}]}`, "edit", "a.txt|b.txt"},
		{"read", `{"path":"a.txt","content":"new"}`, "edit", "a.txt"},
		{"think", `{"path":"a.txt","new_text":"new"}`, "edit", "a.txt"},

		{"read", `{"path":"a.txt"}`, "read", "a.txt"},
		{"other", `{"path":"a.txt"}`, "other", "a.txt"},
		{"search", `{"path":".","search":"old"}`, "search", "."},
		{"other", `{"path":".","text":"old"}`, "other", "."},
		{"other", `{"content":"a note of its own"}`, "other", ""},
		{"think", `{"text":"I think"}`, "think", ""},
	} {
		call := &Call{Kind: c.said, Title: "Do it", Input: jsontext.Value(c.input)}
		sub := Describe(call, Place{SpaceID: "s", Folder: dir})
		about := strings.ReplaceAll(sub.About(), "\n", "|")
		if sub.Kind != c.kind || about != c.about {
			t.Errorf("%s %s: %s of %q, want %s of %q", c.said, c.input, sub.Kind, about, c.kind, c.about)
			continue
		}
		if !changesFiles(c.kind) && c.kind != "execute" {
			continue
		}
		if d := NewSet(nil).Decide(sub, ReadOnly); d.Verdict != Rejected {
			t.Errorf("%s %s: a read-only space answers %s", c.said, c.input, d.Verdict)
		}
		rule := Rule{ID: "r", Effect: Reject, Scope: Everywhere, Enabled: true}
		if rule.Kind = c.kind; c.kind == "delete" || c.kind == "edit" {
			rule.Kind, rule.Path = "", strings.Split(c.about, "|")[0]
		}
		if rule.Path == "." {
			continue
		}
		if d := NewSet([]Rule{rule}).Decide(sub, FollowRules); d.Verdict != Rejected {
			t.Errorf("%s %s: a rule that rejects %s%s answers %s", c.said, c.input, rule.Kind, rule.Path, d.Verdict)
		}
		if len(sub.Reading().Files)+len(sub.Reading().Commands) == 0 {
			t.Errorf("%s %s: the user is shown no file and no command", c.said, c.input)
		}
		// A call that claims to only read is never allowed by a rule about changes.
		allow := []Rule{{ID: "1", Effect: Allow, Kind: "edit", Scope: Everywhere, Enabled: true}, {ID: "2", Effect: Allow, Kind: "delete", Scope: Everywhere, Enabled: true}}
		if d := NewSet(allow).Decide(sub, FollowRules); (readsOnly(c.said) || c.said == "think") && d.Verdict != Ask {
			t.Errorf("%s %s: an allow rule for edits answers %s", c.said, c.input, d.Verdict)
		}
	}
}
