package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/interchange/sessionfiles/claude"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

const home = "testdata/home"

func TestConversationsOfTheProgramAreDrawn(t *testing.T) {
	sessiontest.Golden(t, claude.Program{}, home)
}

func TestConversationsThatGrowAreReadFromWhereTheyWere(t *testing.T) {
	for _, src := range sessiontest.Find(t, claude.Program{}, home) {
		if src.Parent == "" && src.Size > 2000 {
			sessiontest.Again(t, claude.Program{}, src, sessiontest.Lines(t, home, src))
		}
	}
}

func FuzzRead(f *testing.F) {
	sessiontest.Fuzz(f, claude.Program{}, home,
		`{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"x"}}`+"\n"+`{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"y"}}`,
		`{"type":"assistant","uuid":"a","parentUuid":"a","timestamp":"9999-01-01T00:00:00Z","message":{"content":[{"type":"tool_use","id":"","name":7}]}}`,
		"\xff\xfe{\x00}\x00\n{\"type\":\"user\",\"uuid\":\"\xff\",\"message\":{\"content\":\"\xc3\x28\"}}\n{",
		`{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"Task","input":{"prompt":"p"}}]}}`+"\n"+`{"type":"user","isSidechain":true,"uuid":"s","message":{"content":"p"}}`+"\n"+`{"type":"assistant","isSidechain":true,"uuid":"s2","parentUuid":"s","message":{"content":[{"type":"text","text":"deep"}]}}`,
	)
}

// TestFormsOfOlderAndLaterVersions has what the real conversations lack, in one that was written by hand.
func TestFormsOfOlderAndLaterVersions(t *testing.T) {
	const head = `,"cwd":"/home/me/x","sessionId":"s"}`
	lines := []string{
		`{"type":"summary","summary":"An older title","leafUuid":"z"}`,
		`{"type":"user","uuid":"a1","parentUuid":null,"isMeta":true,"message":{"content":"Caveat: The messages below were generated"}` + head,
		`{"type":"user","uuid":"a2","parentUuid":"a1","message":{"content":"<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>"}` + head,
		`{"type":"user","uuid":"a3","parentUuid":"a2","message":{"content":"<local-command-stdout>Set to opus</local-command-stdout>"}` + head,
		`{"type":"user","uuid":"a4","parentUuid":"a3","message":{"content":"<bash-input>ls</bash-input>"}` + head,
		`{"type":"user","uuid":"a5","parentUuid":"a4","message":{"content":"<bash-stdout>a.go</bash-stdout><bash-stderr></bash-stderr>"}` + head,
		`{"type":"user","uuid":"a6","parentUuid":"a5","message":{"content":[{"type":"text","text":"Ask someone"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGVsbG8="}}]}` + head,
		`{"type":"attachment","uuid":"a7","parentUuid":"a6","attachment":{"type":"file","filename":"/home/me/x/a.go"}` + head,
		`{"type":"assistant","uuid":"a8","parentUuid":"a7","message":{"id":"m1","model":"big","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"description":"Look","prompt":"Look around"}}]}` + head,
		`{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"message":{"content":"Look around"}` + head,
		`{"type":"assistant","uuid":"s2","parentUuid":"s1","isSidechain":true,"message":{"id":"m2","content":[{"type":"text","text":"Around it is dark."},{"type":"tool_use","id":"t2","name":"MultiEdit","input":{"file_path":"/home/me/x/b.go"}}]}` + head,
		`{"type":"user","uuid":"s3","parentUuid":"s2","isSidechain":true,"message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"The user doesn't want to proceed with this tool use."}]}` + head,
		`{"type":"user","uuid":"a9","parentUuid":"a8","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"Dark."}]}]}` + head,
		`{"type":"attachment","uuid":"b1","parentUuid":"a9","attachment":{"type":"queued_command","prompt":"Take a lamp","commandMode":"prompt"}` + head,
		`{"type":"assistant","uuid":"b2","parentUuid":"b1","message":{"id":"m3","content":[{"type":"text","text":"It is bright."}]}` + head,
		`this line is broken`,
		`{"type":"system","subtype":"compact_boundary","uuid":"b3","parentUuid":null,"logicalParentUuid":"b2","content":"Conversation compacted"` + head,
		`{"type":"user","uuid":"b4","parentUuid":"b3","isCompactSummary":true,"message":{"content":"They had a lamp."}` + head,
		`{"type":"user","uuid":"b5","parentUuid":"lost","message":{"content":"And now?"}` + head,
		`{"type":"assistant","uuid":"b6","parentUuid":"b5","isApiErrorMessage":true,"message":{"id":"m4","model":"<synthetic>","content":[{"type":"text","text":"API Error: overloaded"}]}` + head,
		`{"type":"user","uuid":"b7","parentUuid":"b6","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}` + head,
		`{"type":"custom-title","customTitle":"The lamp","sessionId":"s"}`,
	}
	dir := filepath.Join(t.TempDir(), ".claude", "projects", "-x")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	src := sessiontest.Find(t, claude.Program{}, filepath.Dir(filepath.Dir(filepath.Dir(dir))))[0]
	paths, notes, err := sessiontest.Read(t, claude.Program{}, src)
	if err != nil || len(paths) != 1 || len(notes) != 1 || notes[0] != "1 line couldn't be read." {
		t.Fatalf("%d paths, %v, %v", len(paths), notes, err)
	}
	const want = `# The lamp
user:
  "/model opus"
agent:
  app"Set to opus"
user:
  "! ls"
agent:
  app"a.go"
user:
  "Ask someone"
  <image  image/png 5 bytes>
  <resource_link a.go>
agent:
  Look [think] Task: completed "Dark."
    "Around it is dark."
    Edit b.go [edit] MultiEdit: rejected "The user doesn't want to proceed with this tool use."
user:
  "Take a lamp"
agent:
  "It is bright."
  app"The conversation was compacted here."
  (They had a lamp.)
user:
  "And now?"
agent: (cancelled)
  app"API Error: overloaded"
`
	if got := paths[0].Draw(); got != want {
		t.Errorf("got\n%s", got)
	}
}
