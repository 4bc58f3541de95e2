package acpsession

import (
	"slices"
	"strings"

	"weft/backend/transcript"
)

// MaxPrompt is how much of a prompt is compared, in bytes.
const MaxPrompt = 64 << 10

// News finds what of a replay a space doesn't have yet. A replay that has the user's prompts just as the
// space has them, and then others, was continued elsewhere: from the first of those on it is new. Of one that has anything else
// nothing is.
type News struct {
	prompts []string // of the space, oldest first, as [plain] has them
	at      int      // so many have come

	prompt  strings.Builder // that is coming
	telling bool
	begun   bool
	lost    bool // the replay is of something else
}

// NewNews returns the news of a replay for a space with these prompts, the oldest first, of which at least [MaxPrompt] bytes are there. It returns nil
// if new prompts can't be told from them.
func NewNews(prompts []string) *News {
	n := &News{}
	for _, text := range prompts {
		n.prompts = append(n.prompts, plain(text))
	}
	if len(n.prompts) == 0 || slices.Contains(n.prompts, "") {
		return nil
	}
	return n
}

// Begun reports whether something new has come.
func (n *News) Begun() bool { return n.begun }

// Next takes the next update of the replay and reports whether it is new.
func (n *News) Next(u *transcript.Update) bool {
	switch {
	case n.lost || n.begun:
	case u.Kind == transcript.UpdateUser && !n.telling && n.at == len(n.prompts):
		n.begun = true
	case u.Kind == transcript.UpdateUser:
		n.telling = true
		if u.Block == nil && n.prompt.Len() < MaxPrompt {
			n.prompt.WriteString(u.Text)
		}
	case n.telling:
		n.lost = plain(n.prompt.String()) != n.prompts[n.at]
		n.prompt.Reset()
		n.telling = false
		n.at++
	}
	return n.begun && !n.lost
}

// plain is a prompt without what an agent may change of it.
func plain(text string) string {
	return strings.Join(strings.Fields(transcript.WithoutPrelude(text)), " ")
}
