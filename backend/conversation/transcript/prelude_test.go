package transcript

import (
	"strings"
	"testing"

	"weft/backend/base/fault"
)

func TestContextPreludeIsNotPartOfThePrompt(t *testing.T) {
	const record = PreludeOpening + "\n[person]\nhello\n" + PreludeEnd
	for text, want := range map[string]string{
		"plain":                            "plain",
		record:                             "",
		record + "\n\ngo on":               "go on",
		"[weft://conversation]\n" + record: "",
		"weft://conversation":              "",
		"see weft://conversation":          "see weft://conversation",
		PreludeBridge:                      "",
		"/compact\n" + record:              "/compact",
		"go on\n<context ref=\"weft://conversation\">\n" + record + "\n</context>": "go on",
		"cut " + PreludeOpening + " never ends":                                    "cut",
	} {
		if got := WithoutPrelude(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestEchoOfTheContextPreludeIsDropped(t *testing.T) {
	var box Outbox
	f := NewFold(&box, MessageStart{MessageID: "m", Role: RoleAgent})
	f.ExpectEcho("go on")
	f.Note(fault.Say("A note."))
	const record = PreludeOpening + "\n[person]\nhello\n" + PreludeEnd
	f.ExpectPrelude(record)
	box.Take()
	for _, text := range []string{record[:20], record[20:], PreludeBridge, "go on"} {
		f.Apply(&Update{Kind: UpdateUser, Text: text}, 1)
	}
	if !box.Empty() {
		t.Errorf("what the agent repeats is quoted: %+v", box.Take())
	}
	f.Apply(&Update{Kind: UpdateText, Text: "yes"}, 1)
	f.Apply(&Update{Kind: UpdateUser, Text: "hello"}, 1)
	if out := box.Take(); len(out.Bodies) != 2 {
		t.Errorf("what comes later is not kept: %+v", out.Bodies)
	}
}

func TestOnlyWeftsOwnAgentWritesNotes(t *testing.T) {
	for _, own := range []bool{true, false} {
		var box Outbox
		f := NewFold(&box, MessageStart{MessageID: "m", Role: RoleAgent})
		box.Take()
		u := &Update{Kind: UpdateThought, Text: "Trying again.\n\n", Note: true}
		f.Apply(u.Vouched(own), 1)
		f.Note(fault.Say("A note."))
		var got []string
		for _, b := range box.Take().Bodies {
			switch b := b.(type) {
			case *TextDelta:
				got = append(got, b.Author+": "+b.Content)
			case *ReasoningDelta:
				got = append(got, "thought: "+b.Content)
			}
		}
		want := "app: Trying again.\n\nA note."
		if !own {
			want = "thought: Trying again.\n\n|app: A note."
		}
		if strings.Join(got, "|") != want {
			t.Errorf("own %v: %q, want %q", own, got, want)
		}
		if !u.Note {
			t.Error("the update itself has changed: others read it, too")
		}
	}
}
