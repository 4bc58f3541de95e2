package claude_test

import (
	"testing"

	"weft/backend/sessionfiles/claude"
	"weft/backend/sessionfiles/sessiontest"
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
