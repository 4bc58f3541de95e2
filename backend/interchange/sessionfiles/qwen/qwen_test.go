package qwen_test

import (
	"testing"

	"weft/backend/interchange/sessionfiles/qwen"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

const home = "testdata/home"

func TestConversationsOfTheProgramAreDrawn(t *testing.T) {
	sessiontest.Golden(t, qwen.Program{}, home)
}

func TestConversationsThatGrowAreReadFromWhereTheyWere(t *testing.T) {
	for _, src := range sessiontest.Find(t, qwen.Program{}, home) {
		if src.Parent == "" && src.Size > 2000 {
			sessiontest.Again(t, qwen.Program{}, src, sessiontest.Lines(t, home, src))
		}
	}
}

func FuzzRead(f *testing.F) {
	sessiontest.Fuzz(f, qwen.Program{}, home,
		`{"uuid":"a","parentUuid":"b","type":"assistant","message":{"parts":[{"functionCall":{"id":"c","name":"agent","args":{}}}]}}`+"\n"+`{"uuid":"b","parentUuid":"a","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"c","response":{"output":7}}}]}}`,
	)
}
