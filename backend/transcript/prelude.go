package transcript

import "strings"

// What is around the context prelude: the conversation that an agent is told since it does not know it. What an agent repeats of it is recognized by that.
const (
	PreludeOpening = "<conversation-so-far>"
	PreludeEnd     = "</conversation-so-far>"
	// PreludeURI is its address where it is embedded.
	PreludeURI = "weft://conversation"
	// PreludeBridge leads on to the prompt, where the conversation is embedded: some agents write the address of what is embedded before the
	// prompt without a space, and the content behind it. Agents keep it in their sessions, so it stays as it is.
	PreludeBridge = "\n(That is the conversation so far. The person goes on:)\n\n"
)

// promptEcho is what an agent may repeat, as the user's words at the start of its turn, of the prompt that it was sent.
type promptEcho struct {
	text    string
	blocks  int    // how many blocks there are besides the text
	prelude string // the context prelude that came with the prompt
}

// takes reports whether u repeats something of the prompt. Text and blocks are expected only once.
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

// ExpectEcho tells the fold which prompt the message answers: agents that repeat it as
// the user's words at the start of the turn are not quoted.
func (f *Fold) ExpectEcho(prompt string) { f.echo.text = prompt }

// ExpectEchoes tells how many blocks the prompt had besides its text; they are not quoted either.
func (f *Fold) ExpectEchoes(blocks int) { f.echo.blocks = blocks }

// ExpectPrelude says which prelude came with the prompt: where the agent repeats it as the user's words at the start of its turn, it is not
// quoted.
func (f *Fold) ExpectPrelude(text string) { f.echo.prelude = text }

// WithoutPrelude takes the prelude out of a prompt that is replayed. An agent that embeds it may
// have written something around it, which goes with it.
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
