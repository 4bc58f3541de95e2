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
