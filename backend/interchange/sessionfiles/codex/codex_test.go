package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/interchange/sessionfiles/codex"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

const home = "testdata/home"

func TestConversationsOfTheProgramAreDrawn(t *testing.T) {
	sessiontest.Golden(t, codex.Program{}, home)
}

func TestConversationsThatGrowAreReadFromWhereTheyWere(t *testing.T) {
	for _, src := range sessiontest.Find(t, codex.Program{}, home) {
		if src.Parent == "" && src.Size > 2000 {
			sessiontest.Again(t, codex.Program{}, src, sessiontest.Lines(t, home, src))
		}
	}
}

// TestFormsOfOtherVersions has what the real conversations lack, in one that was written by hand.
func TestFormsOfOtherVersions(t *testing.T) {
	item := func(payload string) string {
		return `{"timestamp":"2025-06-01T10:00:00.000Z","type":"response_item","payload":` + payload + `}`
	}
	lines := []string{
		`{"id":"old","timestamp":"2025-06-01T10:00:00.000Z","instructions":"Be good.","git":{}}`,
		`{"record_type":"state"}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Change it"},{"type":"input_image","image_url":"data:image/png;base64,aGVsbG8="}]}`,
		`{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["bash","-lc","ls src"]}}`,
		`{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a.go\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"}`,
		item(`{"type":"function_call","name":"shell","call_id":"c2","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Delete File: a.go\\n*** Add File: b.go\\n+b\\n*** End Patch\"]}"}`),
		item(`{"type":"function_call_output","call_id":"c2","output":"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."}`),
		item(`{"type":"web_search_call","status":"completed","action":{"type":"search","query":"pears"}}`),
		item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Never mind"}]}`),
		item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Then not."}]}`),
		`{"timestamp":"2025-06-01T10:01:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`,
		item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on"}]}`),
		item(`{"type":"function_call","name":"exec_command","call_id":"c3","arguments":"{\"cmd\":\"sleep 9\"}"}`),
		`{"timestamp":"2025-06-01T10:02:00.000Z","type":"compacted","payload":{"message":"They looked at pears."}}`,
		`{"timestamp":"2025-06-01T10:02:00.000Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}`,
		item(`{"type":"message","role":"assis`),
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".codex", "sessions", "2025", "06", "01")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	name := "rollout-2025-06-01T10-00-00-00000000-0000-4000-8000-000000000000.jsonl"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	paths, notes, err := sessiontest.Read(t, codex.Program{}, sessiontest.Find(t, codex.Program{}, home)[0])
	if err != nil || len(paths) != 1 || len(notes) != 1 {
		t.Fatalf("%d paths, %v, %v", len(paths), notes, err)
	}
	const want = `# Change it
user:
  "Change it"
  <image  image/png 5 bytes>
agent:
  ls src [execute] shell: failed (Exited with code 2) "a.go\n"
  Edit 2 files [edit] shell: completed <a.go:0 +0 -0 new=false> <b.go:0 +1 -0 new=true>
  Search for pears [search] web_search: completed
user:
  "Go on"
agent: (cancelled)
  sleep 9 [execute] exec_command: cancelled
  app"The conversation was compacted here."
  (They looked at pears.)
`
	if got := paths[0].Draw(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestDocumentsOfTheFirstVersionsAreRead reads one JSON document, below a folder that is a link.
func TestDocumentsOfTheFirstVersionsAreRead(t *testing.T) {
	home, real := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(home, ".codex", "sessions")); err != nil {
		t.Fatal(err)
	}
	const text = "\xef\xbb\xbf" + `{
  "session": {"timestamp": "2025-04-20T10:00:00.000Z", "id": "00000000-0000-4000-8000-000000000001", "instructions": ""},
  "items": [
    {"role": "user", "type": "message", "content": [{"type": "input_text", "text": "List it"}]},
    {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "A list"}]},
    {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}"},
    {"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"a.go\\n\",\"metadata\":{\"exit_code\":0}}"},
    {"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"true\"]}"},
    {"role": "assistant", "type": "message", "content": [{"type": "output_text", "text": "One file."}]}
  ]
}`
	name := "rollout-2025-04-20-00000000-0000-4000-8000-000000000001.json"
	if err := os.WriteFile(filepath.Join(real, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found := sessiontest.Find(t, codex.Program{}, home)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	paths, notes, err := sessiontest.Read(t, codex.Program{}, found[0])
	if err != nil || len(paths) != 1 || len(notes) != 0 {
		t.Fatalf("%d paths, %v, %v", len(paths), notes, err)
	}
	const want = `# List it
user:
  "List it"
agent:
  (A list)
  ls [execute] shell: completed "a.go\n"
  true [execute] shell: cancelled
  "One file."
`
	if got := paths[0].Draw(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func FuzzRead(f *testing.F) {
	sessiontest.Fuzz(f, codex.Program{}, home,
		`{"id":"x","timestamp":"2025-05-01T00:00:00Z","instructions":null}`+"\n"+`{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]}`+"\n"+`{"type":"local_shell_call","call_id":"c","action":{"command":["bash","-lc","ls"]}}`+"\n"+`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"a\\n\",\"metadata\":{\"exit_code\":1}}"}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Update File: a\\n@@\\n-x\\n+y\\n*** End Patch\"]}"}}`,
		`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":99999999999}}`+"\n"+"\xff",
	)
}
