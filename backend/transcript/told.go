package transcript

import "strings"

// What is around a conversation that an agent is told since it does not know it. What an agent repeats of it is known by that.
const (
	ToldOpening = "<conversation-so-far>"
	ToldEnd     = "</conversation-so-far>"
	// ToldURI is its address where it is embedded.
	ToldURI = "weft://conversation"
	// ToldBridge leads on to the prompt, where the conversation is embedded: some agents write the address of what is embedded before the
	// prompt without a space, and the content behind it. Agents keep it in their sessions, so it stays as it is.
	ToldBridge = "\n(That is the conversation so far. The person goes on:)\n\n"
)

// ExpectTold tells what came with the prompt to be known and not to be answered: where the agent repeats it as the user's words at the start
// of its turn, it is not quoted.
func (f *Fold) ExpectTold(text string) { f.told = text }

// isTold reports whether words of the user that an agent repeats are of what it was told.
func (f *Fold) isTold(text string) bool {
	return f.told != "" && (text == ToldBridge || strings.Contains(f.told, text) || strings.Contains(text, ToldOpening))
}

// WithoutTold takes out of a prompt that is replayed what the agent was told along with it. An agent that embeds it may
// have written something around it, which goes with it.
func WithoutTold(text string) string {
	text = strings.ReplaceAll(text, ToldBridge, "")
	for _, address := range []string{"[" + ToldURI + "]", "@" + ToldURI, ToldURI} {
		text = strings.TrimPrefix(text, address)
	}
	before, rest, found := strings.Cut(text, ToldOpening)
	if !found {
		return text
	}
	_, after, found := strings.Cut(rest, ToldEnd)
	if !found {
		after = ""
	}
	if i := strings.LastIndex(before, "<context "); i >= 0 {
		before = before[:i]
		after = strings.TrimPrefix(strings.TrimLeft(after, "\n"), "</context>")
	}
	return strings.TrimSpace(before + after)
}
