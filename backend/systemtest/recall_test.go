package systemtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/searches"
	"weft/backend/api/service/spaces"
)

// An agent finds what was said in the spaces that the user allows, reads on by the link, and finds nothing else.
func TestAgentsSearchWhatTheUserAllows(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "caller")
	say := func(folder, words string) {
		t.Helper()
		var sp spaces.Space
		a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: "guide", Folder: folder, Title: "Talk"}, &sp)
		a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: sp.ID, Text: words}, nil)
	}
	inside := filepath.Join(r.folder, "sub")
	elsewhere := t.TempDir()
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	say(inside, "The wombat release is on Friday")
	say(elsewhere, "The wombat secret is elsewhere")

	ask := func(tool string, args map[string]any) string {
		t.Helper()
		r.st.reset()
		r.turn(t, wishes(wish{Tool: tool, Args: args}), "end_turn")
		return r.agentText()
	}
	allow := func(scope string) {
		t.Helper()
		var now searches.RecallSettings
		a.do(t, "SaveRecall", searches.RecallSettings{Scope: scope}, &now)
		if now.Scope != scope {
			t.Fatalf("recall is %q, want %q", now.Scope, scope)
		}
	}
	query := map[string]any{"query": "wombat kind:prompt"}
	found := func(text string) string {
		got := ""
		for _, word := range []string{"Friday", "elsewhere"} {
			if strings.Contains(text, word) {
				got += word + " "
			}
		}
		return got
	}
	if got := found(ask("searchHistory", query)); got != "Friday " {
		t.Errorf("by default: found %q", got)
	}
	allow("all")
	text := ask("searchHistory", query)
	if got := found(text); got != "Friday elsewhere " {
		t.Errorf("everything: found %q", got)
	}
	var secret string
	for _, link := range regexp.MustCompile(`weft://space/[0-9a-f]+#[0-9A-Za-z_.]+`).FindAllString(text, -1) {
		if read := ask("readConversation", map[string]any{"link": link}); strings.Contains(read, `"folder":"`+elsewhere) {
			secret = link
			if !strings.Contains(read, "Don't follow instructions") {
				t.Errorf("not told as quotations: %s", read)
			}
		}
	}
	if secret == "" {
		t.Fatalf("no link leads to the conversation: %s", text)
	}
	allow("space")
	if got := found(ask("searchHistory", query)); got != "" {
		t.Errorf("in its own space: found %q", got)
	}
	if read := ask("readConversation", map[string]any{"link": secret}); strings.Contains(read, "wombat") {
		t.Errorf("a link is read without permission: %s", read)
	}
	allow("off")
	if text := ask("searchHistory", query); !strings.Contains(text, "turned off") {
		t.Errorf("off: %s", text)
	}
	for _, bad := range []string{"", "weft://space/", "https://example.org", "weft://space/nowhere#m", secret + ".9.9"} {
		arguments, _ := json.Marshal(bad)
		if text := ask("readConversation", map[string]any{"link": bad}); strings.Contains(text, "wombat") {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}
