// Package turns lays a conversation out for wires on which the result of a call is a message of its own that holds text
// only: OpenAI's chat completions, Ollama.
//
// Everything is in the order of the clean messages, with these exceptions, which such wires force:
//
//   - A model's turn holds its thinking first, if the provider wants it back, then its texts, then its calls, each kind in its
//     order. A model's message is one turn, so that what was between the calls is told before them: a second turn
//     could only are behind the results, and would say that the model had seen them.
//   - The images and files of results begin the user's turn behind all results; where they were, and which call they
//     are from, is said in words.
package turns

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"weft/backend/base/fault"
	"weft/backend/llm"
)

// Turn is one message of such a wire: a model's, a result, or a user's. Only the fields of its kind are set.
type Turn struct {
	Thinking []llm.Thinking // that goes back as such
	Texts    []string
	Calls    []llm.ToolCall

	Result *llm.ToolResult
	Text   string // of the result

	Parts []llm.Part // of the user: text, images, and files that are no text
}

// IsModel reports whether it is the model's turn.
func (t *Turn) IsModel() bool { return t.Result == nil && t.Parts == nil }

// Split lays a conversation out. own reports whether a thinking goes back to the provider as such; other thinking
// becomes text. An error is an *[llm.Error].
func Split(messages []llm.Message, own func(llm.Thinking) bool) ([]*Turn, error) {
	s := &splitter{own: own}
	for _, m := range messages {
		write := s.model
		if m.Role == llm.RoleUser {
			write = s.user
		}
		if err := write(m); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

type splitter struct {
	own func(llm.Thinking) bool
	out []*Turn
}

// model writes a model's message.
func (s *splitter) model(m llm.Message) error {
	t := &Turn{}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			t.Texts = append(t.Texts, p.Text)
		case llm.Thinking:
			if s.own(p) {
				t.Thinking = append(t.Thinking, p)
			} else if p.Text != "" {
				t.Texts = append(t.Texts, Thinking(p))
			}
		case llm.ToolCall:
			t.Calls = append(t.Calls, p)
		default:
			return unmappable("This provider doesn't accept images or files that a model created.")
		}
	}
	if len(t.Thinking)+len(t.Texts)+len(t.Calls) > 0 {
		s.out = append(s.out, t)
	}
	return nil
}

func (s *splitter) result(r llm.ToolResult) error {
	text, err := ResultText(r)
	if err == nil {
		s.out = append(s.out, &Turn{Result: &r, Text: text})
	}
	return err
}

// user writes what of a user's message is not written yet.
func (s *splitter) user(m llm.Message) error {
	t := &Turn{}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.ToolResult:
			if err := s.result(p); err != nil {
				return err
			}
			for i, a := range Attachments(p) {
				t.Parts = append(t.Parts, llm.Text{Text: "[" + attachmentName(p, i) + ":]"}, a)
			}
		case llm.File:
			if text, ok := FileText(p); ok {
				t.Parts = append(t.Parts, llm.Text{Text: text})
			} else {
				t.Parts = append(t.Parts, p)
			}
		case llm.Text, llm.Image:
			t.Parts = append(t.Parts, p)
		default:
			return unmappable("A user's message can't hold a {{type}}.", fmt.Sprintf("%T", p))
		}
	}
	if len(t.Parts) > 0 {
		s.out = append(s.out, t)
	}
	return nil
}

func unmappable(template fault.Template, values ...any) *llm.Error {
	return llm.Fail(llm.CodeUnmappable, "{{reason}} Nothing was sent.", fault.Say(template, values...))
}

// Thinking is how a model is told what another one thought; "" where that was kept from us.
func Thinking(p llm.Thinking) string {
	if p.Text == "" {
		return ""
	}
	return "<thinking>" + p.Text + "</thinking>"
}

// FileText is a file as text, if that is what it is.
func FileText(f llm.File) (string, bool) {
	if !strings.HasPrefix(f.MIME, "text/") && f.MIME != "application/json" || !utf8.Valid(f.Data) {
		return "", false
	}
	return fmt.Sprintf("<file name=%q>\n%s\n</file>", f.Name, f.Data), true
}

// Failed is the line that a failed result begins with.
const Failed = "The call failed."

// ResultText is a result in words, with a note where an image or a file was.
func ResultText(r llm.ToolResult) (string, error) {
	var lines []string
	if r.Failed {
		lines = append(lines, Failed)
	}
	n := 0
	for _, p := range r.Parts {
		switch p := p.(type) {
		case llm.Text:
			lines = append(lines, p.Text)
		case llm.Image, llm.File:
			lines = append(lines, "["+attachmentName(r, n)+" follows behind the results]")
			n++
		default:
			return "", unmappable("A result can't hold a {{type}}.", fmt.Sprintf("%T", p))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// Attachments are the images and files of a result.
func Attachments(r llm.ToolResult) []llm.Part {
	var out []llm.Part
	for _, p := range r.Parts {
		switch p.(type) {
		case llm.Image, llm.File:
			out = append(out, p)
		}
	}
	return out
}

func attachmentName(r llm.ToolResult, n int) string {
	return fmt.Sprintf("attachment %d of %s (%s)", n+1, r.Name, r.CallID)
}
