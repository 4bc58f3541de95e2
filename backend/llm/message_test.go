package llm_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

// A message is read back as it was written, whatever is in it.
func TestMessagesAreStoredWhole(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, m llm.Message) {
		stored, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%v", err)
		}
		var back llm.Message
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatalf("%v in %s", err, stored)
		}
		again, _ := json.Marshal(back)
		if string(again) != string(stored) || len(back.Parts) != len(m.Parts) {
			t.Fatalf("stored\n%s\nread back as\n%s", stored, again)
		}
		for i := range m.Parts {
			if reflect.TypeOf(m.Parts[i]) != reflect.TypeOf(back.Parts[i]) {
				t.Fatalf("part %d is a %T, was a %T", i, back.Parts[i], m.Parts[i])
			}
		}
	}
	for _, c := range llmtest.Cases() {
		for _, m := range c.Request.Messages {
			check(t, m)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for _, m := range llmtest.Draw(rt).Messages {
			check(rt, m)
		}
	})
}
