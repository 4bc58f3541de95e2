package transcript

import "strings"

// The frame around the context prelude: the earlier conversation, sent to an agent that doesn't know it. The frame
// identifies the prelude if the agent repeats it.
const (
	PreludeOpening = "<conversation-so-far>"
	PreludeEnd     = "</conversation-so-far>"
	// PreludeURI is the address of an embedded prelude.
	PreludeURI = "weft://conversation"
	// PreludeBridge comes before the prompt if the conversation is embedded: some agents write the address of an
	// embedded resource directly before the prompt, and the content after it. Agents store it in their sessions, so it
	// must not change.
	PreludeBridge = "\n(That is the conversation so far. The person goes on:)\n\n"
)

// promptEcho is the part of a prompt that an agent may repeat, as the user's words at the start of its turn.
type promptEcho struct {
	text    string
	blocks  int    // blocks besides the text
	prelude string // the context prelude that came with the prompt
}

// takes reports whether u repeats a part of the prompt. Each part is expected once.
func (e *promptEcho) takes(u *Update) bool {
	switch {
	case u.Block != nil:
		if e.blocks <= 0 {
			return false
		}
		e.blocks--
		return true
	case u.Text == "":
		return false
	case strings.HasPrefix(e.text, u.Text):
		e.text = e.text[len(u.Text):]
		return true
	}
	return e.prelude != "" && (u.Text == PreludeBridge || strings.Contains(e.prelude, u.Text) || strings.Contains(u.Text, PreludeOpening))
}

// ExpectEcho sets the text of the prompt. If the agent repeats it at the start of the turn as the user's words, the
// fold drops it.
func (f *Fold) ExpectEcho(prompt string) { f.echo.text = prompt }

// ExpectEchoes sets the number of blocks in the prompt besides the text. The fold drops repeated blocks too.
func (f *Fold) ExpectEchoes(blocks int) { f.echo.blocks = blocks }

// ExpectPrelude sets the prelude of the prompt. The fold drops it if the agent repeats it at the start of its turn.
func (f *Fold) ExpectPrelude(text string) { f.echo.prelude = text }

// WithoutPrelude removes the prelude from a replayed prompt, including any wrapper that the agent wrote around it.
func WithoutPrelude(text string) string {
	text = strings.ReplaceAll(text, PreludeBridge, "")
	for _, address := range []string{"[" + PreludeURI + "]", "@" + PreludeURI, PreludeURI} {
		text = strings.TrimPrefix(text, address)
	}
	before, rest, found := strings.Cut(text, PreludeOpening)
	if !found {
		return text
	}
	_, after, found := strings.Cut(rest, PreludeEnd)
	if !found {
		after = ""
	}
	if i := strings.LastIndex(before, "<context "); i >= 0 {
		before = before[:i]
		after = strings.TrimPrefix(strings.TrimLeft(after, "\n"), "</context>")
	}
	return strings.TrimSpace(before + after)
}
