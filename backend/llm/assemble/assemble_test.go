package assemble

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
)

func dump(t *testing.T, m llm.Message) string {
	t.Helper()
	b, err := json.Marshal(m.Parts)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPartsKeepTheOrderInWhichTheyBegan(t *testing.T) {
	a := New(llm.Request{}, func(llm.Delta) {})
	a.Thinking("hm")
	a.Text("one ")
	first := a.Call("a", "read")
	a.Text("two")
	second := a.Call("b", "read")
	second.Add(`{"n":`)
	first.Add(`{"n":1}`)
	second.Add(`2}`)
	a.Text("")
	want := `[{"text":"hm"},{"text":"one "},{"id":"a","name":"read","input":{"n":1}},{"text":"two"},{"id":"b","name":"read","input":{"n":2}}]`
	if got := dump(t, a.Message()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInvalidInputsAndIDsAreRepaired(t *testing.T) {
	earlier := llm.Request{Messages: []llm.Message{
		llm.UserText("x"), {Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{ID: "old"}, llm.ToolCall{ID: "call_2_0"}}},
	}}
	a := New(earlier, func(llm.Delta) {})
	for _, c := range []struct{ id, input string }{
		{"", ""},
		{"old", ` {"a" : 1.0} `},
		{"same", "null"},
		{"same", `{"a":`},
		{"same_2", "[1]"},
	} {
		a.Call(c.id, "f").Add(c.input)
	}
	want := `[{"id":"call_2_0_2","name":"f","input":{}},` +
		`{"id":"old_2","name":"f","input":{"a":1.0}},` +
		`{"id":"same","name":"f","input":{},"raw":"null"},` +
		`{"id":"same_2","name":"f","input":{},"raw":"{\"a\":"},` +
		`{"id":"same_2_2","name":"f","input":{},"raw":"[1]"}]`
	if got := dump(t, a.Message()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(a.Message().Calls()[1].Input); got != `{"a" : 1.0}` {
		t.Errorf("the input was changed to %s", got)
	}
}

func TestRepeatedFinalTextIsAddedOnce(t *testing.T) {
	var told string
	a := New(llm.Request{}, func(d llm.Delta) { told += d.Text })
	p := a.BeginText()
	p.Add("abc")
	p.Complete("abcdef")
	p.Complete("abcdef")
	p.Complete("something else")
	if told != "abcdef" || a.Message().Text() != "abcdef" {
		t.Errorf("told %q, kept %q", told, a.Message().Text())
	}
}

func TestEmptyPartsAreLeftOut(t *testing.T) {
	a := New(llm.Request{}, func(llm.Delta) {})
	a.BeginText()
	a.BeginThinking()
	a.BeginThinking().Sealed = &llm.Sealed{Provider: "x"}
	if parts := a.Message().Parts; len(parts) != 1 {
		t.Errorf("got %v", parts)
	}
}

// Whole holds exactly when the fragments are a complete object, wherever they are cut.
func TestWholeReportsCompleteObjects(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc, _ := json.Marshal(map[string]any{
			"s": rapid.StringMatching(`[{}\[\]"\\a]{0,9}`).Draw(rt, "string"), "o": map[string]any{"l": []int{1}},
		})
		p := New(llm.Request{}, func(llm.Delta) {}).Call("", "f")
		for i := range doc {
			if p.Whole() {
				rt.Fatalf("whole after %s", doc[:i])
			}
			p.Add(string(doc[i : i+1]))
		}
		if !p.Whole() {
			rt.Fatalf("not whole: %s", doc)
		}
	})
}
