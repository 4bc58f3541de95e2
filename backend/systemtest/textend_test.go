//go:build linux

package systemtest

import (
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// A reader of the events knows when a text that an agent sends by tool is complete, whether it was streamed or came whole, in which space it
// is, and where nothing of it was sent in the end.
func TestEndOfSentTextIsReported(t *testing.T) {
	for _, one := range []struct {
		name   string
		delta  int
		away   bool
		shown  string // what is written instead of the text
		unsent bool
	}{
		{"streamed, away", 4, true, "", false},
		{"streamed, here", 4, false, "", false},
		{"whole, away", 0, true, "", false},
		{"whole, here", 0, false, "", false},
		{"sent with other words, away", 4, true, "Something else.", true},
		{"sent with other words, here", 4, false, "Something else.", true},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			a := launch(t, t.TempDir())
			from := a.scripted(t, "caller")
			to := from
			if one.away {
				to = a.reenter(t, from.folder, a.like(t, from).ID)
			}
			w := wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": to.id, "text": "This is the text."}, Delta: one.delta}
			if one.shown != "" {
				w.Shown, w.Mute = map[string]any{"spaceId": to.id, "text": one.shown}, true
			}
			from.send(t, wishes(w, wish{Say: "More.", Wait: true}))
			if one.delta > 0 {
				from.ctl.expect(t, "written")
				to.st.until(t, "what is written", func(v *seen) bool {
					return strings.HasSuffix(v.message().Content(), "text.") || one.shown != "" && strings.HasSuffix(v.message().Content(), one.shown)
				})
				to.st.now(func(v *seen) {
					if len(v.ends) > 0 {
						t.Errorf("the end was told before the call was made: %+v", v.ends)
					}
				})
				from.ctl.say(t, "go on")
			}
			from.ctl.expect(t, "waits")
			want := 1
			if one.unsent {
				want = 2
			}
			to.st.until(t, "the end of the text, while the run goes on", func(v *seen) bool { return len(v.ends) == want })
			to.st.now(func(v *seen) {
				for i, end := range v.ends {
					m := v.message()
					text := one.shown
					if i == want-1 {
						text = "This is the text."
					}
					if end.MessageID != m.ID || end.Segment >= len(m.Segments) || m.Segments[end.Segment].Text != text || end.ToolCallID == "" || end.AgentID != m.Author.ID || end.Unsent != (i < want-1) {
						t.Errorf("%+v is told of %+v", end, m.Segments)
					}
				}
			})
			from.ctl.say(t, "go on")
			from.ended(t, "end_turn")
			to.check(t)
		})
	}
}

// The row of a call in the space of its run, and what is read of it, have the arguments as the tool gets them, and the name of the tool.
func TestArgumentsWithoutRouting(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	from := a.scripted(t, "caller")
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	card := map[string]any{"title": "Mug", "targetSpaceId": to.id}
	from.send(t, wishes(
		wish{Tool: "showCard", Args: card},
		wish{Tool: "showCard", Args: card, Delta: 5, Mute: true},
		wish{Tool: "showCard", Args: map[string]any{"title": "Nowhere", "targetSpaceId": nil}},
		wish{Tool: "listSpaces", Args: map[string]any{}},
	))
	from.ctl.expect(t, "written")
	from.ctl.say(t, "go on")
	from.ended(t, "end_turn")
	names := []string{}
	for _, r := range []*room{from, to} {
		for _, m := range r.messages(t) {
			var parts transcript.CompositeMessage
			r.do(t, "MessageParts", ref.MessageRef{SpaceID: r.id, MessageID: m.ID}, &parts)
			for _, p := range parts.Parts {
				if p.Type != "tool_call" {
					continue
				}
				names = append(names, p.Name)
				if strings.Contains(string(p.Args), "targetSpaceId") || p.Name == "showCard" && !strings.Contains(string(p.Args), `"title"`) {
					t.Errorf("the arguments of %s %q are %s", p.Name, p.Title, p.Args)
				}
				if p.Derived || p.Kind == "" || p.Looks == "" {
					t.Errorf("%+v", p)
				}
			}
		}
		for _, m := range r.messages(t) {
			for s, seg := range m.Segments {
				for i, it := range seg.Items {
					if it.Call == nil {
						continue
					}
					var whole pages.ToolDetail
					r.do(t, "ToolDetail", conversation.ToolDetailRequest{SpaceID: r.id, MessageID: m.ID, Segment: s, Item: i}, &whole)
					if strings.Contains(string(whole.Input), "targetSpaceId") || strings.Contains(whole.InputText, "targetSpaceId") {
						t.Errorf("%s shows %s%s", whole.Title, whole.Input, whole.InputText)
					}
				}
			}
		}
	}
	if got := strings.Join(names, " "); got != "showCard showCard showCard listSpaces showCard showCard" {
		t.Errorf("the tools are %s", got)
	}
	from.check(t)
	to.check(t)
}
