package transcript

import "testing"

// A text that an agent sends with a tool gets a separate segment between the agent's other text, and names its tool
// call.
func TestTextsSentByToolStaySeparate(t *testing.T) {
	var box Outbox
	f := NewFold(&box, MessageStart{MessageID: "m", RunID: "r", Role: RoleAgent, Author: Author{Kind: "agent", ID: "ann"}})
	for _, u := range []Update{
		{Text: "I say "},
		{Text: "this."},
		{Text: "I send ", MessageID: "c1", Apart: true, Via: "c1"},
		{Text: "that.", MessageID: "c1", Apart: true, Via: "c1"},
		{Text: "And more.", MessageID: "c2", Apart: true, Via: "c2"},
		{Text: "I go on", MessageID: ""},
		{Text: "."},
	} {
		u.Kind = UpdateText
		f.Apply(&u, 1)
	}
	f.End("end_turn", nil, 2)
	var c Conversation
	from := map[string]string{}
	for i, b := range box.Take().Bodies {
		if d, ok := b.(*TextDelta); ok {
			from[d.Content] = d.AgentID + "/" + d.ToolCallID
		}
		if err := c.Apply(&Event{Seq: int64(i + 1), Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, s := range c.Messages[0].Segments {
		got = append(got, s.Text)
	}
	want := []string{"I say this.", "I send that.", "And more.", "I go on."}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i, call := range []string{"/", "ann/c1", "ann/c2", "/"} {
		if got[i] != want[i] || from[want[i]] != call {
			t.Errorf("%q from %s, want %q from %s", got[i], from[want[i]], want[i], call)
		}
	}
}
