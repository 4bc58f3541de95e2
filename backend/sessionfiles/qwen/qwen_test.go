package qwen_test

import (
	"testing"

	"weft/backend/sessionfiles/qwen"
	"weft/backend/sessionfiles/sessiontest"
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
