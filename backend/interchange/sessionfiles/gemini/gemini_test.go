package gemini_test

import (
	"testing"

	"weft/backend/interchange/sessionfiles/gemini"
	"weft/backend/interchange/sessionfiles/sessiontest"
)

const home = "testdata/home"

func TestConversationsOfTheProgramAreDrawn(t *testing.T) {
	sessiontest.Golden(t, gemini.Program{}, home)
}

func TestConversationsThatGrowAreReadFromWhereTheyWere(t *testing.T) {
	for _, src := range sessiontest.Find(t, gemini.Program{}, home) {
		if src.Parent == "" && src.Size > 2000 {
			sessiontest.Again(t, gemini.Program{}, src, sessiontest.Lines(t, home, src))
		}
	}
}

func FuzzRead(f *testing.F) {
	sessiontest.Fuzz(f, gemini.Program{}, home,
		`{"id":"a","type":"user","content":"x"}`+"\n"+`{"$rewindTo":"a"}`+"\n"+`{"id":"a","type":"gemini","content":[{"text":"y","thought":true}],"toolCalls":[{"id":"c","name":"n","status":"cancelled"}]}`,
		`{"$set":{"messages":[{"id":"a","type":"user","content":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]}}`,
	)
}
