package codex_test

import (
	"testing"

	"weft/backend/sessionfiles/codex"
	"weft/backend/sessionfiles/sessiontest"
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

func FuzzRead(f *testing.F) {
	sessiontest.Fuzz(f, codex.Program{}, home,
		`{"id":"x","timestamp":"2025-05-01T00:00:00Z","instructions":null}`+"\n"+`{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]}`+"\n"+`{"type":"local_shell_call","call_id":"c","action":{"command":["bash","-lc","ls"]}}`+"\n"+`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"a\\n\",\"metadata\":{\"exit_code\":1}}"}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Update File: a\\n@@\\n-x\\n+y\\n*** End Patch\"]}"}}`,
		`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":99999999999}}`+"\n"+"\xff",
	)
}
