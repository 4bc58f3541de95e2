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
