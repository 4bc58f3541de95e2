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

// ExpectPrelude says which prelude came with the prompt: where the agent repeats it as the user's words at the start of its turn, it is not
// quoted.
func (f *Fold) ExpectPrelude(text string) { f.prelude = text }

// isPrelude reports whether words of the user that an agent repeats are of the prelude.
func (f *Fold) isPrelude(text string) bool {
	return f.prelude != "" && (text == PreludeBridge || strings.Contains(f.prelude, text) || strings.Contains(text, PreludeOpening))
}

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
