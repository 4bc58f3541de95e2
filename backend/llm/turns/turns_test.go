package turns

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

func call(id string) llm.Part {
	return llm.ToolCall{ID: id, Name: "read", Input: json.RawMessage(`{}`)}
}

func result(id string, parts ...llm.Part) llm.Part {
	return llm.ToolResult{CallID: id, Name: "read", Parts: parts}
}

func text(s string) llm.Part { return llm.Text{Text: s} }

func dump(turns []*Turn) string {
	var out []string
	for _, t := range turns {
		switch {
		case t.Result != nil:
			out = append(out, fmt.Sprintf("result %s %q", t.Result.CallID, t.Text))
		case t.IsModel():
			line := "model"
			for _, p := range t.Thinking {
				line += fmt.Sprintf(" think %q", p.Text)
			}
			for _, s := range t.Texts {
				line += fmt.Sprintf(" %q", s)
			}
			for _, c := range t.Calls {
				line += " " + c.ID
			}
			out = append(out, line)
		default:
			line := "user"
			for _, p := range t.Parts {
				switch p := p.(type) {
				case llm.Text:
					line += fmt.Sprintf(" %q", p.Text)
				default:
					line += fmt.Sprintf(" %T", p)
				}
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func TestSplit(t *testing.T) {
	mine := &llm.Sealed{Provider: "me", Data: json.RawMessage(`{}`)}
	for _, c := range []struct {
		name  string
		model []llm.Part
		user  []llm.Part
		want  string
	}{
		{"results stand behind their calls", []llm.Part{text("x"), call("a"), call("b")}, []llm.Part{result("a", text("A")), result("b", text("B")), text("more")}, `
model "x" a b
result a "A"
result b "B"
user "more"`},
		{"text behind a call", []llm.Part{text("x"), call("a"), text("y"), call("b")}, []llm.Part{result("a", text("A")), result("b", text("B"))}, `
model "x" "y" a b
result a "A"
result b "B"`},
		{"text behind all calls", []llm.Part{call("a"), text("y")}, []llm.Part{result("a", text("A"))}, `
model "y" a
result a "A"`},
		{"thinking, one's own and another's", []llm.Part{llm.Thinking{Text: "o", Sealed: mine}, llm.Thinking{Text: "f"}, text("x"), llm.Thinking{Text: "p", Sealed: mine}, call("a"), llm.Thinking{}}, []llm.Part{result("a")}, `
model think "o" think "p" "<thinking>f</thinking>" "x" a
result a ""`},
		{"attachments", []llm.Part{call("a"), call("b")}, []llm.Part{result("a", text("A"), llm.Image{}, text("and")), result("b", llm.File{Name: "x.pdf", MIME: "application/pdf"}, llm.Image{}), text("more"), llm.File{Name: "a.txt", MIME: "text/plain", Data: []byte("hi")}}, `
model a b
result a "A\n[attachment 1 of read (a) follows behind the results]\nand"
result b "[attachment 1 of read (b) follows behind the results]\n[attachment 2 of read (b) follows behind the results]"
user "[attachment 1 of read (a):]" llm.Image "[attachment 1 of read (b):]" llm.File "[attachment 2 of read (b):]" llm.Image "more" "<file name=\"a.txt\">\nhi\n</file>"`},
		{"a failed one, and one of no call", []llm.Part{call("a")}, []llm.Part{llm.ToolResult{CallID: "a", Failed: true, Parts: []llm.Part{text("no")}}, result("z", text("Z"))}, `
model a
result a "The call failed.\nno"
result z "Z"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Split([]llm.Message{llm.UserText("q"), {Role: llm.RoleModel, Parts: c.model}, {Role: llm.RoleUser, Parts: c.user}}, func(p llm.Thinking) bool { return p.Sealed != nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(list); got != "user \"q\""+c.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// A result is directly behind the turn with its call, or behind another result of that turn; each once.
func TestResultsFollowTheirCalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list, err := Split(llmtest.Draw(rt).Messages, func(llm.Thinking) bool { return rapid.Bool().Draw(rt, "own") })
		if err != nil {
			rt.Fatal(err)
		}
		var open []string
		for _, turn := range list {
			switch {
			case turn.Result != nil:
				if len(open) == 0 || open[0] != turn.Result.CallID {
					rt.Fatalf("the result of %s stands where %v is due", turn.Result.CallID, open)
				}
				open = open[1:]
			case len(open) > 0:
				rt.Fatalf("%v have no result before the next turn", open)
			case turn.IsModel():
				for _, c := range turn.Calls {
					open = append(open, c.ID)
				}
			}
		}
		if last := list[len(list)-1]; len(open) > 0 || last.IsModel() {
			rt.Fatalf("%v are left, or the model has the last word", open)
		}
	})
}
