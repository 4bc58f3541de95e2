package acpsession

import (
	"slices"
	"strings"

	"weft/backend/conversation/transcript"
)

// MaxPrompt is how many bytes of a prompt are compared.
const MaxPrompt = 64 << 10

// ReplayFilter finds the part of a replay that a space doesn't have yet. If a session was continued in another program,
// its replay begins with the prompts of the space, followed by new ones; everything from the first new prompt on is
// new. If a prompt differs, nothing is new.
type ReplayFilter struct {
	prompts []string // of the space, oldest first, normalized
	at      int      // number of prompts replayed so far

	prompt   strings.Builder // the prompt being replayed
	inPrompt bool
	begun    bool
	differs  bool // the replay is of another conversation
}

// NewReplayFilter returns a filter for a space with these prompts, oldest first, each complete or at least [MaxPrompt]
// bytes long. It returns nil if there are no prompts or one of them is empty, because new prompts can't be recognized
// then.
func NewReplayFilter(prompts []string) *ReplayFilter {
	n := &ReplayFilter{}
	for _, text := range prompts {
		n.prompts = append(n.prompts, normalized(text))
	}
	if len(n.prompts) == 0 || slices.Contains(n.prompts, "") {
		return nil
	}
	return n
}

// Begun reports whether the new part has begun.
func (n *ReplayFilter) Begun() bool { return n.begun }

// Next reports whether the next update of the replay is new.
func (n *ReplayFilter) Next(u *transcript.Update) bool {
	switch {
	case n.differs || n.begun:
	case u.Kind == transcript.UpdateUser && !n.inPrompt && n.at == len(n.prompts):
		n.begun = true
	case u.Kind == transcript.UpdateUser:
		n.inPrompt = true
		if u.Block == nil && n.prompt.Len() < MaxPrompt {
			n.prompt.WriteString(u.Text)
		}
	case n.inPrompt:
		n.differs = normalized(n.prompt.String()) != n.prompts[n.at]
		n.prompt.Reset()
		n.inPrompt = false
		n.at++
	}
	return n.begun && !n.differs
}

// normalized returns a prompt without its context prelude and with white space collapsed, because agents may change
// both.
func normalized(text string) string {
	return strings.Join(strings.Fields(transcript.WithoutPrelude(text)), " ")
}
