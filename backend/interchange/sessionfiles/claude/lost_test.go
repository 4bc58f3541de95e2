package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/interchange/sessionfiles"
	"weft/backend/interchange/sessionfiles/claude"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

// drawn returns what is drawn of the first path of a conversation with these lines, and the notes about it.
func drawn(t *testing.T, lines ...string) (string, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	paths, notes, err := sessiontest.Read(t, claude.Program{}, sessionfiles.Source{Program: "claude", Path: path, Session: "x"})
	if err != nil || len(paths) != 1 {
		t.Fatalf("%d paths, %v", len(paths), err)
	}
	return paths[0].Draw(), strings.Join(notes, " ")
}

func TestCallsWithoutAnIDAreCalls(t *testing.T) {
	text, notes := drawn(
		t,
		`{"type":"user","uuid":"a","message":{"content":"go"}}`,
		`{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"command":"echo one"}},{"type":"tool_use","name":"Bash","input":{"command":"echo two"}},{"type":"tool_use","id":"c","input":{"a":1}}]}}`,
	)
	if !strings.Contains(text, "echo one") || !strings.Contains(text, "echo two") || !strings.Contains(text, "tool") || notes != "" {
		t.Errorf("%s\n%s", text, notes)
	}
}

func TestResultsBehindTheirTurnAreNoted(t *testing.T) {
	_, notes := drawn(
		t,
		`{"type":"user","uuid":"a","message":{"content":"go"}}`,
		`{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"sleep 9"}}]}}`,
		`{"type":"user","uuid":"c","parentUuid":"b","message":{"content":"wait"}}`,
		`{"type":"user","uuid":"d","parentUuid":"c","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"late"}]}}`,
	)
	if notes != "1 result was left out because its tool call isn't in the same turn." {
		t.Errorf("%q", notes)
	}
}

func TestNotebooksHaveDiffsAndInterruptedCallsAreCanceled(t *testing.T) {
	text, notes := drawn(
		t,
		`{"type":"user","uuid":"a","message":{"content":"go"}}`,
		`{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"n","name":"NotebookEdit","input":{"notebook_path":"/x/a.ipynb","new_source":"2"}},{"type":"tool_use","id":"i","name":"Bash","input":{"command":"sleep 9"}}]}}`,
		`{"type":"user","uuid":"c","parentUuid":"b","toolUseResult":{"new_source":"2","edit_mode":"replace","error":"","notebook_path":"/x/a.ipynb","original_file":"one","updated_file":"two"},"message":{"content":[{"type":"tool_result","tool_use_id":"n","content":"Updated"}]}}`,
		`{"type":"user","uuid":"d","parentUuid":"c","toolUseResult":"Error","message":{"content":[{"type":"tool_result","tool_use_id":"i","is_error":true,"content":"[Request interrupted by user for tool use]"}]}}`,
	)
	if !strings.Contains(text, "+1 -1") || !strings.Contains(text, "cancelled") || strings.Contains(text, "failed") || notes != "" {
		t.Errorf("%s\n%s", text, notes)
	}
}
